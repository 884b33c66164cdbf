/*
 * A tile's items by the words of a selection, on the host: by any thread.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "rows.h"

/* Sizes of elements, in bytes, for which a copy is compiled as a constant one. */
#define WINNOW__HOST_CONSTANT_SIZES(CASE)                                      \
    CASE(1) CASE(2) CASE(4) CASE(8) CASE(12) CASE(16) CASE(24) CASE(32)
#define WINNOW__HOST_MOST_CONSTANT 32

enum {
    /* Where one item of these, or fewer, is kept, survivors are taken one by
     * one. The portable loops take as long for every item. */
    WINNOW__HOST_FEW = 12,
    WINNOW__HOST_FEW_PORTABLE = 8,
    /* Room for the places of so few, and for what lists write behind. */
    WINNOW__HOST_PLACES =
        WINNOW__SELECTION_TILE / WINNOW__HOST_FEW_PORTABLE + 64
};

typedef struct winnow__host_items {
    const winnow__host_loops *loops;
    const uint32_t *words;   /* a tile's; bits from n on are ignored */
    uint64_t first;          /* the index of the first one, */
    const unsigned char *in; /* and the item; NULL: indices are packed */
    unsigned n, kept;
    size_t bytes; /* of an item, or an index */
    size_t ahead; /* how far the input is fetched */
    /* Elements of the output that this thread writes, these the first of them:
     * at least as many as are kept. */
    uint64_t own;
    const uint32_t *places; /* winnow__host_list(), or NULL */
} winnow__host_items;

/* Those of a tile that there are. in: item 0, or NULL. */
winnow__host_items winnow__host_items_of(const winnow__host_loops *loops,
                                         const winnow__selection *from,
                                         uint64_t tile, const void *in,
                                         size_t bytes);
/* Are they taken one by one? Then the list of their places in the tile serves
 * all columns: WINNOW__HOST_PLACES of them. */
bool winnow__host_are_few(const winnow__host_items *items);
void winnow__host_list(const winnow__host_items *items, uint32_t *places);
/* Fetch those that are listed. */
void winnow__host_fetch(const winnow__host_items *items);
/* Pack the first `room` of those that are kept. Nothing is written behind
 * these, or behind the thread's own. */
void winnow__host_pack_items(const winnow__host_items *items, void *out,
                             uint64_t room);
