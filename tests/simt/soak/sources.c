/*
 * What makes selections, alone: a warp makes a tile, so that a second block begins
 * with the ninth. The host looks at the selection.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "soak.h"

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "element.h"
#include "rules.h"
#include "selection/format.h"

enum {
    BLOCK = WINNOW__SOURCE_TILES * WINNOW__SELECTION_TILE,
    MOST = BLOCK + 3000,
    KEY_BYTES = 12 /* of an element, at most */
};

/* Memory of the steps' own, which lasts. */
static struct fixture {
    struct selected selected, other;
    struct region in;
    uint8_t keep[MOST], other_keep[MOST];
    unsigned char data[MOST * KEY_BYTES + 64];
} * fixture_of(const struct backend *backend) {
    static struct fixture f;

    if (f.selected.backend == NULL) {
        selected_open(&f.selected, backend, MOST);
        selected_open(&f.other, backend, MOST);
        region_open(&f.in, backend, sizeof(f.data) + 64);
    }
    return &f;
}

static uint64_t draw_n(uint64_t seed) {
    return BLOCK + 1 + soak_draw(seed, 20, MOST - BLOCK);
}

static bool run_if(const struct backend *backend, unsigned number,
                   uint64_t seed, struct report *report) {
    static const winnow_type types[] = {WINNOW_INT8,     WINNOW_UINT16,
                                        WINNOW_BFLOAT16, WINNOW_INT32,
                                        WINNOW_FLOAT32,  WINNOW_INT64};
    struct fixture *const f = fixture_of(backend);
    const winnow_type type = types[soak_draw(seed, 21, 6)];
    const size_t size = element_size(type), at = size * soak_draw(seed, 22, 16);
    const uint64_t n = draw_n(seed);
    struct rule rules[RULES_KINDS];
    winnow_predicate *predicate;

    (void)number;
    rules_kinds(type, rules);
    const struct rule *const rule = &rules[soak_draw(seed, 23, RULES_KINDS)];
    data_fill(rule, &patterns[soak_draw(seed, 24, PATTERNS)], seed, n, f->data);
    region_write(&f->in, at, f->data, n * size);
    for (uint64_t i = 0; i < n; i++)
        f->keep[i] = oracle_keeps(rule, element_load(type, f->data + i * size));
    if (rule_create(rule, &predicate) != WINNOW_OK)
        abort();
    selected_prepare(&f->selected, n);
    const winnow_status status =
        winnow_select_if(backend->context, predicate, type, f->in.base + at, n,
                         f->selected.d_selection, f->selected.bytes,
                         WINNOW_LAUNCH(.stream = backend->stream));
    winnow_predicate_destroy(predicate);
    return soak_done(backend, status, report) &&
           soak_check_selection(&f->selected, f->keep, report);
}

/* A mask of bits, from any bit on. */
static bool run_bits(const struct backend *backend, unsigned number,
                     uint64_t seed, struct report *report) {
    struct fixture *const f = fixture_of(backend);
    const uint64_t n = draw_n(seed), offset = soak_draw(seed, 22, 200);
    const winnow_mask mask = {
        .kind = WINNOW_MASK_BITS, .d_flags = f->in.base + 1, .offset = offset};

    (void)number;
    soak_keep(seed, n, f->keep);
    memset(f->data, 0xa5, (offset + n) / 8 + 1);
    for (uint64_t i = 0; i < n; i++) {
        const unsigned char bit = (unsigned char)(1 << (offset + i) % 8);
        unsigned char *const byte = &f->data[(offset + i) / 8];

        *byte = (unsigned char)(f->keep[i] ? *byte | bit : *byte & ~bit);
    }
    region_write(&f->in, 1, f->data, (offset + n) / 8 + 1);
    selected_prepare(&f->selected, n);
    return soak_done(
               backend,
               winnow_select_flagged(backend->context, &mask, n,
                                     f->selected.d_selection, f->selected.bytes,
                                     WINNOW_LAUNCH(.stream = backend->stream)),
               report) &&
           soak_check_selection(&f->selected, f->keep, report);
}

/* Heads or tails of runs, of keys of any number of bytes: of powers of two, or
 * not. */
static bool run_unique(const struct backend *backend, unsigned number,
                       uint64_t seed, struct report *report) {
    static const size_t sizes[2][4] = {{1, 2, 4, 4}, {3, 5, 6, KEY_BYTES}};
    struct fixture *const f = fixture_of(backend);
    const size_t size = sizes[number][soak_draw(seed, 21, 4)];
    const size_t at = soak_draw(seed, 22, 2) * soak_draw(seed, 25, 16);
    const uint64_t n = draw_n(seed), run = 1 + soak_draw(seed, 23, 40);
    const bool last = soak_draw(seed, 24, 2) != 0;
    const winnow_in keys = {.element_bytes = (uint32_t)size,
                            .d_base = f->in.base + at};
    const winnow_unique_options options = {.size = sizeof(options),
                                           .keep = last ? WINNOW_UNIQUE_LAST
                                                        : WINNOW_UNIQUE_FIRST};

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t draw = data_random(seed, i);

        if (i != 0 && draw % run != 0)
            memcpy(f->data + i * size, f->data + (i - 1) * size, size);
        else
            for (size_t b = 0; b < size; b++) /* some are like the one before */
                f->data[i * size + b] =
                    b == size / 2 ? (unsigned char)(draw >> 32) % 3 : 7;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t other = last ? i + 1 : i - 1;

        f->keep[i] = other >= n || memcmp(f->data + i * size,
                                          f->data + other * size, size) != 0;
    }
    region_write(&f->in, at, f->data, n * size);
    selected_prepare(&f->selected, n);
    return soak_done(
               backend,
               winnow_select_unique(backend->context, &keys, n, &options,
                                    f->selected.d_selection, f->selected.bytes,
                                    WINNOW_LAUNCH(.stream = backend->stream)),
               report) &&
           soak_check_selection(&f->selected, f->keep, report);
}

/* The items of the ranges that a selection keeps: as many ranges as items, about,
 * so that both kernels have two blocks. */
static bool run_ranges(const struct backend *backend, unsigned number,
                       uint64_t seed, struct report *report) {
    struct fixture *const f = fixture_of(backend);
    const uint64_t ranges = draw_n(seed), n = draw_n(seed + 1);
    uint32_t *const offsets = (uint32_t *)(void *)f->data;
    const winnow_in in = {
        .type = WINNOW_STRING32, .d_base = f->in.base, .data_size = n};
    uint64_t at = 0;

    (void)number;
    soak_keep(seed, ranges, f->other_keep);
    memset(f->keep, 0, n);
    for (uint64_t r = 0; r < ranges; r++) {
        const uint64_t left = n - at, draw = data_random(seed, r) % 100;
        const uint64_t some = draw < 60   ? 1
                              : draw < 80 ? 0
                              : draw < 99 ? 2
                                          : 150;
        const uint64_t length = some < left ? some : left;

        offsets[r] = (uint32_t)at;
        if (f->other_keep[r])
            memset(f->keep + at, 1, length);
        at += length;
    }
    offsets[ranges] = (uint32_t)at;
    region_write(&f->in, 0, offsets, (ranges + 1) * 4);
    soak_put_selection(&f->other, f->other_keep, ranges);
    selected_prepare(&f->selected, n);
    return soak_done(backend,
                     winnow_select_ranges(
                         backend->context, f->other.d_selection, &in, ranges,
                         f->selected.d_selection, f->selected.bytes,
                         WINNOW_LAUNCH(.stream = backend->stream)),
                     report) &&
           soak_check_selection(&f->selected, f->keep, report);
}

/* Two selections, or the others of one. */
static bool run_combine(const struct backend *backend, unsigned number,
                        uint64_t seed, struct report *report) {
    struct fixture *const f = fixture_of(backend);
    const uint64_t n = draw_n(seed);
    const unsigned way = (unsigned)soak_draw(seed, 21, 5);
    winnow_status status;

    (void)number;
    soak_keep(seed, n, f->keep);
    soak_keep(seed + 1, n, f->other_keep);
    soak_put_selection(&f->selected, f->keep, n);
    soak_put_selection(&f->other, f->other_keep, n);
    if (way == 4)
        status =
            winnow_selection_not(backend->context, f->selected.d_selection, n,
                                 f->selected.d_selection, f->selected.bytes,
                                 WINNOW_LAUNCH(.stream = backend->stream));
    else
        status = winnow_selection_combine(
            backend->context, (winnow_combine)way, f->selected.d_selection,
            f->other.d_selection, n, f->selected.d_selection, f->selected.bytes,
            WINNOW_LAUNCH(.stream = backend->stream));
    for (uint64_t i = 0; i < n; i++) {
        const bool a = f->keep[i] != 0, b = f->other_keep[i] != 0;

        f->keep[i] = way == WINNOW_AND       ? a && b
                     : way == WINNOW_OR      ? a || b
                     : way == WINNOW_AND_NOT ? a && !b
                     : way == WINNOW_XOR     ? a != b
                                             : !a;
    }
    return soak_done(backend, status, report) &&
           soak_check_selection(&f->selected, f->keep, report);
}

/* --------------------------------------------------------------- fields */

/* Records by a field of theirs, in two kernels; appended. */
static bool run_field(const struct backend *backend, unsigned number,
                      uint64_t seed, struct report *report) {
    static const size_t sizes[] = {5, KEY_BYTES, 8, 9};
    struct fixture *const f = fixture_of(backend);
    const uint64_t n = WINNOW__SELECTION_TILE + 1 + soak_draw(seed, 20, 500);
    const size_t size = sizes[soak_draw(seed, 21, 4)];
    const size_t field = soak_draw(seed, 22, size - 3);
    const uint64_t there = soak_draw(seed, 23, 3) ? n : n - n / 5;
    const uint32_t zero = 0;
    static unsigned char *d_out, out[(BLOCK / 4) * KEY_BYTES];
    static uint64_t *d_numbers;
    uint64_t numbers[2] = {there, 3}, at = 3;
    winnow_predicate *predicate;

    (void)number;
    if (d_out == NULL) {
        d_out = backend_alloc(backend, sizeof(out));
        d_numbers = backend_alloc(backend, sizeof(numbers));
    }
    soak_keep(seed, n, f->keep);
    for (size_t i = 0; i < n * size; i++)
        f->data[i] = (unsigned char)data_random(seed, i);
    for (uint64_t i = 0; i < n; i++)
        memset(f->data + i * size + field, f->keep[i] ? 7 : 0, 4);
    region_write(&f->in, 0, f->data, n * size);
    memset(out, 0x5a, (n + 4) * size);
    backend_upload(backend, d_out, out, (n + 4) * size);
    backend_upload(backend, d_numbers, numbers, sizeof(numbers));
    if (winnow_predicate_compare(&predicate, WINNOW_UINT32, WINNOW_NE, &zero) !=
        WINNOW_OK)
        abort();
    const winnow_status status = winnow_copy_columns_if(
        backend->context, predicate,
        &(winnow_in){.type = WINNOW_UINT32,
                     .d_base = f->in.base + field,
                     .stride_bytes = (int64_t)size},
        n,
        &(winnow_move){
            .d_in = f->in.base, .d_out = d_out, .element_bytes = size},
        1, n + 3, NULL,
        WINNOW_LAUNCH(.stream = backend->stream, .d_n = d_numbers,
                      .d_position = d_numbers + 1));
    winnow_predicate_destroy(predicate);
    if (!soak_done(backend, status, report))
        return false;
    backend_download(backend, out, d_out, (n + 4) * size);
    backend_download(backend, numbers, d_numbers, sizeof(numbers));
    for (uint64_t i = 0; i < there; i++)
        if (f->keep[i] &&
            memcmp(out + at++ * size, f->data + i * size, size) != 0)
            return report_fail(report, "record %llu is wrong",
                               (unsigned long long)i);
    if (numbers[1] != at || out[at * size] != 0x5a)
        return report_fail(report, "the records end at %llu, not %llu",
                           (unsigned long long)numbers[1],
                           (unsigned long long)at);
    return true;
}

void soak_sources(void) {
    soak_add(SOAK_USUAL, run_if, 0, "select_if");
    soak_add(SOAK_USUAL, run_bits, 0, "select_flagged");
    soak_add(SOAK_USUAL, run_unique, 0, "select_unique");
    soak_add(SOAK_USUAL, run_unique, 1, "select_unique records");
    soak_add(SOAK_USUAL, run_ranges, 0, "select_ranges");
    soak_add(SOAK_USUAL, run_combine, 0, "combine");
    soak_add(SOAK_USUAL, run_field, 0, "records by a field");
}
