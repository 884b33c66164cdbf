/*
 * The host as the place of measuring.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "platform.h"

#include "util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* Written to push everything else out of the cache. */
static unsigned char *flush_buffer;
static size_t flush_bytes;

static void *host_alloc(size_t bytes) {
    return bench_alloc(bytes);
}

static void host_poison(void *memory, size_t bytes) {
    memset(memory, BENCH_POISON, bytes);
}

static void host_fetch(void *to, const void *d_from, size_t bytes) {
    memcpy(to, d_from, bytes);
}

/* Of memcpy(), which one thread does where there is no OpenMP. */
static unsigned copy_threads = 1;

static unsigned count_cpus(void) {
#ifdef _OPENMP
    return (unsigned)omp_get_num_procs();
#else
    return 1;
#endif
}

/* memcpy(), a part of the whole for each thread. */
static void host_copy(unsigned shape, const void *d_from, void *d_to,
                      uint64_t vectors, winnow_stream stream) {
    (void)shape;
    (void)stream;
    const uint64_t parts = vectors < 1 << 16 ? 1 : copy_threads;
#pragma omp parallel for num_threads(copy_threads) if (parts > 1)
    for (uint64_t part = 0; part < parts; part++) {
        const uint64_t first = vectors * part / parts;
        const uint64_t end = vectors * (part + 1) / parts;
        memcpy((char *)d_to + 16 * first, (const char *)d_from + 16 * first,
               16 * (end - first));
    }
}

static void host_multiply(int64_t *d_a, const int32_t *d_b, uint64_t n,
                          winnow_stream stream) {
    (void)stream;
    for (uint64_t i = 0; i < n; i++)
        d_a[i] *= d_b[i];
}

static void host_synchronize(void) {
}

static double host_time(const bench_job *job, bool cold) {
    if (cold) {
        static unsigned char value;
        memset(flush_buffer, ++value, flush_bytes);
    }
    const double start = bench_now();
    job->run(job->state, NULL);
    return (bench_now() - start) / job->calls;
}

/* What Linux calls the processor. */
static void read_model(char *text, size_t bytes) {
    snprintf(text, bytes, "host");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL)
        return;
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            const size_t length = strcspn(colon + 2, "\n");
            snprintf(text, bytes, "host: %.*s", (int)length, colon + 2);
            break;
        }
    }
    fclose(file);
}

void bench_platform_host(bench_platform *platform, unsigned threads) {
    copy_threads = threads != 0 ? threads : count_cpus();
    *platform = (bench_platform){
        .ordinal = WINNOW_DEVICE_HOST,
        .alloc = host_alloc,
        .release = free,
        .poison = host_poison,
        .fetch = host_fetch,
        .store = host_fetch, /* it is the same */
        .generate = bench_data_generate,
        .expect = bench_data_expect,
        .sum = bench_data_sum,
        .misplaced = bench_data_misplaced,
        .copy_shapes = 1,
        .copy = host_copy,
        .multiply = host_multiply,
        .alloc_host = host_alloc,
        .release_host = free,
        .synchronize = host_synchronize,
        .time = host_time,
    };
    read_model(platform->device, sizeof platform->device);
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (cache > 0) {
        platform->cache_bytes = (size_t)cache;
        flush_bytes = 2 * (size_t)cache;
        flush_buffer = bench_alloc(flush_bytes);
    }
}
