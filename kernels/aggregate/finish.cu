/*
 * Results of a compiled reduction: a block merges the parts of an aggregate.
 *
 * The previous kernel of the stream wrote the words of the parts.
 * wait_for_stream() waits for its end and makes its stores visible. Blocks
 * exchange nothing else.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"

#include "result.cuh"

namespace winnow::aggregate {

template <class E, int ENDS>
__device__ __forceinline__ void finish_as(const winnow__reduce_args &args) {
    const winnow__reduce_totals all = reduce::gather_words<E, true, ENDS>(args);
    if (threadIdx.x == 0)
        write_result<E, ENDS>(args, all);
}

template <class E>
__device__ __forceinline__ void finish_of(const winnow__reduce_args &args) {
    if ((args.wanted & (WINNOW_REDUCE_MINIMUM | WINNOW_REDUCE_MAXIMUM)) != 0)
        finish_as<E, 2>(args);
    else
        finish_as<E, 0>(args);
}

__device__ __forceinline__ void
finish_one(const winnow__aggregate_finish_args &of, unsigned int number) {
    const winnow__aggregate_finish &own = of.aggregate[number];
    winnow__reduce_args args{};
    args.cut = of.cut;
    args.words = of.words + static_cast<uint64_t>(number) *
                                WINNOW__REDUCE_WORDS * of.cut.parts;
    args.type = own.type;
    args.wanted = own.wanted;
    args.result = &of.results[blockIdx.x];
    if (args.type.is_float)
        finish_of<Floats>(args);
    else
        finish_of<Integers>(args);
}

/* Thread 0 writes the result of the lower halves, and then adds to it. */
__global__ void __launch_bounds__(WINNOW__REDUCE_THREADS)
    finish_where(const __grid_constant__ winnow__aggregate_finish_args of) {
    const unsigned int upper = of.aggregate[blockIdx.x].upper;
    wait_for_stream();
    finish_one(of, blockIdx.x);
    if (upper != 0) {
        __syncthreads(); /* other threads may still read shared memory */
        finish_one(of, upper);
    }
}

} // namespace winnow::aggregate

WINNOW__FOR_HOST(winnow__aggregate_finished) = WINNOW__ENTRY(
    WINNOW__REDUCE_THREADS, 0, 0, 0, winnow::aggregate::finish_where);
