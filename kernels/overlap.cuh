/*
 * Kernels that overlap: on devices that can (9.0 and later) a kernel may be
 * launched while the one before it in the stream still runs, and waits where
 * it has to (programmatic dependent launch).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_OVERLAP_CUH
#define WINNOW_KERNELS_OVERLAP_CUH

#include "args.h"
#include "ptx.cuh"

namespace winnow {

/* Until all that the stream did before is done, and can be seen. Returns at
 * once in a launch that does not overlap another. */
__device__ __forceinline__ void wait_for_stream() {
    wait_for_prerequisites();
}

/*
 * Before the first access to memory of the caller's. The kernel that clears the
 * workspace waits for the caller's kernels itself, so that after it only the
 * workspace is waited for.
 */
__device__ __forceinline__ void wait_for_input(const winnow__args &args) {
    if (!args.after_clear)
        wait_for_stream();
}

/* Before the first access to the workspace, by the thread that makes it. */
__device__ __forceinline__ void wait_for_workspace() {
    wait_for_stream();
}

/*
 * From here on the next kernel may begin, up to the point where it waits: when
 * all blocks have come here, or are gone.
 */
__device__ __forceinline__ void let_next_begin() {
    trigger_dependents();
}

/* The same, where the host thinks that it should be soon
 * (lib/cuda_compaction.c). */
__device__ __forceinline__ void let_next_begin_early(const winnow__args &args) {
    if (args.early)
        let_next_begin();
}

} // namespace winnow

#endif
