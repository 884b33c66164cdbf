/*
 * How many survivors each segment of the items has, and where a segment's begin
 * among all of them.
 *
 * The rank of an item, the number of survivors before it, is that of its tile
 * and those of the tile's words up to its bit. A segment's survivors are the
 * difference of two ranks, whatever its size. A thread finds the rank of one
 * offset; the count of a segment takes the next thread's, too. So a block has
 * one thread more than segments.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernel.cuh"
#include "selection.h"

namespace winnow {

constexpr unsigned int SEGMENT_THREADS = WINNOW__SELECTION_THREADS;
constexpr unsigned int SEGMENTS = WINNOW__SEGMENTS_PER_BLOCK;
static_assert(SEGMENTS == SEGMENT_THREADS - 1, "a thread for every offset");

/* Survivors before an item, n at most. */
__device__ __forceinline__ uint64_t rank_of(const winnow__selection &from,
                                            uint64_t item) {
    constexpr unsigned int VECTOR = 4; /* words */
    const uint64_t tile = item / WINNOW__SELECTION_TILE;
    const unsigned int bit = item % WINNOW__SELECTION_TILE;
    const uint4 *const vectors = reinterpret_cast<const uint4 *>(
        from.keep + tile * WINNOW__SELECTION_WORDS);
    const unsigned int whole = bit / (32 * VECTOR);
    unsigned int kept = 0;
#pragma unroll 4
    for (unsigned int v = 0; v < whole; v++) {
        const uint4 words = vectors[v];
        kept += __popc(words.x) + __popc(words.y) + __popc(words.z) +
                __popc(words.w);
    }
    /* No word is read of an item at a vector's beginning: it may be n. */
    const unsigned int left = bit % (32 * VECTOR);
    if (left != 0) {
        const uint4 last = vectors[whole];
        const uint32_t words[VECTOR] = {last.x, last.y, last.z, last.w};
#pragma unroll
        for (unsigned int i = 0; i < VECTOR; i++) {
            const uint32_t inside = left >= 32 * (i + 1) ? ~0u
                                    : left > 32 * i      ? (1u << left % 32) - 1
                                                         : 0;
            kept += __popc(words[i] & inside);
        }
    }
    return from.before[tile] + kept;
}

template <class Offset>
__global__ void __launch_bounds__(SEGMENT_THREADS)
    selection_segments(const __grid_constant__ winnow__segments_args args) {
    using Ranks = uint64_t[SEGMENT_THREADS];
    WINNOW__SHARED(ranks, Ranks);
    const uint64_t i =
        static_cast<uint64_t>(blockIdx.x) * SEGMENTS + threadIdx.x;
    uint64_t rank = 0;
    if (i <= args.number) {
        const uint64_t offset = static_cast<const Offset *>(args.offsets)[i];
        rank = rank_of(args.from, offset < args.from.n ? offset : args.from.n);
    }
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

} // namespace winnow

/* Of offsets of 4 and of 8 bytes. */
extern "C" const winnow__kernel winnow__selection_segments[2];
const winnow__kernel winnow__selection_segments[2] = {
    WINNOW__ENTRY(winnow::SEGMENT_THREADS, 0, 0, 0,
                  winnow::selection_segments<uint32_t>),
    WINNOW__ENTRY(winnow::SEGMENT_THREADS, 0, 0, 0,
                  winnow::selection_segments<unsigned long long>)};
