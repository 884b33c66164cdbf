/*
 * What the blocks found becomes the result: by a block that has what all of
 * them handed on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_REDUCE_FINISH_CUH
#define WINNOW_KERNELS_REDUCE_FINISH_CUH

#include "block.cuh"

namespace winnow {

/* ------------------------------------------------------ words of the parts */

enum ReduceWord {
    COUNT_WORD = 0,
    SUM_WORD = 1,
    HIGH_WORD = 2,
    RANK_WORD = 3, /* and the other end's */
    TILE_WORD = 5
};

__device__ __forceinline__ uint64_t *words_of(const winnow__reduce_args &args,
                                              unsigned int which) {
    return args.words + uint64_t(which) * args.cut.parts;
}

template <class E, bool SUM, int ENDS>
__device__ __forceinline__ void store_words(const winnow__reduce_args &args,
                                            unsigned int part,
                                            const ReduceTotals &totals) {
    words_of(args, COUNT_WORD)[part] = totals.count;
    if constexpr (SUM)
        words_of(args, SUM_WORD)[part] = totals.sum;
    if constexpr (SUM && !E::IS_FLOAT)
        words_of(args, HIGH_WORD)[part] = totals.sum_high;
#pragma unroll
    for (int e = 0; e < ENDS; e++) {
        words_of(args, RANK_WORD + e)[part] = totals.rank[e];
        words_of(args, TILE_WORD + e)[part] = totals.tile[e];
    }
}

template <class E, bool SUM, int ENDS>
__device__ __forceinline__ ReduceTotals
load_words(const winnow__reduce_args &args, unsigned int part) {
    ReduceTotals totals = nothing();
    if (part >= args.cut.parts)
        return totals;
    totals.count = words_of(args, COUNT_WORD)[part];
    if constexpr (SUM)
        totals.sum = words_of(args, SUM_WORD)[part];
    if constexpr (SUM && !E::IS_FLOAT)
        totals.sum_high = words_of(args, HIGH_WORD)[part];
#pragma unroll
    for (int e = 0; e < ENDS; e++) {
        totals.rank[e] = words_of(args, RANK_WORD + e)[part];
        totals.tile[e] = words_of(args, TILE_WORD + e)[part];
    }
    return totals;
}

/* Of all parts, in thread 0. A thread has some words under way together. */
template <class E, bool SUM, int ENDS>
__device__ __forceinline__ ReduceTotals
gather_words(const winnow__reduce_args &args) {
    constexpr unsigned int TOGETHER = 4;
    using Sums = double[REDUCE_THREADS];
    WINNOW__SHARED(memory, Sums);
    ReduceTotals totals = nothing();
    double sum = 0;
    for (unsigned int first = threadIdx.x; first < args.cut.parts;
         first += TOGETHER * REDUCE_THREADS) {
        ReduceTotals some[TOGETHER];
#pragma unroll
        for (unsigned int i = 0; i < TOGETHER; i++)
            some[i] =
                load_words<E, SUM, ENDS>(args, first + i * REDUCE_THREADS);
#pragma unroll
        for (unsigned int i = 0; i < TOGETHER; i++) {
            merge<SUM && !E::IS_FLOAT, ENDS>(totals, some[i]);
            if constexpr (SUM && E::IS_FLOAT)
                sum += winnow__reduce_as_double(some[i].sum);
        }
    }
    merge_block<SUM && !E::IS_FLOAT, ENDS>(totals);
    if constexpr (SUM && E::IS_FLOAT)
        totals.sum = winnow__reduce_as_bits(fold_block(sum, memory));
    return totals;
}

/* -------------------------------------------------------- shared words */

__device__ __forceinline__ void add_shared(unsigned long long *low,
                                           unsigned long long *high,
                                           uint64_t more, uint64_t more_high) {
    const uint64_t before = atomicAdd(low, more);
    const uint64_t carry = more_high + (before + more < before);
    if (carry != 0)
        atomicAdd(high, carry);
}

/* By one thread, whichever: nothing is ordered by it. */
__device__ __forceinline__ void add_totals(const winnow__reduce_args &args,
                                           const ReduceTotals &totals) {
    winnow__reduce_shared *const shared = args.shared;
    if (totals.count == 0)
        return;
    atomicAdd(&shared->count, totals.count);
    if (args.wanted & WINNOW_REDUCE_SUM)
        add_shared(&shared->sum, &shared->sum_high, totals.sum,
                   totals.sum_high);
    if (args.wanted & WINNOW_REDUCE_MINIMUM)
        atomicMax(&shared->inverted[0], ~totals.rank[0]);
    if (args.wanted & WINNOW_REDUCE_MAXIMUM)
        atomicMax(&shared->inverted[1], ~totals.rank[1]);
}

__device__ __forceinline__ ReduceTotals
load_shared(const winnow__reduce_args &args) {
    const winnow__reduce_shared *const shared = args.shared;
    ReduceTotals totals = nothing();
    totals.count = load_relaxed(&shared->count);
    totals.sum = load_relaxed(&shared->sum);
    totals.sum_high = load_relaxed(&shared->sum_high);
    totals.rank[0] = ~load_relaxed(&shared->inverted[0]);
    totals.rank[1] = ~load_relaxed(&shared->inverted[1]);
    return totals;
}

/*
 * Is this block the last to come here? By all threads of every block.
 *
 * What a block's threads have stored or added before comes before the barrier
 * and the first fence, which with the addition to `blocks_done` is a release at
 * the scope of the device. That addition, as the last block makes it, reads
 * from all others, and with the second fence is the acquire; a barrier hands it
 * on to the block's other threads. The cursor is left as it was found.
 */
__device__ __forceinline__ bool is_last_block(winnow__cursor *cursor) {
    WINNOW__SHARED(last, bool);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&cursor->blocks_done, 1u) == gridDim.x - 1;
        if (last) {
            __threadfence();
            store_relaxed(&cursor->blocks_done, 0);
        }
    }
    __syncthreads();
    return last;
}

/* -------------------------------------------------------------- the result */

/*
 * The first element with a rank, in a tile that has one; in thread 0. A tile is
 * searched element by element, without vectors: there are two in a call.
 */
template <class E>
__device__ __forceinline__ uint64_t find_rank(const winnow__reduce_args &args,
                                              int end, uint64_t tile,
                                              uint64_t rank) {
    using U = typename E::U;
    using Warps = uint64_t[REDUCE_WARPS];
    WINNOW__SHARED(warps, Warps);
    const uint64_t each = PartSource<U>::tiles_of_part(args);
    const uint64_t part = tile / each, number = tile % each;
    const PartSource<U> source(args, static_cast<unsigned int>(part));
    const uint64_t begin = number * PartSource<U>::TILE;
    const uint64_t stop =
        min(begin + PartSource<U>::TILE, static_cast<uint64_t>(source.end));
    const U *const items = reinterpret_cast<const U *>(source.vectors);
    const Predicate<U, ANY> passes = any_predicate<U>(args);
    uint64_t found = WINNOW_NO_INDEX;
#pragma unroll 4
    for (uint64_t i = begin + threadIdx.x; i < stop; i += REDUCE_THREADS)
        if (i >= source.head) {
            const U x = items[i];
            if (passes(x) && rank_from<E>(args.type.order, end, x) == rank)
                found = min(found, i);
        }
#pragma unroll 1 /* once in a call: the library's size counts */
    for (unsigned int step = WARP / 2; step != 0; step /= 2)
        found = min(found, from_lane(found, step));
    __syncthreads(); /* the words may still be read, for the other end */
    if (lane_id() == 0)
        warps[warp_id()] = found;
    __syncthreads();
#pragma unroll 1
    for (unsigned int i = 0; i < REDUCE_WARPS; i++)
        found = min(found, warps[i]);
    return part * args.cut.part_items + found - source.head;
}

/* All but the indices. The type's class and what can be wanted are constants
 * here, so that the compiler leaves out the code for the others. */
template <class E, bool SUM, int ENDS>
__device__ __forceinline__ winnow_reduction
result_of(const winnow__reduce_args &args, const ReduceTotals &totals) {
    constexpr unsigned int CAN_BE_WANTED =
        (SUM ? WINNOW_REDUCE_SUM : 0) |
        (ENDS != 0 ? WINNOW_REDUCE_MINIMUM | WINNOW_REDUCE_MAXIMUM : 0);
    constexpr unsigned int SIZE = sizeof(typename E::U);
    winnow__reduce_type type = args.type;
    type.is_float = E::IS_FLOAT;
    type.is_signed = !E::IS_FLOAT && type.is_signed;
    type.log2_size = SIZE == 1 ? 0 : SIZE == 2 ? 1 : SIZE == 4 ? 2 : 3;
    return winnow__reduce_result(&type, args.wanted & CAN_BE_WANTED, &totals);
}

/* From thread 0's totals, by all threads of one block. */
template <class E, bool SUM, int ENDS>
__device__ __forceinline__ void finish_result(const winnow__reduce_args &args,
                                              ReduceTotals totals) {
    winnow_reduction result;
    if (threadIdx.x == 0)
        result = result_of<E, SUM, ENDS>(args, totals);
    if constexpr (ENDS != 0) {
        WINNOW__SHARED(all, ReduceTotals);
        if (args.wanted & WINNOW_REDUCE_INDEX) {
            if (threadIdx.x == 0)
                all = totals;
            __syncthreads();
#pragma unroll 1
            for (int end = 0; end < 2; end++) {
                const uint32_t bit =
                    end == 0 ? WINNOW_REDUCE_MINIMUM : WINNOW_REDUCE_MAXIMUM;
                uint64_t index = WINNOW_NO_INDEX;
                if ((args.wanted & bit) == 0)
                    continue;
                if (winnow__reduce_found(&args.type, &all, end))
                    index =
                        find_rank<E>(args, end, all.tile[end], all.rank[end]);
                if (end == 0)
                    result.minimum_index = index;
                else
                    result.maximum_index = index;
            }
        }
    }
    if (threadIdx.x == 0)
        *args.result = result;
}

} // namespace winnow

#endif
