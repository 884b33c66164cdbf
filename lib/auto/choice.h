/*
 * AUTO: the launches that a call may choose from.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile.h"

/* The candidates, by their ranges of selectivity; a single one is the choice. */
typedef struct winnow__choice {
    unsigned number;
    winnow__candidate candidates[WINNOW__MOST_CANDIDATES];
    const char *source; /* name of the profile they are from; NULL: none */
    unsigned line;      /* line in the file; 0: built in */
    bool hinted;        /* the hint selected one of several */
} winnow__choice;

/* ---- choose.c */

/* The caller's strategy, or what the context's profile says. With a hint there is
 * one candidate. */
winnow_status winnow__choose(const winnow__query *query,
                             winnow__choice *choice_p);

/* The fractions of survivors that decide how a sink packs a tile. */
winnow_status winnow__chosen_packing(const winnow_context *context,
                                     unsigned log2_size,
                                     winnow__packing *packing_p);

/* ---- candidates.c: members of an operation that has strategies */

winnow__plan_function winnow__auto_plan;
winnow__run_function winnow__auto_run;

/* The candidates' plans, without duplicates, and memory for any of them. */
typedef struct winnow__candidate_plans {
    winnow__plan plans[WINNOW__MOST_CANDIDATES];
    /* The first candidate with the same plan; it has the plan. */
    unsigned plan_of[WINNOW__MOST_CANDIDATES];
    winnow__plan memory; /* has no kernel */
} winnow__candidate_plans;

winnow_status winnow__plan_candidates(const winnow__query *query,
                                      const winnow__constraints *constraints,
                                      const winnow__choice *choice,
                                      winnow__candidate_plans *plans_p);
