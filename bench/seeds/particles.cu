/*
 * Particles in cells: nine components of each particle are added to those of
 * its cell, with or without adding up those of a warp's particles in the same
 * cell.
 *
 * After E. Westphal, "Voting and Shuffling to Optimize Atomic Operations"
 * (2015).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernel.cuh"

namespace seeds {

constexpr unsigned int COMPONENTS = SEEDS_COMPONENTS;

template <class T, seeds_particles_form FORM>
__global__ void __launch_bounds__(THREADS)
    particles(const uint32_t *cells, const T *values, uint64_t n, T *sums) {
    const uint64_t i = thread_index();
    const unsigned int mask = __ballot_sync(FULL_WARP, i < n);
    if (i >= n)
        return;
    const uint32_t cell = cells[i];
    T *const to = sums + static_cast<uint64_t>(cell) * COMPONENTS;
    T own[COMPONENTS];
#pragma unroll
    for (unsigned int c = 0; c < COMPONENTS; c++)
        own[c] = values[c * n + i];
    if constexpr (FORM == SEEDS_PARTICLES_ATOMIC) {
        (void)mask;
#pragma unroll
        for (unsigned int c = 0; c < COMPONENTS; c++)
            atomicAdd(to + c, own[c]);
    } else {
        const unsigned int peers = FORM == SEEDS_PARTICLES_VOTES
                                       ? match_peers_by_ballot(mask, cell)
                                       : match_peers(mask, cell);
        accumulate_components(mask, peers, to, 1, own);
    }
}

template <class T>
int launch_particles(seeds_particles_form form, const uint32_t *d_cells,
                     const T *d_values, uint64_t n, T *d_sums,
                     winnow_stream stream) {
    const auto kernel =
        form == SEEDS_PARTICLES_ATOMIC  ? particles<T, SEEDS_PARTICLES_ATOMIC>
        : form == SEEDS_PARTICLES_VOTES ? particles<T, SEEDS_PARTICLES_VOTES>
                                        : particles<T, SEEDS_PARTICLES_MATCH>;
    return launch(kernel, blocks_for(n, THREADS), THREADS, stream, d_cells,
                  d_values, n, d_sums);
}

} // namespace seeds

int seeds_gpu_particles_float(seeds_particles_form form,
                              const uint32_t *d_cells, const float *d_values,
                              uint64_t n, float *d_sums, winnow_stream stream) {
    return seeds::launch_particles(form, d_cells, d_values, n, d_sums, stream);
}

int seeds_gpu_particles_double(seeds_particles_form form,
                               const uint32_t *d_cells, const double *d_values,
                               uint64_t n, double *d_sums,
                               winnow_stream stream) {
    return seeds::launch_particles(form, d_cells, d_values, n, d_sums, stream);
}
