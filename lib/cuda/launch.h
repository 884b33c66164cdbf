/*
 * Starting kernels, and what is asked of a stream before.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#ifdef WINNOW_CUDA

#include "core/round.h"
#include "plan.h"

/* Stores the result of a call of no elements; and what a call's own kernels may
 * not write, behind them. */
extern const winnow__kernel winnow__store, winnow__deliver;

/* ---- launch.c
 *
 * *refused_p: the blocks cannot run together where the stream runs, which may
 * be a part of the device, and nothing was enqueued; no detail is set, since
 * another plan may do.
 */

winnow_status winnow__launch(const winnow__kernel *kernel, unsigned blocks,
                             const void *args, cudaStream_t stream);
/* A kernel that begins with wait_for_stream(): where the device can, it is
 * launched while the kernel before it in the stream still runs. */
winnow_status winnow__launch_overlapping(const winnow__call *call,
                                         const winnow__kernel *kernel,
                                         unsigned blocks, const void *args);
winnow_status winnow__launch_plan(const winnow__call *call,
                                  const winnow__plan *plan, const void *args,
                                  bool *refused_p);

/* What has been launched for this thread's call, since the last reset. */
void winnow__reset_launches(void);
unsigned winnow__launches(void);
void winnow__count_launch(void); /* another library's */

/* ---- load.c */

/* Before the first of several launches. */
winnow_status winnow__load(const winnow_context *context,
                           const winnow__kernel *kernel);
/* The same, for blocks with up to as many bytes of dynamic shared memory: CUDA
 * has to be told. It is the same for all calls of a kernel, since those of
 * other threads may be at it, too. */
winnow_status winnow__allow_shared(const winnow__kernel *kernel,
                                   uint64_t bytes);
/* The same, where the bytes are a constant of the context: it tells once, before
 * the kernel's first dynamic shared memory, and no more than a block can have. */
winnow_status winnow__allow_shared_once(const winnow_context *context,
                                        const winnow__kernel *kernel,
                                        uint64_t bytes);

/* ---- capture.c */

winnow_status winnow__is_captured(const winnow__call *call, bool *captured_p);

/* Does the graph that the call is captured into allocate this memory? It is
 * known to nobody then before the graph runs. *status_p is set where there is no
 * memory to ask. */
bool winnow__is_allocated_in_graph(const winnow__call *call,
                                   const winnow__range *range,
                                   winnow_status *status_p);

#endif
