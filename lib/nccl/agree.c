/*
 * Before anything is sent, ranks learn what they receive and agree on a status.
 *
 *     make_words -> a word for each pair of ranks -> judge -> is any rank short?
 *     -> tell -> host memory
 *
 * All of this is enqueued, and the host waits once. A rank with wrong arguments
 * says so in its words, and makes the same calls as the others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"
#include "ranks.h"

static winnow_status exchange_words(const winnow_nccl *nccl,
                                    cudaStream_t stream) {
    const size_t bytes = sizeof *nccl->d_words;
    winnow_status status = WINNOW__NCCL(nccl->comm, ncclGroupStart());
    if (status != WINNOW_OK)
        return status;
    for (int r = 0; r < nccl->ranks && status == WINNOW_OK; r++) {
        ncclResult_t result = ncclSend(&nccl->d_words[r], bytes, ncclUint8, r,
                                       nccl->comm, stream);
        if (result == ncclSuccess)
            result = ncclRecv(&nccl->d_heard[r], bytes, ncclUint8, r,
                              nccl->comm, stream);
        if (result != ncclInProgress)
            status = winnow__nccl_status(nccl->comm, result, "ncclSend");
    }
    const winnow_status ended = WINNOW__NCCL(nccl->comm, ncclGroupEnd());
    return status == WINNOW_OK ? ended : status;
}

static winnow_status enqueue(winnow_nccl *nccl, const winnow__nccl_offer *offer,
                             cudaStream_t stream) {
    const unsigned ranks = (unsigned)nccl->ranks;
    const winnow__nccl_words_args words = {
        .offsets = offer->offsets,
        .send = nccl->d_send,
        .words = nccl->d_words,
        .most = offer->most,
        .same = offer->same,
        .fault = winnow__nccl_host_fault(offer->status),
        .ranks = ranks};
    const winnow__nccl_judge_args judge = {.words = nccl->d_heard,
                                           .receive = nccl->d_receive,
                                           .verdict = nccl->d_verdict,
                                           .capacity = offer->capacity,
                                           .rank = (unsigned)nccl->rank,
                                           .ranks = ranks};
    const winnow__nccl_tell_args tell = {.verdict = nccl->d_verdict,
                                         .send = nccl->d_send,
                                         .receive = nccl->d_receive,
                                         .host_verdict = nccl->verdict,
                                         .host_send = nccl->send,
                                         .host_receive = nccl->receive,
                                         .from_offsets = offer->from_offsets,
                                         .share = offer->share,
                                         .ranks = ranks};
    uint64_t *const is_short = &nccl->d_verdict->is_short;
    WINNOW__TRY(
        winnow__nccl_launch(&winnow__nccl_make_words, 1, &words, stream));
    WINNOW__TRY(exchange_words(nccl, stream));
    WINNOW__TRY(winnow__nccl_launch(&winnow__nccl_judge, 1, &judge, stream));
    WINNOW__TRY(WINNOW__NCCL(nccl->comm,
                             ncclAllReduce(is_short, is_short, 1, ncclUint64,
                                           ncclMax, nccl->comm, stream)));
    return winnow__nccl_launch(&winnow__nccl_tell, 1, &tell, stream);
}

/* The maximum over all ranks. All but one rank contribute 0. */
static winnow_status tell_number(const winnow_nccl *nccl, uint64_t *d_number,
                                 cudaStream_t stream) {
    return WINNOW__NCCL(nccl->comm,
                        ncclAllReduce(d_number, d_number, 1, ncclUint64,
                                      ncclMax, nccl->comm, stream));
}

/* All ranks know that one is short. The first short rank broadcasts its numbers
 * by another call of NCCL. A short rank reports itself. */
static winnow_status say_short(const winnow_nccl *nccl, uint64_t capacity,
                               cudaStream_t stream) {
    winnow__nccl_verdict *const verdict = nccl->verdict;
    winnow__nccl_verdict *const d_verdict = nccl->d_verdict;
    const uint64_t first = ~verdict->is_short, needed = verdict->needed;
    const bool is_first = first == (uint64_t)nccl->rank;
    verdict->needed = is_first ? needed : 0;
    verdict->capacity = is_first ? capacity : 0;
    WINNOW__TRY(WINNOW__NCCL_CUDA(cudaMemcpyAsync(
        d_verdict, verdict, sizeof *verdict, cudaMemcpyHostToDevice, stream)));
    WINNOW__TRY(tell_number(nccl, &d_verdict->needed, stream));
    WINNOW__TRY(tell_number(nccl, &d_verdict->capacity, stream));
    WINNOW__TRY(WINNOW__NCCL_CUDA(cudaMemcpyAsync(
        verdict, d_verdict, sizeof *verdict, cudaMemcpyDeviceToHost, stream)));
    WINNOW__TRY(winnow__nccl_wait(nccl, stream));
    return needed > capacity
               ? winnow__ranks_fail_short((unsigned)nccl->rank, needed,
                                          capacity)
               : winnow__ranks_fail_short((unsigned)first, verdict->needed,
                                          verdict->capacity);
}

static winnow_status judge(const winnow_nccl *nccl,
                           const winnow__nccl_offer *offer,
                           cudaStream_t stream) {
    const winnow__nccl_verdict *const verdict = nccl->verdict;
    if (verdict->fault != WINNOW__NCCL_FINE)
        return winnow__nccl_fault_status(nccl, verdict->fault,
                                         verdict->fault_rank, offer->most);
    if (verdict->other != 0)
        return winnow__nccl_differ(verdict->other, verdict->same);
    return verdict->is_short != 0 ? say_short(nccl, offer->capacity, stream)
                                  : WINNOW_OK;
}

winnow_status winnow__nccl_agree(winnow_nccl *nccl,
                                 const winnow__nccl_offer *offer,
                                 cudaStream_t stream) {
    WINNOW__TRY(enqueue(nccl, offer, stream));
    WINNOW__TRY(winnow__nccl_wait(nccl, stream));
    return judge(nccl, offer, stream);
}
