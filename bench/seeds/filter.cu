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

/* atomicAdd(count, 1) as PTX. nvcc turns its own atomicAdd() of a constant into
 * one for each warp; this it leaves as it is. */
__device__ __forceinline__ seeds_count increment(seeds_count *count) {
    seeds_count old;
    WINNOW__BODY(asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], 1;"
                              : "=l"(old)
                              : "l"(count)
                              : "memory");
                 , old = atomicAdd(count, 1u);)
    return old;
}

template <seeds_filter_form FORM>
__device__ __forceinline__ seeds_count take(seeds_count *count) {
    if constexpr (FORM == SEEDS_FILTER_GLOBAL)
        return atomicAdd(count, 1u);
    else if constexpr (FORM == SEEDS_FILTER_GLOBAL_PTX)
        return increment(count);
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
        out[take<FORM>(count)] = item;
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
    case SEEDS_FILTER_GLOBAL_PTX:
        kernel = filter<SEEDS_FILTER_GLOBAL_PTX>;
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
