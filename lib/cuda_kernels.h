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

/* All of them: nothing else lists them. (Those of quads are of bytes alone.) */
#define WINNOW__TABLES(X)                                                      \
    X(global_atomic)                                                           \
    X(shared_atomic)                                                           \
    X(warp_aggregated)                                                         \
    X(warp_shared)                                                             \
    X(tile_alone_2)                                                            \
    X(tile_alone_4)                                                            \
    X(tile_aggregated_rows_2)                                                  \
    X(tile_aggregated_rows_8)                                                  \
    X(tile_aggregated_rows_16)                                                 \
    X(tile_aggregated_small)                                                   \
    X(tile_aggregated_medium)                                                  \
    X(tile_aggregated_large)                                                   \
    X(tile_cluster_2)                                                          \
    X(tile_cluster_4)                                                          \
    X(tile_cluster_8)                                                          \
    X(tile_cluster_16)                                                         \
    X(tile_cluster_quads)                                                      \
    X(tile_cluster_quads_whole)                                                \
    X(tile_resident_rows_4)                                                    \
    X(tile_resident_rows_8)                                                    \
    X(tile_resident_rows_16)                                                   \
    X(tile_resident_small)                                                     \
    X(tile_resident_large)                                                     \
    X(tile_scan_small)                                                         \
    X(tile_scan_large)                                                         \
    X(count_small)                                                             \
    X(count_medium)                                                            \
    X(count_large)                                                             \
    X(estimate)

#define WINNOW__DECLARE_TABLE(NAME) extern winnow__kernels winnow__##NAME;
WINNOW__TABLES(WINNOW__DECLARE_TABLE)
#undef WINNOW__DECLARE_TABLE
extern const winnow__kernel winnow__store;

/* How many there are, and the place of each where something is known of it. */
enum {
#define WINNOW__NUMBER_TABLE(NAME) WINNOW__TABLE_##NAME,
    WINNOW__TABLES(WINNOW__NUMBER_TABLE)
#undef WINNOW__NUMBER_TABLE
    WINNOW__TABLE_COUNT
};

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
