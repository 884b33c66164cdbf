/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "context.h"
#include "core/status.h"

static winnow_status status_of(cudaError_t error, const char *what) {
    return error == cudaErrorMemoryAllocation
               ? winnow__fail(WINNOW_ERR_MEMORY, "%s: out of device memory",
                              what)
               : winnow__fail(WINNOW_ERR_CUDA, "%s: %s (%s)", what,
                              cudaGetErrorString(error),
                              cudaGetErrorName(error));
}

winnow_status winnow__cuda_status(cudaError_t error, const char *what) {
    if (error == cudaSuccess)
        return WINNOW_OK;
    /* The error is the library's: the caller's next check must not see it. */
    cudaGetLastError();
    return status_of(error, what);
}

/* The driver keeps no last error. Its errors have the same numbers as the runtime's. */
winnow_status winnow__driver_status(CUresult result, const char *what) {
    return result == CUDA_SUCCESS ? WINNOW_OK
                                  : status_of((cudaError_t)result, what);
}

/* Did a kernel of the caller or the library fail before? Then every later call
 * returns this error, which says nothing about the question. */
static bool is_sticky(cudaError_t error) {
    switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
        return true;
    default:
        return false;
    }
}

bool winnow__driver_answers(CUresult result, const char *what,
                            winnow_status *status_p) {
    if (result == CUDA_ERROR_OUT_OF_MEMORY || is_sticky((cudaError_t)result))
        *status_p = winnow__driver_status(result, what);
    return result == CUDA_SUCCESS;
}

/* Clear an error of this library. An earlier one of the caller's stays. */
bool winnow__cuda_answers(cudaError_t error, const char *what,
                          winnow_status *status_p) {
    if (error != cudaSuccess)
        cudaGetLastError();
    return winnow__driver_answers((CUresult)error, what, status_p);
}
