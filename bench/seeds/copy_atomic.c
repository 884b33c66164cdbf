/*
 * Seed 004, figure 1: what an atomic in a copy kernel does to its bandwidth.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"
#include "seeds.h"

#include <string.h>

static const char *const names[SEEDS_COPY_FORMS] = {
    [SEEDS_COPY] = "copy",
    [SEEDS_COPY_NEVER] = "copy, and an atomic that is not executed",
    [SEEDS_COPY_ATOMIC] = "copy, and an atomic for each thread",
};

typedef struct copy {
    bench_lab *lab;
    seeds_copy_form form;
    uint64_t n;
    float *in; /* of the host, */
    float *out;
    float *d_in; /* and of the device */
    float *d_out;
    seeds_count *d_count;
} copy;

static void run(void *state, winnow_stream stream) {
    const copy *c = state;
    seeds_clear(c->d_count, sizeof *c->d_count, stream);
    seeds_must(
        seeds_gpu_copy(c->form, c->d_in, c->n, c->d_out, c->d_count, stream));
}

static bool right(void *state) {
    const copy *c = state;
    const size_t bytes = (size_t)c->n * sizeof *c->out;
    seeds_count count;
    lab_fetch(c->lab, c->out, c->d_out, bytes);
    lab_fetch(c->lab, &count, c->d_count, sizeof count);
    c->lab->run->platform.poison(c->d_out, bytes);
    return count == (c->form == SEEDS_COPY_ATOMIC ? c->n : 0) &&
           memcmp(c->in, c->out, bytes) == 0;
}

static void make_input(copy *c) {
    const size_t bytes = (size_t)c->n * sizeof *c->in;
    c->in = lab_host(c->lab, bytes);
    c->out = lab_host(c->lab, bytes);
    for (uint64_t i = 0; i < c->n; i++)
        c->in[i] = (float)(lab_random(7, i) >> 40);
    c->d_in = lab_send(c->lab, c->in, bytes);
    c->d_out = lab_device(c->lab, bytes);
    c->d_count = lab_device(c->lab, sizeof *c->d_count);
}

void seeds_copy_atomic(bench_lab *lab) {
    static const uint64_t usual[] = {1 << 20, 1 << 22, 1 << 24, 1 << 26,
                                     1 << 28};
    const uint64_t *sizes;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    for (unsigned i = 0; i < count; i++) {
        copy c = {.lab = lab, .n = sizes[i]};
        make_input(&c);
        for (unsigned form = 0; form < SEEDS_COPY_FORMS; form++) {
            const lab_row row = {.variant = names[form],
                                 .type = "float32",
                                 .n = c.n,
                                 .bytes = 2 * c.n * sizeof *c.in};
            const lab_variant variant = {run, right, &c, false};
            c.form = (seeds_copy_form)form;
            lab_measure(lab, &row, &variant);
        }
        lab_free(lab);
    }
}
