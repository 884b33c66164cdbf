/*
 * The device's atomic add and one made in software; and how long an access
 * takes, for the model of the latter.
 *
 * After M. Elteir, H. Lin and W. Feng, "Performance Characterization and
 * Optimization of Atomic Operations on AMD GPUs" (2011), figures 8 and 9.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "software.cuh"

namespace seeds {

template <bool AGGREGATED>
__global__ void add(seeds_count *count, seeds_count *out) {
    const uint64_t i = thread_index();
    seeds_count old = 0;
    if (AGGREGATED)
        old = aggregated_add(count, i);
    else
        old = atomicAdd(count, i);
    if (out != nullptr)
        out[i] = old;
}

template <unsigned int N>
__global__ void __launch_bounds__(N)
    add_software(SoftwareAtomic all, seeds_count *count, seeds_count *out) {
    with_software_atomic<N>(all, [&](unsigned int client, auto add) {
        const uint64_t i = static_cast<uint64_t>(client) * N + threadIdx.x;
        const seeds_count old = add(count, i);
        if (out != nullptr)
            out[i] = old;
    });
}

/* One thread. What is read is 0: what is added and the next address follow from
 * it, so that no access begins before the last has ended. */
__global__ void chain(seeds_chain kind, unsigned int length,
                      seeds_count *word) {
    WINNOW__SHARED(shared, seeds_count);
    shared = 0;
    seeds_count value = 0;
    for (unsigned int i = 0; i < length; i++) {
        if (kind == SEEDS_CHAIN_MEMORY)
            value = port::load_relaxed(word + value);
        else if (kind == SEEDS_CHAIN_SHARED_ATOMIC)
            value = atomicAdd(&shared, value);
        else
            value = atomicAdd(word, value);
    }
    if (value != 0)
        *word = value;
}

} // namespace seeds

uint64_t seeds_software_bytes(unsigned clients, unsigned threads) {
    return seeds::software_atomic_bytes(clients, threads) +
           sizeof(unsigned int);
}

int seeds_gpu_add(seeds_add_form form, unsigned blocks, unsigned threads,
                  seeds_count *d_count, seeds_count *d_out, void *d_software,
                  winnow_stream stream) {
    using namespace seeds;
    if (form == SEEDS_ADD_SYSTEM)
        return launch(add<false>, blocks, threads, stream, d_count, d_out);
    if (form == SEEDS_ADD_AGGREGATED)
        return launch(add<true>, blocks, threads, stream, d_count, d_out);
    return launch(threads == WARP_LANES ? add_software<WARP_LANES>
                                        : add_software<256>,
                  blocks + 1, threads, stream,
                  software_of(d_software, blocks, threads), d_count, d_out);
}

int seeds_gpu_chain(seeds_chain chain, unsigned length, seeds_count *d_word,
                    winnow_stream stream) {
    return seeds::launch(seeds::chain, 1, 1, stream, chain, length, d_word);
}
