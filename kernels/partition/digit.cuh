/*
 * What the kernels of partition_by_key share: the digit of a key, the chunk of
 * a block, and a scan over a block's threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_DIGIT_CUH
#define WINNOW_KERNELS_PARTITION_DIGIT_CUH

#include "kernels/core/kernel.cuh"
#include "args.h"
#include "kernels/core/warp.cuh"

namespace winnow {
namespace partition {

constexpr unsigned int THREADS = WINNOW__PARTITION_THREADS;
constexpr unsigned int WARPS = THREADS / WARP;

/* The digits of a class, by its bits. */
template <unsigned int BITS>
constexpr unsigned int DIGITS = 1u << BITS;

/* An array as a shared variable. */
template <class T, unsigned int NUMBER>
struct Array {
    T at[NUMBER];
};

/* From a key to its digit. */
template <class Key>
class Digit {
  public:
    __device__
        __forceinline__ explicit Digit(const winnow__partition_args &args)
        : part_mask_(static_cast<Key>(args.mask)), parts_(args.parts),
          part_shift_(args.shift), shift_(args.digit_shift),
          mask_(args.digit_mask) {
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

    /* The same, computed after `rank`, the top bit of which is 0: but the
     * compiler does not know that. */
    __device__ __forceinline__ unsigned int after(Key key,
                                                  unsigned int rank) const {
        return static_cast<unsigned int>(key >> (shift_ + (rank >> 31))) &
               mask_;
    }

    /* The digit times 2^log, an offset in a table. A key of 32 bits is rotated
     * to there, which takes an instruction less. */
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

/* A block's part of the input, or one of them. */
struct Chunk {
    uint64_t begin, end;
    unsigned int segment;
    bool exists; /* there may be more blocks than chunks */

    Chunk() = default; /* in shared memory */

    __device__ __forceinline__ Chunk(const winnow__partition_args &args,
                                     unsigned int number)
        : exists(number < args.chunks) {
        begin = 0;
        end = args.n;
        segment = 0;
        uint64_t chunk_items = args.chunk_items;
        if (args.segment_offsets != nullptr) {
            exists = number < args.first_chunk[args.segments];
            if (!exists)
                return;
            segment = find_segment(args, number);
            begin = args.segment_offsets[segment];
            end = args.segment_offsets[segment + 1];
            number -= args.first_chunk[segment];
            chunk_items =
                uint64_t(args.first_chunk[args.segments + 1]) * args.tile_items;
        }
        if (args.next_tile != nullptr) { /* the block's first tile */
            begin = number * uint64_t(args.tile_items);
            return;
        }
        begin += number * chunk_items;
        end = end - begin > chunk_items ? begin + chunk_items : end;
    }

  private:
    /* The segment with such a chunk: the last that begins at it or before, so
     * that it is none of the empty ones. */
    __device__ __forceinline__ static unsigned int
    find_segment(const winnow__partition_args &args, unsigned int number) {
        unsigned int low = 0, high = args.segments;
        while (high - low > 1) {
            const unsigned int middle = (low + high) / 2;
            if (args.first_chunk[middle] <= number)
                low = middle;
            else
                high = middle;
        }
        return low;
    }
};

/*
 * The sum of x over the threads before this one, by all threads of a block of
 * WARPS_ warps; *total_p: over all of them. There is a barrier between the
 * block's last use of `sums` and this call.
 */
template <unsigned int WARPS_, class T>
__device__ __forceinline__ T exclusive_sum(T x, T *sums, T *total_p) {
    const T inclusive = inclusive_sum(x);
    if (lane_id() == WARP - 1)
        sums[warp_id()] = inclusive;
    __syncthreads();
    T before = 0, total = 0;
#pragma unroll 4
    for (unsigned int w = 0; w < WARPS_; w++) {
        if (w == warp_id())
            before = total;
        total += sums[w];
    }
    *total_p = total;
    return before + inclusive - x;
}

} // namespace partition
} // namespace winnow

#endif
