/*
 * Waiting for the kernel that clears the workspace (clear.cu).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_CLEAR_CUH
#define WINNOW_KERNELS_CLEAR_CUH

namespace winnow {

/*
 * Before the first access to the workspace, by the thread that makes it.
 * Returns at once in a launch that does not overlap another.
 */
__device__ __forceinline__ void wait_for_clear() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" : : : "memory");
#endif
}

} // namespace winnow

#endif
