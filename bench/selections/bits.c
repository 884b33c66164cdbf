/*
 * A column of bits, as of truth values or of validity: packed, split in two, and
 * brought back with zeros at the other places, by a selection that is there. The
 * column, and what is written, begin with the first bit of their memory, or with
 * the fourth. CUB has no such calls.
 *
 * The bytes that have to be moved: the words of the selection, the bits of the
 * column, and those that are written, an eighth of a byte each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bit_column.h"
#include "outcome.h"
#include "selections.h"

#include "../util.h"

#include <stdio.h>
#include <string.h>

enum {
    PLAIN,
    SHIFTED,
    OFFSETS
};
static const uint64_t offsets[OFFSETS] = {0, 3};

/* What is written: the first, or both. */
enum {
    KEPT,
    OTHERS,
    OUTPUTS
};

typedef enum form {
    COMPACT,
    SPLIT,
    EXPAND,
    FORMS
} form;

typedef struct bit_calls {
    bench_lab *lab;
    form form;
    unsigned which; /* of the offsets */
    selections_chosen chosen;
    uint64_t *in;                /* bit i of item i */
    uint64_t *expected[OUTPUTS]; /* as they are in the outputs */
    uint64_t counts[OUTPUTS];    /* bits in each */
    void *d_in[OFFSETS], *d_out[OUTPUTS];
    void *d_packed; /* what is brought back */
    void *d_bits, *d_selection;
    size_t selection_bytes;
    uint64_t *d_counts;
    winnow_launch launch[FORMS];
} bit_calls;

static winnow_out out_of(const bit_calls *b, unsigned output) {
    return (winnow_out){.type = WINNOW_BIT,
                        .d_base = b->d_out[output],
                        .offset = offsets[b->which]};
}

static winnow_status call_compact(const void *state,
                                  const winnow_launch *launch) {
    const bit_calls *b = state;
    const uint64_t offset = offsets[b->which];
    const winnow_move move = {.d_in = b->d_in[b->which],
                              .d_out = b->d_out[KEPT],
                              .type = WINNOW_BIT,
                              .in_offset = offset,
                              .out_offset = offset};
    return winnow_compact_columns(b->lab->run->context, b->d_selection,
                                  b->chosen.n, &move, 1, WINNOW_NO_LIMIT,
                                  b->d_counts, launch);
}

static winnow_status call_split(const void *state,
                                const winnow_launch *launch) {
    const bit_calls *b = state;
    const winnow_in in = {.type = WINNOW_BIT,
                          .d_base = b->d_in[b->which],
                          .offset = offsets[b->which]};
    const winnow_out kept = out_of(b, KEPT), others = out_of(b, OTHERS);
    return winnow_split(b->lab->run->context, b->d_selection, &in, b->chosen.n,
                        &kept, WINNOW_NO_LIMIT, &others, WINNOW_NO_LIMIT,
                        b->d_counts, launch);
}

static winnow_status call_expand(const void *state,
                                 const winnow_launch *launch) {
    static const uint8_t fill = 0;
    const bit_calls *b = state;
    const winnow_in packed = {
        .type = WINNOW_BIT, .d_base = b->d_packed, .offset = offsets[b->which]};
    const winnow_out out = out_of(b, KEPT);
    return winnow_expand(b->lab->run->context, b->d_selection, &packed,
                         WINNOW_NO_LIMIT, b->chosen.n, &fill, &out, launch);
}

/* --------------------------------------------------------------- outcomes */

static void expect_packed(bit_calls *b, unsigned output) {
    const uint64_t n = b->chosen.n, offset = offsets[b->which];
    selections_bits_poison(b->expected[output], n, offset);
    selections_bits_pack(&b->chosen, b->in, output == KEPT, b->expected[output],
                         offset);
    b->counts[output] = output == KEPT ? b->chosen.kept : n - b->chosen.kept;
}

static void expect_compact(bit_calls *b) {
    expect_packed(b, KEPT);
}

static void expect_split(bit_calls *b) {
    expect_packed(b, KEPT);
    expect_packed(b, OTHERS);
}

/* The packed bits, and what their places make of them. */
static void expect_expand(bit_calls *b) {
    const uint64_t n = b->chosen.n, offset = offsets[b->which];
    expect_packed(b, KEPT);
    b->lab->run->platform.store(b->d_packed, b->expected[KEPT],
                                selections_bits_bytes(n, offset));
    selections_bits_poison(b->expected[KEPT], n, offset);
    for (uint64_t w = 0; w < b->chosen.words; w++)
        selections_bits_put(b->expected[KEPT], offset + 64 * w,
                            b->in[w] & b->chosen.bits[w],
                            n - 64 * w < 64 ? (unsigned)(n - 64 * w) : 64);
}

typedef struct way {
    const char *name;
    bench_call *call;
    void (*expect)(bit_calls *b);
    unsigned outputs, counts;
} way;

static const way ways[FORMS] = {
    [COMPACT] = {"winnow_compact_columns", call_compact, expect_compact, 1, 1},
    [SPLIT] = {"winnow_split", call_split, expect_split, 2, 2},
    [EXPAND] = {"winnow_expand, zeros", call_expand, expect_expand, 1, 0},
};

static void run(void *state, winnow_stream stream) {
    const bit_calls *b = state;
    const way *const made = &ways[b->form];
    bench_enqueue(made->call, made->name, b, b->launch[b->form], stream);
}

/* Every bit of the outputs is looked at, and those around them. */
static bool right(void *state) {
    const bit_calls *b = state;
    const way *const made = &ways[b->form];
    bool same = selections_same(b->lab, b->d_counts, b->counts,
                                made->counts * sizeof b->counts[0]);
    for (unsigned i = 0; i < made->outputs; i++)
        if (!selections_same(
                b->lab, b->d_out[i], b->expected[i],
                selections_bits_bytes(b->chosen.n, offsets[b->which])))
            same = false;
    return same;
}

/* -------------------------------------------------------------- measuring */

static void make_input(bit_calls *b, uint64_t n) {
    bench_lab *const lab = b->lab;
    const uint64_t most = selections_bits_bytes(n, offsets[SHIFTED]);
    selections_chosen_init(&b->chosen, lab, n);
    b->in = lab_host(lab, 8 * b->chosen.words);
    uint64_t *const shifted = selections_bits_make(lab, n, offsets[SHIFTED]);
    for (uint64_t w = 0; w < b->chosen.words; w++) {
        b->in[w] = lab_random(41, w);
        selections_bits_put(shifted, offsets[SHIFTED] + 64 * w, b->in[w],
                            n - 64 * w < 64 ? (unsigned)(n - 64 * w) : 64);
    }
    b->d_in[PLAIN] = lab_send(lab, b->in, 8 * b->chosen.words);
    b->d_in[SHIFTED] = lab_send(lab, shifted, most);
    for (unsigned i = 0; i < OUTPUTS; i++) {
        b->expected[i] = selections_bits_make(lab, n, offsets[SHIFTED]);
        b->d_out[i] = lab_device(lab, most);
    }
    b->d_packed = lab_device(lab, most);
    b->d_bits = lab_device(lab, 8 * b->chosen.words);
    b->d_counts = lab_device(lab, OUTPUTS * sizeof *b->d_counts);
    bench_check(winnow_selection_bytes(n, &b->selection_bytes),
                "winnow_selection_bytes");
    b->d_selection = lab_device(lab, b->selection_bytes);
}

static void set_share(bit_calls *b, double share) {
    const bench_platform *const platform = &b->lab->run->platform;
    selections_draw(&b->chosen, 42, share);
    platform->store(b->d_bits, b->chosen.bits, 8 * b->chosen.words);
    bench_check(
        winnow_select_flagged(b->lab->run->context,
                              &(winnow_mask){WINNOW_MASK_BITS, b->d_bits, 0},
                              b->chosen.n, b->d_selection, b->selection_bytes,
                              WINNOW_LAUNCH(.stream = platform->stream)),
        "winnow_select_flagged");
}

/* The bits of a split's outputs are as many as those of its input. */
static uint64_t bytes_to_move(const bit_calls *b) {
    const uint64_t n = b->chosen.n;
    const uint64_t packed = b->form == SPLIT ? n : b->chosen.kept;
    return 8 * b->chosen.words + (n + 7) / 8 + (packed + 7) / 8;
}

static void measure(bit_calls *b, double share) {
    const uint64_t bytes = bytes_to_move(b);
    char name[64];
    snprintf(name, sizeof name, "%s, from bit %u on", ways[b->form].name,
             (unsigned)offsets[b->which]);
    const lab_row row = {.variant = name,
                         .type = "bit",
                         .n = b->chosen.n,
                         .x_name = "kept",
                         .x = share,
                         .bytes = bytes,
                         .results_p = &b->chosen.kept,
                         .copy_s = lab_copy(b->lab, bytes)};
    ways[b->form].expect(b);
    lab_measure(b->lab, &row, &(lab_variant){run, right, b, false});
}

static void make_workspaces(bit_calls *b) {
    for (unsigned f = 0; f < FORMS; f++) {
        b->launch[f] = (winnow_launch){.size = sizeof b->launch[f]};
        lab_plan(b->lab, ways[f].call, ways[f].name, b, &b->launch[f]);
    }
}

void selections_bits(bench_lab *lab) {
    static const uint64_t usual[] = {UINT64_C(1) << 30};
    static const double usual_shares[] = {0.1, 0.5, 0.9};
    const uint64_t *sizes;
    const double *shares;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    const unsigned share_count = LAB_SHARES(lab, usual_shares, &shares);
    for (unsigned i = 0; i < count; i++) {
        bit_calls b = {.lab = lab};
        make_input(&b, sizes[i]);
        make_workspaces(&b);
        for (unsigned s = 0; s < share_count; s++) {
            set_share(&b, shares[s]);
            for (b.form = 0; b.form < FORMS; b.form++)
                for (b.which = 0; b.which < OFFSETS; b.which++)
                    measure(&b, shares[s]);
            b.which = PLAIN;
        }
        lab_free(lab);
    }
}
