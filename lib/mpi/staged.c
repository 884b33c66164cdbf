/*
 * Columns that MPI cannot access. Small ones go through two buffers as a whole:
 * one copy, all messages, one copy. For large ones each buffer has room for two
 * pieces. A rank sends to the rank k places ahead while it receives from the
 * rank k places behind, for k = 1, 2, ... A step is one piece each way. While
 * MPI is at one step, the piece received in the previous step is copied to its
 * place, and the piece to send in the next step is fetched:
 *
 *     fetch      step s + 1
 *     MPI        step s
 *     put        step s - 1
 *
 * There is no deadlock: a rank receives each piece before it sends the next
 * one. The rank that is furthest behind waits only for pieces that have been
 * sent. This holds whichever ranks stage. Copies are on the default stream, in
 * this order, and finish before each step.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "messages.h"

/* ------------------------------------------------------------------- small ones */

static bool are_small(const winnow__mpi_column *c) {
    const winnow_mpi *const mpi = c->mpi;
    const size_t each = c->move->element_bytes;
    const size_t room = 2 * c->messages->stage_bytes;
    return (mpi->send[mpi->ranks] - mpi->send[0]) * each <= room &&
           mpi->receive[mpi->ranks] * each <= room;
}

/* Copies elements [begin, end) from one array to the same place of another. */
static winnow_status start_range(const winnow__mpi_column *c, unsigned char *to,
                                 const unsigned char *from, uint64_t begin,
                                 uint64_t end) {
    const size_t each = c->move->element_bytes;
    return winnow__mpi_start_copy(c->memory, to + begin * each,
                                  from + begin * each, (end - begin) * each);
}

/* Copies all parts but the rank's own. */
static winnow_status start_others(const winnow__mpi_column *c,
                                  unsigned char *to, const unsigned char *from,
                                  const uint64_t *offsets) {
    const int rank = c->mpi->rank;
    const uint64_t first = offsets[0];
    WINNOW__TRY(start_range(c, to, from, 0, offsets[rank] - first));
    return start_range(c, to, from, offsets[rank + 1] - first,
                       offsets[c->mpi->ranks] - first);
}

static winnow_status send_whole(winnow__mpi_column *c,
                                const winnow__mpi_arrays *arrays) {
    const winnow_mpi *const mpi = c->mpi;
    const winnow__mpi_arrays staged = {
        .out = c->messages->out, .in = c->messages->in, .first = mpi->send[0]};
    const unsigned char *const from =
        arrays->out + mpi->send[0] * c->move->element_bytes;
    WINNOW__TRY(start_others(c, staged.out, from, mpi->send));
    WINNOW__TRY(winnow__mpi_await_copies(c->memory));
    WINNOW__TRY(winnow__mpi_start_parts(c, &staged));
    WINNOW__TRY(winnow__mpi_wait_all(c));
    return start_others(c, arrays->in, staged.in, mpi->receive);
}

/* ------------------------------------------------------------------- large ones */

typedef struct step {
    int k;       /* places between the ranks */
    uint64_t at; /* the first byte of its pieces, in their parts */
    winnow__mpi_part out, in;
} step;

/* Finds the first step from s on. Returns false if there is none. */
static bool find_step(const winnow__mpi_column *c,
                      const winnow__mpi_arrays *arrays, step *s) {
    const winnow_mpi *const mpi = c->mpi;
    for (; s->k < mpi->ranks; s->k++, s->at = 0) {
        s->out = winnow__mpi_part_of(c, arrays, false,
                                     winnow__mpi_further(mpi, s->k));
        s->in = winnow__mpi_part_of(
            c, arrays, true, winnow__mpi_further(mpi, mpi->ranks - s->k));
        if (s->at < s->out.bytes || s->at < s->in.bytes)
            return true;
    }
    return false;
}

static winnow_status fetch(const winnow__mpi_column *c, const step *s,
                           unsigned char *to) {
    return winnow__mpi_start_copy(c->memory, to, s->out.start + s->at,
                                  winnow__mpi_piece_at(c, &s->out, s->at));
}

static winnow_status put(const winnow__mpi_column *c, const step *s,
                         const unsigned char *from) {
    return winnow__mpi_start_copy(c->memory, s->in.start + s->at, from,
                                  winnow__mpi_piece_at(c, &s->in, s->at));
}

static winnow_status start_step(winnow__mpi_column *c, const step *s,
                                unsigned char *out, unsigned char *in) {
    const uint64_t come = winnow__mpi_piece_at(c, &s->in, s->at);
    const uint64_t go = winnow__mpi_piece_at(c, &s->out, s->at);
    if (come != 0)
        WINNOW__TRY(winnow__mpi_start_piece(c, &s->in, in, come));
    return go != 0 ? winnow__mpi_start_piece(c, &s->out, out, go) : WINNOW_OK;
}

static winnow_status send_pieces(winnow__mpi_column *c,
                                 const winnow__mpi_arrays *arrays) {
    const size_t bytes = c->messages->stage_bytes;
    unsigned char *const out[2] = {c->messages->out, c->messages->out + bytes};
    unsigned char *const in[2] = {c->messages->in, c->messages->in + bytes};
    step before = {0}, now = {.k = 1};
    bool has_before = false, has_now = find_step(c, arrays, &now);
    unsigned turn = 0; /* the buffers of this step; others have the other two */
    winnow_status status = has_now ? fetch(c, &now, out[0]) : WINNOW_OK;
    while (has_now && status == WINNOW_OK) {
        step next = now;
        next.at += c->mpi->piece_bytes;
        const bool has_next = find_step(c, arrays, &next);
        status = winnow__mpi_await_copies(c->memory);
        if (status == WINNOW_OK)
            status = start_step(c, &now, out[turn], in[turn]);
        turn ^= 1;
        if (status == WINNOW_OK && has_next)
            status = fetch(c, &next, out[turn]);
        if (status == WINNOW_OK && has_before)
            status = put(c, &before, in[turn]);
        if (status == WINNOW_OK)
            status = winnow__mpi_wait_all(c);
        before = now;
        now = next;
        has_before = true;
        has_now = has_next;
    }
    return has_before && status == WINNOW_OK ? put(c, &before, in[turn ^ 1])
                                             : status;
}

winnow_status winnow__mpi_send_staged(winnow__mpi_column *c) {
    const winnow__mpi_arrays arrays = winnow__mpi_arrays_of(c->move);
    WINNOW__TRY(are_small(c) ? send_whole(c, &arrays)
                             : send_pieces(c, &arrays));
    return winnow__mpi_await_copies(c->memory);
}
