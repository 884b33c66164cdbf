/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "context.h"
#include "core/status.h"

static winnow_status status_of(cudaError_t error, const char *what) {
    switch (error) {
    case cudaErrorMemoryAllocation:
        return winnow__fail(WINNOW_ERR_MEMORY, "%s: out of device memory",
                            what);
    default:
        return winnow__fail(WINNOW_ERR_CUDA, "%s: %s (%s)", what,
                            cudaGetErrorString(error), cudaGetErrorName(error));
    }
}

winnow_status winnow__cuda_status(cudaError_t error, const char *what) {
    if (error == cudaSuccess)
        return WINNOW_OK;
    /* The error is ours: it shall not turn up in the caller's next check. */
    cudaGetLastError();
    return status_of(error, what);
}

/* The driver keeps no last error; its errors have the runtime's numbers. */
winnow_status winnow__driver_status(CUresult result, const char *what) {
    return result == CUDA_SUCCESS ? WINNOW_OK
                                  : status_of((cudaError_t)result, what);
}
