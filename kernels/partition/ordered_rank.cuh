/*
 * partition_by_key: the places of a tile's items, in the input's order.
 *
 * Each warp ranks a piece of the tile in rounds, an item for each lane: a round
 * has 32 neighbours. Ballots over the bits of the digit say which lanes have
 * the same one. Counts of warps and digits, in shared memory, become the places
 * where these begin, and with that the ranks become places. How a warp counts
 * is in lane_rank.cuh and warp_rank.cuh.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "shape.cuh"

namespace winnow::partition {

/* The lanes whose key is not dropped. */
template <bool DROPS>
__device__ __forceinline__ unsigned int existing(bool exists) {
    return DROPS ? __ballot_sync(ALL_LANES, exists) : ALL_LANES;
}

/* Rounds of ranking that are under way together. The compiler would put the
 * ballots of all rounds first, and keep them: there are not as many registers.
 * So a round uses the outcome of an earlier one (Digit::after). */
template <class Shape>
constexpr unsigned int AHEAD = Shape::DROPS &&Shape::COLUMNS ? 1 : 2;

/* The place of an item that is dropped. */
constexpr unsigned int NO_PLACE = 0xffff;

/* `counts`: of each warp and digit. */
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

    /* Before the first tile: a warp sets its counts itself. */
    __device__ __forceinline__ void clear() const {
    }

    /* Has the thread a digit, and which one? */
    __device__ __forceinline__ bool is_first() const {
        return thread_number() < NUMBER;
    }
    __device__ __forceinline__ unsigned int digit() const {
        return thread_number();
    }

    /* The items of the thread's digit in the tile. */
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

    /* Call stage(i, place) for each of the thread's items that is not dropped.
     */
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
     * The last `beyond` items of the tile are not the chunk's, and have keys
     * of ones. Where keys may be dropped, these have no part. Elsewhere they
     * have the greatest digit and come last in the tile: there are more of that
     * digit then, behind its end. Returns whether all of the warp's items have
     * one digit: then they are ranked.
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
