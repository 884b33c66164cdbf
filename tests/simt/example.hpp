/*
 * What comes before an example of the manual that has kernels, where it runs on
 * the CPU device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_EXAMPLE_HPP
#define WINNOW_TESTS_SIMT_EXAMPLE_HPP

#include "kernels/core/ptx.cuh"
#include "simt/port.hpp"

#include <cuda_runtime_api.h>

#include <tuple>

namespace simt {

/* kernel<<<blocks, threads, 0, stream>>>(arguments...) */
template <class... P, class... A>
void launch(void (*kernel)(P...), unsigned int blocks, unsigned int threads,
            int shared_bytes, cudaStream_t stream, A... arguments) {
    std::tuple<P...> values(arguments...);
    announce(kernel);
    std::apply(
        [&](auto &...each) {
            void *addresses[] = {
                const_cast<void *>(static_cast<const void *>(&each))...};
            (void)cudaLaunchKernel(reinterpret_cast<const void *>(kernel),
                                   blocks, threads, addresses,
                                   static_cast<size_t>(shared_bytes), stream);
        },
        values);
}

/* kernel<<<blocks, threads>>>(arguments...) */
template <class... P, class... A>
void launch(void (*kernel)(P...), unsigned int blocks, unsigned int threads,
            A... arguments) {
    launch(kernel, blocks, threads, 0, cudaStream_t(nullptr), arguments...);
}

} // namespace simt

#endif
