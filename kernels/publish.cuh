/*
 * Words by which blocks tell each other of their tiles: written by one thread,
 * or added to by several, and read by others until all is there.
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

__device__ __forceinline__ void add(uint32_t *state, uint32_t value) {
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;"
                 :
                 : "l"(state), "r"(value)
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

__device__ __forceinline__ uint32_t observe(const uint32_t *state) {
    uint32_t value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                 : "=r"(value)
                 : "l"(state)
                 : "memory");
    return value;
}

/*
 * Before telling that a tile has been counted. In place, that allows others to
 * write where it was; its loads came before the barrier that came before this.
 */
__device__ __forceinline__ void finish_loads(const winnow__args &args) {
    if (args.in == args.out)
        __threadfence();
}

} // namespace winnow

#endif
