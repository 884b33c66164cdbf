/*
 * Filtering with atomics, an element for each thread.
 *
 * After A. Adinetz, "CUDA Pro Tip: Optimized Filtering with Warp-Aggregated
 * Atomics" (2014, 2017).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernel.cuh"

#include <cooperative_groups.h>

namespace seeds {

/*
 * atomicAdd(count, 1) that is not aggregated. nvcc and ptxas make one atomic
 * for each warp of those that add a constant, as PTX too: here it is the sign
 * bit of the item, which they do not know to be 1.
 */
__device__ __forceinline__ seeds_count increment(seeds_count *count,
                                                 int32_t item) {
    uint32_t one;
    WINNOW__BODY(asm volatile("shr.u32 %0, %1, 31;"
                              : "=r"(one)
                              : "r"(item));
                 , one = static_cast<uint32_t>(item) >> 31;)
    return atomicAdd(count, static_cast<seeds_count>(one));
}

template <seeds_filter_form FORM>
__device__ __forceinline__ seeds_count take(seeds_count *count,
                                            [[maybe_unused]] int32_t item) {
    if constexpr (FORM == SEEDS_FILTER_GLOBAL)
        return atomicAdd(count, 1u);
    else if constexpr (FORM == SEEDS_FILTER_GLOBAL_EACH)
        return increment(count, item);
    else if constexpr (FORM == SEEDS_FILTER_WARP_GROUP)
        return aggregated_increment_group(
            cooperative_groups::coalesced_threads(), count);
    else
        return aggregated_increment(count);
}

template <seeds_filter_form FORM>
__global__ void __launch_bounds__(THREADS)
    filter(const int32_t *in, uint64_t n, int32_t *out, seeds_count *count) {
    const uint64_t i = thread_index();
    if (i >= n)
        return;
    const int32_t item = in[i];
    if (item < 0)
        out[take<FORM>(count, item)] = item;
}

/* Ranks in a block by atomics on shared memory, with or without aggregation,
 * and one atomic on global memory for all of it. */
template <bool AGGREGATED>
__global__ void __launch_bounds__(THREADS)
    filter_shared(const int32_t *in, uint64_t n, int32_t *out,
                  seeds_count *count) {
    WINNOW__SHARED(kept, unsigned int);
    WINNOW__SHARED(offset, seeds_count);
    if (threadIdx.x == 0)
        kept = 0;
    __syncthreads();
    const uint64_t i = thread_index();
    const int32_t item = i < n ? in[i] : 0;
    unsigned int rank = 0;
    if (item < 0)
        rank = AGGREGATED ? aggregated_increment(&kept) : atomicAdd(&kept, 1u);
    __syncthreads();
    if (threadIdx.x == 0)
        offset = atomicAdd(count, static_cast<seeds_count>(kept));
    __syncthreads();
    if (item < 0)
        out[offset + rank] = item;
}

} // namespace seeds

int seeds_gpu_filter(seeds_filter_form form, const int32_t *d_in, uint64_t n,
                     int32_t *d_out, seeds_count *d_count,
                     winnow_stream stream) {
    using namespace seeds;
    const unsigned int blocks = blocks_for(n, THREADS);
    void (*kernel)(const int32_t *, uint64_t, int32_t *, seeds_count *) =
        filter<SEEDS_FILTER_GLOBAL>;
    switch (form) {
    case SEEDS_FILTER_GLOBAL:
        break;
    case SEEDS_FILTER_GLOBAL_EACH:
        kernel = filter<SEEDS_FILTER_GLOBAL_EACH>;
        break;
    case SEEDS_FILTER_SHARED:
        kernel = filter_shared<false>;
        break;
    case SEEDS_FILTER_WARP:
        kernel = filter<SEEDS_FILTER_WARP>;
        break;
    case SEEDS_FILTER_WARP_GROUP:
        kernel = filter<SEEDS_FILTER_WARP_GROUP>;
        break;
    case SEEDS_FILTER_WARP_SHARED:
        kernel = filter_shared<true>;
        break;
    }
    return launch(kernel, blocks, THREADS, stream, d_in, n, d_out, d_count);
}
