/*
 * Words by which blocks tell each other of their tiles: written once by one
 * thread, read by others until it is there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PUBLISH_CUH
#define WINNOW_KERNELS_PUBLISH_CUH

#include "args.h"

#include <cstdint>

namespace winnow {

__device__ __forceinline__ void publish(unsigned long long *state,
                                        uint64_t value) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;"
                 :
                 : "l"(state), "l"(value)
                 : "memory");
}

__device__ __forceinline__ uint64_t observe(const unsigned long long *state) {
    uint64_t value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                 : "=l"(value)
                 : "l"(state)
                 : "memory");
    return value;
}

/*
 * Tell that a tile has been counted. In place, that allows others to write
 * where it was; its loads came before the barrier that came before this.
 */
__device__ __forceinline__ void
publish_count(const winnow__args &args, unsigned int tile, uint64_t value) {
    if (args.in == args.out)
        __threadfence();
    publish(args.states + tile, value);
}

} // namespace winnow

#endif
