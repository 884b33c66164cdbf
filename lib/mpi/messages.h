/*
 * The messages of a column: direct ones, and staged ones (staged.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ranks.h"

/* The state of a column's messages. */
typedef struct winnow__mpi_column {
    const winnow_mpi *mpi;
    const winnow__mpi_messages *messages;
    const winnow_move *move;
    const winnow__mpi_memory *memory;
    int started;
} winnow__mpi_column;

/* The column's arrays, or copies of them. Element `first` of the sent ones is
 * at `out`, element 0 of the received ones at `in`. */
typedef struct winnow__mpi_arrays {
    unsigned char *out, *in;
    uint64_t first;
} winnow__mpi_arrays;

/* The elements sent to a rank, or received from it. */
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
/* The bytes of the piece that begins at byte `at` of a part. */
uint64_t winnow__mpi_piece_at(const winnow__mpi_column *c,
                              const winnow__mpi_part *p, uint64_t at);
winnow_status winnow__mpi_start_piece(winnow__mpi_column *c,
                                      const winnow__mpi_part *p, void *start,
                                      uint64_t bytes);
/* Starts all parts but the rank's own, in arrays that MPI can access. */
winnow_status winnow__mpi_start_parts(winnow__mpi_column *c,
                                      const winnow__mpi_arrays *arrays);
winnow_status winnow__mpi_wait_all(winnow__mpi_column *c);

static inline int winnow__mpi_further(const winnow_mpi *mpi, int k) {
    return (mpi->rank + k) % mpi->ranks;
}

/* ---- staged.c */

/* Sends and receives all parts but the rank's own, and waits for them. */
winnow_status winnow__mpi_send_staged(winnow__mpi_column *c);
