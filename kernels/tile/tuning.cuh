/*
 * The constants that were chosen by measurements. One set serves every device,
 * since measurements on other devices are missing. The host chooses another
 * kernel if a device has not enough shared memory for one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <cstdint>

namespace winnow::tile {

/* The sinks (sink_values.cuh). Tiles of different sinks stage different data,
 * and so have different best sizes. */
template <class U>
struct Values;
template <class U>
struct Indices;
template <class U>
struct Parts;
template <class U>
struct Marked;
template <unsigned int R>
struct Records;

/*
 * Which tiles of small elements are staged with a skew against bank conflicts
 * (stage.cuh): none; tiles that keep runs of whole vectors but reject much
 * else; or these and all tiles that are nearly full.
 */
enum Skew {
    NO_SKEW,
    SKEW_CLUSTERED,
    SKEW_ALL
};

/*
 * THREADS x VECTORS 16-byte vectors of U make a tile; BLOCKS blocks are
 * resident on a multiprocessor. If less than 1 / SPARSE of a tile is kept, the
 * loop that stages goes over survivors and not over all items; 0 for never. A
 * look-back reads WINDOWS times 32 predecessors at once.
 *
 * Figures are fractions of the copy kernel's rate, lowest to highest over the
 * eleven selectivities of the benchmark: H200, 1 GiB, uniform, values. Indices
 * have no figures.
 */
template <class U, unsigned int THREADS_, unsigned int VECTORS_,
          unsigned int BLOCKS_, unsigned int SPARSE_ = 0, Skew SKEW_ = NO_SKEW,
          unsigned int WINDOWS_ = 0>
struct Tuning {
    static constexpr unsigned int THREADS = THREADS_, VECTORS = VECTORS_,
                                  BLOCKS = BLOCKS_, SPARSE = SPARSE_,
                                  WINDOWS = WINDOWS_,
                                  TILE_BYTES = THREADS_ * VECTORS_ * 16,
                                  ITEMS = TILE_BYTES / sizeof(U);
    static constexpr Skew SKEW = SKEW_;
};

/*
 * 4 and 8 bytes: 0.97 to 1.06; 512 x 6 in two blocks 0.93 to 1.06, 256 x 4 in
 * six 0.94 to 1.00. 2 bytes: 0.89 to 1.02, and 0.88 to 1.04 when the shape was
 * chosen; 256 x 5 in five 0.84 to 0.99, 384 x 6 in three 0.83 to 1.05. 1 byte:
 * 0.74 to 0.99; in five blocks 0.73 to 1.00, 256 x 7 in four 0.75 to 1.04 but
 * 0.74 in runs, 384 x 5 in three 0.69 to 1.06. An odd number of vectors spreads
 * the lanes' small stores over the banks.
 */
template <class Sink>
struct TileAggregated;
template <>
struct TileAggregated<Values<uint8_t>> : Tuning<uint8_t, 256, 5, 6, 16> {};
template <>
struct TileAggregated<Values<uint16_t>>
    : Tuning<uint16_t, 256, 7, 4, 64, SKEW_CLUSTERED> {};
template <>
struct TileAggregated<Values<uint32_t>> : Tuning<uint32_t, 384, 6, 3> {};
template <>
struct TileAggregated<Values<uint64_t>> : Tuning<uint64_t, 384, 6, 3> {};

/* 8192 items, or half as many of 8 bytes. */
template <class U>
struct TileAggregated<Indices<U>>
    : Tuning<U, 512, sizeof(U) < 4 ? sizeof(U) : 4, 2> {};

/*
 * 4 and 8 bytes: 0.88 to 0.96; 2 bytes: 0.78 to 0.90; 1 byte: 0.65 to 0.91, and
 * 512 x 5 0.65 to 0.85. The shape was chosen when counts were published later,
 * and all was slower: with one window 0.84 to 0.89, two 0.82 to 0.86, four 0.82
 * to 0.85, since the look-back's own traffic costs more than a second trip; 384
 * x 6 in three blocks 0.78 to 0.87, 256 x 6 in four 0.75 to 0.78, since larger
 * tiles have fewer states to read. 2 bytes skewed 0.67, 1 byte not 0.60.
 */
template <class Sink>
struct TileScan;
template <>
struct TileScan<Values<uint8_t>> : Tuning<uint8_t, 512, 6, 2, 16, SKEW_ALL, 1> {
};
template <>
struct TileScan<Values<uint16_t>>
    : Tuning<uint16_t, 512, 6, 2, 64, NO_SKEW, 1> {};
template <>
struct TileScan<Values<uint32_t>> : Tuning<uint32_t, 512, 6, 2, 0, NO_SKEW, 1> {
};
template <>
struct TileScan<Values<uint64_t>> : Tuning<uint64_t, 512, 6, 2, 0, NO_SKEW, 1> {
};

/* Two stages fit in the 48 KiB that every device has. */
template <class U>
struct TileScan<Indices<U>>
    : Tuning<U, 512, sizeof(U) < 4 ? sizeof(U) : 4, 2, 0, NO_SKEW, 1> {};

/* All of a tile is staged. There are no figures. A sixth vector of bytes would
 * need more registers than there are. */
template <class U>
struct TileScan<Parts<U>>
    : Tuning<U, 512, sizeof(U) == 1 ? 5 : 6, 2, 0, NO_SKEW, 1> {};

/* With marks a sixth vector of bytes would need more registers than there are.
 * There are no figures. */
template <class U>
struct TileScan<Marked<U>> : TileScan<Values<U>> {};
template <>
struct TileScan<Marked<uint8_t>> : Tuning<uint8_t, 512, 5, 2, 16, SKEW_ALL, 1> {
};

/* Records of R vectors, each of them an item: the constants of elements of 8
 * bytes. There are no figures. */
template <unsigned int R>
struct TileScan<Records<R>> : Tuning<uint4, 512, 6, 2, 0, NO_SKEW, 1> {
    static_assert(TileScan::ITEMS % R == 0, "a tile is whole records");
};

/*
 * For arrays that do not fill the device with large tiles, and for devices
 * with less than 97 KiB of shared memory for a block. Here the latency of a
 * look-back's loads costs more than their traffic: so there are four windows.
 */
template <class Sink>
struct TileScanSmall;
template <class U>
struct TileScanSmall<Values<U>>
    : Tuning<U, 256, 4, 4, TileScan<Values<U>>::SPARSE,
             TileScan<Values<U>>::SKEW, 4> {};

/*
 * Tiles for inputs that leave much of the device idle: more and smaller tiles
 * are faster, up to the number that one cursor can count.
 */
template <class Sink>
struct TileAggregatedMedium;
template <class U>
struct TileAggregatedMedium<Values<U>>
    : Tuning<U, 256, 4, 0, TileAggregated<Values<U>>::SPARSE,
             TileAggregated<Values<U>>::SKEW> {};

/* The same for a scan whose blocks exchange counts (count_exchange.cuh).
 * Smaller inputs have striped tiles (striped.cuh). */
template <class Sink>
struct OneWave;
template <class U>
struct OneWave<Values<U>>
    : Tuning<U, 512, sizeof(U) < 4 ? 2 : 4, 0, TileScan<Values<U>>::SPARSE,
             TileScan<Values<U>>::SKEW> {};
template <class U>
struct OneWave<Indices<U>> : Tuning<U, 512, sizeof(U) < 4 ? sizeof(U) : 4, 0> {
};

/* The same for larger inputs, up to all of the device's registers. */
template <class Sink>
struct OneWaveLarge;
template <class U>
struct OneWaveLarge<Values<U>>
    : Tuning<U, 512, 8, 2, TileScan<Values<U>>::SPARSE,
             TileScan<Values<U>>::SKEW> {};

} // namespace winnow::tile
