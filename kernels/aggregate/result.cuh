/*
 * The result of an aggregate, from the words of its parts. Its tiles are items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/reduce/finish.cuh"

namespace winnow::aggregate {

using Integers = reduce::Integer<uint64_t>;
using Floats = reduce::Float64;

__device__ __forceinline__ uint64_t index_of(const winnow__reduce_args &args,
                                             const winnow__reduce_totals &all,
                                             int end) {
    const unsigned int wanted = WINNOW_REDUCE_INDEX | WINNOW_REDUCE_MINIMUM
                                                          << end;
    if ((args.wanted & wanted) != wanted)
        return 0;
    return winnow__reduce_found(&args.type, &all, end) ? all.tile[end]
                                                       : WINNOW_NO_INDEX;
}

/* Thread 0 calls this. */
template <class E, int ENDS>
__device__ __forceinline__ void write_result(const winnow__reduce_args &args,
                                             const winnow__reduce_totals &all) {
    if (args.wanted & WINNOW__REDUCE_UPPER) {
        winnow__reduce_add_upper(&args.type, args.wanted, &all, args.result);
        return;
    }
    winnow_reduction result = reduce::result_of<E, true, ENDS>(args, all);
    if constexpr (ENDS != 0) {
        result.minimum_index = index_of(args, all, 0);
        result.maximum_index = index_of(args, all, 1);
    }
    *args.result = result;
}

} // namespace winnow::aggregate
