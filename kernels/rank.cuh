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
 * The ranks of a tile's survivors, in the order of the input.
 *
 * A thread has one vector of each row of its warp, so a warp sums the counts
 * of every row over its lanes. The sums of several rows fit in one register,
 * side by side: a row has at most 32 vectors' items.
 */
template <class U, unsigned int THREADS, unsigned int VECTORS>
class TileRank {
    using TileType = Tile<U, THREADS, VECTORS>;
    static constexpr unsigned int WARPS = THREADS / WARP;
    static constexpr unsigned int BITS = sizeof(U) >= 4 ? 8 : 16;
    static constexpr unsigned int FIELDS = 32 / BITS;
    static constexpr unsigned int WORDS = (VECTORS + FIELDS - 1) / FIELDS;
    static_assert(WARP * VECTOR_ITEMS<U> < 1u << BITS, "a row fits its field");

  public:
    struct Shared {
        unsigned int warps[WARPS];
    };

    unsigned int total; /* survivors of the whole tile */

    /*
     * All THREADS, which need not be all of the block; has a barrier for them,
     * and reads `shared` after it.
     */
    __device__ __forceinline__ TileRank(const TileType &tile, Shared &shared) {
        uint32_t counts[WORDS] = {};
#pragma unroll
        for (unsigned int k = 0; k < VECTORS; k++)
            counts[k / FIELDS] |= __popc(tile.keep[k]) << BITS * (k % FIELDS);
        unsigned int warp_total = 0;
#pragma unroll
        for (unsigned int i = 0; i < WORDS; i++) {
            const uint32_t sums = inclusive_sum(counts[i]);
            before_[i] = sums - counts[i];
            rows_[i] = __shfl_sync(ALL_LANES, sums, WARP - 1);
        }
#pragma unroll
        for (unsigned int k = 0; k < VECTORS; k++)
            warp_total += field(rows_, k);
        if (lane_id() == 0)
            shared.warps[warp_id()] = warp_total;
        barrier<THREADS>(1);
        const unsigned int other =
            lane_id() < WARPS ? shared.warps[lane_id()] : 0;
        total = sum(other);
        row_ = sum(lane_id() < warp_id() ? other : 0);
    }

    /* The rank of the first survivor of vector k; for k in rising order. */
    __device__ __forceinline__ unsigned int next(unsigned int k) {
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
