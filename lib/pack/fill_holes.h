/*
 * Filling the places that a selection gives up.
 *
 * Those that fill places, the fillers, are the arrivals and, behind them, the
 * survivors at places behind the end of what is left, both in rising order.
 * Filler k goes to the k-th place to fill: the holes in rising order, and behind
 * them the places from the number of items on. What is read stands behind the
 * end, or is an arrival, and what is written before it: so fillers may be moved
 * in any order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/pack/args.h"
#include "selection/sink.h"

typedef struct winnow__filling {
    const winnow_move *moves; /* d_in: arrivals; d_out: where holes are */
    unsigned number;
    uint64_t arrived;          /* most of them, */
    const uint64_t *d_arrived; /* NULL, or how many there are */
    uint64_t capacity;         /* n at least */
} winnow__filling;

static inline const winnow__filling *
winnow__filling_of(const winnow__query *query) {
    return query->details;
}

winnow__sink_host winnow__fill_holes_on_host;
/* memory: a winnow__holes. */
winnow__sink_device winnow__fill_holes_on_device;
