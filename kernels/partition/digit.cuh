/*
 * What the kernels of partition_by_key share: the digit of a key, and the chunk
 * of a block.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"
#include "kernels/core/block_sum.cuh"
#include "kernels/core/kernel.cuh"

namespace winnow::partition {

/* From a key to its digit. */
template <class Key>
class Digit {
  public:
    __device__
        __forceinline__ explicit Digit(const winnow__partition_field &field)
        : part_mask_(static_cast<Key>(field.mask)), parts_(field.parts),
          part_shift_(field.shift), shift_(field.digit_shift),
          mask_(field.digit_mask) {
    }

    __device__ __forceinline__ Key part(Key key) const {
        return key >> part_shift_ & part_mask_;
    }

    __device__ __forceinline__ bool has_part(Key key) const {
        return part(key) < parts_;
    }

    __device__ __forceinline__ unsigned int operator()(Key key) const {
        return static_cast<unsigned int>(key >> shift_) & mask_;
    }

    /* The same, computed after `rank`. The top bit of `rank` is always 0, which
     * the compiler does not know. */
    __device__ __forceinline__ unsigned int after(Key key,
                                                  unsigned int rank) const {
        return static_cast<unsigned int>(key >> (shift_ + (rank >> 31))) &
               mask_;
    }

    /* The digit times 2^log. Rotating a 32-bit key saves an instruction. */
    __device__ __forceinline__ unsigned int scaled(Key key,
                                                   unsigned int log) const {
        if constexpr (sizeof(Key) == 4)
            return __funnelshift_r(key, key, shift_ - log) & mask_ << log;
        else
            return (*this)(key) << log;
    }

  private:
    Key part_mask_, parts_;
    unsigned int part_shift_, shift_, mask_;
};

/* The entry of a table at an offset in bytes. */
template <class T>
__device__ __forceinline__ T &entry(T *table, unsigned int offset) {
    return *reinterpret_cast<T *>(reinterpret_cast<unsigned char *>(table) +
                                  offset);
}

/* A block's chunk of the input, or one of its chunks. */
struct Chunk {
    uint64_t begin, end;
    unsigned int segment;
    bool exists; /* there may be more blocks than chunks */

    Chunk() = default; /* in shared memory */

    __device__ __forceinline__ Chunk(const winnow__partition_chunks &chunks,
                                     unsigned int number)
        : begin(0), end(0), segment(0), exists(number < chunks.number) {
        uint64_t items = chunks.chunk_items;
        if (chunks.segments != 0) {
            exists = number < chunks.first_chunk[chunks.segments];
            if (!exists)
                return;
            segment = find_segment(chunks, number);
            begin = chunks.segment_offsets[segment];
            end = chunks.segment_offsets[segment + 1];
            number -= chunks.first_chunk[segment];
            items = uint64_t(chunks.first_chunk[chunks.segments + 1]) *
                    chunks.tile_items;
        } else {
            end = items_of(chunks);
        }
        if (chunks.next_tile != nullptr) { /* the block's first tile */
            begin = number * uint64_t(chunks.tile_items);
            return;
        }
        begin = min(begin + number * items, end);
        end = end - begin > items ? begin + items : end;
    }

  private:
    /* The last segment that begins at or before the chunk: never an empty
     * one. */
    __device__ __forceinline__ static unsigned int
    find_segment(const winnow__partition_chunks &chunks, unsigned int number) {
        unsigned int low = 0, high = chunks.segments;
        while (high - low > 1) {
            const unsigned int middle = (low + high) / 2;
            if (chunks.first_chunk[middle] <= number)
                low = middle;
            else
                high = middle;
        }
        return low;
    }
};

} // namespace winnow::partition
