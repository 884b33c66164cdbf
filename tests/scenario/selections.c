/*
 * Selections: sources, whose result is looked at as a mask, and sinks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "scenario.h"

#include <string.h>

static winnow_status to_mask(struct scenario *s, uint64_t n) {
    return winnow_selection_to_mask(s->backend.context, s->out->selection, n,
                                    WINNOW_MASK_BYTES, s->out->mask, 0,
                                    &s->launch);
}

/* Made by `status`, then shown. */
#define SHOW(call)                                                             \
    do {                                                                       \
        const winnow_status show_status = (call);                              \
        return show_status == WINNOW_OK ? to_mask(s, s->n) : show_status;      \
    } while (0)

static void check_mask(struct scenario *s) {
    if (memcmp(s->out->mask, s->in->keep, s->n) != 0)
        scenario_wrong(s, "the mask is wrong");
}

static winnow_status select_if(struct scenario *s) {
    SHOW(winnow_select_if(s->backend.context, s->predicate, WINNOW_INT32,
                          s->in->x, s->n, s->out->selection,
                          sizeof s->out->selection, &s->launch));
}

static winnow_status select_where(struct scenario *s) {
    const winnow_in column = {.type = WINNOW_INT32, .d_base = s->in->x};
    SHOW(winnow_select_where(s->backend.context, s->condition, &column, 1, s->n,
                             s->out->selection, sizeof s->out->selection,
                             &s->launch));
}

static winnow_status select_flagged(struct scenario *s) {
    const winnow_mask mask = {WINNOW_MASK_BITS, s->in->bits, 0};
    SHOW(winnow_select_flagged(s->backend.context, &mask, s->n,
                               s->out->selection, sizeof s->out->selection,
                               &s->launch));
}

static winnow_status select_unique(struct scenario *s) {
    const winnow_in keys = {.element_bytes = 4, .d_base = s->in->runs};
    SHOW(winnow_select_unique(s->backend.context, &keys, s->n, NULL,
                              s->out->selection, sizeof s->out->selection,
                              &s->launch));
}

static void check_unique_mask(struct scenario *s) {
    for (uint64_t i = 0; i < s->n; i++)
        if (s->out->mask[i] != (i % 3 == 0))
            scenario_wrong(s, "item %llu is wrong", (unsigned long long)i);
}

static winnow_status select_ranges(struct scenario *s) {
    const winnow_in ranges = {.type = WINNOW_STRING32,
                              .d_base = s->in->segment_offsets,
                              .data_size = s->n};
    SHOW(winnow_select_ranges(s->backend.context, s->in->segments, &ranges,
                              SCENARIO_SEGMENTS, s->out->selection,
                              sizeof s->out->selection, &s->launch));
}

static void check_ranges(struct scenario *s) {
    for (uint64_t i = 0; i < s->n; i++)
        if (s->out->mask[i] !=
            (i >= s->in->segment_offsets[1] && i < s->in->segment_offsets[3]))
            scenario_wrong(s, "item %llu is wrong", (unsigned long long)i);
}

static winnow_status combine(struct scenario *s) {
    SHOW(winnow_selection_combine(
        s->backend.context, WINNOW_AND, s->in->selection, s->in->selection,
        s->n, s->out->selection, sizeof s->out->selection, &s->launch));
}

static winnow_status negate(struct scenario *s) {
    SHOW(winnow_selection_not(s->backend.context, s->in->selection, s->n,
                              s->out->selection, sizeof s->out->selection,
                              &s->launch));
}

static void check_not(struct scenario *s) {
    for (uint64_t i = 0; i < s->n; i++)
        if (s->out->mask[i] == s->in->keep[i])
            scenario_wrong(s, "item %llu is wrong", (unsigned long long)i);
}

static winnow_status count(struct scenario *s) {
    return winnow_selection_count(s->backend.context, s->in->selection, s->n,
                                  &s->out->count, &s->launch);
}

static void check_count(struct scenario *s) {
    scenario_check_count(s, s->out->count);
}

static winnow_status segments(struct scenario *s) {
    const winnow_segments segments = {.type = WINNOW_UINT32,
                                      .count = SCENARIO_SEGMENTS,
                                      .d_offsets = s->in->segment_offsets,
                                      .d_counts = s->out->segment_counts};
    return winnow_selection_segments(s->backend.context, s->in->selection, s->n,
                                     &segments, &s->launch);
}

static void check_segments(struct scenario *s) {
    for (int k = 0; k < SCENARIO_SEGMENTS; k++) {
        uint32_t kept = 0;
        for (uint32_t i = s->in->segment_offsets[k];
             i < s->in->segment_offsets[k + 1]; i++)
            kept += s->in->keep[i];
        if (s->out->segment_counts[k] != kept)
            scenario_wrong(s, "segment %d is wrong", k);
    }
}

static winnow_status compact(struct scenario *s) {
    return winnow_compact(s->backend.context, s->in->selection, s->in->x, s->n,
                          4, s->out->x, s->n, &s->out->count, &s->launch);
}

static winnow_status compact_columns(struct scenario *s) {
    const winnow_move moves[] = {
        {.d_in = s->in->x, .d_out = s->out->x, .element_bytes = 4},
        {.d_in = s->in->runs, .d_out = s->out->keys, .element_bytes = 4}};
    return winnow_compact_columns(s->backend.context, s->in->selection, s->n,
                                  moves, 2, s->n, &s->out->count, &s->launch);
}

static void check_packed(struct scenario *s) {
    scenario_check_count(s, s->out->count);
    scenario_check_packed(s, s->in->x, s->out->x, sizeof s->in->x[0]);
}

static void check_columns(struct scenario *s) {
    check_packed(s);
    scenario_check_packed(s, s->in->runs, s->out->keys, sizeof s->in->runs[0]);
}

static winnow_status compact_index(struct scenario *s) {
    return winnow_compact_index(s->backend.context, s->in->selection, s->n,
                                WINNOW_UINT32, s->out->keys, WINNOW_NO_LIMIT,
                                &s->out->count, &s->launch);
}

static void check_index(struct scenario *s) {
    scenario_check_count(s, s->out->count);
    if (memcmp(s->out->keys, s->kept_at, s->kept * sizeof s->kept_at[0]) != 0)
        scenario_wrong(s, "the indices are wrong");
}

static winnow_status compact_strings(struct scenario *s) {
    const winnow_in strings = {.type = WINNOW_STRING32,
                               .d_base = s->in->strings,
                               .d_data = s->in->bytes,
                               .data_size = s->in->strings[s->n]};
    return winnow_compact_strings(s->backend.context, s->in->selection,
                                  &strings, s->n, s->out->keys, WINNOW_NO_LIMIT,
                                  s->out->bytes, WINNOW_NO_LIMIT,
                                  s->out->counts, &s->launch);
}

static void check_strings(struct scenario *s) {
    uint32_t end = 0;
    for (uint64_t k = 0; k < s->kept; k++) {
        const uint32_t i = s->kept_at[k];
        const uint32_t bytes = s->in->strings[i + 1] - s->in->strings[i];
        if (s->out->keys[k] != end ||
            memcmp(s->out->bytes + end, s->in->bytes + s->in->strings[i],
                   bytes) != 0)
            scenario_wrong(s, "string %llu is wrong", (unsigned long long)k);
        end += bytes;
    }
    scenario_check_count(s, s->out->counts[0]);
    if (s->out->keys[s->kept] != end || s->out->counts[1] != end)
        scenario_wrong(s, "the bytes are %u", end);
}

static winnow_status split(struct scenario *s) {
    const winnow_in in = {.element_bytes = 4, .d_base = s->in->x};
    const winnow_out kept = {.element_bytes = 4, .d_base = s->out->x};
    const winnow_out rejected = {.element_bytes = 4, .d_base = s->out->rest};
    return winnow_split(s->backend.context, s->in->selection, &in, s->n, &kept,
                        s->n, &rejected, s->n, s->out->counts, &s->launch);
}

static void check_split(struct scenario *s) {
    uint64_t rejects = 0;
    scenario_check_count(s, s->out->counts[0]);
    scenario_check_packed(s, s->in->x, s->out->x, sizeof s->in->x[0]);
    for (uint64_t i = 0; i < s->n; i++)
        if (!s->in->keep[i] && s->out->rest[rejects++] != s->in->x[i])
            scenario_wrong(s, "reject %llu is wrong",
                           (unsigned long long)rejects);
}

static winnow_status expand(struct scenario *s) {
    static const int32_t fill = -1;
    const winnow_in packed = {.element_bytes = 4, .d_base = s->in->x};
    const winnow_out out = {.element_bytes = 4, .d_base = s->out->x};
    return winnow_expand(s->backend.context, s->in->selection, &packed,
                         WINNOW_NO_LIMIT, s->n, &fill, &out, &s->launch);
}

static void check_expand(struct scenario *s) {
    uint64_t k = 0;
    for (uint64_t i = 0; i < s->n; i++)
        if (s->out->x[i] != (s->in->keep[i] ? s->in->x[k++] : -1))
            scenario_wrong(s, "place %llu is wrong", (unsigned long long)i);
}

/* Behind as many places as are kept. */
static winnow_status fill(struct scenario *s) {
    static const int32_t value = -3;
    const winnow_out out = {.type = WINNOW_INT32, .d_base = s->out->x};
    const winnow_status status = winnow_selection_count(
        s->backend.context, s->in->selection, s->n, &s->out->count, &s->launch);
    return status != WINNOW_OK ? status
                               : winnow_fill(s->backend.context, &s->out->count,
                                             s->n, &value, &out, &s->launch);
}

static void check_fill(struct scenario *s) {
    int32_t before;
    memset(&before, 0xa5, sizeof before);
    for (uint64_t i = 0; i < s->n; i++)
        if (s->out->x[i] != (i < s->kept ? before : -3))
            scenario_wrong(s, "place %llu is wrong", (unsigned long long)i);
}

/* What arrives fills all that leaves. */
static winnow_status fill_holes(struct scenario *s) {
    const winnow_arrivals arrivals = {.n = s->n - s->kept};
    const winnow_move move = {
        .d_in = s->in->x, .d_out = s->out->x, .element_bytes = 4};
    return winnow_fill_holes(s->backend.context, s->in->selection, s->n,
                             &arrivals, &move, 1, s->n, &s->out->count,
                             &s->launch);
}

static void check_holes(struct scenario *s) {
    int32_t before;
    uint64_t k = 0;
    memset(&before, 0xa5, sizeof before);
    for (uint64_t i = 0; i < s->n; i++)
        if (s->out->x[i] != (s->in->keep[i] ? before : s->in->x[k++]))
            scenario_wrong(s, "place %llu is wrong", (unsigned long long)i);
    if (s->out->count != s->n)
        scenario_wrong(s, "the count is wrong");
}

#define STEP(NAME, CALL, CHECK)                                                \
    { .name = (NAME), .call = (CALL), .check = (CHECK), .captured = true }

const struct scenario_step scenario_selections[] = {
    STEP("select_if", select_if, check_mask),
    STEP("select_where", select_where, check_mask),
    STEP("select_flagged", select_flagged, check_mask),
    STEP("select_unique", select_unique, check_unique_mask),
    STEP("select_ranges", select_ranges, check_ranges),
    STEP("selection_combine", combine, check_mask),
    STEP("selection_not", negate, check_not),
    STEP("selection_count", count, check_count),
    STEP("selection_segments", segments, check_segments),
    STEP("compact", compact, check_packed),
    STEP("compact_columns", compact_columns, check_columns),
    STEP("compact_index", compact_index, check_index),
    STEP("compact_strings", compact_strings, check_strings),
    STEP("split", split, check_split),
    STEP("expand", expand, check_expand),
    STEP("fill", fill, check_fill),
    STEP("fill_holes", fill_holes, check_holes),
    {0}};
