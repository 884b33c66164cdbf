/*
 * partition_by_key in any order, without counting first.
 *
 * A sample of the keys estimates where each digit begins in the output: that is
 * its region, which ends where the next one begins. Blocks that scatter reserve
 * groups in the regions, by an atomic for each digit of a tile. Groups for which
 * a region has no room, and the few items of a chunk that fill no group, go to
 * spare rows. So each item is read and written once, where counting first reads
 * the keys twice.
 *
 * Then the counts are known, and with them each digit's final place. It covers
 * nearly all of the digit's region, since both are near each other: what lies
 * inside is kept. What lies outside is displaced. It is collected in spare rows,
 * too, and then the spare rows fill the free places, in any order.
 *
 * The error of an estimate is a share of the input that falls with the root of
 * the sample's size, and its sum over all digits grows with their number. The
 * two halves of the sample tell how large it is, whatever the keys: where they
 * differ too much, or spare rows run out, the digits are counted after all.
 *
 * Order of memory: every exchange is a relaxed atomic, or goes from one kernel
 * to a later one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_ESTIMATE_CUH
#define WINNOW_KERNELS_PARTITION_ESTIMATE_CUH

#include "partition.cuh"

namespace winnow {
namespace partition {

/* Has the output been written by an estimate? Said by an earlier kernel. */
__device__ __forceinline__ bool
is_settled(const winnow__partition_args &args) {
    return args.estimate != nullptr && args.estimate->settled != 0;
}

/* The error that the sample shows may be this share of the spare rows: the true
 * one may be larger. */
constexpr unsigned int MARGIN = 2;

/* Of a digit, in groups of the output. */
struct Region {
    uint32_t first, end;
};

/* The sums that several threads of a block take together. */
template <unsigned int WARPS_>
using LongSums = Array<unsigned long long, WARPS_>;

/* A sum over the block, by all threads. */
template <unsigned int WARPS_>
__device__ __forceinline__ unsigned long long
sum_of_block(unsigned long long x, LongSums<WARPS_> &sums) {
    unsigned long long all;
    __syncthreads(); /* sums is free */
    exclusive_sum<WARPS_>(x, sums.at, &all);
    return all;
}

/* The region of each thread's digit. All threads of all blocks get the same
 * answer: can the estimate be used? */
template <unsigned int WARPS_>
__device__ __forceinline__ bool
estimate_region(const winnow__partition_args &args, LongSums<WARPS_> &sums,
                Region &region) {
    const unsigned int digit = threadIdx.x;
    uint64_t own = 0; /* of both halves of the sample, in 32 bits each */
    if (digit < args.row)
        own = args.estimate->sampled[0][digit] |
              uint64_t(args.estimate->sampled[1][digit]) << 32;
    unsigned long long all;
    __syncthreads(); /* sums is free */
    const uint64_t before =
        exclusive_sum<WARPS_, unsigned long long>(own, sums.at, &all);
    const auto both = [](uint64_t counts) {
        return static_cast<double>((counts & 0xffffffff) + (counts >> 32));
    };
    const double groups = static_cast<double>(args.n / args.group);
    const auto place = [&](uint64_t counts) {
        return static_cast<uint32_t>(both(counts) / both(all) * groups);
    };
    region = {place(before), place(before + own)};
    /* The mean of both halves has half the error of their difference. */
    const double low = static_cast<double>(before & 0xffffffff) /
                       static_cast<double>(all & 0xffffffff);
    const double high = static_cast<double>(before >> 32) /
                        static_cast<double>(all >> 32);
    const double error = (low < high ? high - low : low - high) / 2;
    const unsigned long long items =
        digit < args.row
            ? static_cast<unsigned long long>(error *
                                              static_cast<double>(args.n))
            : 0;
    return sum_of_block(items, sums) * MARGIN <= args.spare_items;
}

} // namespace partition
} // namespace winnow

#endif
