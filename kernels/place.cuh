/*
 * Place: write survivors to the output, never at or past its capacity.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PLACE_CUH
#define WINNOW_KERNELS_PLACE_CUH

#include "args.h"
#include "predicate.cuh"

namespace winnow {

/* Write one survivor. */
template <class U>
__device__ __forceinline__ void place(const winnow__args &args,
                                      uint64_t position, U element) {
    if (position < args.capacity)
        __stcs(static_cast<U *>(args.out) + position, element);
}

/*
 * Write the survivors that a block has staged, all its threads together.
 * Neighbouring threads write neighbouring elements.
 */
template <class U, unsigned int THREADS>
__device__ __forceinline__ void place_staged(const winnow__args &args,
                                             uint64_t position, const U *staged,
                                             unsigned int count) {
    if (position >= args.capacity)
        return;
    if (count > args.capacity - position)
        count = static_cast<unsigned int>(args.capacity - position);
    U *const out = static_cast<U *>(args.out) + position;
    for (unsigned int i = threadIdx.x; i < count; i += THREADS)
        __stcs(out + i, staged[i]);
}

} // namespace winnow

#endif
