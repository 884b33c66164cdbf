/*
 * winnow_mpi_balance: equal shares, in order.
 *
 * All ranks learn how many items each rank has. So each rank computes where
 * every rank's items and every rank's share begin among all items. A rank sends
 * to another rank its items in that rank's share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

#include "kernels/core/share.h"

/* counts: of each rank. Returns this rank's share. */
static uint64_t plan(const winnow_mpi *mpi, const uint64_t *counts) {
    const unsigned rank = (unsigned)mpi->rank, ranks = (unsigned)mpi->ranks;
    uint64_t total = 0, first = 0, before = 0;
    for (unsigned r = 0; r < ranks; r++) {
        first += r < rank ? counts[r] : 0;
        total += counts[r];
    }
    const uint64_t begin = winnow__share(total, ranks, rank);
    const uint64_t end = winnow__share(total, ranks, rank + 1);
    for (unsigned r = 0; r <= ranks; r++) {
        mpi->send[r] = winnow__within(winnow__share(total, ranks, r), first,
                                      first + counts[rank]);
        mpi->receive[r] = winnow__within(before, begin, end);
        before += r < ranks ? counts[r] : 0;
    }
    return end - begin;
}

static winnow_status check(const winnow_move *moves, unsigned number,
                           const uint64_t *n_p) {
    WINNOW__TRY(winnow__ranks_need(n_p, "n_p"));
    return winnow__ranks_check_columns(moves, number);
}

winnow_status winnow_mpi_balance(winnow_mpi *mpi, uint64_t n,
                                 const winnow_move *moves, unsigned move_count,
                                 uint64_t capacity, uint64_t *n_p) {
    winnow__mpi_messages messages;
    int short_rank;
    WINNOW__TRY(winnow__ranks_need(mpi, "mpi"));
    const winnow__mpi_same same = winnow__mpi_same_columns(moves, move_count);
    winnow__mpi_word word = {.status = check(moves, move_count, n_p),
                             .same = &same};
    const uint64_t mine = word.status == WINNOW_OK ? n : 0;
    WINNOW__TRY(WINNOW__MPI(MPI_Allgather(
        &mine, 1, MPI_UINT64_T, mpi->numbers[0], 1, MPI_UINT64_T, mpi->comm)));
    word.needed = plan(mpi, mpi->numbers[0]);
    word.capacity = capacity;
    const bool is_short = winnow__mpi_is_short(&word);
    if (word.status == WINNOW_OK)
        word.status = winnow__ranks_check_memory(moves, move_count, n,
                                                 is_short ? 0 : word.needed);
    if (word.status == WINNOW_OK && !is_short)
        word.status = winnow__mpi_prepare(mpi, moves, move_count, &messages);
    WINNOW__TRY(winnow__mpi_agree(mpi, &word, &short_rank));
    *n_p = word.needed;
    return short_rank != -1
               ? winnow__mpi_short(mpi, &word, short_rank)
               : winnow__mpi_send(mpi, moves, move_count, &messages);
}
