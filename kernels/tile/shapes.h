/*
 * The shapes of the kernels: every table that a .cu file defines, and the limit
 * of each. Nothing else lists them.
 *
 * The shapes of one ladder do the same work in tiles of different sizes, from
 * the smallest tiles to the largest. A call takes the first shape whose limit
 * it does not exceed and that fits on the device. Limits were measured on an
 * H200 (bench/NOTES.md). SCALED limits are proportional to the device's number
 * of multiprocessors; an H200 has WINNOW__MEASURED_ON.
 *
 *   X(NAME, LADDER, UNIT, limits for elements of 1, 2, 4 and 8 bytes)
 *
 * If the limit is 0, no input takes the shape, and there may be no kernel.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#define WINNOW__MEASURED_ON 132

/* The unit of a limit. */
typedef enum winnow__unit {
    WINNOW__ITEMS,
    WINNOW__SCALED_ITEMS,
    WINNOW__SCALED_BYTES
} winnow__unit;

typedef enum winnow__ladder {
    WINNOW__NO_LADDER, /* one shape, whatever the size */
    WINNOW__SINGLE_BLOCK,
    WINNOW__ONE_CLUSTER,
    WINNOW__AGGREGATED,
    WINNOW__ONE_WAVE,
    WINNOW__LOOK_BACK,
    WINNOW__COUNTS,
    WINNOW__INDEX_SINGLE_BLOCK,
    WINNOW__INDEX_CLUSTER,
    WINNOW__INDEX_AGGREGATED,
    WINNOW__INDEX_ONE_WAVE,
    WINNOW__INDEX_LOOK_BACK
} winnow__ladder;

#define WINNOW__OF_ANY_SIZE UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX
#define WINNOW__UP_TO(LIMIT) LIMIT, LIMIT, LIMIT, LIMIT

/* clang-format off */
#define WINNOW__SHAPES(X)                                                      \
    X(global_atomic, NO_LADDER, ITEMS, WINNOW__OF_ANY_SIZE)                       \
    X(shared_atomic, NO_LADDER, ITEMS, WINNOW__OF_ANY_SIZE)                       \
    X(warp_aggregated, NO_LADDER, ITEMS, WINNOW__OF_ANY_SIZE)                     \
    X(warp_shared, NO_LADDER, ITEMS, WINNOW__OF_ANY_SIZE)                         \
    X(software_atomic, NO_LADDER, ITEMS, WINNOW__OF_ANY_SIZE)                     \
    X(single_block_2, SINGLE_BLOCK, ITEMS, WINNOW__UP_TO(1 << 10))             \
    X(single_block_4, SINGLE_BLOCK, ITEMS, WINNOW__UP_TO(1 << 11))             \
    X(cluster_2, ONE_CLUSTER, ITEMS, WINNOW__UP_TO(1 << 12))                   \
    X(cluster_4, ONE_CLUSTER, ITEMS, WINNOW__UP_TO(1 << 14))                   \
    X(cluster_8, ONE_CLUSTER, ITEMS, WINNOW__UP_TO(1 << 15))                   \
    X(cluster_16, ONE_CLUSTER, ITEMS, 1 << 16, 1 << 16, 1 << 16, 1 << 15)      \
    X(tile_aggregated_striped_2, AGGREGATED, SCALED_ITEMS,                     \
      3 << 17, 3 << 17, 3 << 17, 1 << 19)                                      \
    X(tile_aggregated_striped_8, AGGREGATED, SCALED_ITEMS,                     \
      3 << 19, 3 << 19, 3 << 19, 1 << 22)                                      \
    X(tile_aggregated_striped_16, AGGREGATED, SCALED_ITEMS, 0, 1 << 21, 0, 0)  \
    X(tile_aggregated_medium, AGGREGATED, SCALED_BYTES,                        \
      WINNOW__UP_TO(1 << 25))                                                  \
    X(tile_aggregated_large, AGGREGATED, ITEMS, WINNOW__OF_ANY_SIZE)              \
    X(one_wave_striped_4, ONE_WAVE, SCALED_ITEMS,                              \
      1 << 17, 1 << 17, 1 << 17, 1 << 18)                                      \
    X(one_wave_striped_8, ONE_WAVE, SCALED_ITEMS,                              \
      5 << 17, 3 << 18, 3 << 18, 1 << 20)                                      \
    X(one_wave_striped_16, ONE_WAVE, SCALED_ITEMS,                             \
      1 << 20, 1 << 21, 3 << 19, 3 << 19)                                      \
    X(one_wave_small, ONE_WAVE, SCALED_BYTES, 1 << 23, 6 << 20, 1 << 23, 0)    \
    X(one_wave_large, ONE_WAVE, SCALED_BYTES, 0, 1 << 23, 1 << 24, 1 << 24)    \
    /* Large tiles are for inputs that fill the device with two tiles a        \
     * multiprocessor; with elements of one byte, whose tiles take long, they  \
     * have to fill it three times, or the last tiles delay the kernel. */     \
    X(tile_scan_small, LOOK_BACK, SCALED_BYTES, 3 * 264 * 49152, 264 * 49152,  \
      264 * 49152, 264 * 49152)                                                \
    X(tile_scan_large, LOOK_BACK, ITEMS, WINNOW__OF_ANY_SIZE)                     \
    X(count_small, COUNTS, SCALED_BYTES, WINNOW__UP_TO(1 << 20))               \
    X(count_medium, COUNTS, SCALED_BYTES, WINNOW__UP_TO(1 << 23))              \
    X(count_large, COUNTS, ITEMS, WINNOW__OF_ANY_SIZE)                            \
    X(estimate, NO_LADDER, ITEMS, WINNOW__OF_ANY_SIZE)                            \
    /* Indices: the limits are not tuned; one wave ends at 512 tiles. */       \
    X(index_global_atomic, NO_LADDER, ITEMS, WINNOW__OF_ANY_SIZE)                 \
    X(index_shared_atomic, NO_LADDER, ITEMS, WINNOW__OF_ANY_SIZE)                 \
    X(index_warp_aggregated, NO_LADDER, ITEMS, WINNOW__OF_ANY_SIZE)               \
    X(index_warp_shared, NO_LADDER, ITEMS, WINNOW__OF_ANY_SIZE)                   \
    X(index_software_atomic, NO_LADDER, ITEMS, WINNOW__OF_ANY_SIZE)               \
    X(index_single_block, INDEX_SINGLE_BLOCK, ITEMS, WINNOW__UP_TO(1 << 11))   \
    X(index_cluster, INDEX_CLUSTER, ITEMS, WINNOW__UP_TO(1 << 14))             \
    X(index_aggregated, INDEX_AGGREGATED, ITEMS, WINNOW__OF_ANY_SIZE)             \
    X(index_one_wave, INDEX_ONE_WAVE, SCALED_BYTES,                            \
      1 << 22, 1 << 23, 1 << 24, 1 << 24)                                      \
    X(index_scan, INDEX_LOOK_BACK, ITEMS, WINNOW__OF_ANY_SIZE)                    \
    /* Both parts: for inputs that fill the device with large tiles, as        \
     * tile_scan's. A selection splits others (lib/one_call/one_pass.c). */    \
    X(parts_scan, NO_LADDER, ITEMS, WINNOW__OF_ANY_SIZE)                          \
    /* The heads of runs: the same inputs (lib/one_call/one_pass.c). */        \
    X(heads_scan, NO_LADDER, ITEMS, WINNOW__OF_ANY_SIZE)                          \
    /* Values with a selection of them (lib/one_call/one_pass.c). */           \
    X(marks_scan, NO_LADDER, ITEMS, WINNOW__OF_ANY_SIZE)                          \
    X(heads_marks_scan, NO_LADDER, ITEMS, WINNOW__OF_ANY_SIZE)                    \
    /* Records of 1, 2 and 4 vectors stand where elements of 1, 2 and 4 bytes  \
     * do; their number is in vectors (lib/one_call/records.c). */             \
    X(records_scan, NO_LADDER, ITEMS, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0)
/* clang-format on */
