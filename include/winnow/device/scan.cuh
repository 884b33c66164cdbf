/*
 * Prefix sums in a warp, in three forms: through shared memory; through shared
 * memory, with the running value in a register; and by shuffles.
 *
 * The lanes of `mask` take part: all of them make the same call with the same
 * mask. A lane gets the sum of the values of lower lanes, in the order of
 * lanes, with its own value (inclusive) or without it (exclusive). `op` is
 * associative and need not be commutative.
 *
 * The forms with shared memory take `scratch`, 64 elements of shared memory for
 * one warp, which may use it again at once for another call. The lower 32 have
 * the identity, and the upper 32 have the running values, so that the first
 * lanes need no test. A lane reads a value that another lane wrote in the
 * previous step. Without __syncwarp() this is a data race: with it the lanes
 * wait for each other, and see what the others wrote before. Older programs
 * declared the memory volatile, and relied on all lanes executing the same
 * instruction. Since compute capability 7.0 lanes may diverge, and volatile
 * does not order threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_DEVICE_SCAN_CUH
#define WINNOW_DEVICE_SCAN_CUH

#include "peers.cuh"

namespace winnow::device {

/* Elements of scratch memory of a warp. */
constexpr unsigned int SCAN_SCRATCH = 2 * WARP_LANES;

/* Write the identity to the lower half. The lanes that take part also write the
 * elements of other lanes. */
template <class T>
__device__ __forceinline__ void fill_scratch(T *scratch, unsigned int mask,
                                             const T &identity) {
    const unsigned int lanes = static_cast<unsigned int>(__popc(mask));
    for (unsigned int i = rank_in(mask); i < WARP_LANES; i += lanes)
        scratch[i] = identity;
}

/* The running value is in shared memory. It is read and written back, with a
 * barrier after each, since a higher lane reads the value that this one
 * overwrites. */
template <class T, class Op = Plus>
__device__ __forceinline__ T warp_inclusive_scan_shared(
    T *scratch, Same<T> value, unsigned int mask = FULL_WARP, Op op = Op(),
    Same<T> identity = T()) {
    T *const own = scratch + WARP_LANES + rank_in(mask);
    __syncwarp(mask); /* the last call's reads are over */
    fill_scratch(scratch, mask, identity);
    *own = value;
    __syncwarp(mask);
#pragma unroll
    for (int step = 1; step < static_cast<int>(WARP_LANES); step *= 2) {
        const T sum = op(own[-step], *own);
        __syncwarp(mask);
        *own = sum;
        __syncwarp(mask);
    }
    return *own;
}

template <class T, class Op = Plus>
__device__ __forceinline__ T warp_exclusive_scan_shared(
    T *scratch, Same<T> value, unsigned int mask = FULL_WARP, Op op = Op(),
    Same<T> identity = T()) {
    (void)warp_inclusive_scan_shared(scratch, value, mask, op, identity);
    return scratch[WARP_LANES + rank_in(mask) - 1];
}

/* The running value is in a register, and is written only for the other
 * lanes. */
template <class T, class Op = Plus>
__device__ __forceinline__ T warp_inclusive_scan_register(
    T *scratch, Same<T> value, unsigned int mask = FULL_WARP, Op op = Op(),
    Same<T> identity = T()) {
    T *const own = scratch + WARP_LANES + rank_in(mask);
    __syncwarp(mask); /* the last call's reads are over */
    fill_scratch(scratch, mask, identity);
#pragma unroll
    for (int step = 1; step < static_cast<int>(WARP_LANES); step *= 2) {
        *own = value;
        __syncwarp(mask);
        value = op(own[-step], value);
        __syncwarp(mask);
    }
    return value;
}

template <class T, class Op = Plus>
__device__ __forceinline__ T warp_exclusive_scan_register(
    T *scratch, Same<T> value, unsigned int mask = FULL_WARP, Op op = Op(),
    Same<T> identity = T()) {
    T *const own = scratch + WARP_LANES + rank_in(mask);
    *own = warp_inclusive_scan_register(scratch, value, mask, op, identity);
    __syncwarp(mask);
    return own[-1];
}

/* For all lanes of a warp; `lane` is the number of this lane. */
template <class T, class Op>
__device__ __forceinline__ T scan_full_warp(T value, unsigned int lane, Op op) {
#pragma unroll
    for (unsigned int step = 1; step < WARP_LANES; step *= 2) {
        const T other = shuffle_up(value, step);
        if (lane >= step)
            value = op(other, value);
    }
    return value;
}

/* Without shared memory and without a barrier: shuffles pass the values. */
template <class T, class Op = Plus>
__device__ __forceinline__ T warp_inclusive_scan(T value,
                                                 unsigned int mask = FULL_WARP,
                                                 Op op = Op()) {
    if (mask != FULL_WARP)
        return scan_peers(mask, mask, value, op);
    return scan_full_warp(value, lane_id(), op);
}

template <class T, class Op = Plus>
__device__ __forceinline__ T warp_exclusive_scan(T value,
                                                 unsigned int mask = FULL_WARP,
                                                 Op op = Op(),
                                                 Same<T> identity = T()) {
    const T sum = warp_inclusive_scan(value, mask, op);
    const unsigned int before = mask & lanes_below();
    const T other =
        shuffle(mask, sum, before != 0 ? highest_lane(before) : lane_id());
    return before != 0 ? other : identity;
}

/* The three forms as types, for code that takes any of them. */
struct BySharedMemory {
    static constexpr unsigned int SCRATCH = SCAN_SCRATCH;
    template <class T, class Op>
    __device__ __forceinline__ static T
    inclusive(T *scratch, T value, unsigned int mask, Op op, T identity) {
        return warp_inclusive_scan_shared(scratch, value, mask, op, identity);
    }
};

struct ByRegister {
    static constexpr unsigned int SCRATCH = SCAN_SCRATCH;
    template <class T, class Op>
    __device__ __forceinline__ static T
    inclusive(T *scratch, T value, unsigned int mask, Op op, T identity) {
        return warp_inclusive_scan_register(scratch, value, mask, op, identity);
    }
};

struct ByShuffle {
    static constexpr unsigned int SCRATCH = 1; /* none */
    template <class T, class Op>
    __device__ __forceinline__ static T inclusive(T *, T value,
                                                  unsigned int mask, Op op, T) {
        return warp_inclusive_scan(value, mask, op);
    }
};

} // namespace winnow::device

#endif
