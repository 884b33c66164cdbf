/*
 * The parts of winnow_mpi_migrate(): find the items that leave a rank, pack them, and
 * sort them by target rank.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ranks.h"

/* The items of a rank, in place. */
typedef struct winnow__mpi_items {
    winnow_context *context;
    const int32_t *d_ranks;
    uint64_t n;
    const winnow_move *moves; /* d_out has them */
    unsigned number;
} winnow__mpi_items;

typedef struct winnow__mpi_leavers {
    winnow__mpi_memory memory; /* that the items are in */
    uint64_t *count;           /* a word that context and host reach */
    void *stay, *leave;        /* selections; NULL: there are no arrays */
    size_t selection_bytes;
    uint64_t number;
    /* Their ranks, and then each column: in the order of the items, where the
     * context reaches them, and by rank. Columns begin at multiples of 16. */
    void *packed;
    unsigned char *sorted;
} winnow__mpi_leavers;

/* `leavers` begins as zeros; its memory is the mpi's. */
winnow_status winnow__mpi_find_leavers(winnow_mpi *mpi,
                                       const winnow__mpi_items *items,
                                       winnow__mpi_leavers *leavers);
/* Set mpi->send, and sort. marks[r] is not 0 where items may go to rank r. */
winnow_status winnow__mpi_sort_leavers(winnow_mpi *mpi,
                                       const winnow__mpi_items *items,
                                       const uint64_t *marks,
                                       winnow__mpi_leavers *leavers);

/* Bytes of a column of n elements, to a multiple of 16. */
static inline size_t winnow__mpi_column_bytes(uint64_t n, size_t each) {
    return ((size_t)n * each + 15) & ~(size_t)15;
}

/* ---- neighbours.c: the ranks that a rank exchanges items with. */
typedef struct winnow__mpi_neighbours {
    const int *list; /* NULL: any rank */
    unsigned number;
} winnow__mpi_neighbours;

/* Is each a rank other than this one, listed once? `marks` has room for all ranks; on
 * return, marks[r] is not 0 if items may be sent to rank r. */
winnow_status
winnow__mpi_check_neighbours(const winnow_mpi *mpi,
                             const winnow__mpi_neighbours *neighbours,
                             uint64_t *marks);
/* Exchange counts: `send[r]` items go to rank r, and `receive[r]` come from it. If
 * there are neighbours, the ranks have agreed before. Collective. */
winnow_status
winnow__mpi_exchange_counts(const winnow_mpi *mpi,
                            const winnow__mpi_neighbours *neighbours,
                            const uint64_t *send, uint64_t *receive);
/* Is each rank a neighbour of its neighbours? All ranks get the same answer. */
winnow_status
winnow__mpi_check_symmetry(const winnow_mpi *mpi,
                           const winnow__mpi_neighbours *neighbours);
