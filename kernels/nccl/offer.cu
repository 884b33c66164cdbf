/*
 * Exchanges between ranks with peer access. Each rank sends all others its
 * counts: for each rank, or of all its items. Then it plans its part for each
 * peer: where the part begins in the peer's output, and its length.
 *
 * If a rank has a fault, or arguments differ, no rank sends anything, the
 * caller's numbers are all ones, and the host gets a report.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.cuh"
#include "round.cuh"

#include "kernels/core/share.h"

namespace winnow::nccl {

/* What goes to a peer. */
struct Part {
    uint64_t begin; /* in this rank's inputs */
    uint64_t at;    /* in the peer's outputs */
    uint64_t count;
};

/* Elements before this rank's in the output of each peer. */
struct Starts {
    uint64_t of[WINNOW__NCCL_PEERS];
};

/* Parts by the caller's offsets. Elements beyond a capacity are not sent. */
class Cut {
  public:
    static constexpr bool REFUSES = false; /* if a rank lacks room */

    __device__ __forceinline__ Cut(const winnow__nccl_offer_args &args,
                                   const Round &round)
        : args_(args), round_(round) {
    }

    __device__ __forceinline__ static uint64_t
    fault(const winnow__nccl_offer_args &args) {
        return find_fault(args, args.round.ranks);
    }

    /* The count for rank r, in the message to all ranks. */
    __device__ __forceinline__ static uint64_t
    count(const winnow__nccl_offer_args &args, unsigned int r) {
        return args.offsets[r + 1] - args.offsets[r];
    }

    __device__ __forceinline__ bool is_short(unsigned int) const {
        return false;
    }

    __device__ __forceinline__ Part part(unsigned int peer) const {
        const uint64_t capacity =
            round_.message_from(peer)[WINNOW__NCCL_CAPACITY];
        uint64_t at = 0;
        for (unsigned int r = 0; r < args_.round.rank; r++)
            at += told(r, peer);
        const uint64_t count = min(told(args_.round.rank, peer),
                                   at < capacity ? capacity - at : 0);
        return {count != 0 ? args_.offsets[peer] : 0, at, count};
    }

    /* No thread reads the offsets any more: from_offsets may be the same. */
    __device__ __forceinline__ void tell_caller(bool is_right) const {
        uint64_t before = 0;
        if (threadIdx.x > args_.round.ranks || args_.from_offsets == nullptr)
            return;
        for (unsigned int r = 0; r < threadIdx.x; r++)
            before += told(r, args_.round.rank);
        args_.from_offsets[threadIdx.x] = is_right ? before : ~uint64_t(0);
    }

  private:
    const winnow__nccl_offer_args &args_;
    const Round &round_;

    __device__ __forceinline__ uint64_t told(unsigned int from,
                                             unsigned int to) const {
        return round_.message_from(from)[WINNOW__NCCL_COUNTS + to];
    }
};

/* Equal shares of the items of all ranks, in their order. A rank sends to a
 * peer its items in the peer's share. If a rank lacks room, nothing is sent. */
class Even {
  public:
    static constexpr bool REFUSES = true;

    __device__ __forceinline__ Even(const winnow__nccl_offer_args &args,
                                    const Round &round)
        : args_(args), round_(round), first_(0), total_(0) {
        for (unsigned int r = 0; r < args.round.ranks; r++) {
            const uint64_t count = round.message_from(r)[WINNOW__NCCL_COUNTS];
            first_ += r < args.round.rank ? count : 0;
            total_ += count;
            end_ = r == args.round.rank ? total_ : end_;
        }
    }

    __device__ __forceinline__ static uint64_t
    fault(const winnow__nccl_offer_args &args) {
        if (args.fault != WINNOW__NCCL_FINE)
            return args.fault;
        return *args.count > args.most ? WINNOW__NCCL_BEYOND
                                       : WINNOW__NCCL_FINE;
    }

    __device__ __forceinline__ static uint64_t
    count(const winnow__nccl_offer_args &args, unsigned int r) {
        return r == 0 ? *args.count : 0;
    }

    __device__ __forceinline__ bool is_short(unsigned int peer) const {
        return needed(peer) > round_.message_from(peer)[WINNOW__NCCL_CAPACITY];
    }

    __device__ __forceinline__ Part part(unsigned int peer) const {
        const uint64_t begin = share(peer), end = share(peer + 1);
        const uint64_t low = winnow__within(begin, first_, end_);
        return {low, winnow__within(first_, begin, end),
                winnow__within(end, first_, end_) - low};
    }

    __device__ __forceinline__ void tell_caller(bool is_right) const {
        if (threadIdx.x == 0 && args_.share != nullptr)
            *args_.share = is_right ? needed(args_.round.rank) : ~uint64_t(0);
    }

    /* The size of a rank's share. */
    __device__ __forceinline__ uint64_t needed(unsigned int rank) const {
        return share(rank + 1) - share(rank);
    }

  private:
    const winnow__nccl_offer_args &args_;
    const Round &round_;
    uint64_t first_, end_ = 0; /* this rank's items, among those of all */
    uint64_t total_;

    __device__ __forceinline__ uint64_t share(unsigned int rank) const {
        return winnow__share(total_, args_.round.ranks, rank);
    }
};

/* Word i of a message. */
template <class Parts>
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
    return is_fine && r < args.round.ranks ? Parts::count(args, r) : 0;
}

/* The place of a column's part in the peer's memory, as an address of this
 * rank. */
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

/* One thread reports that this rank lacks room, else the first that does. */
template <class Parts>
__device__ __forceinline__ void
tell_short(const winnow__nccl_offer_args &args, const Round &round,
           const Parts &parts, unsigned int first) {
    const unsigned int rank =
        parts.is_short(args.round.rank) ? args.round.rank : first;
    args.late->fault = WINNOW__NCCL_FINE;
    args.late->other = 0;
    args.late->is_short = 1;
    args.late->short_rank = rank;
    args.late->needed = parts.needed(rank);
    args.late->capacity = round.message_from(rank)[WINNOW__NCCL_CAPACITY];
}

template <class Parts>
__global__ void __launch_bounds__(WINNOW__NCCL_THREADS)
    offer(const __grid_constant__ winnow__nccl_offer_args args) {
    WINNOW__SHARED(lowest, Faults);
    WINNOW__SHARED(starts, Starts);
    const unsigned int ranks = args.round.ranks, thread = threadIdx.x;
    const unsigned int words = WINNOW__NCCL_PLACES + args.columns;
    const uint64_t fault = Parts::fault(args);
    const Round round(args.round);
    for (unsigned int i = thread; i < ranks * words; i += blockDim.x)
        round.message_to(i / words)[i % words] =
            word_of<Parts>(args, fault, i % words);
    round.meet();
    const auto fault_of = [&](unsigned int r) {
        return round.message_from(r)[WINNOW__NCCL_FAULT];
    };
    const auto same_of = [&](unsigned int r) {
        return round.message_from(r)[WINNOW__NCCL_SAME];
    };
    const Faults faults = find_faults(ranks, &lowest, fault_of, same_of);
    const Parts parts(args, round);
    const bool is_right = faults.are_none();
    bool sends = is_right;
    if (!is_right && thread == 0)
        tell_faults(*args.late, faults, fault_of, same_of);
    if constexpr (Parts::REFUSES)
        if (is_right &&
            __syncthreads_or(thread < ranks && parts.is_short(thread))) {
            sends = false;
            if (thread == 0) {
                unsigned int first = 0;
                while (!parts.is_short(first))
                    first++;
                tell_short(args, round, parts, first);
            }
        }
    if (thread < ranks) {
        const Part part = sends ? parts.part(thread) : Part{0, 0, 0};
        args.plan->begin[thread] = part.begin;
        args.plan->count[thread] = part.count;
        starts.of[thread] = part.at;
    }
    __syncthreads();
    if (sends)
        for (unsigned int i = thread; i < ranks * args.columns; i += blockDim.x)
            args.plan->to[i / args.columns][i % args.columns] =
                address_of(args, round, i / args.columns, i % args.columns,
                           starts.of[i / args.columns]);
    parts.tell_caller(is_right);
}

/* After this kernel all parts have arrived, at all ranks. */
__global__ void __launch_bounds__(WINNOW__NCCL_PEERS)
    meet(const __grid_constant__ winnow__nccl_round args) {
    const Round round(args);
    round.meet();
}

} // namespace winnow::nccl

WINNOW__FOR_HOST(winnow__nccl_make_offer) = WINNOW__ENTRY(
    WINNOW__NCCL_THREADS, 0, 0, 0, winnow::nccl::offer<winnow::nccl::Cut>);
WINNOW__FOR_HOST(winnow__nccl_make_even) = WINNOW__ENTRY(
    WINNOW__NCCL_THREADS, 0, 0, 0, winnow::nccl::offer<winnow::nccl::Even>);
WINNOW__FOR_HOST(winnow__nccl_meet) = WINNOW__ENTRY(WINNOW__NCCL_PEERS, 0, 0, 0,
                                                    winnow::nccl::meet);
