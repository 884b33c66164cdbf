/*
 * partition_by_key: counts the digits of each chunk, and sums the counts up.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counters.cuh"
#include "part_counts.cuh"
#include "read.cuh"

namespace winnow::partition {

/* Did an estimate complete the pass? */
__device__ __forceinline__ bool
is_done(const winnow__partition_count_args &args) {
    return args.estimated != nullptr && args.estimated->settled != 0;
}

/* Counts the items of all parts, too, if the scatter by an estimate should have
 * done that but did not run. */
template <class Key>
__global__ void __launch_bounds__(COUNT_THREADS)
    count(const __grid_constant__ winnow__partition_count_args args) {
    WINNOW__DYNAMIC_SHARED(shared);
    WINNOW__SHARED(counters, Counters);
    trigger_dependents();
    wait_for_stream();
    const Chunk chunk(args.chunks, blockIdx.x);
    if (!chunk.exists || is_done(args))
        return;
    const Digit<Key> digit_of(args.field);
    const PartCounts<COUNT_THREADS> parts(shared, args.field.parts);
    const bool counts_parts = args.part_items != nullptr &&
                              args.estimated != nullptr &&
                              args.estimated->usable == 0;
    counters.clear(args.field.digits);
    if (counts_parts)
        parts.clear();
    __syncthreads();
    if (counts_parts)
        for_each_item<COUNT_THREADS>(args, digit_of, chunk, [&](Key key) {
            counters.count(digit_of(key));
            parts.count(static_cast<unsigned int>(digit_of.part(key)));
        });
    else
        for_each_item<COUNT_THREADS>(args, digit_of, chunk, [&](Key key) {
            counters.count(digit_of(key));
        });
    __syncthreads();
    if (counts_parts)
        parts.add(0, args.part_items);
    unsigned long long *const line =
        args.table + uint64_t(blockIdx.x) * args.field.digits;
    for (unsigned int d = threadIdx.x; d < args.field.digits;
         d += COUNT_THREADS)
        line[d] = counters.sum(d);
}

/* ---------------------------------------------------------------- the scan */

constexpr unsigned int SCAN_THREADS = WINNOW__PARTITION_SCAN_THREADS;
static_assert(SCAN_THREADS == WARP * WARP &&
                  WINNOW__PARTITION_SCAN_DIGITS == WARP,
              "a lane for each digit, and for each warp");

/* Sums by warp's piece and digit. One more column avoids bank conflicts. */
struct ScanSums {
    unsigned long long at[WARP][WARP + 1];
};

/* Replaces each count of the table by the sum of the counts above it. Of a
 * block's 32 digits each lane has one; each warp has a piece of the lines. */
__global__ void __launch_bounds__(SCAN_THREADS)
    scan(const __grid_constant__ winnow__partition_count_args args) {
    WINNOW__SHARED(sums, ScanSums);
    trigger_dependents();
    wait_for_stream();
    if (is_done(args))
        return;
    const winnow__partition_chunks &chunks = args.chunks;
    const unsigned int digits = args.field.digits;
    const unsigned int lines = chunks.segments != 0
                                   ? chunks.first_chunk[chunks.segments]
                                   : chunks.number;
    const unsigned int digit = blockIdx.x * WARP + lane_id();
    const bool exists = digit < digits;
    const unsigned int piece = (lines + WARP - 1) / WARP;
    const unsigned int first = min(warp_id() * piece, lines);
    const unsigned int last = min(first + piece, lines);
    unsigned long long *const entries = args.table + digit;

    unsigned long long sum = 0;
    if (exists) {
#pragma unroll 8
        for (unsigned int i = first; i < last; i++)
            sum += entries[uint64_t(i) * digits];
    }
    sums.at[warp_id()][lane_id()] = sum;
    __syncthreads();
    /* Now a warp has a digit, and its lanes have the pieces. */
    unsigned long long &own = sums.at[lane_id()][warp_id()];
    const unsigned long long inclusive = inclusive_sum(own);
    const unsigned int summed = blockIdx.x * WARP + warp_id();
    if (lane_id() == WARP - 1 && summed < digits)
        args.totals[summed] = inclusive;
    own = inclusive - own;
    __syncthreads();
    if (!exists)
        return;
    unsigned long long before = sums.at[warp_id()][lane_id()];
#pragma unroll 8
    for (unsigned int i = first; i < last; i++) {
        unsigned long long &entry = entries[uint64_t(i) * digits];
        const unsigned long long here = entry;
        entry = before;
        before += here;
    }
}

/* ------------------------------------------------------------- later passes */

/*
 * Cuts the segments into chunks: one block, with a thread for each segment. All
 * chunks have the same number of tiles, except the last one of each segment.
 * Each chunk ends with sectors that are not full. So that number is the
 * smallest one that makes at most few_chunks chunks. But if segments differ
 * much in length, some blocks would then get twice the work of others. In that
 * case it is the smallest one that makes at most chunks.number chunks.
 */
constexpr unsigned int MOST_SEGMENTS = WINNOW__PARTITION_SEGMENTS;
using CutSums = WarpSums<unsigned long long, MOST_SEGMENTS / WARP>;

__device__ __forceinline__ uint64_t divide_up(uint64_t a, uint64_t b) {
    return (a + b - 1) / b;
}

/* The sum over the segments before this one, and over all segments. */
__device__ __forceinline__ unsigned long long
sum_segments(unsigned long long x, CutSums &sums, unsigned long long *all_p) {
    const unsigned long long before = exclusive_sum(x, sums, all_p);
    __syncthreads(); /* sums is free again */
    return before;
}

__device__ __forceinline__ unsigned long long sum_of(unsigned long long x,
                                                     CutSums &sums) {
    unsigned long long all;
    sum_segments(x, sums, &all);
    return all;
}

__device__ __forceinline__ uint64_t find_size(uint64_t tiles, uint64_t most,
                                              CutSums &sums) {
    const uint64_t all = sum_of(tiles, sums);
    /* Fewer tiles than `low` make too many chunks. `high` tiles do not: each
     * segment has less than one chunk beyond its share. */
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

/* Do chunks of this size keep the blocks busy for 7/8 of the time? */
__device__ __forceinline__ bool is_balanced(uint64_t tiles, uint64_t size,
                                            uint64_t blocks, CutSums &sums) {
    const uint64_t chunks = sum_of(divide_up(tiles, size), sums);
    const uint64_t longest = divide_up(chunks, blocks) * size;
    return sum_of(tiles, sums) * 8 >= longest * blocks * 7;
}

__global__ void __launch_bounds__(MOST_SEGMENTS)
    cut(const __grid_constant__ winnow__partition_count_args args) {
    WINNOW__SHARED(sums, CutSums);
    trigger_dependents();
    wait_for_stream();
    const winnow__partition_chunks &chunks = args.chunks;
    const unsigned int segment = threadIdx.x;
    uint64_t tiles = 0;
    if (segment < chunks.segments)
        tiles = divide_up(chunks.segment_offsets[segment + 1] -
                              chunks.segment_offsets[segment],
                          chunks.tile_items);
    uint64_t size = find_size(tiles, args.few_chunks, sums);
    if (!is_balanced(tiles, size, args.blocks, sums))
        size = find_size(tiles, chunks.number, sums);
    unsigned long long all;
    const unsigned long long first =
        sum_segments(divide_up(tiles, size), sums, &all);
    if (segment < chunks.segments)
        chunks.first_chunk[segment] = static_cast<uint32_t>(first);
    if (segment == 0) {
        chunks.first_chunk[chunks.segments] = static_cast<uint32_t>(all);
        chunks.first_chunk[chunks.segments + 1] = static_cast<uint32_t>(size);
    }
}

/*
 * Where each part begins. Its upper digit is a column of the table, its lower
 * digit a segment. The part begins where the segment's first chunk puts its
 * first item with the upper digit. An empty segment has the next one's.
 */
constexpr unsigned int OFFSETS_THREADS = 256;

__global__ void __launch_bounds__(OFFSETS_THREADS)
    part_offsets(const __grid_constant__ winnow__partition_count_args args) {
    const unsigned int part = blockIdx.x * OFFSETS_THREADS + threadIdx.x;
    trigger_dependents();
    wait_for_stream();
    if (part > args.field.parts)
        return;
    if (part == args.field.parts) {
        args.part_offsets[part] = args.offsets[args.present];
        return;
    }
    const winnow__partition_chunks &chunks = args.chunks;
    /* The number of segments is a power of two. */
    const unsigned int digit = part / chunks.segments;
    const unsigned int segment = part % chunks.segments;
    const unsigned int chunk = chunks.first_chunk[segment];
    const unsigned long long before =
        chunk < chunks.first_chunk[chunks.segments]
            ? args.table[uint64_t(chunk) * args.field.digits + digit]
            : args.totals[digit];
    args.part_offsets[part] = args.offsets[digit] + before;
}

} // namespace winnow::partition

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
