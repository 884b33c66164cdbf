/*
 * partition_by_key, two passes in any order, when the number of items of every
 * part is known. In the first pass the parts of an upper digit form one region.
 * In the second pass each part is a region, of a lower digit in a segment.
 * Blocks reserve sectors there (reserved.cuh), which are final places.
 *
 * A region begins and ends inside sectors. Some items fill no sector at the end
 * of a chunk. They get the places before the region's first whole sector (its
 * head), those behind its last one, and those of sectors that no block takes. A
 * counter of the region numbers these items: the first ones fill the head, the
 * others the region from its end downwards. Blocks take at most one sector more
 * than the region has. Then all of its sectors are taken, and the items of the
 * extra sector have the last of these numbers.
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

    /* The number of its first whole sector, and of the one behind the last. */
    __device__ __forceinline__ uint64_t first_sector() const {
        return (begin + SECTOR - 1) / SECTOR;
    }
    __device__ __forceinline__ uint64_t end_sector() const {
        return max(end / SECTOR, first_sector());
    }

    /* The place of the nth item that is in no sector. */
    __device__ __forceinline__ uint64_t place(uint64_t nth) const {
        const uint64_t head = min(first_sector() * SECTOR, end) - begin;
        return nth < head ? begin + nth : end - 1 - (nth - head);
    }

    /* The place of the nth item of the extra sector, which has no room. */
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

    /* Before a chunk, by one thread for each digit; no items are held. A
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

    /* Places `number` items of the extra sector, from the nth on. */
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
     * Places the held items at the end of a chunk: calls move(slot, place) for
     * each, a thread for each slot. By all threads, behind a barrier.
     */
    template <class Move>
    __device__ __forceinline__ void leave(Move move) const {
        const unsigned int digit = thread_number();
        /* Numbers each digit's items. */
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
