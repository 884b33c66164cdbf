/*
 * winnow_select_if: a selection of the elements that pass a predicate.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "selection/select.h"
#include "sources.h"

winnow_status winnow_select_if(winnow_context *context,
                               const winnow_predicate *predicate,
                               winnow_type type, const void *d_in, uint64_t n,
                               void *d_selection, size_t selection_bytes,
                               const winnow_launch *launch) {
    static const winnow__operation operation = WINNOW__SELECT(
        "select_if", WINNOW__REQUIRED_PREDICATE, WINNOW__TAKES_TYPE);
    const winnow_in in = {.type = type, .d_base = d_in};
    const winnow__key key = {.in = &in, .is_array = true};
    const winnow__source source = winnow__source_of_key(&key);
    const winnow__selecting d = {.bytes = selection_bytes};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .predicate = predicate,
                                   .given = type,
                                   .n = n,
                                   .source = &source,
                                   .details = &d},
                         .in = d_in,
                         .out = d_selection};
    return winnow__do(&call, launch);
}
