/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda.h"

#include "host/task.h"

#include <stdlib.h>

enum {
    UNIT_BYTES = 1 << 20,
    /* As many as fill a link of PCIe 5: it takes 55 GB/s, of which a thread
     * copies 10. */
    USUAL_THREADS = 6,
    BUFFER_BYTES = 64 /* which a team wants */
};

struct winnow__workers {
    winnow__team *team;
};

/* What they do together, in units that each takes as it comes to them. */
typedef struct job {
    unsigned char *to;
    const unsigned char *from;
    uint64_t bytes;
    atomic_uint_fast64_t next;
} job;

winnow__workers *winnow__workers_create(unsigned threads) {
    winnow__workers *const made = malloc(sizeof *made);
    if (made == NULL)
        return NULL;
    made->team = winnow__team_create(BUFFER_BYTES);
    if (made->team == NULL) {
        free(made);
        return NULL;
    }
    winnow__team_set_threads(made->team, threads);
    return made;
}

void winnow__workers_destroy(winnow__workers *workers) {
    if (workers == NULL)
        return;
    winnow__team_destroy(workers->team);
    free(workers);
}

static void work(void *argument, unsigned char *buffer) {
    job *const j = argument;
    (void)buffer;
    for (;;) {
        const uint64_t first =
            atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed) *
            UNIT_BYTES;
        if (first >= j->bytes)
            return;
        const uint64_t left = j->bytes - first;
        winnow__host_copy_bytes(j->to + first, j->from + first,
                                left < UNIT_BYTES ? left : UNIT_BYTES);
    }
}

void winnow__workers_copy(winnow__workers *workers, void *to, const void *from,
                          uint64_t bytes) {
    const uint64_t units = (bytes + UNIT_BYTES - 1) / UNIT_BYTES;
    const unsigned threads = winnow__team_threads(
        workers->team, units < USUAL_THREADS ? units : USUAL_THREADS);
    job j = {.to = to, .from = from, .bytes = bytes};
    atomic_init(&j.next, 0);
    if (threads < 2 || !winnow__team_run(workers->team, threads, work, &j))
        work(&j, NULL);
}
