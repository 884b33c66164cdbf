/*
 * A chunk: its memory, and how it is filtered.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "pipe.h"

/* All memory is on the context's device. */
typedef struct winnow__chunk {
    winnow_in *columns; /* the condition's; and */
    winnow_move *moves; /* of outputs that have elements: their addresses are
                           set with each chunk */
    const void *in[WINNOW_PIPE_MOST_INPUTS];
    void *out[WINNOW_PIPE_MOST_OUTPUTS];
    void *selection; /* NULL: not needed */
    uint64_t *count;
} winnow__chunk;

/* Make columns and moves. False: no memory. */
bool winnow__chunk_create(const winnow_pipe *pipe, winnow__chunk *chunk);
void winnow__chunk_destroy(winnow__chunk *chunk);

/* Check the condition against the columns, and find the size of a chunk's selection. */
winnow_status winnow__chunk_check(winnow_pipe *pipe);

/* Filter the first n items of a chunk, in the stream's order. */
winnow_status winnow__chunk_filter(const winnow_pipe *pipe,
                                   winnow__chunk *chunk, uint64_t n,
                                   winnow_stream stream);
