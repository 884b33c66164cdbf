/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common.h"

#ifdef WINNOW_CUDA
#include "copy.h"
#include "kernels/copy/cub_scan.h"

const winnow__strategies winnow__copy_index_if_strategies = {
    .name = "copy_index_if",
    .only = {[WINNOW_GLOBAL_ATOMIC] = WINNOW__SHAPE_index_global_atomic,
             [WINNOW_SHARED_ATOMIC] = WINNOW__SHAPE_index_shared_atomic,
             [WINNOW_WARP_AGGREGATED] = WINNOW__SHAPE_index_warp_aggregated,
             [WINNOW_WARP_SHARED] = WINNOW__SHAPE_index_warp_shared,
             [WINNOW_SOFTWARE_ATOMIC] = WINNOW__SHAPE_index_software_atomic},
    .single_block = WINNOW__INDEX_SINGLE_BLOCK,
    .cluster = WINNOW__INDEX_CLUSTER,
    .aggregated = WINNOW__INDEX_AGGREGATED,
    .one_wave = WINNOW__INDEX_ONE_WAVE,
    .look_back = WINNOW__INDEX_LOOK_BACK,
    .unordered_cluster = WINNOW__SHAPE_index_cluster,
    .stable_cluster = WINNOW__SHAPE_index_cluster,
    .most_of_cub = winnow__cub_most_items,
    .plan = winnow__plan_strategy};
#endif

const winnow__operation winnow__copy_index_if_operation =
    WINNOW__COMPACTION(copy_index_if);

winnow_status
winnow_copy_index_if(winnow_context *context, const winnow_predicate *predicate,
                     winnow_type type, const void *d_in, uint64_t n,
                     winnow_type index_type, void *d_indices, uint64_t capacity,
                     uint64_t *d_count, const winnow_launch *launch) {
    winnow__call call = {
        .query = {.operation = &winnow__copy_index_if_operation,
                  .context = context,
                  .predicate = predicate,
                  .given = type,
                  .n = n,
                  .capacity = capacity,
                  .details = winnow__type(index_type)},
        .in = d_in,
        .out = d_indices,
        .count = d_count};
    WINNOW__TRY(winnow__check_index_type(index_type, n));
    return winnow__do(&call, launch);
}
