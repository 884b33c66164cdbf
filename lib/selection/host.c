/*
 * Selections on the host: tiles are shared by the threads of the context.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format.h"

#include <stdatomic.h>
#include <string.h>

enum {
    /* Tiles that a thread takes at a time. */
    TILES_AT_A_TIME = 16,
    /* For fewer it is not worth waking a second thread. */
    LEAST_TILES_PER_THREAD = 64
};

typedef struct shared {
    uint64_t tiles;
    winnow__host_tiles *work;
    void *argument;
    atomic_uint_least64_t next;
} shared;

static void work_on_tiles(void *argument, unsigned char *buffer) {
    shared *const s = argument;
    (void)buffer;
    for (;;) {
        /* Relaxed: the input of the work was written before the team began, and
         * its results are read after the team has ended. */
        const uint64_t first = atomic_fetch_add_explicit(
            &s->next, TILES_AT_A_TIME, memory_order_relaxed);
        if (first >= s->tiles)
            return;
        const uint64_t left = s->tiles - first;
        s->work(s->argument, first,
                first + (left < TILES_AT_A_TIME ? left : TILES_AT_A_TIME));
    }
}

winnow__selection winnow__task_selection(const winnow__host_task *task,
                                         const void *start) {
    winnow__selection selection = winnow__selection_at(start, task->bound);
    selection.n = task->n;
    return selection;
}

unsigned winnow__tile_threads(const winnow__host_task *task, uint64_t tiles) {
    return winnow__team_threads(task->team, tiles / LEAST_TILES_PER_THREAD);
}

void winnow__host_each_tiles(const winnow__host_task *task, uint64_t tiles,
                             winnow__host_tiles *work, void *argument) {
    shared s = {.tiles = tiles, .work = work, .argument = argument};
    const unsigned threads = winnow__tile_threads(task, tiles);
    winnow__team_work(task->team, threads, work_on_tiles, &s, NULL);
}

typedef struct single {
    winnow__host_tile *work;
    void *argument;
} single;

static void work_on_each(void *argument, uint64_t first, uint64_t end) {
    const single *const s = argument;
    for (uint64_t tile = first; tile < end; tile++)
        s->work(s->argument, tile);
}

void winnow__host_each_tile(const winnow__host_task *task, uint64_t tiles,
                            winnow__host_tile *work, void *argument) {
    single s = {.work = work, .argument = argument};
    winnow__host_each_tiles(task, tiles, work_on_each, &s);
}

unsigned winnow__items_of_tile(uint64_t n, uint64_t tile) {
    const uint64_t first = tile * WINNOW__SELECTION_TILE;
    const uint64_t left = first < n ? n - first : 0;
    return left < WINNOW__SELECTION_TILE ? (unsigned)left
                                         : WINNOW__SELECTION_TILE;
}

unsigned winnow__tile_items(const winnow__selection *selection, uint64_t tile) {
    return winnow__items_of_tile(selection->n, tile);
}

void winnow__keep_items(unsigned items,
                        uint32_t words[WINNOW__SELECTION_WORDS]) {
    memset(words, 0, WINNOW__SELECTION_WORDS * sizeof words[0]);
    memset(words, 0xff, items / 32 * sizeof words[0]);
    if (items % 32 != 0)
        words[items / 32] = winnow__bits_inside(0, items % 32);
}

void winnow__host_count_tile(const winnow__host_loops *loops,
                             const winnow__selection *to, uint64_t tile) {
    to->counts[tile] = (uint16_t)loops->ones(
        to->keep + tile * WINNOW__SELECTION_WORDS, WINNOW__SELECTION_WORDS);
}

void winnow__host_scan(const winnow__selection *to) {
    unsigned long long before = 0;
    for (uint64_t tile = 0; tile < to->tiles; tile++) {
        to->before[tile] = before;
        before += to->counts[tile];
    }
    to->before[to->tiles] = before;
}

uint64_t winnow__host_rank(const winnow__selection *from, uint64_t item) {
    const uint64_t end = item < from->n ? item : from->n;
    const uint64_t tile = end / WINNOW__SELECTION_TILE;
    uint64_t rank = from->before[tile];
    for (uint64_t w = tile * WINNOW__SELECTION_WORDS; w < end / 32; w++)
        rank += (unsigned)__builtin_popcount(from->keep[w]);
    if (end % 32 != 0)
        rank += (unsigned)__builtin_popcount(from->keep[end / 32] &
                                             winnow__bits_inside(0, end % 32));
    return rank;
}

uint64_t winnow__host_place(const uint64_t *position, uint64_t capacity,
                            uint64_t *room_p) {
    const uint64_t start = position == NULL       ? 0
                           : *position < capacity ? *position
                                                  : capacity;
    *room_p = capacity - start;
    return start;
}

void winnow__host_advance(uint64_t *position, uint64_t room, uint64_t total) {
    if (position != NULL)
        *position += total < room ? total : room;
}
