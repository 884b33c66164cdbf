/*
 * The messages of a column: direct ones, and staged ones (staged.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ranks.h"

/* What is under way of a column. */
typedef struct winnow__mpi_column {
    const winnow_mpi *mpi;
    const winnow__mpi_messages *messages;
    const winnow_move *move;
    const winnow__mpi_memory *memory;
    int started;
} winnow__mpi_column;

/* The column's arrays, or a copy of them: element `first` of what goes is at
 * `out`, and element 0 of what comes at `in`. */
typedef struct winnow__mpi_arrays {
    unsigned char *out, *in;
    uint64_t first;
} winnow__mpi_arrays;

/* What goes to a rank, or comes from it. */
typedef struct winnow__mpi_part {
    bool receives;
    int rank;
    unsigned char *start;
    uint64_t bytes;
} winnow__mpi_part;

winnow__mpi_arrays winnow__mpi_arrays_of(const winnow_move *move);
winnow__mpi_part winnow__mpi_part_of(const winnow__mpi_column *c,
                                     const winnow__mpi_arrays *arrays,
                                     bool receives, int rank);
/* Of the piece that begins at a byte of it. */
uint64_t winnow__mpi_piece_at(const winnow__mpi_column *c,
                              const winnow__mpi_part *p, uint64_t at);
winnow_status winnow__mpi_start_piece(winnow__mpi_column *c,
                                      const winnow__mpi_part *p, void *start,
                                      uint64_t bytes);
/* All parts but the rank's own, of arrays that MPI reaches. */
winnow_status winnow__mpi_start_parts(winnow__mpi_column *c,
                                      const winnow__mpi_arrays *arrays);
winnow_status winnow__mpi_wait_all(winnow__mpi_column *c);

static inline int winnow__mpi_further(const winnow_mpi *mpi, int k) {
    return (mpi->rank + k) % mpi->ranks;
}

/* ---- staged.c */

/* All parts but the rank's own: they have come when this returns. */
winnow_status winnow__mpi_send_staged(winnow__mpi_column *c);
