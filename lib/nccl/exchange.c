/*
 * winnow_nccl_exchange: sends each part to its rank.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "peers.h"
#include "ranks.h"

/* ----------------------------------------------------------------- messages */

/* A piece of a column, sent from one rank to another. */
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

/* The number of pieces of the largest message to or from this rank. */
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

/* A rank begins with itself, so that all ranks send to different ones. */
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

/* Elements nccl->send[r] to nccl->send[r + 1] - 1 of each column go to rank r.
 * Elements from rank r go to nccl->receive[r] and further. */
static winnow_status winnow__nccl_send(const winnow_nccl *nccl,
                                       const winnow_move *moves,
                                       unsigned number, cudaStream_t stream) {
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

/* ------------------------------------------------------------------ columns */

/* Elements of an input before an output or the end of the address space. */
static uint64_t most_before(const winnow_move *in, const winnow_move *out,
                            uint64_t capacity) {
    const uintptr_t start = (uintptr_t)in->d_in;
    uintptr_t end = UINTPTR_MAX;
    if (start == 0)
        return 0;
    if (capacity != 0 &&
        start < (uintptr_t)out->d_out + capacity * out->element_bytes)
        end = (uintptr_t)out->d_out;
    return end > start ? (end - start) / in->element_bytes : 0;
}

/*
 * Are the columns valid for `capacity` received elements? *most_p: the most
 * elements that may be sent, so that inputs overlap no output and stay in the
 * address space.
 */
static winnow_status winnow__nccl_check_columns(const winnow_move *moves,
                                                unsigned number,
                                                uint64_t capacity,
                                                uint64_t *most_p) {
    WINNOW__TRY(winnow__ranks_check_columns(moves, number));
    WINNOW__TRY(winnow__ranks_check_memory(moves, number, 0, capacity));
    *most_p = UINT64_MAX;
    for (unsigned c = 0; c < number; c++)
        for (unsigned i = 0; i < number; i++) {
            const uint64_t most = most_before(&moves[c], &moves[i], capacity);
            if (most < *most_p)
                *most_p = most;
        }
    return WINNOW_OK;
}

/* During a capture the host would wait for ever. */
static winnow_status check_capture(cudaStream_t stream) {
    enum cudaStreamCaptureStatus capture;
    const winnow_status status =
        WINNOW__NCCL_CUDA(cudaStreamIsCapturing(stream, &capture));
    return status != WINNOW_OK || capture == cudaStreamCaptureStatusNone
               ? status
               : winnow__ranks_fail(WINNOW_ERR_UNSUPPORTED,
                                    "the stream is capturing: this call waits "
                                    "for the counts");
}

static winnow_status bring_exactly(winnow_nccl *nccl, winnow__nccl_offer *offer,
                                   const winnow_move *moves, unsigned number,
                                   cudaStream_t stream) {
    WINNOW__TRY(check_capture(stream));
    if (offer->is_even)
        WINNOW__TRY(winnow__nccl_cut_parts(nccl, offer->count, &offer->offsets,
                                           stream));
    WINNOW__TRY(winnow__nccl_agree(nccl, offer, stream));
    return winnow__nccl_send(nccl, moves, number, stream);
}

winnow_status winnow__nccl_bring(winnow_nccl *nccl, winnow__nccl_offer *offer,
                                 const winnow_move *moves, unsigned number,
                                 const winnow_launch *launch) {
    cudaStream_t stream = NULL;
    int before;
    winnow_status status = winnow__nccl_check_launch(launch, &stream);
    if (status == WINNOW_OK && offer->status == WINNOW_OK)
        status = winnow__nccl_check_columns(moves, number, offer->capacity,
                                            &offer->most);
    if (status == WINNOW_OK && offer->status == WINNOW_OK)
        status = winnow__nccl_reaches_offer(nccl, offer, moves, number, stream);
    if (status != WINNOW_OK)
        offer->status = status;
    if (offer->status == WINNOW_OK)
        offer->same = winnow__nccl_same_columns(moves, number);
    else
        offer->count = NULL;
    WINNOW__TRY(winnow__nccl_enter(nccl, &before));
    status = nccl->way == WINNOW_NCCL_PEER
                 ? winnow__nccl_push_columns(nccl, offer, moves, number, stream)
                 : bring_exactly(nccl, offer, moves, number, stream);
    winnow__nccl_leave(before);
    return status;
}

/* No rank stores to an unaligned address, not even when it reports an error. */
static winnow_status check(winnow__nccl_offer *offer) {
    if (!winnow__nccl_is_aligned(offer->from_offsets)) {
        offer->from_offsets = NULL;
        return winnow__ranks_refuse("d_from_offsets is not 8-byte aligned");
    }
    return offer->offsets != NULL && winnow__nccl_is_aligned(offer->offsets)
               ? WINNOW_OK
               : winnow__ranks_refuse(
                     "d_offsets is NULL, or not 8-byte aligned");
}

winnow_status winnow_nccl_exchange(winnow_nccl *nccl, const uint64_t *d_offsets,
                                   const winnow_move *moves,
                                   unsigned move_count, uint64_t capacity,
                                   uint64_t *d_from_offsets,
                                   const winnow_launch *launch) {
    winnow__nccl_offer offer = {.offsets = d_offsets,
                                .capacity = capacity,
                                .from_offsets = d_from_offsets};
    WINNOW__TRY(winnow__ranks_need(nccl, "nccl"));
    offer.status = check(&offer);
    return winnow__nccl_bring(nccl, &offer, moves, move_count, launch);
}
