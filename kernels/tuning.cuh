/*
 * The constants that were chosen by measuring. One set serves every device so
 * far, for want of others to measure on; what a device lacks the room for is
 * left to the host's choice of a kernel.
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
 * Which tiles of small elements are staged by lanes out of step, lest they meet
 * in the same banks (stage.cuh): none; those where whole vectors are kept in a
 * row but much else is not; or those, and all that are nearly full.
 */
enum Stagger {
    PLAIN,
    CLUSTERED,
    STAGGERED
};

/*
 * THREADS x VECTORS 16-byte vectors make a tile; BLOCKS blocks are resident on
 * a multiprocessor. Below 1 / SPARSE of the tile kept, survivors are staged one
 * by one instead of item by item; 0 for never. A scan looks at WINDOWS times 32
 * predecessors at once.
 *
 * Figures are fractions of the copy kernel's rate, lowest to highest over the
 * eleven selectivities of the benchmark: H200, 1 GiB, uniform.
 */
template <unsigned int THREADS_, unsigned int VECTORS_, unsigned int BLOCKS_,
          unsigned int SPARSE_, Stagger STAGGER_, unsigned int WINDOWS_ = 0>
struct Tuning {
    static constexpr unsigned int THREADS = THREADS_, VECTORS = VECTORS_,
                                  BLOCKS = BLOCKS_, SPARSE = SPARSE_,
                                  WINDOWS = WINDOWS_,
                                  TILE_BYTES = THREADS_ * VECTORS_ * 16;
    static constexpr Stagger STAGGER = STAGGER_;
};

/*
 * 4 and 8 bytes: 0.97 to 1.06; 512 x 6 in two blocks 0.93 to 1.06, 256 x 4 in
 * six 0.94 to 1.00. 2 bytes: 0.89 to 1.02, and 0.88 to 1.04 when the shape was
 * chosen; 256 x 5 in five 0.84 to 0.99, 384 x 6 in three 0.83 to 1.05. 1 byte:
 * 0.74 to 0.99; in five blocks 0.73 to 1.00, 256 x 7 in four 0.75 to 1.04 but
 * 0.74 in runs, 384 x 5 in three 0.69 to 1.06. An odd number of vectors spreads
 * the lanes' small stores over the banks.
 */
template <class U>
struct TileAggregated;
template <>
struct TileAggregated<uint8_t> : Tuning<256, 5, 6, 16, PLAIN> {};
template <>
struct TileAggregated<uint16_t> : Tuning<256, 7, 4, 64, CLUSTERED> {};
template <>
struct TileAggregated<uint32_t> : Tuning<384, 6, 3, 0, PLAIN> {};
template <>
struct TileAggregated<uint64_t> : Tuning<384, 6, 3, 0, PLAIN> {};

/*
 * 4 and 8 bytes: 0.88 to 0.96; 2 bytes: 0.78 to 0.90; 1 byte: 0.65 to 0.91, and
 * 512 x 5 0.65 to 0.85. The shape was chosen when counts were told later, and
 * all was slower: with one window 0.84 to 0.89, two 0.82 to 0.86, four 0.82 to
 * 0.85, since the look-back's own traffic costs more than a second trip; 384 x
 * 6 in three blocks 0.78 to 0.87, 256 x 6 in four 0.75 to 0.78, since larger
 * tiles have fewer states to read. 2 bytes staggered 0.67, 1 byte not 0.60.
 */
template <class U>
struct TileScan;
template <>
struct TileScan<uint8_t> : Tuning<512, 6, 2, 16, STAGGERED, 1> {};
template <>
struct TileScan<uint16_t> : Tuning<512, 6, 2, 64, PLAIN, 1> {};
template <>
struct TileScan<uint32_t> : Tuning<512, 6, 2, 0, PLAIN, 1> {};
template <>
struct TileScan<uint64_t> : Tuning<512, 6, 2, 0, PLAIN, 1> {};

/*
 * For arrays that do not fill the device with large tiles, and for devices
 * that have no 97 KiB of shared memory for a block. Here a trip counts for
 * more than its traffic: four windows.
 */
template <class U>
struct TileScanSmall
    : Tuning<256, 4, 4, TileScan<U>::SPARSE, TileScan<U>::STAGGER, 4> {};

/*
 * Tiles for inputs that leave much of the device idle: the more there are of
 * them the better, as far as one cursor can tell them apart.
 */
template <class U>
struct TileAggregatedMedium
    : Tuning<256, 4, 0, TileAggregated<U>::SPARSE, TileAggregated<U>::STAGGER> {
};

template <class U>
struct TileAggregatedSmall
    : Tuning<512, 2, 0, TileAggregated<U>::SPARSE, TileAggregated<U>::STAGGER> {
};

/* The same for a scan whose blocks tell each other their counts (told.cuh).
 * Inputs smaller than these are for have row tiles (row.cuh). */
template <class U>
struct TileResident : Tuning<512, sizeof(U) < 4 ? 2 : 4, 0, TileScan<U>::SPARSE,
                             TileScan<U>::STAGGER> {};

/* And for as large an input as there are registers for. */
template <class U>
struct TileResidentLarge
    : Tuning<512, 8, 2, TileScan<U>::SPARSE, TileScan<U>::STAGGER> {};

} // namespace winnow

#endif
