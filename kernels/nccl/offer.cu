/*
 * Ranks that reach each other's memory tell all others how much goes where, and
 * each plans what it sends: where its part begins in each peer's output, and how
 * much of it that has room for.
 *
 * Where a rank has a fault, or arguments differ, nobody sends anything, the
 * offsets are all ones, and the host is told.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.cuh"
#include "round.cuh"

namespace winnow::nccl {

/* Elements before this rank's in the output of each peer. */
struct Starts {
    uint64_t of[WINNOW__NCCL_PEERS];
};

/* Of the words of a message those that are used. */
__device__ __forceinline__ uint64_t word_of(const winnow__nccl_offer_args &args,
                                            uint64_t fault, unsigned int i) {
    const bool is_fine = fault == WINNOW__NCCL_FINE;
    if (i == WINNOW__NCCL_SAME)
        return args.same;
    if (i == WINNOW__NCCL_FAULT)
        return fault;
    if (i == WINNOW__NCCL_CAPACITY)
        return args.capacity;
    if (i >= WINNOW__NCCL_PLACES)
        return args.places[i - WINNOW__NCCL_PLACES];
    const unsigned int r = i - WINNOW__NCCL_COUNTS;
    return is_fine && r < args.round.ranks
               ? args.offsets[r + 1] - args.offsets[r]
               : 0;
}

/* What goes to a peer; by one thread. */
__device__ __forceinline__ void plan_peer(const winnow__nccl_offer_args &args,
                                          const Round &round, bool sends,
                                          unsigned int peer, uint64_t *at_p) {
    uint64_t at = 0, count = 0;
    if (sends) {
        const unsigned int own = WINNOW__NCCL_COUNTS + peer;
        const uint64_t capacity =
            round.message_from(peer)[WINNOW__NCCL_CAPACITY];
        for (unsigned int r = 0; r < args.round.rank; r++)
            at += round.message_from(r)[own];
        count = min(round.message_from(args.round.rank)[own],
                    at < capacity ? capacity - at : 0);
    }
    args.plan->begin[peer] = count != 0 ? args.offsets[peer] : 0;
    args.plan->count[peer] = count;
    *at_p = at;
}

/* Where a column of it goes, in this rank's addresses. */
__device__ __forceinline__ unsigned char *
address_of(const winnow__nccl_offer_args &args, const Round &round,
           unsigned int peer, unsigned int column, uint64_t at) {
    const uint64_t place =
        round.message_from(peer)[WINNOW__NCCL_PLACES + column];
    const uint64_t allocation = place >> WINNOW__NCCL_OFFSET_BITS;
    const uint64_t offset =
        place & ((uint64_t(1) << WINNOW__NCCL_OFFSET_BITS) - 1);
    return args.bases[allocation * WINNOW__NCCL_PEERS + peer] + offset +
           at * args.bytes[column];
}

__device__ __forceinline__ void tell_host(const winnow__nccl_offer_args &args,
                                          const Round &round,
                                          const Faults &faults) {
    args.late->fault_rank = faults.rank;
    args.late->fault =
        faults.rank == NO_RANK
            ? WINNOW__NCCL_FINE
            : round.message_from(faults.rank)[WINNOW__NCCL_FAULT];
    args.late->differs = faults.differs ? 1 : 0;
}

__global__ void __launch_bounds__(WINNOW__NCCL_THREADS)
    offer(const __grid_constant__ winnow__nccl_offer_args args) {
    WINNOW__SHARED(lowest, unsigned int);
    WINNOW__SHARED(starts, Starts);
    const unsigned int ranks = args.round.ranks, thread = threadIdx.x;
    const unsigned int words = WINNOW__NCCL_PLACES + args.columns;
    const uint64_t fault = find_fault(args, ranks);
    const Round round(args.round);
    for (unsigned int i = thread; i < ranks * words; i += blockDim.x)
        round.message_to(i / words)[i % words] =
            word_of(args, fault, i % words);
    round.meet();
    const Faults faults = find_faults(
        ranks, &lowest,
        [&](unsigned int r) {
            return round.message_from(r)[WINNOW__NCCL_FAULT];
        },
        [&](unsigned int r) {
            return round.message_from(r)[WINNOW__NCCL_SAME];
        });
    const bool sends = faults.rank == NO_RANK && !faults.differs;
    if (!sends && thread == 0)
        tell_host(args, round, faults);
    if (thread < ranks)
        plan_peer(args, round, sends, thread, &starts.of[thread]);
    __syncthreads(); /* offsets are read, which may be from_offsets */
    if (sends)
        for (unsigned int i = thread; i < ranks * args.columns; i += blockDim.x)
            args.plan->to[i / args.columns][i % args.columns] =
                address_of(args, round, i / args.columns, i % args.columns,
                           starts.of[i / args.columns]);
    if (thread > ranks || args.from_offsets == nullptr)
        return;
    uint64_t before = 0;
    for (unsigned int r = 0; r < thread; r++)
        before += round.message_from(r)[WINNOW__NCCL_COUNTS + args.round.rank];
    args.from_offsets[thread] = sends ? before : ~uint64_t(0);
}

/* All that was pushed has come, to all ranks. */
__global__ void __launch_bounds__(WINNOW__NCCL_PEERS)
    meet(const __grid_constant__ winnow__nccl_round args) {
    const Round round(args);
    round.meet();
}

} // namespace winnow::nccl

extern "C" const winnow__kernel winnow__nccl_make_offer, winnow__nccl_meet;
const winnow__kernel winnow__nccl_make_offer = {
    WINNOW__KERNEL(winnow::nccl::offer), WINNOW__NCCL_THREADS, 0, 0, 0};
const winnow__kernel winnow__nccl_meet = {WINNOW__KERNEL(winnow::nccl::meet),
                                          WINNOW__NCCL_PEERS, 0, 0, 0};
