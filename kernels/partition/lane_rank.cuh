/*
 * partition_by_key, in order, digits of up to 5 bits: a warp counts in
 * registers. Lane d counts digit d. From ballots it knows which lanes have its
 * digit, and a shuffle gives them its count. No round waits for memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ordered_rank.cuh"

namespace winnow::partition {

template <class Shape>
class LaneRank : public OrderedRank<Shape> {
    using Base = OrderedRank<Shape>;
    using Key = typename Shape::Key;
    static constexpr unsigned int BITS = Shape::BITS, EACH_ = Shape::EACH;
    static constexpr bool DROPS = Shape::DROPS;
    static_assert(DIGITS<BITS> <= WARP, "a lane for each digit");

  public:
    using Base::Base;

    /* Ranks each item among its warp's items with the same digit. The last
     * `beyond` items of the tile are behind the chunk. A barrier follows. */
    __device__ __forceinline__ void rank(const Key (&keys)[EACH_],
                                         unsigned int beyond,
                                         Places16<EACH_> &places) {
        if (this->begin(keys, beyond, places))
            return;
        const unsigned int below = lanes_below();
        const unsigned int lane = thread_number() % WARP;
        unsigned int count = 0;  /* of the lane's digit */
        unsigned int flip[BITS]; /* XORed with ballots: 0 if the bit is set */
#pragma unroll
        for (unsigned int b = 0; b < BITS; b++)
            flip[b] = lane >> b & 1 ? 0 : ALL_LANES;
        unsigned int ranks[AHEAD<Shape>];
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++) {
            unsigned int &rank = ranks[i % AHEAD<Shape>];
            const bool exists = !DROPS || this->digit_of_.has_part(keys[i]);
            const unsigned int digit =
                this->digit_of_.after(keys[i], i < AHEAD<Shape> ? 0 : rank);
            unsigned int own = existing<DROPS>(exists);
#pragma unroll
            for (unsigned int b = 0; b < BITS; b++)
                own &=
                    __ballot_sync(ALL_LANES, (digit & 1u << b) != 0) ^ flip[b];
            const unsigned int peers = __shfl_sync(ALL_LANES, own, digit);
            const unsigned int before = __shfl_sync(ALL_LANES, count, digit);
            rank = before + __popc(peers & below);
            places.set(i, exists ? rank : NO_PLACE);
            count += __popc(own);
        }
        if (lane < DIGITS<BITS>)
            this->own_counts()[lane] = static_cast<uint16_t>(count);
    }
};

} // namespace winnow::partition
