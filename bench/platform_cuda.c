/*
 * A CUDA device as the place of measuring.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "platform.h"

#ifdef WINNOW_CUDA

#include "gpu.h"
#include "util.h"

#include <cuda_runtime_api.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/*
 * Before every timed run the stream is kept busy for this long, so that the
 * start event, the work and the stop event are all enqueued before the GPU
 * comes to them: what is timed is the GPU's time, not the host's. A call of
 * ours takes the host 3 to 6 us, one of CUB's 6 to 11 (winnow-bench host-cost);
 * where they take more than this, the GPU waits, and that would be timed too.
 */
#define DELAY_NANOSECONDS 50000
#define DELAY_NANOSECONDS_PER_CALL 15000

/*
 * And then for up to a number of cycles, a different number each time. The clock of
 * the events ticks every 32 ns or more, and so does the one that the delay goes
 * by: without this all runs would begin at the same time after a tick, and all
 * be rounded alike.
 */
#define MOST_JITTER_CYCLES 4096

static cudaStream_t work_stream;
static cudaEvent_t start_event, stop_event;
static void *flush_buffer;
static size_t flush_bytes;
static int flush_value;
static uint64_t *d_total; /* one number, for the sums below */
static uint64_t runs;     /* timed so far */

static void check(int code, const char *what) {
    if (code != cudaSuccess)
        bench_fail("%s: %s (%s)", what, cudaGetErrorString((cudaError_t)code),
                   cudaGetErrorName((cudaError_t)code));
}

static void cuda_synchronize(void) {
    check(cudaStreamSynchronize(work_stream), "cudaStreamSynchronize");
}

static void *cuda_alloc(size_t bytes) {
    void *memory = NULL;
    const cudaError_t code = cudaMalloc(&memory, bytes);
    if (code != cudaSuccess)
        bench_fail("cudaMalloc of %zu bytes: %s", bytes,
                   cudaGetErrorString(code));
    return memory;
}

static void cuda_release(void *memory) {
    check(cudaFree(memory), "cudaFree");
}

static void cuda_poison(void *memory, size_t bytes) {
    check(cudaMemsetAsync(memory, BENCH_POISON, bytes, work_stream),
          "cudaMemsetAsync");
    cuda_synchronize();
}

static void cuda_fetch(void *to, const void *d_from, size_t bytes) {
    check(
        cudaMemcpyAsync(to, d_from, bytes, cudaMemcpyDeviceToHost, work_stream),
        "cudaMemcpyAsync to the host");
    cuda_synchronize();
}

static void cuda_store(void *d_to, const void *from, size_t bytes) {
    check(
        cudaMemcpyAsync(d_to, from, bytes, cudaMemcpyHostToDevice, work_stream),
        "cudaMemcpyAsync to the device");
    cuda_synchronize();
}

/*
 * Pages are made first, by all CPUs, and then pinned: cudaMallocHost() makes
 * them by one, for tens of seconds where memory is most of the machine's. What
 * is before the memory has its size.
 */
#define HUGE_PAGE ((size_t)2 << 20)

static void *cuda_alloc_host(size_t bytes) {
    const size_t all = (bytes / HUGE_PAGE + 2) * HUGE_PAGE;
    char *const memory = mmap(NULL, all, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        bench_fail("out of memory: %zu bytes", all);
    madvise(memory, all, MADV_HUGEPAGE); /* a hint */
#pragma omp parallel for
    for (size_t at = 0; at < all; at += HUGE_PAGE)
        memset(memory + at, 0, HUGE_PAGE);
    check(cudaHostRegister(memory, all, cudaHostRegisterPortable),
          "cudaHostRegister");
    memcpy(memory, &all, sizeof all);
    return memory + HUGE_PAGE;
}

static void cuda_release_host(void *memory) {
    char *const start = (char *)memory - HUGE_PAGE;
    size_t all;
    memcpy(&all, start, sizeof all);
    check(cudaHostUnregister(start), "cudaHostUnregister");
    munmap(start, all);
}

/* Each direction on a stream of its own, and with two pieces on the device. */
static void cuda_copy_through(int ordinal, const void *from, uint64_t in_bytes,
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

static void cuda_generate(const bench_data *data, void *d_array) {
    check(bench_gpu_generate(data, d_array, work_stream), "generating data");
    cuda_synchronize();
}

static void total_clear(void) {
    check(cudaMemsetAsync(d_total, 0, sizeof *d_total, work_stream),
          "cudaMemsetAsync");
}

static uint64_t total_fetch(void) {
    uint64_t total;
    cuda_fetch(&total, d_total, sizeof total);
    return total;
}

static void cuda_expect(const bench_data *data, uint64_t *d_bases,
                        bench_expected *expected_p) {
    const uint64_t chunks = bench_chunk_count(data->n);
    const size_t bytes = (size_t)chunks * sizeof(uint64_t);
    total_clear();
    check(bench_gpu_expect(data, d_bases, d_total, work_stream),
          "counting the expected survivors");
    expected_p->sum = total_fetch();
    /* From counts to positions on the host: a few million numbers at most. */
    uint64_t *bases = bench_alloc(bytes);
    cuda_fetch(bases, d_bases, bytes);
    uint64_t kept = 0;
    for (uint64_t chunk = 0; chunk < chunks; chunk++) {
        const uint64_t count = bases[chunk];
        bases[chunk] = kept;
        kept += count;
    }
    expected_p->kept = kept;
    check(cudaMemcpyAsync(d_bases, bases, bytes, cudaMemcpyHostToDevice,
                          work_stream),
          "cudaMemcpyAsync to the device");
    cuda_synchronize();
    free(bases);
}

static uint64_t cuda_sum(const void *d_array, uint32_t size, uint64_t count) {
    total_clear();
    check(bench_gpu_sum(d_array, size, count, d_total, work_stream),
          "summing a result");
    return total_fetch();
}

static uint64_t cuda_misplaced(const bench_data *data, const uint64_t *d_bases,
                               const void *d_array) {
    total_clear();
    check(bench_gpu_misplaced(data, d_bases, d_array, d_total, work_stream),
          "checking a result");
    return total_fetch();
}

static void cuda_copy(unsigned shape, const void *d_from, void *d_to,
                      uint64_t vectors, winnow_stream stream) {
    check(bench_gpu_copy(shape, d_from, d_to, vectors, stream), "copy kernel");
}

static void cuda_multiply(int64_t *d_a, const int32_t *d_b, uint64_t n,
                          winnow_stream stream) {
    check(bench_gpu_multiply(d_a, d_b, n, stream), "multiplying");
}

static void cuda_launch_empty(winnow_stream stream) {
    check(bench_gpu_empty(stream), "empty kernel");
}

static double cuda_time(const bench_job *job, bool cold) {
    if (cold) {
        flush_value ^= 0xff;
        check(cudaMemsetAsync(flush_buffer, flush_value, flush_bytes,
                              work_stream),
              "cudaMemsetAsync");
    }
    check(bench_gpu_delay(
              DELAY_NANOSECONDS + job->calls * DELAY_NANOSECONDS_PER_CALL,
              (uint32_t)(bench_random(2, runs++) % MOST_JITTER_CYCLES),
              work_stream),
          "delay kernel");
    check(cudaEventRecord(start_event, work_stream), "cudaEventRecord");
    job->run(job->state, work_stream);
    check(cudaEventRecord(stop_event, work_stream), "cudaEventRecord");
    check(cudaEventSynchronize(stop_event), "timed work");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_event, stop_event),
          "cudaEventElapsedTime");
    return 1e-3 * (double)milliseconds / job->calls;
}

static void launch_graph(void *state, winnow_stream stream) {
    check(cudaGraphLaunch((cudaGraphExec_t)state, stream), "cudaGraphLaunch");
}

static bench_job cuda_capture(const bench_job *job, unsigned calls) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    check(cudaStreamBeginCapture(work_stream, cudaStreamCaptureModeGlobal),
          "cudaStreamBeginCapture");
    for (unsigned i = 0; i < calls; i++)
        job->run(job->state, work_stream);
    check(cudaStreamEndCapture(work_stream, &graph), "cudaStreamEndCapture");
    check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    check(cudaGraphDestroy(graph), "cudaGraphDestroy");
    check(cudaGraphUpload(executable, work_stream), "cudaGraphUpload");
    cuda_synchronize();
    return (bench_job){launch_graph, executable, calls};
}

static void cuda_discard(bench_job *graph) {
    check(cudaGraphExecDestroy((cudaGraphExec_t)graph->state),
          "cudaGraphExecDestroy");
}

/* The kernel module's version: the first word of its line with digits. */
static void read_driver(char *text, size_t bytes) {
    char line[256] = "";
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    if (file != NULL) {
        if (fgets(line, sizeof line, file) == NULL)
            line[0] = '\0';
        fclose(file);
    }
    for (char *word = strtok(line, " \t\n"); word != NULL;
         word = strtok(NULL, " \t\n"))
        if (isdigit((unsigned char)word[0]) && strchr(word, '.') != NULL) {
            snprintf(text, bytes, "%s", word);
            return;
        }
    int version;
    check(cudaDriverGetVersion(&version), "cudaDriverGetVersion");
    snprintf(text, bytes, "for CUDA %d.%d", version / 1000,
             version % 1000 / 10);
}

static void describe(bench_platform *platform) {
    struct cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, platform->ordinal),
          "cudaGetDeviceProperties");
    snprintf(platform->device, sizeof platform->device, "%.*s",
             (int)sizeof platform->device - 1, properties.name);
    platform->major = properties.major;
    platform->minor = properties.minor;
    platform->multiprocessors = (unsigned)properties.multiProcessorCount;
    int version;
    check(cudaRuntimeGetVersion(&version), "cudaRuntimeGetVersion");
    snprintf(platform->cuda, sizeof platform->cuda, "%d.%d", version / 1000,
             version % 1000 / 10);
    read_driver(platform->driver, sizeof platform->driver);
    platform->cache_bytes = (size_t)properties.l2CacheSize;
}

bool bench_platform_cuda(bench_platform *platform, int ordinal) {
    /* The library knows best which devices it can work on, and why not. */
    winnow_context *probe;
    const winnow_status status = winnow_context_create(&probe, ordinal);
    if (status == WINNOW_ERR_NO_DEVICE)
        return false;
    bench_check(status, "winnow_context_create");
    winnow_context_destroy(probe);

    *platform = (bench_platform){
        .ordinal = ordinal,
        .alloc = cuda_alloc,
        .release = cuda_release,
        .poison = cuda_poison,
        .fetch = cuda_fetch,
        .store = cuda_store,
        .alloc_host = cuda_alloc_host,
        .release_host = cuda_release_host,
        .copy_through = cuda_copy_through,
        .generate = cuda_generate,
        .expect = cuda_expect,
        .sum = cuda_sum,
        .misplaced = cuda_misplaced,
        .copy_shapes = BENCH_GPU_COPY_SHAPES,
        .copy = cuda_copy,
        .multiply = cuda_multiply,
        .synchronize = cuda_synchronize,
        .time = cuda_time,
        .capture = cuda_capture,
        .discard = cuda_discard,
        .launch_empty = cuda_launch_empty,
    };
    check(cudaSetDevice(ordinal), "cudaSetDevice");
    describe(platform);
    check(cudaStreamCreateWithFlags(&work_stream, cudaStreamNonBlocking),
          "cudaStreamCreateWithFlags");
    platform->stream = work_stream;
    check(cudaEventCreate(&start_event), "cudaEventCreate");
    check(cudaEventCreate(&stop_event), "cudaEventCreate");
    d_total = cuda_alloc(sizeof *d_total);
    flush_bytes = 2 * platform->cache_bytes;
    flush_buffer = cuda_alloc(flush_bytes);
    return true;
}

#else /* built without CUDA */

bool bench_platform_cuda(bench_platform *platform, int ordinal) {
    (void)platform;
    winnow_context *probe;
    const winnow_status status = winnow_context_create(&probe, ordinal);
    if (status == WINNOW_OK)
        winnow_context_destroy(probe);
    return false;
}

#endif
