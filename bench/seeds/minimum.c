/*
 * Seed 002: the least element, by the size of the array.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"
#include "seeds.h"

#include "../util.h"

#include <cuda_runtime_api.h>

#include <stdint.h>

typedef enum form {
    ATOMIC,
    TREE_ATOMIC,
    PASSES,
    PARTS_ATOMIC,
    PARTS_PASSES,
    LIBRARY,
    ON_HOST,
    FORMS
} form;

static const char *const names[FORMS] = {
    [ATOMIC] = "an atomic for each element",
    [TREE_ATOMIC] = "a tree in each block, one atomic",
    [PASSES] = "a tree in each block, more passes",
    [PARTS_ATOMIC] = "a part for each block, one atomic",
    [PARTS_PASSES] = "a part for each block, a second kernel",
    [LIBRARY] = "winnow_reduce_if",
    [ON_HOST] = "CPU, one thread",
};

/* The least element is put into this many places, one after the other. */
#define PLACES 16
#define LEAST 17

typedef struct minimum {
    bench_lab *lab;
    form form;
    uint64_t n;
    uint64_t least; /* where it is */
    int32_t *in;    /* of the host */
    int32_t *d_in;
    int32_t *d_scratch;
    int32_t *d_minimum;
    winnow_reduction *d_reduction; /* of the library */
    winnow_launch launch;
    bool right_everywhere;
    int32_t found; /* by the host */
} minimum;

static int32_t minimum_of(const int32_t *in, uint64_t n) {
    int32_t least = in[0];
    for (uint64_t i = 1; i < n; i++)
        least = in[i] < least ? in[i] : least;
    return least;
}

static winnow_status call(const void *state, const winnow_launch *launch) {
    const minimum *m = state;
    return winnow_reduce_if(m->lab->run->context, NULL, WINNOW_INT32, m->d_in,
                            m->n, WINNOW_REDUCE_MINIMUM, m->d_reduction,
                            launch);
}

static void open_library(minimum *m) {
    m->d_reduction = lab_device(m->lab, sizeof *m->d_reduction);
    m->launch = (winnow_launch){.size = sizeof m->launch};
    lab_plan(m->lab, call, "a plan of winnow_reduce_if", m, &m->launch);
}

static void run(void *state, winnow_stream stream) {
    minimum *m = state;
    if (m->form == ON_HOST) {
        m->found = minimum_of(m->in, m->n);
        return;
    }
    if (m->form == LIBRARY) {
        bench_enqueue(call, "winnow_reduce_if", m, m->launch, stream);
        return;
    }
    if (m->form == PASSES || m->form == PARTS_PASSES) {
        seeds_must((m->form == PASSES ? seeds_gpu_minimum_passes
                                      : seeds_gpu_minimum_parts)(
            m->d_in, m->n, m->d_minimum, m->d_scratch, stream));
        return;
    }
    seeds_must(cudaMemcpyAsync(m->d_minimum, m->d_in, sizeof *m->d_minimum,
                               cudaMemcpyDeviceToDevice, stream));
    seeds_must((m->form == ATOMIC        ? seeds_gpu_minimum_atomic
                : m->form == TREE_ATOMIC ? seeds_gpu_minimum_tree_atomic
                                         : seeds_gpu_minimum_parts_atomic)(
        m->d_in, m->n, m->d_minimum, stream));
}

static bool library_is_right(const minimum *m) {
    winnow_reduction reduction;
    lab_fetch(m->lab, &reduction, m->d_reduction, sizeof reduction);
    m->lab->run->platform.poison(m->d_reduction, sizeof reduction);
    return reduction.minimum.int64 == LEAST;
}

static bool right(void *state) {
    minimum *m = state;
    int32_t found = m->found;
    if (m->form == LIBRARY)
        return m->right_everywhere && library_is_right(m);
    if (m->form != ON_HOST) {
        lab_fetch(m->lab, &found, m->d_minimum, sizeof found);
        m->lab->run->platform.poison(m->d_minimum, sizeof *m->d_minimum);
    }
    return m->right_everywhere && found == LEAST;
}

/* Swap an element with the one that is the least. */
static void move_least(minimum *m, uint64_t from, uint64_t to) {
    const int32_t other = m->in[to];
    m->in[to] = m->in[from];
    m->in[from] = other;
    m->lab->run->platform.store(m->d_in + to, m->in + to, sizeof *m->in);
    m->lab->run->platform.store(m->d_in + from, m->in + from, sizeof *m->in);
}

/* A thread whose elements get lost would not be missed, were the least one
 * always another's. */
static bool find_everywhere(minimum *m) {
    bool found = true;
    m->right_everywhere = true;
    for (uint64_t i = 0; i < PLACES; i++) {
        const uint64_t place = lab_random(4, i) % m->n;
        move_least(m, m->least, place);
        m->least = place;
        run(m, m->lab->run->platform.stream);
        m->lab->run->platform.synchronize();
        found = right(m) && found;
    }
    return found;
}

/* Of 31 bits, and not below 0: no element is the least by being a mistake. */
static void make_input(minimum *m) {
    const size_t bytes = (size_t)m->n * sizeof *m->in;
    m->in = lab_host(m->lab, bytes);
    for (uint64_t i = 0; i < m->n; i++)
        m->in[i] = 1000 + (int32_t)(lab_random(3, i) >> 34);
    m->least = m->n - 1 - m->n / 3;
    m->in[m->least] = LEAST;
    m->d_in = lab_send(m->lab, m->in, bytes);
    m->d_scratch = lab_device(m->lab, (size_t)seeds_minimum_scratch(m->n) *
                                          sizeof *m->d_scratch);
    m->d_minimum = lab_device(m->lab, sizeof *m->d_minimum);
    open_library(m);
}

void seeds_minimum(bench_lab *lab) {
    static const uint64_t usual[] = {1 << 10, 1 << 12, 1 << 14, 1 << 16,
                                     1 << 18, 1 << 20, 1 << 22, 1 << 24,
                                     1 << 26, 1 << 28};
    const uint64_t *sizes;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    for (unsigned s = 0; s < count; s++) {
        minimum m = {.lab = lab, .n = sizes[s]};
        make_input(&m);
        for (unsigned f = 0; f < FORMS; f++) {
            const lab_row row = {.variant = names[f],
                                 .type = "int32",
                                 .n = m.n,
                                 .bytes = m.n * sizeof *m.in};
            const lab_variant variant = {run, right, &m, f == ON_HOST};
            m.form = (form)f;
            m.right_everywhere = find_everywhere(&m);
            lab_measure(lab, &row, &variant);
        }
        lab_free(lab);
    }
}
