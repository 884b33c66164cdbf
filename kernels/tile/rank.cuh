/*
 * Rank: the number of survivors before a thread's own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "blocked.cuh"
#include "kernels/core/block_sum.cuh"

namespace winnow::tile {

/*
 * Call visit(rank, item, local) for each of a warp's survivors, which is item
 * number `local` of the tile. Ranks begin at 0 and count the first items of all
 * lanes before the second ones, so that neighbouring lanes get neighbouring
 * ranks. All lanes take part.
 */
template <class TileType, class Visit>
__device__ __forceinline__ void rank_by_ballot(const TileType &tile,
                                               Visit visit) {
    using U = typename TileType::U;
    const unsigned int below = lanes_below();
    unsigned int before = 0;
#pragma unroll
    for (unsigned int k = 0; k < TileType::VECTORS; k++) {
#pragma unroll
        for (unsigned int i = 0; i < TileType::EACH; i++) {
            const bool kept = tile.keep[k] >> i & 1;
            const unsigned int ballot = __ballot_sync(ALL_LANES, kept);
            if (kept)
                visit(before + __popc(ballot & below),
                      item<U>(tile.vector[k], i), TileType::item_of(k) + i);
            before += __popc(ballot);
        }
    }
}

/* The survivors that each warp of a tile has. */
template <unsigned int THREADS>
using WarpCounts = WarpSums<unsigned int, THREADS / WARP>;

/* The weight that warps sum up for a rank, and the number of survivors in a sum
 * of weights.
 */
template <class TileType>
struct PlainCount {
    __device__ __forceinline__ static unsigned int
    weight(const TileType &tile) {
        return tile.kept();
    }

    __device__ __forceinline__ static unsigned int
    survivors(unsigned int weights) {
        return weights;
    }
};

/*
 * A rank is computed after the barrier, when the tile's count is on its way to
 * the other blocks. next() returns it for one vector after the other.
 *
 * ThreadRank is the cheapest, and not in the order of the input: a thread's
 * survivors stay together, behind those of lower threads.
 */
template <class TileType>
class ThreadRank : public PlainCount<TileType> {
    using Counts = WarpCounts<TileType::THREADS>;

  public:
    unsigned int total; /* survivors of the whole tile */

    __device__ __forceinline__ ThreadRank(const TileType &tile,
                                          const Counts &counts) {
        const unsigned int mine = tile.kept();
        total = counts.total();
        rank_ = counts.before() + inclusive_sum(mine) - mine;
    }

    /* The rank of the first survivor of vector k; for k in rising order. */
    __device__ __forceinline__ unsigned int next(const TileType &tile,
                                                 unsigned int k) {
        const unsigned int rank = rank_;
        rank_ += __popc(tile.keep[k]);
        return rank;
    }

  private:
    unsigned int rank_;
};

/*
 * Ranks in the order of the input.
 *
 * A thread has one vector of each row of its warp, so a warp sums the counts
 * of every row over its lanes. The sums of several rows fit in one register,
 * side by side: a row has at most 32 vectors' items.
 */
template <class TileType>
class StableRank : public PlainCount<TileType> {
    using Counts = WarpCounts<TileType::THREADS>;
    static constexpr unsigned int VECTORS = TileType::VECTORS;
    static constexpr unsigned int EACH = TileType::EACH;
    static constexpr unsigned int BITS = EACH <= 4 ? 8 : 10;
    static constexpr unsigned int FIELDS = 32 / BITS;
    static constexpr unsigned int WORDS = (VECTORS + FIELDS - 1) / FIELDS;
    static_assert(WARP * EACH < 1u << BITS, "a row fits its field");

  public:
    unsigned int total; /* survivors of the whole tile */

    __device__ __forceinline__ StableRank(const TileType &tile,
                                          const Counts &counts) {
        total = counts.total();
        row_ = counts.before();
        uint32_t mine[WORDS] = {};
#pragma unroll
        for (unsigned int k = 0; k < VECTORS; k++)
            mine[k / FIELDS] |= __popc(tile.keep[k]) << BITS * (k % FIELDS);
#pragma unroll
        for (unsigned int i = 0; i < WORDS; i++) {
            const uint32_t sums = inclusive_sum(mine[i]);
            before_[i] = sums - mine[i];
            rows_[i] = __shfl_sync(ALL_LANES, sums, WARP - 1);
        }
    }

    /* The rank of the first survivor of vector k; for k in rising order. */
    __device__ __forceinline__ unsigned int next(const TileType &,
                                                 unsigned int k) {
        const unsigned int rank = row_ + field(before_, k);
        row_ += field(rows_, k);
        return rank;
    }

  private:
    __device__ __forceinline__ static unsigned int
    field(const uint32_t (&words)[WORDS], unsigned int k) {
        return words[k / FIELDS] >> BITS * (k % FIELDS) & ((1u << BITS) - 1);
    }

    uint32_t before_[WORDS]; /* in lower lanes, by row */
    uint32_t rows_[WORDS];   /* in the whole row */
    unsigned int row_;       /* survivors of the tile before the next row */
};

} // namespace winnow::tile
