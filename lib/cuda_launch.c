/*
 * Every kernel of ours is started in one place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_backend.h"

static winnow_status launch(const winnow__kernel *kernel, unsigned blocks,
                            cudaLaunchAttribute *attribute,
                            const winnow__args *args, cudaStream_t stream) {
    const cudaLaunchConfig_t config = {.gridDim = {blocks, 1, 1},
                                       .blockDim = {kernel->threads, 1, 1},
                                       .dynamicSmemBytes = kernel->shared_bytes,
                                       .attrs = attribute,
                                       .numAttrs = attribute != NULL,
                                       .stream = stream};
    void *arguments[] = {(void *)(uintptr_t)args};
    return winnow__cuda_status(
        cudaLaunchKernelExC(&config, kernel->function, arguments),
        "launching a kernel");
}

winnow_status winnow__launch(const winnow__kernel *kernel, unsigned blocks,
                             const winnow__args *args, cudaStream_t stream) {
    return launch(kernel, blocks, NULL, args, stream);
}

winnow_status winnow__launch_plan(const winnow__call *call,
                                  const winnow__plan *plan,
                                  const winnow__args *args) {
    const winnow__cuda_context *context =
        (const winnow__cuda_context *)call->context;
    cudaLaunchAttribute together = {.id = cudaLaunchAttributeCooperative};
    together.val.cooperative = 1;
    cudaLaunchAttribute early = {
        .id = cudaLaunchAttributeProgrammaticStreamSerialization};
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchAttribute *attribute = NULL;
    if (plan->form == WINNOW__TOGETHER)
        attribute = &together;
    else if (plan->overlaps && context->overlap)
        attribute = &early;
    return launch(plan->kernel, plan->blocks, attribute, args, call->stream);
}
