/*
 * An operation that has strategies, as AUTO sees it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "core/operation.h"
#include "tile/plan.h"

/* A range of selectivities, and what to run there. */
typedef struct winnow__candidate {
    winnow_strategy strategy;
    winnow__shape shape; /* WINNOW__SHAPE_COUNT: by the size of the input */
    uint32_t below; /* the range begins where the one before it ends, and ends
                       below this; the last has WINNOW__FRACTION_ONE and includes it */
} winnow__candidate;

/* What a call is planned for: a winnow__constraints has it as `settled`. */
typedef struct winnow__settled {
    winnow__candidate candidate;
    bool is_one_of_several; /* of which the device chooses one */
} winnow__settled;

typedef struct winnow__strategies {
    const char *name; /* the operation's, in profiles */
    /* The shape of a strategy that has one, and the ladders of the others. */
    winnow__shape only[WINNOW_SOFTWARE_ATOMIC + 1];
    winnow__ladder single_block, cluster, aggregated, one_wave, look_back;
    /* The largest clusters worth it where there is memory, by order. */
    winnow__shape unordered_cluster, stable_cluster;
    uint64_t (*most_of_cub)(void); /* elements that WINNOW_CUB_SCAN takes */
    winnow_status (*plan)(const winnow__query *query,
                          const winnow__constraints *constraints,
                          const winnow__settled *settled, winnow__plan *plan);
} winnow__strategies;
