/*
 * Merges results of parts, as winnow_reduction_merge() does. The first one is
 * the result of no element. Plain C, the same on every backend.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "result.h"

WINNOW__BOTH void winnow__reduction_add_sum(const winnow__reduce_type *type,
                                            const winnow_reduction *from,
                                            winnow_reduction *to) {
    const uint64_t before = to->overflow;
    const bool was_none = winnow__reduce_is_no_decimal(to);
    if (type->is_float) {
        to->sum.float64 += from->sum.float64;
        return;
    }
    to->sum.uint64 += from->sum.uint64;
    to->overflow += from->overflow + (to->sum.uint64 < from->sum.uint64);
    if (type->is_decimal &&
        (was_none || winnow__reduce_is_no_decimal(from) ||
         ((before ^ to->overflow) & (from->overflow ^ to->overflow)) >> 63))
        winnow__reduce_no_decimal(to);
}

/* Is a less than b? -0 is less than +0. */
WINNOW__BOTH bool winnow__reduction_less(const winnow__reduce_type *type,
                                         winnow_number a, winnow_number b) {
    if (!type->is_float)
        return type->is_signed ? a.int64 < b.int64 : a.uint64 < b.uint64;
    if (a.float64 != b.float64)
        return a.float64 < b.float64;
    return a.uint64 >> 63 > b.uint64 >> 63;
}

/* A `best` without an index is the type's last value, for no element. */
WINNOW__BOTH void winnow__reduction_add_end(const winnow__reduce_type *type,
                                            int end, winnow_number value,
                                            uint64_t index, winnow_number *best,
                                            uint64_t *best_index) {
    const bool is_less = winnow__reduction_less(type, value, *best);
    const bool is_greater = winnow__reduction_less(type, *best, value);
    const bool is_better = end == 0 ? is_less : is_greater;
    const bool is_equal = !is_less && !is_greater;
    if (!is_better && !(is_equal && *best_index == WINNOW_NO_INDEX))
        return;
    *best = value;
    *best_index = index;
}

/* Adds one part; parts come in order. `first` is added to its indices. */
WINNOW__BOTH void winnow__reduction_add(const winnow__reduce_type *type,
                                        uint64_t first, unsigned int wanted,
                                        const winnow_reduction *from,
                                        winnow_reduction *to) {
    const uint64_t at[2] = {from->minimum_index, from->maximum_index};
    uint64_t index[2];
    for (int end = 0; end < 2; end++)
        index[end] = at[end] == WINNOW_NO_INDEX ? at[end] : first + at[end];
    to->count += from->count;
    if (wanted & WINNOW_REDUCE_SUM)
        winnow__reduction_add_sum(type, from, to);
    if (wanted & WINNOW_REDUCE_MINIMUM)
        winnow__reduction_add_end(type, 0, from->minimum, index[0],
                                  &to->minimum, &to->minimum_index);
    if (wanted & WINNOW_REDUCE_MAXIMUM)
        winnow__reduction_add_end(type, 1, from->maximum, index[1],
                                  &to->maximum, &to->maximum_index);
}

/* Called after the last part. */
WINNOW__BOTH void winnow__reduction_finish(const winnow__reduce_type *type,
                                           unsigned int wanted,
                                           winnow_reduction *result) {
    if (type->is_float && (wanted & WINNOW_REDUCE_SUM))
        result->sum.float64 = winnow__plain_nan(result->sum.float64);
    if ((wanted & WINNOW_REDUCE_SUM) && !(wanted & WINNOW_REDUCE_PARTIAL))
        winnow__reduce_finish_sum(type, result);
    if (!(wanted & WINNOW_REDUCE_INDEX) || !(wanted & WINNOW_REDUCE_MINIMUM))
        result->minimum_index = 0;
    if (!(wanted & WINNOW_REDUCE_INDEX) || !(wanted & WINNOW_REDUCE_MAXIMUM))
        result->maximum_index = 0;
}
