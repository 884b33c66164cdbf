/*
 * winnow_copy_columns_if and winnow_copy_flagged: the columns of the items that a
 * predicate on a key, or a mask, selects.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_call.h"
#include "select/sources.h"

winnow_status winnow_copy_columns_if(winnow_context *context,
                                     const winnow_predicate *predicate,
                                     const winnow_in *key, uint64_t n,
                                     const winnow_move *moves,
                                     unsigned move_count, uint64_t capacity,
                                     uint64_t *d_count,
                                     const winnow_launch *launch) {
    static const winnow__operation operation = WINNOW__ONE_CALL(
        "copy_columns_if", WINNOW__REQUIRED_PREDICATE, WINNOW__PACKS);
    const winnow__key from = {.in = key};
    const winnow__source source = winnow__source_of_key(&from);
    const winnow__one_call d = {.columns = winnow__packed(moves, move_count)};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .predicate = predicate,
                                   .n = n,
                                   .capacity = capacity,
                                   .source = &source,
                                   .details = &d},
                         .in = key != NULL ? key->d_base : NULL,
                         .count = d_count};
    return winnow__do(&call, launch);
}

winnow_status winnow_copy_flagged(winnow_context *context,
                                  const winnow_mask *mask, uint64_t n,
                                  const winnow_move *moves, unsigned move_count,
                                  uint64_t capacity, uint64_t *d_count,
                                  const winnow_launch *launch) {
    static const winnow__operation operation =
        WINNOW__ONE_CALL("copy_flagged", WINNOW__NO_PREDICATE, WINNOW__PACKS);
    const winnow__source source = winnow__source_of_mask(mask);
    const winnow__one_call d = {.columns = winnow__packed(moves, move_count)};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .capacity = capacity,
                                   .source = &source,
                                   .details = &d},
                         .count = d_count};
    return winnow__do(&call, launch);
}
