/*
 * Every rank merges all results in the order of ranks: all get the same bits.
 *
 *     NCCL: tell_partial -> all-gather of the words -> merge, in stream order
 *     peer access: peer_reduce, in one round (round.cuh)
 *
 * If a rank has a fault, or arguments differ, the result is all ones, and the
 * host gets a report.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.cuh"
#include "round.cuh"

#include "kernels/reduce/merge.h"

namespace winnow::nccl {

constexpr unsigned int WORDS = WINNOW__NCCL_REDUCE_WORDS;
constexpr unsigned int THREADS = WINNOW__NCCL_PEERS;
static_assert(WORDS <= WINNOW__NCCL_MESSAGE, "a message has room for them");
static_assert(WORDS <= THREADS, "a thread tells each");

/* Word i of a rank's message to the others. */
__device__ __forceinline__ uint64_t
partial_word(const winnow__nccl_reduce_args &args, unsigned int i) {
    if (i == WINNOW__NCCL_SAME)
        return args.same;
    if (i == WINNOW__NCCL_FAULT)
        return args.fault;
    if (i == WINNOW__NCCL_FIRST)
        return args.first != nullptr ? *args.first : 0;
    return args.partial != nullptr ? args.partial[i - WINNOW__NCCL_RESULT] : 0;
}

/* The results of THREADS ranks, in shared memory. */
struct Partials {
    winnow__nccl_partial of[THREADS];
};

/* words_of(r) is the message of rank r. All threads of a block call this.
 * Thread 0 alone adds the results, since sums of floats depend on the order,
 * and it alone returns the result. */
template <class Words>
__device__ __forceinline__ winnow_reduction merge_ranks(
    const winnow__nccl_reduce_args &args, Partials &partials, Words words_of) {
    const unsigned int ranks = args.round.ranks, thread = threadIdx.x;
    winnow_reduction result = args.nothing;
    result.minimum_index = result.maximum_index = WINNOW_NO_INDEX;
    for (unsigned int first = 0; first < ranks; first += THREADS) {
        const unsigned int here = min(THREADS, ranks - first);
        if (thread < here)
            for (unsigned int i = WINNOW__NCCL_FIRST; i < WORDS; i++)
                partials.of[thread].words[i - WINNOW__NCCL_FIRST] =
                    words_of(first + thread)[i];
        __syncthreads();
        for (unsigned int r = 0; r < here && thread == 0; r++) {
            const winnow__nccl_result &of = partials.of[r].result;
            winnow__reduction_add(&args.type, of.first, args.wanted, &of.of,
                                  &result);
        }
        __syncthreads(); /* `partials` are written again */
    }
    if (thread == 0)
        winnow__reduction_finish(&args.type, args.wanted, &result);
    return result;
}

template <class Words>
__device__ __forceinline__ void
reduce_ranks(const winnow__nccl_reduce_args &args, Words words_of) {
    WINNOW__SHARED(lowest, Faults);
    WINNOW__SHARED(partials, Partials);
    const auto fault = [&](unsigned int r) {
        return words_of(r)[WINNOW__NCCL_FAULT];
    };
    const auto same = [&](unsigned int r) {
        return words_of(r)[WINNOW__NCCL_SAME];
    };
    const Faults faults = find_faults(args.round.ranks, &lowest, fault, same);
    winnow_reduction result;
    if (faults.are_none()) {
        result = merge_ranks(args, partials, words_of);
    } else {
        memset(&result, 0xff, sizeof result);
        if (threadIdx.x == 0)
            tell_faults(*args.late, faults, fault, same);
    }
    if (threadIdx.x == 0 && args.result != nullptr)
        *args.result = result;
}

/* ----------------------------------------------------------------- by NCCL */

__global__ void __launch_bounds__(THREADS)
    tell_partial(const __grid_constant__ winnow__nccl_reduce_args args) {
    if (threadIdx.x < WORDS)
        args.words[uint64_t(args.round.rank) * WORDS + threadIdx.x] =
            partial_word(args, threadIdx.x);
}

__global__ void __launch_bounds__(THREADS)
    merge(const __grid_constant__ winnow__nccl_reduce_args args) {
    reduce_ranks(args, [&](unsigned int r) -> const uint64_t * {
        return args.words + uint64_t(r) * WORDS;
    });
}

/* ---------------------------------------------------------------- by peers */

/* meet() releases the messages to each peer, and acquires those of the peers.
 * After it no thread reads the partial result, so that it may be *result. */
__global__ void __launch_bounds__(THREADS)
    peer_reduce(const __grid_constant__ winnow__nccl_reduce_args args) {
    const Round round(args.round);
    for (unsigned int i = threadIdx.x; i < args.round.ranks * WORDS;
         i += THREADS)
        round.message_to(i / WORDS)[i % WORDS] = partial_word(args, i % WORDS);
    round.meet();
    reduce_ranks(args, [&](unsigned int r) { return round.message_from(r); });
}

} // namespace winnow::nccl

WINNOW__FOR_HOST(winnow__nccl_tell_partial) =
    WINNOW__ENTRY(WINNOW__NCCL_PEERS, 0, 0, 0, winnow::nccl::tell_partial);
WINNOW__FOR_HOST(winnow__nccl_merge) = WINNOW__ENTRY(WINNOW__NCCL_PEERS, 0, 0,
                                                     0, winnow::nccl::merge);
WINNOW__FOR_HOST(winnow__nccl_peer_reduce) =
    WINNOW__ENTRY(WINNOW__NCCL_PEERS, 0, 0, 0, winnow::nccl::peer_reduce);
