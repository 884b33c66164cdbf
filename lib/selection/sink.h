/*
 * A sink: an operation that uses the caller's selection, in call->in.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "format.h"

/* `from` has only the items before *launch->d_n. */
typedef void winnow__sink_host(const winnow__call *call,
                               const winnow__host_task *task,
                               const winnow__selection *from, void *memory);
/* Enqueue the kernels. */
typedef winnow_status winnow__sink_device(const winnow__call *call,
                                          const winnow__selection *from,
                                          void *memory);

typedef struct winnow__sink_kind {
    /* Check everything but the selection. NULL: there is nothing else. */
    winnow_status (*check)(winnow__query *query);
    /* Store the ranges of its other memory; return the number of ranges. */
    int (*ranges)(const winnow__call *call, winnow__range *ranges);
    /* The most ranges, including the selection's. NULL: WINNOW__SOME_RANGES. */
    unsigned (*most_ranges)(const winnow__query *query);
    /* Bytes of memory for host(). NULL: none. */
    size_t (*host_bytes)(const winnow__query *query);
    winnow__sink_host *host;

    /* NULL in a build without CUDA, like device(). Bytes of memory for
     * device(), a multiple of 16. NULL: none. */
    size_t (*device_bytes)(const winnow__query *query);
    winnow__sink_device *device;
} winnow__sink_kind;

winnow_status winnow__check_sink(winnow__query *query);
int winnow__sink_ranges(const winnow__call *call, winnow__range *list);
unsigned winnow__sink_most_ranges(const winnow__query *query);
size_t winnow__sink_host_bytes(const winnow__query *query);
winnow__host_function winnow__sink_on_host;
#ifdef WINNOW_CUDA
size_t winnow__sink_device_bytes(const winnow__query *query);
winnow__enqueue_function winnow__enqueue_sink;
#endif

/* For use at file scope: defines an operation. The last arguments are the members of
 * its winnow__sink_kind. */
#define WINNOW__SINK_OPERATION(NAME, TAKES, ...)                               \
    {                                                                          \
        .name = NAME, .takes = WINNOW__TAKES_N | (TAKES),                      \
        .sink = &(const winnow__sink_kind){__VA_ARGS__},                       \
        .predicate = WINNOW__NO_PREDICATE, .check = winnow__check_sink,        \
        .ranges = winnow__sink_ranges,                                         \
        .most_ranges = winnow__sink_most_ranges,                               \
        .host_bytes = winnow__sink_host_bytes,                                 \
        .run_on_host = winnow__sink_on_host,                                   \
        .device_bytes = WINNOW__IF_CUDA(winnow__sink_device_bytes),            \
        .enqueue = WINNOW__IF_CUDA(winnow__enqueue_sink)                       \
    }
