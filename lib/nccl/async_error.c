/*
 * winnow_nccl_async_error: errors on the device since the last call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "peers.h"

static winnow_status status_of(const winnow_nccl *nccl,
                               const winnow__nccl_late *late) {
    const bool is_own = late->fault_rank == (uint64_t)nccl->rank;
    if (late->is_short)
        return winnow__ranks_fail_short((unsigned)late->short_rank,
                                        late->needed, late->capacity);
    if (late->other != 0 && late->fault == WINNOW__NCCL_FINE)
        return winnow__nccl_differ(late->other, late->same);
    const winnow_status status = winnow__nccl_fault_status(
        nccl, late->fault, late->fault_rank, nccl->most);
    return is_own && late->fault > WINNOW__NCCL_HOST
               ? winnow__ranks_fail(status, "a call of this rank returned %s",
                                    winnow_status_name(status))
               : status;
}

winnow_status winnow_nccl_async_error(winnow_nccl *nccl) {
    ncclResult_t result = ncclSuccess;
    WINNOW__TRY(winnow__ranks_need(nccl, "nccl"));
    WINNOW__TRY(
        WINNOW__NCCL(nccl->comm, ncclCommGetAsyncError(nccl->comm, &result)));
    if (result != ncclInProgress)
        WINNOW__TRY(
            winnow__nccl_status(nccl->comm, result, "the communicator"));
    const winnow__nccl_late late = *nccl->late;
    *nccl->late = (winnow__nccl_late){0};
    return late.fault == WINNOW__NCCL_FINE && late.other == 0 && !late.is_short
               ? WINNOW_OK
               : status_of(nccl, &late);
}
