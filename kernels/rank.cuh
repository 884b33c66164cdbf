/*
 * Rank: how many survivors come before a thread's own?
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_RANK_CUH
#define WINNOW_KERNELS_RANK_CUH

#include "load.cuh"

namespace winnow {

/*
 * Call visit(rank, element) for each survivor that a warp has of a tile; ranks
 * count from 0, all lanes' first items before all lanes' second ones, so that
 * neighbouring lanes get neighbouring ranks. All lanes take part.
 */
template <class U, unsigned int THREADS, unsigned int VECTORS, class Visit>
__device__ __forceinline__ void
rank_by_ballot(const Tile<U, THREADS, VECTORS> &tile, Visit visit) {
    const unsigned int below = lanes_below();
    unsigned int before = 0;
#pragma unroll
    for (unsigned int k = 0; k < VECTORS; k++) {
#pragma unroll
        for (unsigned int i = 0; i < VECTOR_ITEMS<U>; i++) {
            const bool kept = tile.keep[k] >> i & 1;
            const unsigned int ballot = __ballot_sync(ALL_LANES, kept);
            if (kept)
                visit(before + __popc(ballot & below),
                      item<U>(tile.vector[k], i));
            before += __popc(ballot);
        }
    }
}

/*
 * Counts of the survivors of a block's warps: what comes before a warp's own,
 * and the total. All THREADS, which need not be all of the block; has a
 * barrier for them, and reads `warps` after it.
 */
template <unsigned int THREADS>
struct WarpCounts {
    static constexpr unsigned int WARPS = THREADS / WARP;
    struct Shared {
        unsigned int warps[WARPS];
    };

    unsigned int before, total;

    __device__ __forceinline__ WarpCounts(unsigned int mine, Shared &shared) {
        if (lane_id() == 0)
            shared.warps[warp_id()] = mine;
        barrier<THREADS>(1);
        const unsigned int other =
            lane_id() < WARPS ? shared.warps[lane_id()] : 0;
        total = sum(other);
        before = sum(lane_id() < warp_id() ? other : 0);
    }
};

/*
 * Ranks in any order, the cheapest: a thread's survivors stay together, behind
 * those of the threads before it.
 */
template <class U, unsigned int THREADS, unsigned int VECTORS>
class ThreadRank {
    using TileType = Tile<U, THREADS, VECTORS>;
    using Counts = WarpCounts<THREADS>;

  public:
    using Shared = typename Counts::Shared;
    unsigned int total; /* survivors of the whole tile */

    __device__ __forceinline__ ThreadRank(const TileType &tile,
                                          Shared &shared) {
        const unsigned int mine = tile.kept();
        const unsigned int sums = inclusive_sum(mine);
        const Counts counts(__shfl_sync(ALL_LANES, sums, WARP - 1), shared);
        total = counts.total;
        rank_ = counts.before + sums - mine;
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
template <class U, unsigned int THREADS, unsigned int VECTORS>
class StableRank {
    using TileType = Tile<U, THREADS, VECTORS>;
    using Counts = WarpCounts<THREADS>;
    static constexpr unsigned int BITS = sizeof(U) >= 4 ? 8 : 10;
    static constexpr unsigned int FIELDS = 32 / BITS;
    static constexpr unsigned int WORDS = (VECTORS + FIELDS - 1) / FIELDS;
    static_assert(WARP * VECTOR_ITEMS<U> < 1u << BITS, "a row fits its field");

  public:
    using Shared = typename Counts::Shared;
    unsigned int total; /* survivors of the whole tile */

    __device__ __forceinline__ StableRank(const TileType &tile,
                                          Shared &shared) {
        uint32_t counts[WORDS] = {};
#pragma unroll
        for (unsigned int k = 0; k < VECTORS; k++)
            counts[k / FIELDS] |= __popc(tile.keep[k]) << BITS * (k % FIELDS);
#pragma unroll
        for (unsigned int i = 0; i < WORDS; i++) {
            const uint32_t sums = inclusive_sum(counts[i]);
            before_[i] = sums - counts[i];
            rows_[i] = __shfl_sync(ALL_LANES, sums, WARP - 1);
        }
        unsigned int mine = 0;
#pragma unroll
        for (unsigned int k = 0; k < VECTORS; k++)
            mine += field(rows_, k);
        const Counts others(mine, shared);
        total = others.total;
        row_ = others.before;
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

} // namespace winnow

#endif
