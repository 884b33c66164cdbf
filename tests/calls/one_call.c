/*
 * Calls that select and pack at once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "calls.h"

static winnow_status copy_where(const struct arguments *a,
                                const winnow_launch *launch) {
    return winnow_copy_where(a->context, a->condition, &a->column, 1, a->n,
                             a->moves, a->move_count, a->capacity, a->count,
                             launch);
}

static winnow_status copy_columns_if(const struct arguments *a,
                                     const winnow_launch *launch) {
    return winnow_copy_columns_if(a->context, a->predicate, &a->tested, a->n,
                                  a->moves, a->move_count, a->capacity,
                                  a->count, launch);
}

static winnow_status copy_flagged(const struct arguments *a,
                                  const winnow_launch *launch) {
    return winnow_copy_flagged(a->context, &a->mask, a->n, a->moves,
                               a->move_count, a->capacity, a->count, launch);
}

static winnow_status partition_if(const struct arguments *a,
                                  const winnow_launch *launch) {
    return winnow_partition_if(a->context, a->predicate, a->type, a->in, a->n,
                               a->out, a->rest, a->numbers, launch);
}

static winnow_status unique(const struct arguments *a,
                            const winnow_launch *launch) {
    return winnow_unique(a->context, &a->keys, a->n, &a->options, a->moves,
                         a->move_count, a->capacity, a->count, launch);
}

static winnow_status segmented_copy_if(const struct arguments *a,
                                       const winnow_launch *launch) {
    return winnow_segmented_copy_if(a->context, a->predicate, a->type, a->in,
                                    a->n, &a->segments, a->out, a->capacity,
                                    a->count, launch);
}

static void pack_segments(struct outcome *o) {
    calls_segments(o);
    calls_array(o);
}

const struct call calls_one_call[] = {
    {"copy_where", copy_where, calls_where, calls_columns,
     CALL_COUNTS | CALL_POSITION | CALL_ROWS | CALL_BITS | CALL_IN_PLACE},
    {"copy_columns_if", copy_columns_if, calls_if, calls_columns,
     CALL_COUNTS | CALL_POSITION | CALL_TYPED | CALL_ROWS | CALL_BITS},
    {"copy_flagged", copy_flagged, calls_flagged, calls_columns,
     CALL_COUNTS | CALL_POSITION | CALL_ROWS | CALL_BITS},
    {"partition_if", partition_if, calls_if, calls_split, CALL_TYPED},
    {"unique", unique, calls_unique, calls_columns,
     CALL_COUNTS | CALL_POSITION | CALL_ROWS | CALL_BITS},
    {"segmented_copy_if", segmented_copy_if, calls_if, pack_segments,
     CALL_COUNTS | CALL_POSITION | CALL_TYPED},
    {0}};
