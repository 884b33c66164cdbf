/*
 * The threads of a host context.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct winnow__team winnow__team;

/* The threads of a team, including the caller's. */
enum {
    WINNOW__MOST_THREADS = 256
};

/* The work of every thread of a team; `buffer` is the thread's own. */
typedef void winnow__work(void *argument, unsigned char *buffer);

/* Make a team whose threads have buffers of buffer_bytes, aligned to 64.
 * Threads and buffers are made when there is work. NULL: out of memory. */
winnow__team *winnow__team_create(size_t buffer_bytes);
/* Nothing may be running. */
void winnow__team_destroy(winnow__team *team);

/* Set how many threads work on a call, including the caller's, from the next
 * call on. 0: one for each CPU that the process may use. */
void winnow__team_set_threads(winnow__team *team, unsigned threads);

/* How many threads would work on a call, of at most `most`. 1 in a child of
 * fork(), which has only the caller's thread. */
unsigned winnow__team_threads(const winnow__team *team, uint64_t most);

/* Run the work in the caller's thread and in up to threads - 1 others, those
 * that wake up before it is done. Return when all that began have ended. False
 * if the team is busy with another caller, or has no other thread; then nothing
 * was run. */
bool winnow__team_run(winnow__team *team, unsigned threads, winnow__work *work,
                      void *argument);
/* The same; if it cannot, run the work in the caller's thread with `buffer`. */
void winnow__team_work(winnow__team *team, unsigned threads, winnow__work *work,
                       void *argument, unsigned char *buffer);

/* Pieces that the threads of a team take in order. A thread may wait for the
 * piece of another. If threads have to wait for CPUs, only the caller's goes on. */
typedef struct winnow__turns {
    uint64_t pieces;
    pthread_t caller;
    atomic_uint_least64_t next; /* the next piece */
    atomic_bool crowded;
} winnow__turns;

static inline winnow__turns winnow__begin_turns(uint64_t pieces) {
    return (winnow__turns){.pieces = pieces, .caller = pthread_self()};
}

/* Take the next piece. False: none is left, or only the caller's thread may
 * take pieces. */
static inline bool winnow__take_turn(winnow__turns *turns, uint64_t *piece_p) {
    if (atomic_load_explicit(&turns->crowded, memory_order_relaxed) &&
        !pthread_equal(pthread_self(), turns->caller))
        return false;
    *piece_p = atomic_fetch_add_explicit(&turns->next, 1, memory_order_relaxed);
    return *piece_p < turns->pieces;
}

/* Called by a thread that has waited for long: it yields its CPU, which the
 * other thread may need. From then on only the caller's thread takes pieces. */
void winnow__give_way(winnow__turns *turns);
