/*
 * Fill the places of items that a selection does not keep (holes).
 *
 * The fillers are the arrivals, followed by the survivors that lie after the new
 * end, both in ascending order. Filler k is moved to the k-th free place: first the
 * holes in ascending order, then the places from the number of items on. Fillers
 * are read after the end, or are arrivals, and are written before the end, so they
 * can be moved in any order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/pack/args.h"
#include "selection/sink.h"

typedef struct winnow__filling {
    const winnow_move *moves; /* d_in: arrivals; d_out: has the holes */
    unsigned number;
    uint64_t arrived;          /* the most arrivals, */
    const uint64_t *d_arrived; /* or their number; may be NULL */
    uint64_t capacity;         /* at least n */
} winnow__filling;

static inline const winnow__filling *
winnow__filling_of(const winnow__query *query) {
    return query->details;
}

winnow__sink_host winnow__fill_holes_on_host;
/* memory: for a winnow__holes. */
winnow__sink_device winnow__fill_holes_on_device;
