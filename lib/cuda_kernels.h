/*
 * The kernels that kernels/NAME.cu define, in tables by the size of an element
 * and the kind of test.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CUDA_KERNELS_H
#define WINNOW_LIB_CUDA_KERNELS_H

#include "call.h"

typedef const winnow__kernel winnow__kernels[WINNOW__SIZES][WINNOW__TEST_KINDS];

extern winnow__kernels winnow__global_atomic;
extern winnow__kernels winnow__shared_atomic;
extern winnow__kernels winnow__warp_aggregated;
extern winnow__kernels winnow__warp_shared;
extern winnow__kernels winnow__tile_alone_2;
extern winnow__kernels winnow__tile_alone_4;
extern winnow__kernels winnow__tile_aggregated_rows_2;
extern winnow__kernels winnow__tile_aggregated_rows_8;
extern winnow__kernels winnow__tile_aggregated_rows_16;
extern winnow__kernels winnow__tile_aggregated_small;
extern winnow__kernels winnow__tile_aggregated_medium;
extern winnow__kernels winnow__tile_aggregated_large;
extern winnow__kernels winnow__tile_cluster_2;
extern winnow__kernels winnow__tile_cluster_4;
extern winnow__kernels winnow__tile_cluster_8;
extern winnow__kernels winnow__tile_cluster_16;
extern winnow__kernels winnow__tile_cluster_quads; /* bytes alone, too: */
extern winnow__kernels winnow__tile_cluster_quads_whole;
extern winnow__kernels winnow__tile_resident_rows_4;
extern winnow__kernels winnow__tile_resident_rows_8;
extern winnow__kernels winnow__tile_resident_rows_16;
extern winnow__kernels winnow__tile_resident_small;
extern winnow__kernels winnow__tile_resident_large;
extern winnow__kernels winnow__tile_scan_small;
extern winnow__kernels winnow__tile_scan_large;
extern winnow__kernels winnow__count_small;
extern winnow__kernels winnow__count_medium;
extern winnow__kernels winnow__count_large;
extern winnow__kernels winnow__estimate;
extern const winnow__kernel winnow__store;

/* The one that a predicate needs. */
static inline const winnow__kernel *
winnow__find_kernel(winnow__kernels *table, const winnow_predicate *predicate) {
    return &(*table)[predicate->type->log2_size][predicate->kind];
}

/* ---- cuda_resident.c: what the device can run together, asked of it once */

/* How many blocks of a kernel fill the device. */
winnow_status winnow__resident_blocks(const winnow__call *call,
                                      winnow__kernels *table,
                                      unsigned *blocks_p);

/* How many blocks of a kernel a cluster may have; 1 where there are none. */
winnow_status winnow__cluster_blocks(const winnow__call *call,
                                     winnow__kernels *table,
                                     unsigned *blocks_p);

#endif
