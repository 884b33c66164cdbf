/*
 * What the operations on selections share. kernels/selection/args.h has the
 * format.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/selection/args.h"
#include "host/task.h"
#include "cuda/plan.h"

/* The most items of a selection: a kernel has a block for each tile at most. */
#define WINNOW__SELECTION_MOST (UINT64_C(1) << 42)

/* Bytes of a selection of n items. */
uint64_t winnow__selection_needed(uint64_t n);
/* The arrays of a selection. What is read alone is not written through them. */
winnow__selection winnow__selection_at(const void *start, uint64_t n);
/* Its memory, under the name the caller knows it by. */
winnow__range winnow__selection_range(const char *name, const void *start,
                                      uint64_t n, bool written);

/* check() of operations on selections, which sets the type of a query that has none
 * to uint8: there n is no number of elements. */
winnow_status winnow__check_selection(winnow__query *query);

/* Masks. The names of what the caller passes begin with `prefix`. */
winnow_status winnow__check_flags(const char *prefix, const winnow_mask *mask,
                                  uint64_t n);
/* Do the bits or bytes of n items lie in the address space? */
bool winnow__has_flags(const winnow_mask *mask, uint64_t n);
/* The caller's argument `mask`; NULL is an error. */
winnow_status winnow__check_mask(const winnow_mask *mask, uint64_t n);
/* The byte that item 0's flag is in; NULL for NULL. */
const void *winnow__mask_start(const winnow_mask *mask);
/* The bytes that n items have flags in. */
winnow__range winnow__mask_range(const char *name, const winnow_mask *mask,
                                 uint64_t n);

/* Launch a source, whose blocks make tiles_per_block tiles each, and then the
 * scan. */
winnow_status winnow__launch_and_scan(const winnow__kernel *kernel,
                                      unsigned tiles_per_block,
                                      const void *args,
                                      const winnow__selection *to,
                                      winnow_stream stream);
/* The same for a kernel that ends with scan_few(): if the tiles are few, the scan
 * is not launched. */
winnow_status winnow__launch_source(const winnow__call *call,
                                    const winnow__kernel *kernel,
                                    unsigned tiles_per_block, const void *args,
                                    const winnow__selection *to);
/* The scan: it makes `before` from the counts. */
winnow_status winnow__launch_scan(const winnow__selection *to,
                                  winnow_stream stream);
/* Behind a sink, where *position is not NULL: add what it has written, with
 * room for `capacity` elements from 0 on. */
winnow_status winnow__launch_advance(const winnow__selection *from,
                                     uint64_t *position, uint64_t capacity,
                                     winnow_stream stream);
/* Launch a sink of rows: a block for each 2^log2_rows rows of a tile. */
winnow_status winnow__launch_rows(const winnow__kernel *kernel,
                                  unsigned log2_rows, const void *args,
                                  const winnow__selection *from,
                                  winnow_stream stream);
/* Launch a sink, whose blocks take tiles_per_block tiles each; one block at
 * least. */
winnow_status winnow__launch_sink(const winnow__kernel *kernel,
                                  unsigned tiles_per_block, const void *args,
                                  const winnow__selection *from,
                                  winnow_stream stream);

/* ---- host.c */

/* Work on one tile, whichever thread it is. */
typedef void winnow__host_tile(void *argument, uint64_t tile);

/* The same for neighbours: the tiles from `first` on, before `end`. */
typedef void winnow__host_tiles(void *argument, uint64_t first, uint64_t end);

/* A selection of the task's items, in memory for as many as its bound. */
winnow__selection winnow__task_selection(const winnow__host_task *task,
                                         const void *start);
/* How many threads would work on `tiles` tiles. */
unsigned winnow__tile_threads(const winnow__host_task *task, uint64_t tiles);
/* Do the work for each tile, in any order, by the team's threads. */
void winnow__host_each_tile(const winnow__host_task *task, uint64_t tiles,
                            winnow__host_tile *work, void *argument);
/* The same, for some neighbours at a time; the first one's number is a multiple
 * of 16. */
void winnow__host_each_tiles(const winnow__host_task *task, uint64_t tiles,
                             winnow__host_tiles *work, void *argument);
/* The items of a tile, of n: none where it begins behind the last. */
unsigned winnow__items_of_tile(uint64_t n, uint64_t tile);
unsigned winnow__tile_items(const winnow__selection *selection, uint64_t tile);
/* Set the bits of a tile's first `items` items, and no others. */
void winnow__keep_items(unsigned items,
                        uint32_t words[WINNOW__SELECTION_WORDS]);
/* Count a tile's words, which are there. */
void winnow__host_count_tile(const winnow__host_loops *loops,
                             const winnow__selection *to, uint64_t tile);
/* The place of a sink's output: how many elements it has before it; the room
 * behind that is written to *room_p. */
uint64_t winnow__host_place(const uint64_t *position, uint64_t capacity,
                            uint64_t *room_p);
/* Add to *position, if it is not NULL, what a sink has written of `total`. */
void winnow__host_advance(uint64_t *position, uint64_t room, uint64_t total);
/* The survivors before an item, or before all that there are. */
uint64_t winnow__host_rank(const winnow__selection *from, uint64_t item);
/* Set `before` from the counts. */
void winnow__host_scan(const winnow__selection *to);

/* ---- host_make.c */

/* What packs tiles whose words, counts and `before` are there. `before` of the
 * tile behind them may not be. */
typedef struct winnow__host_sink {
    winnow__host_tiles *pack;
    void *argument;
    /* Packs the items that pass the task's predicate, in one pass, and sets only
     * before[tiles]. False: the sink packs something else. NULL: the selection is
     * needed. */
    bool (*copy)(void *argument, const winnow__host_task *task);
} winnow__host_sink;

/* Writes a tile's words and count. `buffer`: the thread's own, of
 * WINNOW__HOST_BUFFER, or NULL, if it is the caller's and works alone. */
typedef void winnow__host_maker(void *argument, uint64_t tile,
                                unsigned char *buffer);

/* Make a selection. With a sink, the tiles are packed as well; NULL: they are
 * not. */
void winnow__host_make(const winnow__host_task *task,
                       const winnow__selection *to, winnow__host_maker *make,
                       void *argument, const winnow__host_sink *sink);

/* Go through the survivors of a tile in rising order:
 *   for (winnow__survivor s = winnow__first(selection, tile);
 *        winnow__next(&s);)
 * s.item is the index of one, s.rank the number of survivors before it. */
typedef struct winnow__survivor {
    uint64_t item, rank;
    /* private */
    const uint32_t *word, *end;
    uint32_t keep;
    uint64_t base, next_rank;
} winnow__survivor;

static inline winnow__survivor winnow__first(const winnow__selection *from,
                                             uint64_t tile) {
    const uint32_t *const words = from->keep + tile * WINNOW__SELECTION_WORDS;
    return (winnow__survivor){.word = words,
                              .end = words + WINNOW__SELECTION_WORDS,
                              .base = tile * WINNOW__SELECTION_TILE,
                              .keep = *words,
                              .next_rank = from->before[tile]};
}

static inline bool winnow__next(winnow__survivor *s) {
    while (s->keep == 0) {
        if (++s->word == s->end)
            return false;
        s->keep = *s->word;
        s->base += 32;
    }
    s->item = s->base + (unsigned)__builtin_ctz(s->keep);
    s->rank = s->next_rank++;
    s->keep &= s->keep - 1;
    return true;
}
