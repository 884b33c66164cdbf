/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "no_runtime.h"

cudaError_t no_runtime_last;

cudaError_t no_runtime_say(cudaError_t error) {
    if (error != cudaSuccess)
        no_runtime_last = error;
    return error;
}

cudaError_t cudaGetLastError(void) {
    const cudaError_t last = no_runtime_last;

    no_runtime_last = cudaSuccess;
    return last;
}

const char *cudaGetErrorName(cudaError_t error) {
    (void)error;
    return "name";
}

const char *cudaGetErrorString(cudaError_t error) {
    (void)error;
    return "string";
}
