/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pieces.h"

#include "../util.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    MOST_THREADS = 256
};

typedef struct job {
    const pipes_pieces *pieces;
    atomic_uint_fast64_t next;
} job;

/* The kernel copies 5 times as fast to a page as to 16 bytes behind its start,
 * on some CPUs. */
static void *alloc_pages(size_t bytes) {
    void *const memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (memory == NULL)
        bench_fail("out of memory: %zu bytes", bytes);
    return memory;
}

static void *work(void *argument) {
    job *const j = argument;
    const pipes_pieces *const p = j->pieces;
    void *const scratch = p->wants_scratch ? alloc_pages(p->piece) : NULL;
    for (;;) {
        const uint64_t at = atomic_fetch_add(&j->next, 1) * p->piece;
        if (at >= p->bytes)
            break;
        p->run(p->state, at,
               p->bytes - at < p->piece ? (size_t)(p->bytes - at) : p->piece,
               scratch);
    }
    free(scratch);
    return NULL;
}

void pipes_each_piece(const pipes_pieces *pieces) {
    pthread_t others[MOST_THREADS];
    job j = {.pieces = pieces};
    if (pieces->threads == 0 || pieces->threads > MOST_THREADS)
        bench_fail("%u threads", pieces->threads);
    for (unsigned i = 1; i < pieces->threads; i++)
        if (pthread_create(&others[i], NULL, work, &j) != 0)
            bench_fail("no thread");
    work(&j);
    for (unsigned i = 1; i < pieces->threads; i++)
        pthread_join(others[i], NULL);
}

unsigned pipes_cpus(void) {
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    return cpus < 1 ? 1 : cpus > MOST_THREADS ? MOST_THREADS : (unsigned)cpus;
}
