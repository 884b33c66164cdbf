/*
 * partition_by_key: the places of a tile's items, in any order.
 *
 * Each item takes the next rank from a counter in shared memory, by an atomic.
 * A block has up to 1024 counters, called bins. Each digit has several bins,
 * for different lanes, so that lanes with the same digit contend less. The bins
 * of a digit are adjacent, and so are the items that they rank.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "shape.cuh"

namespace winnow::partition {

/* `counts` has each bin's count and the beginning of its items. Items without a
 * part, or behind the chunk, share one more bin at the end. */
template <class Shape>
class BlockRank {
    using Key = typename Shape::Key;
    static constexpr bool DROPS = Shape::DROPS;
    static constexpr unsigned int EACH_ = Shape::EACH;
    static constexpr unsigned int BINS = WINNOW__PARTITION_BINS, NO_BIN = BINS;

    /* A thread owns 4 bins, a vector. */
    static constexpr unsigned int OWN_LOG = 2;
    static constexpr unsigned int OWNERS = BINS >> OWN_LOG;
    static_assert(OWNERS <= Shape::THREADS && OWNERS >= DIGITS<Shape::BITS>,
                  "all bins have a thread, and all digits");

    /* Items whose atomics are in flight together. */
    static constexpr unsigned int BATCH = EACH_ > 8 ? EACH_ / 2 : EACH_;

  public:
    /* Bytes of a table of bins. */
    static constexpr unsigned int TABLE = (BINS + 4) * sizeof(uint32_t);

    __device__ __forceinline__
    BlockRank(const winnow__partition_scatter_args &args,
              const TileMemory<Shape> &memory)
        : digit_of_(args.field), spread_(args.spread),
          counts_(reinterpret_cast<uint32_t *>(memory.counts)),
          starts_(reinterpret_cast<uint32_t *>(memory.counts + TABLE)) {
    }

    /* Before the first tile, by all threads. A barrier follows. */
    __device__ __forceinline__ void clear() const {
        for (unsigned int i = threadIdx.x; i <= BINS; i += Shape::THREADS)
            counts_[i] = 0;
    }

    /* Ranks items in their bins. The last `beyond` are behind the chunk. */
    __device__ __forceinline__ void rank(const Key (&keys)[EACH_],
                                         unsigned int beyond,
                                         Places16<EACH_> &places) {
        items_ = Shape::ITEMS - beyond;
        if (beyond == 0 && have_one_digit<DROPS>(digit_of_, keys))
            rank_one_digit(keys[0], places);
        else if (beyond == 0)
            rank_items<false>(keys, places);
        else
            rank_items<true>(keys, places);
    }

    /* Is the thread the first of the threads with bins of its digit? */
    __device__ __forceinline__ bool is_first() const {
        return thread_number() < OWNERS && owner_of_digit() == 0;
    }

    /* The digit of the thread's bins. */
    __device__ __forceinline__ unsigned int digit() const {
        return thread_number() >> (spread_ - OWN_LOG);
    }

    /* The number of the tile's items with the thread's digit. */
    __device__ __forceinline__ unsigned int count_of_digit() {
        const uint4 own = own_counts();
        const unsigned int count = own.x + own.y + own.z + own.w;
        const unsigned int lane = lane_id(), last = owners() - 1;
        unsigned int inclusive = count;
        for (unsigned int step = 1; step <= last; step *= 2) {
            const unsigned int other =
                __shfl_up_sync(ALL_LANES, inclusive, step);
            if ((lane & last) >= step)
                inclusive += other;
        }
        before_ = inclusive - count;
        return __shfl_sync(ALL_LANES, inclusive, lane | last);
    }

    /* `place`: of the digit's first item, given to the digit's first thread.
     * `end`: behind the last item of all. Counts become 0: the same threads
     * have read them, and barriers come before the next tile's counts. */
    __device__ __forceinline__ void set_starts(unsigned int place,
                                               unsigned int end) const {
        const unsigned int thread = thread_number();
        const unsigned int first =
            __shfl_sync(ALL_LANES, place, lane_id() & ~(owners() - 1)) +
            before_;
        const uint4 own = own_counts();
        if (thread < OWNERS) {
            vectors(starts_)[thread] =
                make_uint4(first, first + own.x, first + own.x + own.y,
                           first + own.x + own.y + own.z);
            vectors(counts_)[thread] = make_uint4(0, 0, 0, 0);
        }
        if (thread == 0) {
            starts_[NO_BIN] = end;
            counts_[NO_BIN] = 0;
        }
    }

    /* Call stage(i, place) for each of the thread's items. Items without a part
     * come last. */
    template <class Stage>
    __device__ __forceinline__ void for_places(const Key (&keys)[EACH_],
                                               const Places16<EACH_> &places,
                                               Stage stage) const {
        if (items_ == Shape::ITEMS)
            place_items<false>(keys, places, stage);
        else
            place_items<true>(keys, places, stage);
    }

  private:
    /* Threads with bins of a digit; this thread's number there. */
    __device__ __forceinline__ unsigned int owners() const {
        return 1u << (spread_ - OWN_LOG);
    }
    __device__ __forceinline__ unsigned int owner_of_digit() const {
        return thread_number() & (owners() - 1);
    }

    __device__ __forceinline__ static uint4 *vectors(uint32_t *table) {
        return reinterpret_cast<uint4 *>(table);
    }

    __device__ __forceinline__ uint4 own_counts() const {
        return thread_number() < OWNERS ? vectors(counts_)[thread_number()]
                                        : make_uint4(0, 0, 0, 0);
    }

    /* The bin of its digit that the lane takes. */
    __device__ __forceinline__ unsigned int bin_of_lane() const {
        return lane_id() & ((1u << spread_) - 1);
    }

    /* The offset of an item's bin in a table of 4-byte entries. SOME: not all
     * of the tile's items are in the chunk. */
    template <bool SOME>
    __device__ __forceinline__ unsigned int offset(Key key,
                                                   unsigned int item) const {
        const unsigned int bin =
            digit_of_.scaled(key, 2 + spread_) | bin_of_lane() << 2;
        const bool exists =
            (!DROPS || digit_of_.has_part(key)) && (!SOME || item < items_);
        return exists ? bin : NO_BIN * 4;
    }

    /* All lanes of a bin take their ranks by one atomic. */
    __device__ __forceinline__ void
    rank_one_digit(Key key, Places16<EACH_> &places) const {
        const unsigned int bin = bin_of_lane(), nth = lane_id() >> spread_;
        const unsigned int lanes = WARP >> spread_;
        unsigned int rank = 0;
        if (nth == 0)
            rank = atomicAdd(&entry(counts_, offset<false>(key, 0)),
                             EACH_ * lanes);
        rank = __shfl_sync(ALL_LANES, rank, static_cast<int>(bin)) + nth;
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++)
            places.set(i, rank + i * lanes);
    }

    template <bool SOME>
    __device__ __forceinline__ void rank_items(const Key (&keys)[EACH_],
                                               Places16<EACH_> &places) const {
        const unsigned int first = first_of_tile<Shape>();
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i += BATCH) {
            unsigned int ranks[BATCH];
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++)
                ranks[k] = atomicAdd(
                    &entry(counts_,
                           offset<SOME>(keys[i + k], first + (i + k) * WARP)),
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
                        entry(starts_, offset<SOME>(keys[i + k],
                                                    first + (i + k) * WARP));
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++)
                stage(i + k, at[k]);
        }
    }

    const Digit<Key> digit_of_;
    const unsigned int spread_; /* log2 of a digit's bins */
    uint32_t *const counts_, *const starts_;
    unsigned int items_ = 0;  /* of the tile, in the chunk */
    unsigned int before_ = 0; /* items in bins of the digit before the own */
};

} // namespace winnow::partition
