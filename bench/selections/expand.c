/*
 * Packed elements brought back to the places of the items that are kept, by a
 * selection that is there. The other places are left alone, or get a value. CUB
 * has no such call.
 *
 * The bytes that have to be moved: the words of the selection, and the packed
 * elements, read; the sectors of 32 bytes of the output that have an item that
 * is kept, or else all of it, written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "outcome.h"
#include "selections.h"

#include "../util.h"

#include <string.h>

/* At the other places. Of both sizes of elements, these are its lowest bytes.
 */
static const uint64_t fill = UINT64_MAX;

typedef struct expand {
    bench_lab *lab;
    unsigned bytes_each; /* of an element: 4 or 8 */
    bool fills;
    selections_chosen chosen;
    int32_t *keys; /* random: the lowest are kept */
    void *packed;
    void *d_packed, *d_out, *d_bits, *d_selection;
    size_t selection_bytes;
} expand;

static void run(void *state, winnow_stream stream) {
    const expand *e = state;
    const winnow_in packed = {.element_bytes = e->bytes_each,
                              .d_base = e->d_packed};
    const winnow_out out = {.element_bytes = e->bytes_each, .d_base = e->d_out};
    bench_check(winnow_expand(e->lab->run->context, e->d_selection, &packed,
                              WINNOW_NO_LIMIT, e->chosen.n,
                              e->fills ? &fill : NULL, &out,
                              WINNOW_LAUNCH(.stream = stream)),
                "winnow_expand");
}

/* What has been left alone is poisoned still. */
static bool right(void *state) {
    const expand *e = state;
    uint64_t other = 0;
    if (e->fills)
        memcpy(&other, &fill, e->bytes_each);
    else
        memset(&other, BENCH_POISON, e->bytes_each);
    const uint64_t sum =
        bench_data_sum(e->packed, e->bytes_each, e->chosen.kept) +
        (e->chosen.n - e->chosen.kept) * bench_scramble(other);
    return selections_expanded(&e->chosen, e->lab, e->packed, e->bytes_each,
                               other, sum, e->d_out);
}

static void make_input(expand *e, uint64_t n) {
    bench_lab *const lab = e->lab;
    e->keys = lab_host(lab, n * sizeof *e->keys);
    e->packed = lab_host(lab, n * e->bytes_each);
#pragma omp parallel for
    for (uint64_t i = 0; i < n; i++) {
        e->keys[i] = (int32_t)(uint32_t)lab_random(23, i);
        bench_store(e->packed, e->bytes_each, i, lab_random(24, i));
    }
    selections_chosen_init(&e->chosen, lab, n);
    e->d_packed = lab_send(lab, e->packed, n * e->bytes_each);
    e->d_out = lab_device(lab, n * e->bytes_each);
    e->d_bits = lab_device(lab, 8 * e->chosen.words);
    bench_check(winnow_selection_bytes(n, &e->selection_bytes),
                "winnow_selection_bytes");
    e->d_selection = lab_device(lab, e->selection_bytes);
}

static void set_share(expand *e, double share) {
    const bench_platform *const platform = &e->lab->run->platform;
    selections_all(&e->chosen);
    selections_narrow(&e->chosen, e->keys, 1, INT32_MIN,
                      (uint64_t)(share * 4294967296.0));
    platform->store(e->d_bits, e->chosen.bits, 8 * e->chosen.words);
    bench_check(
        winnow_select_flagged(e->lab->run->context,
                              &(winnow_mask){WINNOW_MASK_BITS, e->d_bits, 0},
                              e->chosen.n, e->d_selection, e->selection_bytes,
                              WINNOW_LAUNCH(.stream = platform->stream)),
        "winnow_select_flagged");
}

static void measure_form(expand *e, double share) {
    const selections_chosen *const chosen = &e->chosen;
    const uint64_t written =
        e->fills ? chosen->n * e->bytes_each
                 : 32 * selections_sectors(chosen, e->bytes_each);
    const uint64_t bytes =
        8 * chosen->words + chosen->kept * e->bytes_each + written;
    const lab_row row = {.variant = e->fills
                                        ? "winnow_expand, with a fill value"
                                        : "winnow_expand",
                         .type = e->bytes_each == 4 ? "int32" : "int64",
                         .n = chosen->n,
                         .x_name = "kept",
                         .x = share,
                         .bytes = bytes,
                         .results_p = &chosen->kept,
                         .copy_s = lab_copy(e->lab, bytes)};
    lab_measure(e->lab, &row, &(lab_variant){run, right, e, false});
}

static void measure(bench_lab *lab, unsigned bytes_each, uint64_t n) {
    static const double usual_shares[] = {0,   0.001, 0.01, 0.05, 0.1, 0.25,
                                          0.5, 0.75,  0.9,  0.99, 1};
    const double *shares;
    const unsigned share_count = LAB_SHARES(lab, usual_shares, &shares);
    expand e = {.lab = lab, .bytes_each = bytes_each};
    make_input(&e, n);
    for (unsigned s = 0; s < share_count; s++) {
        set_share(&e, shares[s]);
        e.fills = false;
        measure_form(&e, shares[s]);
        e.fills = true;
        measure_form(&e, shares[s]);
    }
    lab_free(lab);
}

void selections_expand(bench_lab *lab) {
    static const uint64_t usual[] = {UINT64_C(1) << 28};
    const bool given = lab->run->options.size_count > 0;
    const uint64_t *sizes;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    for (unsigned i = 0; i < count; i++) {
        measure(lab, 4, sizes[i]);
        measure(lab, 8, given ? sizes[i] : sizes[i] / 2);
    }
}
