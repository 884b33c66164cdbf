/*
 * Sums by key in shared memory: how much of it a block takes, and how many
 * blocks and launches there are because of that.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "details.h"

/* The sums of a block, and how many of them a launch has: see
 * winnow__accumulate_args. */
typedef struct winnow__sums {
    winnow__way way; /* AUTO: blocks look at samples */
    unsigned copies;
    uint32_t slots; /* 0: there are no sums in shared memory */
    bool direct, common;
    uint32_t front_keys; /* that have sums in front.cu; 0: none */
    unsigned blocks;     /* on a multiprocessor */
    unsigned components; /* of a launch; the next one has others */
    uint64_t tiles;      /* of a block */
    unsigned grid;       /* blocks of a launch */
    bool worth;          /* there are enough items for any keys */
    unsigned bytes;      /* of shared memory, of a block */
} winnow__sums;

winnow__sums winnow__lay_out_sums(const winnow__query *query);

/* The most shared memory that a block may have of which `blocks` are resident.
 */
size_t winnow__sums_budget(const winnow__query *query, unsigned blocks);

/* Do all keys that are summed up fit in 32 bits? */
bool winnow__keys_are_narrow(const winnow__accumulation *a);
