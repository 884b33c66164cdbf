/*
 * Messages between ranks: of bytes, in pieces, since MPI counts with an int, and
 * a derived type of the same bytes is many times slower.
 *
 * A rank begins with its neighbours, so that no two ranks begin with the same
 * one. All messages of a column are under way together. Those of a pair of ranks
 * have one tag: MPI keeps their order, and both cut them in the same way.
 *
 * What MPI cannot read or write goes through two buffers, a piece at a time: the
 * rank sends to the one k places further on, and receives from the one k places
 * before it, for k = 1, 2, ... Each piece is received before the next is sent; a
 * rank that is behind has what others wait for, and none that they have not sent
 * yet: so none waits for ever, and it does not matter which ranks do so.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

#include <limits.h>
#include <stddef.h>
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

/* -------------------------------------------------------------------- memory */

static uint64_t count_requests(const winnow_mpi *mpi, size_t each) {
    uint64_t number = 0;
    for (int r = 0; r < mpi->ranks; r++)
        if (r != mpi->rank)
            number += pieces_of(mpi, bytes_of(mpi->send, r, each)) +
                      pieces_of(mpi, bytes_of(mpi->receive, r, each));
    return number;
}

/* The largest message of elements of so many bytes, or the largest piece. */
static uint64_t most_bytes(const winnow_mpi *mpi, size_t each) {
    uint64_t most = 0;
    for (int r = 0; r < mpi->ranks; r++) {
        const uint64_t out = bytes_of(mpi->send, r, each);
        const uint64_t in = bytes_of(mpi->receive, r, each);
        if (r != mpi->rank && out > most)
            most = out;
        if (r != mpi->rank && in > most)
            most = in;
    }
    return most < mpi->piece_bytes ? most : mpi->piece_bytes;
}

static bool is_staged(const winnow_mpi *mpi, const winnow__mpi_memory *memory) {
    if (mpi->memory == WINNOW_MPI_AUTO)
        return memory->is_device && !mpi->is_cuda_aware;
    return mpi->memory == WINNOW_MPI_STAGED;
}

static winnow_status find_memory(const winnow_mpi *mpi,
                                 const winnow_move *moves, unsigned number,
                                 winnow__mpi_messages *messages) {
    winnow_status status = WINNOW_OK;
    for (unsigned c = 0; c < number && status == WINNOW_OK; c++) {
        winnow__mpi_memory in, out;
        status = winnow__mpi_find_memory(moves[c].d_in, &in);
        if (status == WINNOW_OK)
            status = winnow__mpi_find_memory(moves[c].d_out, &out);
        if (status != WINNOW_OK)
            break;
        messages->staged[c] = is_staged(mpi, &in) || is_staged(mpi, &out);
        messages->memory[c] = out.is_cuda ? out : in;
        if (messages->staged[c]) {
            const uint64_t bytes = most_bytes(mpi, moves[c].element_bytes);
            if (bytes > messages->stage_bytes)
                messages->stage_bytes = bytes;
            messages->stage_memory = messages->memory[c];
        }
    }
    return status;
}

static winnow_status alloc_requests(const winnow_mpi *mpi,
                                    const winnow_move *moves, unsigned number,
                                    winnow__mpi_messages *messages) {
    uint64_t most = 2; /* of a staged column */
    for (unsigned c = 0; c < number; c++) {
        const uint64_t here = messages->staged[c]
                                  ? 0
                                  : count_requests(mpi, moves[c].element_bytes);
        if (here > most)
            most = here;
    }
    if (most > INT_MAX)
        return winnow__mpi_fail(WINNOW_ERR_ARGUMENT,
                                "%llu messages of %llu bytes: piece_bytes is "
                                "too small",
                                (unsigned long long)most,
                                (unsigned long long)mpi->piece_bytes);
    messages->requests = malloc(most * sizeof *messages->requests);
    return messages->requests != NULL
               ? WINNOW_OK
               : winnow__mpi_fail(WINNOW_ERR_MEMORY,
                                  "no memory for %llu messages",
                                  (unsigned long long)most);
}

winnow_status winnow__mpi_prepare(const winnow_mpi *mpi,
                                  const winnow_move *moves, unsigned number,
                                  winnow__mpi_messages *messages) {
    winnow_status status = find_memory(mpi, moves, number, messages);
    if (status == WINNOW_OK)
        status = alloc_requests(mpi, moves, number, messages);
    for (int i = 0; i < 2 && status == WINNOW_OK; i++)
        status = winnow__mpi_alloc(&messages->stage_memory, true,
                                   messages->stage_bytes, &messages->stage[i]);
    return status;
}

void winnow__mpi_finish(winnow__mpi_messages *messages) {
    free(messages->requests);
    for (int i = 0; i < 2; i++)
        winnow__mpi_free(&messages->stage_memory, true, messages->stage[i]);
}

/* -------------------------------------------------------------------- columns */

/* What is under way of a column. */
typedef struct column {
    const winnow_mpi *mpi;
    const winnow_move *move;
    const winnow__mpi_memory *memory;
    void *const *stage;
    MPI_Request *requests;
    int started;
} column;

/* What goes to a rank, or comes from it. */
typedef struct part {
    bool receives;
    int rank;
    unsigned char *start;
    uint64_t bytes;
} part;

static part part_of(const column *c, bool receives, int rank) {
    const uint64_t *const offsets = receives ? c->mpi->receive : c->mpi->send;
    const size_t each = c->move->element_bytes;
    void *const start =
        receives ? c->move->d_out : (void *)(uintptr_t)c->move->d_in;
    return (part){.receives = receives,
                  .rank = rank,
                  .start = (unsigned char *)start + offsets[rank] * each,
                  .bytes = bytes_of(offsets, rank, each)};
}

/* Of the piece that begins there. */
static uint64_t piece_at(const column *c, const part *p, uint64_t at) {
    const uint64_t left = at < p->bytes ? p->bytes - at : 0;
    return left < c->mpi->piece_bytes ? left : c->mpi->piece_bytes;
}

static winnow_status start_piece(column *c, const part *p, void *start,
                                 uint64_t bytes) {
    MPI_Request *const request = &c->requests[c->started];
    const winnow_status status =
        p->receives
            ? winnow__mpi_status(MPI_Irecv(start, (int)bytes, MPI_BYTE, p->rank,
                                           TAG, c->mpi->comm, request),
                                 "MPI_Irecv")
            : winnow__mpi_status(MPI_Isend(start, (int)bytes, MPI_BYTE, p->rank,
                                           TAG, c->mpi->comm, request),
                                 "MPI_Isend");
    c->started += status == WINNOW_OK;
    return status;
}

static winnow_status start_part(column *c, const part *p) {
    winnow_status status = WINNOW_OK;
    for (uint64_t at = 0; at < p->bytes && status == WINNOW_OK;
         at += c->mpi->piece_bytes)
        status = start_piece(c, p, p->start + at, piece_at(c, p, at));
    return status;
}

static winnow_status wait_all(column *c) {
    const winnow_status status = winnow__mpi_status(
        MPI_Waitall(c->started, c->requests, MPI_STATUSES_IGNORE),
        "MPI_Waitall");
    c->started = 0;
    return status;
}

static winnow_status exchange_staged(column *c, const part *out,
                                     const part *in) {
    winnow_status status = WINNOW_OK;
    for (uint64_t at = 0;
         (at < out->bytes || at < in->bytes) && status == WINNOW_OK;
         at += c->mpi->piece_bytes) {
        const uint64_t go = piece_at(c, out, at), come = piece_at(c, in, at);
        if (come != 0)
            status = start_piece(c, in, c->stage[1], come);
        if (status == WINNOW_OK && go != 0) {
            status =
                winnow__mpi_copy(c->memory, c->stage[0], out->start + at, go);
            if (status == WINNOW_OK)
                status = start_piece(c, out, c->stage[0], go);
        }
        if (status == WINNOW_OK)
            status = wait_all(c);
        if (status == WINNOW_OK)
            status =
                winnow__mpi_copy(c->memory, in->start + at, c->stage[1], come);
    }
    return status;
}

static int further(const winnow_mpi *mpi, int k) {
    return (mpi->rank + k) % mpi->ranks;
}

static winnow_status send_staged(column *c) {
    winnow_status status = WINNOW_OK;
    for (int k = 1; k < c->mpi->ranks && status == WINNOW_OK; k++) {
        const part out = part_of(c, false, further(c->mpi, k));
        const part in = part_of(c, true, further(c->mpi, c->mpi->ranks - k));
        status = exchange_staged(c, &out, &in);
    }
    return status;
}

static winnow_status start_direct(column *c) {
    const int ranks = c->mpi->ranks;
    winnow_status status = WINNOW_OK;
    for (int k = 1; k < ranks && status == WINNOW_OK; k++) {
        const part in = part_of(c, true, further(c->mpi, ranks - k));
        status = start_part(c, &in);
    }
    for (int k = 1; k < ranks && status == WINNOW_OK; k++) {
        const part out = part_of(c, false, further(c->mpi, k));
        status = start_part(c, &out);
    }
    return status;
}

static winnow_status keep_own(const column *c) {
    const part out = part_of(c, false, c->mpi->rank);
    const part in = part_of(c, true, c->mpi->rank);
    return winnow__mpi_copy(c->memory, in.start, out.start, in.bytes);
}

/* Where it fails, others wait for what does not come. */
winnow_status winnow__mpi_send(const winnow_mpi *mpi, const winnow_move *moves,
                               unsigned number,
                               const winnow__mpi_messages *messages) {
    winnow_status status = WINNOW_OK;
    for (unsigned i = 0; i < number && status == WINNOW_OK; i++) {
        column c = {.mpi = mpi,
                    .move = &moves[i],
                    .memory = &messages->memory[i],
                    .stage = messages->stage,
                    .requests = messages->requests};
        status = messages->staged[i] ? send_staged(&c) : start_direct(&c);
        if (status != WINNOW_OK)
            return status;
        const winnow_status own = keep_own(&c);
        status = wait_all(&c);
        if (status == WINNOW_OK)
            status = own;
    }
    return status;
}
