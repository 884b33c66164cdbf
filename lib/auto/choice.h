/*
 * AUTO: what a call may run, and running it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile.h"

/* Candidates in the order of their ranges of selectivity. One: that is it. */
typedef struct winnow__choice {
    unsigned number;
    winnow__candidate candidates[WINNOW__MOST_CANDIDATES];
    const char *source; /* of the profile they are from; NULL: none */
    unsigned line;      /* of a file; 0: built in */
    bool hinted;        /* the hint took one of several */
} winnow__choice;

/* ---- choose.c */

/* The strategy asked for, or what the context's profile says: one candidate
 * where there is a hint. */
winnow_status winnow__choose(const winnow__query *query,
                             winnow__choice *choice_p);

/* By how many survivors a sink packs a tile in which way. */
winnow_status winnow__chosen_packing(const winnow_context *context,
                                     unsigned log2_size,
                                     winnow__packing *packing_p);

/* ---- candidates.c: members of an operation that has strategies */

winnow__plan_function winnow__auto_plan;
winnow__run_function winnow__auto_run;

/* The plans of all candidates, each once, and the memory that serves any. */
typedef struct winnow__candidate_plans {
    winnow__plan plans[WINNOW__MOST_CANDIDATES];
    /* The first of the choice's candidates that is the same; it has the plan.
     */
    unsigned plan_of[WINNOW__MOST_CANDIDATES];
    winnow__plan memory; /* no kernel */
} winnow__candidate_plans;

winnow_status winnow__plan_candidates(const winnow__query *query,
                                      const winnow__constraints *constraints,
                                      const winnow__choice *choice,
                                      winnow__candidate_plans *plans_p);
