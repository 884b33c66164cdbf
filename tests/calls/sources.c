/*
 * Calls that make selections.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "calls.h"

#include <string.h>

static void keep_result(struct outcome *o) {
    calls_write_selection(call_to(o, o->a->result), o->keep_n, o->keep);
}

static winnow_status select_if(const struct arguments *a,
                               const winnow_launch *launch) {
    return winnow_select_if(a->context, a->predicate, a->type, a->in, a->n,
                            a->result, a->result_bytes, launch);
}

static winnow_status select_where(const struct arguments *a,
                                  const winnow_launch *launch) {
    return winnow_select_where(a->context, a->condition, &a->column, 1, a->n,
                               a->result, a->result_bytes, launch);
}

void calls_where(struct outcome *o) {
    const unsigned char *const from = call_from(o, o->a->column.d_base);

    for (uint64_t i = 0; i < o->items; i++) {
        uint32_t word;

        memcpy(&word, from + 4 * i, 4);
        o->keep[i] = word < CALLS_BELOW;
    }
}

static winnow_status select_flagged(const struct arguments *a,
                                    const winnow_launch *launch) {
    return winnow_select_flagged(a->context, &a->mask, a->n, a->result,
                                 a->result_bytes, launch);
}

void calls_flagged(struct outcome *o) {
    const winnow_mask *const mask = &o->a->mask;
    const unsigned char *const flags = call_from(o, mask->d_flags);

    for (uint64_t i = 0; i < o->items; i++) {
        const uint64_t at = mask->offset + i;

        o->keep[i] = mask->kind == WINNOW_MASK_BYTES
                         ? flags[at] != 0
                         : flags[at / 8] >> at % 8 & 1;
    }
}

static winnow_status select_unique(const struct arguments *a,
                                   const winnow_launch *launch) {
    return winnow_select_unique(a->context, &a->keys, a->n, &a->options,
                                a->result, a->result_bytes, launch);
}

/* The first or the last item of each run of equal keys. */
void calls_unique(struct outcome *o) {
    const winnow_in *const keys = &o->a->keys;
    const size_t bytes = calls_element(keys->type, keys->element_bytes);
    const unsigned char *const from = call_from(o, keys->d_base);

    for (uint64_t i = 0; i < o->items; i++) {
        const uint64_t other =
            o->a->options.keep == WINNOW_UNIQUE_LAST ? i + 1 : i - 1;

        o->keep[i] = other >= o->items ||
                     memcmp(from + i * bytes, from + other * bytes, bytes);
    }
}

static winnow_status select_ranges(const struct arguments *a,
                                   const winnow_launch *launch) {
    return winnow_select_ranges(a->context, a->selection, &a->strings, a->n,
                                a->result, a->result_bytes, launch);
}

static void keep_ranges(struct outcome *o) {
    const winnow_in *const ranges = &o->a->strings;
    const bool wide = ranges->type == WINNOW_STRING64;
    const unsigned char *const from = call_from(o, ranges->d_base);

    o->keep_n = ranges->data_size;
    for (uint64_t r = 0; r < o->items; r++) {
        uint64_t ends[2] = {0, 0};

        if (!calls_keeps(call_from(o, o->a->selection), r))
            continue;
        for (unsigned e = 0; e < 2; e++)
            memcpy(&ends[e], from + (r + e) * (wide ? 8 : 4), wide ? 8 : 4);
        memset(o->keep + ends[0], 1, ends[1] - ends[0]);
    }
}

static winnow_status selection_combine(const struct arguments *a,
                                       const winnow_launch *launch) {
    return winnow_selection_combine(a->context, a->combine, a->selection,
                                    a->other, a->n, a->result, a->result_bytes,
                                    launch);
}

static void combine(struct outcome *o) {
    for (uint64_t i = 0; i < o->items; i++) {
        const bool a = calls_keeps(call_from(o, o->a->selection), i);
        const bool b = calls_keeps(call_from(o, o->a->other), i);

        o->keep[i] = o->a->combine == WINNOW_AND       ? a && b
                     : o->a->combine == WINNOW_OR      ? a || b
                     : o->a->combine == WINNOW_AND_NOT ? a && !b
                                                       : a != b;
    }
}

static winnow_status selection_not(const struct arguments *a,
                                   const winnow_launch *launch) {
    return winnow_selection_not(a->context, a->selection, a->n, a->result,
                                a->result_bytes, launch);
}

static void keep_others(struct outcome *o) {
    for (uint64_t i = 0; i < o->items; i++)
        o->keep[i] = !calls_keeps(call_from(o, o->a->selection), i);
}

const struct call calls_sources[] = {
    {"select_if", select_if, calls_if, keep_result, CALL_TYPED},
    {"select_where", select_where, calls_where, keep_result, 0},
    {"select_flagged", select_flagged, calls_flagged, keep_result, 0},
    {"select_unique", select_unique, calls_unique, keep_result, CALL_ROWS},
    {"select_ranges", select_ranges, keep_ranges, keep_result, 0},
    {"selection_combine", selection_combine, combine, keep_result, 0},
    {"selection_not", selection_not, keep_others, keep_result, 0},
    {0}};
