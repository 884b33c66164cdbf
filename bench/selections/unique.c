/*
 * One element of each run of equal ones, and the value that stands beside it,
 * over the share of elements that are the first of a run.
 *
 * All keys have to be read, and of the values those that are kept; kept ones
 * are written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "selections.h"

#include "../util.h"
#include "outcome.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Elements that a thread makes at a time. The first one begins a run. */
#define PART (UINT64_C(1) << 20)

typedef struct form {
    const char *winnow, *cub;
    unsigned key_bytes;
    unsigned value_bytes; /* 0: there are none */
} form;

static const form forms[] = {
    {"winnow_unique", "Unique", 4, 0},
    {"winnow_unique, int32 values", "UniqueByKey, int32 values", 4, 4},
    {"winnow_unique, int64 values", "UniqueByKey, int64 values", 4, 8},
    {"winnow_unique", "Unique", 8, 0},
};
#define FORMS (sizeof forms / sizeof forms[0])

/* The value of an item is its index: kept are the indices of heads. */
typedef struct unique {
    bench_lab *lab;
    const selections_cub *cub; /* or NULL */
    const form *form;
    uint64_t n, runs;
    void *keys, *kept_keys;
    int32_t *heads_32;
    int64_t *heads_64;
    void *d_keys, *d_keys_out, *d_values_out;
    int32_t *d_values_32;
    int64_t *d_values_64;
    uint64_t *d_count;
    winnow_launch launch;
    void *d_temp; /* CUB's */
    size_t temp_bytes;
} unique;

static const void *values(const unique *u) {
    return u->form->value_bytes == 4 ? (const void *)u->d_values_32
                                     : u->d_values_64;
}

static winnow_status call(const void *state, const winnow_launch *launch) {
    const unique *u = state;
    const winnow_in keys = {.element_bytes = u->form->key_bytes,
                            .d_base = u->d_keys};
    const winnow_move moves[] = {{.d_in = u->d_keys,
                                  .d_out = u->d_keys_out,
                                  .element_bytes = u->form->key_bytes},
                                 {.d_in = values(u),
                                  .d_out = u->d_values_out,
                                  .element_bytes = u->form->value_bytes}};
    return winnow_unique(u->lab->run->context, &keys, u->n, NULL, moves,
                         u->form->value_bytes != 0 ? 2 : 1, WINNOW_NO_LIMIT,
                         u->d_count, launch);
}

static void run_winnow(void *state, winnow_stream stream) {
    const unique *u = state;
    bench_enqueue(call, "winnow_unique", u, u->launch, stream);
}

static void call_cub(const unique *u, void *d_temp, size_t *temp_bytes_p,
                     winnow_stream stream) {
    selections_must(u->cub->unique(u->form->key_bytes, u->form->value_bytes,
                                   d_temp, temp_bytes_p, u->d_keys, values(u),
                                   u->n, u->d_keys_out, u->d_values_out,
                                   u->d_count, stream),
                    u->form->cub);
}

static void run_cub(void *state, winnow_stream stream) {
    unique *u = state;
    call_cub(u, u->d_temp, &u->temp_bytes, stream);
}

static bool right(void *state) {
    const unique *u = state;
    const unsigned value_bytes = u->form->value_bytes;
    const void *kept_values =
        value_bytes == 4 ? (const void *)u->heads_32 : u->heads_64;
    const bool count_right =
        selections_same(u->lab, u->d_count, &u->runs, sizeof u->runs);
    const bool keys_right = selections_same(u->lab, u->d_keys_out, u->kept_keys,
                                            u->runs * u->form->key_bytes);
    return selections_same(u->lab, u->d_values_out, kept_values,
                           u->runs * value_bytes) &&
           keys_right && count_right;
}

/* ------------------------------------------------------------------- inputs */

static void make_keys(const unique *u, unsigned key_bytes, double share) {
    const uint64_t bound = (uint64_t)llround(ldexp(share, 32));
    const uint64_t parts = (u->n + PART - 1) / PART;
#pragma omp parallel for
    for (uint64_t part = 0; part < parts; part++) {
        const uint64_t first = part * PART;
        const uint64_t end = u->n - first < PART ? u->n : first + PART;
        uint64_t key = 0;
        for (uint64_t i = first; i < end; i++) {
            if (i == first || lab_random(21, i) >> 32 < bound)
                key = lab_random(22, i);
            bench_store(u->keys, key_bytes, i, key);
        }
    }
    u->lab->run->platform.store(u->d_keys, u->keys, u->n * key_bytes);
}

/* The first of each run, by the host's reckoning. */
static void expect(unique *u, unsigned key_bytes) {
    uint64_t before = 0;
    u->runs = 0;
    for (uint64_t i = 0; i < u->n; i++) {
        const uint64_t key = bench_load(u->keys, key_bytes, i);
        if (i == 0 || key != before) {
            bench_store(u->kept_keys, key_bytes, u->runs, key);
            u->heads_32[u->runs] = (int32_t)i;
            u->heads_64[u->runs] = (int64_t)i;
            u->runs++;
        }
        before = key;
    }
}

static void make_values(unique *u) {
    for (uint64_t i = 0; i < u->n; i++) {
        u->heads_32[i] = (int32_t)i;
        u->heads_64[i] = (int64_t)i;
    }
    u->d_values_32 = lab_send(u->lab, u->heads_32, u->n * sizeof(int32_t));
    u->d_values_64 = lab_send(u->lab, u->heads_64, u->n * sizeof(int64_t));
    u->d_values_out = lab_device(u->lab, u->n * sizeof(int64_t));
}

static void make_temp(unique *u, unsigned key_bytes) {
    for (unsigned f = 0; f < FORMS; f++) {
        size_t bytes = 0;
        u->form = &forms[f];
        if (forms[f].key_bytes == key_bytes)
            call_cub(u, NULL, &bytes, u->lab->run->platform.stream);
        if (bytes > u->temp_bytes)
            u->temp_bytes = bytes;
    }
    u->d_temp = lab_device(u->lab, u->temp_bytes);
}

/* The most that a form asks for. */
static void make_workspace(unique *u, unsigned key_bytes) {
    for (unsigned f = 0; f < FORMS; f++) {
        winnow_plan plan;
        u->form = &forms[f];
        if (forms[f].key_bytes != key_bytes)
            continue;
        bench_check(bench_plan(call, u, u->launch, &plan),
                    "a plan of winnow_unique");
        if (plan.workspace_bytes > u->launch.workspace_bytes)
            u->launch.workspace_bytes = plan.workspace_bytes;
    }
    u->launch.d_workspace = lab_device(u->lab, u->launch.workspace_bytes);
}

static void open_buffers(unique *u, unsigned key_bytes) {
    bench_lab *const lab = u->lab;
    u->keys = lab_host(lab, u->n * key_bytes);
    u->kept_keys = lab_host(lab, u->n * key_bytes);
    u->heads_32 = lab_host(lab, u->n * sizeof *u->heads_32);
    u->heads_64 = lab_host(lab, u->n * sizeof *u->heads_64);
    u->d_keys = lab_device(lab, u->n * key_bytes);
    u->d_keys_out = lab_device(lab, u->n * key_bytes);
    u->d_count = lab_device(lab, sizeof *u->d_count);
    if (key_bytes == 4)
        make_values(u);
    make_workspace(u, key_bytes);
    if (u->cub != NULL)
        make_temp(u, key_bytes);
}

/* ---------------------------------------------------------------- measuring */

static void measure_form(unique *u, double share) {
    const struct form *const f = u->form;
    char cub[96];
    lab_row row = {.variant = f->winnow,
                   .type = f->key_bytes == 4 ? "int32" : "int64",
                   .n = u->n,
                   .x_name = "heads",
                   .x = share,
                   .results_p = &u->runs};
    row.bytes =
        u->n * f->key_bytes + u->runs * (f->key_bytes + 2 * f->value_bytes);
    row.copy_s = lab_copy(u->lab, row.bytes);
    lab_measure(u->lab, &row, &(lab_variant){run_winnow, right, u, false});
    if (u->cub == NULL)
        return;
    snprintf(cub, sizeof cub, "%s %s", u->cub->name(), f->cub);
    row.variant = cub;
    lab_measure(u->lab, &row, &(lab_variant){run_cub, right, u, false});
}

static void measure(bench_lab *lab, unsigned key_bytes, uint64_t n) {
    static const double usual_shares[] = {0.001, 0.01, 0.1, 0.5, 1};
    const double *shares;
    const unsigned share_count = LAB_SHARES(lab, usual_shares, &shares);
    unique u = {.lab = lab,
                .cub = selections_cub_of(lab),
                .n = n,
                .launch = {.size = sizeof u.launch}};
    open_buffers(&u, key_bytes);
    for (unsigned s = 0; s < share_count; s++) {
        make_keys(&u, key_bytes, shares[s]);
        expect(&u, key_bytes);
        for (unsigned f = 0; f < FORMS; f++)
            if ((u.form = &forms[f])->key_bytes == key_bytes)
                measure_form(&u, shares[s]);
    }
    lab_free(lab);
}

void selections_unique(bench_lab *lab) {
    static const uint64_t usual[] = {UINT64_C(1) << 28};
    const bool given = lab->run->options.size_count > 0;
    const uint64_t *sizes;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    for (unsigned i = 0; i < count; i++) {
        measure(lab, 4, sizes[i]);
        measure(lab, 8, given ? sizes[i] : sizes[i] / 2);
    }
}
