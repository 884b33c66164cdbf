/*
 * A context, and what a backend offers to the calls of the API.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CONTEXT_H
#define WINNOW_LIB_CONTEXT_H

#include "call.h"

typedef struct winnow__backend {
    /* Is this combination offered? Decides nothing that needs a pointer. */
    winnow_status (*supports)(const winnow__call *call);
    /* Workspace in bytes. */
    winnow_status (*workspace)(const winnow__call *call, size_t *bytes_p);
    /* Do it: every check has passed but whether the device can reach the call's
     * memory, as far as that is not NULL or empty. */
    winnow_status (*run)(const winnow__call *call, const winnow__range ranges[],
                         int number);
    /* NULL: the backend has no threads. */
    void (*set_threads)(winnow_context *context, unsigned threads);
    void (*destroy)(winnow_context *context);
} winnow__backend;

/* A backend's context begins with this. */
struct winnow_context {
    const winnow__backend *backend;
};

winnow_status winnow__host_create(winnow_context **context_p);
winnow_status winnow__cuda_create(winnow_context **context_p, int device);

#endif
