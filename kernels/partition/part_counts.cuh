/*
 * partition_by_key, two passes and more: a block's counts of parts, in shared
 * memory. The atomics return nothing, so the hardware adds all lanes of a warp
 * with the same part at once.
 *
 * Order of memory: blocks add to the common counts by relaxed atomics, and a
 * later kernel reads them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "digit.cuh"

namespace winnow::partition {

/* The counts of a block of THREADS_ threads. */
template <unsigned int THREADS_>
class PartCounts {
  public:
    __device__ __forceinline__ PartCounts(unsigned char *shared,
                                          unsigned int parts)
        : table_(reinterpret_cast<uint32_t *>(shared)), parts_(parts) {
    }

    /* By all threads. A barrier follows. */
    __device__ __forceinline__ void clear() const {
        for (unsigned int p = threadIdx.x; p < parts_; p += THREADS_)
            table_[p] = 0;
    }

    __device__ __forceinline__ void count(unsigned int part) const {
        atomicAdd(&table_[part], 1u);
    }

    /* Adds the block's counts to the common ones, beginning at part `start`. By
     * all threads, behind a barrier. */
    __device__ __forceinline__ void add(unsigned int start,
                                        unsigned long long *items) const {
        for (unsigned int i = threadIdx.x; i < parts_; i += THREADS_) {
            const unsigned int p =
                start + i < parts_ ? start + i : start + i - parts_;
            if (table_[p] != 0)
                atomicAdd(&items[p],
                          static_cast<unsigned long long>(table_[p]));
        }
    }

  private:
    uint32_t *const table_;
    const unsigned int parts_;
};

} // namespace winnow::partition
