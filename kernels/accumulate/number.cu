/*
 * The numbers 0, 1, 2...: the items of keys that are to be partitioned without
 * their values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"
#include "kernels/core/kernel.cuh"

namespace winnow {

constexpr unsigned int THREADS = 256;

template <class T>
struct alignas(16) Numbers {
    static constexpr unsigned int EACH = 16 / sizeof(T);
    T at[EACH];
};

template <class T>
__global__ void __launch_bounds__(THREADS)
    number(const __grid_constant__ winnow__accumulate_number_args args) {
    constexpr unsigned int EACH = Numbers<T>::EACH;
    const uint64_t vectors = (args.n + EACH - 1) / EACH;
    wait_for_stream();
    for (uint64_t i = uint64_t(blockIdx.x) * THREADS + threadIdx.x; i < vectors;
         i += uint64_t(gridDim.x) * THREADS) {
        Numbers<T> numbers;
#pragma unroll
        for (unsigned int k = 0; k < EACH; k++)
            numbers.at[k] = static_cast<T>(i * EACH + k);
        static_cast<Numbers<T> *>(args.numbers)[i] = numbers;
    }
}

} // namespace winnow

#define ENTRY(T) WINNOW__ENTRY(winnow::THREADS, 0, 0, 0, winnow::number<T>)
const winnow__kernel winnow__accumulate_number[2] = {ENTRY(uint32_t),
                                                     ENTRY(unsigned long long)};
