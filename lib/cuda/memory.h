/*
 * The memory of calls.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#ifdef WINNOW_CUDA

#include "plan.h"

#include <pthread.h>

/* Bytes for a cursor in a workspace; what follows it stays aligned. */
#define WINNOW__CURSOR_BYTES 256

/* ---- memory.c: the memory a call works in */

typedef struct winnow__workspace {
    winnow__cursor *cursor; /* all zero when the call's first kernel starts */
    /* The plan's other memory, 16-aligned. If a plan has only one kind, `rest`
     * is that one; else each has its pointer. */
    void *rest;
    winnow__group *groups;
    unsigned long long *states;
    void *other;
    bool cleared; /* the last thing enqueued is the kernel that clears it */
    void *pooled; /* NULL, or memory to return to the pool */
    pthread_mutex_t *lock; /* NULL, or held until everything is enqueued */
} winnow__workspace;

winnow_status winnow__memory_create(winnow__cuda_context *context);
/* there: the device is current, so that its memory can be freed, too. */
void winnow__memory_destroy(winnow__cuda_context *context, bool there);

/* Take a plan's memory from the context's ready memory, the caller's workspace,
 * or the context's pool. Whatever this enqueues comes before the call's first
 * kernel. */
winnow_status winnow__workspace_take(const winnow__call *call,
                                     const winnow__plan *plan, bool captured,
                                     winnow__workspace *workspace_p);
/* Give it back after everything that uses it was enqueued. If CUDA fails to
 * free it, it stays in the pool until the context ends. The call still
 * succeeds, because its work is enqueued. */
void winnow__workspace_give(const winnow__call *call,
                            winnow__workspace *workspace);

/* ---- ready.c: memory that needs no clearing */

typedef struct winnow__ready {
    winnow__cursor *cursor;
    void *groups;          /* for WINNOW__MOST_ONE_WAVE blocks */
    pthread_mutex_t *lock; /* NULL, or held while a call is enqueued */
} winnow__ready;

winnow_status winnow__ready_create(winnow__ready_memory **memory_p);
void winnow__ready_destroy(winnow__ready_memory *memory, bool there);

/* May such a call use ready memory, as long as parts are left? */
bool winnow__ready_serves(const winnow__call *call, bool captured);

/* *ready_p is all zero if there is none, or none is left. */
winnow_status winnow__ready_take(winnow__ready_memory *memory,
                                 const winnow__call *call, bool captured,
                                 winnow__ready *ready_p);

#endif
