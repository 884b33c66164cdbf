/*
 * partition_by_key: counts the digits of each chunk, and sums the counts up.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counters.cuh"
#include "estimate.cuh"
#include "part_counts.cuh"
#include "read.cuh"
#include "scan.cuh"

namespace winnow {
namespace partition {

/* Did the scatter by an estimate count the items of all parts? */
__device__ __forceinline__ bool
are_counted(const winnow__partition_args &args) {
    return args.estimate != nullptr && args.estimate->exchange.usable != 0;
}

template <class Key>
__global__ void __launch_bounds__(COUNT_THREADS)
    count(const __grid_constant__ winnow__partition_args args) {
    WINNOW__DYNAMIC_SHARED(shared);
    WINNOW__SHARED(counters, Counters);
    trigger_dependents();
    wait_for_stream();
    const Chunk chunk(args, blockIdx.x);
    if (!chunk.exists || is_settled(args))
        return;
    const Digit<Key> digit_of(args);
    const PartCounts<Key, COUNT_THREADS> parts(args, shared);
    const bool counts_parts = parts.are_wanted() && !are_counted(args);
    counters.clear(args.row);
    if (counts_parts)
        parts.clear();
    __syncthreads();
    if (counts_parts)
        for_each_item<COUNT_THREADS>(args, digit_of, chunk, [&](Key key) {
            counters.count(digit_of(key));
            parts.count(key);
        });
    else
        for_each_item<COUNT_THREADS>(args, digit_of, chunk, [&](Key key) {
            counters.count(digit_of(key));
        });
    __syncthreads();
    if (counts_parts)
        parts.add();
    unsigned long long *const row =
        args.table + uint64_t(blockIdx.x) * args.row;
    for (unsigned int d = threadIdx.x; d < args.row; d += COUNT_THREADS)
        row[d] = counters.sum(d);
}

/* Each count of the table becomes the sum of those above it. */
__global__ void __launch_bounds__(SCAN_THREADS)
    scan(const __grid_constant__ winnow__partition_args args) {
    WINNOW__SHARED(sums, ScanSums);
    trigger_dependents();
    wait_for_stream();
    if (is_settled(args))
        return;
    const unsigned int chunks = args.segment_offsets != nullptr
                                    ? args.first_chunk[args.segments]
                                    : args.chunks;
    scan_rows(args.table, chunks, args.row, args.totals, sums);
}

/* ------------------------------------------------------------- two passes */

/*
 * Cut the segments into chunks, by one block with a thread for each segment.
 * All chunks have the same number of tiles, but for the last one of a segment.
 * It is the smallest number that makes no more than a few chunks, as each ends
 * with groups that are not full. But a block scatters one chunk after the
 * other, and where segments differ much, some blocks would have twice as much
 * to do as others: then the smallest that makes no more chunks than there may
 * be.
 */
constexpr unsigned int MOST_SEGMENTS = WINNOW__PARTITION_SEGMENTS;
constexpr unsigned int CUT_WARPS = MOST_SEGMENTS / WARP;
using CutSums = Array<unsigned long long, CUT_WARPS>;

__device__ __forceinline__ uint64_t divide_up(uint64_t a, uint64_t b) {
    return (a + b - 1) / b;
}

/* A sum over the block. */
__device__ __forceinline__ unsigned long long sum_of(unsigned long long x,
                                                     CutSums &sums) {
    unsigned long long all;
    exclusive_sum<CUT_WARPS>(x, sums.at, &all);
    __syncthreads(); /* sums is free again */
    return all;
}

__device__ __forceinline__ uint64_t find_size(uint64_t tiles, uint64_t most,
                                              CutSums &sums) {
    const uint64_t all = sum_of(tiles, sums);
    /* With fewer tiles there are too many chunks; with so many there are not,
     * as a segment has less than one chunk beyond its share. */
    uint64_t low = all / most > 1 ? all / most : 1;
    uint64_t high = all / (most - MOST_SEGMENTS) + 1;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (sum_of(divide_up(tiles, middle), sums) <= most)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Are the blocks busy most of the time, with chunks of such a size? */
__device__ __forceinline__ bool is_balanced(uint64_t tiles, uint64_t size,
                                            uint64_t blocks, CutSums &sums) {
    const uint64_t chunks = sum_of(divide_up(tiles, size), sums);
    const uint64_t longest = divide_up(chunks, blocks) * size;
    return sum_of(tiles, sums) * 8 >= longest * blocks * 7;
}

__global__ void __launch_bounds__(MOST_SEGMENTS)
    cut(const __grid_constant__ winnow__partition_args args) {
    WINNOW__SHARED(sums, CutSums);
    trigger_dependents();
    wait_for_stream();
    if (args.part_items != nullptr)
        sum_up_parts<CUT_WARPS>(args, 0, args.parts, 0, sums.at);
    const unsigned int segment = threadIdx.x;
    uint64_t tiles = 0;
    if (segment < args.segments)
        tiles = divide_up(args.segment_offsets[segment + 1] -
                              args.segment_offsets[segment],
                          args.tile_items);
    uint64_t size = find_size(tiles, args.few_chunks, sums);
    if (!is_balanced(tiles, size, args.blocks, sums))
        size = find_size(tiles, args.chunks, sums);
    unsigned long long all;
    const unsigned long long first =
        exclusive_sum<CUT_WARPS, unsigned long long>(divide_up(tiles, size),
                                                     sums.at, &all);
    if (segment < args.segments)
        args.first_chunk[segment] = static_cast<uint32_t>(first);
    if (segment == 0) {
        args.first_chunk[args.segments] = static_cast<uint32_t>(all);
        args.first_chunk[args.segments + 1] = static_cast<uint32_t>(size);
    }
}

/*
 * Where each part begins. Its upper digit has a column of the table, its lower
 * one is a segment: the part begins where the segment's first chunk puts the
 * first item of that digit. An empty segment's is that of the next one.
 */
constexpr unsigned int OFFSETS_THREADS = 256;

__global__ void __launch_bounds__(OFFSETS_THREADS)
    part_offsets(const __grid_constant__ winnow__partition_args args) {
    const unsigned int part = blockIdx.x * OFFSETS_THREADS + threadIdx.x;
    trigger_dependents();
    wait_for_stream();
    if (part > args.parts)
        return;
    if (part == args.parts) {
        args.part_offsets[part] = args.offsets[args.digits];
        return;
    }
    /* The segments are 2^k. */
    const unsigned int digit = part / args.segments;
    const unsigned int segment = part % args.segments;
    const unsigned int chunk = args.first_chunk[segment];
    const unsigned long long before =
        chunk < args.first_chunk[args.segments]
            ? args.table[uint64_t(chunk) * args.row + digit]
            : args.totals[digit];
    args.part_offsets[part] = args.offsets[digit] + before;
}

/* The differences between the parts' offsets, which an earlier kernel wrote. */
__global__ void __launch_bounds__(OFFSETS_THREADS)
    part_counts(const __grid_constant__ winnow__partition_args args) {
    const unsigned int part = blockIdx.x * OFFSETS_THREADS + threadIdx.x;
    trigger_dependents();
    wait_for_stream();
    if (part < args.parts)
        args.part_counts[part] =
            args.part_offsets[part + 1] - args.part_offsets[part];
}

} // namespace partition
} // namespace winnow

#define COUNT(KEY)                                                             \
    WINNOW__ENTRY(winnow::partition::COUNT_THREADS, 0, 0, 0,                   \
                  winnow::partition::count<KEY>)
const winnow__kernel winnow__partition_count[2] = {COUNT(uint32_t),
                                                   COUNT(uint64_t)};
const winnow__kernel winnow__partition_scan = WINNOW__ENTRY(
    winnow::partition::SCAN_THREADS, 0, 0, 0, winnow::partition::scan);
const winnow__kernel winnow__partition_cut = WINNOW__ENTRY(
    winnow::partition::MOST_SEGMENTS, 0, 0, 0, winnow::partition::cut);
const winnow__kernel winnow__partition_offsets =
    WINNOW__ENTRY(winnow::partition::OFFSETS_THREADS, 0, 0, 0,
                  winnow::partition::part_offsets);
const winnow__kernel winnow__partition_counts =
    WINNOW__ENTRY(winnow::partition::OFFSETS_THREADS, 0, 0, 0,
                  winnow::partition::part_counts);
