/*
 * partition_by_key, where blocks reserve places: each digit has a region of the
 * output, and a counter of the region's sectors that are taken.
 *
 * Order of memory: blocks add to the counters by relaxed atomics. Each sector
 * belongs to one block, so no block reads what another one writes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "shape.cuh"

namespace winnow::partition {

template <class Shape>
class ReservedPlaces {
  protected:
    static constexpr unsigned int SECTOR = Shape::SECTOR;

    /* A digit's region, sectors `begin` to `end` - 1; how many items are held;
     * where sectors without room go. */
    struct Region {
        uint32_t begin, end, held, spare;
    };

    __device__
        __forceinline__ explicit ReservedPlaces(const TileMemory<Shape> &memory)
        : regions_(reinterpret_cast<Region *>(memory.states)) {
    }

    /* By the digit's thread: takes the sectors that the tile fills. */
    __device__ __forceinline__ Taken take_sectors(unsigned int digit,
                                                  unsigned int total,
                                                  uint32_t *counter) const {
        Region &region = regions_[digit];
        Taken taken;
        taken.held = region.held;
        const unsigned int sectors = (taken.held + total) / SECTOR;
        region.held = (taken.held + total) % SECTOR;
        if (sectors == 0)
            return taken;
        const uint32_t first = region.begin + atomicAdd(counter, sectors);
        const uint32_t room = first < region.end ? region.end - first : 0;
        taken.to = uint64_t(first) * SECTOR;
        taken.written = sectors * SECTOR;
        taken.fit = min(room, sectors) * SECTOR;
        return taken;
    }

    Region *const regions_;

  public:
    static constexpr bool RESERVES = true;

    __device__ __forceinline__ unsigned int held(unsigned int digit) const {
        return regions_[digit].held;
    }
};

} // namespace winnow::partition
