/*
 * partition_by_key: the places of a tile's items, in the input's order.
 *
 * Each warp ranks a piece of the tile in rounds of 32 adjacent items, one for
 * each lane. Ballots over the bits of the digit say which lanes have the same
 * digit. The counts by warp and digit, in shared memory, become the places
 * where these items begin; adding them turns ranks into places. lane_rank.cuh
 * and warp_rank.cuh count.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "shape.cuh"

namespace winnow::partition {

/* The lanes whose keys have a part. */
template <bool DROPS>
__device__ __forceinline__ unsigned int existing(bool exists) {
    return DROPS ? __ballot_sync(ALL_LANES, exists) : ALL_LANES;
}

/* Rounds of ranking in flight together. The compiler would move the ballots of
 * all rounds to the front and run out of registers. So a round depends on the
 * result of an earlier one (Digit::after). */
template <class Shape>
constexpr unsigned int AHEAD = Shape::DROPS &&Shape::COLUMNS ? 1 : 2;

/* The place of a dropped item. */
constexpr unsigned int NO_PLACE = 0xffff;

/* `counts`: by warp and digit. */
template <class Shape>
class OrderedRank {
  protected:
    using Key = typename Shape::Key;
    static constexpr unsigned int NUMBER = DIGITS<Shape::BITS>,
                                  EACH_ = Shape::EACH;
    static constexpr bool DROPS = Shape::DROPS;

  public:
    __device__ __forceinline__
    OrderedRank(const winnow__partition_scatter_args &args,
                const TileMemory<Shape> &memory)
        : digit_of_(args.field), last_digit_(args.field.digit_mask),
          counts_(reinterpret_cast<uint16_t *>(memory.counts)) {
    }

    /* Nothing to do before the first tile: each warp sets its counts. */
    __device__ __forceinline__ void clear() const {
    }

    /* Does the thread have a digit? Which one? */
    __device__ __forceinline__ bool is_first() const {
        return thread_number() < NUMBER;
    }
    __device__ __forceinline__ unsigned int digit() const {
        return thread_number();
    }

    /* The number of the tile's items with the thread's digit. */
    __device__ __forceinline__ unsigned int count_of_digit() const {
        if (!is_first())
            return 0;
        const uint16_t *const counts = counts_ + thread_number();
        unsigned int total = 0;
#pragma unroll 8
        for (unsigned int w = 0; w < Shape::WARPS; w++)
            total += counts[w * NUMBER];
        return !DROPS && thread_number() == last_digit_ ? total - beyond_
                                                        : total;
    }

    /* `place`: of the first item of the thread's digit. */
    __device__ __forceinline__ void set_starts(unsigned int place,
                                               unsigned int) const {
        if (!is_first())
            return;
        uint16_t *const counts = counts_ + thread_number();
#pragma unroll 8
        for (unsigned int w = 0; w < Shape::WARPS; w++) {
            const unsigned int count = counts[w * NUMBER];
            counts[w * NUMBER] = static_cast<uint16_t>(place);
            place += count;
        }
    }

    /* Call stage(i, place) for each of the thread's items, but dropped ones. */
    template <class Stage>
    __device__ __forceinline__ void for_places(const Key (&keys)[EACH_],
                                               const Places16<EACH_> &places,
                                               Stage stage) const {
        uint16_t *const starts = own_counts();
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++) {
            const unsigned int rank = places.get(i);
            if (!DROPS || rank != NO_PLACE)
                stage(i, rank + entry(starts, digit_of_.scaled(keys[i], 1)));
        }
    }

  protected:
    /*
     * The last `beyond` items of the tile are behind the chunk; all bits of
     * their keys are 1. If keys may be dropped, these have no part. Otherwise
     * they have the greatest digit and come last in the tile, behind that
     * digit's end. Returns true if the warp's items have one digit: it ranked
     * them.
     */
    __device__ __forceinline__ bool begin(const Key (&keys)[EACH_],
                                          unsigned int beyond,
                                          Places16<EACH_> &places) {
        beyond_ = beyond;
        if (beyond != 0 || !have_one_digit<DROPS>(digit_of_, keys))
            return false;
        const unsigned int digit = digit_of_(keys[0]);
        uint16_t *const counts = own_counts();
#pragma unroll 1
        for (unsigned int d = lane_id(); d < NUMBER; d += WARP)
            counts[d] = d == digit ? WARP * EACH_ : 0;
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++)
            places.set(i, i * WARP + lane_id());
        return true;
    }

    /* The warp's own counts, which become the starts of its items. */
    __device__ __forceinline__ uint16_t *own_counts() const {
        return counts_ + thread_number() / WARP * NUMBER;
    }

    const Digit<Key> digit_of_;

  private:
    const unsigned int last_digit_;
    uint16_t *const counts_;
    unsigned int beyond_ = 0;
};

} // namespace winnow::partition
