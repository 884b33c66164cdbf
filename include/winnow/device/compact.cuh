/*
 * Compaction: write the wanted items of a warp or of a block side by side, in
 * order.
 *
 * A block's tile has ITEMS items for each of THREADS threads, striped: item i
 * of thread t is number i * THREADS + t, so that a warp reads and writes
 * neighbouring elements. Item i of a thread is wanted if bit i of the thread's
 * `wanted` is set. The block has exactly THREADS threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_DEVICE_COMPACT_CUH
#define WINNOW_DEVICE_COMPACT_CUH

#include "aggregate.cuh"

namespace winnow::device {

/* Write the values of the lanes whose `wanted` is true to to[0], to[1] and so
 * on. All lanes of the mask make the call. Returns the number of these
 * values. */
template <class T>
__device__ __forceinline__ unsigned int
compact_warp(unsigned int mask, const Same<T> &value, bool wanted, T *to) {
    const unsigned int all = __ballot_sync(mask, wanted);
    if (wanted)
        to[rank_in(all)] = value;
    return static_cast<unsigned int>(__popc(all));
}

template <unsigned int THREADS, unsigned int ITEMS>
struct TileStorage {
    static_assert(THREADS % WARP_LANES == 0 && THREADS <= 1024, "whole warps");
    static_assert(ITEMS >= 1 && ITEMS <= 32, "a bit for each item");
    static constexpr unsigned int WARPS = THREADS / WARP_LANES;
    unsigned int counts[ITEMS * WARPS]; /* of wanted items among 32 */
    unsigned int offsets[ITEMS * WARPS];
    unsigned int total;
};

/* Call f(i, rank) for each item i of this thread that is wanted, with its rank
 * among all wanted items of the block. Returns the number of wanted items of
 * the block; one thread calls `reserve` with this number before the first f().
 * There are two barriers; the function may be called again at once. */
template <unsigned int THREADS, unsigned int ITEMS, class Reserve, class F>
__device__ __forceinline__ unsigned int
rank_tile(TileStorage<THREADS, ITEMS> &storage, unsigned int wanted,
          Reserve reserve, F f) {
    constexpr unsigned int WARPS = THREADS / WARP_LANES;
    constexpr unsigned int PARTS = ITEMS * WARPS;
    const unsigned int warp = block_rank() / WARP_LANES, lane = lane_id();
#pragma unroll
    for (unsigned int i = 0; i < ITEMS; i++) {
        const unsigned int all = __ballot_sync(FULL_WARP, wanted >> i & 1);
        if (lane == 0)
            storage.counts[i * WARPS + warp] =
                static_cast<unsigned int>(__popc(all));
    }
    __syncthreads();
    if (warp == 0) {
        unsigned int before = 0;
        for (unsigned int first = 0; first < PARTS; first += WARP_LANES) {
            const unsigned int part = first + lane;
            const unsigned int count = part < PARTS ? storage.counts[part] : 0;
            const unsigned int sum = warp_inclusive_scan(count);
            if (part < PARTS)
                storage.offsets[part] = before + sum - count;
            before += shuffle(FULL_WARP, sum, WARP_LANES - 1);
        }
        if (lane == 0) {
            storage.total = before;
            reserve(before);
        }
    }
    __syncthreads();
#pragma unroll
    for (unsigned int i = 0; i < ITEMS; i++) {
        const unsigned int all = __ballot_sync(FULL_WARP, wanted >> i & 1);
        if (wanted >> i & 1)
            f(i, storage.offsets[i * WARPS + warp] + rank_in(all));
    }
    return storage.total;
}

/* Write the items that are wanted to to[0], to[1] and so on, in order. Returns
 * the number of these items. */
template <class T, unsigned int THREADS, unsigned int ITEMS>
__device__ __forceinline__ unsigned int
compact_tile(TileStorage<THREADS, ITEMS> &storage, const T (&items)[ITEMS],
             unsigned int wanted, T *to) {
    return rank_tile(
        storage, wanted, [](unsigned int) {},
        [&](unsigned int i, unsigned int rank) { to[rank] = items[i]; });
}

template <unsigned int THREADS, unsigned int ITEMS, class C>
struct AppendStorage {
    TileStorage<THREADS, ITEMS> tile;
    C begin;
};

/*
 * Append the items that are wanted to the *counter elements that are already at
 * `to`, and add their number to the counter by one atomic. Items of a tile keep
 * their order; tiles come in any order. Returns the number of items appended.
 */
template <class T, unsigned int THREADS, unsigned int ITEMS, class C>
__device__ __forceinline__ unsigned int
append_tile(AppendStorage<THREADS, ITEMS, C> &storage, const T (&items)[ITEMS],
            unsigned int wanted, T *to, C *counter) {
    return rank_tile(
        storage.tile, wanted,
        [&](unsigned int total) {
            storage.begin =
                atomic_update(counter, static_cast<C>(total), Plus());
        },
        [&](unsigned int i, unsigned int rank) {
            to[storage.begin + rank] = items[i];
        });
}

} // namespace winnow::device

#endif
