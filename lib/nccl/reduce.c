/*
 * winnow_nccl_reduce: every rank gathers the partials of all ranks and merges
 * them in the order of the ranks, so that all get the same bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"
#include "peers.h"

static winnow_status check(winnow_type type, const winnow_reduction *d_partial,
                           const uint64_t *d_first, unsigned wanted,
                           const winnow_reduction *d_result,
                           winnow_reduction *nothing_p) {
    WINNOW__TRY(winnow__ranks_need(d_partial, "d_partial"));
    WINNOW__TRY(winnow__ranks_need(d_result, "d_result"));
    if (!winnow__nccl_is_aligned(d_partial) ||
        !winnow__nccl_is_aligned(d_first) || !winnow__nccl_is_aligned(d_result))
        return winnow__ranks_refuse(
            "d_partial, d_first or d_result is not 8-byte "
            "aligned");
    if (wanted & WINNOW_REDUCE_PARTIAL)
        return winnow__ranks_refuse(
            "wanted has WINNOW_REDUCE_PARTIAL: the result "
            "is of all ranks");
    return winnow_reduction_merge(type, NULL, NULL, 0, wanted, nothing_p);
}

static winnow_status check_reach(const winnow_nccl *nccl,
                                 const winnow_reduction *d_partial,
                                 const uint64_t *d_first,
                                 const winnow_reduction *d_result,
                                 cudaStream_t stream) {
    WINNOW__TRY(winnow__nccl_reaches(nccl, stream, "d_partial", d_partial,
                                     sizeof *d_partial));
    WINNOW__TRY(winnow__nccl_reaches(nccl, stream, "d_first", d_first,
                                     sizeof *d_first));
    return winnow__nccl_reaches(nccl, stream, "d_result", d_result,
                                sizeof *d_result);
}

/* The properties of a type that merging needs. */
static winnow__reduce_type type_of(winnow_type type) {
    return (winnow__reduce_type){
        .is_signed = (type >= WINNOW_INT8 && type <= WINNOW_INT64) ||
                     type == WINNOW_INT128,
        .is_float = type >= WINNOW_FLOAT16 && type <= WINNOW_FLOAT64,
        .is_decimal = type == WINNOW_INT128};
}

static winnow_status reduce_by_nccl(const winnow_nccl *nccl,
                                    const winnow__nccl_reduce_args *args,
                                    cudaStream_t stream) {
    const size_t words = WINNOW__NCCL_REDUCE_WORDS;
    WINNOW__TRY(
        winnow__nccl_launch(&winnow__nccl_tell_partial, 1, args, stream));
    WINNOW__TRY(WINNOW__NCCL(
        nccl->comm,
        ncclAllGather(args->words + (size_t)nccl->rank * words, args->words,
                      words, ncclUint64, nccl->comm, stream)));
    return winnow__nccl_launch(&winnow__nccl_merge, 1, args, stream);
}

winnow_status winnow_nccl_reduce(winnow_nccl *nccl, winnow_type type,
                                 const winnow_reduction *d_partial,
                                 const uint64_t *d_first, unsigned wanted,
                                 winnow_reduction *d_result,
                                 const winnow_launch *launch) {
    winnow__nccl_reduce_args args = {.same =
                                         winnow__nccl_same_result(type, wanted),
                                     .type = type_of(type),
                                     .wanted = wanted};
    cudaStream_t stream = NULL;
    int before;
    WINNOW__TRY(winnow__ranks_need(nccl, "nccl"));
    winnow_status mine = winnow__nccl_check_launch(launch, &stream);
    if (mine == WINNOW_OK)
        mine = check(type, d_partial, d_first, wanted, d_result, &args.nothing);
    if (mine == WINNOW_OK)
        mine = check_reach(nccl, d_partial, d_first, d_result, stream);
    if (mine == WINNOW_OK) { /* else it takes part with no partial */
        args.partial = (const void *)d_partial;
        args.first = d_first;
        args.result = d_result;
    }
    args.fault = winnow__nccl_host_fault(mine);
    args.late = nccl->late;
    args.words = nccl->d_results;
    winnow_status status = winnow__nccl_enter(nccl, &before);
    if (status != WINNOW_OK)
        return status;
    if (nccl->way == WINNOW_NCCL_PEER) {
        args.round = winnow__nccl_round_of(nccl);
        status =
            winnow__nccl_launch(&winnow__nccl_peer_reduce, 1, &args, stream);
    } else {
        args.round.rank = (unsigned)nccl->rank;
        args.round.ranks = (unsigned)nccl->ranks;
        status = reduce_by_nccl(nccl, &args, stream);
    }
    winnow__nccl_leave(before);
    return status == WINNOW_OK ? mine : status;
}
