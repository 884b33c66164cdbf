/*
 * The constants that were chosen by measuring.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_TUNING_CUH
#define WINNOW_KERNELS_TUNING_CUH

#include <cstdint>

namespace winnow {

/*
 * As many blocks of so many threads as were wanted on a multiprocessor, or as
 * it can hold: what __launch_bounds__ is told.
 */
constexpr unsigned int resident(unsigned int threads, unsigned int wanted) {
#if !defined(__CUDA_ARCH__)
    constexpr unsigned int MOST_THREADS = 2048;
#elif __CUDA_ARCH__ == 750
    constexpr unsigned int MOST_THREADS = 1024;
#elif __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || __CUDA_ARCH__ == 890 ||  \
    __CUDA_ARCH__ >= 1100
    constexpr unsigned int MOST_THREADS = 1536;
#else
    constexpr unsigned int MOST_THREADS = 2048;
#endif
    return wanted * threads > MOST_THREADS ? MOST_THREADS / threads : wanted;
}

/*
 * THREADS x VECTORS 16-byte vectors make a tile; BLOCKS blocks are resident on
 * a multiprocessor. Below 1 / SPARSE of the tile kept, survivors are staged one
 * by one instead of item by item; 0 for never. A scan looks at WINDOWS times 32
 * predecessors at once.
 */
template <unsigned int THREADS_, unsigned int VECTORS_, unsigned int BLOCKS_,
          unsigned int SPARSE_, unsigned int WINDOWS_ = 0>
struct Tuning {
    static constexpr unsigned int THREADS = THREADS_, VECTORS = VECTORS_,
                                  BLOCKS = BLOCKS_, SPARSE = SPARSE_,
                                  WINDOWS = WINDOWS_,
                                  TILE_BYTES = THREADS_ * VECTORS_ * 16;
};

/*
 * H200, 1 GiB, uniform. 4 and 8 bytes: 0.97 to 1.05 of the copy kernel's rate;
 * 512 x 4 is as good but at 100% (0.73), 512 x 6 in two blocks 0.93 to 1.06,
 * 256 x 4 in six 0.94 to 1.00. Tiles of 5 or 7 vectors are 3% behind.
 */
template <class U>
struct TileAggregated;
template <>
struct TileAggregated<uint8_t> : Tuning<256, 4, 6, 16> {};
template <>
struct TileAggregated<uint16_t> : Tuning<256, 6, 4, 64> {};
template <>
struct TileAggregated<uint32_t> : Tuning<384, 6, 3, 0> {};
template <>
struct TileAggregated<uint64_t> : Tuning<384, 6, 3, 0> {};

/*
 * H200, 1 GiB, uniform. 512 x 6 with one window: 0.84 to 0.91 of the copy
 * kernel's rate for 4 and 8 bytes; two windows 0.82 to 0.86, four 0.82 to 0.85:
 * the look-back's own traffic costs more than a second trip. 384 x 6 in three
 * blocks 0.77 to 0.87, 256 x 6 in four 0.75 to 0.78.
 */
template <class U>
struct TileScan : Tuning<512, 6, 2,
                         sizeof(U) == 1   ? 16
                         : sizeof(U) == 2 ? 64
                                          : 0,
                         1> {};
/* For devices that have no 96 KiB of shared memory for a block (7.5). */
template <class U>
struct TileScanSmall : Tuning<256, 4, 2, TileScan<U>::SPARSE, 1> {};

} // namespace winnow

#endif
