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

/* ---- cub.c: the memory of a CUB kernel, and its launch. A count follows CUB's
 * own memory, since CUB always writes one. */

enum {
    WINNOW__CUB_COUNT_BYTES = 16
};

/* WINNOW_OK if CUB can take the query's number of elements. */
winnow_status winnow__check_cub(const winnow__query *query);
winnow_status winnow__cub_bytes(const winnow__query *query,
                                bool is_one_of_several, size_t *bytes_p);
winnow_status winnow__launch_cub(const winnow__call *call,
                                 const winnow__plan *plan,
                                 const winnow__workspace *memory,
                                 winnow__args *args);
