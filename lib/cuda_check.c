/*
 * What the CUDA backend can see before a call is enqueued.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_backend.h"
#include "status.h"

winnow_status winnow__cuda_supports(const winnow__call *call) {
    if (call->options.strategy == WINNOW_HOST)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "strategy host needs a WINNOW_HOST context");
    return WINNOW_OK;
}

/* Why can the device not reach this memory? Or can it, after all? */
static winnow_status explain(const winnow__cuda_context *context,
                             const winnow__range *range) {
    struct cudaPointerAttributes attributes;
    cudaError_t error = cudaPointerGetAttributes(&attributes, range->start);
    if (error != cudaSuccess)
        return winnow__cuda_status(error, "asking about a pointer");
    if (attributes.type == cudaMemoryTypeUnregistered)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "%s (%p) is plain host memory: device %d needs "
                            "device, managed or pinned memory",
                            range->name, range->start, context->device);
    if (attributes.devicePointer != range->start)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "%s (%p) is memory that device %d cannot reach "
                            "at that address",
                            range->name, range->start, context->device);
    return WINNOW_OK;
}

winnow_status winnow__cuda_reaches(const winnow_context *base,
                                   const winnow__range ranges[], int number) {
    const winnow__cuda_context *context = (const winnow__cuda_context *)base;
    winnow_status status = WINNOW_OK;
    for (int i = 0; i < number && status == WINNOW_OK; i++) {
        const CUdeviceptr start = (CUdeviceptr)ranges[i].start;
        CUdeviceptr reached = 0;
        if (start == 0 || ranges[i].bytes == 0)
            continue;
        if (context->driver.pointer_attribute(
                &reached, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, start) !=
                CUDA_SUCCESS ||
            reached != start)
            status = explain(context, &ranges[i]);
    }
    return status;
}
