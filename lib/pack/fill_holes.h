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
#include "selection/format.h"

typedef struct winnow__filling {
    const winnow_move *moves; /* d_in: arrivals; d_out: where holes are */
    unsigned number;
    uint64_t arrived;          /* most of them, */
    const uint64_t *d_arrived; /* NULL, or how many there are */
    uint64_t capacity;         /* n at least */
} winnow__filling;

/* task->n items; *count_p: kept and arrived. */
void winnow__fill_holes_on_host(const winnow__host_task *task,
                                const winnow__filling *filling,
                                const winnow__selection *from,
                                uint64_t *count_p);
/* items: NULL, or the word that says how many there are. state: aligned to 16,
 * of sizeof(winnow__holes). */
winnow_status winnow__fill_holes_on_device(const winnow_context *context,
                                           const winnow__filling *filling,
                                           const winnow__selection *from,
                                           const uint64_t *items,
                                           uint64_t *count, void *state,
                                           winnow_stream stream);
