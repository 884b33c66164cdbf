/*
 * Strategies on a CUDA device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "auto/choice.h"
#include "common.h"
#include "cuda/memory.h"

/* ---- if.c, index_if.c */

extern const winnow__strategies winnow__copy_if_strategies;
extern const winnow__strategies winnow__copy_index_if_strategies;

/* ---- plan.c */

winnow__plan_function winnow__plan_strategy;

/* ---- explain.c */

winnow__explain_function winnow__copy_explain;

/* ---- cub.c: what a kernel of CUB's needs, and running it. Behind CUB's own
 * memory there is a count, since CUB writes one in any case. */

enum {
    WINNOW__CUB_COUNT_BYTES = 16
};

/* Does CUB take as many elements as the query has? */
winnow_status winnow__check_cub(const winnow__query *query);
winnow_status winnow__cub_bytes(const winnow__query *query,
                                bool is_one_of_several, size_t *bytes_p);
winnow_status winnow__launch_cub(const winnow__call *call,
                                 const winnow__plan *plan,
                                 const winnow__workspace *memory,
                                 winnow__args *args);
