/*
 * The blocks of a cluster, which a device runs together (9.0 and later), meet
 * in each other's shared memory. Code for older devices has nothing of this.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_CLUSTER_CUH
#define WINNOW_KERNELS_CLUSTER_CUH

#include <cstdint>

namespace winnow {

/* A barrier of all the cluster's threads, in two halves. */
__device__ __forceinline__ void cluster_arrive() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;" : : : "memory");
#endif
}

__device__ __forceinline__ void cluster_wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire.aligned;" : : : "memory");
#endif
}

/* Write to `variable`, which is shared memory, in another block. */
__device__ __forceinline__ void
write_in(unsigned int block, unsigned int *variable, unsigned int value) {
#if __CUDA_ARCH__ >= 900
    const uint32_t here =
        static_cast<uint32_t>(__cvta_generic_to_shared(variable));
    uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(there)
        : "r"(here), "r"(block));
    asm volatile("st.shared::cluster.u32 [%0], %1;"
                 :
                 : "r"(there), "r"(value)
                 : "memory");
#endif
}

} // namespace winnow

#endif
