/*
 * The common part of operations that pack survivors: copy_if and copy_index_if
 * differ in the elements of their outputs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "host/task.h"

extern const winnow__operation winnow__copy_if_operation;
extern const winnow__operation winnow__copy_index_if_operation;
extern const winnow__operation winnow__count_if_operation;
extern const winnow__operation winnow__estimate_operation;

/* What the compactions use of a launch. */
#define WINNOW__COMPACTION_TAKES                                               \
    (WINNOW__TAKES_TYPE | WINNOW__TAKES_STRATEGY | WINNOW__TAKES_CAPACITY |    \
     WINNOW__TAKES_N | WINNOW__TAKES_POSITION)

/* The operation winnow_NAME(), whose strategies are winnow__NAME_strategies. */
#define WINNOW__COMPACTION(NAME)                                               \
    {                                                                          \
        .name = #NAME, .takes = WINNOW__COMPACTION_TAKES,                      \
        .check = winnow__compaction_check,                                     \
        .ranges = winnow__compaction_ranges,                                   \
        .run_on_host = winnow__compaction_run_on_host,                         \
        .plan = WINNOW__IF_CUDA(winnow__auto_plan),                            \
        .strategies = WINNOW__IF_CUDA(&winnow__##NAME##_strategies),           \
        .run = WINNOW__IF_CUDA(winnow__auto_run),                              \
        .explain = WINNOW__IF_CUDA(winnow__copy_explain),                      \
        .set_results = WINNOW__IF_CUDA(winnow__compaction_set_results),        \
        .launch_foreign = WINNOW__IF_CUDA(winnow__launch_cub)                  \
    }

/* The query's details are the indices' type. NULL: values are packed. */
static inline const winnow__type_info *
winnow__index_type(const winnow__query *query) {
    return query->details;
}

winnow_status winnow__compaction_check(winnow__query *query);
int winnow__compaction_ranges(const winnow__call *call, winnow__range *ranges);
winnow__host_function winnow__compaction_run_on_host;
void winnow__compaction_set_results(const winnow__call *call,
                                    const struct winnow__plan *plan,
                                    winnow__args *args);
