/*
 * reduce_if with atomics for each element that passes, as a beginner would
 * write it: every one of them waits for its turn at the same words.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "finish.cuh"

namespace winnow {

template <class E>
__device__ __forceinline__ void add_element(const winnow__reduce_args &args,
                                            typename E::U x) {
    ReduceTotals one = nothing();
    one.count = 1;
    one.sum = rank_from<E>(args.type.order, 0, x);
    one.rank[0] = one.sum;
    one.rank[1] = rank_from<E>(args.type.order, 1, x);
    add_totals(args, one);
}

template <class E>
__global__ void __launch_bounds__(REDUCE_THREADS)
    reduce_elements(const __grid_constant__ winnow__reduce_args args) {
    using U = typename E::U;
    wait_for_stream();
    const Predicate<U, ANY> passes = any_predicate<U>(args);
    const PartSource<U> source(args, blockIdx.x);
    const U *const items = reinterpret_cast<const U *>(source.vectors);
    for (uint64_t i = source.head + threadIdx.x; i < source.end;
         i += REDUCE_THREADS) {
        const U x = items[i];
        if (passes(x))
            add_element<E>(args, x);
    }
    trigger_dependents();
    if (!is_last_block(args.cursor))
        return;
    if (threadIdx.x == 0)
        *args.result = result_of<E, true, 2>(args, load_shared(args));
}

} // namespace winnow

#define KERNEL(E)                                                              \
    {                                                                          \
        WINNOW__KERNEL(winnow::reduce_elements<E>), winnow::REDUCE_THREADS, 0, \
            0, 0                                                               \
    }

extern "C" const winnow__kernel winnow__reduce_elements[WINNOW__REDUCE_CLASSES];
const winnow__kernel winnow__reduce_elements[WINNOW__REDUCE_CLASSES] = {
    KERNEL(winnow::Integer<uint8_t>),  KERNEL(winnow::Integer<uint16_t>),
    KERNEL(winnow::Integer<uint32_t>), KERNEL(winnow::Integer<uint64_t>),
    KERNEL(winnow::Float16),           KERNEL(winnow::Bfloat16),
    KERNEL(winnow::Float32),           KERNEL(winnow::Float64)};
