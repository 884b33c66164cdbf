/*
 * Copying what a caller has to the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend.h"
#include "launch.h"

/* On a stream of its own, which waits for no other. */
winnow_status winnow__cuda_fetch(const winnow_context *context,
                                 const void *from, size_t bytes, void *to) {
    cudaStream_t stream;
    (void)context; /* its device is current */
    cudaError_t error =
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error == cudaSuccess) {
        error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
        const cudaError_t waited = cudaStreamSynchronize(stream);
        error = error == cudaSuccess ? waited : error;
        cudaStreamDestroy(stream);
    }
    return winnow__cuda_status(error, "copying values to the host");
}
