/*
 * Filters of a table of three columns, with 1 to 4 tests: a selection alone,
 * and all columns packed. Three tests, of which one keeps nearly nothing, one
 * half and one nearly all, in six orders. Sets of values, half of them hits.
 *
 * The bytes that have to be moved: the columns that are tested, whole; in any
 * order of tests, the column of the one that keeps the fewest rows, and the
 * sectors of the others that have a row which it keeps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "selections.h"
#include "table.h"

#include "../util.h"

#include <stdio.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ filters */

enum {
    X, /* float32, of [0, 1) */
    F, /* uint8, 0 to 7 */
    K  /* int32, 0 to 999 */
};

static float x_of(const selections_table *t, uint64_t i) {
    return ((const float *)t->column[X].in)[i];
}

static unsigned f_of(const selections_table *t, uint64_t i) {
    return ((const uint8_t *)t->column[F].in)[i];
}

static int32_t k_of(const selections_table *t, uint64_t i) {
    return ((const int32_t *)t->column[K].in)[i];
}

static bool is_half(const selections_table *t, uint64_t i) {
    return x_of(t, i) < 0.5f;
}

static bool is_hundredth(const selections_table *t, uint64_t i) {
    return x_of(t, i) < 0.01f;
}

static bool is_half_and_3(const selections_table *t, uint64_t i) {
    return is_half(t, i) && f_of(t, i) == 3;
}

static bool is_of_three(const selections_table *t, uint64_t i) {
    return (x_of(t, i) < 0.2f || k_of(t, i) >= 900) && (f_of(t, i) & 3) != 1;
}

static bool is_of_four(const selections_table *t, uint64_t i) {
    return is_half(t, i) && f_of(t, i) < 6 && k_of(t, i) < 500 &&
           k_of(t, i) % 2 == 0;
}

static bool is_of_eight(const selections_table *t, uint64_t i) {
    switch (k_of(t, i)) {
    case 3:
    case 99:
    case 171:
    case 302:
    case 444:
    case 555:
    case 700:
    case 911:
        return true;
    default:
        return false;
    }
}

typedef struct filter {
    const char *text;
    selections_keep *keep;
    unsigned tested; /* bytes of a row */
} filter;

static const filter filters[] = {
    {"x < 0.5", is_half, 4},
    {"x < 0.01", is_hundredth, 4},
    {"x < 0.5 && f == 3", is_half_and_3, 5},
    {"(x < 0.2 || k >= 900) && (f & 3) != 1", is_of_three, 9},
    {"x < 0.5 && f < 6 && k < 500 && (k & 1) == 0", is_of_four, 9},
    {"k in (3, 99, 171, 302, 444, 555, 700, 911)", is_of_eight, 4},
};

static void measure_filters(bench_lab *lab, uint64_t n) {
    selections_table t;
    selections_table_init(&t, lab, n);
    float *const x = selections_table_add(&t, "x", WINNOW_FLOAT32, 4);
    uint8_t *const f = selections_table_add(&t, "f", WINNOW_UINT8, 1);
    int32_t *const k = selections_table_add(&t, "k", WINNOW_INT32, 4);
#pragma omp parallel for
    for (uint64_t i = 0; i < n; i++) {
        x[i] = (float)(lab_random(31, i) >> 40) * 0x1p-24f;
        f[i] = (uint8_t)(lab_random(32, i) >> 61);
        k[i] = (int32_t)(lab_random(33, i) % 1000);
    }
    selections_table_send(&t);
    for (unsigned i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        selections_table_parse(&t, filters[i].text, filters[i].keep);
        selections_table_select(&t, filters[i].tested * n);
        selections_table_copy(&t, filters[i].tested * n);
    }
    winnow_condition_destroy(t.condition);
    lab_free(lab);
}

/* ------------------------------------------------------------------- orders */

static bool is_of_orders(const selections_table *t, uint64_t i) {
    return ((const uint8_t *)t->column[0].in)[i] < 128 &&
           ((const int32_t *)t->column[1].in)[i] < 10 &&
           ((const int64_t *)t->column[2].in)[i] < 9900;
}

/* a: 50% of 1 byte, b: 0.1% of 4, c: 99% of 8. */
static const char *const orders[] = {
    "a < 128 && b < 10 && c < 9900", "a < 128 && c < 9900 && b < 10",
    "b < 10 && a < 128 && c < 9900", "b < 10 && c < 9900 && a < 128",
    "c < 9900 && a < 128 && b < 10", "c < 9900 && b < 10 && a < 128"};

static void measure_orders(bench_lab *lab, uint64_t n) {
    selections_table t;
    selections_table_init(&t, lab, n);
    uint8_t *const a = selections_table_add(&t, "a", WINNOW_UINT8, 1);
    int32_t *const b = selections_table_add(&t, "b", WINNOW_INT32, 4);
    int64_t *const c = selections_table_add(&t, "c", WINNOW_INT64, 8);
#pragma omp parallel for
    for (uint64_t i = 0; i < n; i++) {
        a[i] = (uint8_t)(lab_random(34, i) >> 56);
        b[i] = (int32_t)(lab_random(35, i) % 10000);
        c[i] = (int64_t)(lab_random(36, i) % 10000);
    }
    selections_table_send(&t);
    for (unsigned i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        selections_table_parse(&t, orders[i], is_of_orders);
        /* Few rows of b are kept: each is in a sector of its own. */
        selections_table_select(&t, 4 * n + 2 * 32 * (n / 1000));
    }
    winnow_condition_destroy(t.condition);
    lab_free(lab);
}

/* --------------------------------------------------------------------- sets */

/* All values are even, and so is every second item: one of them. */
static bool is_even(const selections_table *t, uint64_t i) {
    return ((const int32_t *)t->column[0].in)[i] % 2 == 0;
}

static int32_t value_of(uint64_t i) {
    return (int32_t)(uint32_t)(lab_random(37, i) << 1);
}

static void fill_with(selections_table *t, uint64_t values) {
    int32_t *const v = t->column[0].in;
#pragma omp parallel for
    for (uint64_t i = 0; i < t->chosen.n; i++) {
        const uint64_t drawn = lab_random(38, i);
        v[i] = drawn >> 63 ? value_of(drawn % values)
                           : (int32_t)(uint32_t)(drawn << 1 | 1);
    }
}

static void measure_set(selections_table *t, uint64_t values) {
    const bench_run *const run = t->lab->run;
    int32_t *const list = bench_alloc(values * sizeof *list);
    winnow_condition *condition;
    char name[32];
    snprintf(name, sizeof name, "%llu values", (unsigned long long)values);
    for (uint64_t i = 0; i < values; i++)
        list[i] = value_of(i);
    fill_with(t, values);
    run->platform.store(t->column[0].d_in, t->column[0].in,
                        t->chosen.n * sizeof *list);
    bench_check(
        winnow_condition_in(&condition, NULL, 0, WINNOW_INT32, list, values),
        "winnow_condition_in");
    free(list);
    selections_table_set(t, name, condition, is_even);
    selections_table_select(t, t->chosen.n * sizeof *list);
}

static void measure_sets(bench_lab *lab, uint64_t n) {
    static const uint64_t values[] = {8, 64, 1024, 1000000};
    selections_table t;
    selections_table_init(&t, lab, n);
    selections_table_add(&t, "v", WINNOW_INT32, 4);
    fill_with(&t, 1);
    selections_table_send(&t);
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++)
        measure_set(&t, values[i]);
    winnow_condition_destroy(t.condition);
    lab_free(lab);
}

void selections_where(bench_lab *lab) {
    const uint64_t usual[] = {lab->run->platform.ordinal == WINNOW_DEVICE_HOST
                                  ? 10000000
                                  : UINT64_C(1) << 27};
    const uint64_t *sizes;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    for (unsigned i = 0; i < count; i++) {
        measure_filters(lab, sizes[i]);
        measure_orders(lab, sizes[i]);
        measure_sets(lab, sizes[i]);
    }
}
