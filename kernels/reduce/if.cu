/*
 * reduce_if: count, sum, minimum and maximum of the elements that pass. A block
 * reduces one part of the input and stores its totals. The last block merges
 * the totals of all parts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "finish.cuh"

namespace winnow::reduce {

constexpr unsigned int BLOCKS = 3; /* on a multiprocessor */

/* Each step is inlined once: all 44 kernels have its code. */
template <class E, bool SUM, int ENDS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    reduce_if(const __grid_constant__ winnow__reduce_args args) {
    wait_for_stream();
    ThreadPart<E, SUM, ENDS> part(args);
    part.run(PartSource<typename E::U>(args, blockIdx.x), args.test);
    trigger_dependents();
    Totals totals = totals_of(part);
    if (args.cut.parts != 1) {
        if (threadIdx.x == 0)
            store_words<E, SUM, ENDS>(args, totals);
        if (!is_last_block(&args.cursor->blocks_done))
            return;
        totals = gather_words<E, SUM, ENDS>(args);
    }
    if constexpr (ENDS == 1) { /* the minimum, or the maximum */
        totals.rank[1] = totals.rank[0];
        totals.tile[1] = totals.tile[0];
    }
    finish_result<E, SUM, ENDS>(args, totals);
}

#define KERNEL(...)                                                            \
    WINNOW__ENTRY(THREADS, WINNOW__REDUCE_TILE_BYTES, 16, 0,                   \
                  reduce_if<__VA_ARGS__>)
#define CLASS(E, ...)                                                          \
    {                                                                          \
        {__VA_ARGS__, KERNEL(E, false, 1), KERNEL(E, false, 2)}, {             \
            KERNEL(E, true, 0), KERNEL(E, true, 1), KERNEL(E, true, 2)         \
        }                                                                      \
    }
#define INTEGERS(U) CLASS(Integer<U>, KERNEL(Integer<U>, false, 0))
#define FLOATS(E) CLASS(E, {})

WINNOW__FOR_HOST(
    winnow__reduce[WINNOW__REDUCE_CLASSES][2][WINNOW__REDUCE_ENDS]) = {
    INTEGERS(uint8_t),  INTEGERS(uint16_t), INTEGERS(uint32_t),
    INTEGERS(uint64_t), FLOATS(Float16),    FLOATS(Bfloat16),
    FLOATS(Float32),    FLOATS(Float64)};

} // namespace winnow::reduce
