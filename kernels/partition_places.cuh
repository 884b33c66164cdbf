/*
 * partition_by_key, digits of 6 to 8 bits: the tiles, a thread's items in one,
 * and shared memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_PLACES_CUH
#define WINNOW_KERNELS_PARTITION_PLACES_CUH

#include "partition_rank.cuh"

#include <type_traits>

namespace winnow {
namespace partition {

constexpr unsigned int TILE_THREADS = WINNOW__PARTITION_TILE_THREADS;
constexpr unsigned int TILE_WARPS = TILE_THREADS / WARP;

/* Items of a thread, and of a tile. */
template <class Key>
constexpr unsigned int TILE_EACH = WINNOW__PARTITION_TILE_BYTES / sizeof(Key);
template <class Key>
constexpr unsigned int TILE_ITEMS = TILE_THREADS *TILE_EACH<Key>;

/* A tile of a chunk. */
struct Tile {
    uint64_t begin;
    uint64_t row; /* of the table of tiles */
    unsigned int items, chunk;

    /* The tile in this slot, or in one of the block's next: every chunk has
     * slots for the same number of tiles, and some have fewer tiles. */
    template <unsigned int TILE>
    __device__ __forceinline__ bool find(const winnow__partition_args &args,
                                         unsigned int &slot) {
        const unsigned int chunks = args.segment_offsets != nullptr
                                        ? args.first_chunk[args.segments]
                                        : args.chunks;
        const unsigned int each =
            args.segment_offsets != nullptr
                ? args.first_chunk[args.segments + 1]
                : static_cast<unsigned int>(args.chunk_items / TILE);
        for (; slot < chunks * each; slot += gridDim.x) {
            chunk = slot / each;
            const unsigned int number = slot - chunk * each;
            const winnow__partition_chunk &there = args.chunk[chunk];
            begin = there.begin + uint64_t(number) * TILE;
            if (begin >= there.end)
                continue;
            items = static_cast<unsigned int>(
                min(uint64_t(there.end) - begin, uint64_t(TILE)));
            row = there.row + number;
            return true;
        }
        return false;
    }
};

/* Which of the tile's items is a thread's first? Others are a warp apart. */
template <class Key>
__device__ __forceinline__ unsigned int first_of_tile() {
    const unsigned int thread = thread_number();
    return thread / WARP * (WARP * TILE_EACH<Key>)+thread % WARP;
}

/* The place of an item that is dropped. */
constexpr unsigned int NO_PLACE_16 = 0xffff;

/* Where a thread's items are staged, two to a register. */
template <unsigned int EACH_>
class Places16 {
    static_assert(EACH_ % 2 == 0, "pairs");

  public:
    __device__ __forceinline__ unsigned int get(unsigned int i) const {
        return i % 2 == 0 ? pairs_[i / 2] & 0xffff : pairs_[i / 2] >> 16;
    }

    __device__ __forceinline__ void set(unsigned int i, unsigned int place) {
        uint32_t &pair = pairs_[i / 2];
        pair = i % 2 == 0 ? (pair & 0xffff0000) | place
                          : (pair & 0x0000ffff) | place << 16;
        pin(pair); /* or the compiler keeps both by themselves */
    }

  private:
    uint32_t pairs_[EACH_ / 2] = {};
};

/* What a block has in its dynamic shared memory: for each digit where it begins
 * in the output, where in the tile to come, and the place there less that in
 * the tile; counts of each warp and digit; what is
 * staged; and, where there are columns, the digits of that. */
template <class Key, unsigned int BITS>
struct TileMemory {
    static constexpr unsigned int OFFSET = DIGITS<BITS> * 8;
    static constexpr unsigned int DELTA = OFFSET + DIGITS<BITS> * 8;
    static constexpr unsigned int COUNTS = DELTA + DIGITS<BITS> * 8;
    static constexpr unsigned int STAGED =
        COUNTS + TILE_WARPS * DIGITS<BITS> * 2;
    static constexpr unsigned int DIGIT =
        STAGED + TILE_ITEMS<Key> * sizeof(Key);
    static_assert(COUNTS % 16 == 0 && STAGED % 16 == 0, "vectors");

    uint64_t *begin, *offset;
    int64_t *delta;
    uint16_t *counts;
    Key *staged;
    uint8_t *digits;

    __device__ __forceinline__ explicit TileMemory(unsigned char *shared)
        : begin(reinterpret_cast<uint64_t *>(shared)),
          offset(reinterpret_cast<uint64_t *>(shared + OFFSET)),
          delta(reinterpret_cast<int64_t *>(shared + DELTA)),
          counts(reinterpret_cast<uint16_t *>(shared + COUNTS)),
          staged(reinterpret_cast<Key *>(shared + STAGED)),
          digits(shared + DIGIT) {
    }
};

/*
 * Call body(i, batch) for the thread's items of `number` that are staged; ROOM
 * of them in a full tile. batch::value items follow each other at distances of
 * TILE_THREADS.
 */
template <unsigned int ROOM, class Body>
__device__ __forceinline__ void for_staged(unsigned int number, Body body) {
    constexpr unsigned int EACH_ = ROOM / TILE_THREADS;
    constexpr unsigned int BATCH = EACH_ % 4 == 0 ? 4 : EACH_ % 2 == 0 ? 2 : 1;
    unsigned int i = thread_number();
    if (number == ROOM) {
#pragma unroll 1
        for (; i < ROOM; i += BATCH * TILE_THREADS)
            body(i, std::integral_constant<unsigned int, BATCH>());
    } else {
#pragma unroll 1
        for (; i < number; i += TILE_THREADS)
            body(i, std::integral_constant<unsigned int, 1>());
    }
}

} // namespace partition
} // namespace winnow

#endif
