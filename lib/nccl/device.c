/*
 * The device of a communicator, and its streams.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"
#include "ranks.h"

#include <sched.h>

winnow_status winnow__nccl_enter(const winnow_nccl *nccl, int *before_p) {
    WINNOW__TRY(WINNOW__NCCL_CUDA(cudaGetDevice(before_p)));
    if (*before_p == nccl->device)
        return WINNOW_OK;
    return WINNOW__NCCL_CUDA(cudaSetDevice(nccl->device));
}

void winnow__nccl_leave(int before) {
    int now;
    if (cudaGetDevice(&now) == cudaSuccess && now != before)
        (void)cudaSetDevice(before);
}

winnow_status winnow__nccl_launch(const winnow__kernel *kernel, unsigned blocks,
                                  const void *args, cudaStream_t stream) {
    const cudaLaunchConfig_t config = {.gridDim = {blocks, 1, 1},
                                       .blockDim = {kernel->threads, 1, 1},
                                       .stream = stream};
    void *arguments[] = {(void *)(uintptr_t)args};
    return winnow__nccl_cuda(
        cudaLaunchKernelExC(&config, kernel->function, arguments),
        "launching a kernel");
}

winnow_status winnow__nccl_load(void) {
    const winnow__kernel *const kernels[] = {
        &winnow__nccl_make_words, &winnow__nccl_judge,
        &winnow__nccl_tell,       &winnow__nccl_place,
        &winnow__nccl_parts,      &winnow__nccl_tell_partial,
        &winnow__nccl_merge,      &winnow__nccl_make_offer,
        &winnow__nccl_make_even,  &winnow__nccl_push,
        &winnow__nccl_meet,       &winnow__nccl_peer_place,
        &winnow__nccl_peer_reduce};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        struct cudaFuncAttributes attributes;
        WINNOW__TRY(winnow__nccl_cuda(
            cudaFuncGetAttributes(&attributes, kernels[i]->function),
            "loading a kernel"));
    }
    return WINNOW_OK;
}

/* If the communicator fails, its work on the stream ends, too. So the
 * communicator is queried after the stream. */
winnow_status winnow__nccl_wait(const winnow_nccl *nccl, cudaStream_t stream) {
    cudaError_t error;
    for (;;) {
        ncclResult_t result = ncclSuccess;
        error = cudaStreamQuery(stream);
        WINNOW__TRY(
            WINNOW__NCCL(NULL, ncclCommGetAsyncError(nccl->comm, &result)));
        if (result != ncclInProgress)
            WINNOW__TRY(
                winnow__nccl_status(nccl->comm, result, "the communicator"));
        if (error != cudaErrorNotReady)
            return winnow__nccl_cuda(error, "cudaStreamQuery");
        sched_yield();
    }
}

winnow_status winnow__nccl_check_launch(const winnow_launch *launch,
                                        cudaStream_t *stream_p) {
    if (launch == NULL)
        return WINNOW_OK;
    if (launch->size != sizeof *launch)
        return winnow__ranks_refuse(
            "launch->size is %zu: wanted sizeof(winnow_launch), which is %zu",
            launch->size, sizeof *launch);
    *stream_p = launch->stream;
    if (launch->d_n != NULL || launch->d_position != NULL ||
        launch->plan != NULL || launch->strategy != WINNOW_AUTO ||
        launch->d_strategy != NULL)
        return winnow__ranks_fail(WINNOW_ERR_UNSUPPORTED,
                                  "launch has d_n, d_position, plan, strategy "
                                  "or d_strategy: calls among ranks have none "
                                  "of them");
    for (unsigned i = 0;
         i < sizeof launch->reserved / sizeof launch->reserved[0]; i++)
        if (launch->reserved[i] != 0)
            return winnow__ranks_refuse("launch->reserved[%u] is not 0", i);
    return WINNOW_OK;
}
