/*
 * winnow_reduction_merge: merges results of parts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/status.h"
#include "details.h"
#include "kernels/reduce/merge.h"

static winnow_status check(winnow_type type, const winnow_reduction *partials,
                           uint64_t n, unsigned wanted,
                           const winnow_reduction *result_p) {
    if (winnow__type(type) == NULL && type != WINNOW_INT128)
        return winnow__fail_type("type", type);
    if (partials == NULL && n != 0)
        return winnow__refuse("partials is NULL");
    WINNOW__TRY(winnow__need(result_p, "result_p"));
    return winnow__check_wanted("", wanted);
}

winnow_status winnow_reduction_merge(winnow_type type,
                                     const winnow_reduction *partials,
                                     const uint64_t *firsts, uint64_t n,
                                     unsigned wanted,
                                     winnow_reduction *result_p) {
    WINNOW__TRY(check(type, partials, n, wanted, result_p));
    const winnow__reduce_type of = winnow__reduce_type_of(type);
    const winnow__reduce_totals nothing = winnow__reduce_nothing();
    winnow_reduction result =
        winnow__reduce_result(&of, wanted | WINNOW_REDUCE_PARTIAL, &nothing);
    result.minimum_index = result.maximum_index = WINNOW_NO_INDEX;
    for (uint64_t i = 0; i < n; i++)
        winnow__reduction_add(&of, firsts != NULL ? firsts[i] : 0, wanted,
                              &partials[i], &result);
    winnow__reduction_finish(&of, wanted, &result);
    *result_p = result;
    return WINNOW_OK;
}
