/*
 * An atomic add without the device's atomics on the counter: warps ask, one
 * block of the grid, the coordinator, does what they ask for and hands back the
 * old values. From M. Elteir, H. Lin and W. Feng, "Performance Characterization
 * and Optimization of Atomic Operations on AMD GPUs" (2011). On the GPUs of
 * today it is slower than the device's own: it is here to be compared with.
 *
 * The model
 *
 * - A grid has one coordinator block and CLIENTS client blocks, which have
 *   WARPS warps each. Each client warp has a slot in global memory.
 * - A client's lanes that add to one counter put their amounts together. One of
 *   them writes the counter's address and the sum to the warp's slot, marks the
 *   slot, and waits until the mark is gone; then the slot has the counter's
 *   value before. Lanes compute their own old values from that.
 * - The coordinator's threads look at all slots, over and over. Requests for
 * the same counter are put together, first in each of its warps, then between
 *   them; each counter is read once and written once in a round; every request
 *   gets its old value.
 * - A client block that needs no more signs off. When all have, the coordinator
 *   clears the slots, which another launch may use, and returns.
 *
 * The limits
 *
 * - The coordinator must run while clients wait for it. Clients do not wait for
 *   each other. There are two ways to see to that:
 *
 *   by block index   software_atomic_role_by_index(): block 0 is the
 *                    coordinator. CUDA does not promise that block 0 begins
 *                    before others or at all while these wait, so the whole
 *                    grid has to be resident: launch it with
 *                    cudaLaunchCooperativeKernel(), which refuses one that is
 *                    not, with at most
 *                        multiprocessors *
 *                        cudaOccupancyMaxActiveBlocksPerMultiprocessor()
 *                    blocks. There is no atomic of the device in this way.
 *   by ticket        software_atomic_role_by_ticket(): the block that comes
 *                    there first is the coordinator. So it runs when any client
 *                    does, and the grid may have any number of blocks, in a
 *                    plain launch. It takes one atomic for each block. The
 *                    device must have room for two blocks at a time, the
 *                    coordinator and a client: true wherever a block does not
 *                    take a whole multiprocessor of a context that has one.
 *
 * - While the grid runs, nothing but these calls touches the counters. Adding 0
 *   reads one.
 * - Counters have 4 or 8 bytes: int, long, long long, unsigned or not. There
 * may be any number of them.
 * - It is relaxed, as atomicAdd() is: it orders nothing but the counters.
 * - One client block may sign off once, and adds nothing after that.
 *
 * Order of memory: a request is written, then the slot is marked by a release
 * at the scope of the device, which pairs with the acquire by which a
 * coordinator's thread sees the mark. The answer is written, then the mark is
 * removed by a release, which pairs with the acquire of the lane that waits.
 * Lanes of one warp that have diverged take turns with the slot, by a lock in
 * shared memory; its fences have the scope of the block. Counters are the
 * coordinator's alone: a barrier is between its writes and its next reads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_SOFTWARE_ATOMIC_CUH
#define WINNOW_SOFTWARE_ATOMIC_CUH

#include "device/block.cuh"

namespace winnow::device {

/* ------------------------------------------------------ in global memory */

/* What a slot's mark says. */
enum SoftwareAtomicMark : unsigned int {
    SOFTWARE_ATOMIC_IDLE = 0,
    SOFTWARE_ATOMIC_ADD_4 = 4, /* add to a counter of 4 bytes, */
    SOFTWARE_ATOMIC_ADD_8 = 8, /* or of 8 */
    SOFTWARE_ATOMIC_OFF = 1    /* the warp asks for nothing more */
};

struct alignas(32) SoftwareAtomicSlot {
    unsigned long long counter; /* its address */
    unsigned long long amount;
    unsigned long long
        old; /* the counter's value before, from the coordinator */
    unsigned int mark;
    unsigned int unused;
};

/*
 * The memory that a grid's blocks share: a kernel's argument. It is 0 before
 * the first launch (cudaMemset()), and the coordinator leaves it so. One launch
 * at a time may use it.
 */
struct SoftwareAtomic {
    SoftwareAtomicSlot *slots; /* clients * warps of them */
    unsigned int *ticket; /* for software_atomic_role_by_ticket(), or null */
    unsigned int clients; /* client blocks: 1 or more */
    unsigned int warps;   /* of a client block: its threads / 32, rounded up
                           */
};

/* Bytes at `slots`, which are aligned to 32. */
__host__ __device__ constexpr unsigned long long
software_atomic_bytes(unsigned int clients, unsigned int threads) {
    return static_cast<unsigned long long>(clients) *
           ((threads + WARP_LANES - 1) / WARP_LANES) *
           sizeof(SoftwareAtomicSlot);
}

/* ------------------------------------------------------------------- roles */

/* This block's part: the coordinator, or client 0, 1, 2... */
struct SoftwareAtomicRole {
    bool coordinates;
    unsigned int client;
};

__device__ __forceinline__ SoftwareAtomicRole software_atomic_role_by_index() {
    const unsigned int block =
        blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    return {block == 0, block - 1};
}

/* All threads of the block. `shared` is a word of its shared memory. */
__device__ __forceinline__ SoftwareAtomicRole software_atomic_role_by_ticket(
    const SoftwareAtomic &all, unsigned int &shared) {
    if (block_rank() == 0)
        shared = atomicAdd(all.ticket, 1u);
    __syncthreads();
    const unsigned int ticket = shared;
    return {ticket == 0, ticket - 1};
}

/* ------------------------------------------------------------------ clients */

/* In shared memory, of a client block of THREADS threads. */
template <unsigned int THREADS>
struct SoftwareAtomicClient {
    unsigned int locks[WARPS_OF<THREADS>];
};

/* All threads of a client block, before any of them adds. */
template <unsigned int THREADS>
__device__ __forceinline__ void
software_atomic_begin(SoftwareAtomicClient<THREADS> &client) {
    if (block_rank() < WARPS_OF<THREADS>)
        client.locks[block_rank()] = 0;
    __syncthreads();
}

/* One lane: get the sum added, and the value before. */
__device__ __forceinline__ unsigned long long
software_atomic_request(SoftwareAtomicSlot &slot, unsigned int &lock,
                        unsigned long long counter, unsigned long long amount,
                        unsigned int mark) {
    do { /* look first: an attempt that fails writes */
        while (port::load_relaxed(&lock) != 0) {
        }
    } while (atomicCAS(&lock, 0u, 1u) != 0);
    __threadfence_block(); /* acquire: with the release of who had it before */
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
 * atomicAdd(counter, amount), by lanes of a client block: any lanes, under any
 * divergence, with any counters. Lanes that are here together and have the same
 * counter make one request. `client` is the number of the block among clients.
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

/* All threads of a client block, when none will add again: sign off. */
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

/* In shared memory, of a coordinator block of THREADS threads. */
template <unsigned int THREADS>
struct SoftwareAtomicCoordinator {
    static_assert(THREADS % WARP_LANES == 0 && THREADS <= 1024, "whole warps");
    BlockScanStorage<unsigned int, THREADS> scan;
    /* One for each warp and counter that one of its threads has a request for.
     */
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

/* Serve a slot for each thread that has found a request in it: `mark`, which it
 * has acquired, says what for; null for the others. All threads of the block.
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
    /* In a warp. Who asks for nothing has the address 0, and a sum of 0. */
    const unsigned int peers = match_peers(FULL_WARP, counter);
    const unsigned long long upto = scan_peers(FULL_WARP, peers, amount);
    const bool speaks = slot != nullptr && lane_id() == highest_lane(peers);
    /* Between warps: those before this one come first. */
    unsigned int entries = 0;
    const unsigned int entry = block_exclusive_scan<unsigned int>(
        shared.scan, speaks ? 1 : 0, &entries);
    if (speaks) {
        shared.counters[entry] = counter;
        shared.sums[entry] = upto;
    }
    __syncthreads();
    unsigned long long base = 0, all = 0;
    bool first = speaks; /* of those with this counter: it writes */
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
 * All threads of the coordinator block: serve clients until all have signed
 * off, then leave the memory as it was.
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
    /* Nobody else is left. */
    for (unsigned long long i = block_rank(); i < slots; i += THREADS)
        port::store_release(&all.slots[i].mark, SOFTWARE_ATOMIC_IDLE);
    if (all.ticket != nullptr && block_rank() == 0)
        *all.ticket = 0;
}

} // namespace winnow::device

#endif
