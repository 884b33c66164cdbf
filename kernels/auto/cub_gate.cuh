/*
 * A launch of CUB's that may not be the chosen one (kernels/core/kernel.cuh):
 * CUB's kernels run whether it is or not, and cannot end at once. Where it is
 * not chosen no item is read, none passes, and nothing is written but CUB's own
 * memory and a count of 0. That takes the time of CUB's kernels without the
 * transfers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/args.h"

namespace winnow {

/* Open where this launch was chosen, or there was nothing to choose. The
 * decision was stored by a kernel that has ended. */
class Chosen {
  public:
    __host__ __device__ explicit Chosen(const winnow__args &args)
        : decision_(args.candidate != 0 && args.cursor != nullptr
                        ? &args.cursor->decision
                        : nullptr),
          candidate_(args.candidate) {
    }
    /* On the host nothing calls it: CUB wants items that both could read. */
    __host__ __device__ bool is_open() const {
        return decision_ == nullptr || *decision_ == candidate_;
    }

  private:
    const unsigned int *decision_;
    unsigned int candidate_;
};

/* A predicate that nothing passes while the gate is shut. */
template <class Test>
class GatedTest {
  public:
    GatedTest(const winnow__args &args, const Test &test)
        : gate_(args), test_(test) {
    }
    template <class Item>
    __device__ bool operator()(const Item &item) const {
        return gate_.is_open() && test_(item);
    }

  private:
    Chosen gate_;
    Test test_;
};

} // namespace winnow
