/*
 * Leavers, the items that leave a rank. The context selects the items that stay
 * and packs all others, in the items' kind of memory. The packed leavers,
 * usually few, are in memory that the host can access, too. The host sorts
 * them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "leavers.h"

#include <string.h>

/* ----------------------------------------------------------------- selections */

/* Finds the memory of the first array that exists. *found_p: is there one? */
static winnow_status find_memory(const winnow__mpi_items *items,
                                 winnow__mpi_leavers *leavers, bool *found_p) {
    const void *array = items->d_ranks;
    for (unsigned c = 0; c < items->number && array == NULL; c++)
        array = items->moves[c].d_out;
    *found_p = array != NULL;
    return winnow__mpi_find_memory(array, &leavers->memory);
}

static winnow_status take_selections(winnow_mpi *mpi, uint64_t n,
                                     winnow__mpi_leavers *leavers) {
    void *count = NULL;
    WINNOW__TRY(winnow_selection_bytes(n, &leavers->selection_bytes));
    WINNOW__TRY(winnow__mpi_take(mpi, WINNOW__MPI_COUNT, &leavers->memory, true,
                                 sizeof(uint64_t), &count));
    leavers->count = count;
    WINNOW__TRY(winnow__mpi_take(mpi, WINNOW__MPI_STAY, &leavers->memory, false,
                                 leavers->selection_bytes, &leavers->stay));
    return winnow__mpi_take(mpi, WINNOW__MPI_LEAVE, &leavers->memory, false,
                            leavers->selection_bytes, &leavers->leave);
}

static winnow_status select_stayers(const winnow_mpi *mpi,
                                    const winnow__mpi_items *items,
                                    const winnow__mpi_leavers *leavers) {
    const int32_t here = mpi->rank;
    winnow_predicate *stays = NULL;
    winnow_status status =
        winnow_predicate_compare(&stays, WINNOW_INT32, WINNOW_EQ, &here);
    if (status == WINNOW_OK)
        status = winnow_select_if(items->context, stays, WINNOW_INT32,
                                  items->d_ranks, items->n, leavers->stay,
                                  leavers->selection_bytes, NULL);
    winnow_predicate_destroy(stays);
    return status;
}

static winnow_status count_leavers(const winnow__mpi_items *items,
                                   winnow__mpi_leavers *leavers) {
    WINNOW__TRY(winnow_selection_not(items->context, leavers->stay, items->n,
                                     leavers->leave, leavers->selection_bytes,
                                     NULL));
    WINNOW__TRY(winnow_selection_count(items->context, leavers->leave, items->n,
                                       leavers->count, NULL));
    return winnow__mpi_copy(&leavers->memory, &leavers->number, leavers->count,
                            sizeof leavers->number);
}

/* -------------------------------------------------------------------- packing */

static size_t packed_bytes(const winnow__mpi_items *items, uint64_t number) {
    size_t bytes = winnow__mpi_column_bytes(number, sizeof(int32_t));
    for (unsigned c = 0; c < items->number; c++)
        bytes +=
            winnow__mpi_column_bytes(number, items->moves[c].element_bytes);
    return bytes;
}

static winnow_status pack(const winnow__mpi_items *items,
                          winnow__mpi_leavers *leavers) {
    const uint64_t number = leavers->number;
    winnow_move moves[WINNOW__RANKS_MOST_COLUMNS] = {0};
    unsigned char *to = leavers->packed;
    uint64_t packed = 0;
    winnow_status status =
        winnow_compact(items->context, leavers->leave, items->d_ranks, items->n,
                       sizeof(int32_t), to, number, leavers->count, NULL);
    to += winnow__mpi_column_bytes(number, sizeof(int32_t));
    for (unsigned c = 0; c < items->number; c++) {
        const size_t each = items->moves[c].element_bytes;
        moves[c] = (winnow_move){
            .d_in = items->moves[c].d_out, .d_out = to, .element_bytes = each};
        to += winnow__mpi_column_bytes(number, each);
    }
    if (status == WINNOW_OK)
        status = winnow_compact_columns(items->context, leavers->leave,
                                        items->n, moves, items->number, number,
                                        leavers->count, NULL);
    /* The copy also waits until the host can read the packed items. */
    return status == WINNOW_OK ? winnow__mpi_copy(&leavers->memory, &packed,
                                                  leavers->count, sizeof packed)
                               : status;
}

winnow_status winnow__mpi_find_leavers(winnow_mpi *mpi,
                                       const winnow__mpi_items *items,
                                       winnow__mpi_leavers *leavers) {
    bool has_arrays = false;
    WINNOW__TRY(find_memory(items, leavers, &has_arrays));
    if (!has_arrays)
        return WINNOW_OK;
    WINNOW__TRY(take_selections(mpi, items->n, leavers));
    WINNOW__TRY(select_stayers(mpi, items, leavers));
    WINNOW__TRY(count_leavers(items, leavers));
    WINNOW__TRY(winnow__mpi_take(mpi, WINNOW__MPI_PACKED, &leavers->memory,
                                 true, packed_bytes(items, leavers->number),
                                 &leavers->packed));
    return leavers->number != 0 ? pack(items, leavers) : WINNOW_OK;
}

/* -------------------------------------------------------------------- sorting */

/* Sets mpi->send: where each rank's items begin. */
static winnow_status count_ranks(const winnow_mpi *mpi, const int32_t *ranks,
                                 uint64_t number, const uint64_t *marks) {
    uint64_t *const counts = mpi->send + 1;
    memset(mpi->send, 0, ((size_t)mpi->ranks + 1) * sizeof *mpi->send);
    for (uint64_t i = 0; i < number; i++) {
        const int32_t to = ranks[i];
        if (to == -1)
            continue;
        if (to < 0 || to >= mpi->ranks)
            return winnow__ranks_refuse(
                "d_ranks of an item is %d: wanted -1, or one of %d ranks",
                (int)to, mpi->ranks);
        if (marks[to] == 0)
            return winnow__ranks_refuse(
                "d_ranks of an item is %d, which is no neighbour", (int)to);
        counts[to]++;
    }
    for (int r = 0; r < mpi->ranks; r++)
        mpi->send[r + 1] += mpi->send[r];
    return WINNOW_OK;
}

/* Sorts a column. `next` has room for a number for each rank. */
static void sort_column(const winnow_mpi *mpi, const int32_t *ranks,
                        uint64_t number, const unsigned char *from, size_t each,
                        uint64_t *next, unsigned char *to) {
    memcpy(next, mpi->send, (size_t)mpi->ranks * sizeof *next);
    for (uint64_t i = 0; i < number; i++)
        if (ranks[i] != -1)
            memcpy(to + next[ranks[i]]++ * each, from + i * each, each);
}

winnow_status winnow__mpi_sort_leavers(winnow_mpi *mpi,
                                       const winnow__mpi_items *items,
                                       const uint64_t *marks,
                                       winnow__mpi_leavers *leavers) {
    const uint64_t number = leavers->number;
    const int32_t *const ranks = leavers->packed;
    const size_t bytes = packed_bytes(items, number);
    const winnow__mpi_memory plain = {0};
    void *sorted = NULL;
    WINNOW__TRY(count_ranks(mpi, ranks, number, marks));
    if (number == 0)
        return WINNOW_OK;
    WINNOW__TRY(winnow__mpi_take(mpi, WINNOW__MPI_SORTED, &plain, true, bytes,
                                 &sorted));
    leavers->sorted = sorted;
    size_t at = winnow__mpi_column_bytes(number, sizeof(int32_t));
    for (unsigned c = 0; c < items->number; c++) {
        const size_t each = items->moves[c].element_bytes;
        sort_column(mpi, ranks, number, (unsigned char *)leavers->packed + at,
                    each, mpi->numbers[1], leavers->sorted + at);
        at += winnow__mpi_column_bytes(number, each);
    }
    return WINNOW_OK;
}
