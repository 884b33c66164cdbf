/*
 * Seed 004, figures 8 and 9: the system's atomic add and a software atomic add,
 * by the number of blocks, without and with a memory access; and what the model
 * of its section V predicts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"
#include "model.h"
#include "seeds.h"

#include <stdio.h>
#include <stdlib.h>

#define WARP 32

static const char *const names[SEEDS_ADD_FORMS] = {
    [SEEDS_ADD_SYSTEM] = "system",
    [SEEDS_ADD_AGGREGATED] = "system, one for each warp",
    [SEEDS_ADD_SOFTWARE] = "software",
};

typedef struct sum {
    seeds_count old;
    seeds_count amount;
} sum;

typedef struct add {
    bench_lab *lab;
    seeds_add_form form;
    unsigned blocks;
    unsigned threads;
    sum *sums; /* of the host */
    seeds_count *out;
    seeds_count *d_count;
    seeds_count *d_out; /* NULL: values before are not written */
    void *d_software;
} add;

static void run(void *state, winnow_stream stream) {
    const add *a = state;
    seeds_clear(a->d_count, sizeof *a->d_count, stream);
    seeds_must(seeds_gpu_add(a->form, a->blocks, a->threads, a->d_count,
                             a->d_out, a->d_software, stream));
}

static int by_old(const void *x, const void *y) {
    const sum *a = x, *b = y;
    if (a->old != b->old)
        return a->old < b->old ? -1 : 1;
    return (a->amount > b->amount) - (a->amount < b->amount);
}

/* The values before are those of threads that come one after the other. */
static bool olds_are_right(const add *a) {
    const uint64_t n = (uint64_t)a->blocks * a->threads;
    const size_t bytes = (size_t)n * sizeof *a->out;
    lab_fetch(a->lab, a->out, a->d_out, bytes);
    a->lab->run->platform.poison(a->d_out, bytes);
    for (uint64_t i = 0; i < n; i++)
        a->sums[i] = (sum){a->out[i], i};
    qsort(a->sums, n, sizeof *a->sums, by_old);
    seeds_count value = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (a->sums[i].old != value)
            return false;
        value += a->sums[i].amount;
    }
    return true;
}

static bool right(void *state) {
    const add *a = state;
    const uint64_t n = (uint64_t)a->blocks * a->threads;
    seeds_count count;
    lab_fetch(a->lab, &count, a->d_count, sizeof count);
    return count == n * (n - 1) / 2 && (a->d_out == NULL || olds_are_right(a));
}

/* A block of one warp, as the model assumes; else it says nothing. */
static double predict(const seeds_model *model, const add *a) {
    if (a->threads != WARP || a->form == SEEDS_ADD_AGGREGATED)
        return 0;
    return (a->form == SEEDS_ADD_SYSTEM
                ? seeds_model_system
                : seeds_model_software)(model, a->blocks, a->threads);
}

static void measure(bench_lab *lab, const seeds_model *model, unsigned blocks,
                    unsigned threads, bool writes) {
    const uint64_t n = (uint64_t)blocks * threads;
    const size_t bytes = seeds_software_bytes(blocks, threads);
    add a = {.lab = lab, .blocks = blocks, .threads = threads};
    a.d_count = lab_device(lab, sizeof *a.d_count);
    a.d_software = lab_device(lab, bytes);
    seeds_clear(a.d_software, bytes, lab->run->platform.stream);
    if (writes) {
        a.sums = lab_host(lab, n * sizeof *a.sums);
        a.out = lab_host(lab, n * sizeof *a.out);
        a.d_out = lab_device(lab, n * sizeof *a.d_out);
    }
    for (unsigned form = 0; form < SEEDS_ADD_FORMS; form++) {
        char name[64];
        a.form = (seeds_add_form)form;
        snprintf(name, sizeof name, "%s, blocks of %u", names[form], threads);
        const lab_row row = {.variant = name,
                             .type = "uint64",
                             .n = n,
                             .x_name = "blocks",
                             .x = blocks,
                             .predicted_s = predict(model, &a)};
        const lab_variant variant = {run, right, &a, false};
        lab_measure(lab, &row, &variant);
    }
    lab_free(lab);
}

static void each_size(bench_lab *lab, bool writes) {
    static const uint64_t usual[] = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
    const uint64_t *blocks;
    const unsigned count = LAB_SIZES(lab, usual, &blocks);
    const seeds_model model = seeds_model_of(lab);
    for (unsigned threads = WARP; threads <= 256; threads += 256 - WARP)
        for (unsigned i = 0; i < count; i++)
            measure(lab, &model, (unsigned)blocks[i], threads, writes);
}

void seeds_atomic_add(bench_lab *lab) {
    each_size(lab, false);
}

void seeds_atomic_add_write(bench_lab *lab) {
    each_size(lab, true);
}
