/*
 * Launches kernels, and queries streams before.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#ifdef WINNOW_CUDA

#include "core/round.h"
#include "plan.h"

/* Kernels that store the result of a call without elements, and a count that
 * the call's own kernels may not write, after they end. */
extern const winnow__kernel winnow__store, winnow__deliver;

/* ---- launch.c
 *
 * *refused_p: nothing was enqueued, because the blocks cannot all be resident
 * where the stream runs, perhaps on a part of the device. No detail is set, since
 * another plan may work.
 */

winnow_status winnow__launch(const winnow__kernel *kernel, unsigned blocks,
                             const void *args, cudaStream_t stream);
/* For a kernel that begins with wait_for_stream(). If the device supports it,
 * the kernel starts while the one before it in the stream still runs. */
winnow_status winnow__launch_overlapping(const winnow__call *call,
                                         const winnow__kernel *kernel,
                                         unsigned blocks, const void *args);
winnow_status winnow__launch_plan(const winnow__call *call,
                                  const winnow__plan *plan, const void *args,
                                  bool *refused_p);

/* The number of launches for this thread's call since the last reset. */
void winnow__reset_launches(void);
unsigned winnow__launches(void);
void winnow__count_launch(void); /* a launch by another library */

/* ---- load.c */

/* Load a kernel, before the first of several launches. */
winnow_status winnow__load(const winnow_context *context,
                           const winnow__kernel *kernel);
/* The same for blocks with up to `bytes` of dynamic shared memory, which CUDA
 * has to be told. All calls of a kernel set the same number, since other
 * threads may be launching it. */
winnow_status winnow__allow_shared(const winnow__kernel *kernel,
                                   uint64_t bytes);
/* The same for a constant number of bytes: CUDA is told once, at most what a
 * block can have, before the kernel first uses dynamic shared memory. */
winnow_status winnow__allow_shared_once(const winnow_context *context,
                                        const winnow__kernel *kernel,
                                        uint64_t bytes);

/* ---- capture.c */

winnow_status winnow__is_captured(const winnow__call *call, bool *captured_p);

/* Does the graph that captures the call allocate this memory? Until the graph
 * runs, CUDA does not know such memory. *status_p is set if there is no memory
 * for the question. */
bool winnow__is_allocated_in_graph(const winnow__call *call,
                                   const winnow__range *range,
                                   winnow_status *status_p);

#endif
