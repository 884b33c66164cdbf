/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda.h"

/* Bytes of all inputs together. An H200's driver registers 1 GiB at 19 GB/s,
 * and 64 MiB at 7 GB/s; half a TiB in one call failed. */
static const uint64_t registered_bytes = UINT64_C(1) << 30;

uint64_t winnow__registered_items(const winnow_pipe *pipe) {
    const uint64_t chunks =
        registered_bytes / (pipe->chunk_items * pipe->item_bytes);
    return (chunks == 0 ? 1 : chunks) * pipe->chunk_items;
}

static winnow_status is_reached(const void *memory, bool *is_p) {
    struct cudaPointerAttributes about;
    winnow_status status =
        winnow__cuda_status(cudaPointerGetAttributes(&about, memory),
                            "asking what memory an address is of");
    *is_p = status == WINNOW_OK && about.type != cudaMemoryTypeUnregistered;
    return status;
}

winnow_status winnow__register(const winnow_pipe *pipe,
                               const void *const *inputs, uint64_t n,
                               winnow__registered *registered) {
    winnow_status status = WINNOW_OK;
    *registered = (winnow__registered){.inputs = {NULL}};
    for (unsigned i = 0; i < pipe->input_count && status == WINNOW_OK; i++) {
        bool reached;
        status = is_reached(inputs[i], &reached);
        if (status != WINNOW_OK || reached)
            continue;
        status = winnow__cuda_status(
            cudaHostRegister((void *)inputs[i],
                             n * pipe->inputs[i].element_bytes,
                             cudaHostRegisterDefault),
            "registering memory that is fed");
        if (status == WINNOW_OK)
            registered->inputs[i] = inputs[i];
    }
    if (status != WINNOW_OK) /* report this error */
        (void)winnow__unregister(pipe, registered);
    return status;
}

winnow_status winnow__unregister(const winnow_pipe *pipe,
                                 winnow__registered *registered) {
    winnow_status first = WINNOW_OK;
    for (unsigned i = 0; i < pipe->input_count; i++) {
        if (registered->inputs[i] == NULL)
            continue;
        const winnow_status status = winnow__cuda_status(
            cudaHostUnregister((void *)registered->inputs[i]),
            "unregistering memory that was fed");
        first = first == WINNOW_OK ? status : first;
    }
    return first;
}
