/*
 * The common part of operations on selections. kernels/selection/args.h has the
 * format.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/selection/args.h"
#include "host/task.h"
#include "cuda/plan.h"

/* The most items of a selection: kernels have at most one block for each tile. */
#define WINNOW__SELECTION_MOST (UINT64_C(1) << 42)

/* Bytes of a selection of n items. */
uint64_t winnow__selection_needed(uint64_t n);
/* The arrays of a selection. They must only be read if `start` is const memory. */
winnow__selection winnow__selection_at(const void *start, uint64_t n);
/* The memory of a selection, with the caller's name for it. */
winnow__range winnow__selection_range(const char *name, const void *start,
                                      uint64_t n, bool written);

/* check() of operations on selections. It sets a missing type to uint8, since n
 * is not a number of elements. */
winnow_status winnow__check_selection(winnow__query *query);

/* Masks. `prefix` is put before the names of members in messages. */
winnow_status winnow__check_flags(const char *prefix, const winnow_mask *mask,
                                  uint64_t n);
/* Do the bits or bytes of n items lie in the address space? */
bool winnow__has_flags(const winnow_mask *mask, uint64_t n);
/* The caller's argument `mask`; NULL is an error. */
winnow_status winnow__check_mask(const winnow_mask *mask, uint64_t n);
/* The byte that has item 0's flag; NULL if there is no mask. */
const void *winnow__mask_start(const winnow_mask *mask);
/* The bytes that have the flags of n items. */
winnow__range winnow__mask_range(const char *name, const winnow_mask *mask,
                                 uint64_t n);

/* Launch a source, whose blocks each make tiles_per_block tiles, and then the
 * scan. */
winnow_status winnow__launch_and_scan(const winnow__kernel *kernel,
                                      unsigned tiles_per_block,
                                      const void *args,
                                      const winnow__selection *to,
                                      winnow_stream stream);
/* The same for a kernel that ends with scan_few(): for few tiles it is launched
 * without the scan. */
winnow_status winnow__launch_source(const winnow__call *call,
                                    const winnow__kernel *kernel,
                                    unsigned tiles_per_block, const void *args,
                                    const winnow__selection *to);
/* Launch the scan, which computes `before` from the counts. */
winnow_status winnow__launch_scan(const winnow__selection *to,
                                  winnow_stream stream);
/* After a sink, if `position` is not NULL: add what the sink wrote to
 * *position. The whole output has room for `capacity` elements. */
winnow_status winnow__launch_advance(const winnow__selection *from,
                                     uint64_t *position, uint64_t capacity,
                                     winnow_stream stream);
/* Launch a sink of rows, with one block for each 2^log2_rows rows of a tile. */
winnow_status winnow__launch_rows(const winnow__kernel *kernel,
                                  unsigned log2_rows, const void *args,
                                  const winnow__selection *from,
                                  winnow_stream stream);
/* Launch a sink whose blocks each take tiles_per_block tiles; at least one
 * block. */
winnow_status winnow__launch_sink(const winnow__kernel *kernel,
                                  unsigned tiles_per_block, const void *args,
                                  const winnow__selection *from,
                                  winnow_stream stream);

/* ---- host.c */

/* Work on one tile, in any thread. */
typedef void winnow__host_tile(void *argument, uint64_t tile);

/* The same for consecutive tiles, from `first` on and before `end`. */
typedef void winnow__host_tiles(void *argument, uint64_t first, uint64_t end);

/* A selection of the task's items, in memory for `bound` items. */
winnow__selection winnow__task_selection(const winnow__host_task *task,
                                         const void *start);
/* How many threads would work on `tiles` tiles. */
unsigned winnow__tile_threads(const winnow__host_task *task, uint64_t tiles);
/* Call `work` for each tile, in any order, in the team's threads. */
void winnow__host_each_tile(const winnow__host_task *task, uint64_t tiles,
                            winnow__host_tile *work, void *argument);
/* The same for some consecutive tiles at a time; `first` is a multiple of 16. */
void winnow__host_each_tiles(const winnow__host_task *task, uint64_t tiles,
                             winnow__host_tiles *work, void *argument);
/* The number of items of a tile, of n in all: 0 for a tile after the last. */
unsigned winnow__items_of_tile(uint64_t n, uint64_t tile);
unsigned winnow__tile_items(const winnow__selection *selection, uint64_t tile);
/* Set the bits of a tile's first `items` items, and clear the others. */
void winnow__keep_items(unsigned items,
                        uint32_t words[WINNOW__SELECTION_WORDS]);
/* Count the bits of a tile's words, which have been written. */
void winnow__host_count_tile(const winnow__host_loops *loops,
                             const winnow__selection *to, uint64_t tile);
/* The number of elements in a sink's output before its own. *room_p: how many
 * more there is room for. */
uint64_t winnow__host_place(const uint64_t *position, uint64_t capacity,
                            uint64_t *room_p);
/* If position is not NULL, add the smaller of `room` and `total` to *position. */
void winnow__host_advance(uint64_t *position, uint64_t room, uint64_t total);
/* The number of survivors before an item; of all survivors if item >= n. */
uint64_t winnow__host_rank(const winnow__selection *from, uint64_t item);
/* Compute `before` from the counts. */
void winnow__host_scan(const winnow__selection *to);

/* ---- host_make.c */

/* Packs tiles whose words, counts and `before` are written. The `before` that
 * follows the last of them may not be. */
typedef struct winnow__host_sink {
    winnow__host_tiles *pack;
    void *argument;
    /* Packs the items that pass the task's predicate in one pass, without
     * making a selection; sets only before[tiles]. False: the predicate does
     * not test what is packed. NULL: the selection is needed. */
    bool (*copy)(void *argument, const winnow__host_task *task);
} winnow__host_sink;

/* Write a tile's words and count. `buffer`: the thread's own, of
 * WINNOW__HOST_BUFFER bytes; NULL in the caller's thread if that works alone. */
typedef void winnow__host_maker(void *argument, uint64_t tile,
                                unsigned char *buffer);

/* Make a selection. With a sink also pack each tile. sink may be NULL. */
void winnow__host_make(const winnow__host_task *task,
                       const winnow__selection *to, winnow__host_maker *make,
                       void *argument, const winnow__host_sink *sink);

/* Loop over the survivors of a tile in ascending order:
 *   for (winnow__survivor s = winnow__first(selection, tile);
 *        winnow__next(&s);)
 * s.item is a survivor's index, s.rank the number of survivors before it. */
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
