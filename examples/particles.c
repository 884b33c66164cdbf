/*
 * Particles in cells: the mean velocity in each cell of a grid. The library
 * adds up the velocities, and ones, by cell. examples/gpu_particles.c is the
 * same for a GPU.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
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

int main(void) {
    uint32_t *cells = malloc(PARTICLES * sizeof *cells);
    float *values = malloc(PARTICLES * COMPONENTS * sizeof *values);
    float *sums = calloc(CELLS * COMPONENTS, sizeof *sums);
    const void *columns[COMPONENTS];
    void *out[] = {sums};
    winnow_accumulate_options options = WINNOW_ACCUMULATE_OPTIONS_INIT;
    winnow_context *context = NULL;
    int right;

    if (cells == NULL || values == NULL || sums == NULL)
        return 1;
    make_particles(cells, values);
    for (int c = 0; c < COMPONENTS; c++)
        columns[c] = values + c * PARTICLES;
    options.out_layout = WINNOW_INTERLEAVED;
    if (winnow_context_create(&context, WINNOW_DEVICE_HOST) ||
        winnow_accumulate_by_key(context, WINNOW_UINT32, cells, PARTICLES,
                                 CELLS, WINNOW_FLOAT32, COMPONENTS, columns,
                                 out, NULL, &options, NULL, 0, NULL)) {
        fprintf(stderr, "particles: %s\n", winnow_last_error());
        return 1;
    }
    right = means_are_right(sums);
    winnow_context_destroy(context);
    free(cells);
    free(values);
    free(sums);
    return right ? 0 : 1;
}
