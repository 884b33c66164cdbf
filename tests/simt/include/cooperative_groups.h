/*
 * Cooperative groups of the CPU device: the lanes that are together, as much of
 * them as the tests use.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_COOPERATIVE_GROUPS_H
#define WINNOW_TESTS_SIMT_COOPERATIVE_GROUPS_H

#include "simt/kernel.hpp"

namespace cooperative_groups {

class coalesced_group {
  public:
    explicit coalesced_group(unsigned int mask) : mask_(mask) {
    }

    unsigned long long size() const {
        return static_cast<unsigned int>(__popc(mask_));
    }
    unsigned long long thread_rank() const {
        return static_cast<unsigned int>(__popc(mask_ & simt::lanes_below()));
    }
    void sync() const {
        __syncwarp(mask_);
    }
    template <class T>
    T shfl(T value, unsigned int rank) const {
        return __shfl_sync(mask_, value, lane_of(rank));
    }
    template <class T>
    T shfl_up(T value, unsigned int delta) const {
        const auto own = static_cast<unsigned int>(thread_rank());
        return shfl(value, own >= delta ? own - delta : own);
    }

  private:
    unsigned int mask_;

    int lane_of(unsigned int rank) const {
        unsigned int left = mask_;
        while (rank-- != 0)
            left &= left - 1;
        return __ffs(left) - 1;
    }
};

__attribute__((always_inline)) inline coalesced_group coalesced_threads() {
    return coalesced_group(__activemask());
}

} // namespace cooperative_groups

#endif
