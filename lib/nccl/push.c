/*
 * Exchanges, and equal shares, by stores to peers: three kernels and no wait.
 *
 *     offer.cu (exchanges counts and places of outputs) -> push.cu -> meet
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"
#include "peers.h"

winnow__nccl_round winnow__nccl_round_of(const winnow_nccl *nccl) {
    return (winnow__nccl_round){
        .windows = (winnow__nccl_window *const *)nccl->peers->d_bases,
        .epoch = nccl->peers->d_epoch,
        .rank = (unsigned)nccl->rank,
        .ranks = (unsigned)nccl->ranks};
}

/* The place of an output, in a form that peers understand. */
static winnow_status find_place(const winnow__nccl_peers *peers,
                                const winnow_move *move, unsigned column,
                                uint64_t capacity, uint64_t *place_p) {
    const uintptr_t start = (uintptr_t)move->d_out;
    const uint64_t bytes = capacity * move->element_bytes;
    if (capacity == 0)
        return WINNOW_OK; /* no peer stores there */
    for (unsigned i = 1; i < peers->allocations; i++) {
        const winnow__nccl_allocation *const a = &peers->allocation[i];
        const uintptr_t base = (uintptr_t)a->own;
        if (start < base || start - base > a->bytes ||
            a->bytes - (start - base) < bytes)
            continue;
        *place_p = (uint64_t)i << WINNOW__NCCL_OFFSET_BITS | (start - base);
        return WINNOW_OK;
    }
    return winnow__ranks_refuse("moves[%u].d_out is not in memory of "
                                "winnow_nccl_alloc(), or does not end there",
                                column);
}

static void fill_columns(const winnow_move *moves, unsigned number,
                         winnow__nccl_offer_args *offer,
                         winnow__nccl_push_args *push) {
    offer->columns = push->columns = number;
    for (unsigned c = 0; c < number; c++) {
        offer->bytes[c] = push->bytes[c] = (uint32_t)moves[c].element_bytes;
        push->in[c] = moves[c].d_in;
    }
}

winnow_status winnow__nccl_push_columns(winnow_nccl *nccl,
                                        const winnow__nccl_offer *offer,
                                        const winnow_move *moves,
                                        unsigned number, cudaStream_t stream) {
    winnow__nccl_peers *const peers = nccl->peers;
    const winnow__nccl_round round = winnow__nccl_round_of(nccl);
    winnow__nccl_offer_args args = {.round = round,
                                    .offsets = offer->offsets,
                                    .count = offer->count,
                                    .most = offer->most,
                                    .same = offer->same,
                                    .capacity = offer->capacity,
                                    .bases =
                                        (unsigned char *const *)peers->d_bases,
                                    .plan = peers->d_plan,
                                    .late = nccl->late,
                                    .from_offsets = offer->from_offsets,
                                    .share = offer->share};
    winnow__nccl_push_args push = {.plan = peers->d_plan,
                                   .rank = round.rank,
                                   .ranks = round.ranks,
                                   .blocks = peers->blocks};
    winnow_status mine = offer->status;
    for (unsigned c = 0; c < number && mine == WINNOW_OK; c++)
        mine =
            find_place(peers, &moves[c], c, offer->capacity, &args.places[c]);
    args.fault = winnow__nccl_host_fault(mine);
    if (mine == WINNOW_OK)
        fill_columns(moves, number, &args, &push);
    nccl->most = offer->most;
    WINNOW__TRY(winnow__nccl_launch(offer->is_even ? &winnow__nccl_make_even
                                                   : &winnow__nccl_make_offer,
                                    1, &args, stream));
    if (mine == WINNOW_OK)
        WINNOW__TRY(winnow__nccl_launch(
            &winnow__nccl_push, peers->blocks * round.ranks, &push, stream));
    WINNOW__TRY(winnow__nccl_launch(&winnow__nccl_meet, 1, &round, stream));
    return mine;
}
