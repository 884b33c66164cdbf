/*
 * Packs a tile's items on the host.
 *
 * The vector loops write whole vectors, and another thread's survivors may
 * follow a tile's. So the last survivors are packed into a buffer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tile_host.h"

#include <string.h>

enum {
    PAIR = 64 /* items of two words: as many as loops may write past the end */
};

winnow__host_items winnow__host_items_of(const winnow__host_loops *loops,
                                         const winnow__selection *from,
                                         uint64_t tile, const void *in,
                                         size_t bytes) {
    const uint64_t first = tile * WINNOW__SELECTION_TILE;
    const unsigned items = winnow__tile_items(from, tile);
    const uint64_t behind = items != 0 ? from->n - first - items : 0;
    return (winnow__host_items){
        .loops = loops,
        .words = from->keep + tile * WINNOW__SELECTION_WORDS,
        .first = first,
        .in = in == NULL ? NULL : (const unsigned char *)in + first * bytes,
        .n = items,
        .kept = from->counts[tile],
        .bytes = bytes,
        .ahead = winnow__host_ahead(behind * bytes),
        .own = from->counts[tile]};
}

/* --------------------------------------------------------------- by vectors */

static uint64_t pack_words(const winnow__host_items *items, unsigned log2_size,
                           unsigned start, unsigned n, void *out) {
    const uint32_t *const words = items->words + start / 32;
    return items->in == NULL
               ? items->loops->index_words[log2_size == 3](
                     words, n, items->first + start, out)
               : items->loops->pack_words[log2_size](
                     words, items->in + ((size_t)start << log2_size), n,
                     items->ahead, out);
}

/* The number of items, in whole pairs of words, that loops may pack into the
 * output itself. The later elements of this thread have to cover what loops may
 * write past the end. */
static unsigned direct_items(const winnow__host_items *items) {
    uint64_t own = items->own - items->kept; /* elements after the tile */
    unsigned n = items->n / PAIR * PAIR;
    for (; n != 0; n -= PAIR) {
        own += items->loops->ones(&items->words[n / 32 - 2], 2);
        if (own >= PAIR)
            break;
    }
    return n;
}

static void pack_many(const winnow__host_items *items, unsigned log2_size,
                      unsigned char *out) {
    _Alignas(64) unsigned char last[2 * PAIR * sizeof(uint64_t)];
    const unsigned direct = direct_items(items);
    const uint64_t kept = pack_words(items, log2_size, 0, direct, out);
    pack_words(items, log2_size, direct, items->n - direct, last);
    memcpy(out + (kept << log2_size), last, (items->kept - kept) << log2_size);
}

/* --------------------------------------------------------------- one by one */

bool winnow__host_are_few(const winnow__host_items *items) {
    const bool portable = items->loops->isa == WINNOW__HOST_PORTABLE;
    return items->kept <=
           items->n / (portable ? WINNOW__HOST_FEW_PORTABLE : WINNOW__HOST_FEW);
}

void winnow__host_list(const winnow__host_items *items, uint32_t *places) {
    items->loops->index_words[0](items->words, items->n, 0, places);
}

void winnow__host_fetch(const winnow__host_items *items) {
    for (unsigned i = 0; i < items->kept; i++)
        __builtin_prefetch(items->in + items->places[i] * items->bytes);
}

/* `bytes` is a constant in each call. */
static inline void pack_listed(const winnow__host_items *items,
                               unsigned char *out, size_t bytes) {
    for (unsigned i = 0; i < items->kept; i++)
        memcpy(out + i * bytes, items->in + items->places[i] * bytes, bytes);
}

static void pack_one_by_one(const winnow__host_items *items,
                            unsigned char *out) {
    winnow__host_items listed = *items;
    uint32_t places[WINNOW__SELECTION_TILE + PAIR];
    if (items->places == NULL) {
        winnow__host_list(items, places);
        listed.places = places;
    }
    switch (items->bytes) {
#define CASE(BYTES)                                                            \
    case BYTES:                                                                \
        pack_listed(&listed, out, BYTES);                                      \
        break;
        WINNOW__HOST_CONSTANT_SIZES(CASE)
#undef CASE
    }
}

/* ------------------------------------------------------------------ by runs */

/* The first kept item from i on; with flip ~0 the first one that is not kept. */
static unsigned next(const winnow__host_items *items, unsigned i,
                     uint32_t flip) {
    while (i < items->n) {
        const uint32_t bits = (items->words[i / 32] ^ flip) >> i % 32;
        if (bits != 0)
            return i + (unsigned)__builtin_ctz(bits);
        i = (i / 32 + 1) * 32;
    }
    return items->n;
}

/* Copy runs of kept items. */
static void pack_runs(const winnow__host_items *items, unsigned char *out) {
    unsigned end;
    for (unsigned start = next(items, 0, 0); start < items->n;
         start = next(items, end, 0)) {
        end = next(items, start, UINT32_MAX);
        if (end > items->n)
            end = items->n;
        winnow__host_copy_bytes(out, items->in + start * items->bytes,
                                (end - start) * items->bytes);
        out += (end - start) * items->bytes;
    }
}

/* How are elements of a size packed if not all are kept? */
static bool is_number(size_t bytes) {
    return bytes <= 8 && (bytes & (bytes - 1)) == 0;
}

static bool is_constant(size_t bytes) {
#define CASE(BYTES) bytes == BYTES ||
    return WINNOW__HOST_CONSTANT_SIZES(CASE) false;
#undef CASE
}

static void pack_all(const winnow__host_items *items, unsigned char *out) {
    if (items->kept == items->n && items->in != NULL)
        winnow__host_copy_bytes(out, items->in, items->n * items->bytes);
    else if (is_number(items->bytes) &&
             (items->in == NULL || !winnow__host_are_few(items)))
        pack_many(items, (unsigned)__builtin_ctzll(items->bytes), out);
    else if (is_constant(items->bytes))
        pack_one_by_one(items, out);
    else
        pack_runs(items, out);
}

/* Keep only the first `room` survivors. */
static void cut(const uint32_t *words, uint64_t room,
                uint32_t some[WINNOW__SELECTION_WORDS]) {
    memset(some, 0, WINNOW__SELECTION_WORDS * sizeof some[0]);
    for (unsigned w = 0; room != 0; w++)
        for (uint32_t bits = words[w]; bits != 0 && room != 0;
             bits &= bits - 1, room--)
            some[w] |= bits & -bits;
}

void winnow__host_pack_items(const winnow__host_items *items, void *out,
                             uint64_t room) {
    if (room >= items->kept) {
        pack_all(items, out);
        return;
    }
    uint32_t words[WINNOW__SELECTION_WORDS];
    winnow__host_items some = *items;
    cut(items->words, room, words);
    some.words = words;
    some.kept = (unsigned)room;
    some.own = room;
    pack_all(&some, out);
}
