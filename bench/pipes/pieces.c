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

static void *work(void *argument) {
    job *const j = argument;
    const pipes_pieces *const p = j->pieces;
    void *const scratch = p->wants_scratch ? bench_alloc(p->piece) : NULL;
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
