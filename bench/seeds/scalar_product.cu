/*
 * A scalar product: an element for each thread, added to one number by atomics.
 *
 * After M. Elteir, H. Lin and W. Feng, "Performance Characterization and
 * Optimization of Atomic Operations on AMD GPUs" (2011), figure 12.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "software.cuh"

namespace seeds {

constexpr unsigned int N = SEEDS_PRODUCT_THREADS;

__device__ __forceinline__ seeds_count product(const uint32_t *x,
                                               const uint32_t *y, uint64_t i) {
    return static_cast<seeds_count>(x[i]) * y[i];
}

template <seeds_product_form FORM>
__global__ void __launch_bounds__(N)
    scalar_product(const uint32_t *x, const uint32_t *y, seeds_count *sum) {
    const seeds_count own = product(x, y, thread_index());
    if constexpr (FORM == SEEDS_PRODUCT_THREAD) {
        atomicAdd(sum, own);
    } else if constexpr (FORM == SEEDS_PRODUCT_WARP) {
        (void)aggregated_add(sum, own);
    } else {
        using Storage = BlockScanStorage<seeds_count, N>;
        WINNOW__SHARED(storage, Storage);
        (void)block_add(storage, sum, own);
    }
}

__global__ void __launch_bounds__(N)
    scalar_product_software(SoftwareAtomic all, const uint32_t *x,
                            const uint32_t *y, seeds_count *sum) {
    with_software_atomic<N>(all, [&](unsigned int client, auto add) {
        const uint64_t i = static_cast<uint64_t>(client) * N + threadIdx.x;
        (void)add(sum, product(x, y, i));
    });
}

} // namespace seeds

int seeds_gpu_scalar_product(seeds_product_form form, unsigned blocks,
                             const uint32_t *d_x, const uint32_t *d_y,
                             seeds_count *d_sum, void *d_software,
                             winnow_stream stream) {
    using namespace seeds;
    if (form == SEEDS_PRODUCT_SOFTWARE)
        return launch(scalar_product_software, blocks + 1, N, stream,
                      software_of(d_software, blocks, N), d_x, d_y, d_sum);
    const auto kernel =
        form == SEEDS_PRODUCT_THREAD ? scalar_product<SEEDS_PRODUCT_THREAD>
        : form == SEEDS_PRODUCT_WARP ? scalar_product<SEEDS_PRODUCT_WARP>
                                     : scalar_product<SEEDS_PRODUCT_TILE>;
    return launch(kernel, blocks, N, stream, d_x, d_y, d_sum);
}
