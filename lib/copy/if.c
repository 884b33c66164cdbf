/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common.h"

#ifdef WINNOW_CUDA
#include "copy.h"
#include "kernels/copy/cub_scan.h"

const winnow__strategies winnow__copy_if_strategies = {
    .name = "copy_if",
    .only = {[WINNOW_GLOBAL_ATOMIC] = WINNOW__SHAPE_global_atomic,
             [WINNOW_SHARED_ATOMIC] = WINNOW__SHAPE_shared_atomic,
             [WINNOW_WARP_AGGREGATED] = WINNOW__SHAPE_warp_aggregated,
             [WINNOW_WARP_SHARED] = WINNOW__SHAPE_warp_shared,
             [WINNOW_SOFTWARE_ATOMIC] = WINNOW__SHAPE_software_atomic},
    .single_block = WINNOW__SINGLE_BLOCK,
    .cluster = WINNOW__ONE_CLUSTER,
    .aggregated = WINNOW__AGGREGATED,
    .one_wave = WINNOW__ONE_WAVE,
    .look_back = WINNOW__LOOK_BACK,
    .unordered_cluster = WINNOW__SHAPE_cluster_4,
    .stable_cluster = WINNOW__SHAPE_cluster_16,
    .most_of_cub = winnow__cub_most_items,
    .plan = winnow__plan_strategy};
#endif

const winnow__operation winnow__copy_if_operation = WINNOW__COMPACTION(copy_if);

winnow_status winnow_copy_if(winnow_context *context,
                             const winnow_predicate *predicate,
                             winnow_type type, const void *d_in, uint64_t n,
                             void *d_out, uint64_t capacity, uint64_t *d_count,
                             const winnow_launch *launch) {
    winnow__call call = {.query = {.operation = &winnow__copy_if_operation,
                                   .context = context,
                                   .predicate = predicate,
                                   .given = type,
                                   .n = n,
                                   .capacity = capacity},
                         .in = d_in,
                         .out = d_out,
                         .count = d_count};
    return winnow__do(&call, launch);
}
