/*
 * winnow_select_where and winnow_copy_where: a selection, and the columns, of the
 * items that pass a condition.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where.h"

#include "one_call/one_call.h"
#include "selection/select.h"

winnow_status winnow_select_where(winnow_context *context,
                                  const winnow_condition *condition,
                                  const winnow_in *columns,
                                  unsigned column_count, uint64_t n,
                                  void *d_selection, size_t selection_bytes,
                                  const winnow_launch *launch) {
    static const winnow__operation operation =
        WINNOW__SELECT("select_where", WINNOW__NO_PREDICATE, 0);
    const winnow__where where = {.condition = condition,
                                 .columns = columns,
                                 .column_count = column_count};
    const winnow__source source = winnow__source_of_condition(&where);
    const winnow__selecting d = {.bytes = selection_bytes};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .source = &source,
                                   .details = &d},
                         .out = d_selection};
    return winnow__do(&call, launch);
}

winnow_status winnow_copy_where(winnow_context *context,
                                const winnow_condition *condition,
                                const winnow_in *columns, unsigned column_count,
                                uint64_t n, const winnow_move *moves,
                                unsigned move_count, uint64_t capacity,
                                uint64_t *d_count,
                                const winnow_launch *launch) {
    static const winnow__operation operation =
        WINNOW__ONE_CALL("copy_where", WINNOW__NO_PREDICATE, WINNOW__PACKS);
    const winnow__where where = {.condition = condition,
                                 .columns = columns,
                                 .column_count = column_count};
    const winnow__source source = winnow__source_of_condition(&where);
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
