/*
 * Seed 004, figure 12: a scalar product, by the number of blocks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"
#include "seeds.h"

#define ON_HOST SEEDS_PRODUCT_FORMS

static const char *const names[SEEDS_PRODUCT_FORMS + 1] = {
    [SEEDS_PRODUCT_THREAD] = "an atomic for each thread",
    [SEEDS_PRODUCT_WARP] = "an atomic for each warp",
    [SEEDS_PRODUCT_TILE] = "an atomic for each block",
    [SEEDS_PRODUCT_SOFTWARE] = "software atomics",
    [ON_HOST] = "CPU, one thread",
};

typedef struct product {
    bench_lab *lab;
    unsigned form; /* a seeds_product_form, or ON_HOST */
    unsigned blocks;
    uint64_t n;
    uint32_t *x; /* of the host, */
    uint32_t *y;
    uint32_t *d_x; /* and of the device */
    uint32_t *d_y;
    seeds_count *d_sum;
    void *d_software;
    seeds_count expected;
    seeds_count found; /* by the host */
} product;

static seeds_count product_of(const product *p) {
    seeds_count sum = 0;
    for (uint64_t i = 0; i < p->n; i++)
        sum += (seeds_count)p->x[i] * p->y[i];
    return sum;
}

static void run(void *state, winnow_stream stream) {
    product *p = state;
    if (p->form == ON_HOST) {
        p->found = product_of(p);
        return;
    }
    seeds_clear(p->d_sum, sizeof *p->d_sum, stream);
    seeds_must(seeds_gpu_scalar_product((seeds_product_form)p->form, p->blocks,
                                        p->d_x, p->d_y, p->d_sum, p->d_software,
                                        stream));
}

static bool right(void *state) {
    product *p = state;
    seeds_count found = p->found;
    if (p->form != ON_HOST)
        lab_fetch(p->lab, &found, p->d_sum, sizeof found);
    return found == p->expected;
}

static void make_input(product *p) {
    const size_t bytes = (size_t)p->n * sizeof *p->x;
    const size_t shared =
        seeds_software_bytes(p->blocks, SEEDS_PRODUCT_THREADS);
    p->x = lab_host(p->lab, bytes);
    p->y = lab_host(p->lab, bytes);
    for (uint64_t i = 0; i < p->n; i++) {
        p->x[i] = (uint32_t)lab_random(9, i);
        p->y[i] = (uint32_t)lab_random(10, i);
    }
    p->expected = product_of(p);
    p->d_x = lab_send(p->lab, p->x, bytes);
    p->d_y = lab_send(p->lab, p->y, bytes);
    p->d_sum = lab_device(p->lab, sizeof *p->d_sum);
    p->d_software = lab_device(p->lab, shared);
    seeds_clear(p->d_software, shared, p->lab->run->platform.stream);
}

void seeds_scalar_product(bench_lab *lab) {
    static const uint64_t usual[] = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
    const uint64_t *blocks;
    const unsigned count = LAB_SIZES(lab, usual, &blocks);
    for (unsigned i = 0; i < count; i++) {
        product p = {.lab = lab,
                     .blocks = (unsigned)blocks[i],
                     .n = blocks[i] * SEEDS_PRODUCT_THREADS};
        make_input(&p);
        for (unsigned form = 0; form <= ON_HOST; form++) {
            const lab_row row = {.variant = names[form],
                                 .type = "uint32",
                                 .n = p.n,
                                 .x_name = "blocks",
                                 .x = (double)blocks[i],
                                 .bytes = 2 * p.n * sizeof *p.x};
            const lab_variant variant = {run, right, &p, form == ON_HOST};
            p.form = form;
            lab_measure(lab, &row, &variant);
        }
        lab_free(lab);
    }
}
