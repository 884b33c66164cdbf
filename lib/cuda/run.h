/*
 * Enqueues a plan, for operations that launch their own kernels.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#ifdef WINNOW_CUDA

#include "core/operation.h"
#include "memory.h"

/* A kernel's arguments: first those that do not depend on memory, then all. */
winnow__args winnow__arguments(const winnow__call *call,
                               const winnow__plan *plan);
winnow__args winnow__arguments_in(const winnow__call *call,
                                  const winnow__plan *plan,
                                  const winnow__workspace *memory);

/* Does the call write a word that its kernels read? Then the kernels write the
 * count to the cursor, and another kernel delivers it afterwards. */
bool winnow__delivers(const winnow__query *query, const uint64_t *count);
winnow_status winnow__prepare_delivery(const winnow__call *call,
                                       winnow__plan *plan);
winnow_status winnow__deliver_count(const winnow__call *call,
                                    const winnow__workspace *memory);

/* Enqueue a plan's kernel. `args` has the call's arguments and the memory; this
 * function sets those that depend on the plan. */
winnow_status winnow__run_plan(const winnow__call *call,
                               const winnow__plan *plan,
                               const winnow__workspace *memory,
                               winnow__args *args, bool *refused_p);

/* Plan the call and enqueue it. If the device refuses the plan, use another. */
winnow__run_function winnow__run_planned;

#endif
