/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "demo_place.h"

#include <cuda_runtime_api.h>

static cudaEvent_t start, stop;

static void check(cudaError_t code, const char *what) {
    if (code != cudaSuccess)
        demo_fail(what, cudaGetErrorString(code));
}

static void *gpu_alloc(size_t bytes) {
    void *memory = NULL;
    check(cudaMalloc(&memory, bytes > 0 ? bytes : 1), "cudaMalloc");
    return memory;
}

static void gpu_release(void *memory) {
    check(cudaFree(memory), "cudaFree");
}

static void gpu_poison(void *memory, size_t bytes) {
    check(cudaMemset(memory, DEMO_POISON, bytes), "cudaMemset");
}

static void gpu_write(void *d_to, const void *from, size_t bytes) {
    check(cudaMemcpy(d_to, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}

static const void *gpu_view(void *buffer, const void *d_from, size_t bytes) {
    check(cudaMemcpy(buffer, d_from, bytes, cudaMemcpyDeviceToHost),
          "cudaMemcpy");
    return buffer;
}

static void gpu_clock_start(void) {
    check(cudaEventRecord(start, NULL), "cudaEventRecord");
}

static double gpu_clock_stop(void) {
    float milliseconds = 0;
    check(cudaEventRecord(stop, NULL), "cudaEventRecord");
    check(cudaEventSynchronize(stop), "the work on the GPU");
    check(cudaEventElapsedTime(&milliseconds, start, stop),
          "cudaEventElapsedTime");
    return 1e-3 * (double)milliseconds;
}

const demo_place *demo_place_gpu(void) {
    static struct cudaDeviceProp properties;
    static demo_place place = {
        .device = 0,
        .runs = 9,
        .alloc = gpu_alloc,
        .release = gpu_release,
        .poison = gpu_poison,
        .write = gpu_write,
        .view = gpu_view,
        .clock_start = gpu_clock_start,
        .clock_stop = gpu_clock_stop,
    };
    check(cudaSetDevice(0), "cudaSetDevice");
    check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    place.name = properties.name;
    check(cudaEventCreate(&start), "cudaEventCreate");
    check(cudaEventCreate(&stop), "cudaEventCreate");
    return &place;
}
