/*
 * Prefix sums in a block of threads, and of an array.
 *
 * All threads of the block make the call, outside of divergent code. The block
 * has exactly THREADS threads, in any dimensions. `storage` is a variable in
 * shared memory. The next call of the same function may use it at once; before
 * any other use, __syncthreads() is needed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_DEVICE_BLOCK_CUH
#define WINNOW_DEVICE_BLOCK_CUH

#include "scan.cuh"

namespace winnow::device {

template <unsigned int THREADS>
constexpr unsigned int WARPS_OF = (THREADS + WARP_LANES - 1) / WARP_LANES;

/* The lanes of this thread's warp: fewer than 32 in the last warp if THREADS is
 * not a multiple of 32. */
template <unsigned int THREADS>
__device__ __forceinline__ unsigned int lanes_of(unsigned int warp) {
    constexpr unsigned int REST = THREADS % WARP_LANES;
    if constexpr (REST != 0) {
        if (warp == THREADS / WARP_LANES)
            return (1u << REST) - 1;
    }
    return FULL_WARP;
}

template <class T, unsigned int THREADS>
struct BlockScanStorage {
    static_assert(THREADS >= 1 && THREADS <= 1024, "threads of a block");
    T totals[WARPS_OF<THREADS>];
    T offsets[WARPS_OF<THREADS>]; /* the sum before each warp */
    T total;
};

/*
 * An exclusive prefix sum that begins with a given value. One thread calls
 * `begin` with the sum of all values, and `begin` returns the first value. Each
 * thread gets op() of the first value and the sum of the threads before it.
 *
 * A call has two barriers. Between them only the first warp reads the totals;
 * after the second barrier all warps read the offsets. So the next call may
 * write totals at once. It writes offsets after its first barrier, when all
 * warps have read the old offsets.
 */
template <class T, unsigned int THREADS, class Op, class Begin>
__device__ __forceinline__ T
block_scan_from(BlockScanStorage<T, THREADS> &storage, T value, Op op,
                T identity, Begin begin) {
    constexpr unsigned int WARPS = WARPS_OF<THREADS>;
    const unsigned int warp = block_rank() / WARP_LANES, lane = lane_id();
    const unsigned int lanes = lanes_of<THREADS>(warp);
    const unsigned int below = lane != 0 ? lane - 1 : lane;
    const T sum = warp_inclusive_scan(value, lanes, op);
    if (lane == highest_lane(lanes))
        storage.totals[warp] = sum;
    const T shifted = shuffle(lanes, sum, below);
    const T own = lane != 0 ? shifted : identity;
    __syncthreads();
    if (warp == 0) {
        /* The first warp has at least as many lanes as there are warps. */
        const unsigned int first_lanes = lanes_of<THREADS>(0);
        const T total = lane < WARPS ? storage.totals[lane] : identity;
        const T upto = warp_inclusive_scan(total, first_lanes, op);
        const T before = shuffle(first_lanes, upto, below);
        T first = identity;
        if (lane == WARPS - 1) {
            storage.total = upto;
            first = begin(upto);
        }
        first = shuffle(first_lanes, first, WARPS - 1);
        if (lane < WARPS)
            storage.offsets[lane] = lane != 0 ? op(first, before) : first;
    }
    __syncthreads();
    return op(storage.offsets[warp], own);
}

/* The sum of the values of all threads before this one, in the order of
 * block_rank(). If `total_p` is not null, every thread also gets the sum of all
 * threads. */
template <class T, unsigned int THREADS, class Op = Plus>
__device__ __forceinline__ T block_exclusive_scan(
    BlockScanStorage<T, THREADS> &storage, Same<T> value,
    Same<T> *total_p = nullptr, Op op = Op(), Same<T> identity = T()) {
    const T sum = block_scan_from(storage, value, op, identity,
                                  [&](const T &) { return identity; });
    if (total_p != nullptr)
        *total_p = storage.total;
    return sum;
}

template <class T, unsigned int THREADS, class Op = Plus>
__device__ __forceinline__ T block_inclusive_scan(
    BlockScanStorage<T, THREADS> &storage, Same<T> value,
    Same<T> *total_p = nullptr, Op op = Op(), Same<T> identity = T()) {
    const T before =
        block_exclusive_scan(storage, value, total_p, op, identity);
    return op(before, value);
}

/* ------------------------------------------------------------------- arrays */

template <class T, unsigned int THREADS, class Form = ByShuffle>
struct ArrayScanStorage {
    static_assert(THREADS % WARP_LANES == 0, "whole warps");
    BlockScanStorage<T, THREADS> scan;
    T scratch[THREADS / WARP_LANES][Form::SCRATCH];
    T offsets[THREADS];
};

/*
 * The inclusive prefix sums of an array in global or shared memory, in place,
 * by one block of THREADS threads. The array is cut into parts of 32 elements.
 * A warp computes the sums inside a part; the last of these is the part's
 * total. The totals of THREADS parts are scanned together, and the total of all
 * earlier parts is added to the sums of each part.
 *
 * `Form` is the warp's scan: BySharedMemory, ByRegister or ByShuffle. When the
 * call returns, all threads of the block see all sums.
 */
template <class T, unsigned int THREADS, class Form, class Op = Plus>
__device__ __forceinline__ void
block_scan_array(ArrayScanStorage<T, THREADS, Form> &storage, T *array,
                 unsigned long long n, Op op = Op(), Same<T> identity = T()) {
    constexpr unsigned int WARPS = THREADS / WARP_LANES;
    const unsigned int thread = block_rank(), lane = lane_id();
    const unsigned int warp = thread / WARP_LANES;
    T carry = identity;
    for (unsigned long long start = 0; start < n;
         start += THREADS * WARP_LANES) {
        const unsigned long long left = n - start;
        const unsigned int blocks =
            left < THREADS * WARP_LANES
                ? (static_cast<unsigned int>(left) + WARP_LANES - 1) /
                      WARP_LANES
                : THREADS;
        T *const part = array + start;
        for (unsigned int b = warp; b < blocks; b += WARPS) {
            const unsigned int i = b * WARP_LANES + lane;
            const T sum = Form::inclusive(storage.scratch[warp],
                                          i < left ? part[i] : identity,
                                          FULL_WARP, op, identity);
            if (i < left)
                part[i] = sum;
        }
        __syncthreads(); /* thread b reads what another warp wrote */
        T total = identity, all = identity;
        if (thread < blocks) {
            const unsigned int last = thread * WARP_LANES + WARP_LANES - 1;
            total = part[last < left ? last : left - 1];
        }
        const T before =
            block_exclusive_scan(storage.scan, total, &all, op, identity);
        storage.offsets[thread] = op(carry, before);
        carry = op(carry, all);
        __syncthreads();
        for (unsigned int b = warp; b < blocks; b += WARPS) {
            const unsigned int i = b * WARP_LANES + lane;
            if (i < left)
                part[i] = op(storage.offsets[b], part[i]);
        }
        __syncthreads(); /* offsets may be written again, and sums be read */
    }
}

} // namespace winnow::device

#endif
