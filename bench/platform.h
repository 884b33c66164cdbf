/*
 * Where the measuring takes place: a CUDA device or the host. Both offer the
 * same operations; a failure of any of them ends the program.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_PLATFORM_H
#define WINNOW_BENCH_PLATFORM_H

#include "data.h"

#include <winnow.h>

#include <stdbool.h>
#include <stddef.h>

/* One piece of work to be timed: enqueue it once. */
typedef struct bench_job {
    void (*run)(void *state, winnow_stream stream);
    void *state;
    unsigned calls; /* that it consists of; the time is that of one */
} bench_job;

#define BENCH_POISON 0xa5

typedef struct bench_platform {
    int ordinal; /* a CUDA ordinal, or WINNOW_DEVICE_HOST */
    char device[128];
    int major, minor; /* compute capability */
    unsigned multiprocessors;
    char driver[64];    /* empty: none */
    char cuda[16];      /* the runtime's version; empty: none */
    size_t cache_bytes; /* the last level of cache; 0: unknown */
    winnow_stream stream;

    void *(*alloc)(size_t bytes);
    void (*release)(void *memory);
    /* Fill with BENCH_POISON, a byte that no right result consists of. */
    void (*poison)(void *memory, size_t bytes);
    void (*fetch)(void *to, const void *d_from, size_t bytes);
    void (*store)(void *d_to, const void *from, size_t bytes);

    void (*generate)(const bench_data *data, void *d_array);
    void (*expect)(const bench_data *data, uint64_t *d_bases,
                   bench_expected *expected_p);
    uint64_t (*sum)(const void *d_array, uint32_t size, uint64_t count);
    uint64_t (*misplaced)(const bench_data *data, const uint64_t *d_bases,
                          const void *d_array);

    /* The copy "kernel" comes in copy_shapes shapes; the fastest counts. */
    unsigned copy_shapes;
    void (*copy)(unsigned shape, const void *d_from, void *d_to,
                 uint64_t vectors, winnow_stream stream);

    /* d_a[i] *= d_b[i] */
    void (*multiply)(int64_t *d_a, const int32_t *d_b, uint64_t n,
                     winnow_stream stream);

    /* Memory of the host's that copies run at full rate from. */
    void *(*alloc_host)(size_t bytes);
    void (*release_host)(void *memory);
    /* Copy bytes of the host's to some device, and others back meanwhile, in
     * pieces of as many bytes; wait for both. Any thread may call it. NULL:
     * memory is the host's. */
    void (*copy_through)(int ordinal, const void *from, uint64_t in_bytes,
                         void *to, uint64_t out_bytes, size_t piece);

    void (*synchronize)(void);
    /* Seconds of one run; cold: with the caches flushed before it. */
    double (*time)(const bench_job *job, bool cold);
    /* Capture the job, so many times one after the other, into a graph, as a
     * job of its own. NULL: no graphs. */
    bench_job (*capture)(const bench_job *job, unsigned calls);
    void (*discard)(bench_job *graph);
    /* Enqueue a kernel that does nothing. NULL: no kernels. */
    void (*launch_empty)(winnow_stream stream);
} bench_platform;

/* threads: of the copy; 0: as many as there are CPUs. */
void bench_platform_host(bench_platform *platform, unsigned threads);
/* False, and the reason in winnow_last_error(): no such device. */
bool bench_platform_cuda(bench_platform *platform, int ordinal);

#endif
