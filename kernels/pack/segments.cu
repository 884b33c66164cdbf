/*
 * The number of survivors of each segment of the items, and the rank of each
 * segment's first survivor.
 *
 * The rank of an item, the number of survivors before it, is that of its tile
 * and those of the tile's words up to its bit. A segment's survivors are the
 * difference of two ranks, whatever its size. A thread finds the rank of one
 * offset; the count of a segment takes the next thread's, too. So a block has
 * one thread more than segments.
 *
 * Offsets rise as a rule. Where those of a warp lie in few tiles, all lanes sum
 * up one tile after the other; else each lane sums up the words before its own
 * offset.
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

/* Up to this number of tiles are summed up by all lanes of a warp. */
constexpr unsigned int MOST_SHARED = 8;

__device__ __forceinline__ unsigned int kept_of(const uint4 &words) {
    return __popc(words.x) + __popc(words.y) + __popc(words.z) +
           __popc(words.w);
}

/* An item, n at most, by its tile, its vector of that and its bit there. */
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

    /* Survivors of its own vector before it. No word is read of an item at a
     * vector's beginning: it may be n. */
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

/* The same by all lanes of a warp, for those in `lanes`, whose tiles are few:
 * in each round, of the first lane's tile that is left. */
__device__ __forceinline__ unsigned int
kept_before_vectors(const Place &place, unsigned int lanes) {
    unsigned int kept = 0;
    while (lanes != 0) {
        const int leader = __ffs(lanes) - 1;
        const uint64_t tile = __shfl_sync(ALL_LANES, place.tile, leader);
        const bool is_there = lanes >> lane_id() & 1 && place.tile == tile;
        /* There is no tile at the end, where an item may be n. */
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

/* Survivors before an item, n at most; by all lanes, of those that exist. */
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
    /* The next block has the last thread's offset, unless it is the last. */
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

/* Of offsets of 4 and of 8 bytes. */
WINNOW__FOR_HOST(winnow__selection_segments[2]) = {
    WINNOW__ENTRY(winnow::pack::SEGMENT_THREADS, 0, 0, 0,
                  winnow::pack::selection_segments<uint32_t>),
    WINNOW__ENTRY(winnow::pack::SEGMENT_THREADS, 0, 0, 0,
                  winnow::pack::selection_segments<unsigned long long>)};
