/*
 * Seed 000: particles in cells. Nine components of ten million particles are
 * added to those of their cells.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"
#include "seeds.h"

#include "../util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WARP 32
#define USUAL_PARTICLES 10000000
#define PARTICLES_OF_A_CELL 10
/* Beside the kernels' forms. */
enum {
    LIBRARY = SEEDS_PARTICLES_FORMS,
    ON_HOST,
    FORMS
};

static const char *const names[FORMS] = {
    [SEEDS_PARTICLES_ATOMIC] = "an atomic for each particle",
    [SEEDS_PARTICLES_VOTES] = "aggregated by cell, peers by votes",
    [SEEDS_PARTICLES_MATCH] = "aggregated by cell, peers by match",
    [LIBRARY] = "winnow_accumulate_by_key",
    [ON_HOST] = "CPU, one thread",
};

typedef struct particles {
    bench_lab *lab;
    unsigned form; /* a seeds_particles_form, or the above */
    bool sorted;
    bool twice; /* as wide: double */
    uint64_t n;
    uint64_t cells;
    uint32_t *cell_of; /* of the host; of each particle */
    void *values;      /* float or double, a component after the other */
    void *sums;
    double *expected;
    uint32_t *d_cell_of;
    void *d_values;
    void *d_sums;
    winnow_launch launch; /* of the library */
} particles;

static size_t width(const particles *p) {
    return p->twice ? sizeof(double) : sizeof(float);
}

static size_t sum_bytes(const particles *p) {
    return (size_t)p->cells * SEEDS_COMPONENTS * width(p);
}

/* Small whole numbers: their sums are exact, whatever the order. */
static double value_of(uint64_t i, unsigned component) {
    return (double)(lab_random(component, i) >> 60) - 7;
}

static double load(const particles *p, const void *array, uint64_t i) {
    return p->twice ? ((const double *)array)[i]
                    : (double)((const float *)array)[i];
}

static void store(const particles *p, void *array, uint64_t i, double value) {
    if (p->twice)
        ((double *)array)[i] = value;
    else
        ((float *)array)[i] = (float)value;
}

static void add_on_host(particles *p) {
    memset(p->sums, 0, sum_bytes(p));
    for (uint64_t i = 0; i < p->n; i++)
        for (unsigned c = 0; c < SEEDS_COMPONENTS; c++) {
            const uint64_t to = (uint64_t)p->cell_of[i] * SEEDS_COMPONENTS + c;
            store(p, p->sums, to,
                  load(p, p->sums, to) + load(p, p->values, c * p->n + i));
        }
}

static winnow_type type_of(const particles *p) {
    return p->twice ? WINNOW_FLOAT64 : WINNOW_FLOAT32;
}

/* A column for each component of the particles; a cell's sums side by side. */
static winnow_status call(const void *state, const winnow_launch *launch) {
    const particles *p = state;
    const winnow_in keys = {.type = WINNOW_UINT32, .d_base = p->d_cell_of};
    winnow_in values[SEEDS_COMPONENTS];
    winnow_out out[SEEDS_COMPONENTS];
    for (unsigned c = 0; c < SEEDS_COMPONENTS; c++) {
        values[c] = (winnow_in){.type = type_of(p),
                                .d_base = (const char *)p->d_values +
                                          c * p->n * width(p)};
        out[c] = (winnow_out){.type = type_of(p),
                              .d_base = (char *)p->d_sums + c * width(p),
                              .stride_bytes =
                                  (int64_t)(SEEDS_COMPONENTS * width(p))};
    }
    return winnow_accumulate_by_key(p->lab->run->context, &keys, values,
                                    SEEDS_COMPONENTS, p->n, p->cells, out, NULL,
                                    launch);
}

static void run(void *state, winnow_stream stream) {
    particles *p = state;
    if (p->form == ON_HOST) {
        add_on_host(p);
        return;
    }
    const seeds_particles_form form = (seeds_particles_form)p->form;
    seeds_clear(p->d_sums, sum_bytes(p), stream);
    if (p->form == LIBRARY) {
        bench_enqueue(call, "winnow_accumulate_by_key", p, p->launch, stream);
        return;
    }
    seeds_must(p->twice
                   ? seeds_gpu_particles_double(form, p->d_cell_of, p->d_values,
                                                p->n, p->d_sums, stream)
                   : seeds_gpu_particles_float(form, p->d_cell_of, p->d_values,
                                               p->n, p->d_sums, stream));
}

static bool right(void *state) {
    particles *p = state;
    if (p->form != ON_HOST) {
        lab_fetch(p->lab, p->sums, p->d_sums, sum_bytes(p));
        p->lab->run->platform.poison(p->d_sums, sum_bytes(p));
    }
    bool same = true;
    for (uint64_t i = 0; i < p->cells * SEEDS_COMPONENTS; i++)
        same = same && load(p, p->sums, i) == p->expected[i];
    return same;
}

/* Sorted: particles of a cell are neighbours. */
static uint32_t draw_cell(const particles *p, uint64_t i) {
    return (uint32_t)(p->sorted ? i * p->cells / p->n
                                : lab_random(100, i) % p->cells);
}

static void make_input(particles *p) {
    bench_lab *const lab = p->lab;
    const size_t cell_bytes = (size_t)p->n * sizeof *p->cell_of;
    const size_t bytes = (size_t)p->n * SEEDS_COMPONENTS * width(p);
    const size_t sums = (size_t)p->cells * SEEDS_COMPONENTS;
    p->cell_of = lab_host(lab, cell_bytes);
    p->values = lab_host(lab, bytes);
    p->sums = lab_host(lab, sum_bytes(p));
    p->expected = lab_host(lab, sums * sizeof *p->expected);
    memset(p->expected, 0, sums * sizeof *p->expected);
    for (uint64_t i = 0; i < p->n; i++) {
        p->cell_of[i] = draw_cell(p, i);
        for (unsigned c = 0; c < SEEDS_COMPONENTS; c++) {
            const double value = value_of(i, c);
            store(p, p->values, c * p->n + i, value);
            p->expected[(uint64_t)p->cell_of[i] * SEEDS_COMPONENTS + c] +=
                value;
        }
    }
    p->d_cell_of = lab_send(lab, p->cell_of, cell_bytes);
    p->d_values = lab_send(lab, p->values, bytes);
    p->d_sums = lab_device(lab, sum_bytes(p));
    p->launch = (winnow_launch){.size = sizeof p->launch};
    lab_plan(lab, call, "a plan of winnow_accumulate_by_key", p, &p->launch);
}

/* How many particles of a warp are the first of their cell there. */
static unsigned distinct(const uint32_t *cells, uint64_t count) {
    unsigned different = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t before = 0;
        while (cells[before] != cells[i])
            before++;
        different += before == i;
    }
    return different;
}

/* What the form executes, as it follows from its kernel. */
static double atomics_of(const particles *p, unsigned form) {
    if (form >= SEEDS_PARTICLES_FORMS)
        return 0;
    uint64_t updates = p->n;
    if (form != SEEDS_PARTICLES_ATOMIC) {
        updates = 0;
        for (uint64_t i = 0; i < p->n; i += WARP)
            updates +=
                distinct(p->cell_of + i, p->n - i < WARP ? p->n - i : WARP);
    }
    return (double)updates * SEEDS_COMPONENTS;
}

static void measure(particles *p) {
    make_input(p);
    for (unsigned form = 0; form < FORMS; form++) {
        char name[96];
        snprintf(name, sizeof name, "%s, %s", names[form],
                 p->sorted ? "sorted" : "unsorted");
        const lab_row row = {
            .variant = name,
            .type = p->twice ? "float64" : "float32",
            .n = p->n,
            .x_name = "cells",
            .x = (double)p->cells,
            .bytes = p->n * (SEEDS_COMPONENTS * width(p) + sizeof *p->cell_of),
            .atomics = atomics_of(p, form)};
        const lab_variant variant = {run, right, p, form == ON_HOST};
        p->form = form;
        lab_measure(p->lab, &row, &variant);
    }
    lab_free(p->lab);
}

void seeds_particles(bench_lab *lab) {
    static const uint64_t usual[] = {USUAL_PARTICLES};
    const uint64_t *sizes;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    for (unsigned i = 0; i < count; i++)
        for (unsigned which = 0; which < 4; which++) {
            const uint64_t cells = sizes[i] / PARTICLES_OF_A_CELL;
            particles p = {.lab = lab,
                           .sorted = which & 1,
                           .twice = which & 2,
                           .n = sizes[i],
                           .cells = cells > 0 ? cells : 1};
            measure(&p);
        }
}
