/*
 * Large inputs, on a device: TILE_SCAN's kernel reads the key or d_in once and
 * packs it, with another selector or sink, in place of a selection and a sink.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#ifdef WINNOW_CUDA

#include "one_call.h"
#include "cuda/plan.h"

/* *planned_p: does the call go in one pass? Then the plan says how. */
winnow_status
winnow__plan_one_pass(const winnow__query *query,
                      const struct winnow__constraints *constraints,
                      struct winnow__plan *plan, bool *planned_p);
void winnow__set_one_pass(const winnow__call *call,
                          const winnow__one_pass *pass, winnow__args *args);
/* Pack the key, and make the selection. */
winnow_status winnow__enqueue_marked(const winnow__call *call,
                                     const struct winnow__plan *plan,
                                     const struct winnow__workspace *memory,
                                     const winnow__selection *selection);

#endif
