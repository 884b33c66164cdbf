/*
 * A source: what a selection is made from. Calls that make a selection, for the
 * caller (select.h) or in their workspace (lib/one_call, lib/aggregate), have it in
 * their query and know it by its kind alone. Kinds are a key, a mask, runs of equal
 * keys, ranges (lib/select), two selections (combine.c), and a condition.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "format.h"

typedef struct winnow__source {
    const struct winnow__source_kind *kind;
    const void *of; /* a struct of the kind's own: what the caller passed */
    /* NULL, or the key that TILE_SCAN's kernel selects by as well: with the query's
     * predicate or, of `heads`, by the bits of the key before it. */
    const winnow_in *key;
    bool heads;
} winnow__source;

/* Functions of winnow__source.of. Where one may be NULL, it says what that means. */
typedef struct winnow__source_kind {
    /* Check it, but for addresses. NULL: that was done. */
    winnow_status (*check)(const void *of, const winnow__query *query);
    /* The items of its selection. NULL: the query's n. */
    uint64_t (*items)(const void *of);
    /* Write what is read to ranges; return how many they are, perhaps none. */
    int (*ranges)(const void *of, const winnow__call *call,
                  winnow__range *list);
    /* How many they are at most. NULL: two. */
    unsigned (*most_ranges)(const void *of);
    /* What is read may lie in a column that is packed in place. */
    bool may_be_packed;
    /* Say what there is to say of a plan. NULL: nothing. */
    winnow_status (*explain)(const void *of, const winnow__query *query,
                             struct winnow__text *text);
    /* Memory that making a selection takes, a multiple of 16 bytes. NULL: none. */
    size_t (*host_bytes)(const void *of, const winnow__query *query);
    /* Make the selection of the task's items, for a sink or NULL:
     * winnow__host_make(). */
    void (*host)(const void *of, const winnow__call *call,
                 const winnow__host_task *task, void *selection, void *memory,
                 const winnow__host_sink *sink);

    /* The rest is NULL in a build without CUDA. */
    size_t (*device_bytes)(const void *of, const winnow__query *query);
    /* Have what the device keeps from call to call. NULL: nothing. */
    winnow_status (*prepare)(const void *of, const winnow__call *call);
    /* Enqueue it. */
    winnow_status (*device)(const void *of, const winnow__call *call,
                            void *selection, void *memory);
} winnow__source_kind;

/*
 * The query's source, or none: NULL. All but the last two are what operations have
 * of it, or add to. The first is winnow__check_selection() as well.
 */
winnow_status winnow__check_source(winnow__query *query);
int winnow__source_ranges(const winnow__call *call, winnow__range *list);
unsigned winnow__source_most_ranges(const winnow__query *query);
winnow__explain_function winnow__explain_source;
size_t winnow__source_host_bytes(const winnow__query *query);
#ifdef WINNOW_CUDA
size_t winnow__source_device_bytes(const winnow__query *query);
/* run(): of a captured call, the source is prepared first. */
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
