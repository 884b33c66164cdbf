/*
 * partition_by_key: counts the digits of each chunk, and sums the counts up.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "partition.cuh"
#include "selector.cuh"

namespace winnow {
namespace partition {

/*
 * A block counts in shared memory. Lanes of a warp count in copies of their
 * own, as many as there is room for, which lie in different banks: so nothing
 * is slower where all keys have the same digit. Up to 8 bits there is a copy
 * for each lane.
 */
template <unsigned int BITS>
struct Counters {
    static constexpr unsigned int COPIES = BITS <= 8 ? WARP
                                                     : WARP >> (BITS - 8);
    static constexpr unsigned int NUMBER = DIGITS<BITS> * COPIES;

    uint32_t at[NUMBER];

    __device__ __forceinline__ void clear() {
        for (unsigned int i = threadIdx.x; i < NUMBER; i += THREADS)
            at[i] = 0;
    }

    __device__ __forceinline__ void count(unsigned int digit) {
        atomicAdd(&at[digit * COPIES + lane_id() % COPIES], 1u);
    }

    __device__ __forceinline__ uint32_t sum(unsigned int digit) const {
        uint32_t total = 0;
        /* Each thread begins at another bank. */
#pragma unroll 8
        for (unsigned int i = 0; i < COPIES; i++)
            total += at[digit * COPIES + (i + threadIdx.x) % COPIES];
        return total;
    }
};

/* Vectors of 16 bytes that a thread has under way. */
constexpr unsigned int BATCH = 4;

template <class Key, class Count>
__device__ __forceinline__ void count_vector(const uint4 &vector, Count count) {
#pragma unroll
    for (unsigned int i = 0; i < VECTOR_ITEMS<Key>; i++)
        count(item<Key>(vector, i));
}

/* Call count(key) for all keys of the chunk, in any order. */
template <class Key, class Count>
__device__ __forceinline__ void for_each_key(const Key *keys, uint64_t number,
                                             Count count) {
    /* Those before the first whole vector, */
    const unsigned int misplaced = reinterpret_cast<uintptr_t>(keys) % 16;
    const unsigned int ahead =
        misplaced != 0 ? (16 - misplaced) / sizeof(Key) : 0;
    const uint64_t head = ahead < number ? ahead : number;
    if (threadIdx.x < head)
        count(keys[threadIdx.x]);
    /* the vectors, */
    const uint64_t vectors = (number - head) / VECTOR_ITEMS<Key>;
    const uint4 *const from = reinterpret_cast<const uint4 *>(keys + head);
    uint64_t i = threadIdx.x;
    for (; i + (BATCH - 1) * THREADS < vectors; i += BATCH * THREADS) {
        uint4 batch[BATCH];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++)
            batch[k] = from[i + k * THREADS];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++)
            count_vector<Key>(batch[k], count);
    }
    for (; i < vectors; i += THREADS)
        count_vector<Key>(from[i], count);
    /* and those behind the last. */
    const uint64_t done = head + vectors * VECTOR_ITEMS<Key>;
    if (threadIdx.x < number - done)
        count(keys[done + threadIdx.x]);
}

template <class Key, unsigned int BITS>
__global__ void __launch_bounds__(THREADS)
    count(const __grid_constant__ winnow__partition_args args) {
    WINNOW__SHARED(counters, Counters<BITS>);
    const Chunk chunk(args);
    if (!chunk.exists)
        return;
    counters.clear();
    __syncthreads();
    const Digit<Key> digit_of(args);
    for_each_key(static_cast<const Key *>(args.keys) + chunk.begin,
                 chunk.end - chunk.begin, [&](Key key) {
                     if (digit_of.has_part(key))
                         counters.count(digit_of(key));
                 });
    __syncthreads();
    unsigned long long *const row =
        args.table + uint64_t(blockIdx.x) * DIGITS<BITS>;
    for (unsigned int d = threadIdx.x; d < DIGITS<BITS>; d += THREADS)
        row[d] = counters.sum(d);
}

/*
 * Each count of the table becomes the sum of those above it. A block has 32
 * digits, one for each lane; its warps have a piece of the rows each.
 */
constexpr unsigned int SCAN_THREADS = WINNOW__PARTITION_SCAN_THREADS;
static_assert(SCAN_THREADS == WARP * WARP &&
                  WINNOW__PARTITION_SCAN_DIGITS == WARP,
              "a lane for each digit, and for each warp");

template <unsigned int BITS>
__global__ void __launch_bounds__(SCAN_THREADS)
    scan(const __grid_constant__ winnow__partition_args args) {
    /* Of a warp's piece, and a digit; a column more, for the banks. */
    using Sums = Array<unsigned long long[WARP + 1], WARP>;
    WINNOW__SHARED(sums, Sums);
    const unsigned int chunks = args.segment_offsets != nullptr
                                    ? args.first_chunk[args.segments]
                                    : args.chunks;
    const unsigned int digit = blockIdx.x * WARP + lane_id();
    const bool exists = digit < DIGITS<BITS>;
    const unsigned int piece = (chunks + WARP - 1) / WARP;
    const unsigned int first = min(warp_id() * piece, chunks);
    const unsigned int last = min(first + piece, chunks);
    unsigned long long *const column = args.table + digit;

    unsigned long long sum = 0;
    if (exists) {
#pragma unroll 8
        for (unsigned int c = first; c < last; c++)
            sum += column[uint64_t(c) * DIGITS<BITS>];
    }
    sums.at[warp_id()][lane_id()] = sum;
    __syncthreads();
    /* Now a warp has a digit, and its lanes the pieces. */
    unsigned long long &own = sums.at[lane_id()][warp_id()];
    const unsigned long long inclusive = inclusive_sum(own);
    const unsigned int summed = blockIdx.x * WARP + warp_id();
    if (lane_id() == WARP - 1 && summed < DIGITS<BITS>)
        args.totals[summed] = inclusive;
    own = inclusive - own;
    __syncthreads();
    if (!exists)
        return;
    unsigned long long before = sums.at[warp_id()][lane_id()];
#pragma unroll 8
    for (unsigned int c = first; c < last; c++) {
        unsigned long long &entry = column[uint64_t(c) * DIGITS<BITS>];
        const unsigned long long here = entry;
        entry = before;
        before += here;
    }
}

/* ------------------------------------------------------------- two passes */

/* Cut the segments into chunks: their first chunks, by one block with a thread
 * for each segment. */
constexpr unsigned int MOST_SEGMENTS = 256;

__global__ void __launch_bounds__(MOST_SEGMENTS)
    cut(const __grid_constant__ winnow__partition_args args) {
    constexpr unsigned int CUT_WARPS = MOST_SEGMENTS / WARP;
    using Sums = Array<unsigned int, CUT_WARPS>;
    WINNOW__SHARED(sums, Sums);
    const unsigned int segment = threadIdx.x;
    unsigned int chunks = 0, all = 0;
    if (segment < args.segments) {
        const uint64_t items =
            args.segment_offsets[segment + 1] - args.segment_offsets[segment];
        chunks = static_cast<unsigned int>((items + args.chunk_items - 1) /
                                           args.chunk_items);
    }
    const unsigned int first = exclusive_sum<CUT_WARPS>(chunks, sums.at, &all);
    if (segment < args.segments)
        args.first_chunk[segment] = first;
    if (segment == 0)
        args.first_chunk[args.segments] = all;
}

/*
 * Where each part begins. Its upper digit has a column of the table, its lower
 * one is a segment: the part begins where the segment's first chunk puts the
 * first item of that digit. An empty segment's is that of the next one.
 */
constexpr unsigned int OFFSETS_THREADS = 256;
constexpr unsigned int TABLE_BITS = 8; /* of two passes */

__global__ void __launch_bounds__(OFFSETS_THREADS)
    part_offsets(const __grid_constant__ winnow__partition_args args) {
    const unsigned int part = blockIdx.x * OFFSETS_THREADS + threadIdx.x;
    if (part > args.parts)
        return;
    if (part == args.parts) {
        args.part_offsets[part] = args.offsets[args.digits];
        return;
    }
    const unsigned int digit = part >> args.digit_shift;
    const unsigned int segment = part & ((1u << args.digit_shift) - 1);
    const unsigned int chunk = args.first_chunk[segment];
    const unsigned long long before =
        chunk < args.first_chunk[args.segments]
            ? args.table[uint64_t(chunk) * DIGITS<TABLE_BITS> + digit]
            : args.totals[digit];
    args.part_offsets[part] = args.offsets[digit] + before;
}

/* The differences between the parts' offsets, which an earlier kernel wrote. */
__global__ void __launch_bounds__(OFFSETS_THREADS)
    part_counts(const __grid_constant__ winnow__partition_args args) {
    const unsigned int part = blockIdx.x * OFFSETS_THREADS + threadIdx.x;
    if (part < args.parts)
        args.part_counts[part] =
            args.part_offsets[part + 1] - args.part_offsets[part];
}

} // namespace partition
} // namespace winnow

#define COUNT(KEY, BITS)                                                       \
    WINNOW__ENTRY(winnow::partition::THREADS, 0, 0, 0,                         \
                  winnow::partition::count<KEY, BITS>)
#define SCAN(BITS)                                                             \
    WINNOW__ENTRY(winnow::partition::SCAN_THREADS, 0, 0, 0,                    \
                  winnow::partition::scan<BITS>)
const winnow__kernel winnow__partition_count[2][WINNOW__PARTITION_CLASSES] = {
    {COUNT(uint32_t, 4), COUNT(uint32_t, 8), COUNT(uint32_t, 10)},
    {COUNT(uint64_t, 4), COUNT(uint64_t, 8), COUNT(uint64_t, 10)}};
const winnow__kernel winnow__partition_scan[WINNOW__PARTITION_CLASSES] = {
    SCAN(4), SCAN(8), SCAN(10)};
const winnow__kernel winnow__partition_cut = WINNOW__ENTRY(
    winnow::partition::MOST_SEGMENTS, 0, 0, 0, winnow::partition::cut);
const winnow__kernel winnow__partition_offsets =
    WINNOW__ENTRY(winnow::partition::OFFSETS_THREADS, 0, 0, 0,
                  winnow::partition::part_offsets);
const winnow__kernel winnow__partition_counts =
    WINNOW__ENTRY(winnow::partition::OFFSETS_THREADS, 0, 0, 0,
                  winnow::partition::part_counts);
