/*
 * partition_blocks: parts that begin at multiples. The first kernel writes the
 * items' numbers, which are then partitioned as a column. Then the beginning of
 * each part is moved up to a multiple. Each place of an output gets the element
 * of its item or, behind a part, a fill.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "digit.cuh"
#include "target.cuh"

namespace winnow::partition {

constexpr unsigned int NUMBER_THREADS = 256, PAD_THREADS = 1024;
constexpr unsigned int GATHER_THREADS = 256;

__global__ void __launch_bounds__(NUMBER_THREADS)
    number(const __grid_constant__ winnow__partition_blocks_args args) {
    const uint64_t step = uint64_t(gridDim.x) * NUMBER_THREADS;
    trigger_dependents();
    wait_for_stream();
    for (uint64_t i = uint64_t(blockIdx.x) * NUMBER_THREADS + threadIdx.x;
         i < args.n; i += step)
        if (args.wide)
            static_cast<uint64_t *>(args.numbers)[i] = i;
        else
            static_cast<uint32_t *>(args.numbers)[i] = uint32_t(i);
}

__device__ __forceinline__ unsigned long long
count_of(const winnow__partition_blocks_args &args, unsigned int part) {
    return args.begins[part + 1] - args.begins[part];
}

/* One block. */
__global__ void __launch_bounds__(PAD_THREADS)
    pad(const __grid_constant__ winnow__partition_blocks_args args) {
    using Sums = WarpSums<unsigned long long, PAD_THREADS / WARP>;
    WINNOW__SHARED(sums, Sums);
    trigger_dependents();
    wait_for_stream();
    unsigned long long offset = 0, all;
    for (unsigned int first = 0; first < args.parts; first += PAD_THREADS) {
        const unsigned int part = first + threadIdx.x;
        const bool exists = part < args.parts;
        const unsigned long long count = exists ? count_of(args, part) : 0;
        const unsigned long long blocks =
            (count + (1u << args.to.log_align) - 1) >> args.to.log_align;
        const unsigned long long before =
            exclusive_sum(blocks << args.to.log_align, sums, &all);
        if (exists)
            args.to.offsets[part] = offset + before;
        if (exists && args.to.counts != nullptr)
            args.to.counts[part] = count;
        offset += all;
        __syncthreads(); /* sums is free again */
    }
    if (threadIdx.x == 0)
        args.to.offsets[args.parts] = offset;
}

/* The part that contains the place: the last part that begins at or before it,
 * which is never an empty one. */
__device__ __forceinline__ unsigned int
part_at(const winnow__partition_blocks_args &args, uint64_t place) {
    unsigned int low = 0, high = args.parts;
    while (high - low > 1) {
        const unsigned int middle = (low + high) / 2;
        if (args.to.offsets[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

__global__ void __launch_bounds__(GATHER_THREADS)
    gather(const __grid_constant__ winnow__partition_blocks_args args) {
    const uint64_t step = uint64_t(gridDim.x) * GATHER_THREADS;
    trigger_dependents();
    wait_for_stream();
    const uint64_t end = args.to.offsets[args.parts];
    for (uint64_t place = uint64_t(blockIdx.x) * GATHER_THREADS + threadIdx.x;
         place < end; place += step) {
        const unsigned int part = part_at(args, place);
        const uint64_t nth = place - args.to.offsets[part];
        const bool exists = nth < count_of(args, part);
        const uint64_t from = args.begins[part] + nth;
        const uint64_t item =
            !exists     ? 0
            : args.wide ? static_cast<const uint64_t *>(args.ordered)[from]
                        : static_cast<const uint32_t *>(args.ordered)[from];
        if (args.to.block_parts != nullptr &&
            (place & ((1u << args.to.log_align) - 1)) == 0)
            args.to.block_parts[place >> args.to.log_align] = part;
#pragma unroll 1
        for (unsigned int m = 0; m < args.to.moves; m++) {
            const winnow__partition_target &move = args.to.move[m];
            if (exists || move.fills)
                visit_width(move.bytes, [&](auto element) {
                    using T = typename decltype(element)::Type;
                    static_cast<T *>(move.out)[place] =
                        exists ? element_of<T>(move, item) : fill_of<T>(move);
                });
        }
    }
}

} // namespace winnow::partition

const winnow__kernel winnow__partition_number = WINNOW__ENTRY(
    winnow::partition::NUMBER_THREADS, 0, 0, 0, winnow::partition::number);
const winnow__kernel winnow__partition_pad = WINNOW__ENTRY(
    winnow::partition::PAD_THREADS, 0, 0, 0, winnow::partition::pad);
const winnow__kernel winnow__partition_gather = WINNOW__ENTRY(
    winnow::partition::GATHER_THREADS, 0, 0, 0, winnow::partition::gather);
