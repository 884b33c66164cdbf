/*
 * Starting kernels, and what is asked of a stream before.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CUDA_LAUNCH_H
#define WINNOW_LIB_CUDA_LAUNCH_H

#include "plan.h"

/* Stores the result of a call of no elements. */
extern const winnow__kernel winnow__store;

/* Rounded up: tiles of items, blocks of tiles. */
static inline uint64_t winnow__divide_up(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}

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

/* ---- capture.c */

winnow_status winnow__is_captured(const winnow__call *call, bool *captured_p);

/* Does the graph that the call is captured into allocate this memory? It is
 * known to nobody then before the graph runs. */
bool winnow__is_allocated_in_graph(const winnow__call *call,
                                   const winnow__range *range);

#endif
