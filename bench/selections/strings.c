/*
 * Strings packed by a selection that is there: offsets of 32 and of 64 bits,
 * lengths from 0 to twice the mean. A size is the bytes of all strings.
 *
 * CUB's way: DeviceSelect::Flagged packs where each string begins and its
 * length, DeviceScan::InclusiveSum makes the lengths offsets, and
 * DeviceMemcpy::Batched moves the bytes. The number of strings that are kept is
 * known to it, for which a user would have to wait.
 *
 * The bytes that have to be moved: the words of the selection; the sectors of
 * 32 bytes of the offsets and of the bytes that have some of a string that is
 * kept; and the offsets and the bytes that are written. Of CUB's, the same.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "chosen.h"
#include "outcome.h"
#include "selections.h"
#include "string_data.h"

#include "../util.h"

#include <stdio.h>
#include <string.h>

static const winnow_type types[] = {WINNOW_STRING32, WINNOW_STRING64};
#define TYPES (sizeof types / sizeof types[0])
static const unsigned means[] = {8, 32, 128};

/* What is expected of the offsets of a type, and where they are on the device.
 */
typedef struct typed {
    winnow_in in;
    winnow_launch launch;
    void *out;
    uint64_t total;
} typed;

typedef struct strings {
    bench_lab *lab;
    const selections_cub *cub; /* or NULL */
    bool by_cub;
    unsigned mean, which; /* of the types */
    selections_strings data;
    selections_chosen chosen;
    typed typed[TYPES];
    char *out;               /* the strings that are kept */
    uint64_t *out_offsets;   /* theirs, which `typed` has as its type's */
    uint64_t counts[2];      /* how many, and their bytes */
    uint64_t sectors, total; /* of the bytes */
    void *d_bits, *d_selection, *d_out_offsets, *d_out;
    size_t selection_bytes;
    uint64_t *d_counts;
    uint8_t *flags, *d_flags; /* CUB's */
    void *d_spans, *d_temp;
    size_t temp_bytes;
} strings;

static winnow_status call(const void *state, const winnow_launch *launch) {
    const strings *t = state;
    return winnow_compact_strings(t->lab->run->context, t->d_selection,
                                  &t->typed[t->which].in, t->data.n,
                                  t->d_out_offsets, WINNOW_NO_LIMIT, t->d_out,
                                  WINNOW_NO_LIMIT, t->d_counts, launch);
}

static void run_cub(strings *t, uint64_t kept, winnow_stream stream) {
    const winnow_in *const in = &t->typed[t->which].in;
    selections_must(t->cub->pack_strings(selections_offset_bytes(in->type),
                                         t->d_flags, t->d_temp, &t->temp_bytes,
                                         in->d_base, in->d_data, t->data.n,
                                         kept, t->d_spans, t->d_out_offsets,
                                         t->d_out, t->d_counts, stream),
                    "strings by CUB");
}

static void run(void *state, winnow_stream stream) {
    strings *t = state;
    if (t->by_cub)
        run_cub(t, t->counts[0], stream);
    else
        bench_enqueue(call, "winnow_compact_strings", t,
                      t->typed[t->which].launch, stream);
}

/* CUB's way counts strings alone. */
static bool right(void *state) {
    const strings *t = state;
    const typed *const as = &t->typed[t->which];
    const uint32_t size = (uint32_t)selections_offset_bytes(as->in.type);
    const bool counted =
        selections_same(t->lab, t->d_counts, t->counts,
                        (t->by_cub ? 1 : 2) * sizeof t->counts[0]);
    const bool placed =
        selections_alike(t->lab, t->d_out_offsets, as->out, size,
                         (t->counts[0] + 1) * size, as->total);
    return selections_alike(t->lab, t->d_out, t->out, 8, t->counts[1],
                            t->total) &&
           counted && placed;
}

/* ------------------------------------------------------------------- inputs */

static void make_input(strings *t, uint64_t bytes) {
    bench_lab *const lab = t->lab;
    const uint64_t n = bytes / t->mean > 0 ? bytes / t->mean : 1;
    selections_strings_init(&t->data, lab, n, t->mean, t->mean, 26);
    selections_chosen_init(&t->chosen, lab, n);
    t->out = lab_host(lab, t->data.bytes + 8);
    t->out_offsets = lab_host(lab, (n + 1) * sizeof *t->out_offsets);
    t->d_bits = lab_device(lab, 8 * t->chosen.words);
    t->d_out_offsets = lab_device(lab, (n + 1) * sizeof *t->out_offsets);
    t->d_out = lab_device(lab, t->data.bytes);
    t->d_counts = lab_device(lab, sizeof t->counts);
    bench_check(winnow_selection_bytes(n, &t->selection_bytes),
                "winnow_selection_bytes");
    t->d_selection = lab_device(lab, t->selection_bytes);
    for (t->which = 0; t->which < TYPES; t->which++) {
        typed *const as = &t->typed[t->which];
        as->in = selections_strings_send(&t->data, lab, types[t->which]);
        as->launch = (winnow_launch){.size = sizeof as->launch};
        lab_plan(lab, call, "a plan of winnow_compact_strings", t, &as->launch);
    }
}

/* As much as the type that asks for more, and all strings, need. */
static void make_room_for_cub(strings *t) {
    bench_lab *const lab = t->lab;
    size_t most = 0;
    t->cub = selections_cub_of(lab);
    if (t->cub == NULL)
        return;
    t->flags = lab_host(lab, t->data.n);
    t->d_flags = lab_device(lab, t->data.n);
    t->d_spans = lab_device(lab, 2 * sizeof(uint64_t) * t->data.n);
    for (t->which = 0; t->which < TYPES; t->which++) {
        run_cub(t, t->data.n,
                lab->run->platform.stream); /* asks for the size */
        most = t->temp_bytes > most ? t->temp_bytes : most;
    }
    t->temp_bytes = most;
    t->d_temp = lab_device(lab, most);
}

/* Sectors are counted where a string reaches one that none before it did. */
static void pack(strings *t) {
    uint64_t at = 0, kept = 0, next = 0;
    t->sectors = 0;
    for (uint64_t w = 0; w < t->chosen.words; w++)
        for (uint64_t left = t->chosen.bits[w]; left != 0; left &= left - 1) {
            const uint64_t i = 64 * w + (uint64_t)__builtin_ctzll(left);
            uint64_t bytes;
            const char *const from = selections_strings_at(&t->data, i, &bytes);
            t->out_offsets[kept++] = at;
            if (bytes == 0)
                continue;
            const uint64_t first = t->data.offsets[i] / 32;
            const uint64_t end = (t->data.offsets[i + 1] + 31) / 32;
            t->sectors += end - (first > next ? first : next);
            next = end;
            memcpy(t->out + at, from, bytes);
            at += bytes;
        }
    t->out_offsets[kept] = at;
    t->counts[0] = kept;
    t->counts[1] = at;
    t->total = selections_total(t->out, 8, at);
}

static void set_share(strings *t, double share) {
    const bench_platform *const platform = &t->lab->run->platform;
    selections_draw(&t->chosen, 47, share);
    pack(t);
    platform->store(t->d_bits, t->chosen.bits, 8 * t->chosen.words);
    bench_check(
        winnow_select_flagged(t->lab->run->context,
                              &(winnow_mask){WINNOW_MASK_BITS, t->d_bits, 0},
                              t->data.n, t->d_selection, t->selection_bytes,
                              WINNOW_LAUNCH(.stream = platform->stream)),
        "winnow_select_flagged");
    if (t->cub == NULL)
        return;
#pragma omp parallel for
    for (uint64_t i = 0; i < t->data.n; i++)
        t->flags[i] = t->chosen.bits[i / 64] >> i % 64 & 1;
    platform->store(t->d_flags, t->flags, t->data.n);
}

static void expect_offsets(strings *t) {
    typed *const as = &t->typed[t->which];
    const uint32_t size = (uint32_t)selections_offset_bytes(as->in.type);
    if (as->out == NULL)
        as->out = lab_host(t->lab, (t->data.n + 1) * size);
#pragma omp parallel for
    for (uint64_t k = 0; k <= t->counts[0]; k++)
        bench_store(as->out, size, k, t->out_offsets[k]);
    as->total = selections_total(as->out, size, (t->counts[0] + 1) * size);
}

/* ---------------------------------------------------------------- measuring */

static void measure(strings *t, double share) {
    const winnow_type type = t->typed[t->which].in.type;
    const size_t size = selections_offset_bytes(type);
    const uint64_t bytes =
        8 * t->chosen.words + 32 * selections_sectors(&t->chosen, size) +
        32 * t->sectors + (t->counts[0] + 1) * size + t->counts[1];
    char name[64];
    snprintf(name, sizeof name, "%s, %u bytes",
             t->by_cub ? t->cub->name() : "winnow_compact_strings", t->mean);
    const lab_row row = {.variant = name,
                         .type = winnow_type_name(type),
                         .n = t->data.n,
                         .x_name = "kept",
                         .x = share,
                         .bytes = bytes,
                         .results_p = &t->counts[0],
                         .copy_s = lab_copy(t->lab, bytes)};
    lab_measure(t->lab, &row, &(lab_variant){run, right, t, false});
}

static void measure_share(strings *t, double share) {
    set_share(t, share);
    for (t->which = 0; t->which < TYPES; t->which++) {
        expect_offsets(t);
        for (unsigned cub = 0; cub < 2; cub++) {
            t->by_cub = cub != 0;
            if (!t->by_cub || t->cub != NULL)
                measure(t, share);
        }
    }
}

void selections_strings_packed(bench_lab *lab) {
    static const uint64_t usual[] = {UINT64_C(1) << 29};
    static const double usual_shares[] = {0.1, 0.5, 0.9};
    const uint64_t *sizes;
    const double *shares;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    const unsigned share_count = LAB_SHARES(lab, usual_shares, &shares);
    for (unsigned i = 0; i < count; i++)
        for (unsigned m = 0; m < sizeof means / sizeof means[0]; m++) {
            strings t = {.lab = lab, .mean = means[m]};
            make_input(&t, sizes[i]);
            make_room_for_cub(&t);
            for (unsigned s = 0; s < share_count; s++)
                measure_share(&t, shares[s]);
            lab_free(lab);
        }
}
