/*
 * The CPU device as winnow-bench's place of measuring, in place of
 * bench/platform_cuda.c. Its times say nothing; its results do.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bench/platform.h"

#include "bench/util.h"
#include "tests/simt/simt.h"

#include <cuda_runtime_api.h>

#include <stdio.h>

/* Blocks at a time: a software atomic needs two. */
#define RESIDENT 3
/* As many as pipes are measured on. */
#define DEVICES 4

static cudaStream_t work_stream;

static void check(cudaError_t error, const char *what) {
    if (error != cudaSuccess)
        bench_fail("%s: %s", what, cudaGetErrorString(error));
}

static void synchronize(void) {
    check(cudaStreamSynchronize(work_stream), "cudaStreamSynchronize");
}

static void *alloc(size_t bytes) {
    void *memory = NULL;
    check(cudaMalloc(&memory, bytes), "cudaMalloc");
    return memory;
}

static void release(void *memory) {
    synchronize();
    check(cudaFree(memory), "cudaFree");
}

static void poison(void *memory, size_t bytes) {
    check(cudaMemsetAsync(memory, 0xa5, bytes, work_stream), "cudaMemsetAsync");
    synchronize();
}

static void fetch(void *to, const void *d_from, size_t bytes) {
    check(
        cudaMemcpyAsync(to, d_from, bytes, cudaMemcpyDeviceToHost, work_stream),
        "cudaMemcpyAsync");
    synchronize();
}

static void store(void *d_to, const void *from, size_t bytes) {
    check(
        cudaMemcpyAsync(d_to, from, bytes, cudaMemcpyHostToDevice, work_stream),
        "cudaMemcpyAsync");
    synchronize();
}

static void *alloc_host(size_t bytes) {
    void *memory = NULL;
    check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
    return memory;
}

static void release_host(void *memory) {
    check(cudaFreeHost(memory), "cudaFreeHost");
}

/* Each direction on a stream of its own, and with two pieces on the device. */
static void copy_through(int ordinal, const void *from, uint64_t in_bytes,
                         void *to, uint64_t out_bytes, size_t piece) {
    const uint64_t pieces = in_bytes / piece + 1;
    const uint64_t out_piece = (out_bytes / pieces / 256 + 1) * 256;
    cudaStream_t there, back;
    void *memory;
    check(cudaSetDevice(ordinal), "cudaSetDevice");
    check(cudaStreamCreateWithFlags(&there, cudaStreamNonBlocking),
          "cudaStreamCreateWithFlags");
    check(cudaStreamCreateWithFlags(&back, cudaStreamNonBlocking),
          "cudaStreamCreateWithFlags");
    check(cudaMalloc(&memory, 2 * piece), "cudaMalloc");
    char *const d_memory = (char *)memory;
    for (uint64_t at = 0, out = 0; at < in_bytes || out < out_bytes;
         at += piece, out += out_piece) {
        if (at < in_bytes)
            check(cudaMemcpyAsync(d_memory, (const char *)from + at,
                                  in_bytes - at < piece ? in_bytes - at : piece,
                                  cudaMemcpyHostToDevice, there),
                  "cudaMemcpyAsync");
        if (out < out_bytes)
            check(cudaMemcpyAsync((char *)to + out, d_memory + piece,
                                  out_bytes - out < out_piece ? out_bytes - out
                                                              : out_piece,
                                  cudaMemcpyDeviceToHost, back),
                  "cudaMemcpyAsync");
    }
    check(cudaStreamSynchronize(back), "cudaStreamSynchronize");
    check(cudaStreamSynchronize(there), "cudaStreamSynchronize");
    check(cudaFree(memory), "cudaFree");
    check(cudaStreamDestroy(back), "cudaStreamDestroy");
    check(cudaStreamDestroy(there), "cudaStreamDestroy");
}

static void copy(unsigned shape, const void *d_from, void *d_to,
                 uint64_t vectors, winnow_stream stream) {
    (void)shape;
    check(cudaMemcpyAsync(d_to, d_from, 16 * vectors, cudaMemcpyDeviceToDevice,
                          stream),
          "cudaMemcpyAsync");
}

static void multiply(int64_t *d_a, const int32_t *d_b, uint64_t n,
                     winnow_stream stream) {
    (void)stream;
    synchronize();
    for (uint64_t i = 0; i < n; i++)
        d_a[i] *= d_b[i];
}

static double seconds_of(const bench_job *job, bool cold) {
    (void)cold;
    const double start = bench_now();
    job->run(job->state, work_stream);
    synchronize();
    return (bench_now() - start) / job->calls;
}

/* The host reaches the device's memory: what makes and looks at data is the
 * host's. */
bool bench_platform_cuda(bench_platform *platform, int ordinal) {
    *platform = (bench_platform){
        .ordinal = ordinal,
        .alloc = alloc,
        .release = release,
        .poison = poison,
        .fetch = fetch,
        .store = store,
        .alloc_host = alloc_host,
        .release_host = release_host,
        .copy_through = copy_through,
        .generate = bench_data_generate,
        .expect = bench_data_expect,
        .sum = bench_data_sum,
        .misplaced = bench_data_misplaced,
        .copy_shapes = 1,
        .copy = copy,
        .multiply = multiply,
        .synchronize = synchronize,
        .time = seconds_of,
    };
    simt_settings.resident = RESIDENT;
    simt_settings.devices = DEVICES;
    snprintf(platform->device, sizeof platform->device, "the CPU device");
    check(cudaSetDevice(ordinal), "cudaSetDevice");
    check(cudaStreamCreateWithFlags(&work_stream, cudaStreamNonBlocking),
          "cudaStreamCreateWithFlags");
    platform->stream = work_stream;
    return true;
}
