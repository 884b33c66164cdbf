/*
 * Packs or tests a tile's items by the words of a selection, on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "rows.h"

/* Element sizes, in bytes, for which copies are compiled with a constant size. */
#define WINNOW__HOST_CONSTANT_SIZES(CASE)                                      \
    CASE(1) CASE(2) CASE(4) CASE(8) CASE(12) CASE(16) CASE(24) CASE(32)
#define WINNOW__HOST_MOST_CONSTANT 32

enum {
    /* If at most one of this many items is kept, survivors are copied one by
     * one. The portable loops are as fast for any number of survivors. */
    WINNOW__HOST_FEW = 12,
    WINNOW__HOST_FEW_PORTABLE = 8,
    /* Room for the places of few survivors, and for what lists write past the end. */
    WINNOW__HOST_PLACES =
        WINNOW__SELECTION_TILE / WINNOW__HOST_FEW_PORTABLE + 64
};

typedef struct winnow__host_items {
    const winnow__host_loops *loops;
    const uint32_t *words;   /* of the tile; bits from n on are ignored */
    uint64_t first;          /* the index of the tile's first item */
    const unsigned char *in; /* that item; NULL: indices are packed */
    unsigned n, kept;
    size_t bytes; /* of an item, or an index */
    size_t ahead; /* how far ahead the input is prefetched */
    /* Elements of the output that only this thread writes, starting with the
     * tile's: at least `kept`. */
    uint64_t own;
    const uint32_t *places; /* from winnow__host_list(), or NULL */
} winnow__host_items;

/* The items of a tile. in: item 0, or NULL. */
winnow__host_items winnow__host_items_of(const winnow__host_loops *loops,
                                         const winnow__selection *from,
                                         uint64_t tile, const void *in,
                                         size_t bytes);
/* Are so few kept that they are copied one by one? Then all columns use one
 * list of their places in the tile: WINNOW__HOST_PLACES elements. */
bool winnow__host_are_few(const winnow__host_items *items);
void winnow__host_list(const winnow__host_items *items, uint32_t *places);
/* Prefetch the listed items. */
void winnow__host_fetch(const winnow__host_items *items);
/* Pack the first `room` kept items. Nothing is written after these, or after
 * this thread's own elements. */
void winnow__host_pack_items(const winnow__host_items *items, void *out,
                             uint64_t room);
