/*
 * Messages between ranks: of bytes, in pieces. A group has one piece of each
 * column for each pair of ranks, so that small columns go together; the ranks of
 * a pair count the same pieces, whatever others do.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

/* A piece of what goes from one rank to another, of a column. */
typedef struct piece {
    uint64_t at, bytes;
} piece;

static piece piece_of(const winnow_nccl *nccl, const uint64_t *offsets,
                      int rank, size_t each, uint64_t round) {
    const uint64_t all = (offsets[rank + 1] - offsets[rank]) * each;
    const uint64_t begin = round * nccl->piece_bytes;
    const uint64_t left = all > begin ? all - begin : 0;
    return (piece){offsets[rank] * each + begin,
                   left < nccl->piece_bytes ? left : nccl->piece_bytes};
}

/* The pieces of the largest message, from here or to here. */
static uint64_t count_rounds(const winnow_nccl *nccl, const winnow_move *moves,
                             unsigned number) {
    uint64_t most = 0;
    size_t each = 0;
    for (unsigned c = 0; c < number; c++)
        each = moves[c].element_bytes > each ? moves[c].element_bytes : each;
    for (int r = 0; r < nccl->ranks; r++) {
        const uint64_t to = nccl->send[r + 1] - nccl->send[r];
        const uint64_t from = nccl->receive[r + 1] - nccl->receive[r];
        most = to > most ? to : most;
        most = from > most ? from : most;
    }
    const uint64_t bytes = most * each;
    return bytes / nccl->piece_bytes + (bytes % nccl->piece_bytes != 0);
}

static ncclResult_t send_piece(const winnow_nccl *nccl, const winnow_move *move,
                               uint64_t round, int to, cudaStream_t stream) {
    const piece p = piece_of(nccl, nccl->send, to, move->element_bytes, round);
    return p.bytes == 0 ? ncclSuccess
                        : ncclSend((const unsigned char *)move->d_in + p.at,
                                   p.bytes, ncclUint8, to, nccl->comm, stream);
}

static ncclResult_t receive_piece(const winnow_nccl *nccl,
                                  const winnow_move *move, uint64_t round,
                                  int from, cudaStream_t stream) {
    const piece p =
        piece_of(nccl, nccl->receive, from, move->element_bytes, round);
    return p.bytes == 0 ? ncclSuccess
                        : ncclRecv((unsigned char *)move->d_out + p.at, p.bytes,
                                   ncclUint8, from, nccl->comm, stream);
}

/* A rank begins with its neighbours, so that no two begin with the same one. */
static winnow_status enqueue_column(const winnow_nccl *nccl,
                                    const winnow_move *move, uint64_t round,
                                    cudaStream_t stream) {
    const int rank = nccl->rank, ranks = nccl->ranks;
    for (int k = 0; k < ranks; k++) {
        ncclResult_t result =
            send_piece(nccl, move, round, (rank + k) % ranks, stream);
        if (result == ncclSuccess)
            result = receive_piece(nccl, move, round,
                                   (rank - k + ranks) % ranks, stream);
        if (result != ncclInProgress)
            WINNOW__TRY(winnow__nccl_status(nccl->comm, result, "ncclSend"));
    }
    return WINNOW_OK;
}

winnow_status winnow__nccl_send(const winnow_nccl *nccl,
                                const winnow_move *moves, unsigned number,
                                cudaStream_t stream) {
    const uint64_t rounds = count_rounds(nccl, moves, number);
    winnow_status status = WINNOW_OK;
    for (uint64_t round = 0; round < rounds && status == WINNOW_OK; round++) {
        status = WINNOW__NCCL(nccl->comm, ncclGroupStart());
        if (status != WINNOW_OK)
            break;
        for (unsigned c = 0; c < number && status == WINNOW_OK; c++)
            status = enqueue_column(nccl, &moves[c], round, stream);
        const winnow_status ended = WINNOW__NCCL(nccl->comm, ncclGroupEnd());
        status = status == WINNOW_OK ? ended : status;
    }
    return status;
}
