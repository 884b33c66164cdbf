/*
 * Exchanges the counts of items. Without lists of neighbours all ranks exchange
 * counts by MPI_Alltoall, with 8 bytes for each rank. (A list of all pairs
 * would take each rank the square of that.) With lists, only neighbours do.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "leavers.h"

#include <string.h>

enum {
    TAG = 1
};

winnow_status
winnow__mpi_check_neighbours(const winnow_mpi *mpi,
                             const winnow__mpi_neighbours *neighbours,
                             uint64_t *marks) {
    for (int r = 0; r < mpi->ranks; r++)
        marks[r] = neighbours->list == NULL;
    for (unsigned i = 0; neighbours->list != NULL && i < neighbours->number;
         i++) {
        const int rank = neighbours->list[i];
        if (rank < 0 || rank >= mpi->ranks || rank == mpi->rank)
            return winnow__ranks_refuse(
                "neighbours[%u] is %d: wanted another of %d ranks", i, rank,
                mpi->ranks);
        if (marks[rank] != 0)
            return winnow__ranks_refuse("neighbours[%u] is %d once more", i,
                                        rank);
        marks[rank] = 1;
    }
    return WINNOW_OK;
}

/* The hash of an ordered pair of ranks. */
static uint64_t hash_of(int from, int to) {
    uint64_t x = (uint64_t)(unsigned)from << 32 | (unsigned)to;
    x = (x + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 29;
}

/* All ranks know that such a pair exists. Finds the first rank with a neighbour
 * that does not name it. All ranks send their lists to all others. */
static winnow_status find_one_way(const winnow_mpi *mpi,
                                  const winnow__mpi_neighbours *neighbours) {
    uint64_t *const mine = mpi->numbers[0], *const theirs = mpi->numbers[1];
    uint64_t pair = UINT64_MAX, first; /* a rank; in the lower half another */
    memset(mine, 0, (size_t)mpi->ranks * sizeof *mine);
    for (unsigned i = 0; i < neighbours->number; i++)
        mine[neighbours->list[i]] = 1;
    WINNOW__TRY(WINNOW__MPI(MPI_Alltoall(mine, 1, MPI_UINT64_T, theirs, 1,
                                         MPI_UINT64_T, mpi->comm)));
    for (int r = mpi->ranks - 1; r >= 0; r--)
        if (mine[r] && !theirs[r])
            pair = (uint64_t)mpi->rank << 32 | (unsigned)r;
    WINNOW__TRY(WINNOW__MPI(
        MPI_Allreduce(&pair, &first, 1, MPI_UINT64_T, MPI_MIN, mpi->comm)));
    return winnow__ranks_refuse("neighbours of rank %u name rank %u, and those "
                                "of rank %u do not name rank %u",
                                (unsigned)(first >> 32), (unsigned)first,
                                (unsigned)first, (unsigned)(first >> 32));
}

/* For each neighbour, a rank adds the hash of the pair in one order and
 * subtracts the hash in the other order. The total is 0 if all are
 * symmetric. */
winnow_status
winnow__mpi_check_symmetry(const winnow_mpi *mpi,
                           const winnow__mpi_neighbours *neighbours) {
    uint64_t mine = 0, all = 0;
    for (unsigned i = 0; i < neighbours->number; i++)
        mine += hash_of(mpi->rank, neighbours->list[i]) -
                hash_of(neighbours->list[i], mpi->rank);
    WINNOW__TRY(WINNOW__MPI(
        MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, mpi->comm)));
    return all == 0 ? WINNOW_OK : find_one_way(mpi, neighbours);
}

/* Exchanges one message each way with each neighbour. */
static winnow_status tell_neighbours(const winnow_mpi *mpi,
                                     const winnow__mpi_neighbours *neighbours,
                                     const uint64_t *send, uint64_t *receive,
                                     MPI_Request *requests) {
    int started = 0;
    winnow_status status = WINNOW_OK;
    for (unsigned i = 0; i < neighbours->number && status == WINNOW_OK; i++) {
        const int rank = neighbours->list[i];
        status = WINNOW__MPI(MPI_Irecv(&receive[rank], 1, MPI_UINT64_T, rank,
                                       TAG, mpi->comm, &requests[started]));
        started += status == WINNOW_OK;
    }
    for (unsigned i = 0; i < neighbours->number && status == WINNOW_OK; i++) {
        const int rank = neighbours->list[i];
        status = WINNOW__MPI(MPI_Isend(&send[rank], 1, MPI_UINT64_T, rank, TAG,
                                       mpi->comm, &requests[started]));
        started += status == WINNOW_OK;
    }
    return status == WINNOW_OK ? WINNOW__MPI(MPI_Waitall(started, requests,
                                                         MPI_STATUSES_IGNORE))
                               : status;
}

winnow_status
winnow__mpi_exchange_counts(const winnow_mpi *mpi,
                            const winnow__mpi_neighbours *neighbours,
                            const uint64_t *send, uint64_t *receive) {
    if (neighbours->list == NULL)
        return WINNOW__MPI(MPI_Alltoall(send, 1, MPI_UINT64_T, receive, 1,
                                        MPI_UINT64_T, mpi->comm));
    memset(receive, 0, (size_t)mpi->ranks * sizeof *receive);
    return tell_neighbours(mpi, neighbours, send, receive, mpi->requests);
}
