/*
 * partition_by_key in any order, without counting first.
 *
 * A sample of the keys estimates where each digit begins in the output. A
 * digit's region extends from there to the region of the next digit
 * (sample.cu). Blocks that scatter reserve sectors in the regions, by an atomic
 * for each digit of a tile (places.cuh). Sectors for which a region has no
 * room, and the few items of a block that fill no sector, go to spare room. So
 * each item is read and written once. Counting first reads the keys twice.
 *
 * Then the counts are known, and with them each digit's final place. It
 * overlaps nearly all of the digit's region. Items inside the final place are
 * kept; items outside are displaced: they are collected in spare room, too.
 * Then all items in spare room fill the free places, in any order (repair.cu).
 *
 * The error of an estimate is a share of the input that falls with the square
 * root of the sample's size. The sum of all digits' errors grows with the
 * number of digits. The difference between the two halves of the sample
 * measures it, for any keys. If it is too large, or spare room runs out, the
 * digits are counted after all.
 *
 * Order of memory: blocks add by relaxed atomics. The last block of a kernel
 * reads the sums; is_last_block() has the release and the acquire. All other
 * data is written by one kernel and read by a later one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "../digit.cuh"
#include "kernels/core/last_block.cuh"

namespace winnow::partition {

/* The sum of x over the threads before this one, and over all, by a block. */
template <unsigned int WARPS_>
using LongSums = WarpSums<unsigned long long, WARPS_>;

template <unsigned int WARPS_>
__device__ __forceinline__ unsigned long long
sum_before(unsigned long long x, LongSums<WARPS_> &sums,
           unsigned long long *total_p) {
    __syncthreads(); /* sums is free */
    return exclusive_sum(x, sums, total_p);
}

/* One block: the regions from the sample, and `usable` from its error. */
template <unsigned int WARPS_>
__device__ __forceinline__ void
estimate_regions(const winnow__partition_scatter_args &args,
                 LongSums<WARPS_> &sums) {
    const winnow__partition_estimate_args &e = args.estimate;
    winnow__partition_exchange &exchange = e.estimate->exchange;
    const uint64_t n = items_of(args.chunks);
    const unsigned int digit = threadIdx.x;
    uint64_t own = 0; /* of both halves of the sample, in 32 bits each */
    if (digit < args.field.digits)
        own = load_relaxed(&exchange.sampled[0][digit]) |
              uint64_t(load_relaxed(&exchange.sampled[1][digit])) << 32;
    unsigned long long all;
    const uint64_t before = sum_before(own, sums, &all);
    if ((all & 0xffffffff) == 0 || all >> 32 == 0)
        return; /* fewer items than were planned for: `usable` stays 0 */
    const auto both = [](uint64_t counts) {
        return static_cast<double>((counts & 0xffffffff) + (counts >> 32));
    };
    if (digit <= args.field.digits)
        e.estimate->regions[digit] = static_cast<uint32_t>(
            both(before) / both(all) * static_cast<double>(n / e.sector));
    /* The mean of both halves has half the error of their difference. */
    const double low = static_cast<double>(before & 0xffffffff) /
                       static_cast<double>(all & 0xffffffff);
    const double high =
        static_cast<double>(before >> 32) / static_cast<double>(all >> 32);
    const double error = (low < high ? high - low : low - high) / 2;
    unsigned long long items =
        digit < args.field.digits
            ? static_cast<unsigned long long>(error * static_cast<double>(n))
            : 0;
    sum_before(items, sums, &items);
    /* The true error may be larger by half. */
    if (digit == 0)
        exchange.usable = items + items / 2 <= e.spare_items;
}

/* One block, after all tiles: computes the offsets and the displaced items. */
template <unsigned int WARPS_>
__device__ __forceinline__ void
settle(const winnow__partition_scatter_args &args, LongSums<WARPS_> &sums) {
    const winnow__partition_estimate_args &e = args.estimate;
    winnow__partition_estimate &estimate = *e.estimate;
    winnow__partition_exchange &exchange = estimate.exchange;
    const unsigned int digit = threadIdx.x;
    uint64_t number = 0, items = 0, placed = 0;
    if (digit < args.field.digits) {
        const uint64_t reserved = load_relaxed(&exchange.reserved[digit]);
        const uint32_t begin = estimate.regions[digit];
        const uint64_t room = estimate.regions[digit + 1] - begin;
        number = reserved * e.sector + load_relaxed(&exchange.left_over[digit]);
        placed = uint64_t(begin) * e.sector;
        items = min(reserved, room) * e.sector;
    }
    unsigned long long all;
    const uint64_t first = sum_before(number, sums, &all);
    const uint64_t kept_first = max(placed, first);
    const uint64_t kept_end = min(placed + items, first + number);
    const bool keeps = kept_first < kept_end;
    const uint64_t displaced = keeps ? items - (kept_end - kept_first) : items;
    const uint64_t before = sum_before(displaced, sums, &all);
    if (digit < WINNOW__PARTITION_DIGITS)
        estimate.repair[digit] = {placed,
                                  first,
                                  kept_end,
                                  before,
                                  keeps ? kept_first - placed : items,
                                  keeps ? kept_first - first : number};
    if (digit < args.present)
        args.offsets[digit] = first;
    if (digit != 0)
        return;
    args.offsets[args.present] = items_of(args.chunks);
    estimate.all_displaced = all;
    const uint64_t overflow = load_relaxed(&exchange.all_overflow);
    exchange.settled = overflow * e.sector + all <= e.spare_items;
}

} // namespace winnow::partition
