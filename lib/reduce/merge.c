/*
 * winnow_reduction_merge: results of parts are put together.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "core/status.h"
#include "core/type.h"
#include "details.h"
#include "kernels/reduce/result.h"

static winnow_status check(winnow_type type, const winnow_reduction *partials,
                           uint64_t n, unsigned wanted,
                           const winnow_reduction *result_p) {
    if (winnow__type(type) == NULL)
        return winnow__fail_type("type", type);
    if (partials == NULL && n != 0)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "partials is NULL");
    if (result_p == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "result_p is NULL");
    return winnow__check_wanted("", wanted);
}

static void merge_sum(bool is_float, const winnow_reduction *from,
                      winnow_reduction *to) {
    if (is_float) {
        to->sum.float64 += from->sum.float64;
        return;
    }
    to->sum.uint64 += from->sum.uint64;
    to->overflow += from->overflow + (to->sum.uint64 < from->sum.uint64);
}

/* Is a before b? -0 is before +0. */
static bool is_less(const winnow__reduce_type *type, winnow_number a,
                    winnow_number b) {
    if (!type->is_float)
        return type->is_signed ? a.int64 < b.int64 : a.uint64 < b.uint64;
    if (a.float64 != b.float64)
        return a.float64 < b.float64;
    return a.uint64 >> 63 > b.uint64 >> 63;
}

/* The type's last value without an index is that of no element. */
static void merge_end(const winnow__reduce_type *type, int end,
                      winnow_number value, uint64_t index, winnow_number *best,
                      uint64_t *best_index) {
    const bool is_less_than = is_less(type, value, *best);
    const bool is_greater = is_less(type, *best, value);
    const bool is_better = end == 0 ? is_less_than : is_greater;
    const bool is_equal = !is_less_than && !is_greater;
    if (!is_better && !(is_equal && *best_index == WINNOW_NO_INDEX))
        return;
    *best = value;
    *best_index = index;
}

static void merge(const winnow__reduce_type *type, uint64_t first,
                  unsigned wanted, const winnow_reduction *from,
                  winnow_reduction *to) {
    const uint64_t at[2] = {from->minimum_index, from->maximum_index};
    uint64_t index[2];
    for (int end = 0; end < 2; end++)
        index[end] = at[end] == WINNOW_NO_INDEX ? at[end] : first + at[end];
    to->count += from->count;
    if (wanted & WINNOW_REDUCE_SUM)
        merge_sum(type->is_float, from, to);
    if (wanted & WINNOW_REDUCE_MINIMUM)
        merge_end(type, 0, from->minimum, index[0], &to->minimum,
                  &to->minimum_index);
    if (wanted & WINNOW_REDUCE_MAXIMUM)
        merge_end(type, 1, from->maximum, index[1], &to->maximum,
                  &to->maximum_index);
}

winnow_status winnow_reduction_merge(winnow_type type,
                                     const winnow_reduction *partials,
                                     const uint64_t *firsts, uint64_t n,
                                     unsigned wanted,
                                     winnow_reduction *result_p) {
    const winnow_status status = check(type, partials, n, wanted, result_p);
    if (status != WINNOW_OK)
        return status;
    const winnow__reduce_type of = winnow__reduce_type_of(type);
    const winnow__reduce_totals nothing = winnow__reduce_nothing();
    winnow_reduction result =
        winnow__reduce_result(&of, wanted | WINNOW_REDUCE_PARTIAL, &nothing);
    result.minimum_index = result.maximum_index = WINNOW_NO_INDEX;
    for (uint64_t i = 0; i < n; i++)
        merge(&of, firsts != NULL ? firsts[i] : 0, wanted, &partials[i],
              &result);
    if (of.is_float && (wanted & WINNOW_REDUCE_SUM))
        result.sum.float64 = winnow__plain_nan(result.sum.float64);
    if ((wanted & WINNOW_REDUCE_SUM) && !(wanted & WINNOW_REDUCE_PARTIAL))
        winnow__reduce_finish_sum(&of, &result);
    if (!(wanted & WINNOW_REDUCE_INDEX) || !(wanted & WINNOW_REDUCE_MINIMUM))
        result.minimum_index = 0;
    if (!(wanted & WINNOW_REDUCE_INDEX) || !(wanted & WINNOW_REDUCE_MAXIMUM))
        result.maximum_index = 0;
    *result_p = result;
    return WINNOW_OK;
}
