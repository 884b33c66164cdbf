/*
 * winnow_mpi_exchange: sends each part to its rank.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

#include <string.h>

static winnow_status check(const winnow_mpi *mpi, const uint64_t *offsets,
                           const winnow_move *moves, unsigned number) {
    WINNOW__TRY(winnow__ranks_need(offsets, "offsets"));
    for (int r = 0; r < mpi->ranks; r++)
        if (offsets[r] > offsets[r + 1])
            return winnow__ranks_refuse("offsets[%d] is %llu, less than the "
                                        "one before it, which is %llu",
                                        r + 1,
                                        (unsigned long long)offsets[r + 1],
                                        (unsigned long long)offsets[r]);
    return winnow__ranks_check_columns(moves, number);
}

/* offsets: NULL if this rank sends nothing. *needed_p: elements received. */
static winnow_status exchange_counts(const winnow_mpi *mpi,
                                     const uint64_t *offsets,
                                     uint64_t *needed_p) {
    uint64_t *const send = mpi->numbers[0], *const receive = mpi->numbers[1];
    for (int r = 0; r < mpi->ranks; r++)
        send[r] = offsets != NULL ? offsets[r + 1] - offsets[r] : 0;
    WINNOW__TRY(WINNOW__MPI(MPI_Alltoall(send, 1, MPI_UINT64_T, receive, 1,
                                         MPI_UINT64_T, mpi->comm)));
    mpi->receive[0] = 0;
    for (int r = 0; r < mpi->ranks; r++)
        mpi->receive[r + 1] = mpi->receive[r] + receive[r];
    *needed_p = mpi->receive[mpi->ranks];
    return WINNOW_OK;
}

winnow_status winnow_mpi_exchange(winnow_mpi *mpi, const uint64_t *offsets,
                                  const winnow_move *moves, unsigned move_count,
                                  uint64_t capacity, uint64_t *from_offsets,
                                  uint64_t *n_p) {
    winnow__mpi_messages messages;
    int short_rank;
    WINNOW__TRY(winnow__ranks_need(mpi, "mpi"));
    const size_t bytes = ((size_t)mpi->ranks + 1) * sizeof *offsets;
    const winnow__mpi_same same = winnow__mpi_same_columns(moves, move_count);
    winnow__mpi_word word = {.status = check(mpi, offsets, moves, move_count),
                             .same = &same,
                             .capacity = capacity};
    const bool is_right = word.status == WINNOW_OK;
    WINNOW__TRY(exchange_counts(mpi, is_right ? offsets : NULL, &word.needed));
    const bool is_short = winnow__mpi_is_short(&word);
    if (is_right) {
        memcpy(mpi->send, offsets, bytes);
        word.status = winnow__ranks_check_memory(
            moves, move_count, offsets[mpi->ranks], is_short ? 0 : word.needed);
    }
    if (word.status == WINNOW_OK && !is_short)
        word.status = winnow__mpi_prepare(mpi, moves, move_count, &messages);
    WINNOW__TRY(winnow__mpi_agree(mpi, &word, &short_rank));
    if (from_offsets != NULL)
        memcpy(from_offsets, mpi->receive, bytes);
    if (n_p != NULL)
        *n_p = word.needed;
    return short_rank != -1
               ? winnow__mpi_short(mpi, &word, short_rank)
               : winnow__mpi_send(mpi, moves, move_count, &messages);
}
