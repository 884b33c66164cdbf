/*
 * The number of survivors in each segment of the items, and the rank of each
 * segment's first survivor.
 *
 * An item's rank, the number of survivors before it, is its tile's offset plus
 * the set bits of the tile before its own bit. A segment's survivors are the
 * difference of two ranks, whatever its size. A thread finds the rank of one
 * offset. The count of a segment takes the next thread's rank, too, so a block
 * has one thread more than segments.
 *
 * Offsets usually ascend. If a warp's offsets lie in few tiles, all lanes count
 * bits in one tile after the other. Otherwise each lane counts by itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"
#include "kernels/core/kernel.cuh"
#include "kernels/core/warp.cuh"

namespace winnow::pack {

constexpr unsigned int SEGMENT_THREADS = WINNOW__SELECTION_THREADS;
constexpr unsigned int SEGMENTS = WINNOW__SEGMENTS_PER_BLOCK;
static_assert(SEGMENTS == SEGMENT_THREADS - 1, "a thread for every offset");

constexpr unsigned int VECTOR_WORDS = 4;
constexpr unsigned int VECTOR_BITS = 32 * VECTOR_WORDS;
static_assert(WINNOW__SELECTION_TILE == WARP * VECTOR_BITS,
              "a vector of a tile for each lane");

/* All lanes of a warp count together in up to this number of tiles. */
constexpr unsigned int MOST_SHARED = 8;

__device__ __forceinline__ unsigned int kept_of(const uint4 &words) {
    return __popc(words.x) + __popc(words.y) + __popc(words.z) +
           __popc(words.w);
}

/* An item's place (up to n): tile, vector in the tile, bit in the vector. */
struct Place {
    const winnow__selection &from;
    uint64_t tile;
    unsigned int vector, bit;

    __device__ __forceinline__ Place(const winnow__selection &selection,
                                     uint64_t item)
        : from(selection), tile(item / WINNOW__SELECTION_TILE),
          vector(item % WINNOW__SELECTION_TILE / VECTOR_BITS),
          bit(item % VECTOR_BITS) {
    }

    __device__ __forceinline__ const uint4 *vectors() const {
        return reinterpret_cast<const uint4 *>(from.keep +
                                               tile * WINNOW__SELECTION_WORDS);
    }

    /* Survivors of its vector before it. At bit 0 no word is read: item n. */
    __device__ __forceinline__ unsigned int kept_in_vector() const {
        if (bit == 0)
            return 0;
        const uint4 own = vectors()[vector];
        const uint32_t words[VECTOR_WORDS] = {own.x, own.y, own.z, own.w};
        unsigned int kept = 0;
#pragma unroll
        for (unsigned int i = 0; i < VECTOR_WORDS; i++) {
            const uint32_t inside = bit >= 32 * (i + 1) ? ~0u
                                    : bit > 32 * i      ? (1u << bit % 32) - 1
                                                        : 0;
            kept += __popc(words[i] & inside);
        }
        return kept;
    }

    /* Survivors of the vectors before its own. */
    __device__ __forceinline__ unsigned int kept_before_vector() const {
        unsigned int kept = 0;
#pragma unroll 4
        for (unsigned int v = 0; v < vector; v++)
            kept += kept_of(vectors()[v]);
        return kept;
    }
};

/* The same by all lanes of a warp, for the places in `lanes`, which lie in few
 * tiles. Each round takes the tile of the first lane that is left. */
__device__ __forceinline__ unsigned int
kept_before_vectors(const Place &place, unsigned int lanes) {
    unsigned int kept = 0;
    while (lanes != 0) {
        const int leader = __ffs(lanes) - 1;
        const uint64_t tile = __shfl_sync(ALL_LANES, place.tile, leader);
        const bool is_there = lanes >> lane_id() & 1 && place.tile == tile;
        /* An item that is n may lie behind the last tile. */
        const uint4 *const vectors = reinterpret_cast<const uint4 *>(
            place.from.keep + tile * WINNOW__SELECTION_WORDS);
        const unsigned int own =
            tile < place.from.tiles ? kept_of(vectors[lane_id()]) : 0;
        const unsigned int before =
            __shfl_sync(ALL_LANES, inclusive_sum(own) - own, place.vector);
        if (is_there)
            kept = before;
        lanes &= ~__ballot_sync(ALL_LANES, is_there);
    }
    return kept;
}

/* Survivors before an item, up to n. By all lanes; some may have no item. */
__device__ __forceinline__ uint64_t rank_of(const winnow__selection &from,
                                            uint64_t item, bool exists) {
    const Place place(from, item);
    const unsigned int lanes = __ballot_sync(ALL_LANES, exists);
    const uint64_t below = __shfl_up_sync(ALL_LANES, place.tile, 1);
    const unsigned int tiles =
        __popc(__ballot_sync(ALL_LANES, lane_id() == 0 || place.tile != below));
    unsigned int kept = 0;
    if (tiles <= MOST_SHARED)
        kept = kept_before_vectors(place, lanes);
    else if (exists)
        kept = place.kept_before_vector();
    return exists ? from.before[place.tile] + kept + place.kept_in_vector() : 0;
}

template <class Offset>
__global__ void __launch_bounds__(SEGMENT_THREADS)
    selection_segments(const __grid_constant__ winnow__segments_args args) {
    using Ranks = uint64_t[SEGMENT_THREADS];
    WINNOW__SHARED(ranks, Ranks);
    const uint64_t i =
        static_cast<uint64_t>(blockIdx.x) * SEGMENTS + threadIdx.x;
    const bool exists = i <= args.number;
    const uint64_t offset =
        exists ? static_cast<const Offset *>(args.offsets)[i] : 0;
    const uint64_t rank =
        rank_of(args.from, offset < args.from.n ? offset : args.from.n, exists);
    ranks[threadIdx.x] = rank;
    __syncthreads();
    /* The last thread's offset is the next block's, except at the end. */
    if (args.ranks != nullptr &&
        (i == args.number || (i < args.number && threadIdx.x < SEGMENTS)))
        static_cast<Offset *>(args.ranks)[i] = static_cast<Offset>(rank);
    if (args.counts != nullptr && i < args.number && threadIdx.x < SEGMENTS) {
        const uint64_t end = ranks[threadIdx.x + 1];
        static_cast<Offset *>(args.counts)[i] =
            end > rank ? static_cast<Offset>(end - rank) : Offset(0);
    }
}

} // namespace winnow::pack

/* Offsets of 4 and of 8 bytes. */
WINNOW__FOR_HOST(winnow__selection_segments[2]) = {
    WINNOW__ENTRY(winnow::pack::SEGMENT_THREADS, 0, 0, 0,
                  winnow::pack::selection_segments<uint32_t>),
    WINNOW__ENTRY(winnow::pack::SEGMENT_THREADS, 0, 0, 0,
                  winnow::pack::selection_segments<unsigned long long>)};
