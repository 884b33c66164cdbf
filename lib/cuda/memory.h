/*
 * The memory that calls work in.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#ifdef WINNOW_CUDA

#include "plan.h"

#include <pthread.h>

/* What a cursor takes of a workspace; keeps what follows it aligned. */
#define WINNOW__CURSOR_BYTES 256

/* ---- memory.c: the memory a call works in */

typedef struct winnow__workspace {
    winnow__cursor *cursor; /* all zero when the call's first kernel starts */
    /* What the plan has beside it, 16-aligned: the only kind of memory that it
     * has, or each of them. */
    void *rest;
    winnow__group *groups;
    unsigned long long *states;
    void *other;
    bool cleared; /* the last thing enqueued is the kernel that clears it */
    void *pooled; /* NULL, or what goes back to the pool */
    pthread_mutex_t *lock; /* NULL, or what is held until all is enqueued */
} winnow__workspace;

winnow_status winnow__memory_create(winnow__cuda_context *context);
/* there: the device is current, and the device's part can be freed, too. */
void winnow__memory_destroy(winnow__cuda_context *context, bool there);

/*
 * Take what a plan needs from what the context keeps ready, the caller's
 * workspace, or the context's pool. What it enqueues comes before the call's
 * first kernel.
 */
winnow_status winnow__workspace_take(const winnow__call *call,
                                     const winnow__plan *plan, bool captured,
                                     winnow__workspace *workspace_p);
/* Give it back, after everything that uses it was enqueued. What CUDA does not
 * take back is the pool's until the context ends: the call is enqueued, and
 * does what it says. */
void winnow__workspace_give(const winnow__call *call,
                            winnow__workspace *workspace);

/* ---- ready.c: memory that needs no clearing */

typedef struct winnow__ready {
    winnow__cursor *cursor;
    void *groups;          /* of WINNOW__MOST_ONE_WAVE blocks */
    pthread_mutex_t *lock; /* NULL, or to be held while a call is enqueued */
} winnow__ready;

winnow_status winnow__ready_create(winnow__ready_memory **memory_p);
void winnow__ready_destroy(winnow__ready_memory *memory, bool there);

/* Is there any for such a call, while the parts last? */
bool winnow__ready_serves(const winnow__call *call, bool captured);

/* *ready_p is all zero where there is none, or none left. */
winnow_status winnow__ready_take(winnow__ready_memory *memory,
                                 const winnow__call *call, bool captured,
                                 winnow__ready *ready_p);

#endif
