/*
 * Before anything is sent, all ranks hear from each other how much comes, and
 * come to the same status.
 *
 *     words.cu -> a word for each pair -> judge.cu -> is any rank short?
 *     -> tell.cu -> memory of the host
 *
 * All of this is enqueued, and waited for once. A rank whose arguments are wrong
 * says so in its words, and goes the same way as the others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"
#include "ranks.h"

static winnow_status exchange_words(const winnow_nccl *nccl,
                                    cudaStream_t stream) {
    const size_t bytes = sizeof *nccl->d_words;
    winnow_status status =
        winnow__nccl_status(nccl->comm, ncclGroupStart(), "ncclGroupStart");
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
    const winnow_status ended =
        winnow__nccl_status(nccl->comm, ncclGroupEnd(), "ncclGroupEnd");
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
    winnow_status status =
        winnow__nccl_launch(&winnow__nccl_make_words, 1, &words, stream);
    if (status == WINNOW_OK)
        status = exchange_words(nccl, stream);
    if (status == WINNOW_OK)
        status = winnow__nccl_launch(&winnow__nccl_judge, 1, &judge, stream);
    if (status == WINNOW_OK)
        status =
            winnow__nccl_status(nccl->comm,
                                ncclAllReduce(is_short, is_short, 1, ncclUint64,
                                              ncclMax, nccl->comm, stream),
                                "ncclAllReduce");
    if (status == WINNOW_OK)
        status = winnow__nccl_launch(&winnow__nccl_tell, 1, &tell, stream);
    return status;
}

static winnow_status judge(const winnow_nccl *nccl,
                           const winnow__nccl_offer *offer) {
    const winnow__nccl_verdict *const verdict = nccl->verdict;
    if (verdict->fault != WINNOW__NCCL_FINE)
        return winnow__nccl_fault_status(nccl, verdict->fault,
                                         verdict->fault_rank, offer->most);
    if (verdict->differs)
        return winnow__nccl_differ();
    return verdict->is_short
               ? winnow__nccl_short(verdict->needed, offer->capacity)
               : WINNOW_OK;
}

winnow_status winnow__nccl_agree(winnow_nccl *nccl,
                                 const winnow__nccl_offer *offer,
                                 cudaStream_t stream) {
    winnow_status status = enqueue(nccl, offer, stream);
    if (status == WINNOW_OK)
        status = winnow__nccl_wait(nccl, stream);
    return status == WINNOW_OK ? judge(nccl, offer) : status;
}
