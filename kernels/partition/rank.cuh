/*
 * partition_by_key: where each item of a tile is staged.
 *
 * Each warp has a contiguous piece of the tile and ranks it in rounds, an item
 * for each lane: a round has 32 neighbours. Ballots over the bits of the digit
 * say which lanes have the same one. Then a sum over digits and warps turns the
 * ranks into positions in a tile that is sorted by digit, stably.
 *
 * Digits are counted in registers: lane d of a warp counts digit d. The
 * ballots tell it which lanes have its digit, and it tells these by a shuffle.
 * No round waits for memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_RANK_CUH
#define WINNOW_KERNELS_PARTITION_RANK_CUH

#include "digit.cuh"

namespace winnow {
namespace partition {

/* Items of a thread, for keys of a size. */
template <class Key>
constexpr unsigned int EACH = sizeof(Key) == 4 ? 16 : 8;
template <class Key>
constexpr unsigned int ITEMS = THREADS *EACH<Key>;

/* A thread's items: the keys, and where they are staged. */
template <class Key>
using Keys = Key[EACH<Key>];
template <class Key>
using Places = unsigned int[EACH<Key>];

/* The place of an item that is dropped. */
constexpr unsigned int NO_PLACE = 0xffffffff;

/* A thread's number, which the compiler takes for a new one: it would compute
 * all that follows from it once, before the loops, and keep that, which takes
 * more registers than there are. */
__device__ __forceinline__ unsigned int thread_number() {
    unsigned int thread = threadIdx.x;
    pin(thread);
    return thread;
}

/* Which of the tile's items is a thread's first? Others are a warp apart. */
template <class Key>
__device__ __forceinline__ unsigned int first_item() {
    const unsigned int thread = thread_number();
    return thread / WARP * (WARP * EACH<Key>)+thread % WARP;
}

/* The lanes whose key is not dropped. */
template <bool DROPS>
__device__ __forceinline__ unsigned int existing(bool exists) {
    return DROPS ? __ballot_sync(ALL_LANES, exists) : ALL_LANES;
}

/* Rounds of ranking that are under way together. The compiler would put the
 * ballots of all rounds first, and keep them: there are not as many registers.
 * So a round uses the outcome of an earlier one (Digit::after). */
constexpr unsigned int AHEAD = 2;

template <class Key, unsigned int BITS, bool DROPS>
class LaneRank {
    static_assert(DIGITS<BITS> <= WARP, "a lane for each digit");
    static_assert(WARPS % 2 == 0 && ITEMS<Key> < 0x10000,
                  "sums of all warps, two to a word");

    /* A digit in all warps. */
    struct alignas(2 * WARPS) Counts {
        uint16_t of[WARPS];
    };

  public:
    static constexpr unsigned int BYTES = WARP * sizeof(Counts);

    /* `offset`: where the lane's digit goes in the output. */
    __device__ __forceinline__ LaneRank(unsigned char *memory, int64_t *delta,
                                        uint64_t offset)
        : memory_(reinterpret_cast<Counts *>(memory)), delta_(delta), end_(0) {
        if (warp_id() == 0 && lane_id() < DIGITS<BITS>)
            delta_[lane_id()] = static_cast<int64_t>(offset);
    }

    /* Each item's rank among those of its digit in the warp. */
    __device__ __forceinline__ void rank(const Digit<Key> &digit_of,
                                         const Keys<Key> &keys,
                                         Places<Key> &places) {
        const unsigned int below = lanes_below();
        const unsigned int lane = thread_number() % WARP;
        unsigned int count = 0; /* of the lane's digit */
        unsigned int
            flip[BITS]; /* of a ballot: 0 where the lane's bit is set */
#pragma unroll
        for (unsigned int b = 0; b < BITS; b++)
            flip[b] = lane >> b & 1 ? 0 : ALL_LANES;
        unsigned int ranks[AHEAD];
#pragma unroll
        for (unsigned int i = 0; i < EACH<Key>; i++) {
            const bool exists = !DROPS || digit_of.has_part(keys[i]);
            const unsigned int digit =
                digit_of.after(keys[i], i < AHEAD ? 0 : ranks[i % AHEAD]);
            unsigned int own = existing<DROPS>(exists);
#pragma unroll
            for (unsigned int b = 0; b < BITS; b++)
                own &=
                    __ballot_sync(ALL_LANES, (digit & 1u << b) != 0) ^ flip[b];
            const unsigned int peers = __shfl_sync(ALL_LANES, own, digit);
            const unsigned int before = __shfl_sync(ALL_LANES, count, digit);
            ranks[i % AHEAD] = before + __popc(peers & below);
            places[i] = exists ? ranks[i % AHEAD] : NO_PLACE;
            count += __popc(own);
        }
        memory_[lane_id()].of[warp_id()] = static_cast<uint16_t>(count);
    }

    /* Where the warp's items of each digit begin in the tile. Returns how many
     * items of the tile have a place. All threads of the block; there is a
     * barrier in it. */
    __device__ __forceinline__ unsigned int sum_up() {
        __syncthreads();
        /* Every warp sums up all of them, each lane its digit. */
        const unsigned int warp = thread_number() / WARP;
        unsigned int all = 0, before = 0;
        const Counts counts = memory_[lane_id()];
#pragma unroll
        for (unsigned int w = 0; w < WARPS; w += 2) {
            const unsigned int two = counts.of[w] | uint32_t(counts.of[w + 1])
                                                        << 16;
            all += two;
            before += two & earlier_warps(warp, w);
        }
        const unsigned int total = (all & 0xffff) + (all >> 16);
        const unsigned int inclusive = sum_of_digits(total);
        const unsigned int start = inclusive - total;
        if (warp == 0 && lane_id() < DIGITS<BITS>)
            delta_[lane_id()] += int64_t(end_) - start;
        end_ = start + total;
        start_ = start + (before & 0xffff) + (before >> 16);
        return __shfl_sync(ALL_LANES, inclusive, DIGITS<BITS> - 1);
    }

    /* From ranks to places. */
    __device__ __forceinline__ void place(const Digit<Key> &digit_of,
                                          const Keys<Key> &keys,
                                          Places<Key> &places) const {
#pragma unroll
        for (unsigned int i = 0; i < EACH<Key>; i++) {
            const unsigned int start =
                __shfl_sync(ALL_LANES, start_, digit_of(keys[i]));
            if (!DROPS || places[i] != NO_PLACE)
                places[i] += start;
        }
    }

  private:
    /* The sum of x over this lane's digit and those below it. */
    __device__ __forceinline__ static unsigned int
    sum_of_digits(unsigned int x) {
        const unsigned int lane = thread_number() % WARP;
#pragma unroll
        for (unsigned int step = 1; step < DIGITS<BITS>; step *= 2) {
            const unsigned int other = __shfl_up_sync(ALL_LANES, x, step);
            if (lane >= step)
                x += other;
        }
        return x;
    }

    /* Those of warps w and w + 1 that come before another. */
    __device__ __forceinline__ static unsigned int
    earlier_warps(unsigned int warp, unsigned int w) {
        return warp > w + 1 ? 0xffffffff : warp > w ? 0x0000ffff : 0;
    }

    Counts *const memory_;
    int64_t *const delta_;
    unsigned int end_; /* of the lane's digit in the tile before */
    unsigned int start_;
};

} // namespace partition
} // namespace winnow

#endif
