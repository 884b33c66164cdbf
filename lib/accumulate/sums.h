/*
 * Sums by key in shared memory: how much of it a block takes, and how many
 * blocks and launches there are because of that.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_ACCUMULATE_SUMS_H
#define WINNOW_LIB_ACCUMULATE_SUMS_H

#include "details.h"

/* The sums of a block, and how many of them a launch has: see
 * winnow__accumulate_args. */
typedef struct winnow__sums {
    unsigned copies;
    uint32_t slots; /* 0: there is no room */
    bool direct, common;
    uint32_t
        front_keys; /* that have sums in kernels/accumulate/front.cu; 0: none */
    unsigned blocks;     /* on a multiprocessor */
    unsigned components; /* of a launch; the next one has others */
} winnow__sums;

winnow__sums winnow__lay_out_sums(const winnow__query *query);

/* The shared memory of a block that has these; and the most that one of so many
 * resident blocks may have. */
size_t winnow__sums_bytes(const winnow__query *query, const winnow__sums *sums);
size_t winnow__sums_budget(const winnow__query *query, unsigned blocks);

/* Are sums in shared memory, with a slot for each key, of use whatever the
 * keys? */
bool winnow__sums_are_worth(const winnow__query *query, unsigned blocks);

/* Do all keys that are summed up fit in 32 bits? */
bool winnow__keys_are_narrow(const winnow__accumulation *a);

/* With so many blocks on each multiprocessor: all that are resident, and the
 * tiles of one of them. */
uint64_t winnow__accumulate_resident(const winnow__query *query,
                                     unsigned blocks);
uint64_t winnow__accumulate_tiles_each(const winnow__query *query,
                                       unsigned blocks);
uint64_t winnow__accumulate_tiles(const winnow__query *query);

#endif
