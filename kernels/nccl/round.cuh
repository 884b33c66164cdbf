/*
 * A round: every rank stores messages to the windows of all, and goes on when
 * those of all have come. By kernels of one block, so that none waits for a block
 * that cannot become resident; between GPUs that reach each other's memory.
 *
 * What orders it: all threads have stored, a barrier of the block; then a thread
 * for each peer stores that peer's flag with a release at the scope of the
 * system, which is cumulative: it comes after what the other threads stored, and
 * after all that the stream did before. The peer's thread acquires the flag at
 * the scope of the system, a barrier of the block, and all its threads read. What
 * comes later in its stream comes after that.
 *
 * Flags hold the number of the round, which grows in memory of the device: a
 * replay of a graph goes on counting, and nothing is cleared.
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

    /* Of this rank, in a peer's window. */
    __device__ __forceinline__ uint64_t *message_to(unsigned int peer) const {
        return round_.windows[peer]->messages[epoch_ % 2][round_.rank];
    }

    /* Of a rank, in the own one; after meet(). */
    __device__ __forceinline__ const uint64_t *
    message_from(unsigned int peer) const {
        return round_.windows[round_.rank]->messages[epoch_ % 2][peer];
    }

    /* By all threads of the block, of which there are WINNOW__NCCL_PEERS or
     * more. */
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
        __syncthreads(); /* and all have read the epoch */
        if (threadIdx.x == 0)
            *round_.epoch = epoch_;
    }

  private:
    const winnow__nccl_round &round_;
    const unsigned long long epoch_;
};

} // namespace winnow::nccl
