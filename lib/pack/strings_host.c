/*
 * Packs strings on the host.
 *
 * A pass over the tiles sums the bytes of each tile's survivors. So it is known
 * where each tile's output begins, and threads pack tiles in any order. A
 * single thread needs no such pass: it takes the tiles in order.
 *
 * Short strings are copied as 16 or 32 bytes, whatever their length; the next
 * strings overwrite the surplus. The last ones are copied exactly, so that no
 * byte is written behind a tile's output or read behind the input. Adjacent
 * survivors with adjacent bytes are copied together.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "strings.h"

#include "tile_host.h"

#include <string.h>

enum {
    TILE = WINNOW__SELECTION_TILE,
    WORDS = WINNOW__SELECTION_WORDS,
    /* Strings whose places are found before the first is copied. */
    BATCH = 256,
    /* The bytes of one vector, and of two. */
    SHORT = 16,
    MEDIUM = 32
};

/* For functions with an argument `wide`, which is a constant in each call. */
#define WINNOW__ALWAYS_INLINE static inline __attribute__((always_inline))

typedef struct pack_work {
    const winnow__host_task *task;
    const winnow__selection *from;
    const winnow__string_packing *packing;
    uint64_t *sums; /* bytes of each tile's survivors; later, before it */
} pack_work;

/* A position in the output. */
typedef struct place {
    uint64_t rank;  /* strings before it */
    uint64_t bytes; /* bytes of these */
} place;

/* Sums cannot overflow: they stop at the largest offset. */
static uint64_t add(uint64_t a, uint64_t b) {
    const uint64_t sum = a + b;
    return sum < INT64_MAX ? sum : INT64_MAX;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

WINNOW__ALWAYS_INLINE uint64_t load(const winnow__string_packing *p, uint64_t i,
                                    bool wide) {
    return wide ? ((const uint64_t *)p->offsets)[i]
                : ((const uint32_t *)p->offsets)[i];
}

WINNOW__ALWAYS_INLINE void store(const winnow__string_packing *p, uint64_t i,
                                 uint64_t value, bool wide) {
    if (wide)
        ((uint64_t *)p->out_offsets)[i] = value;
    else
        ((uint32_t *)p->out_offsets)[i] = (uint32_t)value;
}

/* The length of item i; *begin_p: where it begins. */
WINNOW__ALWAYS_INLINE uint64_t length_of(const winnow__string_packing *p,
                                         uint64_t i, uint64_t *begin_p,
                                         bool wide) {
    const uint64_t begin = least(load(p, i, wide), p->size);
    const uint64_t end = least(load(p, i + 1, wide), p->size);
    *begin_p = begin;
    return end > begin ? end - begin : 0;
}

/* --------------------------------------------------------------------- sums */

WINNOW__ALWAYS_INLINE uint64_t sum_tile(const pack_work *work, uint64_t tile,
                                        bool wide) {
    const uint32_t *const words = work->from->keep + tile * WORDS;
    uint64_t sum = 0, begin;
    for (unsigned w = 0; w < WORDS; w++) {
        const uint64_t first = tile * TILE + w * 32;
        if (words[w] == UINT32_MAX) {
            for (unsigned i = 0; i < 32; i++)
                sum += length_of(work->packing, first + i, &begin, wide);
            continue;
        }
        for (uint32_t keep = words[w]; keep != 0; keep &= keep - 1)
            sum +=
                length_of(work->packing, first + (unsigned)__builtin_ctz(keep),
                          &begin, wide);
    }
    return sum; /* at most 2^12 lengths of at most 2^48 */
}

static void sum_any_tile(void *argument, uint64_t tile) {
    const pack_work *const work = argument;
    work->sums[tile] = work->packing->is_wide ? sum_tile(work, tile, true)
                                              : sum_tile(work, tile, false);
}

/* ---------------------------------------------------------------- one by one */

/* Copy a string. `own` bytes of `to` may be overwritten with anything, and
 * `readable` bytes of `from` may be read. */
static inline void copy_string(unsigned char *to, const unsigned char *from,
                               uint64_t bytes, uint64_t own,
                               uint64_t readable) {
    const uint64_t both = least(own, readable);
    if (bytes <= SHORT && both >= SHORT) {
        memcpy(to, from, SHORT);
    } else if (bytes <= MEDIUM && both >= MEDIUM) {
        memcpy(to, from, SHORT);
        memcpy(to + SHORT, from + SHORT, SHORT);
    } else {
        memcpy(to, from, bytes);
    }
}

typedef struct found_string {
    uint64_t begin, bytes;
} found_string;

/* Pack `number` strings, at most BATCH. `places` are counted from `first`. */
WINNOW__ALWAYS_INLINE void pack_batch(const winnow__string_packing *p,
                                      uint64_t first, const uint32_t *places,
                                      unsigned number, bool fetched, place *at,
                                      bool wide) {
    found_string found[BATCH];
    uint64_t end = at->bytes;
    for (unsigned j = 0; j < number; j++) {
        found[j].bytes = length_of(p, first + places[j], &found[j].begin, wide);
        end = add(end, found[j].bytes);
        if (fetched && p->out != NULL && found[j].bytes != 0)
            __builtin_prefetch(p->data + found[j].begin);
    }
    /* If a capacity cuts them, each string is copied exactly. */
    const uint64_t own =
        p->capacity - at->rank >= number && end <= p->room ? end : at->bytes;
    for (unsigned j = 0; j < number; j++) {
        const uint64_t bytes = found[j].bytes;
        const uint64_t begin = at->bytes;
        at->bytes = add(begin, bytes);
        if (at->rank >= p->capacity)
            continue;
        at->rank++;
        store(p, at->rank, least(at->bytes, p->room), wide);
        if (p->out != NULL && bytes != 0 && begin < p->room)
            copy_string(p->out + begin, p->data + found[j].begin,
                        least(bytes, p->room - begin),
                        own > begin ? own - begin : 0,
                        p->size - found[j].begin);
    }
}

WINNOW__ALWAYS_INLINE void pack_words(const pack_work *work, uint64_t first,
                                      const uint32_t *words, unsigned number,
                                      place *at, bool wide) {
    const winnow__string_packing *const p = work->packing;
    uint32_t places[TILE + 64]; /* lists write past the end */
    const unsigned kept = (unsigned)work->task->loops->index_words[0](
        words, number * 32, 0, places);
    const bool few = kept <= number * 32 / WINNOW__HOST_FEW;
    for (unsigned j = 0; few && j < kept; j++)
        __builtin_prefetch((const char *)p->offsets +
                           (first + places[j]) * (wide ? 8 : 4));
    for (unsigned j = 0; j < kept; j += BATCH)
        pack_batch(p, first, places + j, kept - j < BATCH ? kept - j : BATCH,
                   few, at, wide);
}

/* ------------------------------------------------------------------ together */

/* Pack `number` items, all kept, at once if their bytes are contiguous and
 * there is room for them. */
WINNOW__ALWAYS_INLINE bool pack_whole(const winnow__string_packing *p,
                                      uint64_t first, unsigned number,
                                      place *at, bool wide) {
    const uint64_t begin = load(p, first, wide);
    const uint64_t end = load(p, first + number, wide);
    unsigned descends = 0;
    for (unsigned i = 0; i < number; i++)
        descends |= load(p, first + i + 1, wide) < load(p, first + i, wide);
    if (descends || end > p->size || end - begin > p->room ||
        at->bytes > p->room - (end - begin) || p->capacity - at->rank < number)
        return false;
    for (unsigned i = 1; i <= number; i++)
        store(p, at->rank + i, load(p, first + i, wide) - begin + at->bytes,
              wide);
    if (p->out != NULL && end != begin)
        memcpy(p->out + at->bytes, p->data + begin, end - begin);
    at->rank += number;
    at->bytes += end - begin;
    return true;
}

static bool is_whole(const uint32_t *pair) {
    return (pair[0] & pair[1]) == UINT32_MAX;
}

/* How many words from w on are full (`whole`), or are not. Words are taken in
 * pairs, since the loops that list items need pairs. */
static unsigned run_of(const uint32_t *words, unsigned w, bool whole) {
    unsigned end = w;
    while (end < WORDS && is_whole(words + end) == whole)
        end += 2;
    return end - w;
}

WINNOW__ALWAYS_INLINE void pack_tile(const pack_work *work, uint64_t tile,
                                     place *at, bool wide) {
    const uint32_t *const words = work->from->keep + tile * WORDS;
    for (unsigned w = 0; w < WORDS;) {
        const bool whole = is_whole(words + w);
        const unsigned number = run_of(words, w, whole);
        const uint64_t first = tile * TILE + w * 32;
        if (!whole || !pack_whole(work->packing, first, number * 32, at, wide))
            pack_words(work, first, words + w, number, at, wide);
        w += number;
    }
}

static void pack_any_tile(const pack_work *work, uint64_t tile, place *at) {
    if (work->from->counts[tile] == 0)
        return;
    if (work->packing->is_wide)
        pack_tile(work, tile, at, true);
    else
        pack_tile(work, tile, at, false);
}

static void pack_placed_tile(void *argument, uint64_t tile) {
    const pack_work *const work = argument;
    place at = {.rank =
                    least(work->from->before[tile], work->packing->capacity),
                .bytes = work->sums[tile]};
    pack_any_tile(work, tile, &at);
}

/* ------------------------------------------------------------------ the call */

size_t winnow__strings_host_bytes(const winnow__query *query) {
    return (query->n / TILE + 1) * 16;
}

/* Turn the tiles' sums into the bytes before each tile; returns the total. */
static uint64_t scan(uint64_t *sums, uint64_t tiles) {
    uint64_t before = 0;
    for (uint64_t tile = 0; tile < tiles; tile++) {
        const uint64_t sum = sums[tile];
        sums[tile] = before;
        before = add(before, sum);
    }
    return before;
}

void winnow__pack_strings_on_host(const winnow__call *call,
                                  const winnow__host_task *task,
                                  const winnow__selection *from, void *memory) {
    const winnow__string_packing packing = winnow__string_packing_of(call);
    pack_work work = {
        .task = task, .from = from, .packing = &packing, .sums = memory};
    place at = {0};
    if (packing.is_wide)
        store(&packing, 0, 0, true);
    else
        store(&packing, 0, 0, false);
    if (winnow__tile_threads(task, from->tiles) < 2) {
        for (uint64_t tile = 0; tile < from->tiles; tile++)
            pack_any_tile(&work, tile, &at);
    } else {
        winnow__host_each_tile(task, from->tiles, sum_any_tile, &work);
        at.bytes = scan(work.sums, from->tiles);
        winnow__host_each_tile(task, from->tiles, pack_placed_tile, &work);
    }
    if (call->count != NULL) {
        call->count[0] = from->before[from->tiles];
        call->count[1] = at.bytes;
    }
}
