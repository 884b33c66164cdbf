/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "peers.h"

#include "../util.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_THREADS = 256
};

/* Threads take piece after piece. */
typedef struct job {
    const pipes_staging *staging; /* or */
    const pipes_reading *reading;
    uint64_t bytes;
    size_t piece;
    atomic_uint_fast64_t next;
} job;

static void *work(void *argument) {
    job *const j = argument;
    void *const buffer = bench_alloc(j->piece);
    for (;;) {
        const uint64_t at = atomic_fetch_add(&j->next, 1) * j->piece;
        if (at >= j->bytes)
            break;
        const size_t bytes =
            j->bytes - at < j->piece ? (size_t)(j->bytes - at) : j->piece;
        if (j->staging != NULL)
            memcpy(buffer, (const char *)j->staging->from + at, bytes);
        else if (pread(j->reading->fd, buffer, bytes, (off_t)at) !=
                 (ssize_t)bytes)
            bench_fail("the file cannot be read");
        __asm__ volatile("" : : "r"(buffer) : "memory");
    }
    free(buffer);
    return NULL;
}

static void run(job *j, unsigned threads) {
    pthread_t others[MOST_THREADS];
    if (threads == 0 || threads > MOST_THREADS)
        bench_fail("%u threads", threads);
    for (unsigned i = 1; i < threads; i++)
        if (pthread_create(&others[i], NULL, work, j) != 0)
            bench_fail("no thread");
    work(j);
    for (unsigned i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
}

void pipes_stage(const pipes_staging *staging) {
    job j = {
        .staging = staging, .bytes = staging->bytes, .piece = staging->piece};
    run(&j, staging->threads);
}

void pipes_read(const pipes_reading *reading) {
    job j = {
        .reading = reading, .bytes = reading->bytes, .piece = reading->piece};
    run(&j, reading->threads);
}
