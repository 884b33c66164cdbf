/*
 * partition_by_key by tiles: the places of a tile's items, in the input's
 * order.
 *
 * Each warp ranks a piece of the tile in rounds, an item for each lane: a round
 * has 32 neighbours. Ballots over the bits of the digit say which lanes have
 * the same one; the warp's counts lie in shared memory, read by all of these
 * lanes, then written by the last of them. Counts of warps and digits become
 * the places where these begin, and with that the ranks become places.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_WARP_RANK_CUH
#define WINNOW_KERNELS_PARTITION_WARP_RANK_CUH

#include "places.cuh"
#include "kernels/core/predicate.cuh"

namespace winnow {
namespace partition {

/* `counts`: of each warp and digit. */
template <class Shape, bool DROPS>
class WarpRank {
    using Key = typename Shape::Key;
    static constexpr unsigned int BITS = Shape::BITS, EACH_ = Shape::EACH;

    /* The place of an item that is dropped. */
    static constexpr unsigned int NO_PLACE_16 = 0xffff;

  public:
    __device__ __forceinline__ WarpRank(const winnow__partition_args &args,
                                        const TileMemory<Shape> &memory)
        : digit_of_(args), last_digit_(args.digit_mask),
          counts_(reinterpret_cast<uint16_t *>(memory.counts)) {
    }

    /* A tile begins with counts of 0: see clear_own. */
    __device__ __forceinline__ void clear() const {
    }

    /*
     * Each item's rank among those of its digit in the warp. The last items of
     * the tile, so many, are not the chunk's, and have keys of ones. Where keys
     * may be dropped, these have no part. Elsewhere they have the greatest
     * digit and come last in the tile: there are more of that digit then,
     * behind its end.
     */
    __device__ __forceinline__ void rank(const Key (&keys)[EACH_],
                                         unsigned int beyond,
                                         Places16<EACH_> &places) {
        beyond_ = beyond;
        if (beyond == 0 && have_one_digit<DROPS>(digit_of_, keys))
            rank_one_digit(keys[0], places);
        else
            rank_items(keys, places);
    }

    /* Has the thread a digit? */
    __device__ __forceinline__ bool is_first() const {
        return thread_number() < DIGITS<BITS>;
    }

    /* Which one? */
    __device__ __forceinline__ unsigned int digit() const {
        return thread_number();
    }

    /* How many threads have a digit, and which of them is this? */
    __device__ __forceinline__ static constexpr unsigned int owners() {
        return 1;
    }
    __device__ __forceinline__ static constexpr unsigned int owner_of_digit() {
        return 0;
    }

    /* What the first thread of the digit has. */
    template <class T>
    __device__ __forceinline__ static T of_first(T x) {
        return x;
    }

    /* The items of the thread's digit in the tile, if it is the first of its
     * digit. */
    __device__ __forceinline__ unsigned int count_of_digit() {
        if (!is_first())
            return 0;
        const uint16_t *const counts = counts_ + thread_number();
        unsigned int total = 0;
#pragma unroll 8
        for (unsigned int w = 0; w < Shape::WARPS; w++)
            total += counts[w * DIGITS<BITS>];
        return !DROPS && thread_number() == last_digit_ ? total - beyond_
                                                        : total;
    }

    /* `place`: of the first item of the thread's digit. */
    __device__ __forceinline__ void set_starts(unsigned int place,
                                               unsigned int end) const {
        (void)end;
        if (!is_first())
            return;
        uint16_t *const counts = counts_ + thread_number();
#pragma unroll 8
        for (unsigned int w = 0; w < Shape::WARPS; w++) {
            const unsigned int count = counts[w * DIGITS<BITS>];
            counts[w * DIGITS<BITS>] = static_cast<uint16_t>(place);
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
            if (!DROPS || rank != NO_PLACE_16)
                stage(i, rank + entry(starts, digit_of_.scaled(keys[i], 1)));
        }
    }

  private:
    __device__ __forceinline__ void
    rank_one_digit(Key key, Places16<EACH_> &places) const {
        uint16_t *const counts = own_counts();
        clear_own(counts);
        if (lane_id() == 0)
            counts[digit_of_(key)] = WARP * EACH_;
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++)
            places.set(i, i * WARP + lane_id());
    }

    __device__ __forceinline__ void rank_items(const Key (&keys)[EACH_],
                                               Places16<EACH_> &places) const {
        const unsigned int below = lanes_below();
        const unsigned int above = ~below << 1;
        uint16_t *const counts = own_counts();
        constexpr unsigned int AHEAD_ = DROPS && Shape::COLUMNS ? 1 : AHEAD;
        unsigned int ranks[AHEAD_];
        clear_own(counts);
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++) {
            const bool exists = !DROPS || digit_of_.has_part(keys[i]);
            const unsigned int digit =
                digit_of_.after(keys[i], i < AHEAD_ ? 0 : ranks[i % AHEAD_]);
            unsigned int peers = existing<DROPS>(exists);
#pragma unroll
            for (unsigned int b = 0; b < BITS; b++)
                peers &= lanes_with_same_bit(digit, 1u << b);
            /* Read by all peers, then written by the last: barriers of the warp
             * between. */
            uint16_t &count = counts[digit];
            unsigned int rank = count + __popc(peers & below);
            pin(rank); /* of any value, to the compiler: for after() */
            __syncwarp();
            if (exists && (peers & above) == 0)
                count = static_cast<uint16_t>(rank + 1);
            __syncwarp();
            ranks[i % AHEAD_] = rank;
            places.set(i, exists ? rank : NO_PLACE_16);
        }
    }

    /* The warp's own counts, which become the starts of its items. */
    __device__ __forceinline__ uint16_t *own_counts() const {
        return counts_ + thread_number() / WARP * DIGITS<BITS>;
    }

    __device__ __forceinline__ static void clear_own(uint16_t *counts) {
        constexpr unsigned int VECTORS = DIGITS<BITS> * sizeof(uint16_t) / 16;
        uint4 *const vectors = reinterpret_cast<uint4 *>(counts);
        if (lane_id() < VECTORS)
            vectors[lane_id()] = make_uint4(0, 0, 0, 0);
        static_assert(VECTORS <= WARP, "one for each lane");
        __syncwarp();
    }

    const Digit<Key> digit_of_;
    const unsigned int last_digit_;
    uint16_t *const counts_;
    unsigned int beyond_ = 0;
};

} // namespace partition
} // namespace winnow

#endif
