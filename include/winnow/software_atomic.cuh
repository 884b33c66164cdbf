/*
 * An atomic add that does not use the device's atomics on the counter. Warps
 * write requests to global memory. One block of the grid, the coordinator,
 * executes the requests and writes the counters' old values as answers. From
 * M. Elteir, H. Lin and W. Feng, "Performance Characterization and
 * Optimization of Atomic Operations on AMD GPUs" (2011). On current GPUs it is
 * slower than the device's own atomics; it is here for comparison.
 *
 * The model
 *
 * - A grid has one coordinator block and CLIENTS client blocks, which have
 *   WARPS warps each. Each client warp has a slot in global memory.
 * - A client's lanes that add to the same counter sum their amounts. One of
 *   these lanes writes the counter's address and the sum to the warp's slot,
 *   marks the slot, and waits until the coordinator has removed the mark. The
 *   slot then holds the counter's old value, and each lane computes its own old
 *   value from that.
 * - The coordinator's threads poll all slots in a loop. They sum the requests
 *   for the same counter, first in each warp, then across warps. In a round
 *   they read each counter once and write it once. Every request gets its own
 *   old value.
 * - A client block that needs no more additions signals its end in its slots.
 *   When all client blocks have done so, the coordinator clears the slots, so
 *   that another launch may use them, and returns.
 *
 * The limits
 *
 * - Clients wait for the coordinator, so it must be resident whenever a client
 *   is. Clients do not wait for each other. A kernel chooses the coordinator in
 *   one of two ways, which both meet this condition:
 *
 *   by block index   software_atomic_role_by_index(): block 0 is the
 *                    coordinator. CUDA does not promise that block 0 starts
 *                    before the other blocks, or at all while they wait. So
 *                    the whole grid must be resident: launch it with
 *                    cudaLaunchCooperativeKernel(), with at most
 *                        multiprocessors *
 *                        cudaOccupancyMaxActiveBlocksPerMultiprocessor()
 *                    blocks. CUDA refuses a larger grid. This way uses no
 *                    atomic of the device to choose the coordinator.
 *   by ticket        software_atomic_role_by_ticket(): the first block that
 *                    takes a ticket is the coordinator, so the coordinator is
 *                    resident whenever a client is. The grid may have any
 *                    number of blocks, in a plain launch. Each block takes its
 *                    ticket with one atomic. The device must have room for two
 *                    blocks at a time, the coordinator and a client. It lacks
 *                    that room only if a block fills a multiprocessor and the
 *                    context has a single multiprocessor.
 *
 * - While the grid runs, only these functions may access the counters. To read
 *   a counter, add 0.
 * - Counters have 4 or 8 bytes: int, long and long long, signed or unsigned.
 *   The number of counters is not limited.
 * - The add is relaxed, as atomicAdd() is: it orders no other memory accesses.
 * - A client block may signal its end once, and must not add after that.
 *
 * Memory order: a client writes a request, then marks the slot by a release at
 * the scope of the device. That release pairs with the acquire by which a
 * coordinator's thread reads the mark. The coordinator writes the answer, then
 * removes the mark by a release, which pairs with the acquire of the lane that
 * waits. Lanes of one warp that have diverged use the slot one after the other,
 * by a lock in shared memory; the lock's fences have the scope of the block.
 * Only the coordinator accesses the counters; a barrier separates its writes
 * from its next reads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_SOFTWARE_ATOMIC_CUH
#define WINNOW_SOFTWARE_ATOMIC_CUH

#include "device/block.cuh"

namespace winnow::device {

/* ------------------------------------------------------ in global memory */

/* The values of a slot's mark. */
enum SoftwareAtomicMark : unsigned int {
    SOFTWARE_ATOMIC_IDLE = 0,
    SOFTWARE_ATOMIC_ADD_4 = 4, /* add to a counter of 4 bytes */
    SOFTWARE_ATOMIC_ADD_8 = 8, /* add to a counter of 8 bytes */
    SOFTWARE_ATOMIC_OFF = 1    /* the warp will write no more requests */
};

struct alignas(32) SoftwareAtomicSlot {
    unsigned long long counter; /* its address */
    unsigned long long amount;
    unsigned long long old; /* the counter's old value, when it is answered */
    unsigned int mark;
    unsigned int unused;
};

/*
 * The memory that the blocks of a grid share; pass it as a kernel argument. Set
 * the slots and the ticket to 0 before the first launch (cudaMemset()). The
 * coordinator sets them to 0 again before it returns. Only one launch at a time
 * may use them.
 */
struct SoftwareAtomic {
    SoftwareAtomicSlot *slots; /* clients * warps slots */
    unsigned int *ticket; /* for software_atomic_role_by_ticket(), or null */
    unsigned int clients; /* client blocks: 1 or more */
    unsigned int warps;   /* of a client block: ceil(threads / 32) */
};

/* The size of `slots` in bytes. They must be aligned to 32 bytes. */
__host__ __device__ constexpr unsigned long long
software_atomic_bytes(unsigned int clients, unsigned int threads) {
    return static_cast<unsigned long long>(clients) *
           ((threads + WARP_LANES - 1) / WARP_LANES) *
           sizeof(SoftwareAtomicSlot);
}

/* ------------------------------------------------------------------- roles */

/* This block's role: the coordinator, or client 0, 1, 2... */
struct SoftwareAtomicRole {
    bool coordinates;
    unsigned int client;
};

__device__ __forceinline__ SoftwareAtomicRole software_atomic_role_by_index() {
    const unsigned int block =
        blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    return {block == 0, block - 1};
}

/* All threads of the block call it. `shared` is a word in shared memory. */
__device__ __forceinline__ SoftwareAtomicRole software_atomic_role_by_ticket(
    const SoftwareAtomic &all, unsigned int &shared) {
    if (block_rank() == 0)
        shared = atomicAdd(all.ticket, 1u);
    __syncthreads();
    const unsigned int ticket = shared;
    return {ticket == 0, ticket - 1};
}

/* ------------------------------------------------------------------ clients */

/* Shared memory of a client block of THREADS threads. */
template <unsigned int THREADS>
struct SoftwareAtomicClient {
    unsigned int locks[WARPS_OF<THREADS>];
};

/* All threads of a client block call it before any of them adds. */
template <unsigned int THREADS>
__device__ __forceinline__ void
software_atomic_begin(SoftwareAtomicClient<THREADS> &client) {
    if (block_rank() < WARPS_OF<THREADS>)
        client.locks[block_rank()] = 0;
    __syncthreads();
}

/* One lane calls it. Requests the addition and returns the old value. */
__device__ __forceinline__ unsigned long long
software_atomic_request(SoftwareAtomicSlot &slot, unsigned int &lock,
                        unsigned long long counter, unsigned long long amount,
                        unsigned int mark) {
    do { /* read first, because a failed compare-and-swap also writes */
        while (port::load_relaxed(&lock) != 0) {
        }
    } while (atomicCAS(&lock, 0u, 1u) != 0);
    __threadfence_block(); /* acquire: pairs with the last owner's release */
    slot.counter = counter;
    slot.amount = amount;
    /* Release: the request. */
    port::store_release(&slot.mark, mark);
    /* Acquire: the answer. */
    while (port::load_acquire(&slot.mark) != SOFTWARE_ATOMIC_IDLE) {
    }
    const unsigned long long old = slot.old;
    __threadfence_block(); /* release */
    atomicExch(&lock, 0u);
    return old;
}

/*
 * atomicAdd(counter, amount) for lanes of a client block. Any lanes of a warp
 * may call it, and each lane may name another counter. Converged lanes that add
 * to the same counter write one request. `client` is the block's index among
 * the clients.
 */
template <class T, unsigned int THREADS>
__device__ __forceinline__ T software_atomic_add(
    const SoftwareAtomic &all, SoftwareAtomicClient<THREADS> &shared,
    unsigned int client, T *counter, Same<T> amount) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "4 or 8 bytes");
    static_assert(static_cast<T>(3) / 2 == 1, "an integer");
    const unsigned int warp = block_rank() / WARP_LANES;
    const unsigned int mask = __activemask();
    const auto address = reinterpret_cast<unsigned long long>(counter);
    const unsigned int peers = match_peers(mask, address);
    const unsigned int last = highest_lane(peers);
    const Word<T> own = static_cast<Word<T>>(amount);
    const Word<T> sum = scan_peers(mask, peers, own);
    Word<T> old = 0;
    if (lane_id() == last)
        old = static_cast<Word<T>>(software_atomic_request(
            all.slots[client * static_cast<unsigned long long>(all.warps) +
                      warp],
            shared.locks[warp], address, sum,
            sizeof(T) == 4 ? SOFTWARE_ATOMIC_ADD_4 : SOFTWARE_ATOMIC_ADD_8));
    old = shuffle(mask, old, last);
    return static_cast<T>(old + (sum - own));
}

/* All threads of a client block call it, when none will add again. */
__device__ __forceinline__ void software_atomic_end(const SoftwareAtomic &all,
                                                    unsigned int client) {
    __syncthreads(); /* all requests have been answered */
    if (block_rank() < all.warps)
        port::store_release(
            &all.slots[client * static_cast<unsigned long long>(all.warps) +
                       block_rank()]
                 .mark,
            SOFTWARE_ATOMIC_OFF);
}

/* -------------------------------------------------------------- coordinator */

/* Shared memory of a coordinator block of THREADS threads. */
template <unsigned int THREADS>
struct SoftwareAtomicCoordinator {
    static_assert(THREADS % WARP_LANES == 0 && THREADS <= 1024, "whole warps");
    BlockScanStorage<unsigned int, THREADS> scan;
    /* One entry for each pair of a warp and a counter that the warp's requests
     * name. */
    unsigned long long counters[THREADS], sums[THREADS];
};

__device__ __forceinline__ unsigned long long
software_atomic_read(unsigned long long counter, unsigned int mark) {
    return mark == SOFTWARE_ATOMIC_ADD_4
               ? *reinterpret_cast<const unsigned int *>(counter)
               : *reinterpret_cast<const unsigned long long *>(counter);
}

__device__ __forceinline__ void
software_atomic_write(unsigned long long counter, unsigned int mark,
                      unsigned long long value) {
    if (mark == SOFTWARE_ATOMIC_ADD_4)
        *reinterpret_cast<unsigned int *>(counter) =
            static_cast<unsigned int>(value);
    else
        *reinterpret_cast<unsigned long long *>(counter) = value;
}

/*
 * Executes one request for each thread whose `slot` is not null. `mark` is the
 * value that the thread read from the slot with an acquire. All threads of the
 * block call it; a thread without a request passes null.
 */
template <unsigned int THREADS>
__device__ __forceinline__ void
software_atomic_serve_round(SoftwareAtomicCoordinator<THREADS> &shared,
                            SoftwareAtomicSlot *slot, unsigned int mark) {
    unsigned long long counter = 0, amount = 0;
    if (slot != nullptr) {
        counter = slot->counter;
        amount = slot->amount;
    }
    /* Within a warp. A thread without a request has address 0 and amount 0. */
    const unsigned int peers = match_peers(FULL_WARP, counter);
    const unsigned long long upto = scan_peers(FULL_WARP, peers, amount);
    const bool speaks = slot != nullptr && lane_id() == highest_lane(peers);
    /* Across warps: entries of lower warps precede this warp's. */
    unsigned int entries = 0;
    const unsigned int entry = block_exclusive_scan<unsigned int>(
        shared.scan, speaks ? 1 : 0, &entries);
    if (speaks) {
        shared.counters[entry] = counter;
        shared.sums[entry] = upto;
    }
    __syncthreads();
    unsigned long long base = 0, all = 0;
    bool first = speaks; /* the thread of a counter's first entry writes */
    if (speaks) {
        for (unsigned int i = 0; i < entries; i++) {
            if (shared.counters[i] != counter)
                continue;
            if (i < entry) {
                base += shared.sums[i];
                first = false;
            }
            all += shared.sums[i];
        }
        const unsigned long long value = software_atomic_read(counter, mark);
        base += value;
        all += value;
    }
    __syncthreads(); /* all have read the counters */
    if (first)
        software_atomic_write(counter, mark, all);
    base = shuffle(FULL_WARP, base, highest_lane(peers));
    if (slot != nullptr) {
        slot->old = base + (upto - amount);
        /* Release: the answer. */
        port::store_release(&slot->mark, SOFTWARE_ATOMIC_IDLE);
    }
    __syncthreads(); /* counters are written, and entries read */
}

/*
 * All threads of the coordinator block call it. It executes requests until all
 * clients have signalled their end, then sets the slots and the ticket to 0.
 */
template <unsigned int THREADS>
__device__ __forceinline__ void
software_atomic_serve(const SoftwareAtomic &all,
                      SoftwareAtomicCoordinator<THREADS> &shared) {
    const unsigned long long slots =
        all.clients * static_cast<unsigned long long>(all.warps);
    for (bool done = false; !done;) {
        bool off = true;
        for (unsigned long long first = 0; first < slots; first += THREADS) {
            const unsigned long long i = first + block_rank();
            unsigned int mark = SOFTWARE_ATOMIC_OFF;
            /* Acquire: the request. */
            if (i < slots)
                mark = port::load_acquire(&all.slots[i].mark);
            const bool asks =
                mark == SOFTWARE_ATOMIC_ADD_4 || mark == SOFTWARE_ATOMIC_ADD_8;
            off = off && mark == SOFTWARE_ATOMIC_OFF;
            if (__syncthreads_or(asks))
                software_atomic_serve_round(
                    shared, asks ? &all.slots[i] : nullptr, mark);
        }
        done = __syncthreads_and(off);
    }
    /* No client uses the memory any more. */
    for (unsigned long long i = block_rank(); i < slots; i += THREADS)
        port::store_release(&all.slots[i].mark, SOFTWARE_ATOMIC_IDLE);
    if (all.ticket != nullptr && block_rank() == 0)
        *all.ticket = 0;
}

} // namespace winnow::device

#endif
