/*
 * partition_by_key by an estimate (partition_estimate.cuh): where the groups of
 * a tile go. A block has no places of its own in the output. For each tile it
 * reserves as many groups of each digit as the tile fills.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_RESERVE_CUH
#define WINNOW_KERNELS_PARTITION_RESERVE_CUH

#include "partition_estimate.cuh"
#include "partition_places.cuh"

namespace winnow {
namespace partition {

/* Items of a tile that go to their digit's region, and to spare rows: these are
 * the last ones. */
struct Pieces {
    uint64_t place; /* of the first in the output */
    uint64_t row;   /* of the first that is in spare rows */
    uint32_t items; /* that are in the output */

    template <class T>
    __device__ __forceinline__ void store(const winnow__partition_args &args,
                                          unsigned int i, T x, T *out,
                                          T *spare) const {
        if (i < items) {
            if (out != nullptr)
                out[place + i] = x;
        } else if (row + (i - items) < args.spare_left_over + args.spare_items)
            spare[row + (i - items)] = x;
    }
};

/* In the block's memory: `first` has a digit's region, `end` how many items of
 * it are held. */
template <class Shape>
class Reserve {
    static constexpr unsigned int GROUP = Shape::GROUP;

  public:
    __device__ __forceinline__ Reserve(const winnow__partition_args &args,
                                       const TileMemory<Shape> &memory)
        : args_(args), memory_(memory) {
    }

    /* Before all chunks. */
    __device__ __forceinline__ void load_region(unsigned int digit) const {
        const uint32_t *const regions = args_.estimate->regions;
        if (digit < args_.row)
            memory_.first[digit] = regions[digit] | uint64_t(regions[digit + 1])
                                                        << 32;
    }

    __device__ __forceinline__ void clear_held(unsigned int digit) const {
        memory_.end[digit] = 0;
    }

    __device__ __forceinline__ unsigned int held(unsigned int digit) const {
        return static_cast<unsigned int>(memory_.end[digit]);
    }

    /* By one thread for a digit: returns the first of so many groups, and says
     * how many items are held then. */
    __device__ __forceinline__ uint32_t take(unsigned int digit,
                                             unsigned int groups,
                                             unsigned int held) const {
        memory_.end[digit] = held;
        return groups == 0
                   ? 0
                   : static_cast<uint32_t>(memory_.first[digit]) +
                         atomicAdd(&args_.estimate->exchange.reserved[digit],
                                   groups);
    }

    /*
     * By all lanes of a warp: each may have taken groups of a digit. Where a
     * region has no room for all of them, sets `end`, where it ends, and how
     * far the numbers of spare groups are from those behind it. Returns whether
     * the lane has such groups.
     */
    __device__ __forceinline__ bool overflows(unsigned int digit,
                                              unsigned int groups,
                                              DigitGroups &taken) const {
        uint32_t over = 0;
        taken.end = ~uint64_t(0);
        if (groups != 0) {
            const uint32_t end =
                static_cast<uint32_t>(memory_.first[digit] >> 32);
            const uint32_t behind = static_cast<uint32_t>(taken.to) + groups;
            over = behind > end ? min(behind - end, groups) : 0;
            if (over != 0)
                taken.end = behind - over;
        }
        if (!__any_sync(ALL_LANES, over != 0))
            return false;
        const uint32_t inclusive = inclusive_sum(over);
        uint32_t group = 0;
        if (lane_id() == WARP - 1)
            group =
                atomicAdd(&args_.estimate->exchange.all_overflow, inclusive);
        group = __shfl_sync(ALL_LANES, group, WARP - 1) + inclusive - over;
        taken.away = Group::SPARE + group - taken.end;
        return over != 0;
    }

    /* A whole tile of one digit, by one thread. */
    __device__ __forceinline__ Pieces take_tile(unsigned int digit) const {
        constexpr unsigned int GROUPS = Shape::ITEMS / GROUP;
        static_assert(Shape::ITEMS % GROUP == 0, "whole groups");
        const uint32_t end = static_cast<uint32_t>(memory_.first[digit] >> 32);
        const uint32_t first = take(digit, GROUPS, held(digit));
        const uint32_t room = first < end ? end - first : 0;
        const uint32_t fit = min(room, GROUPS);
        uint64_t row = 0;
        if (fit < GROUPS)
            row = spare_row(atomicAdd(&args_.estimate->exchange.all_overflow,
                                      GROUPS - fit));
        return {uint64_t(first) * GROUP, row, fit * GROUP};
    }

    /* Where a group begins: in `out`, or in spare rows; NULL: nowhere. Spare
     * rows may run out. */
    template <class T>
    __device__ __forceinline__ T *start(uint64_t number, T *out,
                                        T *spare) const {
        if (number < Group::SPARE)
            return out == nullptr ? nullptr : out + number * GROUP;
        const uint64_t row = (number - Group::SPARE) * GROUP;
        return row < args_.spare_items ? spare + args_.spare_left_over + row
                                       : nullptr;
    }

  private:
    /* Of a group that overflows. There may be more than there are rows. */
    __device__ __forceinline__ uint64_t spare_row(uint32_t group) const {
        return args_.spare_left_over + uint64_t(group) * GROUP;
    }

    const winnow__partition_args &args_;
    const TileMemory<Shape> &memory_;
};

} // namespace partition
} // namespace winnow

#endif
