/*
 * winnow_copy_where, winnow_copy_columns_if and winnow_copy_flagged: the
 * columns of the items that a condition, a predicate on a key, or a mask
 * selects.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "one_call.h"

enum {
    PACKS = WINNOW__TAKES_POSITION | WINNOW__TAKES_CAPACITY
};

static winnow__columns columns_of(const winnow_move *moves, unsigned number) {
    return (winnow__columns){
        .list = moves, .number = number, .may_be_in_place = true};
}

winnow_status winnow_copy_where(winnow_context *context,
                                const winnow_condition *condition,
                                const winnow_in *columns, unsigned column_count,
                                uint64_t n, const winnow_move *moves,
                                unsigned move_count, uint64_t capacity,
                                uint64_t *d_count,
                                const winnow_launch *launch) {
    static const winnow__operation operation =
        WINNOW__ONE_CALL("copy_where", WINNOW__NO_PREDICATE, PACKS);
    const winnow__one_call d = {.origin = WINNOW__FROM_CONDITION,
                                .where = {.condition = condition,
                                          .columns = columns,
                                          .column_count = column_count},
                                .columns = columns_of(moves, move_count)};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .capacity = capacity,
                                   .details = &d},
                         .count = d_count};
    return winnow__do(&call, launch);
}

winnow_status winnow_copy_columns_if(winnow_context *context,
                                     const winnow_predicate *predicate,
                                     const winnow_in *key, uint64_t n,
                                     const winnow_move *moves,
                                     unsigned move_count, uint64_t capacity,
                                     uint64_t *d_count,
                                     const winnow_launch *launch) {
    static const winnow__operation operation =
        WINNOW__ONE_CALL("copy_columns_if", WINNOW__REQUIRED_PREDICATE, PACKS);
    const winnow__one_call d = {.origin = WINNOW__FROM_KEY,
                                .key = key,
                                .columns = columns_of(moves, move_count)};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .predicate = predicate,
                                   .n = n,
                                   .capacity = capacity,
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
        WINNOW__ONE_CALL("copy_flagged", WINNOW__NO_PREDICATE, PACKS);
    const winnow__one_call d = {.origin = WINNOW__FROM_MASK,
                                .mask = mask,
                                .columns = columns_of(moves, move_count)};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .capacity = capacity,
                                   .details = &d},
                         .count = d_count};
    return winnow__do(&call, launch);
}
