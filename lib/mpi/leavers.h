/*
 * Parts of winnow_mpi_migrate(): finds the items that leave a rank, packs them,
 * and sorts them by target rank.
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
    const winnow_move *moves; /* the items are in d_out */
    unsigned number;
} winnow__mpi_items;

typedef struct winnow__mpi_leavers {
    winnow__mpi_memory memory; /* of the items */
    uint64_t *count;           /* a word that context and host can access */
    void *stay, *leave;        /* selections; NULL: there are no arrays */
    size_t selection_bytes;
    uint64_t number;
    /* Their ranks, then each column: packed in the items' order, where the
     * context can access them; sorted by rank. Columns are aligned to 16
     * bytes. */
    void *packed;
    unsigned char *sorted;
} winnow__mpi_leavers;

/* `leavers` begins as zeros. Its memory belongs to `mpi`. */
winnow_status winnow__mpi_find_leavers(winnow_mpi *mpi,
                                       const winnow__mpi_items *items,
                                       winnow__mpi_leavers *leavers);
/* Sets mpi->send, and sorts. marks[r] is not 0 if items may go to rank r. */
winnow_status winnow__mpi_sort_leavers(winnow_mpi *mpi,
                                       const winnow__mpi_items *items,
                                       const uint64_t *marks,
                                       winnow__mpi_leavers *leavers);

/* The bytes of a column of n elements, rounded up to a multiple of 16. */
static inline size_t winnow__mpi_column_bytes(uint64_t n, size_t each) {
    return ((size_t)n * each + 15) & ~(size_t)15;
}

/* ---- neighbours.c: the ranks with which a rank exchanges items. */
typedef struct winnow__mpi_neighbours {
    const int *list; /* NULL: any rank */
    unsigned number;
} winnow__mpi_neighbours;

/* Is each another rank, listed once? `marks` has room for all ranks; on return,
 * marks[r] is not 0 if items may be sent to rank r. */
winnow_status
winnow__mpi_check_neighbours(const winnow_mpi *mpi,
                             const winnow__mpi_neighbours *neighbours,
                             uint64_t *marks);
/* Exchanges counts: `send[r]` items go to rank r, and `receive[r]` come from
 * it. Lists of neighbours have been checked for symmetry. Collective. */
winnow_status
winnow__mpi_exchange_counts(const winnow_mpi *mpi,
                            const winnow__mpi_neighbours *neighbours,
                            const uint64_t *send, uint64_t *receive);
/* Is each rank a neighbour of its neighbours? All ranks get the same answer. */
winnow_status
winnow__mpi_check_symmetry(const winnow_mpi *mpi,
                           const winnow__mpi_neighbours *neighbours);
