/*
 * WINNOW_TILE_SCAN's kernels (tile_scan.cuh), in the two sizes of tile that
 * devices have room for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "table.cuh"
#include "tile_scan.cuh"
#include "tuning.cuh"

namespace winnow {

template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(BLOCK_THREADS<TileScan<U>>,
                                  resident(BLOCK_THREADS<TileScan<U>>,
                                           TileScan<U>::BLOCKS))
    tile_scan_large(const __grid_constant__ winnow__args args) {
    tile_scan<U, KIND, TileScan<U>>(args);
}

template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(BLOCK_THREADS<TileScanSmall<U>>,
                                  resident(BLOCK_THREADS<TileScanSmall<U>>,
                                           TileScanSmall<U>::BLOCKS))
    tile_scan_small(const __grid_constant__ winnow__args args) {
    tile_scan<U, KIND, TileScanSmall<U>>(args);
}

} // namespace winnow

#define ROW(KERNEL, TUNING, U, KIND)                                           \
    WINNOW__ROW(winnow::BLOCK_THREADS<winnow::TUNING<U>>,                      \
                winnow::TUNING<U>::TILE_BYTES, 16,                             \
                winnow::STAGE_BYTES<winnow::TUNING<U>>,                        \
                winnow::KERNEL<U, KIND>)

#define LARGE(U, KIND) ROW(tile_scan_large, TileScan, U, KIND)
WINNOW__TABLE(winnow__tile_scan_large, LARGE);

#define SMALL(U, KIND) ROW(tile_scan_small, TileScanSmall, U, KIND)
WINNOW__TABLE(winnow__tile_scan_small, SMALL);
