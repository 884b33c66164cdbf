/*
 * partition_by_key, two passes in any order: counts the items of all parts
 * before the first pass. Both passes then reserve groups in final places
 * (exact.cuh).
 *
 * A block counts in shared memory. The additions return nothing, so the lanes
 * of a warp with one part are added at once. Where there is no room for all
 * parts, a few neighbouring blocks have a slice of the parts each. They read
 * the same keys, all but one of them from the L2 cache.
 *
 * Order of memory: blocks add by relaxed atomics, and the next kernel reads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "part_counts.cuh"
#include "read.cuh"

namespace winnow {
namespace partition {

constexpr unsigned int PARTS_THREADS = WINNOW__PARTITION_PARTS_THREADS;

template <class Key>
__global__ void __launch_bounds__(PARTS_THREADS)
    count_parts(const __grid_constant__ winnow__partition_args args) {
    WINNOW__DYNAMIC_SHARED(shared);
    uint32_t *const table = reinterpret_cast<uint32_t *>(shared);
    trigger_dependents();
    const unsigned int slices = (args.parts + args.slice - 1) / args.slice;
    const unsigned int first = blockIdx.x % slices * args.slice;
    const unsigned int parts = min(args.slice, args.parts - first);
    clear_counts<PARTS_THREADS>(table, parts);
    __syncthreads();
    wait_for_stream();
    const Digit<Key> digit_of(args);
    for_each_item<PARTS_THREADS>(
        args, digit_of, Chunk(args, blockIdx.x / slices), [&](Key key) {
            const unsigned int part =
                static_cast<unsigned int>(digit_of.part(key)) - first;
            if (part < parts)
                atomicAdd(&table[part], 1u);
        });
    __syncthreads();
    /* Blocks begin at different parts, or they would all add to the same few
     * lines of memory. */
    const unsigned int start = blockIdx.x * PARTS_THREADS % parts;
    add_counts<PARTS_THREADS>(table, parts, start, args.part_items + first);
}

/*
 * Where each part begins, and each digit of the first pass, the upper one. A
 * block has neighbouring parts, and sums up all those before them, too: so it
 * needs nothing of other blocks.
 */
constexpr unsigned int SUM_THREADS = WINNOW__PARTITION_SCAN_THREADS;
constexpr unsigned int SUM_WARPS = SUM_THREADS / WARP;

__global__ void __launch_bounds__(SUM_THREADS)
    sum_parts(const __grid_constant__ winnow__partition_args args) {
    using Sums = Array<unsigned long long, SUM_WARPS>;
    WINNOW__SHARED(sums, Sums);
    trigger_dependents();
    wait_for_stream();
    const unsigned int begin = blockIdx.x * WINNOW__PARTITION_SUMMED_PARTS;
    const unsigned int end =
        min(begin + WINNOW__PARTITION_SUMMED_PARTS, args.parts);
    unsigned long long own = 0, before;
#pragma unroll 8
    for (unsigned int p = threadIdx.x; p < begin; p += SUM_THREADS)
        own += args.part_items[p];
    exclusive_sum<SUM_WARPS>(own, sums.at, &before);
    __syncthreads(); /* sums is free again */
    sum_up_parts<SUM_WARPS>(args, begin, end, before, sums.at);
    for (unsigned int d = threadIdx.x; d <= args.row; d += SUM_THREADS) {
        const unsigned int part = min(d * args.parts_of_digit, args.parts);
        if (part >= begin && (part < end || end == args.parts))
            args.offsets[d] = args.part_begins[part];
    }
}

} // namespace partition
} // namespace winnow

#define COUNT_PARTS(KEY)                                                       \
    WINNOW__ENTRY(winnow::partition::PARTS_THREADS, 0, 0, 0,                   \
                  winnow::partition::count_parts<KEY>)
const winnow__kernel winnow__partition_count_parts[2] = {COUNT_PARTS(uint32_t),
                                                         COUNT_PARTS(uint64_t)};
const winnow__kernel winnow__partition_sum_parts = WINNOW__ENTRY(
    winnow::partition::SUM_THREADS, 0, 0, 0, winnow::partition::sum_parts);
