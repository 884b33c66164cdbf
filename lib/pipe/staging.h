/*
 * Threads that bring items to a device by way of pinned memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "pipe.h"

#include "cuda/context.h"

typedef struct winnow__staging winnow__staging;

/* Items of a source that go to a chunk. */
typedef struct winnow__load {
    uint64_t first, n;
    uint64_t inputs; /* bit i: input i, from d_to[i] on */
    void *d_to[WINNOW_PIPE_MOST_INPUTS];
    uint64_t left; /* elements whose copies are not enqueued so far */
} winnow__load;

enum {
    WINNOW__MOST_LOADS = 2 /* at a time */
};

/* NULL: there is no memory. */
winnow__staging *winnow__staging_create(winnow_pipe *pipe, cudaStream_t in);
/* Nothing of it is in use. */
void winnow__staging_destroy(winnow__staging *staging);

/*
 * Run lead(argument) in the caller's thread, while others bring what it puts
 * in: items of a source of memory, or of files that are not read in order.
 * Return when all have ended.
 */
winnow_status winnow__staging_run(winnow__staging *staging,
                                  const winnow__source *source,
                                  winnow_status (*lead)(void *argument),
                                  void *argument);

/* ---- By lead() */

/* Put a load in, behind fewer than WINNOW__MOST_LOADS others. */
void winnow__staging_put(winnow__staging *staging, const winnow__load *load);
/* Help until all copies of the first load are enqueued, and take it out. */
winnow_status winnow__staging_bring(winnow__staging *staging);
