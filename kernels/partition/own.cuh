/*
 * partition_by_key: each chunk has its own places in the output. The table has
 * the number of each digit's items before the chunk; the totals give the number
 * of items with lower digits.
 *
 * A chunk may share the first and the last sector of a digit with other chunks.
 * It writes only its own items there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "shape.cuh"

namespace winnow::partition {

template <class Shape>
class OwnPlaces {
    static constexpr unsigned int SECTOR = Shape::SECTOR;

    /* Of a digit: where the chunk's items begin, and the staged ones end. */
    struct State {
        uint64_t first, end;
    };

  public:
    static constexpr bool RESERVES = false, HAS_SPARE = false;

    __device__ __forceinline__
    OwnPlaces(const winnow__partition_scatter_args &args,
              const TileMemory<Shape> &memory, const Chunk &)
        : args_(args), states_(reinterpret_cast<State *>(memory.states)) {
    }

    /* Not if an estimate, in an earlier kernel, completed the pass. */
    __device__ __forceinline__ static bool
    are_wanted(const winnow__partition_scatter_args &args) {
        const winnow__partition_estimate *const e = args.estimate.estimate;
        return e == nullptr || e->exchange.settled == 0;
    }

    __device__ __forceinline__ void begin() const {
    }

    /* Before a chunk, all threads find the places of their digits. One block
     * writes where each digit begins, and the end. The sums are repeated for
     * each chunk: chunks are few, and no registers are left to keep them. */
    __device__ __forceinline__ void start(unsigned int chunk,
                                          bool exists) const {
        using Sums = WarpSums<unsigned long long, Shape::WARPS>;
        WINNOW__SHARED(sums, Sums);
        const unsigned int digit = threadIdx.x, digits = args_.field.digits;
        const bool has_digit = digit < digits;
        unsigned long long all;
        uint64_t offset =
            exclusive_sum(has_digit ? args_.totals[digit] : 0, sums, &all);
        if (chunk == 0 && digit < args_.present)
            args_.offsets[digit] = offset;
        if (chunk == 0 && digit == 0)
            args_.offsets[args_.present] = all;
        if (!exists || digit >= DIGITS<Shape::BITS>)
            return;
        if (has_digit)
            offset += args_.table[uint64_t(chunk) * digits + digit];
        states_[digit] = {offset, offset};
    }

    /* Sees the keys of a tile, the first of which are the chunk's. */
    template <class Keys>
    __device__ __forceinline__ void see(const Keys &, unsigned int) const {
    }

    /* By the thread with the digit. The tile has `total` items of it. `last`:
     * the end of the chunk, where held items are written. */
    __device__ __forceinline__ Taken take(unsigned int digit,
                                          unsigned int total, bool last) const {
        const State state = states_[digit];
        Taken taken;
        taken.held = static_cast<unsigned int>(state.end % SECTOR);
        taken.to = state.end - taken.held;
        if (taken.to < state.first)
            taken.empty = min(static_cast<unsigned int>(state.first - taken.to),
                              taken.held);
        taken.written =
            last ? taken.held : (taken.held + total) / SECTOR * SECTOR;
        taken.fit = taken.written;
        states_[digit].end = state.end + total;
        return taken;
    }

    /* When all chunks are scattered. */
    __device__ __forceinline__ void end() const {
    }

  private:
    const winnow__partition_scatter_args &args_;
    State *const states_;
};

} // namespace winnow::partition
