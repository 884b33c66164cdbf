/*
 * Messages between ranks, in bytes. They are cut into pieces, since MPI counts
 * with an int, and a derived type for the same bytes is many times slower.
 *
 * Each rank begins with the rank next to it, so that all ranks begin with
 * different ones. All messages of a column are in flight together. Messages
 * between two ranks have one tag: MPI keeps their order, and both ranks cut
 * them in the same way. Columns that MPI cannot access are staged (staged.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "messages.h"

#include <limits.h>

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

/* The bytes of the largest message, at most a piece. */
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

static winnow_status find_column(const winnow_mpi *mpi, const winnow_move *move,
                                 bool *staged_p, winnow__mpi_memory *memory_p) {
    winnow__mpi_memory in, out;
    WINNOW__TRY(winnow__mpi_find_memory(move->d_in, &in));
    WINNOW__TRY(winnow__mpi_find_memory(move->d_out, &out));
    *staged_p = is_staged(mpi, &in) || is_staged(mpi, &out);
    *memory_p = out.is_cuda ? out : in;
    return WINNOW_OK;
}

/* Two pieces each way, pinned if any staged column is in CUDA memory. */
static winnow_status take_stage(winnow_mpi *mpi, const winnow_move *moves,
                                unsigned number,
                                winnow__mpi_messages *messages) {
    winnow__mpi_memory about = {0};
    void *out = NULL, *in = NULL;
    for (unsigned c = 0; c < number; c++) {
        const uint64_t bytes = most_bytes(mpi, moves[c].element_bytes);
        if (!messages->staged[c])
            continue;
        if (bytes > messages->stage_bytes)
            messages->stage_bytes = bytes;
        if (messages->memory[c].is_cuda)
            about = messages->memory[c];
    }
    WINNOW__TRY(winnow__mpi_take(mpi, WINNOW__MPI_STAGED_OUT, &about, true,
                                 2 * messages->stage_bytes, &out));
    WINNOW__TRY(winnow__mpi_take(mpi, WINNOW__MPI_STAGED_IN, &about, true,
                                 2 * messages->stage_bytes, &in));
    messages->out = out;
    messages->in = in;
    return WINNOW_OK;
}

static winnow_status take_requests(winnow_mpi *mpi, const winnow_move *moves,
                                   unsigned number,
                                   winnow__mpi_messages *messages) {
    const winnow__mpi_memory plain = {0};
    uint64_t most = 2; /* for a column that is staged piece by piece */
    void *requests = NULL;
    for (unsigned c = 0; c < number; c++) {
        const uint64_t here = count_requests(mpi, moves[c].element_bytes);
        if (here > most)
            most = here;
    }
    if (most > INT_MAX)
        return winnow__ranks_refuse(
            "%llu messages of %llu bytes: piece_bytes is too small",
            (unsigned long long)most, (unsigned long long)mpi->piece_bytes);
    WINNOW__TRY(winnow__mpi_take(mpi, WINNOW__MPI_REQUESTS, &plain, true,
                                 most * sizeof *messages->requests, &requests));
    messages->requests = requests;
    return WINNOW_OK;
}

winnow_status winnow__mpi_prepare(winnow_mpi *mpi, const winnow_move *moves,
                                  unsigned number,
                                  winnow__mpi_messages *messages) {
    *messages = (winnow__mpi_messages){0};
    for (unsigned c = 0; c < number; c++)
        WINNOW__TRY(find_column(mpi, &moves[c], &messages->staged[c],
                                &messages->memory[c]));
    WINNOW__TRY(take_requests(mpi, moves, number, messages));
    return take_stage(mpi, moves, number, messages);
}

/* -------------------------------------------------------------------- columns */

winnow__mpi_arrays winnow__mpi_arrays_of(const winnow_move *move) {
    return (winnow__mpi_arrays){.out = (void *)(uintptr_t)move->d_in,
                                .in = move->d_out};
}

winnow__mpi_part winnow__mpi_part_of(const winnow__mpi_column *c,
                                     const winnow__mpi_arrays *arrays,
                                     bool receives, int rank) {
    const uint64_t *const offsets = receives ? c->mpi->receive : c->mpi->send;
    const size_t each = c->move->element_bytes;
    unsigned char *const start =
        receives ? arrays->in + offsets[rank] * each
                 : arrays->out + (offsets[rank] - arrays->first) * each;
    return (winnow__mpi_part){.receives = receives,
                              .rank = rank,
                              .start = start,
                              .bytes = bytes_of(offsets, rank, each)};
}

uint64_t winnow__mpi_piece_at(const winnow__mpi_column *c,
                              const winnow__mpi_part *p, uint64_t at) {
    const uint64_t left = at < p->bytes ? p->bytes - at : 0;
    return left < c->mpi->piece_bytes ? left : c->mpi->piece_bytes;
}

winnow_status winnow__mpi_start_piece(winnow__mpi_column *c,
                                      const winnow__mpi_part *p, void *start,
                                      uint64_t bytes) {
    MPI_Request *const request = &c->messages->requests[c->started];
    const winnow_status status =
        p->receives
            ? WINNOW__MPI(MPI_Irecv(start, (int)bytes, MPI_BYTE, p->rank, TAG,
                                    c->mpi->comm, request))
            : WINNOW__MPI(MPI_Isend(start, (int)bytes, MPI_BYTE, p->rank, TAG,
                                    c->mpi->comm, request));
    c->started += status == WINNOW_OK;
    return status;
}

static winnow_status start_part(winnow__mpi_column *c,
                                const winnow__mpi_part *p) {
    for (uint64_t at = 0; at < p->bytes; at += c->mpi->piece_bytes)
        WINNOW__TRY(winnow__mpi_start_piece(c, p, p->start + at,
                                            winnow__mpi_piece_at(c, p, at)));
    return WINNOW_OK;
}

winnow_status winnow__mpi_start_parts(winnow__mpi_column *c,
                                      const winnow__mpi_arrays *arrays) {
    const int ranks = c->mpi->ranks;
    for (int k = 1; k < ranks; k++) {
        const winnow__mpi_part in = winnow__mpi_part_of(
            c, arrays, true, winnow__mpi_further(c->mpi, ranks - k));
        WINNOW__TRY(start_part(c, &in));
    }
    for (int k = 1; k < ranks; k++) {
        const winnow__mpi_part out = winnow__mpi_part_of(
            c, arrays, false, winnow__mpi_further(c->mpi, k));
        WINNOW__TRY(start_part(c, &out));
    }
    return WINNOW_OK;
}

winnow_status winnow__mpi_wait_all(winnow__mpi_column *c) {
    const winnow_status status = WINNOW__MPI(
        MPI_Waitall(c->started, c->messages->requests, MPI_STATUSES_IGNORE));
    c->started = 0;
    return status;
}

/* Copies the rank's own part, while messages are in flight. */
static winnow_status start_own(const winnow__mpi_column *c,
                               const winnow__mpi_arrays *arrays) {
    const int rank = c->mpi->rank;
    const winnow__mpi_part out = winnow__mpi_part_of(c, arrays, false, rank);
    const winnow__mpi_part in = winnow__mpi_part_of(c, arrays, true, rank);
    return winnow__mpi_start_copy(c->memory, in.start, out.start, in.bytes);
}

static winnow_status send_column(winnow__mpi_column *c, bool is_staged) {
    const winnow__mpi_arrays arrays = winnow__mpi_arrays_of(c->move);
    winnow_status own, status;
    if (is_staged) {
        own = start_own(c, &arrays);
        status = winnow__mpi_send_staged(c);
    } else {
        status = winnow__mpi_start_parts(c, &arrays);
        if (status != WINNOW_OK)
            return status;
        own = start_own(c, &arrays);
        status = winnow__mpi_wait_all(c);
    }
    if (status == WINNOW_OK)
        status = own;
    return status == WINNOW_OK ? winnow__mpi_await_copies(c->memory) : status;
}

/* If a rank fails here, other ranks wait for messages that never arrive. */
winnow_status winnow__mpi_send(const winnow_mpi *mpi, const winnow_move *moves,
                               unsigned number,
                               const winnow__mpi_messages *messages) {
    for (unsigned i = 0; i < number; i++) {
        winnow__mpi_column c = {.mpi = mpi,
                                .messages = messages,
                                .move = &moves[i],
                                .memory = &messages->memory[i]};
        WINNOW__TRY(send_column(&c, messages->staged[i]));
    }
    return WINNOW_OK;
}
