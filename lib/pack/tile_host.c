/*
 * Packing a tile's items on the host.
 *
 * The vector loops write whole vectors, and another thread's survivors may lie
 * behind a tile's. So they pack into a buffer, which stays in the caches.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "tile_host.h"

#include <string.h>

enum {
    BUFFER = 8192, /* bytes: an item of 8 fills it by a quarter of a tile */
    /* Where one item of these, or fewer, is kept, survivors are taken one by
     * one. The portable loops take as long for every item. */
    FEW = 48,
    FEW_PORTABLE = 4
};

winnow__host_items winnow__host_items_of(const winnow__host_task *task,
                                         const winnow__selection *from,
                                         uint64_t tile, const void *in,
                                         size_t bytes) {
    const uint64_t first = tile * WINNOW__SELECTION_TILE;
    const uint64_t left = first < task->n ? task->n - first : 0;
    const unsigned items =
        left < WINNOW__SELECTION_TILE ? (unsigned)left : WINNOW__SELECTION_TILE;
    return (winnow__host_items){
        .loops = task->loops,
        .words = from->keep + tile * WINNOW__SELECTION_WORDS,
        .first = first,
        .in = in == NULL ? NULL : (const unsigned char *)in + first * bytes,
        .n = items,
        .kept = (unsigned)(from->before[tile + 1] - from->before[tile]),
        .bytes = bytes,
        .ahead = winnow__host_ahead((left - items) * bytes),
        .streamed = task->n * bytes > task->streamed_bytes};
}

static void put(const winnow__host_items *items, void *out, const void *packed,
                uint64_t number) {
    if (items->streamed)
        winnow__host_stream(out, packed, number * items->bytes);
    else
        memcpy(out, packed, number * items->bytes);
}

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

static void pack_many(const winnow__host_items *items, unsigned log2_size,
                      unsigned char *out, uint64_t room) {
    _Alignas(64) unsigned char buffer[BUFFER];
    const unsigned step = BUFFER >> log2_size;
    for (unsigned first = 0; first < items->n && room != 0; first += step) {
        const unsigned left = items->n - first;
        uint64_t kept = pack_words(items, log2_size, first,
                                   left < step ? left : step, buffer);
        if (kept > room)
            kept = room;
        put(items, out, buffer, kept);
        out += kept << log2_size;
        room -= kept;
    }
}

/* `bytes` is a constant where it is called. */
static inline void pack_few(const winnow__host_items *items, unsigned char *out,
                            uint64_t room, size_t bytes) {
    const unsigned char *in = items->in;
    for (const uint32_t *word = items->words; room != 0;
         word++, in += 32 * bytes)
        for (uint32_t bits = *word; bits != 0 && room != 0;
             bits &= bits - 1, room--, out += bytes)
            memcpy(out, in + (unsigned)__builtin_ctz(bits) * bytes, bytes);
}

static void index_few(const winnow__host_items *items, unsigned char *out,
                      uint64_t room) {
    uint64_t index = items->first; /* its low bytes are the narrower one */
    for (const uint32_t *word = items->words; room != 0; word++, index += 32)
        for (uint32_t bits = *word; bits != 0 && room != 0;
             bits &= bits - 1, room--, out += items->bytes) {
            const uint64_t here = index + (unsigned)__builtin_ctz(bits);
            if (items->bytes == sizeof here)
                memcpy(out, &here, sizeof here);
            else
                memcpy(out, &(uint32_t){(uint32_t)here}, sizeof(uint32_t));
        }
}

/* The first item from i on that is kept; with flip ~0, that is not. */
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

/* Neighbours together. */
static void pack_runs(const winnow__host_items *items, unsigned char *out,
                      uint64_t room) {
    for (unsigned i = 0; room != 0;) {
        const unsigned start = next(items, i, 0);
        uint64_t run;
        i = next(items, start, UINT32_MAX);
        run = i - start < room ? i - start : room;
        memcpy(out, items->in + start * items->bytes, run * items->bytes);
        out += run * items->bytes;
        room -= run;
    }
}

static bool are_few(const winnow__host_items *items) {
    const bool portable = items->loops->isa == WINNOW__HOST_PORTABLE;
    return items->kept <= items->n / (portable ? FEW_PORTABLE : FEW);
}

void winnow__host_pack_items(const winnow__host_items *items, void *out,
                             uint64_t room) {
    const size_t bytes = items->bytes;
    const bool is_number = bytes <= 8 && (bytes & (bytes - 1)) == 0;
    if (room > items->kept)
        room = items->kept;
    if (room == 0)
        return;
    if (items->kept == items->n && items->in != NULL)
        put(items, out, items->in, room);
    else if (is_number && !are_few(items))
        pack_many(items, (unsigned)__builtin_ctzll(bytes), out, room);
    else if (items->in == NULL)
        index_few(items, out, room);
    else
        switch (bytes) {
#define CASE(BYTES)                                                            \
    case BYTES:                                                                \
        pack_few(items, out, room, BYTES);                                     \
        break;
            WINNOW__HOST_CONSTANT_SIZES(CASE)
#undef CASE
        default:
            pack_runs(items, out, room);
        }
}
