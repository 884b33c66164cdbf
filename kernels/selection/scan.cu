/*
 * The survivors before each tile of a selection, from the tiles' counts.
 *
 * Counts are small: 2 bytes for 4096 items. So a block adds all counts before
 * its own tiles, and does not wait for other blocks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"
#include "kernels/core/block_sum.cuh"
#include "kernels/core/kernel.cuh"

namespace winnow::selection {

constexpr unsigned int SCAN_THREADS = WINNOW__SCAN_THREADS;
constexpr unsigned int SCAN_STEP = WINNOW__SCAN_STEP;
constexpr unsigned int EACH = SCAN_STEP / SCAN_THREADS;
static_assert(EACH == 2, "a thread's own counts are a word");
/* Counts of the tiles before its own are loaded in vectors. */
constexpr unsigned int VECTOR = 8;
static_assert(SCAN_STEP % VECTOR == 0, "whole vectors before a block's tiles");

using Sums = WarpSums<uint64_t, SCAN_THREADS / WARP>;

/* A word has two counts, the first one in its lower half. */
__device__ __forceinline__ unsigned int sum_of_halves(uint32_t counts) {
    return (counts & 0xffff) + (counts >> 16);
}

/* The sum of this thread's share of the counts before a tile. */
__device__ __forceinline__ uint64_t
sum_before(const winnow__selection &selection, uint64_t tile) {
    uint64_t sum = 0;
#pragma unroll 8 /* issues loads together */
    for (uint64_t i = threadIdx.x * VECTOR; i < tile;
         i += VECTOR * SCAN_THREADS) {
        const uint4 counts =
            *reinterpret_cast<const uint4 *>(selection.counts + i);
        sum += sum_of_halves(counts.x) + sum_of_halves(counts.y) +
               sum_of_halves(counts.z) + sum_of_halves(counts.w);
    }
    return sum;
}

/* The counts of two tiles, zero behind the last. */
__device__ __forceinline__ uint32_t load_counts(const winnow__selection &from,
                                                uint64_t tile) {
    if (tile + EACH <= from.tiles)
        return *reinterpret_cast<const uint32_t *>(from.counts + tile);
    return tile < from.tiles ? from.counts[tile] : 0;
}

/* Write `before` of a thread's two tiles, and behind the last one. */
__device__ __forceinline__ void store_before(const winnow__selection &to,
                                             uint64_t tile, uint32_t counts,
                                             uint64_t before) {
    if (tile <= to.tiles)
        to.before[tile] = before;
    if (tile + 1 <= to.tiles)
        to.before[tile + 1] = before + (counts & 0xffff);
}

__global__ void __launch_bounds__(SCAN_THREADS)
    scan_selection(const __grid_constant__ winnow__scan_args args) {
    WINNOW__SHARED(sums, Sums);
    const winnow__selection &selection = args.selection;
    const uint64_t first = blockIdx.x * args.tiles_per_block;
    /* Loaded before the wait for the first sum. */
    uint64_t tile = first + threadIdx.x * EACH;
    uint32_t counts = load_counts(selection, tile);
    uint64_t before;
    exclusive_sum(sum_before(selection, first), sums, &before);
    /* One past the last tile has a `before`, too. */
    for (uint64_t step = first;;) {
        uint64_t total;
        __syncthreads(); /* sums is used again */
        const uint64_t here =
            exclusive_sum<uint64_t>(sum_of_halves(counts), sums, &total);
        store_before(selection, tile, counts, before + here);
        step += SCAN_STEP;
        if (step > selection.tiles || step >= first + args.tiles_per_block)
            return;
        before += total;
        tile += SCAN_STEP;
        counts = load_counts(selection, tile);
    }
}

} // namespace winnow::selection

WINNOW__FOR_HOST(winnow__selection_scan) =
    WINNOW__ENTRY(winnow::selection::SCAN_THREADS, 0, 0, 0,
                  winnow::selection::scan_selection);
