/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_backend.h"
#include "status.h"

winnow_status winnow__cuda_status(cudaError_t error, const char *what) {
    if (error == cudaSuccess)
        return WINNOW_OK;
    /* The error is ours: it shall not turn up in the caller's next check. */
    cudaGetLastError();
    switch (error) {
    case cudaErrorMemoryAllocation:
        return winnow__fail(WINNOW_ERR_MEMORY, "%s: out of device memory",
                            what);
    default:
        return winnow__fail(WINNOW_ERR_CUDA, "%s: %s (%s)", what,
                            cudaGetErrorString(error), cudaGetErrorName(error));
    }
}
