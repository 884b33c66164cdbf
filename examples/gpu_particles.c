/*
 * Particles in cells on a GPU: the mean velocity in each cell of a grid. The
 * library adds up the velocities, and ones, by cell. examples/particles.c is
 * the same for the CPU.
 *
 * Exits with 77, which automake counts as skipped, where there is no device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <winnow.h>

#define PARTICLES 10000
#define CELLS 1000
#define COMPONENTS 4 /* of a velocity three, and a one */

/* Particle i flies through cell i mod CELLS, at the cell's own velocity give or
 * take one. */
static void make_particles(uint32_t *cells, float *values) {
    for (uint32_t i = 0; i < PARTICLES; i++) {
        const float off = i / CELLS % 2 == 0 ? 1.0f : -1.0f;

        cells[i] = i % CELLS;
        values[0 * PARTICLES + i] = (float)cells[i] + off;
        values[1 * PARTICLES + i] = 2.0f * (float)cells[i] - off;
        values[2 * PARTICLES + i] = off;
        values[3 * PARTICLES + i] = 1.0f;
    }
}

/* sums: of a cell COMPONENTS numbers, one after the other. */
static int means_are_right(const float *sums) {
    int right = 1;

    for (uint32_t cell = 0; cell < CELLS; cell++) {
        const float *sum = sums + COMPONENTS * cell;
        const float count = sum[3];

        if (cell < 3)
            printf("cell %u: %g particles, mean velocity (%g, %g, %g)\n", cell,
                   (double)count, (double)(sum[0] / count),
                   (double)(sum[1] / count), (double)(sum[2] / count));
        right = right && count == PARTICLES / CELLS &&
                sum[0] / count == (float)cell &&
                sum[1] / count == 2.0f * (float)cell && sum[2] == 0;
    }
    return right;
}

static void cuda(cudaError_t error) {
    if (error != cudaSuccess) {
        fprintf(stderr, "gpu_particles: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

static void winnow(winnow_status status) {
    if (status != WINNOW_OK) {
        fprintf(stderr, "gpu_particles: %s\n", winnow_last_error());
        exit(1);
    }
}

/* Memory that the host and the device share. */
static void *allocate(size_t bytes) {
    void *memory = NULL;

    cuda(cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal));
    return memory;
}

/* A column for each component of the particles; a cell's sums side by side. */
static winnow_status add_up(winnow_context *context, const uint32_t *cells,
                            const float *values, float *sums) {
    const winnow_in keys = {.type = WINNOW_UINT32, .d_base = cells};
    winnow_in columns[COMPONENTS];
    winnow_out out[COMPONENTS];

    for (int c = 0; c < COMPONENTS; c++) {
        columns[c] = (winnow_in){.type = WINNOW_FLOAT32,
                                 .d_base = values + c * PARTICLES};
        out[c] = (winnow_out){.type = WINNOW_FLOAT32,
                              .d_base = sums + c,
                              .stride_bytes = COMPONENTS * sizeof *sums};
    }
    return winnow_accumulate_by_key(context, &keys, columns, COMPONENTS,
                                    PARTICLES, CELLS, out, NULL, NULL);
}

int main(void) {
    winnow_context *context = NULL;
    uint32_t *cells;
    float *values, *sums;
    int right;
    const winnow_status status = winnow_context_create(&context, 0);

    if (status == WINNOW_ERR_NO_DEVICE) {
        printf("skipped: no CUDA device (%s)\n", winnow_last_error());
        return 77;
    }
    winnow(status);
    cells = allocate(PARTICLES * sizeof *cells);
    values = allocate(PARTICLES * COMPONENTS * sizeof *values);
    sums = allocate(CELLS * COMPONENTS * sizeof *sums);
    make_particles(cells, values);
    cuda(cudaMemset(sums, 0, CELLS * COMPONENTS * sizeof *sums));
    winnow(add_up(context, cells, values, sums));
    cuda(cudaDeviceSynchronize());
    right = means_are_right(sums);
    winnow_context_destroy(context);
    cuda(cudaFree(cells));
    cuda(cudaFree(values));
    cuda(cudaFree(sums));
    return right ? 0 : 1;
}
