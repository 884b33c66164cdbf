/*
 * partition_by_key by tiles, where blocks reserve places: each digit has a
 * region of the output, and a counter of the groups that are taken of it.
 *
 * Order of memory: blocks add to the counters by relaxed atomics. Each group is
 * one block's, so no block reads what another one writes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_REGION_CUH
#define WINNOW_KERNELS_PARTITION_REGION_CUH

#include "places.cuh"

namespace winnow {
namespace partition {

/* In the block's memory: `first` has a digit's region, `end` how many items of
 * it are held. */
template <class Shape>
class Reservation {
    static constexpr unsigned int GROUP = Shape::GROUP;

  public:
    __device__
        __forceinline__ explicit Reservation(const TileMemory<Shape> &memory)
        : memory_(memory) {
    }

    __device__ __forceinline__ void clear_held(unsigned int digit) const {
        memory_.end[digit] = 0;
    }

    __device__ __forceinline__ unsigned int held(unsigned int digit) const {
        return static_cast<unsigned int>(memory_.end[digit]);
    }

  protected:
    /* Groups from `begin` to `end` - 1. */
    __device__ __forceinline__ void
    set_region(unsigned int digit, uint32_t begin, uint32_t end) const {
        memory_.first[digit] = begin | uint64_t(end) << 32;
    }
    __device__ __forceinline__ uint32_t begin_of(unsigned int digit) const {
        return static_cast<uint32_t>(memory_.first[digit]);
    }
    __device__ __forceinline__ uint32_t end_of(unsigned int digit) const {
        return static_cast<uint32_t>(memory_.first[digit] >> 32);
    }

    /* By one thread for a digit, whose counter that is: returns the first of so
     * many groups, and says how many items are held then. */
    __device__ __forceinline__ uint32_t take_groups(unsigned int digit,
                                                    uint32_t *counter,
                                                    unsigned int groups,
                                                    unsigned int held) const {
        memory_.end[digit] = held;
        return groups == 0 ? 0 : begin_of(digit) + atomicAdd(counter, groups);
    }

    /* The groups of those taken for which the region has no room. Sets `end`,
     * where it ends, if there are such. */
    __device__ __forceinline__ uint32_t over(unsigned int digit,
                                             unsigned int groups,
                                             DigitGroups &taken) const {
        uint32_t over = 0;
        taken.end = ~uint64_t(0);
        if (groups != 0) {
            const uint32_t behind = static_cast<uint32_t>(taken.to) + groups;
            const uint32_t end = end_of(digit);
            over = behind > end ? min(behind - end, groups) : 0;
            if (over != 0)
                taken.end = behind - over;
        }
        return over;
    }

    const TileMemory<Shape> &memory_;
};

} // namespace partition
} // namespace winnow

#endif
