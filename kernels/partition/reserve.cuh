/*
 * partition_by_key by an estimate (estimate.cuh): where the groups of
 * a tile go. A block has no places of its own in the output. For each tile it
 * reserves as many groups of each digit as the tile fills.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_RESERVE_CUH
#define WINNOW_KERNELS_PARTITION_RESERVE_CUH

#include "estimate.cuh"
#include "region.cuh"
#include "vector.cuh"

namespace winnow {
namespace partition {

template <class Shape>
class Reserve : public Reservation<Shape> {
    using Base = Reservation<Shape>;
    static constexpr unsigned int GROUP = Shape::GROUP;

  public:
    __device__ __forceinline__ Reserve(const winnow__partition_args &args,
                                       const TileMemory<Shape> &memory)
        : Base(memory), args_(args) {
    }

    /* Before all chunks. */
    __device__ __forceinline__ void load_region(unsigned int digit) const {
        const uint32_t *const regions = args_.estimate->regions;
        if (digit < args_.row)
            this->set_region(digit, regions[digit], regions[digit + 1]);
    }

    /* By one thread for a digit: returns the first of so many groups, and says
     * how many items are held then. */
    __device__ __forceinline__ uint32_t take(unsigned int digit,
                                             unsigned int groups,
                                             unsigned int held) const {
        return this->take_groups(
            digit, &args_.estimate->exchange.reserved[digit], groups, held);
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
        const uint32_t over = this->over(digit, groups, taken);
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

    /* Some elements of a group, from the one `within` on, in a vector. */
    template <class T, unsigned int NUMBER>
    __device__ __forceinline__ void
    store(const Group &group, unsigned int within, const T (&elements)[NUMBER],
          T *out, void *spare) const {
        T *const to = start(group, out, static_cast<T *>(spare));
        if (to != nullptr)
            store_together(to + within, elements);
    }

    template <class T>
    __device__ __forceinline__ void store_one(const Group &group,
                                              unsigned int within, T element,
                                              T *out, void *spare) const {
        T *const to = start(group, out, static_cast<T *>(spare));
        if (to != nullptr)
            to[within] = element;
    }

  private:
    /* Where a group begins: in `out`, or in spare rows; NULL: nowhere. Spare
     * rows may run out. */
    template <class T>
    __device__ __forceinline__ T *start(const Group &group, T *out,
                                        T *spare) const {
        const uint64_t number = group.number();
        if (number < Group::SPARE)
            return out == nullptr ? nullptr : out + number * GROUP;
        const uint64_t row = (number - Group::SPARE) * GROUP;
        return row < args_.spare_items ? spare + args_.spare_left_over + row
                                       : nullptr;
    }

    const winnow__partition_args &args_;
};

} // namespace partition
} // namespace winnow

#endif
