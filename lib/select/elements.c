/*
 * Contiguous elements are tested where they are. Others are gathered first, a block
 * at a time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "elements.h"

#include <string.h>

enum {
    BLOCK = 512 /* items gathered together; whole words */
};

winnow__where_column winnow__elements(const void *first, uint64_t stride,
                                      unsigned log2_size) {
    const uint64_t size = UINT64_C(1) << log2_size;
    const uintptr_t address = (uintptr_t)first;
    const bool aligned = address % size == 0 && stride % size == 0;
    const bool vectors = stride == size && address % 16 == 0;
    return (winnow__where_column){.first = first,
                                  .stride = stride,
                                  .log2_size = (uint8_t)log2_size,
                                  .access = vectors   ? WINNOW__BY_VECTORS
                                            : aligned ? WINNOW__BY_ELEMENTS
                                                      : WINNOW__BY_BYTES};
}

winnow__where_column winnow__bits(const void *start, uint64_t offset) {
    return (winnow__where_column){
        .first = (const unsigned char *)((uintptr_t)start + offset / 8),
        .access = WINNOW__BY_BITS,
        .skip = (uint8_t)(offset % 8)};
}

/* ------------------------------------------------------------------- tests */

winnow__test_kind winnow__kind_of_test(const winnow__test *test,
                                       unsigned log2_size) {
    const uint64_t full = UINT64_MAX >> (64 - (8u << log2_size));
    if (test->flip != 0)
        return WINNOW__KEYED;
    return (test->mask & full) == full ? WINNOW__INTERVAL : WINNOW__BITS;
}

static void ask(const winnow__host_loops *loops, unsigned log2_size,
                const winnow__question *asked, const void *in, unsigned items,
                size_t ahead, const uint32_t *wanted, uint32_t *words) {
    if (asked->set != NULL) {
        const winnow__lookup *const lookup = &asked->set->lookup;
        loops->look_up->in[log2_size][lookup->kind](lookup, in, items, ahead,
                                                    wanted, words);
        return;
    }
    for (unsigned t = 0; t < asked->number; t++) {
        const winnow__test *const test = &asked->tests[t];
        loops->bits[log2_size][winnow__kind_of_test(test, log2_size)](
            test, in, items, ahead, words);
        ahead = 0; /* already prefetched */
    }
}

/* ------------------------------------------------------- bringing together */

/* Gather the wanted ones of 32 items. */
static inline __attribute__((always_inline)) void
gather_word(uintptr_t from, uint64_t stride, uint32_t wanted, size_t size,
            unsigned char *to) {
    if (wanted == UINT32_MAX)
        for (unsigned i = 0; i < 32; i++)
            memcpy(to + i * size, (const void *)(from + i * stride), size);
    else
        for (; wanted != 0; wanted &= wanted - 1) {
            const unsigned i = (unsigned)__builtin_ctz(wanted);
            memcpy(to + i * size, (const void *)(from + i * stride), size);
        }
}

static void gather(const winnow__where_column *column, uint64_t first,
                   unsigned items, const uint32_t *wanted, unsigned char *to) {
    for (unsigned start = 0; start < items; start += 32) {
        const uint32_t inside = winnow__bits_inside(start, items);
        const uint32_t some =
            wanted != NULL ? wanted[start / 32] & inside : inside;
        const uint64_t stride = column->stride;
        const uintptr_t from =
            (uintptr_t)column->first + (first + start) * stride;
        unsigned char *const at = to + ((size_t)start << column->log2_size);
        switch (column->log2_size) {
        case 0:
            gather_word(from, stride, some, 1, at);
            break;
        case 1:
            gather_word(from, stride, some, 2, at);
            break;
        case 2:
            gather_word(from, stride, some, 4, at);
            break;
        default:
            gather_word(from, stride, some, 8, at);
        }
    }
}

static void ask_gathered(const winnow__host_loops *loops,
                         const winnow__where_column *column,
                         const winnow__question *asked,
                         const winnow__span *span, const uint32_t *wanted,
                         uint32_t *words) {
    _Alignas(64) unsigned char room[BLOCK * sizeof(uint64_t)] = {0};
    for (unsigned start = 0; start < span->items; start += BLOCK) {
        const unsigned left = span->items - start;
        const unsigned items = left < BLOCK ? left : BLOCK;
        const uint32_t *const some =
            wanted != NULL ? wanted + start / 32 : NULL;
        gather(column, span->first + start, items, some, room);
        ask(loops, column->log2_size, asked, room, items, 0, some,
            words + start / 32);
    }
}

void winnow__ask_elements(const winnow__host_loops *loops,
                          const winnow__where_column *column,
                          const winnow__question *asked,
                          const winnow__span *span, const uint32_t *wanted,
                          uint32_t *words) {
    const unsigned log2_size = column->log2_size;
    const uint64_t left = span->all - span->first - span->items;
    if (column->stride != UINT64_C(1) << log2_size ||
        column->access == WINNOW__BY_BYTES) {
        ask_gathered(loops, column, asked, span, wanted, words);
        return;
    }
    /* A small part of a tile is not followed by the next tile. */
    const bool go_on = span->items >= WINNOW__SELECTION_TILE / 2;
    ask(loops, log2_size, asked, column->first + (span->first << log2_size),
        span->items, go_on ? winnow__host_ahead(left << log2_size) : 0, wanted,
        words);
}

/* -------------------------------------------------------------------- bits */

/* 32 bits from bit `skip` of a byte on. Only `bytes` bytes can be read. */
static uint32_t last_bits(const unsigned char *from, uint64_t bytes,
                          unsigned skip) {
    uint64_t bits = 0;
    memcpy(&bits, from, bytes < 5 ? bytes : 5); /* little-endian */
    return (uint32_t)(bits >> skip);
}

void winnow__read_bits(const winnow__where_column *column, unsigned array,
                       const winnow__span *span, uint32_t *words) {
    const unsigned skip = column->skip;
    const unsigned char *const from =
        column->first + array * column->stride + span->first / 8;
    /* The bytes of all items from the first one on. */
    const uint64_t bytes = (skip + span->all - span->first + 7) / 8;
    const unsigned number = (span->items + 31) / 32;
    unsigned whole = bytes < sizeof(uint64_t) ? 0
                     : (bytes - sizeof(uint64_t)) / 4 + 1 < number
                         ? (unsigned)((bytes - sizeof(uint64_t)) / 4 + 1)
                         : number;
    for (unsigned w = 0; w < whole; w++) {
        uint64_t bits;
        memcpy(&bits, from + 4 * w, sizeof bits);
        words[w] = (uint32_t)(bits >> skip);
    }
    for (; whole < number; whole++)
        words[whole] = last_bits(from + 4 * whole, bytes - 4 * whole, skip);
}
