/*
 * The destination of a chunk's output, from host memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "pipe.h"

/* A chunk's place among all items, and among the items that are kept. */
typedef struct winnow__piece {
    uint64_t first;  /* the number of its first item, */
    uint64_t n;      /* and how many it has */
    uint64_t before; /* items that are kept of those before it, */
    uint64_t kept;   /* and of it */
} winnow__piece;

/* Where a piece's elements of an output begin, and their number. */
static inline uint64_t winnow__sink_start(const winnow_pipe_output *output,
                                          const winnow__piece *piece) {
    return output->kind == WINNOW_PIPE_MASK ? piece->first : piece->before;
}
static inline uint64_t winnow__sink_count(const winnow_pipe_output *output,
                                          const winnow__piece *piece) {
    return output->kind == WINNOW_PIPE_MASK ? piece->n : piece->kept;
}
/* The same, but only as much as there is room for. */
uint64_t winnow__sink_room(const winnow_pipe_output *output,
                           const winnow__piece *piece);

/* Are the pieces of this output written one after the other? */
static inline bool winnow__sink_is_in_order(const winnow_pipe_output *output) {
    return output->target == WINNOW_PIPE_TO_STREAM ||
           output->target == WINNOW_PIPE_TO_FUNCTION;
}

/* Turn indices within a chunk into indices of all items. */
void winnow__sink_shift(uint64_t *indices, uint64_t n, uint64_t first);

/* Write a piece's elements of output number o; not for outputs in memory. */
winnow_status winnow__sink_write(const winnow_pipe *pipe, unsigned o,
                                 const winnow__piece *piece,
                                 const void *elements,
                                 winnow__file_error *error_p);
