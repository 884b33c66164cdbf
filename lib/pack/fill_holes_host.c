/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fill_holes.h"

#include "rows.h"

enum {
    BATCH = 256 /* fillers that a thread moves at a time, column by column */
};

/* Visits the places that are kept, or those that are not. */
typedef struct walk {
    const uint32_t *word;
    uint64_t first; /* the place of the word's bit 0 */
    uint32_t bits;  /* places of the word that were not visited yet */
    uint32_t flip;  /* 0, or all ones to visit places that are not kept */
} walk;

static uint64_t before_tile(const winnow__selection *from, uint32_t flip,
                            uint64_t tile) {
    const uint64_t kept = from->before[tile];
    return flip == 0 ? kept : tile * WINNOW__SELECTION_TILE - kept;
}

/* The last tile with at most `rank` places before it. */
static uint64_t tile_of(const winnow__selection *from, uint32_t flip,
                        uint64_t rank) {
    uint64_t low = 0, high = from->tiles;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (before_tile(from, flip, middle) <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Begins at the place with `rank` others before it, which exists. */
static walk walk_from(const winnow__selection *from, uint32_t flip,
                      uint64_t rank) {
    const uint64_t tile = tile_of(from, flip, rank);
    walk w = {.word = from->keep + tile * WINNOW__SELECTION_WORDS,
              .first = tile * WINNOW__SELECTION_TILE,
              .flip = flip};
    uint64_t left = rank - before_tile(from, flip, tile);
    for (;; w.word++, w.first += 32) {
        const unsigned here = (unsigned)__builtin_popcount(*w.word ^ w.flip);
        if (left < here)
            break;
        left -= here;
    }
    for (w.bits = *w.word ^ w.flip; left != 0; left--)
        w.bits &= w.bits - 1;
    return w;
}

/* The next place, which exists. */
static uint64_t next(walk *w) {
    while (w->bits == 0) {
        w->word++;
        w->first += 32;
        w->bits = *w->word ^ w->flip;
    }
    const unsigned bit = (unsigned)__builtin_ctz(w->bits);
    w->bits &= w->bits - 1;
    return w->first + bit;
}

typedef struct work {
    const winnow__filling *filling;
    const winnow__selection *from;
    uint64_t items, arrivals, holes;
    uint64_t tail;    /* survivors that stay */
    uint64_t fillers; /* arrivals, and survivors that move */
} work;

static void list_places(const work *w, uint64_t first, unsigned number,
                        uint64_t *places) {
    unsigned i = 0;
    if (first < w->holes) {
        walk holes = walk_from(w->from, UINT32_MAX, first);
        for (; i < number && first + i < w->holes; i++)
            places[i] = next(&holes);
    }
    for (; i < number; i++)
        places[i] = w->items + (first + i - w->holes);
}

/* The index of an arrival, or the place of a survivor. */
static void list_sources(const work *w, uint64_t first, unsigned number,
                         uint64_t *sources) {
    unsigned i = 0;
    for (; i < number && first + i < w->arrivals; i++)
        sources[i] = first + i;
    if (i == number)
        return;
    walk survivors = walk_from(w->from, 0, w->tail + (first + i - w->arrivals));
    for (; i < number; i++)
        sources[i] = next(&survivors);
}

static void fill_batch(void *argument, uint64_t batch) {
    const work *const w = argument;
    const uint64_t first = batch * BATCH;
    const uint64_t left = w->fillers - first;
    const unsigned number = left < BATCH ? (unsigned)left : BATCH;
    const uint64_t old = w->arrivals > first ? w->arrivals - first : 0;
    uint64_t places[BATCH], sources[BATCH];
    list_places(w, first, number, places);
    list_sources(w, first, number, sources);
    for (unsigned c = 0; c < w->filling->number; c++) {
        const winnow_move *const move = &w->filling->moves[c];
        for (unsigned i = 0; i < number; i++)
            winnow__copy_element(move->d_out, places[i],
                                 i < old ? move->d_in : move->d_out, sources[i],
                                 move->element_bytes);
    }
}

void winnow__fill_holes_on_host(const winnow__call *call,
                                const winnow__host_task *task,
                                const winnow__selection *from, void *memory) {
    const winnow__filling *const filling = winnow__filling_of(&call->query);
    const uint64_t kept = from->before[from->tiles];
    const uint64_t arrived =
        filling->d_arrived != NULL && *filling->d_arrived < filling->arrived
            ? *filling->d_arrived
            : filling->arrived;
    const uint64_t end =
        kept + arrived < filling->capacity ? kept + arrived : filling->capacity;
    work w = {.filling = filling,
              .from = from,
              .items = task->n,
              .arrivals = end - kept,
              .holes = task->n - kept,
              .fillers = end - kept};
    if (end < task->n) {
        w.tail = winnow__host_rank(from, end);
        w.fillers += kept - w.tail;
    }
    winnow__host_each_tile(task, w.fillers / BATCH + (w.fillers % BATCH != 0),
                           fill_batch, &w);
    (void)memory;
    if (call->count != NULL)
        *call->count = kept + arrived;
}
