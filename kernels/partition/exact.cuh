/*
 * partition_by_key, two passes in any order, where the items of all parts are
 * known: each part is the region of one of its digits in the segment of the
 * other one. In the first pass all parts of a digit are one region. Blocks
 * reserve sectors there (reserved.cuh), in the final place.
 *
 * A region begins and ends inside of sectors. The places before its first whole
 * sector (its head), those behind its last one, and those of sectors that no
 * block takes get the items that fill no sector at the end of a chunk. A
 * counter of the region numbers these items: the first ones fill the head, and
 * others the region from its end down. Blocks take at most one sector more than
 * the region has. Then all of its sectors are taken, and the items of the extra
 * sector have the last numbers of the items that fill the rest of the region.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "reserved.cuh"

namespace winnow::partition {

/* A region, in items. */
template <unsigned int SECTOR>
struct RegionPlaces {
    uint64_t begin, end;

    /* Its whole sectors: the first one's number, and the one behind the last.
     */
    __device__ __forceinline__ uint64_t first_sector() const {
        return (begin + SECTOR - 1) / SECTOR;
    }
    __device__ __forceinline__ uint64_t end_sector() const {
        return max(end / SECTOR, first_sector());
    }

    /* Of the items that are in none of its sectors. */
    __device__ __forceinline__ uint64_t place(uint64_t nth) const {
        const uint64_t head = min(first_sector() * SECTOR, end) - begin;
        return nth < head ? begin + nth : end - 1 - (nth - head);
    }

    /* Of the nth item of the sector that has no room. */
    __device__ __forceinline__ uint64_t place_beyond(uint64_t nth) const {
        const uint64_t sectors = end_sector() - first_sector();
        return place(end - begin - sectors * SECTOR - 1 - nth);
    }
};

template <class Shape>
class ExactPlaces : public ReservedPlaces<Shape> {
    using Base = ReservedPlaces<Shape>;
    using Places = RegionPlaces<Shape::SECTOR>;

  public:
    static constexpr bool HAS_SPARE = false;

    /* `chunk` is in shared memory. */
    __device__ __forceinline__
    ExactPlaces(const winnow__partition_scatter_args &args,
                const TileMemory<Shape> &memory, const Chunk &chunk)
        : Base(memory), args_(args), chunk_(chunk) {
    }

    __device__ __forceinline__ static bool
    are_wanted(const winnow__partition_scatter_args &) {
        return true;
    }

    __device__ __forceinline__ void begin() const {
    }

    /* Before a chunk, by one thread for each digit, of which nothing is held. A
     * barrier comes before the regions are used. */
    __device__ __forceinline__ void start(unsigned int, bool exists) const {
        const unsigned int digit = threadIdx.x;
        if (!exists || digit >= DIGITS<Shape::BITS>)
            return;
        Places places = {0, 0};
        if (digit < args_.field.digits && region_of(digit) < args_.regions)
            places = places_of(digit);
        this->regions_[digit] = {static_cast<uint32_t>(places.first_sector()),
                                 static_cast<uint32_t>(places.end_sector()), 0,
                                 0};
    }

    template <class Keys>
    __device__ __forceinline__ void see(const Keys &, unsigned int) const {
    }

    __device__ __forceinline__ Taken take(unsigned int digit,
                                          unsigned int total, bool) const {
        return this->take_sectors(digit, total,
                                  &args_.region_sectors[region_of(digit)]);
    }

    /* The number of items of the sector that has no room, from the nth on. */
    template <class T>
    __device__ __forceinline__ void
    copy_over(unsigned int digit, unsigned int nth, unsigned int number,
              const T *from, T *out, T *) const {
        const Places places = places_of(digit);
#pragma unroll 1
        for (unsigned int i = 0; i < number && out != nullptr; i++)
            out[places.place_beyond(nth + i)] = from[i];
    }

    /*
     * What is held at the end of a chunk goes where the regions have room for
     * it: call move(slot, place) for each item, a thread for each slot. By all
     * threads, behind a barrier, when no sector is reserved any more.
     */
    template <class Move>
    __device__ __forceinline__ void leave(Move move) const {
        const unsigned int digit = thread_number();
        /* The number of each digit's first item. */
        if (digit < DIGITS<Shape::BITS> && this->held(digit) != 0)
            this->regions_[digit].spare = atomicAdd(
                &args_.region_rest[region_of(digit)], this->held(digit));
        __syncthreads();
#pragma unroll 1
        for (unsigned int slot = thread_number(); slot < Shape::HELD;
             slot += Shape::THREADS) {
            const unsigned int of = slot / Shape::SLOTS;
            const unsigned int nth = slot % Shape::SLOTS;
            if (nth < this->held(of))
                move(slot, places_of(of).place(this->regions_[of].spare + nth));
        }
    }

    __device__ __forceinline__ void end() const {
    }

  private:
    __device__ __forceinline__ unsigned int
    region_of(unsigned int digit) const {
        return chunk_.segment * args_.field.digits + digit;
    }

    __device__ __forceinline__ Places places_of(unsigned int digit) const {
        const unsigned long long *const begins =
            args_.region_begins + region_of(digit);
        return {begins[0], begins[1]};
    }

    const winnow__partition_scatter_args &args_;
    const Chunk &chunk_;
};

} // namespace winnow::partition
