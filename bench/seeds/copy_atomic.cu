/*
 * A copy kernel, an element of 4 bytes for each thread, with and without an
 * atomic; and an atomic, a memory access, and both.
 *
 * After figures 1 and 3 of M. Elteir, H. Lin and W. Feng, "Performance
 * Characterization and Optimization of Atomic Operations on AMD GPUs" (2011).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernel.cuh"

namespace seeds {

/* never: 0, which the compiler does not know. */
template <seeds_copy_form FORM>
__global__ void __launch_bounds__(THREADS)
    copy(const float *in, uint64_t n, float *out, seeds_count *count,
         unsigned int never) {
    const uint64_t i = thread_index();
    if (i >= n)
        return;
    if (FORM == SEEDS_COPY_ATOMIC || (FORM == SEEDS_COPY_NEVER && never != 0))
        atomicAdd(count, 1u);
    out[i] = in[i];
}

/* The access is an atomic load, since others may be adding. */
template <seeds_impact_form FORM>
__global__ void __launch_bounds__(SEEDS_IMPACT_THREADS)
    impact(seeds_count *count, seeds_count *out) {
    const uint64_t i = thread_index();
    if (FORM != SEEDS_IMPACT_MEMORY)
        atomicAdd(count, i);
    if (FORM != SEEDS_IMPACT_ATOMIC)
        out[i] = port::load_relaxed(count);
}

} // namespace seeds

int seeds_gpu_copy(seeds_copy_form form, const float *d_in, uint64_t n,
                   float *d_out, seeds_count *d_count, winnow_stream stream) {
    using namespace seeds;
    const auto kernel = form == SEEDS_COPY         ? copy<SEEDS_COPY>
                        : form == SEEDS_COPY_NEVER ? copy<SEEDS_COPY_NEVER>
                                                   : copy<SEEDS_COPY_ATOMIC>;
    return launch(kernel, blocks_for(n, THREADS), THREADS, stream, d_in, n,
                  d_out, d_count, 0u);
}

int seeds_gpu_impact(seeds_impact_form form, unsigned blocks,
                     seeds_count *d_count, seeds_count *d_out,
                     winnow_stream stream) {
    using namespace seeds;
    const auto kernel =
        form == SEEDS_IMPACT_ATOMIC   ? impact<SEEDS_IMPACT_ATOMIC>
        : form == SEEDS_IMPACT_MEMORY ? impact<SEEDS_IMPACT_MEMORY>
                                      : impact<SEEDS_IMPACT_BOTH>;
    return launch(kernel, blocks, SEEDS_IMPACT_THREADS, stream, d_count, d_out);
}
