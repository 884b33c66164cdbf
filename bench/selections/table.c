/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "table.h"

#include "outcome.h"

#include "../util.h"

#include <stdio.h>
#include <string.h>

void selections_table_init(selections_table *t, bench_lab *lab, uint64_t n) {
    *t = (selections_table){.lab = lab,
                            .selecting = {.size = sizeof t->selecting},
                            .launch = {.size = sizeof t->launch}};
    selections_chosen_init(&t->chosen, lab, n);
    t->mask = lab_host(lab, 8 * t->chosen.words);
    memset(t->mask, 0, 8 * t->chosen.words); /* behind row n, too */
    t->d_mask = lab_send(lab, t->mask, 8 * t->chosen.words);
    bench_check(winnow_selection_bytes(n, &t->selection_bytes),
                "winnow_selection_bytes");
    t->d_selection = lab_device(lab, t->selection_bytes);
    t->d_count = lab_device(lab, sizeof *t->d_count);
}

void *selections_table_add(selections_table *t, const char *name,
                           winnow_type type, size_t bytes) {
    void *const in = lab_host(t->lab, t->chosen.n * bytes);
    t->column[t->columns++] = (selections_column){
        .name = name, .type = type, .bytes = bytes, .in = in};
    return in;
}

void selections_table_send(selections_table *t) {
    for (unsigned c = 0; c < t->columns; c++) {
        selections_column *const column = &t->column[c];
        column->d_in =
            lab_send(t->lab, column->in, t->chosen.n * column->bytes);
        column->tested =
            (winnow_in){.type = column->type, .d_base = column->d_in};
    }
}

void selections_table_add_tested(selections_table *t, const char *name,
                                 const winnow_in *tested) {
    t->column[t->columns++] = (selections_column){
        .name = name, .type = tested->type, .tested = *tested};
}

/* --------------------------------------------------------------- conditions */

void selections_table_set(selections_table *t, const char *name,
                          winnow_condition *condition, selections_keep *keep) {
    winnow_condition_destroy(t->condition);
    /* Calls with a workspace make no tables of sets and texts. */
    bench_check(winnow_condition_prepare(t->lab->run->context, condition),
                "winnow_condition_prepare");
    t->name = name;
    t->condition = condition;
    memset(t->chosen.bits, 0, t->chosen.words * sizeof *t->chosen.bits);
#pragma omp parallel for
    for (uint64_t w = 0; w < t->chosen.words; w++)
        for (uint64_t i = 64 * w; i < 64 * w + 64 && i < t->chosen.n; i++)
            t->chosen.bits[w] |= (uint64_t)keep(t, i) << i % 64;
    selections_chosen_count(&t->chosen);
}

void selections_table_parse(selections_table *t, const char *text,
                            selections_keep *keep) {
    winnow_field fields[SELECTIONS_COLUMNS];
    winnow_condition *condition;
    for (unsigned c = 0; c < t->columns; c++)
        fields[c] = (winnow_field){.name = t->column[c].name,
                                   .type = t->column[c].type};
    bench_check(winnow_condition_parse(&condition, fields, t->columns, text),
                "winnow_condition_parse");
    selections_table_set(t, text, condition, keep);
}

static void take_columns(const selections_table *t, winnow_in *columns) {
    for (unsigned c = 0; c < t->columns; c++)
        columns[c] = t->column[c].tested;
}

static void measure(selections_table *t, const char *call, uint64_t bytes,
                    const lab_variant *variant) {
    char name[192];
    snprintf(name, sizeof name, "%s, %s", call, t->name);
    const double share =
        t->chosen.n > 0 ? (double)t->chosen.kept / (double)t->chosen.n : 0;
    const lab_row row = {.variant = name,
                         .type = "mixed",
                         .n = t->chosen.n,
                         .x_name = "kept",
                         .x = share,
                         .bytes = bytes,
                         .results_p = &t->chosen.kept,
                         .copy_s = lab_copy(t->lab, bytes)};
    lab_measure(t->lab, &row, variant);
}

/* --------------------------------------------------------------- selections */

static winnow_status call_select(const void *state,
                                 const winnow_launch *launch) {
    const selections_table *t = state;
    winnow_in columns[SELECTIONS_COLUMNS];
    take_columns(t, columns);
    return winnow_select_where(t->lab->run->context, t->condition, columns,
                               t->columns, t->chosen.n, t->d_selection,
                               t->selection_bytes, launch);
}

static void run_select(void *state, winnow_stream stream) {
    const selections_table *t = state;
    bench_enqueue(call_select, "winnow_select_where", t, t->selecting, stream);
}

/* Every bit of the selection is looked at. */
static bool right_selection(void *state) {
    const selections_table *t = state;
    const bench_platform *const platform = &t->lab->run->platform;
    const size_t bytes = 8 * t->chosen.words;
    bench_check(
        winnow_selection_to_mask(t->lab->run->context, t->d_selection,
                                 t->chosen.n, WINNOW_MASK_BITS, t->d_mask, 0,
                                 WINNOW_LAUNCH(.stream = platform->stream)),
        "winnow_selection_to_mask");
    lab_fetch(t->lab, t->mask, t->d_mask, bytes);
    platform->poison(t->d_selection, t->selection_bytes);
    return memcmp(t->mask, t->chosen.bits, bytes) == 0;
}

void selections_table_select(selections_table *t, uint64_t bytes) {
    lab_plan(t->lab, call_select, "a plan of winnow_select_where", t,
             &t->selecting);
    measure(t, "select_where", bytes + t->selection_bytes,
            &(lab_variant){run_select, right_selection, t, false});
}

void selections_table_call(selections_table *t) {
    const bench_run *const run = t->lab->run;
    char name[192];
    bench_times times;
    snprintf(name, sizeof name, "host: select_where, %s", t->name);
    lab_plan(t->lab, call_select, "a plan of winnow_select_where", t,
             &t->selecting);
    bench_measure_calls(&run->platform, &(bench_job){run_select, t, 1},
                        run->options.seconds, &times);
    lab_report(t->lab, &(lab_row){name, .type = "mixed", .n = t->chosen.n},
               &times, right_selection(t));
}

void selections_table_once(selections_table *t, const char *how,
                           winnow_compile compile,
                           winnow_condition *condition) {
    const bench_run *const run = t->lab->run;
    winnow_condition *const other = t->condition;
    bench_times times;
    bench_set_compile(run, compile);
    t->condition = condition;
    run->platform.synchronize();
    double took = bench_now();
    bench_check(call_select(t, WINNOW_LAUNCH(.stream = run->platform.stream)),
                "winnow_select_where");
    run->platform.synchronize();
    took = bench_now() - took;
    t->condition = other;
    times = bench_summarise(&took, 1);
    lab_report(t->lab, &(lab_row){how, .n = t->chosen.n}, &times, true);
}

/* ------------------------------------------------------------------- copies */

static winnow_status call_copy(const void *state, const winnow_launch *launch) {
    const selections_table *t = state;
    winnow_in columns[SELECTIONS_COLUMNS];
    winnow_move moves[SELECTIONS_COLUMNS];
    take_columns(t, columns);
    for (unsigned c = 0; c < t->columns; c++)
        moves[c] = (winnow_move){.d_in = t->column[c].d_in,
                                 .d_out = t->d_out[c],
                                 .element_bytes = t->column[c].bytes};
    return winnow_copy_where(t->lab->run->context, t->condition, columns,
                             t->columns, t->chosen.n, moves, t->columns,
                             WINNOW_NO_LIMIT, t->d_count, launch);
}

static void allocate(selections_table *t) {
    for (unsigned c = 0; c < t->columns; c++)
        t->d_out[c] = t->lab->run->platform.alloc(
            t->chosen.n > 0 ? t->chosen.n * t->column[c].bytes : 1);
}

static void release(selections_table *t) {
    for (unsigned c = 0; c < t->columns; c++)
        t->lab->run->platform.release(t->d_out[c]);
}

/* What is looked at afterwards are the outputs of the last call. */
static void run_copy(void *state, winnow_stream stream) {
    selections_table *t = state;
    if (t->anew) {
        release(t);
        allocate(t);
    }
    bench_enqueue(call_copy, "winnow_copy_where", t, t->launch, stream);
}

static void pack(const selections_table *t, unsigned column) {
    const size_t bytes = t->column[column].bytes;
    char *to = t->packed;
    for (uint64_t w = 0; w < t->chosen.words; w++)
        for (uint64_t left = t->chosen.bits[w]; left != 0; left &= left - 1) {
            const uint64_t i = 64 * w + (uint64_t)__builtin_ctzll(left);
            memcpy(to, (const char *)t->column[column].in + i * bytes, bytes);
            to += bytes;
        }
}

/* Every element is looked at. */
static bool right_copy(void *state) {
    const selections_table *t = state;
    bool same = selections_same(t->lab, t->d_count, &t->chosen.kept,
                                sizeof t->chosen.kept);
    for (unsigned c = 0; c < t->columns && same; c++) {
        pack(t, c);
        same = selections_same(t->lab, t->d_out[c], t->packed,
                               t->chosen.kept * t->column[c].bytes);
    }
    return same;
}

void selections_table_copy(selections_table *t, uint64_t bytes) {
    const lab_variant variant = {run_copy, right_copy, t, false};
    for (unsigned c = 0; c < t->columns; c++)
        bytes += 32 * selections_sectors(&t->chosen, t->column[c].bytes) +
                 t->chosen.kept * t->column[c].bytes;
    if (t->packed == NULL)
        t->packed = lab_host(t->lab, t->chosen.n * sizeof(uint64_t));
    lab_plan(t->lab, call_copy, "a plan of winnow_copy_where", t, &t->launch);
    allocate(t);
    for (unsigned c = 0; c < t->columns; c++)
        t->lab->run->platform.poison(t->d_out[c],
                                     t->chosen.n * t->column[c].bytes);
    measure(t, "copy_where", bytes, &variant);
    t->anew = t->lab->run->platform.ordinal == WINNOW_DEVICE_HOST;
    if (t->anew)
        measure(t, "copy_where, new outputs", bytes, &variant);
    t->anew = false;
    release(t);
}
