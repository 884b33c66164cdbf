/*
 * partition_by_key: counts the items of all parts before the first pass.
 *
 * If shared memory has no room for all parts, each of a few adjacent blocks
 * counts a slice of the parts. These blocks read the same keys, all but one of
 * them from the L2 cache.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "part_counts.cuh"
#include "read.cuh"

namespace winnow::partition {

constexpr unsigned int PARTS_THREADS = WINNOW__PARTITION_PARTS_THREADS;

template <class Key>
__global__ void __launch_bounds__(PARTS_THREADS)
    count_parts(const __grid_constant__ winnow__partition_count_args args) {
    WINNOW__DYNAMIC_SHARED(shared);
    trigger_dependents();
    const unsigned int all = args.field.parts;
    const unsigned int slices = (all + args.slice - 1) / args.slice;
    const unsigned int first = blockIdx.x % slices * args.slice;
    const unsigned int parts = min(args.slice, all - first);
    const PartCounts<PARTS_THREADS> counts(shared, parts);
    counts.clear();
    __syncthreads();
    wait_for_stream();
    const Digit<Key> digit_of(args.field);
    for_each_item<PARTS_THREADS>(
        args, digit_of, Chunk(args.chunks, blockIdx.x / slices), [&](Key key) {
            const unsigned int part =
                static_cast<unsigned int>(digit_of.part(key)) - first;
            if (part < parts)
                counts.count(part);
        });
    __syncthreads();
    /* Blocks begin at different parts, to spread the atomics over memory. */
    counts.add(blockIdx.x * PARTS_THREADS % parts, args.part_items + first);
}

/*
 * Computes where the parts and the upper digits begin. A block has adjacent
 * parts, and so has each of its warps. It also sums the parts before its own,
 * so that blocks exchange nothing.
 */
constexpr unsigned int SUM_THREADS = WINNOW__PARTITION_SCAN_THREADS;
constexpr unsigned int SUM_WARPS = SUM_THREADS / WARP;
constexpr unsigned int OF_WARP = WINNOW__PARTITION_SUMMED_PARTS / SUM_WARPS;
constexpr unsigned int OF_LANE = OF_WARP / WARP;

__global__ void __launch_bounds__(SUM_THREADS)
    sum_parts(const __grid_constant__ winnow__partition_count_args args) {
    using Sums = WarpSums<unsigned long long, SUM_WARPS>;
    WINNOW__SHARED(sums, Sums);
    trigger_dependents();
    wait_for_stream();
    const unsigned int parts = args.field.parts;
    const unsigned int begin = blockIdx.x * WINNOW__PARTITION_SUMMED_PARTS;
    const unsigned int first = begin + warp_id() * OF_WARP + lane_id();
    unsigned long long ahead = 0, own = 0, all;
    unsigned long long items[OF_LANE];
#pragma unroll 8
    for (unsigned int p = threadIdx.x; p < begin; p += SUM_THREADS)
        ahead += args.part_items[p];
#pragma unroll
    for (unsigned int i = 0; i < OF_LANE; i++) {
        const unsigned int part = first + i * WARP;
        items[i] = part < parts ? args.part_items[part] : 0;
        own += items[i];
    }
    exclusive_sum(ahead, sums, &ahead);
    __syncthreads(); /* sums is free */
    const unsigned long long others = exclusive_sum(own, sums, &all);
    unsigned long long start = ahead + __shfl_sync(ALL_LANES, others, 0);
#pragma unroll
    for (unsigned int i = 0; i < OF_LANE; i++) {
        const unsigned int part = first + i * WARP;
        const unsigned long long inclusive = inclusive_sum(items[i]);
        if (part <= parts) /* behind the last part counts are 0 */
            args.part_offsets[part] = start + inclusive - items[i];
        start += __shfl_sync(ALL_LANES, inclusive, WARP - 1);
    }
    if (begin + WINNOW__PARTITION_SUMMED_PARTS == parts && threadIdx.x == 0)
        args.part_offsets[parts] = ahead + all;
    __syncthreads(); /* other threads' part_offsets are read below */
    const unsigned int end = begin + WINNOW__PARTITION_SUMMED_PARTS;
    for (unsigned int d = threadIdx.x; d <= args.field.digits;
         d += SUM_THREADS) {
        const unsigned int part = min(d * args.parts_of_digit, parts);
        if (part >= begin && (part < end || end == parts))
            args.offsets[d] = args.part_offsets[part];
    }
}

} // namespace winnow::partition

#define COUNT_PARTS(KEY)                                                       \
    WINNOW__ENTRY(winnow::partition::PARTS_THREADS, 0, 0, 0,                   \
                  winnow::partition::count_parts<KEY>)
const winnow__kernel winnow__partition_count_parts[2] = {COUNT_PARTS(uint32_t),
                                                         COUNT_PARTS(uint64_t)};
const winnow__kernel winnow__partition_sum_parts = WINNOW__ENTRY(
    winnow::partition::SUM_THREADS, 0, 0, 0, winnow::partition::sum_parts);
