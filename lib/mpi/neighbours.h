/*
 * The ranks that a rank exchanges items with.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ranks.h"

typedef struct winnow__mpi_neighbours {
    const int *list; /* NULL: any rank */
    unsigned number;
} winnow__mpi_neighbours;

/* Is each a rank, another one than this, and there once? `marks` has room for
 * the ranks, and is then not 0 where one may be sent to. */
winnow_status
winnow__mpi_check_neighbours(const winnow_mpi *mpi,
                             const winnow__mpi_neighbours *neighbours,
                             uint64_t *marks);
/* The counts of all ranks: `send[r]` goes to rank r, and `receive[r]` comes from
 * it. The ranks have agreed, if there are neighbours. Collective. */
winnow_status
winnow__mpi_exchange_counts(const winnow_mpi *mpi,
                            const winnow__mpi_neighbours *neighbours,
                            const uint64_t *send, uint64_t *receive);
/* Is each rank a neighbour of its neighbours? The same on all ranks.
 * Collective. */
winnow_status
winnow__mpi_check_symmetry(const winnow_mpi *mpi,
                           const winnow__mpi_neighbours *neighbours);
