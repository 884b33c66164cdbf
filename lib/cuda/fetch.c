/*
 * Copies that are not part of a call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend.h"
#include "launch.h"

winnow_status winnow__cuda_copy(void *to, const void *from, size_t bytes,
                                const char *what) {
    cudaStream_t stream;
    cudaError_t error =
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error == cudaSuccess) {
        error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
        const cudaError_t waited = cudaStreamSynchronize(stream);
        error = error == cudaSuccess ? waited : error;
        cudaStreamDestroy(stream);
    }
    return winnow__cuda_status(error, what);
}

/* The relaxed mode is safe: this touches no stream that may be captured. */
winnow_status winnow__cuda_fetch(const winnow_context *context,
                                 const void *from, size_t bytes, void *to) {
    static const char what[] = "copying values to the host";
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    (void)context; /* its device is current */
    WINNOW__TRY(
        winnow__cuda_status(cudaThreadExchangeStreamCaptureMode(&mode), what));
    winnow_status status = winnow__cuda_copy(to, from, bytes, what);
    cudaThreadExchangeStreamCaptureMode(&mode);
    return status;
}
