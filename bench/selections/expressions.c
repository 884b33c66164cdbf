/*
 * Conditions of arithmetic, in the ways that there are to run the same one: as a
 * built-in test, where it is one; as an expression; in CUDA C. Where NVRTC is
 * installed the last two are kernels that are compiled at run time. Without it an
 * expression is interpreted, and there is no CUDA C.
 *
 * Of each: the selection that it writes; what the call costs the thread that
 * makes it; what the first calls in this process take, without a kernel and with
 * one that is compiled or read from disk; and what it takes to find it from then on.
 *
 * The bytes that have to be moved: the columns, whole, and the selection. Beside
 * them stands winnow_count_if() of an array of as many bytes as the columns have,
 * which only reads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "selections.h"
#include "table.h"

#include "../util.h"
#include "outcome.h"

#include <stdio.h>

/* --------------------------------------------------------------- conditions */

/* A condition, as it is written for each. */
typedef struct ways {
    const char *built_in; /* a text, or NULL */
    const char *expression;
    const char *body; /* in CUDA C */
    selections_keep *keep;
    unsigned tested; /* bytes of a row */
} ways;

static int32_t int32_of(const selections_table *t, unsigned c, uint64_t i) {
    return ((const int32_t *)t->column[c].in)[i];
}

static double float64_of(const selections_table *t, unsigned c, uint64_t i) {
    return ((const double *)t->column[c].in)[i];
}

static bool is_above_10(const selections_table *t, uint64_t i) {
    return int32_of(t, 0, i) > 10;
}

static bool is_of_two(const selections_table *t, uint64_t i) {
    return int32_of(t, 0, i) > 10 && int32_of(t, 1, i) < 5;
}

static bool is_of_q6(const selections_table *t, uint64_t i) {
    const int32_t date = int32_of(t, 0, i), discount = int32_of(t, 1, i);
    return date >= 8766 && date < 9131 && discount >= 5 && discount <= 7 &&
           int32_of(t, 2, i) < 24;
}

static bool is_dear(const selections_table *t, uint64_t i) {
    return float64_of(t, 0, i) * (1 - float64_of(t, 1, i)) > 100 &&
           int32_of(t, 2, i) < 24;
}

/* A column to which 0 is added is an expression. */
static const ways of_integers[] = {
    {"x > 10", "x + 0 > 10", "return x > 10;", is_above_10, 4},
    {"x > 10 and y < 5", "x + 0 > 10 and y + 0 < 5", "return x > 10 && y < 5;",
     is_of_two, 8},
};

static const ways of_q6[] = {
    {"8766 <= ship_date < 9131 and 5 <= discount <= 7 and quantity < 24",
     "8766 <= ship_date + 0 < 9131 and 5 <= discount + 0 <= 7 and "
     "quantity + 0 < 24",
     "return ship_date >= 8766 && ship_date < 9131 && discount >= 5 && "
     "discount <= 7 && quantity < 24;",
     is_of_q6, 12},
};

static const ways of_prices[] = {
    {NULL, "price * (1 - discount) > 100 and quantity < 24",
     "return price * (1 - discount) > 100 && quantity < 24;", is_dear, 20},
};

/* ------------------------------------------------------------------ compiling */

/* Is there a compiler? A condition in CUDA C says so. */
static bool can_compile(const bench_lab *lab) {
    const winnow_field field = {.name = "x", .type = WINNOW_INT32};
    winnow_condition *condition;
    bench_check(
        winnow_condition_cuda(&condition, "return x > 0;", &field, 1, NULL, 0),
        "winnow_condition_cuda");
    const bool can =
        lab->run->platform.ordinal != WINNOW_DEVICE_HOST &&
        winnow_condition_prepare(lab->run->context, condition) == WINNOW_OK;
    winnow_condition_destroy(condition);
    return can;
}

typedef struct preparing {
    winnow_context *context;
    const winnow_condition *condition;
} preparing;

static void prepare(void *state, winnow_stream stream) {
    const preparing *const p = state;
    (void)stream;
    bench_check(winnow_condition_prepare(p->context, p->condition),
                "winnow_condition_prepare");
}

/* The first calls in the process: without a kernel, and one that has it compiled or
 * read from disk. */
static void measure_preparing(selections_table *t, const char *name,
                              winnow_condition *condition) {
    const bench_run *const run = t->lab->run;
    preparing p = {run->context, condition};
    const bench_job job = {prepare, &p, 1};
    char variant[192];
    bench_times times;
    for (unsigned call = 0; call < 3; call++) {
        snprintf(variant, sizeof variant, "host: %s call, %s, %s",
                 call == 1 ? "second" : "first", call < 2 ? "ready" : "before",
                 name);
        selections_table_once(
            t, variant, call < 2 ? WINNOW_COMPILE_READY : WINNOW_COMPILE_BEFORE,
            condition);
    }
    bench_measure_calls(&run->platform, &job, run->options.seconds, &times);
    snprintf(variant, sizeof variant, "host: prepare, %s", name);
    lab_report(t->lab, &(lab_row){variant, .n = t->chosen.n}, &times, true);
}

/* ------------------------------------------------------------------- reading */

typedef struct reading {
    bench_lab *lab;
    const winnow_predicate *is_negative;
    const int32_t *d_array;
    uint64_t n, *d_count;
    winnow_launch launch;
} reading;

static winnow_status call_count(const void *state,
                                const winnow_launch *launch) {
    const reading *const r = state;
    return winnow_count_if(r->lab->run->context, r->is_negative, WINNOW_INT32,
                           r->d_array, r->n, r->d_count, launch);
}

static void run_count(void *state, winnow_stream stream) {
    const reading *const r = state;
    bench_enqueue(call_count, "winnow_count_if", r, r->launch, stream);
}

static bool right_count(void *state) {
    const reading *const r = state;
    return selections_same(r->lab, r->d_count, &r->n, sizeof r->n);
}

/* The elements of poisoned memory are negative, so that all count. */
static void measure_reading(bench_lab *lab, uint64_t bytes) {
    void *const d_array = lab_device(lab, bytes);
    winnow_predicate *is_negative;
    bench_check(winnow_predicate_range(&is_negative, WINNOW_INT32,
                                       &(int32_t){INT32_MIN}, &(int32_t){-1}),
                "winnow_predicate_range");
    reading r = {.lab = lab,
                 .is_negative = is_negative,
                 .d_array = d_array,
                 .n = bytes / sizeof(int32_t),
                 .d_count = lab_device(lab, sizeof(uint64_t)),
                 .launch = {.size = sizeof(winnow_launch)}};
    lab->run->platform.poison(d_array, bytes);
    lab_plan(lab, call_count, "a plan of winnow_count_if", &r, &r.launch);
    lab_measure(lab,
                &(lab_row){"count_if, which only reads", .type = "int32",
                           .n = r.n, .bytes = bytes,
                           .copy_s = lab_copy(lab, bytes)},
                &(lab_variant){run_count, right_count, &r, false});
    winnow_predicate_destroy(is_negative);
}

/* ------------------------------------------------------------------ measuring */

static void measure_one(selections_table *t, const ways *w, const char *way,
                        bool is_compiled, winnow_condition *made) {
    char name[160];
    snprintf(name, sizeof name, "%s, %s", way,
             w->built_in != NULL ? w->built_in : w->expression);
    if (is_compiled)
        measure_preparing(t, name, made);
    selections_table_set(t, name, made, w->keep);
    selections_table_select(t, w->tested * t->chosen.n);
    /* On the host the call is the work. */
    if (t->lab->run->platform.ordinal != WINNOW_DEVICE_HOST)
        selections_table_call(t);
}

static winnow_condition *parsed(const winnow_field *fields, unsigned count,
                                const char *text) {
    winnow_condition *made;
    bench_check(winnow_condition_parse(&made, fields, count, text),
                "winnow_condition_parse");
    return made;
}

static winnow_condition *in_cuda(const winnow_field *fields, unsigned count,
                                 const char *body) {
    winnow_condition *made;
    bench_check(winnow_condition_cuda(&made, body, fields, count, NULL, 0),
                "winnow_condition_cuda");
    return made;
}

static void measure_conditions(selections_table *t, bool compiles,
                               const ways *conditions, unsigned count) {
    const bool on_host = t->lab->run->platform.ordinal == WINNOW_DEVICE_HOST;
    winnow_field fields[SELECTIONS_COLUMNS];
    for (unsigned c = 0; c < t->columns; c++)
        fields[c] = (winnow_field){.name = t->column[c].name,
                                   .type = t->column[c].type};
    selections_table_send(t);
    for (const ways *w = conditions; w < conditions + count; w++) {
        measure_reading(t->lab, w->tested * t->chosen.n);
        if (w->built_in != NULL)
            measure_one(t, w, "built in", false,
                        parsed(fields, t->columns, w->built_in));
        measure_one(t, w,
                    compiles  ? "compiled"
                    : on_host ? "evaluated"
                              : "interpreted",
                    compiles, parsed(fields, t->columns, w->expression));
        if (compiles)
            measure_one(t, w, "CUDA C", true,
                        in_cuda(fields, t->columns, w->body));
    }
    winnow_condition_destroy(t->condition);
    lab_free(t->lab);
}
#define MEASURE(T, COMPILES, CONDITIONS)                                       \
    measure_conditions((T), (COMPILES), (CONDITIONS),                          \
                       sizeof(CONDITIONS) / sizeof(CONDITIONS)[0])

/* --------------------------------------------------------------------- tables */

static void measure_integers(bench_lab *lab, uint64_t n, bool compiles) {
    selections_table t;
    selections_table_init(&t, lab, n);
    int32_t *const x = selections_table_add(&t, "x", WINNOW_INT32, 4);
    int32_t *const y = selections_table_add(&t, "y", WINNOW_INT32, 4);
#pragma omp parallel for
    for (uint64_t i = 0; i < n; i++) {
        x[i] = (int32_t)(lab_random(41, i) % 20);
        y[i] = (int32_t)(lab_random(42, i) % 20);
    }
    MEASURE(&t, compiles, of_integers);
}

/* As query 6 of TPC-H has them, in the range and the numbers that are kept. */
static void measure_q6(bench_lab *lab, uint64_t n, bool compiles) {
    selections_table t;
    selections_table_init(&t, lab, n);
    int32_t *const date =
        selections_table_add(&t, "ship_date", WINNOW_INT32, 4);
    int32_t *const discount =
        selections_table_add(&t, "discount", WINNOW_INT32, 4);
    int32_t *const quantity =
        selections_table_add(&t, "quantity", WINNOW_INT32, 4);
#pragma omp parallel for
    for (uint64_t i = 0; i < n; i++) {
        date[i] = (int32_t)(8036 + lab_random(43, i) % 2526);
        discount[i] = (int32_t)(lab_random(44, i) % 11);
        quantity[i] = (int32_t)(1 + lab_random(45, i) % 50);
    }
    MEASURE(&t, compiles, of_q6);
}

/* In quarters and in 128ths, so that no product is rounded. */
static void measure_prices(bench_lab *lab, uint64_t n, bool compiles) {
    selections_table t;
    selections_table_init(&t, lab, n);
    double *const price = selections_table_add(&t, "price", WINNOW_FLOAT64, 8);
    double *const discount =
        selections_table_add(&t, "discount", WINNOW_FLOAT64, 8);
    int32_t *const quantity =
        selections_table_add(&t, "quantity", WINNOW_INT32, 4);
#pragma omp parallel for
    for (uint64_t i = 0; i < n; i++) {
        price[i] = (double)(lab_random(46, i) % 4000) / 4;
        discount[i] = (double)(lab_random(47, i) % 11) / 128;
        quantity[i] = (int32_t)(1 + lab_random(48, i) % 50);
    }
    MEASURE(&t, compiles, of_prices);
}

void selections_expressions(bench_lab *lab) {
    const uint64_t usual[] = {lab->run->platform.ordinal == WINNOW_DEVICE_HOST
                                  ? 10000000
                                  : UINT64_C(1) << 26};
    const bool compiles = can_compile(lab);
    const uint64_t *sizes;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    for (unsigned i = 0; i < count; i++) {
        measure_integers(lab, sizes[i], compiles);
        measure_q6(lab, sizes[i], compiles);
        measure_prices(lab, sizes[i], compiles);
    }
}
