/*
 * The CUDA runtime for tests.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>

void gpu_must(cudaError_t error, const char *call, const char *file, int line) {
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s: %s: %s\n", file, line, call,
            cudaGetErrorName(error), cudaGetErrorString(error));
    abort();
}

bool gpu_present(const char **reason_p) {
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);

    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) {
        *reason_p = cudaGetErrorString(error);
        return false;
    }
    GPU_MUST(error);
    *reason_p = "the runtime counts none";
    return devices > 0;
}

cudaStream_t gpu_stream_create(void) {
    cudaStream_t stream;

    GPU_MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

void gpu_stream_destroy(cudaStream_t stream) {
    GPU_MUST(cudaStreamDestroy(stream));
}

void *gpu_alloc(size_t bytes) {
    void *memory;

    GPU_MUST(cudaMalloc(&memory, bytes ? bytes : 1));
    return memory;
}

void gpu_free(void *memory) {
    GPU_MUST(cudaFree(memory));
}

void gpu_copy(void *to, const void *from, size_t bytes, cudaStream_t stream) {
    GPU_MUST(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
    gpu_wait(stream);
}

void gpu_wait(cudaStream_t stream) {
    GPU_MUST(cudaStreamSynchronize(stream));
}

static bool find(const struct gpu_function *function, unsigned version) {
    enum cudaDriverEntryPointQueryResult found;

#if CUDART_VERSION >= 12050
    GPU_MUST(cudaGetDriverEntryPointByVersion(function->name,
                                              function->function_p, version,
                                              cudaEnableDefault, &found));
#else
    (void)version;
    GPU_MUST(cudaGetDriverEntryPoint(function->name, function->function_p,
                                     cudaEnableDefault, &found));
#endif
    return found == cudaDriverEntryPointSuccess;
}

bool gpu_find(const struct gpu_function functions[], size_t number,
              unsigned version) {
    for (size_t i = 0; i < number; i++)
        if (!find(&functions[i], version))
            return false;
    return true;
}

void *gpu_current_context(void) {
    int (*get)(void **) = NULL;
    const struct gpu_function wanted[] = {{"cuCtxGetCurrent", (void **)&get}};
    void *context = NULL;
    int result;

    if (!GPU_FIND(wanted, 12000)) {
        fprintf(stderr, "the driver has no cuCtxGetCurrent\n");
        abort();
    }
    result = get(&context);
    if (result != 0) {
        fprintf(stderr, "cuCtxGetCurrent returned %d\n", result);
        abort();
    }
    return context;
}
