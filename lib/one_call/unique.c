/*
 * winnow_unique: the columns of one item of each run of equal keys.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_call.h"
#include "select/sources.h"

winnow_status winnow_unique(winnow_context *context, const winnow_in *keys,
                            uint64_t n, const winnow_unique_options *options,
                            const winnow_move *moves, unsigned move_count,
                            uint64_t capacity, uint64_t *d_count,
                            const winnow_launch *launch) {
    static const winnow__operation operation =
        WINNOW__ONE_CALL("unique", WINNOW__NO_PREDICATE,
                         WINNOW__TAKES_POSITION | WINNOW__TAKES_CAPACITY);
    winnow__unique unique;
    WINNOW__TRY(winnow__take_unique(keys, options, n, &unique));
    const winnow__source source = winnow__source_of_runs(&unique);
    const winnow__one_call d = {
        .columns = {.list = moves, .number = move_count}};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .capacity = capacity,
                                   .source = &source,
                                   .details = &d},
                         .in = keys->d_base,
                         .count = d_count};
    return winnow__do(&call, launch);
}
