/*
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "workers.h"

#include "core/status.h"
#include "host/task.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
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
    void (*unit)(struct job *job, uint64_t first, uint64_t n);
    uint64_t n, unit_n; /* items or bytes */
    atomic_uint_fast64_t next;

    const winnow_pipe *pipe;
    const winnow__source *source;
    uint64_t first;
    void *const *to;
    const void *from;

    pthread_mutex_t lock; /* of the first error */
    winnow_status status;
    int error_number;
    char detail[512];
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
            j->unit_n;
        if (first >= j->n)
            return;
        j->unit(j, first, j->n - first < j->unit_n ? j->n - first : j->unit_n);
    }
}

static void run(winnow__workers *workers, job *j, unsigned most) {
    const uint64_t units = (j->n - 1) / j->unit_n + 1;
    const unsigned threads =
        winnow__team_threads(workers->team, units < most ? units : most);
    atomic_init(&j->next, 0);
    if (threads < 2 || !winnow__team_run(workers->team, threads, work, j))
        work(j, NULL);
}

/* ------------------------------------------------------------------- copies */

static void copy_unit(job *j, uint64_t first, uint64_t n) {
    winnow__host_copy_bytes((unsigned char *)*j->to + first,
                            (const unsigned char *)j->from + first, n);
}

void winnow__workers_copy(winnow__workers *workers, void *to, const void *from,
                          uint64_t bytes) {
    void *const array[] = {to};
    job j = {.unit = copy_unit,
             .n = bytes,
             .unit_n = UNIT_BYTES,
             .to = array,
             .from = from};
    if (bytes != 0)
        run(workers, &j, USUAL_THREADS);
}

/* -------------------------------------------------------------------- items */

static void copy_items(job *j, uint64_t first, uint64_t n) {
    for (unsigned i = 0; i < j->pipe->input_count; i++) {
        const uint64_t bytes = j->pipe->inputs[i].element_bytes;
        if (j->to[i] != NULL)
            winnow__host_copy_bytes(
                (unsigned char *)j->to[i] + first * bytes,
                (const unsigned char *)j->source->inputs[i] +
                    (j->first + first) * bytes,
                n * bytes);
    }
}

static void read_items(job *j, uint64_t first, uint64_t n) {
    void *to[WINNOW_PIPE_MOST_INPUTS];
    uint64_t got = 0;
    int error_number = 0;
    for (unsigned i = 0; i < j->pipe->input_count; i++)
        to[i] = (unsigned char *)j->to[i] +
                first * j->pipe->inputs[i].element_bytes;
    const winnow_status status = winnow__source_read(
        j->pipe, j->source, j->first + first, n, to, &got, &error_number);
    if (status == WINNOW_OK)
        return;
    pthread_mutex_lock(&j->lock);
    if (j->status == WINNOW_OK) {
        j->status = status;
        j->error_number = error_number;
        snprintf(j->detail, sizeof j->detail, "%s", winnow_last_error());
    }
    pthread_mutex_unlock(&j->lock);
    atomic_store_explicit(&j->next, j->n, memory_order_relaxed);
}

winnow_status winnow__workers_bring(winnow__workers *workers,
                                    const winnow_pipe *pipe,
                                    const winnow__source *source,
                                    uint64_t first, uint64_t n, void *const *to,
                                    uint64_t *got_p, int *error_number_p) {
    const bool is_memory = source->inputs != NULL;
    if (source->in_order)
        return winnow__source_read(pipe, source, first, n, to, got_p,
                                   error_number_p);
    const uint64_t unit = UNIT_BYTES / pipe->item_bytes;
    job j = {.unit = is_memory ? copy_items : read_items,
             .n = n,
             .unit_n = unit == 0 ? 1 : unit,
             .pipe = pipe,
             .source = source,
             .first = first,
             .to = to,
             .lock = PTHREAD_MUTEX_INITIALIZER};
    run(workers, &j,
        pipe->options.threads != 0 ? pipe->options.threads : USUAL_THREADS);
    if (j.status != WINNOW_OK) {
        *error_number_p = j.error_number;
        return winnow__fail(j.status, "%s", j.detail);
    }
    *got_p = n;
    return WINNOW_OK;
}
