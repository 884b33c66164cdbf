/*
 * A round: every rank stores messages to the windows of all ranks, and
 * continues when all messages have arrived. It needs GPUs with peer access. Its
 * kernels have one block, so that none waits for a block that is not resident.
 *
 * Order of memory: all threads store their messages, before a barrier of the
 * block. Then a thread for each peer stores the flag in the peer's window, by a
 * release at the scope of the system. The release is cumulative: it covers the
 * stores of the other threads, and all earlier work of the stream. The peer's
 * thread acquires the flag at that scope, before a barrier of its block; then
 * all of its threads read. Later work of its stream comes after that.
 *
 * Flags hold the number of the round, which is counted in device memory. So a
 * replay of a graph continues to count, and nothing is cleared.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"

#include "kernels/core/ptx.cuh"

namespace winnow::nccl {

class Round {
  public:
    __device__ __forceinline__ explicit Round(const winnow__nccl_round &round)
        : round_(round), epoch_(*round.epoch + 1) {
    }

    /* This rank's message, in a peer's window. */
    __device__ __forceinline__ uint64_t *message_to(unsigned int peer) const {
        return round_.windows[peer]->messages[epoch_ % 2][round_.rank];
    }

    /* A peer's message, in this rank's window; valid after meet(). */
    __device__ __forceinline__ const uint64_t *
    message_from(unsigned int peer) const {
        return round_.windows[round_.rank]->messages[epoch_ % 2][peer];
    }

    /* All threads of the block call this: at least WINNOW__NCCL_PEERS. */
    __device__ __forceinline__ void meet() const {
        const unsigned int peer = threadIdx.x;
        __syncthreads();
        if (peer < round_.ranks) {
            store_release_system(&round_.windows[peer]->flags[round_.rank],
                                 epoch_);
            const unsigned long long *const flag =
                &round_.windows[round_.rank]->flags[peer];
            while (load_acquire_system(flag) < epoch_) {
            }
        }
        __syncthreads(); /* all threads have read the epoch, too */
        if (threadIdx.x == 0)
            *round_.epoch = epoch_;
    }

  private:
    const winnow__nccl_round &round_;
    const unsigned long long epoch_;
};

} // namespace winnow::nccl
