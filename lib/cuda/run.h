/*
 * Enqueuing a plan, for operations that run theirs themselves.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#ifdef WINNOW_CUDA

#include "core/operation.h"
#include "memory.h"

/* The arguments that do not depend on memory, and all of them. */
winnow__args winnow__arguments(const winnow__call *call,
                               const winnow__plan *plan);
winnow__args winnow__arguments_in(const winnow__call *call,
                                  const winnow__plan *plan,
                                  const winnow__workspace *memory);

/* Is there a word that the call's kernels read and the call writes? Then they
 * write the count into the cursor, and behind them it is delivered. */
bool winnow__delivers(const winnow__query *query, const uint64_t *count);
winnow_status winnow__prepare_delivery(const winnow__call *call,
                                       winnow__plan *plan);
winnow_status winnow__deliver_count(const winnow__call *call,
                                    const winnow__workspace *memory);

/* Enqueue a plan's kernel. args: those and the memory's; what the plan decides
 * is set here. */
winnow_status winnow__run_plan(const winnow__call *call,
                               const winnow__plan *plan,
                               const winnow__workspace *memory,
                               winnow__args *args, bool *refused_p);

/* Plan the call and enqueue it; if the device refuses the plan, another. */
winnow__run_function winnow__run_planned;

#endif
