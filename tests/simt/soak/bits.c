/*
 * Columns of bits: packed, in place, split, expanded.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "soak.h"

#include "tests/pack/bit_columns.h"

enum {
    TILE = 4096,
    MOST = 8 * TILE
};

/* More than one block has: a tile; in place, words for a thread each, which are
 * copied; or tiles for a warp each, and one more. */
static uint64_t least_n(enum bit_way way) {
    switch (way) {
    case BITS_IN_PLACE:
    case BITS_FLAGGED_IN_PLACE:
        return 2 * TILE + 1;
    case BITS_EXPAND:
        return 7 * TILE + 1;
    default:
        return TILE + 1;
    }
}

static bool run_bits(const struct backend *backend, unsigned number,
                     uint64_t seed, struct report *report) {
    static struct selected selected;
    static uint8_t keep[MOST];
    struct bit_call call = bit_call_random(seed, MOST);

    if (selected.backend == NULL)
        selected_open(&selected, backend, MOST);
    call.way = (enum bit_way)number;
    call.n = least_n(call.way) + soak_draw(seed, 30, 700);
    call.there = BITS_ALL;
    call.position = BITS_ALL;
    call.capacity = call.rejected_capacity = BITS_ALL;
    call.is_selected = true;
    soak_keep(seed, call.n, keep);
    soak_put_selection(&selected, keep, call.n);
    return bit_call_run(&selected, &call, keep, report);
}

void soak_bits(void) {
    static const char *const names[BITS_WAYS] = {"compact",  "flagged",
                                                 "in place", "flagged in place",
                                                 "split",    "expand"};

    for (unsigned way = 0; way < BITS_WAYS; way++)
        soak_add(SOAK_USUAL, run_bits, way, "bits: %s", names[way]);
}
