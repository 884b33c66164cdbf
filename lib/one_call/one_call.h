/*
 * Operations that select and pack in one call: their common part. Each consists
 * of a source and a sink, described by a struct; the selection is in the
 * workspace.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "pack/columns.h"
#include "pack/segments.h"
#include "pack/split.h"
#include "selection/source.h"

/* The details of a call that selects and packs. */
typedef struct winnow__one_call {
    bool is_array;              /* d_in is both the key and what is packed */
    winnow__columns columns;    /* to pack; or */
    const winnow__split *split; /* to split: then there are no columns */
    const winnow_segments *segments; /* NULL: there are no segments */
} winnow__one_call;

static inline const winnow__one_call *
winnow__one_call_of(const winnow__query *query) {
    return query->details;
}

enum {
    WINNOW__PACKS = WINNOW__TAKES_POSITION | WINNOW__TAKES_CAPACITY
};

/* Columns to pack, which may be in place. */
static inline winnow__columns winnow__packed(const winnow_move *moves,
                                             unsigned number) {
    return (winnow__columns){
        .list = moves, .number = number, .may_be_in_place = true};
}

/* Functions for the members of these operations. */
winnow_status winnow__check_one_call(winnow__query *query);
int winnow__one_call_ranges(const winnow__call *call, winnow__range *list);
unsigned winnow__one_call_most_ranges(const winnow__query *query);
size_t winnow__one_call_host_bytes(const winnow__query *query);
winnow__host_function winnow__one_call_on_host;
winnow__plan_function winnow__plan_one_call;
void winnow__set_one_call(const winnow__call *call,
                          const struct winnow__plan *plan, winnow__args *args);
winnow__enqueue_function winnow__enqueue_one_call;

#define WINNOW__ONE_CALL(NAME, PREDICATE, TAKES)                               \
    {                                                                          \
        .name = NAME, .takes = WINNOW__TAKES_N | (TAKES),                      \
        .predicate = PREDICATE, .check = winnow__check_one_call,               \
        .ranges = winnow__one_call_ranges,                                     \
        .most_ranges = winnow__one_call_most_ranges,                           \
        .explain = winnow__explain_source,                                     \
        .host_bytes = winnow__one_call_host_bytes,                             \
        .run_on_host = winnow__one_call_on_host,                               \
        .plan = WINNOW__IF_CUDA(winnow__plan_one_call),                        \
        .run = WINNOW__IF_CUDA(winnow__run_source),                            \
        .set_results = WINNOW__IF_CUDA(winnow__set_one_call),                  \
        .enqueue = WINNOW__IF_CUDA(winnow__enqueue_one_call)                   \
    }
