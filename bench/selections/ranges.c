/*
 * Selections by ranges: a column alone, beside only reading it, and three
 * columns of which the first is tested first.
 *
 * The bytes that have to be moved: the column, and the selection. Of the other
 * columns, the sectors of 32 bytes with an item that passed the tests before.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "outcome.h"
#include "selections.h"

#include "../util.h"

#include <string.h>

#define BYTES sizeof(int32_t)
#define COLUMNS 3

typedef enum form {
    SELECT,
    COUNT,
    WHERE,
    FORMS
} form;

static const char *const names[FORMS] = {
    [SELECT] = "winnow_select_if",
    [COUNT] = "winnow_count_if, which only reads",
    [WHERE] = "winnow_select_where, the others keep half",
};

typedef struct ranges {
    bench_lab *lab;
    form form;
    selections_chosen chosen;
    int32_t *in[COLUMNS], *d_in[COLUMNS];
    winnow_predicate *predicate[COLUMNS];
    winnow_condition *condition;
    uint64_t *mask;
    void *d_mask, *d_selection;
    size_t selection_bytes;
    uint64_t *d_count;
    winnow_launch launch; /* with the workspace that counting needs */
} ranges;

static winnow_status call_where(const ranges *r, const winnow_launch *launch) {
    winnow_in columns[COLUMNS];
    for (unsigned c = 0; c < COLUMNS; c++)
        columns[c] = (winnow_in){.type = WINNOW_INT32, .d_base = r->d_in[c]};
    return winnow_select_where(r->lab->run->context, r->condition, columns,
                               COLUMNS, r->chosen.n, r->d_selection,
                               r->selection_bytes, launch);
}

static winnow_status call(const void *state, const winnow_launch *launch) {
    const ranges *r = state;
    winnow_context *const context = r->lab->run->context;
    if (r->form == WHERE)
        return call_where(r, launch);
    if (r->form == COUNT)
        return winnow_count_if(context, r->predicate[0], WINNOW_INT32,
                               r->d_in[0], r->chosen.n, r->d_count, launch);
    return winnow_select_if(context, r->predicate[0], WINNOW_INT32, r->d_in[0],
                            r->chosen.n, r->d_selection, r->selection_bytes,
                            launch);
}

static void run(void *state, winnow_stream stream) {
    const ranges *r = state;
    bench_enqueue(call, names[r->form], r, r->launch, stream);
}

/* Every bit of the selection is looked at. */
static bool selection_is_right(const ranges *r) {
    const bench_platform *const platform = &r->lab->run->platform;
    const size_t bytes = 8 * r->chosen.words;
    bench_check(
        winnow_selection_to_mask(r->lab->run->context, r->d_selection,
                                 r->chosen.n, WINNOW_MASK_BITS, r->d_mask, 0,
                                 WINNOW_LAUNCH(.stream = platform->stream)),
        "winnow_selection_to_mask");
    lab_fetch(r->lab, r->mask, r->d_mask, bytes);
    platform->poison(r->d_selection, r->selection_bytes);
    return memcmp(r->mask, r->chosen.bits, bytes) == 0;
}

static bool right(void *state) {
    const ranges *r = state;
    return r->form == COUNT
               ? selections_same(r->lab, r->d_count, &r->chosen.kept,
                                 sizeof r->chosen.kept)
               : selection_is_right(r);
}

static void make_input(ranges *r, uint64_t n) {
    bench_lab *const lab = r->lab;
    for (unsigned c = 0; c < COLUMNS; c++) {
        int32_t *const in = lab_host(lab, n * BYTES);
#pragma omp parallel for
        for (uint64_t i = 0; i < n; i++)
            in[i] = (int32_t)(uint32_t)lab_random(13 + c, i);
        r->in[c] = in;
        r->d_in[c] = lab_send(lab, in, n * BYTES);
    }
    selections_chosen_init(&r->chosen, lab, n);
    r->mask = lab_host(lab, 8 * r->chosen.words);
    memset(r->mask, 0, 8 * r->chosen.words); /* behind item n, too */
    r->d_mask = lab_send(lab, r->mask, 8 * r->chosen.words);
    bench_check(winnow_selection_bytes(n, &r->selection_bytes),
                "winnow_selection_bytes");
    r->d_selection = lab_device(lab, r->selection_bytes);
    r->d_count = lab_device(lab, sizeof *r->d_count);
}

static void make_predicate(ranges *r, unsigned column, int32_t low,
                           uint64_t values) {
    const int32_t high = (int32_t)(low + (int64_t)values - 1);
    bench_check(winnow_predicate_range(&r->predicate[column], WINNOW_INT32,
                                       &low, &high),
                "winnow_predicate_range");
}

static void make_condition(ranges *r) {
    winnow_condition *test[COLUMNS], *two;
    for (unsigned c = 0; c < COLUMNS; c++)
        bench_check(winnow_condition_test(&test[c], c, r->predicate[c]),
                    "winnow_condition_test");
    bench_check(winnow_condition_and(&two, test[0], test[1]),
                "winnow_condition_and");
    bench_check(winnow_condition_and(&r->condition, two, test[2]),
                "winnow_condition_and");
    winnow_condition_destroy(two);
    for (unsigned c = 0; c < COLUMNS; c++)
        winnow_condition_destroy(test[c]);
}

static void measure(ranges *r, double share, uint64_t bytes) {
    const lab_row row = {.variant = names[r->form],
                         .type = "int32",
                         .n = r->chosen.n,
                         .x_name = r->form == WHERE ? "first keeps" : "kept",
                         .x = share,
                         .bytes = bytes,
                         .results_p = &r->chosen.kept,
                         .copy_s = lab_copy(r->lab, bytes)};
    lab_measure(r->lab, &row, &(lab_variant){run, right, r, false});
}

/* Values in the middle, of which a column has this share. */
static void narrow(ranges *r, unsigned column, double share) {
    const uint64_t values = (uint64_t)(share * 4294967296.0);
    const int32_t low = (int32_t) - (int64_t)(values / 2);
    make_predicate(r, column, low, values);
    selections_narrow(&r->chosen, r->in[column], 1, low, values);
}

static void measure_share(ranges *r, double share) {
    const uint64_t column = r->chosen.n * BYTES;
    uint64_t bytes = column + r->selection_bytes;
    selections_all(&r->chosen);
    narrow(r, 0, share);
    r->form = SELECT;
    measure(r, share, bytes);
    r->form = COUNT;
    if (r->launch.d_workspace == NULL)
        lab_plan(r->lab, call, "a plan of winnow_count_if", r, &r->launch);
    measure(r, share, column);
    for (unsigned c = 1; c < COLUMNS; c++) {
        bytes += 32 * selections_sectors(&r->chosen, BYTES);
        narrow(r, c, 0.5);
    }
    make_condition(r);
    r->form = WHERE;
    measure(r, share, bytes);
    winnow_condition_destroy(r->condition);
    for (unsigned c = 0; c < COLUMNS; c++)
        winnow_predicate_destroy(r->predicate[c]);
}

void selections_ranges(bench_lab *lab) {
    static const uint64_t usual[] = {UINT64_C(1) << 28};
    static const double usual_shares[] = {0.001, 0.01, 0.1, 0.5, 0.9};
    const uint64_t *sizes;
    const double *shares;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    const unsigned share_count = LAB_SHARES(lab, usual_shares, &shares);
    for (unsigned i = 0; i < count; i++) {
        ranges r = {.lab = lab, .launch = {.size = sizeof r.launch}};
        make_input(&r, sizes[i]);
        for (unsigned s = 0; s < share_count; s++)
            measure_share(&r, shares[s]);
        lab_free(lab);
    }
}
