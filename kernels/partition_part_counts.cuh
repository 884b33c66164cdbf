/*
 * partition_by_key, the first of two passes by an estimate: counts the items of
 * all parts, so that the second pass need not read the keys to count them.
 *
 * A block counts in shared memory. The additions return nothing, so the lanes
 * of a warp with one part are added at once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_PART_COUNTS_CUH
#define WINNOW_KERNELS_PARTITION_PART_COUNTS_CUH

#include "partition_places.cuh"

namespace winnow {
namespace partition {

template <class Shape>
class PartCounts {
    using Key = typename Shape::Key;

  public:
    __device__ __forceinline__ PartCounts(const winnow__partition_args &args,
                                          unsigned char *shared)
        : args_(args), digit_of_(args),
          table_(reinterpret_cast<uint32_t *>(shared + args.part_table)) {
    }

    __device__ __forceinline__ bool are_wanted() const {
        return args_.part_items != nullptr;
    }

    /* By all threads. A barrier follows. */
    __device__ __forceinline__ void clear() const {
        if (!are_wanted())
            return;
        for (unsigned int p = threadIdx.x; p < args_.parts; p += Shape::THREADS)
            table_[p] = 0;
    }

    /* The thread's keys of a tile, of which so many are the chunk's. */
    __device__ __forceinline__ void count(const Key (&keys)[Shape::EACH],
                                          unsigned int items) const {
        if (!are_wanted())
            return;
        const unsigned int first = first_of_tile<Shape>();
#pragma unroll
        for (unsigned int i = 0; i < Shape::EACH; i++)
            if (items == Shape::ITEMS || first + i * WARP < items)
                atomicAdd(&table_[digit_of_.part(keys[i])], 1u);
    }

    /* By all threads, when the chunk is counted: adds the block's counts to
     * those of all. */
    __device__ __forceinline__ void add() const {
        if (!are_wanted())
            return;
        __syncthreads();
        for (unsigned int p = threadIdx.x; p < args_.parts; p += Shape::THREADS)
            if (table_[p] != 0)
                atomicAdd(&args_.part_items[p],
                          static_cast<unsigned long long>(table_[p]));
    }

  private:
    const winnow__partition_args &args_;
    const Digit<Key> digit_of_;
    uint32_t *const table_;
};

} // namespace partition
} // namespace winnow

#endif
