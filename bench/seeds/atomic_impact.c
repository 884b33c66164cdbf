/*
 * Seed 004, figure 4: an atomic, a memory access and both, by the number of
 * blocks. "Ideal", the sum of the first two, is the plot's to add.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"
#include "seeds.h"

static const char *const names[SEEDS_IMPACT_FORMS] = {
    [SEEDS_IMPACT_ATOMIC] = "atomic alone",
    [SEEDS_IMPACT_MEMORY] = "memory access alone",
    [SEEDS_IMPACT_BOTH] = "both",
};

typedef struct impact {
    bench_lab *lab;
    seeds_impact_form form;
    uint64_t n;       /* threads */
    seeds_count *out; /* of the host */
    seeds_count *d_out;
    seeds_count *d_count;
} impact;

static void run(void *state, winnow_stream stream) {
    const impact *p = state;
    seeds_clear(p->d_count, sizeof *p->d_count, stream);
    seeds_must(seeds_gpu_impact(p->form,
                                (unsigned)(p->n / SEEDS_IMPACT_THREADS),
                                p->d_count, p->d_out, stream));
}

/* A thread sees its own atomic, and any of the others'. */
static bool right(void *state) {
    const impact *p = state;
    const size_t bytes = (size_t)p->n * sizeof *p->out;
    const seeds_count total =
        p->form == SEEDS_IMPACT_MEMORY ? 0 : p->n * (p->n - 1) / 2;
    seeds_count count;
    lab_fetch(p->lab, &count, p->d_count, sizeof count);
    lab_fetch(p->lab, p->out, p->d_out, bytes);
    p->lab->run->platform.poison(p->d_out, bytes);
    bool same = count == total;
    for (uint64_t i = 0; i < p->n && p->form != SEEDS_IMPACT_ATOMIC; i++)
        same = same && p->out[i] <= total &&
               p->out[i] >= (p->form == SEEDS_IMPACT_BOTH ? i : 0);
    return same;
}

void seeds_atomic_impact(bench_lab *lab) {
    static const uint64_t usual[] = {8, 16, 32, 64, 128, 256, 512, 1024};
    const uint64_t *blocks;
    const unsigned count = LAB_SIZES(lab, usual, &blocks);
    for (unsigned i = 0; i < count; i++) {
        impact p = {.lab = lab, .n = blocks[i] * SEEDS_IMPACT_THREADS};
        const size_t bytes = (size_t)p.n * sizeof *p.out;
        p.out = lab_host(lab, bytes);
        p.d_out = lab_device(lab, bytes);
        p.d_count = lab_device(lab, sizeof *p.d_count);
        for (unsigned form = 0; form < SEEDS_IMPACT_FORMS; form++) {
            const lab_row row = {.variant = names[form],
                                 .type = "uint64",
                                 .n = p.n,
                                 .x_name = "blocks",
                                 .x = (double)blocks[i]};
            const lab_variant variant = {run, right, &p, false};
            p.form = (seeds_impact_form)form;
            lab_measure(lab, &row, &variant);
        }
        lab_free(lab);
    }
}
