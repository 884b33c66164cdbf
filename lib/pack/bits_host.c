/*
 * Columns of bits on the host.
 *
 * The bits of some tiles are packed in a buffer, from the bit of its first byte
 * where they will be in the output. Bytes that belong to these tiles alone are
 * then copied. A byte at either end may have bits of other tiles, which other
 * threads write, and bits outside the output. Threads change such a byte by two
 * atomic operations, which change only their own bits: AND clears those that
 * are 0, OR sets those that are 1. So the order of threads does not matter, and
 * nothing needs to be cleared before. The operations are relaxed: the thread
 * that reads the output has waited for the team.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bits.h"

#include <string.h>

enum {
    TILE = WINNOW__SELECTION_TILE,
    PAIRS = TILE / 64,
    /* Tiles that are packed together. An atomic operation waits for all earlier
     * stores, which takes as long as packing one tile of bits. */
    CHUNK = 16
};

/* A mask of the lowest `number` bits of a byte. */
static unsigned char low_bits(uint64_t number) {
    return number < 8 ? (unsigned char)((1u << number) - 1) : 0xff;
}

/* Write the bits of a byte that are set in the mask. */
static void merge(unsigned char *byte, unsigned char bits, unsigned char mask) {
    (void)__atomic_fetch_and(byte, (unsigned char)(bits | ~mask),
                             __ATOMIC_RELAXED);
    (void)__atomic_fetch_or(byte, (unsigned char)(bits & mask),
                            __ATOMIC_RELAXED);
}

/* Write `number` bits, from bit `bit` of `start` on. In `from` they begin at
 * bit `bit` % 8. */
static void put(unsigned char *start, uint64_t bit, const unsigned char *from,
                uint64_t number) {
    unsigned char *const to = start + bit / 8;
    const unsigned at = bit % 8;
    const uint64_t end = at + number, last = end / 8;
    uint64_t i = 0;
    if (number == 0)
        return;
    if (at != 0) {
        merge(to, from[0], (unsigned char)(low_bits(end) & ~low_bits(at)));
        i = 1;
    }
    if (last > i)
        memcpy(to + i, from + i, last - i);
    if (last >= i && end % 8 != 0)
        merge(to + last, from[last], low_bits(end % 8));
}

/* -------------------------------------------------------------------- pack */

typedef struct pack_work {
    const winnow__host_task *task;
    const winnow__selection *from;
    const winnow__bit_packing *packing;
} pack_work;

/* Pack consecutive tiles, at most CHUNK. */
static void pack_chunk(const pack_work *work, uint64_t first, uint64_t end) {
    const winnow__bit_packing *const p = work->packing;
    uint64_t before = work->from->before[first], number = 0, items = 0;
    uint64_t buffer[CHUNK * PAIRS + 2];
    for (uint64_t tile = first; tile < end; tile++) {
        number += work->from->counts[tile];
        items += winnow__tile_items(work->from, tile);
    }
    if (p->rejects) {
        before = first * TILE - before;
        number = items - number;
    }
    if (number == 0 || before >= p->room)
        return;
    const winnow__bit_source source = {.start = p->in.start,
                                       .first = p->in.skip + first * TILE,
                                       .number = items};
    const uint64_t bit = p->out.skip + before;
    number = work->task->bit_loops->pack(
        work->from->keep + first * WINNOW__SELECTION_WORDS,
        p->rejects ? UINT32_MAX : 0, &source, bit % 8, buffer);
    put(p->out.start, bit, (const unsigned char *)buffer,
        number < p->room - before ? number : p->room - before);
}

static void pack_tiles(void *argument, uint64_t first, uint64_t end) {
    for (uint64_t tile = first; tile < end; tile += CHUNK)
        pack_chunk(argument, tile, tile + CHUNK < end ? tile + CHUNK : end);
}

void winnow__host_pack_bits_of_tiles(const winnow__host_task *task,
                                     const winnow__selection *from,
                                     const winnow__bit_packing *packing,
                                     uint64_t first, uint64_t end) {
    pack_work work = {.task = task, .from = from, .packing = packing};
    pack_tiles(&work, first, end);
}

void winnow__host_pack_bits_of(const winnow__host_task *task,
                               const winnow__selection *from,
                               const winnow__bit_packing *packing) {
    pack_work work = {.task = task, .from = from, .packing = packing};
    if (packing->room != 0 && task->n != 0)
        winnow__host_each_tiles(task, (task->n + TILE - 1) / TILE, pack_tiles,
                                &work);
}

/* -------------------------------------------------------------------- copy */

typedef struct copy_work {
    winnow__bits in, out;
    uint64_t end; /* counted from bit 0 of the first byte */
} copy_work;

/* Copies as many bits as a tile has items. The part begins at a whole byte. */
static void copy_part(void *argument, uint64_t part) {
    const copy_work *const work = argument;
    const uint64_t first = part == 0 ? work->out.skip : part * TILE;
    const uint64_t next = (part + 1) * TILE;
    put(work->out.start, first, work->in.start + first / 8,
        (next < work->end ? next : work->end) - first);
}

void winnow__host_copy_bits(const winnow__host_task *task, winnow__bits in,
                            winnow__bits out, uint64_t number) {
    copy_work work = {.in = in, .out = out, .end = out.skip + number};
    if (number != 0)
        winnow__host_each_tile(task, (work.end + TILE - 1) / TILE, copy_part,
                               &work);
}

/* ------------------------------------------------------------------ expand */

typedef struct spread_work {
    const winnow__host_task *task;
    const winnow__selection *from;
    const winnow__bit_spread *spread;
} spread_work;

/* Write those of the first `number` bits at `to`, at most 64, that are set in
 * the mask. The first and the last byte may contain bits of other tiles. */
static void put_word(unsigned char *to, uint64_t bits, uint64_t mask,
                     unsigned number, bool shares_first, bool shares_last) {
    unsigned first = 0, end = (number + 7) / 8;
    uint64_t old = 0;
    if (shares_first) {
        merge(to, (unsigned char)bits, (unsigned char)mask);
        first = 1;
    }
    if (shares_last && first < end) {
        end--;
        merge(to + end, (unsigned char)(bits >> 8 * end),
              (unsigned char)(mask >> 8 * end));
    }
    if (first >= end)
        return;
    bits >>= 8 * first;
    mask >>= 8 * first;
    if (mask != UINT64_MAX)
        memcpy(&old, to + first, end - first); /* little-endian */
    old = (old & ~mask) | (bits & mask);
    memcpy(to + first, &old, end - first);
}

/* Writes bits word by word, from bit `skip` of a byte on. */
typedef struct bit_writer {
    unsigned char *to;
    unsigned skip;
    uint64_t bits, mask; /* the lowest `skip` bits of the next word */
    bool shares;         /* the first byte has bits of the tile before */
} bit_writer;

/* Append `number` bits: 64, except in the last call. */
static void write_bits(bit_writer *w, uint64_t bits, uint64_t mask,
                       unsigned number, bool is_last) {
    const unsigned all = w->skip + number;
    const unsigned own = all < 64 ? all : 64;
    const bool ends = is_last && all % 8 != 0;
    put_word(w->to, bits << w->skip | w->bits, mask << w->skip | w->mask, own,
             w->shares, ends && all <= 64);
    w->to += 8;
    w->shares = false;
    if (w->skip == 0)
        return;
    w->bits = bits >> (64 - w->skip);
    w->mask = mask >> (64 - w->skip);
    if (is_last && all > 64)
        put_word(w->to, w->bits, w->mask, all - 64, false, ends);
}

static void spread_tile(void *argument, uint64_t tile) {
    const spread_work *const work = argument;
    const winnow__bit_spread *const s = work->spread;
    const uint32_t *const keep =
        work->from->keep + tile * WINNOW__SELECTION_WORDS;
    const unsigned items = winnow__tile_items(work->from, tile);
    const uint64_t before = work->from->before[tile];
    const uint64_t kept = work->from->before[tile + 1] - before;
    const uint64_t left = before < s->available ? s->available - before : 0;
    const winnow__bit_source source = {.start = s->in.start,
                                       .first = s->in.skip + before,
                                       .number = kept < left ? kept : left};
    const winnow__bits out = winnow__bits_from(s->out, tile * TILE);
    bit_writer writer = {
        .to = out.start, .skip = out.skip, .shares = out.skip != 0};
    uint64_t masks[PAIRS], values[PAIRS];
    work->task->bit_loops->spread(keep, (items + 63) / 64, &source, masks,
                                  values);
    for (unsigned i = 0; i < items; i += 64) {
        const unsigned number = items - i < 64 ? items - i : 64;
        const uint64_t inside = UINT64_MAX >> (64 - number);
        uint64_t pair, mask = masks[i / 64], bits = values[i / 64];
        memcpy(&pair, keep + i / 32, sizeof pair); /* little-endian */
        if (s->fill != WINNOW__FILL_NONE)
            mask |= ~pair;
        if (s->fill == WINNOW__FILL_ONES)
            bits |= ~pair;
        write_bits(&writer, bits, mask & inside, number, i + 64 >= items);
    }
}

void winnow__host_spread_bits_of(const winnow__host_task *task,
                                 const winnow__selection *from,
                                 const winnow__bit_spread *spread) {
    spread_work work = {.task = task, .from = from, .spread = spread};
    if (task->n != 0)
        winnow__host_each_tile(task, (task->n + TILE - 1) / TILE, spread_tile,
                               &work);
}
