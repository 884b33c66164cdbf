/*
 * Makes a selection on the host and packs by it in the same pass, while the
 * tested elements are in the caches.
 *
 * Threads take chunks of tiles in order. A thread makes its chunk's words and
 * publishes the number of survivors. If all earlier chunks have published
 * theirs, it packs the chunk at once. Otherwise it waits only a short time,
 * since a late thread may have no CPU, and the chunk is packed when all chunks
 * have been made. Without a sink, nothing is packed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    /* Tiles of a chunk: 64 KiB of a column of 4-byte elements. */
    CHUNK = 4,
    CHUNK_ALONE = 16, /* if nothing is packed */
    /* How often a thread checks for another's number: several times what making
     * a chunk takes. */
    LOOKS = 10000
};

/* Flags in a chunk's state, beside the number of its survivors. */
#define MADE (UINT32_C(1) << 30) /* the number is valid */
#define PACKED (UINT32_C(1) << 31)

typedef struct shared {
    const winnow__selection *to;
    winnow__host_maker *make;
    void *argument;
    const winnow__host_sink *sink; /* or NULL */
    unsigned chunk;                /* tiles of a chunk */
    winnow__turns turns;           /* of chunks */
    atomic_uint_least32_t *states; /* one for each chunk; or NULL */
} shared;

static uint64_t end_of(const shared *s, uint64_t chunk) {
    const uint64_t end = (chunk + 1) * s->chunk;
    return end < s->to->tiles ? end : s->to->tiles;
}

/* Returns the number of survivors. */
static uint32_t make_chunk(const shared *s, uint64_t chunk,
                           unsigned char *buffer) {
    uint32_t kept = 0;
    for (uint64_t tile = chunk * s->chunk; tile < end_of(s, chunk); tile++) {
        s->make(s->argument, tile, buffer);
        kept += s->to->counts[tile];
    }
    return kept;
}

/* `before`: the survivors of all earlier chunks. */
static void pack_chunk(const shared *s, uint64_t chunk, uint64_t before) {
    const uint64_t first = chunk * s->chunk;
    for (uint64_t tile = first; tile < end_of(s, chunk); tile++) {
        s->to->before[tile] = before;
        before += s->to->counts[tile];
    }
    s->sink->pack(s->sink->argument, first, end_of(s, chunk));
}

/* Relaxed, here and below: only the numbers are exchanged. Other results of a
 * thread are read after the team has ended. */
static uint32_t look(const shared *s, uint64_t chunk) {
    return atomic_load_explicit(&s->states[chunk], memory_order_relaxed);
}

static void make_only(void *argument, unsigned char *buffer) {
    shared *const s = argument;
    uint64_t chunk;
    while (winnow__take_turn(&s->turns, &chunk))
        make_chunk(s, chunk, buffer);
}

static void make_and_pack(void *argument, unsigned char *buffer) {
    shared *const s = argument;
    uint64_t chunk, known = 0, before = 0; /* of `known` chunks */
    unsigned patience = LOOKS;
    while (winnow__take_turn(&s->turns, &chunk)) {
        const uint32_t kept = make_chunk(s, chunk, buffer);
        atomic_store_explicit(&s->states[chunk], kept | MADE,
                              memory_order_relaxed);
        for (unsigned i = 0; known < chunk && i < patience; i++)
            for (uint32_t state; known < chunk && (state = look(s, known)) != 0;
                 known++)
                before += state & (MADE - 1);
        /* After one wait in vain, a thread only checks once. */
        patience = known == chunk ? LOOKS : 1;
        if (known != chunk)
            continue;
        pack_chunk(s, chunk, before);
        atomic_store_explicit(&s->states[chunk], kept | MADE | PACKED,
                              memory_order_relaxed);
    }
}

static void make_and_pack_alone(const shared *s) {
    uint64_t before = 0;
    for (uint64_t chunk = 0; chunk < s->turns.pieces; chunk++) {
        const uint32_t kept = make_chunk(s, chunk, NULL);
        if (s->sink != NULL)
            pack_chunk(s, chunk, before);
        before += kept;
    }
}

static void pack_rest(void *argument, uint64_t first, uint64_t end) {
    const shared *const s = argument;
    for (uint64_t tile = first; tile < end; tile += s->chunk)
        if ((look(s, tile / s->chunk) & PACKED) == 0)
            s->sink->pack(s->sink->argument, tile, end_of(s, tile / s->chunk));
}

/* False: one thread has to do all the work. */
static bool make_together(const winnow__host_task *task, shared *s) {
    const unsigned threads = winnow__tile_threads(task, s->to->tiles);
    if (threads < 2)
        return false;
    if (s->sink != NULL) {
        s->states = calloc(s->turns.pieces, sizeof *s->states);
        if (s->states == NULL)
            return false;
    }
    const bool done = winnow__team_run(
        task->team, threads, s->sink != NULL ? make_and_pack : make_only, s);
    if (done) {
        winnow__host_scan(s->to);
        if (s->sink != NULL)
            winnow__host_each_tiles(task, s->to->tiles, pack_rest, s);
    }
    free(s->states);
    return done;
}

void winnow__host_make(const winnow__host_task *task,
                       const winnow__selection *to, winnow__host_maker *make,
                       void *argument, const winnow__host_sink *sink) {
    const unsigned chunk = sink != NULL ? CHUNK : CHUNK_ALONE;
    shared s = {.to = to,
                .make = make,
                .argument = argument,
                .sink = sink,
                .chunk = chunk,
                .turns = winnow__begin_turns((to->tiles + chunk - 1) / chunk)};
    if (!make_together(task, &s)) {
        make_and_pack_alone(&s);
        winnow__host_scan(to);
    }
}
