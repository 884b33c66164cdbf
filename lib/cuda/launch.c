/*
 * Launches all kernels of the library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "launch.h"

static _Thread_local unsigned launches;

void winnow__reset_launches(void) {
    launches = 0;
}

unsigned winnow__launches(void) {
    return launches;
}

void winnow__count_launch(void) {
    launches++;
}

static cudaError_t launch(const winnow__kernel *kernel, unsigned blocks,
                          cudaLaunchAttribute *attributes, unsigned number,
                          const void *args, cudaStream_t stream) {
    const cudaLaunchConfig_t config = {.gridDim = {blocks, 1, 1},
                                       .blockDim = {kernel->threads, 1, 1},
                                       .dynamicSmemBytes = kernel->shared_bytes,
                                       .attrs = attributes,
                                       .numAttrs = number,
                                       .stream = stream};
    void *arguments[] = {(void *)(uintptr_t)args};
    const cudaError_t error =
        cudaLaunchKernelExC(&config, kernel->function, arguments);
    if (error == cudaSuccess)
        winnow__count_launch();
    return error;
}

winnow_status winnow__launch(const winnow__kernel *kernel, unsigned blocks,
                             const void *args, cudaStream_t stream) {
    return winnow__cuda_status(launch(kernel, blocks, NULL, 0, args, stream),
                               "launching a kernel");
}

/* Adds the attribute if the device supports it. */
static void allow_overlap(const winnow__query *query,
                          cudaLaunchAttribute *attributes, unsigned *number) {
    const winnow__cuda_context *const context = winnow__cuda(query->context);
    if (!context->overlap)
        return;
    attributes[*number].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[(*number)++].val.programmaticStreamSerializationAllowed = 1;
}

winnow_status winnow__launch_overlapping(const winnow__call *call,
                                         const winnow__kernel *kernel,
                                         unsigned blocks, const void *args) {
    cudaLaunchAttribute attribute[1];
    unsigned number = 0;
    allow_overlap(&call->query, attribute, &number);
    return winnow__cuda_status(launch(kernel, blocks, attribute, number, args,
                                      call->query.launch.stream),
                               "launching a kernel");
}

/* Does the error mean that the blocks cannot run together? Several errors of a
 * cluster launch may mean it, so all of them count: the plan without a cluster
 * reports any other problem. */
static bool is_refusal(winnow__launch_mode mode, cudaError_t error) {
    switch (mode) {
    case WINNOW__COOPERATIVE:
        return error == cudaErrorCooperativeLaunchTooLarge;
    case WINNOW__CLUSTER:
        return error != cudaSuccess;
    default:
        return false;
    }
}

winnow_status winnow__launch_plan(const winnow__call *call,
                                  const winnow__plan *plan, const void *args,
                                  bool *refused_p) {
    cudaLaunchAttribute attributes[2];
    unsigned number = 0;
    if (plan->mode == WINNOW__COOPERATIVE) {
        attributes[number].id = cudaLaunchAttributeCooperative;
        attributes[number++].val.cooperative = 1;
    }
    if (plan->mode == WINNOW__CLUSTER) {
        attributes[number].id = cudaLaunchAttributeClusterDimension;
        attributes[number].val.clusterDim.x = plan->blocks;
        attributes[number].val.clusterDim.y = 1;
        attributes[number++].val.clusterDim.z = 1;
    }
    if (plan->overlaps)
        allow_overlap(&call->query, attributes, &number);
    const cudaError_t error = launch(plan->kernel, plan->blocks, attributes,
                                     number, args, call->query.launch.stream);
    *refused_p = is_refusal(plan->mode, error);
    if (*refused_p) {
        cudaGetLastError(); /* not an error of the caller's */
        return WINNOW_ERR_CUDA;
    }
    return winnow__cuda_status(error, "launching a kernel");
}
