/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

#include <sched.h>
#include <string.h>

winnow_status winnow__nccl_cuda(cudaError_t error, const char *call) {
    if (error == cudaSuccess)
        return WINNOW_OK;
    (void)cudaGetLastError(); /* clear it for the caller's thread */
    return winnow__ranks_fail(
        error == cudaErrorMemoryAllocation ? WINNOW_ERR_MEMORY
                                           : WINNOW_ERR_CUDA,
        "%.*s: %s (%s)", (int)strcspn(call, "("), call, cudaGetErrorName(error),
        cudaGetErrorString(error));
}

winnow_status winnow__nccl_status(ncclComm_t comm, ncclResult_t result,
                                  const char *call) {
    while (result == ncclInProgress && comm != NULL) {
        const ncclResult_t asked = ncclCommGetAsyncError(comm, &result);
        if (asked != ncclSuccess)
            result = asked;
        sched_yield();
    }
    if (result == ncclSuccess)
        return WINNOW_OK;
    return winnow__ranks_fail(
        WINNOW_ERR_COMMUNICATION, "%.*s: %s: %s", (int)strcspn(call, "("), call,
        ncclGetErrorString(result), ncclGetLastError(comm));
}

winnow_status winnow__nccl_fault_status(const winnow_nccl *nccl, uint64_t fault,
                                        uint64_t rank, uint64_t most) {
    const winnow_status status =
        fault > WINNOW__NCCL_HOST ? (winnow_status)(fault - WINNOW__NCCL_HOST)
                                  : WINNOW_ERR_ARGUMENT;
    if (rank != (uint64_t)nccl->rank)
        return winnow__ranks_fail_elsewhere(status, (unsigned)rank);
    if (fault == WINNOW__NCCL_DESCENDING)
        return winnow__ranks_fail(
            status, "d_offsets has a number that is less than the "
                    "one before it");
    if (fault == WINNOW__NCCL_BEYOND)
        return winnow__ranks_fail(
            status,
            "d_offsets ends, or d_count is, above %llu: beyond that, a d_in is "
            "NULL, overlaps a d_out, or runs past the end of the address space",
            (unsigned long long)most);
    return status;
}

uint64_t winnow__nccl_host_fault(winnow_status status) {
    return status == WINNOW_OK ? WINNOW__NCCL_FINE
                               : WINNOW__NCCL_HOST + (uint64_t)status;
}
