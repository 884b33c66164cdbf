/*
 * partition_by_key, in order, digits of 6 to 8 bits: a warp's counts are in
 * shared memory. All lanes of a digit read its count; then the last lane writes
 * it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ordered_rank.cuh"

namespace winnow::partition {

template <class Shape>
class WarpRank : public OrderedRank<Shape> {
    using Base = OrderedRank<Shape>;
    using Key = typename Shape::Key;
    static constexpr unsigned int BITS = Shape::BITS, EACH_ = Shape::EACH;
    static constexpr bool DROPS = Shape::DROPS;

  public:
    using Base::Base;

    /* See LaneRank. */
    __device__ __forceinline__ void rank(const Key (&keys)[EACH_],
                                         unsigned int beyond,
                                         Places16<EACH_> &places) {
        if (this->begin(keys, beyond, places))
            return;
        const unsigned int below = lanes_below();
        const unsigned int above = ~below << 1;
        uint16_t *const counts = this->own_counts();
        unsigned int ranks[AHEAD<Shape>];
        clear_own(counts);
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++) {
            const bool exists = !DROPS || this->digit_of_.has_part(keys[i]);
            const unsigned int digit = this->digit_of_.after(
                keys[i], i < AHEAD<Shape> ? 0 : ranks[i % AHEAD<Shape>]);
            unsigned int peers = existing<DROPS>(exists);
#pragma unroll
            for (unsigned int b = 0; b < BITS; b++)
                peers &= lanes_with_same_bit(digit, 1u << b);
            /* Warp barriers: peers read the count before the last writes. */
            uint16_t &count = counts[digit];
            unsigned int rank = count + __popc(peers & below);
            pin(rank); /* hides that bit 31 is 0, for after() */
            __syncwarp();
            if (exists && (peers & above) == 0)
                count = static_cast<uint16_t>(rank + 1);
            __syncwarp();
            ranks[i % AHEAD<Shape>] = rank;
            places.set(i, exists ? rank : NO_PLACE);
        }
    }

  private:
    __device__ __forceinline__ static void clear_own(uint16_t *counts) {
        constexpr unsigned int VECTORS = DIGITS<BITS> * sizeof(uint16_t) / 16;
        uint4 *const vectors = reinterpret_cast<uint4 *>(counts);
        if (lane_id() < VECTORS)
            vectors[lane_id()] = make_uint4(0, 0, 0, 0);
        static_assert(VECTORS <= WARP, "one for each lane");
        __syncwarp();
    }
};

} // namespace winnow::partition
