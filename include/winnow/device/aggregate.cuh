/*
 * Warp-aggregated atomics. The lanes that add to one counter first add up their
 * values, and one lane executes the atomic for all. Each lane gets the value
 * that its own atomic would have returned if the lanes had come one after the
 * other. The functions for a block execute one atomic for all of its threads.
 *
 * From A. Adinetz, "CUDA Pro Tip: Optimized Filtering with Warp-Aggregated
 * Atomics" (2014, 2017).
 *
 * The first form of each function replaces atomicAdd(): it may be called in
 * divergent code, by any lanes, with any counters. __activemask() tells it
 * which lanes execute the call together. The mask may have all lanes that take
 * the same branch or only some of them, since nothing makes lanes converge.
 * Each lane of the mask gets the same mask, and takes part in the warp
 * functions that follow. So the sum is right for every mask; the mask decides
 * only the number of atomics.
 *
 * The counter is in global or shared memory. Its type is one that CUDA adds
 * atomically (int, long, long long, unsigned or not; float, double), or a type
 * of 2, 4 or 8 bytes with an operator +. Atomics are relaxed, at the scope of
 * the device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_DEVICE_AGGREGATE_CUH
#define WINNOW_DEVICE_AGGREGATE_CUH

#include "block.cuh"

namespace winnow::device {

/* ------------------------------------------------- lanes that are peers */

/* The peers are lanes that all have this counter. The highest peer has the
 * sum. */
template <class T>
__device__ __forceinline__ T add_as_peers(unsigned int mask, unsigned int peers,
                                          T *counter, T value) {
    const T sum = scan_peers(mask, peers, value);
    const unsigned int last = highest_lane(peers);
    const unsigned int before = peers & lanes_below();
    T old = value;
    if (lane_id() == last)
        old = atomic_update(counter, sum, Plus());
    old = shuffle(mask, old, last);
    const T others =
        shuffle(mask, sum, before != 0 ? highest_lane(before) : lane_id());
    return before != 0 ? Plus()(old, others) : old;
}

template <class T>
__device__ __forceinline__ T increment_as_peers(unsigned int mask,
                                                unsigned int peers,
                                                T *counter) {
    const unsigned int first = lowest_lane(peers);
    T old = T();
    if (lane_id() == first)
        old = atomic_update(counter, static_cast<T>(__popc(peers)), Plus());
    return Plus()(shuffle(mask, old, first), static_cast<T>(rank_in(peers)));
}

/* mask: the lanes that execute the call together. peers: the lanes of the mask
 * that have the same counter as this lane. */
struct Here {
    unsigned int mask, peers;
};
template <class T>
__device__ __forceinline__ Here find_here(T *counter) {
    const unsigned int mask = __activemask();
    return {mask,
            match_peers(mask, reinterpret_cast<unsigned long long>(counter))};
}

/* ---------------------------------- in place of atomicAdd(counter, ...) */

/* atomicAdd(counter, 1), in divergent code, with any counters. */
template <class T>
__device__ __forceinline__ T aggregated_increment(T *counter) {
    const Here here = find_here(counter);
    return increment_as_peers(here.mask, here.peers, counter);
}

/* atomicAdd(counter, value), in divergent code, with any counters. */
template <class T>
__device__ __forceinline__ T aggregated_add(T *counter, Same<T> value) {
    const Here here = find_here(counter);
    return add_as_peers<T>(here.mask, here.peers, counter, value);
}

/* ------------------------------------------- where the lanes are known */

/*
 * Exactly one atomic for the lanes of a mask. All of them make this call, with
 * the same mask and the same counter. The mask must be exact, such as the
 * result of a ballot before a branch on the same condition.
 */
template <class T>
__device__ __forceinline__ T aggregated_increment_mask(unsigned int mask,
                                                       T *counter) {
    return increment_as_peers(mask, mask, counter);
}

template <class T>
__device__ __forceinline__ T aggregated_add_mask(unsigned int mask, T *counter,
                                                 Same<T> value) {
    return add_as_peers<T>(mask, mask, counter, value);
}

/*
 * For a cooperative group of at most a warp, such as
 * cooperative_groups::coalesced_threads() or a tile. All of its threads make
 * the call, with the same counter. Any group with size(), thread_rank(), shfl()
 * and shfl_up() works; this header does not include <cooperative_groups.h>.
 */
template <class Group, class T>
__device__ __forceinline__ T aggregated_increment_group(const Group &group,
                                                        T *counter) {
    const unsigned int rank = static_cast<unsigned int>(group.thread_rank());
    T old = T();
    if (rank == 0)
        old = atomic_update(counter, static_cast<T>(group.size()), Plus());
    return Plus()(group.shfl(old, 0), static_cast<T>(rank));
}

template <class Group, class T>
__device__ __forceinline__ T aggregated_add_group(const Group &group,
                                                  T *counter, Same<T> value) {
    const unsigned int size = static_cast<unsigned int>(group.size());
    const unsigned int rank = static_cast<unsigned int>(group.thread_rank());
    T sum = value, old = value;
    for (unsigned int step = 1; step < size; step *= 2) {
        const T other = group.shfl_up(sum, step);
        if (rank >= step)
            sum = Plus()(other, sum);
    }
    if (rank == size - 1)
        old = atomic_update(counter, sum, Plus());
    old = group.shfl(old, size - 1);
    const T others = group.shfl_up(sum, 1);
    return rank != 0 ? Plus()(old, others) : old;
}

/* ------------------------------------------------------------ by a block */

/*
 * One atomic for a block. All threads of the block make the call, outside of
 * divergent code; a thread that has nothing to add adds 0. The returned values
 * are those that the threads would get if they added one after the other, in
 * the order of block_rank(). block.cuh explains THREADS and `storage`.
 */
template <class T, unsigned int THREADS>
__device__ __forceinline__ T block_add(BlockScanStorage<T, THREADS> &storage,
                                       T *counter, Same<T> value) {
    return block_scan_from(storage, value, Plus(), T(), [&](const T &total) {
        return atomic_update(counter, total, Plus());
    });
}

/* The same with a value of 1 for each thread whose `wanted` is true. */
template <class T, unsigned int THREADS>
__device__ __forceinline__ T block_increment(
    BlockScanStorage<T, THREADS> &storage, T *counter, bool wanted = true) {
    return block_add(storage, counter, static_cast<T>(wanted ? 1 : 0));
}

} // namespace winnow::device

#endif
