/*
 * Prefix sums of blocks of 32, a warp for each, in three forms; and of an array
 * that is made of such blocks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernel.cuh"

namespace seeds {

constexpr unsigned int WARPS = THREADS / WARP_LANES;

/* out: the sums of each 32 elements; totals, unless null: each block's last. */
template <class Form>
__global__ void __launch_bounds__(THREADS)
    prefix_blocks(const uint32_t *in, uint64_t n, uint32_t *out,
                  uint32_t *totals) {
    using Scratch = uint32_t[WARPS][Form::SCRATCH];
    WINNOW__SHARED(scratch, Scratch);
    const uint64_t i = thread_index();
    const uint32_t sum =
        Form::inclusive(scratch[threadIdx.x / WARP_LANES], i < n ? in[i] : 0u,
                        FULL_WARP, Plus(), 0u);
    if (i < n)
        out[i] = sum;
    if (totals != nullptr && threadIdx.x % WARP_LANES == WARP_LANES - 1 &&
        i / WARP_LANES * WARP_LANES < n)
        totals[i / WARP_LANES] = sum;
}

/* offsets: the prefix sums of the blocks' totals. */
__global__ void __launch_bounds__(THREADS)
    prefix_add(uint32_t *out, uint64_t n, const uint32_t *offsets) {
    const uint64_t i = thread_index();
    if (i >= WARP_LANES && i < n)
        out[i] += offsets[i / WARP_LANES - 1];
}

template <class Form>
__global__ void __launch_bounds__(THREADS)
    prefix_one_block(const uint32_t *in, uint64_t n, uint32_t *out) {
    using Storage = ArrayScanStorage<uint32_t, THREADS, Form>;
    WINNOW__SHARED(storage, Storage);
    for (uint64_t i = threadIdx.x; i < n; i += THREADS)
        out[i] = in[i];
    __syncthreads();
    block_scan_array(storage, out, n);
}

template <class Form>
int blocks_of(const uint32_t *d_in, uint64_t n, uint32_t *d_out,
              uint32_t *d_totals, winnow_stream stream) {
    return launch(prefix_blocks<Form>, blocks_for(n, THREADS), THREADS, stream,
                  d_in, n, d_out, d_totals);
}

/* Sums of the blocks, then those of the blocks' totals, in the same way. */
template <class Form>
int array_of(const uint32_t *d_in, uint64_t n, uint32_t *d_out,
             uint32_t *d_scratch, winnow_stream stream) {
    const uint64_t blocks = (n + WARP_LANES - 1) / WARP_LANES;
    if (blocks <= 1)
        return blocks_of<Form>(d_in, n, d_out, nullptr, stream);
    int error = blocks_of<Form>(d_in, n, d_out, d_scratch, stream);
    if (error == cudaSuccess)
        error = array_of<Form>(d_scratch, blocks, d_scratch, d_scratch + blocks,
                               stream);
    if (error == cudaSuccess)
        error = launch(prefix_add, blocks_for(n, THREADS), THREADS, stream,
                       d_out, n, d_scratch);
    return error;
}

/* f(Form()), for the form. */
template <class F>
int with_form(seeds_prefix_form form, F f) {
    switch (form) {
    case SEEDS_PREFIX_SHARED:
        return f(BySharedMemory());
    case SEEDS_PREFIX_REGISTER:
        return f(ByRegister());
    case SEEDS_PREFIX_SHUFFLE:
        break;
    }
    return f(ByShuffle());
}

} // namespace seeds

int seeds_gpu_prefix_blocks(seeds_prefix_form form, const uint32_t *d_in,
                            uint64_t n, uint32_t *d_out, winnow_stream stream) {
    return seeds::with_form(form, [&](auto how) {
        return seeds::blocks_of<decltype(how)>(d_in, n, d_out, nullptr, stream);
    });
}

uint64_t seeds_prefix_scratch(uint64_t n) {
    uint64_t elements = 0;
    while (n > seeds::WARP_LANES) {
        n = (n + seeds::WARP_LANES - 1) / seeds::WARP_LANES;
        elements += n;
    }
    return elements;
}

int seeds_gpu_prefix_array(seeds_prefix_form form, const uint32_t *d_in,
                           uint64_t n, uint32_t *d_out, uint32_t *d_scratch,
                           winnow_stream stream) {
    return seeds::with_form(form, [&](auto how) {
        return seeds::array_of<decltype(how)>(d_in, n, d_out, d_scratch,
                                              stream);
    });
}

int seeds_gpu_prefix_one_block(seeds_prefix_form form, const uint32_t *d_in,
                               uint64_t n, uint32_t *d_out,
                               winnow_stream stream) {
    return seeds::with_form(form, [&](auto how) {
        return seeds::launch(seeds::prefix_one_block<decltype(how)>, 1,
                             seeds::THREADS, stream, d_in, n, d_out);
    });
}
