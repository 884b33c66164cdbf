/*
 * Items in place, of which some leave: their places filled from the end, or by
 * as many that arrive, beside a compaction in place, which keeps the order. The
 * selection is there. A size is a number of items of 64 bytes.
 *
 * The bytes that have to be moved: the words of the selection, and each item
 * that moves, read and written. To fill the places changes nothing that a
 * second run reads; of the compaction, which packs other items each time, the
 * number alone is looked at.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "outcome.h"
#include "selections.h"

#include "../util.h"

enum {
    ITEM = 64 /* bytes */
};

typedef enum form {
    FROM_THE_END,
    ARRIVALS,
    IN_PLACE,
    FORMS
} form;

static const char *const names[FORMS] = {"winnow_fill_holes",
                                         "winnow_fill_holes, as many arrive",
                                         "winnow_compact_columns, in place"};

typedef struct holes {
    bench_lab *lab;
    form form;
    selections_chosen chosen;
    uint64_t left, arrived;
    uint64_t kept_sum, arrived_sum;
    uint64_t *items; /* of the host: n, and behind them n that may arrive */
    void *d_items, *d_arrivals, *d_bits, *d_selection;
    uint64_t *d_count;
    size_t selection_bytes;
    winnow_launch launch;
} holes;

static winnow_status call(const void *state, const winnow_launch *launch) {
    const holes *h = state;
    winnow_context *const context = h->lab->run->context;
    const winnow_arrivals arrivals = {.n = h->arrived};
    const winnow_move move = {.d_in = h->form == IN_PLACE ? h->d_items
                                                          : h->d_arrivals,
                              .d_out = h->d_items,
                              .element_bytes = ITEM};
    return h->form == IN_PLACE
               ? winnow_compact_columns(context, h->d_selection, h->chosen.n,
                                        &move, 1, WINNOW_NO_LIMIT, h->d_count,
                                        launch)
               : winnow_fill_holes(context, h->d_selection, h->chosen.n,
                                   &arrivals, &move, 1, h->chosen.n, h->d_count,
                                   launch);
}

static void run(void *state, winnow_stream stream) {
    const holes *h = state;
    bench_enqueue(call, names[h->form], h, h->launch, stream);
}

static bool right(void *state) {
    const holes *h = state;
    const uint64_t number = h->chosen.kept + h->arrived;
    return selections_same(h->lab, h->d_count, &number, sizeof number) &&
           (h->form == IN_PLACE ||
            h->lab->run->platform.sum(h->d_items, 8, number * (ITEM / 8)) ==
                h->kept_sum + h->arrived_sum);
}

static void make_input(holes *h, uint64_t n) {
    bench_lab *const lab = h->lab;
    const uint64_t words = n * (ITEM / 8);
    h->items = lab_host(lab, 2 * n * ITEM);
#pragma omp parallel for
    for (uint64_t i = 0; i < 2 * words; i++)
        h->items[i] = lab_random(31, i);
    selections_chosen_init(&h->chosen, lab, n);
    h->d_items = lab_device(lab, n * ITEM);
    h->d_arrivals = lab_send(lab, h->items + words, n * ITEM);
    h->d_bits = lab_device(lab, 8 * h->chosen.words);
    h->d_count = lab_device(lab, sizeof *h->d_count);
    bench_check(winnow_selection_bytes(n, &h->selection_bytes),
                "winnow_selection_bytes");
    h->d_selection = lab_device(lab, h->selection_bytes);
}

static void set_share(holes *h, double share) {
    const bench_platform *const platform = &h->lab->run->platform;
    selections_draw(&h->chosen, 32, share);
    h->left = h->chosen.n - h->chosen.kept;
    h->kept_sum = selections_sum(&h->chosen, h->items, ITEM);
    platform->store(h->d_bits, h->chosen.bits, 8 * h->chosen.words);
    bench_check(
        winnow_select_flagged(h->lab->run->context,
                              &(winnow_mask){WINNOW_MASK_BITS, h->d_bits, 0},
                              h->chosen.n, h->d_selection, h->selection_bytes,
                              WINNOW_LAUNCH(.stream = platform->stream)),
        "winnow_select_flagged");
}

/* Items that are kept from a place on: those that move there. */
static uint64_t kept_from(const selections_chosen *chosen, uint64_t place) {
    uint64_t kept = 0;
    for (uint64_t i = place; i < chosen->n; i++)
        kept += chosen->bits[i / 64] >> i % 64 & 1;
    return kept;
}

static void measure_form(holes *h, form f, double share) {
    const selections_chosen *const chosen = &h->chosen;
    const uint64_t words = chosen->n * (ITEM / 8);
    h->form = f;
    h->arrived = f == ARRIVALS ? h->left : 0;
    h->arrived_sum =
        bench_data_sum(h->items + words, 8, h->arrived * (ITEM / 8));
    h->launch = (winnow_launch){.size = sizeof h->launch};
    lab_plan(h->lab, call, names[f], h, &h->launch);
    h->lab->run->platform.store(h->d_items, h->items, chosen->n * ITEM);
    const uint64_t moved = f == IN_PLACE   ? chosen->kept
                           : f == ARRIVALS ? h->left
                                           : kept_from(chosen, chosen->kept);
    const uint64_t bytes = 8 * chosen->words + 2 * moved * ITEM;
    const uint64_t number = chosen->kept + h->arrived;
    const lab_row row = {.variant = names[f],
                         .type = "64 bytes",
                         .n = chosen->n,
                         .x_name = "kept",
                         .x = share,
                         .bytes = bytes,
                         .results_p = &number,
                         .copy_s = lab_copy(h->lab, bytes)};
    lab_measure(h->lab, &row, &(lab_variant){run, right, h, false});
}

void selections_fill_holes(bench_lab *lab) {
    static const double usual_shares[] = {0.999, 0.98, 0.9, 0.5};
    static const uint64_t usual[] = {UINT64_C(1) << 24};
    const uint64_t *sizes;
    const double *shares;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    const unsigned share_count = LAB_SHARES(lab, usual_shares, &shares);
    for (unsigned i = 0; i < count; i++) {
        holes h = {.lab = lab};
        make_input(&h, sizes[i]);
        for (unsigned s = 0; s < share_count; s++) {
            set_share(&h, shares[s]);
            for (form f = FROM_THE_END; f < FORMS; f++)
                measure_form(&h, f, shares[s]);
        }
        lab_free(lab);
    }
}
