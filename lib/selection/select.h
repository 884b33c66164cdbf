/*
 * Operations that make a selection for the caller, in call->out, from a source.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source.h"

/* The details of a call that makes a selection for its caller. */
typedef struct winnow__selecting {
    size_t bytes;       /* of the caller's memory for the selection */
    const char *result; /* name of the argument; NULL: d_selection */
} winnow__selecting;

winnow_status winnow__check_selecting(winnow__query *query);
int winnow__selecting_ranges(const winnow__call *call, winnow__range *list);
unsigned winnow__selecting_most_ranges(const winnow__query *query);
winnow__host_function winnow__select_on_host;
#ifdef WINNOW_CUDA
winnow__enqueue_function winnow__enqueue_selecting;
#endif

#define WINNOW__SELECT(NAME, PREDICATE, TAKES)                                 \
    {                                                                          \
        .name = NAME, .takes = WINNOW__TAKES_N | (TAKES),                      \
        .predicate = PREDICATE, .check = winnow__check_selecting,              \
        .ranges = winnow__selecting_ranges,                                    \
        .most_ranges = winnow__selecting_most_ranges,                          \
        .explain = winnow__explain_source,                                     \
        .host_bytes = winnow__source_host_bytes,                               \
        .run_on_host = winnow__select_on_host,                                 \
        .device_bytes = WINNOW__IF_CUDA(winnow__source_device_bytes),          \
        .run = WINNOW__IF_CUDA(winnow__run_source),                            \
        .enqueue = WINNOW__IF_CUDA(winnow__enqueue_selecting)                  \
    }
