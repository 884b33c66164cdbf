/*
 * Seed 003: prefix sums of blocks of 32 in three forms, and of an array that is
 * made of such blocks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"
#include "seeds.h"

#include <stdio.h>

#define BLOCK 32
/* More is no work for one block. */
#define MOST_FOR_ONE_BLOCK (1 << 16)

typedef enum scope {
    BLOCKS,
    ARRAY,
    ONE_BLOCK,
    ON_HOST,
    SCOPES
} scope;

static const char *const scopes[SCOPES] = {
    [BLOCKS] = "blocks of 32",
    [ARRAY] = "array",
    [ONE_BLOCK] = "array, by one block",
    [ON_HOST] = "array",
};
static const char *const forms[SEEDS_PREFIX_FORMS] = {
    [SEEDS_PREFIX_SHARED] = "shared memory",
    [SEEDS_PREFIX_REGISTER] = "shared memory and register",
    [SEEDS_PREFIX_SHUFFLE] = "shuffles",
};

typedef struct sums {
    bench_lab *lab;
    scope scope;
    seeds_prefix_form form;
    uint64_t n;
    uint32_t *in; /* of the host, */
    uint32_t *out;
    uint32_t *d_in; /* and of the device */
    uint32_t *d_out;
    uint32_t *d_scratch;
} sums;

static void sum_on_host(const uint32_t *in, uint64_t n, uint32_t *out) {
    uint32_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        out[i] = sum += in[i];
}

static void run(void *state, winnow_stream stream) {
    sums *s = state;
    switch (s->scope) {
    case BLOCKS:
        seeds_must(
            seeds_gpu_prefix_blocks(s->form, s->d_in, s->n, s->d_out, stream));
        break;
    case ARRAY:
        seeds_must(seeds_gpu_prefix_array(s->form, s->d_in, s->n, s->d_out,
                                          s->d_scratch, stream));
        break;
    case ONE_BLOCK:
        seeds_must(seeds_gpu_prefix_one_block(s->form, s->d_in, s->n, s->d_out,
                                              stream));
        break;
    case ON_HOST:
    case SCOPES:
        sum_on_host(s->in, s->n, s->out);
        break;
    }
}

static bool right(void *state) {
    sums *s = state;
    const size_t bytes = (size_t)s->n * sizeof *s->out;
    if (s->scope != ON_HOST) {
        lab_fetch(s->lab, s->out, s->d_out, bytes);
        s->lab->run->platform.poison(s->d_out, bytes);
    }
    uint32_t sum = 0;
    bool same = true;
    for (uint64_t i = 0; i < s->n; i++) {
        if (s->scope == BLOCKS && i % BLOCK == 0)
            sum = 0;
        sum += s->in[i];
        same = same && s->out[i] == sum;
    }
    return same;
}

static void make_input(sums *s) {
    const size_t bytes = (size_t)s->n * sizeof *s->in;
    s->in = lab_host(s->lab, bytes);
    s->out = lab_host(s->lab, bytes);
    for (uint64_t i = 0; i < s->n; i++)
        s->in[i] = (uint32_t)lab_random(5, i);
    s->d_in = lab_send(s->lab, s->in, bytes);
    s->d_out = lab_device(s->lab, bytes);
    s->d_scratch = lab_device(s->lab, (size_t)seeds_prefix_scratch(s->n) *
                                          sizeof *s->d_scratch);
}

static void measure(sums *s, scope where, unsigned form) {
    char name[96];
    snprintf(name, sizeof name, "%s, %s", scopes[where],
             where == ON_HOST ? "CPU, one thread" : forms[form]);
    const lab_row row = {.variant = name,
                         .type = "uint32",
                         .n = s->n,
                         .bytes = 2 * s->n * sizeof *s->in};
    const lab_variant variant = {run, right, s, where == ON_HOST};
    s->scope = where;
    s->form = (seeds_prefix_form)form;
    lab_measure(s->lab, &row, &variant);
}

void seeds_prefix_sums(bench_lab *lab) {
    static const uint64_t usual[] = {1 << 10, 1 << 14, 1 << 16,
                                     1 << 20, 1 << 24, 1 << 26};
    const uint64_t *sizes;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    for (unsigned i = 0; i < count; i++) {
        sums s = {.lab = lab, .n = sizes[i]};
        make_input(&s);
        for (unsigned where = BLOCKS; where < ON_HOST; where++)
            for (unsigned form = 0; form < SEEDS_PREFIX_FORMS; form++)
                if (where != ONE_BLOCK || s.n <= MOST_FOR_ONE_BLOCK)
                    measure(&s, (scope)where, form);
        measure(&s, ON_HOST, 0);
        lab_free(lab);
    }
}
