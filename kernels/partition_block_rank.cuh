/*
 * partition_by_key, digits of 6 to 8 bits: the places of a tile's items, in any
 * order.
 *
 * Each item takes the next rank from a counter of the block's, by an atomic on
 * shared memory. There are 256 counters, or bins. Of fewer digits each has
 * several, for different lanes, so that lanes seldom meet in one: the counters
 * of a digit are neighbours, and so are the items that they rank.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_BLOCK_RANK_CUH
#define WINNOW_KERNELS_PARTITION_BLOCK_RANK_CUH

#include "partition_places.cuh"

namespace winnow {
namespace partition {

/* `counts`: of each bin, and where its items begin. Items that have no part, or
 * are not the chunk's, have a bin of their own behind the others. */
template <class Shape, bool DROPS>
class BlockRank {
    using Key = typename Shape::Key;
    static constexpr unsigned int EACH_ = Shape::EACH;
    static constexpr unsigned int BINS = DIGITS<Shape::BITS>, NO_BIN = BINS;

    /* Items whose atomics are under way together. */
    static constexpr unsigned int BATCH = EACH_ > 8 ? EACH_ / 2 : EACH_;

  public:
    __device__ __forceinline__ BlockRank(const winnow__partition_args &args,
                                         const TileMemory<Shape> &memory)
        : digit_of_(args), spread_(args.spread),
          counts_(reinterpret_cast<uint32_t *>(memory.counts)),
          starts_(counts_ + BINS + 1) {
    }

    /* Once, by all threads, before the first tile; a barrier follows. */
    __device__ __forceinline__ void clear() const {
        for (unsigned int i = threadIdx.x; i <= BINS; i += Shape::THREADS)
            counts_[i] = 0;
    }

    /* Each item's rank in its bin. The last items of the tile, so many, are not
     * the chunk's. */
    __device__ __forceinline__ void rank(const Key (&keys)[EACH_],
                                         unsigned int beyond,
                                         Places16<EACH_> &places) {
        whole_ = beyond == 0;
        if (whole_)
            rank_items<false>(keys, 0, places);
        else
            rank_items<true>(keys, Shape::ITEMS - beyond, places);
        items_ = Shape::ITEMS - beyond;
    }

    /* Is the thread the first of those that have a bin of its digit? */
    __device__ __forceinline__ bool is_first() const {
        return thread_number() < BINS &&
               (thread_number() & ((1u << spread_) - 1)) == 0;
    }

    /* The digit of the thread's bin. */
    __device__ __forceinline__ unsigned int digit() const {
        return thread_number() >> spread_;
    }

    /* How many threads have a bin of a digit, and which of them is this? */
    __device__ __forceinline__ unsigned int bins() const {
        return 1u << spread_;
    }
    __device__ __forceinline__ unsigned int bin_of_digit() const {
        return thread_number() & (bins() - 1);
    }

    /* What the first thread of the digit has. */
    template <class T>
    __device__ __forceinline__ T of_first(T x) const {
        return __shfl_sync(ALL_LANES, x, lane_id() & ~(bins() - 1));
    }

    /* The items of the thread's digit in the tile. */
    __device__ __forceinline__ unsigned int count_of_digit() {
        const unsigned int bin = thread_number();
        unsigned int count = 0;
        if (bin < BINS) {
            count = counts_[bin];
            counts_[bin] = 0;
        }
        if (bin == 0)
            counts_[NO_BIN] = 0;
        before_ = 0;
        const unsigned int lane = lane_id();
        unsigned int inclusive = count;
        for (unsigned int step = 1; step < 1u << spread_; step *= 2) {
            const unsigned int other =
                __shfl_up_sync(ALL_LANES, inclusive, step);
            if ((lane & ((1u << spread_) - 1)) >= step)
                inclusive += other;
        }
        before_ = inclusive - count;
        return __shfl_sync(ALL_LANES, inclusive, lane | ((1u << spread_) - 1));
    }

    /* `place`: of the first item of the thread's digit, if the thread is the
     * first of that; `end`: behind the last of all. */
    __device__ __forceinline__ void set_starts(unsigned int place,
                                               unsigned int end) const {
        const unsigned int bin = thread_number();
        const unsigned int first = of_first(place);
        if (bin < BINS)
            starts_[bin] = first + before_;
        if (bin == 0)
            starts_[NO_BIN] = end;
    }

    /* Call stage(i, place) for each of the thread's items: those without a part
     * come last. */
    template <class Stage>
    __device__ __forceinline__ void for_places(const Key (&keys)[EACH_],
                                               const Places16<EACH_> &places,
                                               Stage stage) const {
        if (whole_)
            place_items<false>(keys, places, stage);
        else
            place_items<true>(keys, places, stage);
    }

  private:
    /* Where an item's bin is in a table of 4 bytes each. SOME: not all of the
     * tile are the chunk's. */
    template <bool SOME>
    __device__ __forceinline__ unsigned int offset(Key key, unsigned int item,
                                                   unsigned int items) const {
        const unsigned int lane = lane_id() & ((1u << spread_) - 1);
        const unsigned int bin = digit_of_.scaled(key, 2 + spread_) | lane << 2;
        const bool exists =
            (!DROPS || digit_of_.has_part(key)) && (!SOME || item < items);
        return exists ? bin : NO_BIN * 4;
    }

    template <bool SOME>
    __device__ __forceinline__ void rank_items(const Key (&keys)[EACH_],
                                               unsigned int items,
                                               Places16<EACH_> &places) const {
        const unsigned int first = first_of_tile<Shape>();
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i += BATCH) {
            unsigned int ranks[BATCH];
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++)
                ranks[k] = atomicAdd(
                    &entry(counts_,
                           offset<SOME>(keys[i + k], first + (i + k) * WARP,
                                        items)),
                    1u);
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++)
                places.set(i + k, ranks[k]);
        }
    }

    template <bool SOME, class Stage>
    __device__ __forceinline__ void place_items(const Key (&keys)[EACH_],
                                                const Places16<EACH_> &places,
                                                Stage stage) const {
        const unsigned int first = first_of_tile<Shape>();
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i += BATCH) {
            unsigned int at[BATCH];
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++)
                at[k] = places.get(i + k) +
                        entry(starts_,
                              offset<SOME>(keys[i + k], first + (i + k) * WARP,
                                           items_));
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++)
                stage(i + k, at[k]);
        }
    }

    const Digit<Key> digit_of_;
    const unsigned int spread_; /* log2 of a digit's bins */
    uint32_t *const counts_, *const starts_;
    unsigned int items_ = 0;  /* of the tile that are the chunk's */
    unsigned int before_ = 0; /* in bins of the thread's digit before its own */
    bool whole_ = true;
};

} // namespace partition
} // namespace winnow

#endif
