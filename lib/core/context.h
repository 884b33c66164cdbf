/*
 * A context: it belongs to a backend.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "call.h"

#include <stdatomic.h>

/* ---- What a backend does for the functions of the API. */
struct winnow__text;

typedef struct winnow__backend {
    bool is_host; /* a context of WINNOW_DEVICE_HOST */
    /* Does the backend support these arguments? No pointer is needed to decide. */
    winnow_status (*supports)(const winnow__query *query);
    /* The largest workspace that such a call may need, wherever its memory
     * lies. */
    winnow_status (*workspace)(const winnow__query *query, size_t *bytes_p);
    /* Make the device current in this thread, until leave(). The functions
     * below are called between the two. NULL: there is no device. */
    winnow_status (*enter)(const winnow_context *context, bool *entered_p);
    void (*leave)(const winnow_context *context, bool entered);
    /* Can the device reach all ranges that are neither NULL nor empty? NULL: it
     * reaches all memory. */
    winnow_status (*reaches)(const winnow__call *call,
                             const winnow__range ranges[], int number);
    /* Copy memory of the host or the device to the host, and wait. NULL: all
     * memory is the host's. */
    winnow_status (*fetch)(const winnow_context *context, const void *from,
                           size_t bytes, void *to);
    /* Run the call. All checks have passed but that of the workspace's size. */
    winnow_status (*run)(const winnow__call *call);

    /* Describe what a call would run, and why. NULL: the operation does it. */
    winnow_status (*explain)(const winnow__query *query,
                             struct winnow__text *text,
                             winnow_strategy *strategy_p);

    /* NULL: the backend has no threads. */
    void (*set_threads)(winnow_context *context, unsigned threads);
    void (*destroy)(winnow_context *context);
} winnow__backend;

/* The first member of each backend's context. */
struct winnow_context {
    const winnow__backend *backend;
    _Atomic(winnow_compile) compile;
};
