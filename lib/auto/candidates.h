/*
 * Enqueuing a call: one plan, or several candidates of which one will run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_AUTO_CANDIDATES_H
#define WINNOW_LIB_AUTO_CANDIDATES_H

#include "cuda/memory.h"

/* ---- lib/cuda/run.c */

/* The arguments that do not depend on a plan or on memory. */
winnow__args winnow__arguments(const winnow__call *call,
                               const winnow__plan *plan);

/* Enqueue a plan's kernel. args: those, the memory's and the candidate's number
 * if it is one; what the plan decides is set here. */
winnow_status winnow__run_plan(const winnow__call *call,
                               const winnow__plan *plan,
                               const winnow__workspace *memory,
                               winnow__args *args, bool *refused_p);

/* ---- candidates.c */

winnow_status winnow__run_candidates(const winnow__call *call,
                                     const winnow__constraints *constraints,
                                     const winnow__choice *choice,
                                     bool captured);

#endif
