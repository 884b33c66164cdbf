/*
 * The survivors before each tile of a selection, from the tiles' counts; and
 * the total, for who asks for it.
 *
 * The counts are few: 2 bytes for 4096 items. So a block adds up all those
 * before its own tiles, instead of waiting for other blocks to tell.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernel.cuh"
#include "selection.h"
#include "warp.cuh"

namespace winnow {

constexpr unsigned int SCAN_THREADS = WINNOW__SCAN_THREADS;
constexpr unsigned int SCAN_STEP = WINNOW__SCAN_STEP;
constexpr unsigned int SCAN_WARPS = SCAN_THREADS / WARP;
constexpr unsigned int EACH = SCAN_STEP / SCAN_THREADS;
static_assert(EACH == 8, "a thread's counts are a vector");
static_assert(SCAN_WARPS == WARP, "a lane for each warp");

/* Sums of the warps, in shared memory. */
struct WarpSums {
    uint64_t of[SCAN_WARPS];
};

/* The sum of x over the threads before this one; *total_p: over all. Between
 * two barriers, so that `sums` can be used again. */
__device__ __forceinline__ uint64_t exclusive_block_sum(WarpSums &sums,
                                                        uint64_t x,
                                                        uint64_t *total_p) {
    const uint64_t in_warp = inclusive_sum(x);
    if (lane_id() == WARP - 1)
        sums.of[warp_id()] = in_warp;
    __syncthreads();
    const uint64_t warps = inclusive_sum(sums.of[lane_id()]);
    const uint64_t before =
        __shfl_sync(ALL_LANES, warps, (warp_id() + WARP - 1) % WARP);
    *total_p = __shfl_sync(ALL_LANES, warps, WARP - 1);
    __syncthreads();
    return (warp_id() == 0 ? 0 : before) + in_warp - x;
}

/* Two counts are in a word, the first one in its lower half. */
__device__ __forceinline__ unsigned int sum_of_halves(const uint4 &counts) {
    return (counts.x & 0xffff) + (counts.x >> 16) + (counts.y & 0xffff) +
           (counts.y >> 16) + (counts.z & 0xffff) + (counts.z >> 16) +
           (counts.w & 0xffff) + (counts.w >> 16);
}

/* The counts of the eight tiles from one on, zero behind the last. */
__device__ __forceinline__ uint4 load_counts(const winnow__selection &from,
                                             uint64_t tile) {
    if (tile + EACH <= from.tiles)
        return *reinterpret_cast<const uint4 *>(from.counts + tile);
    uint32_t words[EACH / 2] = {};
#pragma unroll
    for (unsigned int i = 0; i < EACH; i++)
        if (tile + i < from.tiles)
            words[i / 2] |= static_cast<uint32_t>(from.counts[tile + i])
                            << 16 * (i % 2);
    return make_uint4(words[0], words[1], words[2], words[3]);
}

/* Write `before` of a thread's eight tiles, and behind the last one. */
__device__ __forceinline__ void store_before(const winnow__selection &to,
                                             uint64_t tile, const uint4 &counts,
                                             uint64_t before) {
    const uint32_t words[EACH / 2] = {counts.x, counts.y, counts.z, counts.w};
#pragma unroll
    for (unsigned int i = 0; i < EACH; i++) {
        if (tile + i <= to.tiles)
            to.before[tile + i] = before;
        before += words[i / 2] >> 16 * (i % 2) & 0xffff;
    }
}

__global__ void __launch_bounds__(SCAN_THREADS)
    scan_selection(const __grid_constant__ winnow__scan_args args) {
    WINNOW__SHARED(sums, WarpSums);
    const winnow__selection &selection = args.selection;
    const uint64_t first = blockIdx.x * args.tiles_per_block;
    uint64_t mine = 0, before;
#pragma unroll 8 /* so many loads are under way together */
    for (uint64_t tile = threadIdx.x * EACH; tile < first; tile += SCAN_STEP)
        mine += sum_of_halves(load_counts(selection, tile));
    exclusive_block_sum(sums, mine, &before);
    /* One past the last tile has a `before`, too. */
    for (uint64_t step = first;
         step <= selection.tiles && step < first + args.tiles_per_block;
         step += SCAN_STEP) {
        const uint64_t tile = step + threadIdx.x * EACH;
        const uint4 counts = load_counts(selection, tile);
        uint64_t total;
        const uint64_t here =
            exclusive_block_sum(sums, sum_of_halves(counts), &total);
        store_before(selection, tile, counts, before + here);
        before += total;
    }
}

__global__ void
count_selection(const __grid_constant__ winnow__selection_count_args args) {
    *args.count = *args.total;
}

/* Behind the sink in the stream: all of its blocks have read the position. */
__global__ void
advance_position(const __grid_constant__ winnow__advance_args args) {
    const unsigned long long at = *args.position, total = *args.total;
    const unsigned long long room = at < args.capacity ? args.capacity - at : 0;
    *args.position = at + (total < room ? total : room);
}

} // namespace winnow

extern "C" const winnow__kernel winnow__selection_scan;
const winnow__kernel winnow__selection_scan = {
    WINNOW__KERNEL(winnow::scan_selection), winnow::SCAN_THREADS, 0, 0, 0};

extern "C" const winnow__kernel winnow__selection_advance;
const winnow__kernel winnow__selection_advance = {
    WINNOW__KERNEL(winnow::advance_position), 1, 0, 0, 0};

extern "C" const winnow__kernel winnow__selection_total;
const winnow__kernel winnow__selection_total = {
    WINNOW__KERNEL(winnow::count_selection), 1, 0, 0, 0};
