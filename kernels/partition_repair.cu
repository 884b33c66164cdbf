/*
 * partition_by_key by an estimate (partition_estimate.cuh): the sample that it
 * is made of, and what is done when all tiles are scattered.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "partition_counters.cuh"
#include "partition_estimate.cuh"

namespace winnow {
namespace partition {

/* ------------------------------------------------------------------ sample */

constexpr unsigned int ONE_IN = WINNOW__PARTITION_SAMPLED_ONE_IN;

/* Of the rows of a stratum one is in the sample: which one is random, so that
 * no period of the keys meets the sample's. (The mixer is of MurmurHash3.) */
__device__ __forceinline__ unsigned int row_of_stratum(uint64_t stratum) {
    uint32_t x = static_cast<uint32_t>(stratum);
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return (x ^ x >> 16) % ONE_IN;
}

/* Every second block has the second half of the sample. */
template <class Key>
__global__ void __launch_bounds__(COUNT_THREADS)
    sample(const __grid_constant__ winnow__partition_args args) {
    constexpr unsigned int BATCH = 8; /* rows of a warp under way */
    WINNOW__SHARED(counters, Counters);
    counters.clear(args.row);
    __syncthreads();
    const Digit<Key> digit_of(args);
    const Key *const keys = static_cast<const Key *>(args.keys) + lane_id();
    const uint64_t strata = args.n / (WARP * ONE_IN);
    const uint64_t warps = uint64_t(gridDim.x) * (COUNT_THREADS / WARP);
    uint64_t stratum =
        uint64_t(blockIdx.x) * (COUNT_THREADS / WARP) + warp_id();
    for (; stratum < strata; stratum += BATCH * warps) {
        Key batch[BATCH];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            const uint64_t s = min(stratum + k * warps, strata - 1);
            batch[k] = keys[(s * ONE_IN + row_of_stratum(s)) * WARP];
        }
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++)
            if (stratum + k * warps < strata)
                counters.count(digit_of(batch[k]));
    }
    __syncthreads();
    uint32_t *const sampled = args.estimate->sampled[blockIdx.x % 2];
    for (unsigned int d = threadIdx.x; d < args.row; d += COUNT_THREADS) {
        const uint32_t number = counters.sum(d);
        if (number != 0)
            atomicAdd(&sampled[d], number);
    }
}

/* ------------------------------------------------------------------ repair */

constexpr unsigned int REPAIR_THREADS = WINNOW__PARTITION_REPAIR_THREADS;
constexpr unsigned int REPAIR_WARPS = REPAIR_THREADS / WARP;
constexpr unsigned int MOST_DIGITS = WINNOW__PARTITION_DIGITS;
static_assert(MOST_DIGITS <= REPAIR_THREADS, "a thread for each digit");

/*
 * Of each digit: the items in its region are placed, those of them that are in
 * its final place are kept, and the others are displaced. The displaced ones of
 * all digits are numbered, digit by digit. So are a digit's free places, those
 * where it keeps nothing.
 */
struct Repair {
    uint64_t placed[MOST_DIGITS];    /* where they begin */
    uint64_t final[MOST_DIGITS];     /* where its final place begins */
    uint64_t kept_end[MOST_DIGITS];  /* where those that are kept end */
    uint64_t displaced[MOST_DIGITS]; /* of the digits before */
    uint64_t ahead[MOST_DIGITS];     /* displaced ones before those kept */
    uint64_t room[MOST_DIGITS];      /* free places before those kept */
    uint64_t all;                    /* displaced, of all digits */
    uint32_t overflow, left_over;    /* groups, items */

    /* The digit of a displaced item. */
    __device__ __forceinline__ unsigned int digit_of(uint64_t number) const {
        unsigned int low = 0;
#pragma unroll
        for (unsigned int step = MOST_DIGITS / 2; step != 0; step /= 2)
            if (displaced[low + step] <= number)
                low += step;
        return low;
    }

    /* Where it lies. */
    __device__ __forceinline__ uint64_t source(unsigned int digit,
                                               uint64_t number) const {
        const uint64_t nth = number - displaced[digit];
        return nth < ahead[digit] ? placed[digit] + nth
                                  : kept_end[digit] + (nth - ahead[digit]);
    }

    /* A free place of a digit. */
    __device__ __forceinline__ uint64_t place(unsigned int digit,
                                              uint64_t nth) const {
        return nth < room[digit] ? final[digit] + nth
                                 : kept_end[digit] + (nth - room[digit]);
    }
};

/* By all threads of a block. All blocks get the same. Returns whether the
 * estimate was used, and spare rows sufficed. */
__device__ __forceinline__ bool plan_repair(const winnow__partition_args &args,
                                            Repair &repair) {
    WINNOW__SHARED(sums, LongSums<REPAIR_WARPS>);
    const winnow__partition_estimate &estimate = *args.estimate;
    const unsigned int digit = threadIdx.x;
    Region region;
    if (!estimate_region(args, sums, region))
        return false;
    uint64_t number = 0, reserved = 0;
    if (digit < args.row) {
        reserved = estimate.reserved[digit];
        number = reserved * args.group + estimate.left_over[digit];
    }
    unsigned long long all;
    __syncthreads(); /* sums is free */
    const uint64_t first =
        exclusive_sum<REPAIR_WARPS, unsigned long long>(number, sums.at, &all);
    const uint64_t placed = uint64_t(region.first) * args.group;
    const uint64_t items =
        min(reserved, uint64_t(region.end - region.first)) * args.group;
    const uint64_t kept_first = max(placed, first);
    const uint64_t kept_end = min(placed + items, first + number);
    const bool keeps = kept_first < kept_end;
    const uint64_t displaced = keeps ? items - (kept_end - kept_first) : items;
    unsigned long long all_displaced;
    __syncthreads();
    const uint64_t before = exclusive_sum<REPAIR_WARPS, unsigned long long>(
        displaced, sums.at, &all_displaced);
    if (digit < MOST_DIGITS) {
        repair.placed[digit] = placed;
        repair.final[digit] = first;
        repair.kept_end[digit] = kept_end;
        repair.displaced[digit] = before;
        repair.ahead[digit] = keeps ? kept_first - placed : items;
        repair.room[digit] = keeps ? kept_first - first : number;
    }
    if (digit == 0) {
        repair.all = all_displaced;
        repair.overflow = estimate.overflow;
        repair.left_over = estimate.all_left_over;
    }
    __syncthreads();
    return uint64_t(repair.overflow) * args.group + repair.all <=
           args.spare_items;
}

/* The first spare row for displaced items. */
__device__ __forceinline__ uint64_t
displaced_rows(const winnow__partition_args &args, const Repair &repair) {
    return args.spare_left_over + uint64_t(repair.overflow) * args.group;
}

__device__ __forceinline__ void copy_element(void *to, uint64_t at,
                                             const void *from, uint64_t there,
                                             uint64_t bytes) {
    switch (bytes) {
    case 1:
        static_cast<uint8_t *>(to)[at] =
            static_cast<const uint8_t *>(from)[there];
        break;
    case 2:
        static_cast<uint16_t *>(to)[at] =
            static_cast<const uint16_t *>(from)[there];
        break;
    case 4:
        static_cast<uint32_t *>(to)[at] =
            static_cast<const uint32_t *>(from)[there];
        break;
    default:
        static_cast<uint64_t *>(to)[at] =
            static_cast<const uint64_t *>(from)[there];
    }
}

/* Displaced items to spare rows; block 0 writes the offsets. */
__global__ void __launch_bounds__(REPAIR_THREADS)
    collect(const __grid_constant__ winnow__partition_args args) {
    WINNOW__SHARED(repair, Repair);
    if (!plan_repair(args, repair))
        return;
    if (blockIdx.x == 0) {
        if (threadIdx.x < args.digits)
            args.offsets[threadIdx.x] = repair.final[threadIdx.x];
        if (threadIdx.x == 0) {
            args.offsets[args.digits] = args.n;
            args.estimate->settled = 1;
        }
    }
    const uint64_t rows = displaced_rows(args, repair);
    for (uint64_t i = uint64_t(blockIdx.x) * REPAIR_THREADS + threadIdx.x;
         i < repair.all; i += uint64_t(gridDim.x) * REPAIR_THREADS) {
        const uint64_t from = repair.source(repair.digit_of(i), i);
        if (args.keys_out != nullptr)
            copy_element(args.spare_keys, rows + i, args.keys_out, from,
                         args.key_bytes);
        for (unsigned int c = 0; c < args.moves; c++)
            copy_element(args.move[c].spare, rows + i, args.move[c].out, from,
                         args.move[c].bytes);
    }
}

/* A spare row to its final place. */
__device__ __forceinline__ void restore_row(const winnow__partition_args &args,
                                            uint64_t to, uint64_t row) {
    if (args.keys_out != nullptr)
        copy_element(args.keys_out, to, args.spare_keys, row, args.key_bytes);
    for (unsigned int c = 0; c < args.moves; c++)
        copy_element(args.move[c].out, to, args.move[c].spare, row,
                     args.move[c].bytes);
}

/* Spare rows to free places: displaced items to the first ones of their digit,
 * the others to those that they take by atomics, one for the lanes of a digit. */
template <class Key>
__global__ void __launch_bounds__(REPAIR_THREADS)
    restore(const __grid_constant__ winnow__partition_args args) {
    WINNOW__SHARED(repair, Repair);
    if (!plan_repair(args, repair))
        return;
    const Digit<Key> digit_of(args);
    const Key *const keys = static_cast<const Key *>(args.spare_keys);
    const uint64_t rows = displaced_rows(args, repair);
    const uint64_t first = uint64_t(blockIdx.x) * REPAIR_THREADS + threadIdx.x;
    const uint64_t step = uint64_t(gridDim.x) * REPAIR_THREADS;
    for (uint64_t i = first; i < repair.all; i += step) {
        const unsigned int digit = repair.digit_of(i);
        restore_row(args, repair.place(digit, i - repair.displaced[digit]),
                    rows + i);
    }
    const uint64_t others =
        repair.left_over + uint64_t(repair.overflow) * args.group;
    for (uint64_t i = first; i - lane_id() < others; i += step) {
        const bool exists = i < others;
        const uint64_t row =
            i < repair.left_over ? i
                                 : i - repair.left_over + args.spare_left_over;
        const unsigned int digit = exists ? digit_of(keys[row]) : ~0u;
        const unsigned int peers = __match_any_sync(ALL_LANES, digit);
        const int leader = __ffs(static_cast<int>(peers)) - 1;
        uint32_t nth = 0;
        if (exists && lane_id() == static_cast<unsigned int>(leader))
            nth = atomicAdd(&args.estimate->restored[digit],
                            static_cast<uint32_t>(__popc(peers)));
        nth = __shfl_sync(ALL_LANES, nth, leader) +
              __popc(peers & lanes_below());
        if (!exists)
            continue;
        const uint64_t displaced =
            (digit + 1 < MOST_DIGITS ? repair.displaced[digit + 1]
                                     : repair.all) -
            repair.displaced[digit];
        restore_row(args, repair.place(digit, displaced + nth), row);
    }
}

} // namespace partition
} // namespace winnow

#define SAMPLE(KEY)                                                            \
    WINNOW__ENTRY(winnow::partition::COUNT_THREADS, 0, 0, 0,                   \
                  winnow::partition::sample<KEY>)
#define RESTORE(KEY)                                                           \
    WINNOW__ENTRY(winnow::partition::REPAIR_THREADS, 0, 0, 0,                  \
                  winnow::partition::restore<KEY>)
const winnow__kernel winnow__partition_sample[2] = {SAMPLE(uint32_t),
                                                    SAMPLE(uint64_t)};
const winnow__kernel winnow__partition_collect =
    WINNOW__ENTRY(winnow::partition::REPAIR_THREADS, 0, 0, 0,
                  winnow::partition::collect);
const winnow__kernel winnow__partition_restore[2] = {RESTORE(uint32_t),
                                                     RESTORE(uint64_t)};
