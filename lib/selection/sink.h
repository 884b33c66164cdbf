/*
 * A sink: what is made of a selection that the caller has, in call->in.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "format.h"

typedef struct winnow__sink_kind {
    /* Check all but the selection. NULL: there is nothing else. */
    winnow_status (*check)(winnow__query *query);
    /* Write to ranges what is read and written beside it; return how many. */
    int (*ranges)(const winnow__call *call, winnow__range *ranges);
    /* The most ranges, with the selection's own. NULL: WINNOW__SOME_RANGES. */
    unsigned (*most_ranges)(const winnow__query *query);
    /* Bytes that host() works in. NULL: none. */
    size_t (*host_bytes)(const winnow__query *query);
    /* `from` ends at the items that launch->d_n counts. */
    void (*host)(const winnow__call *call, const winnow__host_task *task,
                 const winnow__selection *from, void *memory);

    /* NULL in a build without CUDA, as device(). Bytes that device() works in, a
     * multiple of 16. NULL: none. */
    size_t (*device_bytes)(const winnow__query *query);
    /* Enqueue it. */
    winnow_status (*device)(const winnow__call *call,
                            const winnow__selection *from, void *memory);
} winnow__sink_kind;

winnow_status winnow__check_sink(winnow__query *query);
int winnow__sink_ranges(const winnow__call *call, winnow__range *list);
unsigned winnow__sink_most_ranges(const winnow__query *query);
size_t winnow__sink_host_bytes(const winnow__query *query);
winnow_status winnow__sink_on_host(const winnow__call *call,
                                   const winnow__host_task *task);
#ifdef WINNOW_CUDA
winnow_status winnow__plan_sink(const winnow__query *query,
                                const winnow__constraints *constraints,
                                winnow__plan *plan);
winnow_status winnow__enqueue_sink(const winnow__call *call,
                                   const winnow__plan *plan,
                                   const struct winnow__workspace *memory);
#endif

/* At file scope: an operation; then the members of its sink. */
#define WINNOW__SINK_OPERATION(NAME, TAKES, ...)                               \
    {                                                                          \
        .name = NAME, .takes = WINNOW__TAKES_N | (TAKES),                      \
        .sink = &(const winnow__sink_kind){__VA_ARGS__},                       \
        .predicate = WINNOW__NO_PREDICATE, .check = winnow__check_sink,        \
        .ranges = winnow__sink_ranges,                                         \
        .most_ranges = winnow__sink_most_ranges,                               \
        .host_bytes = winnow__sink_host_bytes,                                 \
        .run_on_host = winnow__sink_on_host,                                   \
        .plan = WINNOW__IF_CUDA(winnow__plan_sink),                            \
        .enqueue = WINNOW__IF_CUDA(winnow__enqueue_sink)                       \
    }
