/*
 * partition_by_key, the first of two passes in any order: counts the items of
 * all parts, so that the second pass need not read the keys to count them.
 *
 * A block counts in shared memory. The additions return nothing, so the lanes
 * of a warp with one part are added at once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_PART_COUNTS_CUH
#define WINNOW_KERNELS_PARTITION_PART_COUNTS_CUH

#include "partition.cuh"

namespace winnow {
namespace partition {

/* Of a block of so many threads. */
template <class Key, unsigned int THREADS_>
class PartCounts {
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
        for (unsigned int p = threadIdx.x; p < args_.parts; p += THREADS_)
            table_[p] = 0;
    }

    /* Of a key that has a part. */
    __device__ __forceinline__ void count(Key key) const {
        atomicAdd(&table_[digit_of_.part(key)], 1u);
    }

    /* By all threads, behind a barrier: adds the block's counts to those of
     * all. */
    __device__ __forceinline__ void add() const {
        for (unsigned int p = threadIdx.x; p < args_.parts; p += THREADS_)
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
