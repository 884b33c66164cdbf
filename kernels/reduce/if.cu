/*
 * reduce_if: count, sum, minimum and maximum of the elements that pass. A block
 * goes through one part of the input. How the parts' results meet is the
 * strategy: in shared words, by atomics; in memory, for the block that is last
 * or for the same kernel launched again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "finish.cuh"

namespace winnow {

constexpr unsigned int REDUCE_BLOCKS = 3; /* on a multiprocessor */

/* The first place of a list of ends has the only one: the maximum's is the
 * second in all that follows. */
template <int ENDS>
__device__ __forceinline__ void place_end(const winnow__reduce_args &args,
                                          ReduceTotals &totals) {
    if (is_maximum<ENDS>(args)) {
        totals.rank[1] = totals.rank[0];
        totals.tile[1] = totals.tile[0];
    }
}

template <class E, bool SUM, int ENDS>
__device__ __forceinline__ ReduceTotals
reduce_part(const winnow__reduce_args &args) {
    using U = typename E::U;
    const PartSource<U> source(args, blockIdx.x);
    ThreadPart<E, SUM, ENDS> part(args);
    part.run(source, args.test);
    trigger_dependents();
    return totals_of(part);
}

/* Hand on what a block found. True: this block finishes. With atomics, thread 0
 * then has the totals of all blocks; else they are to be gathered. */
template <class E, bool SUM, int ENDS>
__device__ __forceinline__ bool meet(const winnow__reduce_args &args,
                                     ReduceTotals &totals) {
    if (args.ending == WINNOW__REDUCE_ADDS) {
        place_end<ENDS>(args, totals);
        if (threadIdx.x == 0)
            add_totals(args, totals);
    } else if (threadIdx.x == 0) {
        store_words<E, SUM, ENDS>(args, blockIdx.x, totals);
    }
    if (args.ending == WINNOW__REDUCE_STORES || !is_last_block(args.cursor))
        return false;
    if (args.ending == WINNOW__REDUCE_ADDS && threadIdx.x == 0)
        totals = load_shared(args);
    return true;
}

/* Each step is inlined once: all 44 kernels have its code. */
template <class E, bool SUM, int ENDS>
__global__ void __launch_bounds__(REDUCE_THREADS, REDUCE_BLOCKS)
    reduce(const __grid_constant__ winnow__reduce_args args) {
    const bool is_alone =
        args.ending != WINNOW__REDUCE_FINISHES && args.cut.parts == 1;
    ReduceTotals totals;
    wait_for_stream();
    if (args.ending == WINNOW__REDUCE_FINISHES) {
        trigger_dependents();
    } else {
        totals = reduce_part<E, SUM, ENDS>(args);
        if (!is_alone && !meet<E, SUM, ENDS>(args, totals))
            return;
    }
    if (!is_alone && args.ending != WINNOW__REDUCE_ADDS)
        totals = gather_words<E, SUM, ENDS>(args);
    if (is_alone || args.ending != WINNOW__REDUCE_ADDS)
        place_end<ENDS>(args, totals);
    finish_result<E, SUM, ENDS>(args, totals);
}

} // namespace winnow

#define KERNEL(...)                                                            \
    {                                                                          \
        WINNOW__KERNEL(winnow::reduce<__VA_ARGS__>), winnow::REDUCE_THREADS,   \
            WINNOW__REDUCE_TILE_BYTES, 16, 0                                   \
    }
#define CLASS(E, ...)                                                          \
    {                                                                          \
        {__VA_ARGS__, KERNEL(E, false, 1), KERNEL(E, false, 2)}, {             \
            KERNEL(E, true, 0), KERNEL(E, true, 1), KERNEL(E, true, 2)         \
        }                                                                      \
    }
#define INTEGERS(U)                                                            \
    CLASS(winnow::Integer<U>, KERNEL(winnow::Integer<U>, false, 0))
#define FLOATS(E) CLASS(E, {})

extern "C" const winnow__kernel winnow__reduce[WINNOW__REDUCE_CLASSES][2]
                                              [WINNOW__REDUCE_ENDS];
const winnow__kernel
    winnow__reduce[WINNOW__REDUCE_CLASSES][2][WINNOW__REDUCE_ENDS] = {
        INTEGERS(uint8_t),       INTEGERS(uint16_t),
        INTEGERS(uint32_t),      INTEGERS(uint64_t),
        FLOATS(winnow::Float16), FLOATS(winnow::Bfloat16),
        FLOATS(winnow::Float32), FLOATS(winnow::Float64)};
