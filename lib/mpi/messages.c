/*
 * Messages between ranks: of bytes, in pieces, since MPI counts with an int, and
 * a derived type of the same bytes is many times slower.
 *
 * A rank begins with its neighbours, so that no two ranks begin with the same
 * one. All messages of a column are under way together. Those of a pair of ranks
 * have one tag: MPI keeps their order, and both cut them in the same way.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    TAG = 0
};

static uint64_t bytes_of(const uint64_t *offsets, int rank, size_t each) {
    return (offsets[rank + 1] - offsets[rank]) * each;
}

static uint64_t pieces_of(const winnow_mpi *mpi, uint64_t bytes) {
    return bytes / mpi->piece_bytes + (bytes % mpi->piece_bytes != 0);
}

static uint64_t count_requests(const winnow_mpi *mpi, size_t each) {
    uint64_t number = 0;
    for (int r = 0; r < mpi->ranks; r++)
        if (r != mpi->rank)
            number += pieces_of(mpi, bytes_of(mpi->send, r, each)) +
                      pieces_of(mpi, bytes_of(mpi->receive, r, each));
    return number;
}

winnow_status winnow__mpi_prepare(const winnow_mpi *mpi,
                                  const winnow_move *moves, unsigned number,
                                  winnow__mpi_messages *messages_p) {
    uint64_t most = 1;
    for (unsigned c = 0; c < number; c++) {
        const uint64_t here = count_requests(mpi, moves[c].element_bytes);
        if (here > most)
            most = here;
    }
    if (most > INT_MAX)
        return winnow__mpi_fail(WINNOW_ERR_ARGUMENT,
                                "%llu messages of %llu bytes: piece_bytes is "
                                "too small",
                                (unsigned long long)most,
                                (unsigned long long)mpi->piece_bytes);
    MPI_Request *const requests = malloc(most * sizeof *requests);
    if (requests == NULL)
        return winnow__mpi_fail(WINNOW_ERR_MEMORY,
                                "no memory for %llu messages",
                                (unsigned long long)most);
    *messages_p = (winnow__mpi_messages){.requests = requests, .most = most};
    return WINNOW_OK;
}

/* What is under way of a column. */
typedef struct column {
    const winnow_mpi *mpi;
    const winnow_move *move;
    MPI_Request *requests;
    int started;
} column;

static winnow_status start_receives(column *c, int from) {
    const size_t each = c->move->element_bytes;
    unsigned char *const start =
        (unsigned char *)c->move->d_out + c->mpi->receive[from] * each;
    const uint64_t bytes = bytes_of(c->mpi->receive, from, each);
    winnow_status status = WINNOW_OK;
    for (uint64_t at = 0; at < bytes && status == WINNOW_OK;
         at += c->mpi->piece_bytes) {
        const uint64_t left = bytes - at;
        const uint64_t piece =
            left < c->mpi->piece_bytes ? left : c->mpi->piece_bytes;
        status = winnow__mpi_status(MPI_Irecv(start + at, (int)piece, MPI_BYTE,
                                              from, TAG, c->mpi->comm,
                                              &c->requests[c->started]),
                                    "MPI_Irecv");
        c->started += status == WINNOW_OK;
    }
    return status;
}

static winnow_status start_sends(column *c, int to) {
    const size_t each = c->move->element_bytes;
    const unsigned char *const start =
        (const unsigned char *)c->move->d_in + c->mpi->send[to] * each;
    const uint64_t bytes = bytes_of(c->mpi->send, to, each);
    winnow_status status = WINNOW_OK;
    for (uint64_t at = 0; at < bytes && status == WINNOW_OK;
         at += c->mpi->piece_bytes) {
        const uint64_t left = bytes - at;
        const uint64_t piece =
            left < c->mpi->piece_bytes ? left : c->mpi->piece_bytes;
        status = winnow__mpi_status(MPI_Isend(start + at, (int)piece, MPI_BYTE,
                                              to, TAG, c->mpi->comm,
                                              &c->requests[c->started]),
                                    "MPI_Isend");
        c->started += status == WINNOW_OK;
    }
    return status;
}

static void keep_own(const winnow_mpi *mpi, const winnow_move *move) {
    const size_t each = move->element_bytes;
    const uint64_t bytes = bytes_of(mpi->send, mpi->rank, each);
    if (bytes != 0)
        memcpy((unsigned char *)move->d_out + mpi->receive[mpi->rank] * each,
               (const unsigned char *)move->d_in + mpi->send[mpi->rank] * each,
               bytes);
}

winnow_status winnow__mpi_send(const winnow_mpi *mpi, const winnow_move *moves,
                               unsigned number,
                               const winnow__mpi_messages *messages) {
    winnow_status status = WINNOW_OK;
    for (unsigned i = 0; i < number && status == WINNOW_OK; i++) {
        column c = {
            .mpi = mpi, .move = &moves[i], .requests = messages->requests};
        for (int k = 1; k < mpi->ranks && status == WINNOW_OK; k++)
            status =
                start_receives(&c, (mpi->rank - k + mpi->ranks) % mpi->ranks);
        for (int k = 1; k < mpi->ranks && status == WINNOW_OK; k++)
            status = start_sends(&c, (mpi->rank + k) % mpi->ranks);
        if (status != WINNOW_OK)
            return status; /* MPI has failed: others wait for nothing more */
        keep_own(mpi, &moves[i]);
        status = winnow__mpi_status(
            MPI_Waitall(c.started, c.requests, MPI_STATUSES_IGNORE),
            "MPI_Waitall");
    }
    return status;
}
