/*
 * How a call of partition_by_key is done on a GPU: passes, digits, chunks, and
 * what is where in the workspace. The same for all addresses and fields.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_PARTITION_PLAN_H
#define WINNOW_LIB_PARTITION_PLAN_H

#include "cuda/plan.h"
#include "details.h"

#include "kernels/partition/args.h"

/* At most: of 5 bits each. */
#define WINNOW__PARTITION_PASSES 4

/* The first pass by an estimate (kernels/partition/estimate.cuh). */
typedef struct winnow__partition_by_estimate {
    const winnow__kernel *kernel; /* that scatters, */
    unsigned more_shared;         /* with so much more shared memory */
    unsigned group, sampled_one_in, blocks, tile_items;
    uint64_t spare_left_over, spare_items; /* rows */
    /* Offsets in the workspace. */
    size_t exchange, spare_keys, spare[WINNOW__PARTITION_COLUMNS];
} winnow__partition_by_estimate;

/* Two passes where all parts are counted (kernels/partition/exact.cuh). */
typedef struct winnow__partition_by_parts {
    const winnow__kernel *kernel; /* that scatters, */
    unsigned more_shared;         /* with so much more shared memory */
    unsigned table_bytes; /* shared memory of a block that counts parts */
    /* Offsets in the workspace; and bytes that are zero before the first
     * kernel. The exchange of an estimate follows these. */
    size_t items, begins;
    uint64_t zero_bytes;
    /* Before the first pass, which takes the upper digit then. Else the first
     * pass counts all parts, too. */
    bool ahead;
    /* Of what counts: a block has a chunk, and a slice of the parts. */
    uint32_t slice;
    unsigned count_chunks;
    uint64_t count_chunk_items;
    unsigned blocks, tile_items; /* of the first pass */
} winnow__partition_by_parts;

typedef struct winnow__partition_shape {
    unsigned passes;
    unsigned bits[WINNOW__PARTITION_PASSES]; /* of the digits, the lower one
                                                first, or the upper one if all
                                                parts are counted ahead */
    bool wide_keys;
    bool has_columns;
    bool any_order;        /* of tiles */
    unsigned row_bytes;    /* of all columns */
    unsigned column_bytes; /* the widest element that is staged at a time */
    /* Of the columns that a launch of a pass moves: of tiles, those that a
     * block has room to hold elements of. */
    unsigned batch_bytes[WINNOW__PARTITION_PASSES];
    uint64_t tile_items[WINNOW__PARTITION_PASSES], chunk_items;
    unsigned
        chunks[WINNOW__PARTITION_PASSES]; /* of the second pass: at most, */
    unsigned few_chunks[WINNOW__PARTITION_PASSES]; /* and at most if its
                                                      segments are as long */
    /* Offsets in the workspace. */
    size_t table, totals, offsets[WINNOW__PARTITION_PASSES], first_chunk, keys,
        columns[WINNOW__PARTITION_COLUMNS];
    size_t second_rows; /* of passes that are neither the first nor the last:
                           this far behind the first's */
    size_t bytes;
    bool estimated; /* the first pass, unless a key may be dropped */
    winnow__partition_by_estimate estimate;
    bool exact; /* all parts are counted */
    winnow__partition_by_parts by_parts;
} winnow__partition_shape;

winnow__partition_shape winnow__partition_shape_of(const winnow__query *query);

/* From shape_of() to the shape of a call whose keys may be dropped, in the same
 * memory. */
void winnow__shape_drop(const winnow__query *query, winnow__partition_shape *s);

uint32_t winnow__shape_digits(const winnow__partition_shape *s, unsigned pass);

/* Does scatter_tiles() take the pass, or scatter()? The kernel, and its shared
 * memory beside what it states. */
bool winnow__shape_by_tiles(const winnow__partition_shape *s, unsigned pass);
const winnow__kernel *winnow__shape_scatter(const winnow__partition_shape *s,
                                            unsigned pass, bool drops);
unsigned winnow__shape_more_shared(const winnow__partition_shape *s,
                                   unsigned pass);

/* Blocks of a pass that the device runs together while they scatter. */
uint64_t winnow__shape_resident(const winnow__query *query,
                                const winnow__partition_shape *s, unsigned pass,
                                bool drops);

unsigned winnow__multiprocessors(const winnow__query *query);

#endif
