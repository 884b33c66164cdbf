/*
 * A selection written as a mask, of bytes and of bits, and made of one. CUB has
 * no such calls.
 *
 * The bytes that have to be moved: the mask, and the words of the selection.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "outcome.h"
#include "selections.h"

#include "../util.h"

#include <string.h>

typedef struct form {
    const char *name;
    bool makes; /* a selection: of the mask */
    winnow_mask_kind kind;
} form;

static const form forms[] = {
    {"winnow_selection_to_mask, bytes", false, WINNOW_MASK_BYTES},
    {"winnow_selection_to_mask, bits", false, WINNOW_MASK_BITS},
    {"winnow_select_flagged, bytes", true, WINNOW_MASK_BYTES},
    {"winnow_select_flagged, bits", true, WINNOW_MASK_BITS},
};
#define FORMS (sizeof forms / sizeof forms[0])

typedef struct to_mask {
    bench_lab *lab;
    const form *form;
    selections_chosen chosen;
    int32_t *keys; /* random: the lowest are kept */
    uint8_t *flags;
    uint64_t *bits;   /* those of `chosen`, and others behind item n */
    void *d_given[2]; /* by winnow_mask_kind: masks to select by, */
    void *d_mask[2];  /* and such that are written */
    void *d_selection;
    size_t selection_bytes;
    uint64_t *d_count;
} to_mask;

/* With the bits behind item n, which are no flags: they keep their values. */
static uint64_t room_of(const to_mask *m, winnow_mask_kind kind) {
    return kind == WINNOW_MASK_BITS ? 8 * m->chosen.words : m->chosen.n;
}

static bool mask_is_right(const to_mask *m, winnow_mask_kind kind) {
    return selections_same(m->lab, m->d_mask[kind],
                           kind == WINNOW_MASK_BITS ? (const void *)m->bits
                                                    : m->flags,
                           room_of(m, kind));
}

static void make_selection(const to_mask *m, winnow_mask_kind kind,
                           winnow_stream stream) {
    bench_check(winnow_select_flagged(m->lab->run->context,
                                      &(winnow_mask){kind, m->d_given[kind], 0},
                                      m->chosen.n, m->d_selection,
                                      m->selection_bytes,
                                      WINNOW_LAUNCH(.stream = stream)),
                "winnow_select_flagged");
}

static void make_mask(const to_mask *m, winnow_mask_kind kind,
                      winnow_stream stream) {
    bench_check(winnow_selection_to_mask(m->lab->run->context, m->d_selection,
                                         m->chosen.n, kind, m->d_mask[kind], 0,
                                         WINNOW_LAUNCH(.stream = stream)),
                "winnow_selection_to_mask");
}

static void run(void *state, winnow_stream stream) {
    const to_mask *m = state;
    if (m->form->makes)
        make_selection(m, m->form->kind, stream);
    else
        make_mask(m, m->form->kind, stream);
}

/* Its bits, and how many it says they are. */
static bool selection_is_right(const to_mask *m) {
    const bench_platform *const platform = &m->lab->run->platform;
    make_mask(m, WINNOW_MASK_BITS, platform->stream);
    bench_check(winnow_selection_count(
                    m->lab->run->context, m->d_selection, m->chosen.n,
                    m->d_count, WINNOW_LAUNCH(.stream = platform->stream)),
                "winnow_selection_count");
    const bool count_right = selections_same(
        m->lab, m->d_count, &m->chosen.kept, sizeof m->chosen.kept);
    platform->poison(m->d_selection, m->selection_bytes);
    return mask_is_right(m, WINNOW_MASK_BITS) && count_right;
}

static bool right(void *state) {
    const to_mask *m = state;
    return m->form->makes ? selection_is_right(m)
                          : mask_is_right(m, m->form->kind);
}

static void make_input(to_mask *m, uint64_t n) {
    bench_lab *const lab = m->lab;
    selections_chosen_init(&m->chosen, lab, n);
    m->keys = lab_host(lab, n * sizeof *m->keys);
#pragma omp parallel for
    for (uint64_t i = 0; i < n; i++)
        m->keys[i] = (int32_t)(uint32_t)lab_random(25, i);
    m->flags = lab_host(lab, n);
    m->bits = lab_host(lab, 8 * m->chosen.words);
    for (unsigned kind = WINNOW_MASK_BYTES; kind <= WINNOW_MASK_BITS; kind++) {
        m->d_given[kind] = lab_device(lab, room_of(m, kind));
        m->d_mask[kind] = lab_device(lab, room_of(m, kind));
    }
    bench_check(winnow_selection_bytes(n, &m->selection_bytes),
                "winnow_selection_bytes");
    m->d_selection = lab_device(lab, m->selection_bytes);
    m->d_count = lab_device(lab, sizeof *m->d_count);
}

static void set_share(to_mask *m, double share) {
    selections_chosen *const chosen = &m->chosen;
    const bench_platform *const platform = &m->lab->run->platform;
    selections_all(chosen);
    selections_narrow(chosen, m->keys, 1, INT32_MIN,
                      (uint64_t)(share * 4294967296.0));
#pragma omp parallel for
    for (uint64_t i = 0; i < chosen->n; i++)
        m->flags[i] = chosen->bits[i / 64] >> i % 64 & 1;
    memcpy(m->bits, chosen->bits, 8 * chosen->words);
    if (chosen->n % 64 != 0) {
        uint64_t poison;
        memset(&poison, BENCH_POISON, sizeof poison);
        m->bits[chosen->words - 1] |= poison >> chosen->n % 64
                                                    << chosen->n % 64;
    }
    platform->store(m->d_given[WINNOW_MASK_BYTES], m->flags, chosen->n);
    platform->store(m->d_given[WINNOW_MASK_BITS], m->bits, 8 * chosen->words);
}

static void measure(to_mask *m, double share) {
    const selections_chosen *const chosen = &m->chosen;
    const uint64_t mask_bytes =
        m->form->kind == WINNOW_MASK_BITS ? (chosen->n + 7) / 8 : chosen->n;
    const uint64_t bytes = mask_bytes + 8 * chosen->words;
    const lab_row row = {.variant = m->form->name,
                         .n = chosen->n,
                         .x_name = "kept",
                         .x = share,
                         .bytes = bytes,
                         .copy_s = lab_copy(m->lab, bytes)};
    if (!m->form->makes) /* it is there before the time is taken */
        make_selection(m, WINNOW_MASK_BITS, m->lab->run->platform.stream);
    lab_measure(m->lab, &row, &(lab_variant){run, right, m, false});
}

void selections_to_mask(bench_lab *lab) {
    static const uint64_t usual[] = {UINT64_C(1) << 28};
    static const double usual_shares[] = {0.01, 0.5};
    const uint64_t *sizes;
    const double *shares;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    const unsigned share_count = LAB_SHARES(lab, usual_shares, &shares);
    for (unsigned i = 0; i < count; i++) {
        to_mask m = {.lab = lab};
        make_input(&m, sizes[i]);
        for (unsigned s = 0; s < share_count; s++) {
            set_share(&m, shares[s]);
            for (unsigned f = 0; f < FORMS; f++) {
                m.form = &forms[f];
                measure(&m, shares[s]);
            }
        }
        lab_free(lab);
    }
}
