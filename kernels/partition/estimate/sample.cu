/*
 * partition_by_key by an estimate (regions.cuh): the sample.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../counters.cuh"
#include "regions.cuh"

namespace winnow::partition {

/* A stratum has 2^k strips. The sample has one of them, chosen at random (by
 * MurmurHash3's mixer), so that it has no period that keys could have, too. */
__device__ __forceinline__ unsigned int strip_of(uint64_t stratum,
                                                 unsigned int strips) {
    uint32_t x = static_cast<uint32_t>(stratum);
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return (x ^ x >> 16) & (strips - 1);
}

/* Adjacent keys in a strip. In longer strips runs of equal keys make the error
 * larger; shorter strips take as long to load. */
constexpr unsigned int STRIP = 16;
static_assert(STRIP == WARP / 2, "each half of a warp has a strip");

/* The upper half of each warp's lanes has the second half of the sample. */
template <class Key>
__global__ void __launch_bounds__(COUNT_THREADS)
    sample(const __grid_constant__ winnow__partition_scatter_args args) {
    constexpr unsigned int BATCH = 8; /* keys of a thread in flight */
    WINNOW__SHARED(counters, Counters);
    WINNOW__SHARED(sums, LongSums<COUNT_THREADS / WARP>);
    trigger_dependents();
    counters.clear(args.field.digits);
    __syncthreads();
    wait_for_stream();
    const Digit<Key> digit_of(args.field);
    const Key *const keys =
        static_cast<const Key *>(args.keys) + threadIdx.x % STRIP;
    const unsigned int strips = args.estimate.sampled_one_in;
    const uint64_t strata = items_of(args.chunks) / STRIP / strips;
    const uint64_t step = uint64_t(gridDim.x) * (COUNT_THREADS / STRIP);
    uint64_t stratum =
        uint64_t(blockIdx.x) * (COUNT_THREADS / STRIP) + threadIdx.x / STRIP;
    for (; stratum < strata; stratum += BATCH * step) {
        Key batch[BATCH];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            const uint64_t s = min(stratum + k * step, strata - 1);
            batch[k] = keys[(s * strips + strip_of(s, strips)) * STRIP];
        }
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++)
            if (stratum + k * step < strata)
                counters.count(digit_of(batch[k]));
    }
    __syncthreads();
    winnow__partition_exchange &exchange = args.estimate.estimate->exchange;
    for (unsigned int i = threadIdx.x; i < 2 * args.field.digits;
         i += COUNT_THREADS) {
        const unsigned int digit = i / 2, half = i % 2;
        const uint32_t number = counters.sum_of_half(digit, half);
        if (number != 0)
            atomicAdd(&exchange.sampled[half][digit], number);
    }
    if (is_last_block(&exchange.sampling_blocks))
        estimate_regions(args, sums);
}

} // namespace winnow::partition

#define SAMPLE(KEY)                                                            \
    WINNOW__ENTRY(winnow::partition::COUNT_THREADS, 0, 0, 0,                   \
                  winnow::partition::sample<KEY>)
const winnow__kernel winnow__partition_sample[2] = {SAMPLE(uint32_t),
                                                    SAMPLE(uint64_t)};
