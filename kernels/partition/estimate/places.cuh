/*
 * partition_by_key by an estimate (regions.cuh): where the items of a tile go.
 * For each tile a block reserves as many sectors of each digit as the tile
 * fills.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "../part_counts.cuh"
#include "../reserved.cuh"
#include "regions.cuh"

namespace winnow::partition {

template <class Shape>
class EstimatedPlaces : public ReservedPlaces<Shape> {
    using Base = ReservedPlaces<Shape>;
    static constexpr unsigned int SECTOR = Shape::SECTOR;

  public:
    /* Keys without room go to spare room even if the call wants no keys. */
    static constexpr bool HAS_SPARE = true;

    __device__ __forceinline__
    EstimatedPlaces(const winnow__partition_scatter_args &args,
                    const TileMemory<Shape> &memory, const Chunk &)
        : Base(memory), args_(args), e_(args.estimate),
          parts_(memory.states + e_.part_table, args.field.parts),
          digit_of_(args.field) {
    }

    __device__ __forceinline__ static bool
    are_wanted(const winnow__partition_scatter_args &args) {
        return args.estimate.estimate->exchange.usable != 0;
    }

    /* By all threads. A barrier follows. */
    __device__ __forceinline__ void begin() const {
        const uint32_t *const regions = e_.estimate->regions;
        const unsigned int digit = threadIdx.x;
        if (counts_parts())
            parts_.clear();
        if (digit < args_.field.digits)
            this->regions_[digit] = {regions[digit], regions[digit + 1], 0, 0};
        else if (digit < DIGITS<Shape::BITS>)
            this->regions_[digit] = {0, 0, 0, 0};
    }

    /* A block has one chunk, the tiles that it takes. */
    __device__ __forceinline__ void start(unsigned int, bool) const {
    }

    /* Counts the parts of the first `items` items of a tile. */
    template <class Keys>
    __device__ __forceinline__ void see(const Keys &keys,
                                        unsigned int items) const {
        if (!counts_parts())
            return;
        const unsigned int first = first_of_tile<Shape>();
#pragma unroll
        for (unsigned int i = 0; i < Shape::EACH; i++)
            if (items == Shape::ITEMS || first + i * WARP < items)
                parts_.count(
                    static_cast<unsigned int>(digit_of_.part(keys[i])));
    }

    __device__ __forceinline__ Taken take(unsigned int digit,
                                          unsigned int total, bool) const {
        winnow__partition_exchange &exchange = e_.estimate->exchange;
        const Taken taken =
            this->take_sectors(digit, total, &exchange.reserved[digit]);
        if (taken.fit != taken.written)
            this->regions_[digit].spare = atomicAdd(
                &exchange.all_overflow, (taken.written - taken.fit) / SECTOR);
        return taken;
    }

    /* Copies `number` items without room, from the digit's nth on, to spare
     * room, as far as it suffices. */
    template <class T>
    __device__ __forceinline__ void
    copy_over(unsigned int digit, unsigned int nth, unsigned int number,
              const T *from, T *, T *spare) const {
        const uint64_t first =
            uint64_t(this->regions_[digit].spare) * SECTOR + nth;
        if (first >= e_.spare_items)
            return;
        T *const to = spare + e_.spare_left_over + first;
        number = static_cast<unsigned int>(
            min(e_.spare_items - first, uint64_t(number)));
        if constexpr (HAS_BULK_COPIES && (sizeof(T) == 4 || sizeof(T) == 8)) {
            if (number > 1) { /* whole sectors: the copy engine writes */
                bulk_copy(to, from,
                          number * static_cast<unsigned int>(sizeof(T)));
                return;
            }
        }
        for (unsigned int i = 0; i < number; i++)
            to[i] = from[i];
    }

    /* Moves the held items to spare room at the end: calls move(slot, item) for
     * each, a thread for each digit. By all threads, behind a barrier. */
    template <class Move>
    __device__ __forceinline__ void leave(Move move) const {
        using Sums = WarpSums<unsigned int, Shape::WARPS>;
        WINNOW__SHARED(sums, Sums);
        WINNOW__SHARED(first, uint32_t);
        const unsigned int digit = thread_number();
        const unsigned int number =
            digit < DIGITS<Shape::BITS> ? this->held(digit) : 0;
        unsigned int all;
        const unsigned int before = exclusive_sum(number, sums, &all);
        winnow__partition_exchange &exchange = e_.estimate->exchange;
        if (digit == 0)
            first = atomicAdd(&exchange.all_left_over, all);
        __syncthreads();
        if (number != 0)
            atomicAdd(&exchange.left_over[digit], number);
#pragma unroll 1
        for (unsigned int i = 0; i < number; i++)
            move(digit * Shape::SLOTS + i, uint64_t(first) + before + i);
    }

    /* When the block is done. All parts are counted: leave() has a barrier. */
    __device__ __forceinline__ void end() const {
        WINNOW__SHARED(sums, LongSums<Shape::WARPS>);
        if (counts_parts())
            parts_.add(0, e_.part_items);
        if (is_last_block(&e_.estimate->exchange.scattering_blocks))
            settle(args_, sums);
    }

  private:
    __device__ __forceinline__ bool counts_parts() const {
        return e_.part_items != nullptr;
    }

    const winnow__partition_scatter_args &args_;
    const winnow__partition_estimate_args &e_;
    const PartCounts<Shape::THREADS> parts_;
    const Digit<typename Shape::Key> digit_of_;
};

} // namespace winnow::partition
