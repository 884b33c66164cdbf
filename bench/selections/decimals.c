/*
 * Conditions and sums of decimals of 128 and of 64 bits, beside the same numbers as
 * float64: prices p and q, discounts d.
 *
 * The bytes that have to be moved: the columns that are read, whole, and the
 * selection.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "selections.h"
#include "table.h"

#include "../util.h"
#include "outcome.h"

#include <stdio.h>
#include <string.h>

enum {
    COLUMNS = 3
};

static const struct layout {
    const char *name;
    winnow_type type;
    const char *format;
    size_t bytes;
} layouts[] = {
    {"decimal128", WINNOW_INT128, "d:15,2", 16},
    {"decimal64", WINNOW_INT64, "d:15,2,64", 8},
    {"float64", WINNOW_FLOAT64, NULL, 8},
};

/* In cents, of column c. */
static int64_t cents_of(unsigned c, uint64_t i) {
    return (int64_t)(lab_random(60 + c, i) % (c == 2 ? 11 : 10500000));
}

/* --------------------------------------------------------------- conditions */

/* Limits have a digit more than what is compared with them: float64 decides as
 * decimals do. */
static bool is_cheap(const selections_table *t, uint64_t i) {
    (void)t;
    return cents_of(0, i) < 500000;
}

static bool is_less(const selections_table *t, uint64_t i) {
    (void)t;
    return cents_of(0, i) < cents_of(1, i);
}

static bool is_dear_in_sum(const selections_table *t, uint64_t i) {
    (void)t;
    return cents_of(0, i) + cents_of(1, i) > 10499999;
}

static bool is_dear_in_product(const selections_table *t, uint64_t i) {
    (void)t;
    return cents_of(0, i) * cents_of(1, i) > INT64_C(25000000000000);
}

static bool is_dear(const selections_table *t, uint64_t i) {
    (void)t;
    return cents_of(0, i) * (100 - cents_of(2, i)) > 524999999;
}

static bool is_dear_with_tax(const selections_table *t, uint64_t i) {
    const int64_t d = cents_of(2, i);
    (void)t;
    return cents_of(0, i) * (100 - d) * (100 + d) > INT64_C(52499999999);
}

static const struct {
    const char *text;
    selections_keep *keep;
    unsigned columns; /* that are read */
} conditions[] = {
    {"p < 5000", is_cheap, 1},
    {"p < q", is_less, 2},
    {"p + q > 104999.995", is_dear_in_sum, 2},
    {"p * q > 2500000000.00005", is_dear_in_product, 2},
    {"p * (1 - d) > 52499.99995", is_dear, 2},
    {"p * (1 - d) * (1 + d) > 52499.9999995", is_dear_with_tax, 2},
};

static void measure_conditions(selections_table *t, const struct layout *layout,
                               const winnow_field *fields) {
    for (unsigned i = 0; i < sizeof conditions / sizeof conditions[0]; i++) {
        winnow_condition *condition;
        char name[96];
        bench_check(winnow_condition_parse(&condition, fields, COLUMNS,
                                           conditions[i].text),
                    "winnow_condition_parse");
        snprintf(name, sizeof name, "%s, %s", layout->name, conditions[i].text);
        selections_table_set(t, name, condition, conditions[i].keep);
        selections_table_select(t, conditions[i].columns * layout->bytes *
                                       t->chosen.n);
    }
}

/* --------------------------------------------------------------------- sums */

typedef struct summing {
    const selections_table *t;
    const struct layout *layout;
    winnow_expression *expression;
    int64_t wanted; /* at the scale of a decimal */
    double scale;   /* 10 to the power of that */
    winnow_reduction *d_result;
    winnow_launch launch;
} summing;

static winnow_status call_sum(const void *state, const winnow_launch *launch) {
    const summing *const s = state;
    const winnow_aggregate sum = {.expression = s->expression,
                                  .wanted = WINNOW_REDUCE_SUM};
    winnow_in columns[COLUMNS];
    for (unsigned c = 0; c < COLUMNS; c++)
        columns[c] = s->t->column[c].tested;
    return winnow_reduce_where(s->t->lab->run->context, NULL, columns, COLUMNS,
                               s->t->chosen.n, &sum, 1, s->d_result, launch);
}

static void run_sum(void *state, winnow_stream stream) {
    const summing *const s = state;
    bench_enqueue(call_sum, "winnow_reduce_where", s, s->launch, stream);
}

/* Of float64, but for how its additions are rounded. */
static bool right_sum(void *state) {
    const summing *const s = state;
    winnow_reduction result;
    lab_fetch(s->t->lab, &result, s->d_result, sizeof result);
    s->t->lab->run->platform.poison(s->d_result, sizeof result);
    if (s->layout->type != WINNOW_FLOAT64)
        return result.sum.int64 == s->wanted && result.overflow == 0;
    const double apart = result.sum.float64 * s->scale / (double)s->wanted - 1;
    return -1e-9 < apart && apart < 1e-9;
}

static void measure_sum(selections_table *t, const struct layout *layout,
                        const winnow_field *fields, const char *text,
                        unsigned columns, int64_t wanted, double scale) {
    summing s = {.t = t,
                 .layout = layout,
                 .wanted = wanted,
                 .scale = scale,
                 .d_result = lab_device(t->lab, sizeof *s.d_result),
                 .launch = {.size = sizeof s.launch}};
    const uint64_t bytes = columns * layout->bytes * t->chosen.n;
    char name[96];
    bench_check(winnow_expression_parse(&s.expression, fields, COLUMNS, text),
                "winnow_expression_parse");
    snprintf(name, sizeof name, "reduce_where, %s, sum(%s)", layout->name,
             text);
    lab_plan(t->lab, call_sum, "a plan of winnow_reduce_where", &s, &s.launch);
    lab_measure(t->lab,
                &(lab_row){name, .type = layout->name, .n = t->chosen.n,
                           .bytes = bytes, .copy_s = lab_copy(t->lab, bytes)},
                &(lab_variant){run_sum, right_sum, &s, false});
    winnow_expression_destroy(s.expression);
}

static void measure_sums(selections_table *t, const struct layout *layout,
                         const winnow_field *fields) {
    int64_t sum = 0, reduced = 0;
#pragma omp parallel for reduction(+ : sum, reduced)
    for (uint64_t i = 0; i < t->chosen.n; i++) {
        sum += cents_of(0, i);
        reduced += cents_of(0, i) * (100 - cents_of(2, i));
    }
    measure_sum(t, layout, fields, "p", 1, sum, 1e2);
    measure_sum(t, layout, fields, "p * (1 - d)", 2, reduced, 1e4);
}

/* -------------------------------------------------------------------- tables */

static void put(void *to, winnow_type type, uint64_t i, int64_t cents) {
    const int64_t halves[2] = {cents, 0};
    if (type == WINNOW_FLOAT64)
        ((double *)to)[i] = (double)cents / 100;
    else if (type == WINNOW_INT64)
        ((int64_t *)to)[i] = cents;
    else
        memcpy((char *)to + i * sizeof halves, halves, sizeof halves);
}

static void measure_table(bench_lab *lab, uint64_t n,
                          const struct layout *layout) {
    static const char *const names[COLUMNS] = {"p", "q", "d"};
    winnow_field fields[COLUMNS];
    selections_table t;
    selections_table_init(&t, lab, n);
    for (unsigned c = 0; c < COLUMNS; c++) {
        void *const to =
            selections_table_add(&t, names[c], layout->type, layout->bytes);
#pragma omp parallel for
        for (uint64_t i = 0; i < n; i++)
            put(to, layout->type, i, cents_of(c, i));
        fields[c] = (winnow_field){
            .name = names[c], .type = layout->type, .format = layout->format};
    }
    selections_table_send(&t);
    measure_conditions(&t, layout, fields);
    measure_sums(&t, layout, fields);
    winnow_condition_destroy(t.condition);
    lab_free(lab);
}

void selections_decimals(bench_lab *lab) {
    const uint64_t usual[] = {lab->run->platform.ordinal == WINNOW_DEVICE_HOST
                                  ? 10000000
                                  : UINT64_C(1) << 26};
    const uint64_t *sizes;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    for (unsigned i = 0; i < count; i++)
        for (unsigned l = 0; l < sizeof layouts / sizeof layouts[0]; l++)
            measure_table(lab, sizes[i], &layouts[l]);
}
