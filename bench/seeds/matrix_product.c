/*
 * Seed 004, figure 10: a matrix product as a map, by the matrices' side.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "map.h"

#include <string.h>

#define ON_HOST SEEDS_MAP_FORMS

typedef struct product {
    bench_lab *lab;
    unsigned form; /* a seeds_map_form, or ON_HOST */
    uint32_t side;
    float *x; /* of the host, */
    float *y;
    float *z;
    float *expected;
    seeds_element *elements;
    float *d_x; /* and of the device */
    float *d_y;
    seeds_map_output output;
} product;

static uint64_t element_count(const product *p) {
    return (uint64_t)p->side * p->side;
}

static void multiply(const product *p, float *z) {
    for (uint32_t row = 0; row < p->side; row++)
        for (uint32_t column = 0; column < p->side; column++) {
            float sum = 0;
            for (uint32_t k = 0; k < p->side; k++)
                sum += p->x[row * p->side + k] * p->y[k * p->side + column];
            z[row * p->side + column] = sum;
        }
}

static void run(void *state, winnow_stream stream) {
    product *p = state;
    if (p->form == ON_HOST) {
        multiply(p, p->z);
        return;
    }
    seeds_map_begin(&p->output, stream);
    seeds_must(seeds_gpu_matrix_product((seeds_map_form)p->form, p->d_x, p->d_y,
                                        p->side, &p->output, stream));
}

/* Each element once, in any order. */
static bool right(void *state) {
    product *p = state;
    const uint64_t n = element_count(p);
    if (p->form != ON_HOST) {
        if (!seeds_map_fetch(p->lab, &p->output, n, sizeof *p->elements,
                             p->elements))
            return false;
        memset(p->z, 0xff, n * sizeof *p->z); /* no number */
        for (uint64_t i = 0; i < n; i++) {
            if (p->elements[i].index >= n)
                return false;
            p->z[p->elements[i].index] = p->elements[i].value;
        }
    }
    bool same = true;
    for (uint64_t i = 0; i < n; i++)
        same = same && p->z[i] == p->expected[i];
    return same;
}

/* Small whole numbers: all sums are exact. */
static void make_input(product *p) {
    bench_lab *const lab = p->lab;
    const uint64_t n = element_count(p);
    const size_t bytes = (size_t)n * sizeof *p->x;
    p->x = lab_host(lab, bytes);
    p->y = lab_host(lab, bytes);
    p->z = lab_host(lab, bytes);
    p->expected = lab_host(lab, bytes);
    p->elements = lab_host(lab, (size_t)n * sizeof *p->elements);
    for (uint64_t i = 0; i < n; i++) {
        p->x[i] = (float)(lab_random(21, i) >> 60) - 7;
        p->y[i] = (float)(lab_random(22, i) >> 60) - 7;
    }
    multiply(p, p->expected);
    p->d_x = lab_send(lab, p->x, bytes);
    p->d_y = lab_send(lab, p->y, bytes);
    p->output =
        seeds_map_open(lab, n, sizeof *p->elements, n, SEEDS_MATRIX_TASKS);
}

void seeds_matrix_product(bench_lab *lab) {
    static const uint64_t usual[] = {8, 16, 32, 64, 128, 256, 512};
    const uint64_t *sides;
    const unsigned count = LAB_SIZES(lab, usual, &sides);
    for (unsigned i = 0; i < count; i++) {
        product p = {.lab = lab, .side = (uint32_t)sides[i]};
        const uint64_t elements = element_count(&p);
        make_input(&p);
        for (unsigned form = 0; form <= ON_HOST; form++) {
            const lab_row row = {.variant = form == ON_HOST
                                                ? "CPU, one thread"
                                                : seeds_map_names[form],
                                 .type = "float32",
                                 .n = p.side,
                                 .results_p = &elements};
            const lab_variant variant = {run, right, &p, form == ON_HOST};
            p.form = form;
            lab_measure(lab, &row, &variant);
        }
        lab_free(lab);
    }
}
