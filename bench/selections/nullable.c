/*
 * An int32 column of which one in sixteen elements is null, filtered by a test
 * of it, beside one without nulls of which as many rows are kept: a selection,
 * by which the column and its validity are packed, or one call for both.
 *
 * The bytes that have to be moved: the column, and the validity, once; once
 * more, for the packing, the sectors of the column that have a row that is
 * kept, and the bits of validity; of the two calls the selection, written and
 * read; and what is kept, written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bit_column.h"
#include "outcome.h"
#include "selections.h"

#include "../util.h"

#include <stdio.h>

#define BYTES sizeof(int32_t)
#define NULLS (1.0 / 16)

typedef enum form {
    PLAIN,
    NULLABLE,
    FORMS
} form;

typedef struct nullable {
    bench_lab *lab;
    form form;
    bool in_one_call;
    selections_chosen chosen;
    int32_t *in;
    uint64_t *valid, *packed_valid;
    uint64_t sum;
    winnow_condition *condition;
    void *d_in, *d_valid, *d_out, *d_valid_out, *d_selection;
    size_t selection_bytes;
    uint64_t *d_count;
    winnow_launch selecting, packing, copying;
} nullable;

static winnow_in column_of(const nullable *t) {
    return (winnow_in){.type = WINNOW_INT32,
                       .d_base = t->d_in,
                       .d_valid = t->form == NULLABLE ? t->d_valid : NULL};
}

/* Returns how many there are. */
static unsigned take_moves(const nullable *t, winnow_move moves[2]) {
    moves[0] = (winnow_move){
        .d_in = t->d_in, .d_out = t->d_out, .element_bytes = BYTES};
    moves[1] = (winnow_move){
        .d_in = t->d_valid, .d_out = t->d_valid_out, .type = WINNOW_BIT};
    return t->form == NULLABLE ? 2 : 1;
}

static winnow_status call_select(const void *state,
                                 const winnow_launch *launch) {
    const nullable *t = state;
    const winnow_in column = column_of(t);
    return winnow_select_where(t->lab->run->context, t->condition, &column, 1,
                               t->chosen.n, t->d_selection, t->selection_bytes,
                               launch);
}

static winnow_status call_pack(const void *state, const winnow_launch *launch) {
    const nullable *t = state;
    winnow_move moves[2];
    const unsigned count = take_moves(t, moves);
    return winnow_compact_columns(t->lab->run->context, t->d_selection,
                                  t->chosen.n, moves, count, WINNOW_NO_LIMIT,
                                  t->d_count, launch);
}

static winnow_status call_copy(const void *state, const winnow_launch *launch) {
    const nullable *t = state;
    const winnow_in column = column_of(t);
    winnow_move moves[2];
    const unsigned count = take_moves(t, moves);
    return winnow_copy_where(t->lab->run->context, t->condition, &column, 1,
                             t->chosen.n, moves, count, WINNOW_NO_LIMIT,
                             t->d_count, launch);
}

static void run(void *state, winnow_stream stream) {
    const nullable *t = state;
    if (t->in_one_call) {
        bench_enqueue(call_copy, "winnow_copy_where", t, t->copying, stream);
        return;
    }
    bench_enqueue(call_select, "winnow_select_where", t, t->selecting, stream);
    bench_enqueue(call_pack, "winnow_compact_columns", t, t->packing, stream);
}

static bool right(void *state) {
    const nullable *t = state;
    const uint64_t kept = t->chosen.kept;
    bool same = selections_same(t->lab, t->d_count, &kept, sizeof kept);
    if (t->form == NULLABLE &&
        !selections_same(t->lab, t->d_valid_out, t->packed_valid,
                         selections_bits_bytes(t->chosen.n, 0)))
        same = false;
    return selections_packed(&t->chosen, t->lab, t->in, BYTES, t->sum,
                             t->d_out) &&
           same;
}

static void make_input(nullable *t, uint64_t n) {
    bench_lab *const lab = t->lab;
    selections_chosen_init(&t->chosen, lab, n);
    const uint64_t words = t->chosen.words;
    t->in = lab_host(lab, n * BYTES);
    t->valid = lab_host(lab, 8 * words);
#pragma omp parallel for
    for (uint64_t i = 0; i < n; i++)
        t->in[i] = (int32_t)(uint32_t)lab_random(43, i);
        /* Null where four random bits are 0. */
#pragma omp parallel for
    for (uint64_t w = 0; w < words; w++)
        t->valid[w] = lab_random(44, 4 * w) | lab_random(44, 4 * w + 1) |
                      lab_random(44, 4 * w + 2) | lab_random(44, 4 * w + 3);
    t->packed_valid = selections_bits_make(lab, n, 0);
    t->d_in = lab_send(lab, t->in, n * BYTES);
    t->d_valid = lab_send(lab, t->valid, 8 * words);
    t->d_out = lab_device(lab, n * BYTES);
    t->d_valid_out = lab_device(lab, selections_bits_bytes(n, 0));
    t->d_count = lab_device(lab, sizeof *t->d_count);
    bench_check(winnow_selection_bytes(n, &t->selection_bytes),
                "winnow_selection_bytes");
    t->d_selection = lab_device(lab, t->selection_bytes);
}

/* For both forms. */
static void make_workspaces(nullable *t) {
    t->selecting = t->packing = t->copying =
        (winnow_launch){.size = sizeof t->copying};
    for (t->form = PLAIN; t->form < FORMS; t->form++) {
        lab_plan(t->lab, call_select, "a plan of winnow_select_where", t,
                 &t->selecting);
        lab_plan(t->lab, call_pack, "a plan of winnow_compact_columns", t,
                 &t->packing);
        lab_plan(t->lab, call_copy, "a plan of winnow_copy_where", t,
                 &t->copying);
    }
}

/* The share of all rows: of those that are valid more have to pass. */
static void set_share(nullable *t, double share) {
    const double passing = t->form == NULLABLE ? share / (1 - NULLS) : share;
    const int32_t bound = lab_bound(passing < 1 ? passing : 1);
    winnow_predicate *below;
    winnow_condition_destroy(t->condition);
    bench_check(
        winnow_predicate_compare(&below, WINNOW_INT32, WINNOW_LT, &bound),
        "winnow_predicate_compare");
    bench_check(winnow_condition_test(&t->condition, 0, below),
                "winnow_condition_test");
    winnow_predicate_destroy(below);
    selections_below(&t->chosen, t->in, 1, bound);
    if (t->form == NULLABLE) {
        for (uint64_t w = 0; w < t->chosen.words; w++)
            t->chosen.bits[w] &= t->valid[w];
        selections_chosen_count(&t->chosen);
        selections_bits_poison(t->packed_valid, t->chosen.n, 0);
        selections_bits_pack(&t->chosen, t->valid, true, t->packed_valid, 0);
    }
    t->sum = selections_sum(&t->chosen, t->in, BYTES);
}

static void measure(nullable *t, double share) {
    const selections_chosen *const chosen = &t->chosen;
    uint64_t bytes = chosen->n * BYTES +
                     32 * selections_sectors(chosen, BYTES) +
                     chosen->kept * BYTES;
    if (t->form == NULLABLE)
        bytes += 2 * ((chosen->n + 7) / 8) + (chosen->kept + 7) / 8;
    if (!t->in_one_call)
        bytes += 2 * t->selection_bytes;
    char name[64];
    snprintf(name, sizeof name, "%s, %s",
             t->in_one_call ? "copy_where" : "select_where, compact_columns",
             t->form == NULLABLE ? "nullable" : "plain");
    const lab_row row = {.variant = name,
                         .type = "int32",
                         .n = chosen->n,
                         .x_name = "kept",
                         .x = share,
                         .bytes = bytes,
                         .results_p = &chosen->kept,
                         .copy_s = lab_copy(t->lab, bytes)};
    lab_measure(t->lab, &row, &(lab_variant){run, right, t, false});
}

void selections_nullable(bench_lab *lab) {
    static const uint64_t usual[] = {UINT64_C(1) << 28};
    static const double usual_shares[] = {0.1, 0.5, 0.9};
    const uint64_t *sizes;
    const double *shares;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    const unsigned share_count = LAB_SHARES(lab, usual_shares, &shares);
    for (unsigned i = 0; i < count; i++) {
        nullable t = {.lab = lab};
        make_input(&t, sizes[i]);
        set_share(&t, shares[0]);
        make_workspaces(&t);
        for (unsigned s = 0; s < share_count; s++)
            for (t.form = PLAIN; t.form < FORMS; t.form++) {
                set_share(&t, shares[s]);
                t.in_one_call = false;
                measure(&t, shares[s]);
                t.in_one_call = true;
                measure(&t, shares[s]);
            }
        winnow_condition_destroy(t.condition);
        lab_free(lab);
    }
}
