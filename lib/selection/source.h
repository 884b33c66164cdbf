/*
 * A source: the data that a selection is made from. Calls that make a
 * selection, for the caller (select.h) or in their workspace (lib/one_call,
 * lib/aggregate), have it in their query and know only its kind. Kinds are a
 * key, a mask, runs of equal keys, ranges (lib/select), two selections
 * (combine.c), and a condition.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "format.h"

typedef struct winnow__source {
    const struct winnow__source_kind *kind;
    const void
        *of; /* a struct of the kind's own, with the caller's arguments */
    /* NULL, or a key by which TILE_SCAN's kernel can select, too: by the query's
     * predicate, or, if `heads`, by comparing each key with the one before it. */
    const winnow_in *key;
    bool heads;
} winnow__source;

/* `of` is winnow__source.of. Where a function may be NULL, a comment says so. */
typedef struct winnow__source_kind {
    /* Check everything but addresses. NULL: the caller did. */
    winnow_status (*check)(const void *of, const winnow__query *query);
    /* The number of items of the selection. NULL: the query's n. */
    uint64_t (*items)(const void *of);
    /* Store the ranges that are read; return the number of ranges, perhaps 0. */
    int (*ranges)(const void *of, const winnow__call *call,
                  winnow__range *list);
    /* The most ranges. NULL: two. */
    unsigned (*most_ranges)(const void *of);
    /* The memory that is read may lie in a column that is packed in place. */
    bool may_be_packed;
    /* Add lines to the text of a plan. NULL: none. */
    winnow_status (*explain)(const void *of, const winnow__query *query,
                             struct winnow__text *text);
    /* Bytes of memory for making a selection, a multiple of 16. NULL: none. */
    size_t (*host_bytes)(const void *of, const winnow__query *query);
    /* Make the selection of the task's items by winnow__host_make(). sink may
     * be NULL. */
    void (*host)(const void *of, const winnow__call *call,
                 const winnow__host_task *task, void *selection, void *memory,
                 const winnow__host_sink *sink);

    /* NULL in a build without CUDA, as all that follow. */
    size_t (*device_bytes)(const void *of, const winnow__query *query);
    /* Prepare what the device keeps between calls. NULL: nothing. */
    winnow_status (*prepare)(const void *of, const winnow__call *call);
    /* Enqueue the kernels. */
    winnow_status (*device)(const void *of, const winnow__call *call,
                            void *selection, void *memory);
} winnow__source_kind;

/* Members of operations that have a source, or parts of members. The query's
 * source may be NULL, except in the last two. winnow__check_source() calls
 * winnow__check_selection(), too. */
winnow_status winnow__check_source(winnow__query *query);
int winnow__source_ranges(const winnow__call *call, winnow__range *list);
unsigned winnow__source_most_ranges(const winnow__query *query);
winnow__explain_function winnow__explain_source;
size_t winnow__source_host_bytes(const winnow__query *query);
#ifdef WINNOW_CUDA
size_t winnow__source_device_bytes(const winnow__query *query);
/* run(): if the call is captured, prepares the source first. */
winnow__run_function winnow__run_source;
#endif

static inline void winnow__source_on_host(const winnow__call *call,
                                          const winnow__host_task *task,
                                          void *selection, void *memory,
                                          const winnow__host_sink *sink) {
    const winnow__source *const source = call->query.source;
    source->kind->host(source->of, call, task, selection, memory, sink);
}
static inline winnow_status winnow__source_on_device(const winnow__call *call,
                                                     void *selection,
                                                     void *memory) {
    const winnow__source *const source = call->query.source;
    return source->kind->device(source->of, call, selection, memory);
}
