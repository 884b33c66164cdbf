/*
 * The result, from the totals of all blocks. One block computes it, after it
 * has acquired the words of all blocks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "block.cuh"
#include "kernels/core/last_block.cuh"

namespace winnow::reduce {

/* ------------------------------------------------------ words of the parts */

/* Call visit(word, member) for each word of a part; each word is in an array
 * with one for each part. */
template <class E, bool SUM, int ENDS, class Visit>
__device__ __forceinline__ void visit_words(const winnow__reduce_args &args,
                                            uint64_t part, Totals &totals,
                                            const Visit &visit) {
    visit_members<SUM, SUM && !E::IS_FLOAT, ENDS>(
        totals, [&](uint64_t number, uint64_t &member) {
            visit(args.words[number * args.cut.parts + part], member);
        });
}

template <class E, bool SUM, int ENDS>
__device__ __forceinline__ void store_words(const winnow__reduce_args &args,
                                            Totals &totals) {
    visit_words<E, SUM, ENDS>(
        args, blockIdx.x, totals,
        [](uint64_t &word, uint64_t member) { word = member; });
}

template <class E, bool SUM, int ENDS>
__device__ __forceinline__ Totals load_words(const winnow__reduce_args &args,
                                             unsigned int part) {
    Totals totals = winnow__reduce_nothing();
    if (part < args.cut.parts)
        visit_words<E, SUM, ENDS>(
            args, part, totals,
            [](uint64_t word, uint64_t &member) { member = word; });
    return totals;
}

/* The totals of all parts, in thread 0. Threads load several parts at once. */
template <class E, bool SUM, int ENDS>
__device__ __forceinline__ Totals
gather_words(const winnow__reduce_args &args) {
    constexpr unsigned int TOGETHER = 4;
    using Sums = double[THREADS];
    WINNOW__SHARED(memory, Sums);
    Totals totals = winnow__reduce_nothing();
    double sum = 0;
    for (unsigned int first = threadIdx.x; first < args.cut.parts;
         first += TOGETHER * THREADS) {
        Totals some[TOGETHER];
#pragma unroll
        for (unsigned int i = 0; i < TOGETHER; i++)
            some[i] = load_words<E, SUM, ENDS>(args, first + i * THREADS);
#pragma unroll
        for (unsigned int i = 0; i < TOGETHER; i++) {
            winnow__reduce_merge(&totals, &some[i], SUM && !E::IS_FLOAT, ENDS);
            if constexpr (SUM && E::IS_FLOAT)
                sum += winnow__as_double(some[i].sum);
        }
    }
    merge_block<SUM && !E::IS_FLOAT, ENDS>(totals);
    if constexpr (SUM && E::IS_FLOAT)
        totals.sum = winnow__as_bits(fold_block(sum, memory));
    return totals;
}

/* -------------------------------------------------------------- the result */

/*
 * The index of the first element with a rank, in a tile that has one; for
 * thread 0. The tile is searched element by element, without vectors, since a
 * call searches only two tiles.
 */
template <class E>
__device__ __forceinline__ uint64_t find_rank(const winnow__reduce_args &args,
                                              int end, uint64_t tile,
                                              uint64_t rank) {
    using U = typename E::U;
    WINNOW__SHARED(first, unsigned long long);
    const uint64_t each = PartSource<U>::tiles_of_part(args);
    const uint64_t part = tile / each, number = tile % each;
    const PartSource<U> source(args, static_cast<unsigned int>(part));
    const uint64_t begin = number * PartSource<U>::TILE;
    const uint64_t stop =
        min(begin + PartSource<U>::TILE, static_cast<uint64_t>(source.end));
    const U *const items = reinterpret_cast<const U *>(source.vectors);
    const Predicate<U, ANY> passes(args.test);
    unsigned long long found = WINNOW_NO_INDEX;
    __syncthreads(); /* threads may still read `first` of the other end */
    if (threadIdx.x == 0)
        first = WINNOW_NO_INDEX;
    __syncthreads();
#pragma unroll 4
    for (uint64_t i = begin + threadIdx.x; i < stop; i += THREADS)
        if (i >= source.head) {
            const U x = items[i];
            if (passes(x) && rank_from<E>(args.type.order, end, x) == rank)
                found = min(found, static_cast<unsigned long long>(i));
        }
    if (found != WINNOW_NO_INDEX)
        atomicMin(&first, found);
    __syncthreads();
    return part * args.cut.part_items + first - source.head;
}

/* The result without indices. The type's class and the possible results are
 * constants here, so that the compiler removes other code. */
template <class E, bool SUM, int ENDS>
__device__ __forceinline__ winnow_reduction
result_of(const winnow__reduce_args &args, const Totals &totals) {
    constexpr unsigned int CAN_BE_WANTED =
        (SUM ? WINNOW_REDUCE_SUM | WINNOW_REDUCE_PARTIAL : 0) |
        (ENDS != 0 ? WINNOW_REDUCE_MINIMUM | WINNOW_REDUCE_MAXIMUM : 0);
    constexpr unsigned int SIZE = sizeof(typename E::U);
    winnow__reduce_type type = args.type;
    type.is_float = E::IS_FLOAT;
    type.is_signed = !E::IS_FLOAT && type.is_signed;
    type.log2_size = SIZE == 1 ? 0 : SIZE == 2 ? 1 : SIZE == 4 ? 2 : 3;
    return winnow__reduce_result(&type, args.wanted & CAN_BE_WANTED, &totals);
}

/* All threads of one block call this. Thread 0 has the totals. */
template <class E, bool SUM, int ENDS>
__device__ __forceinline__ void finish_result(const winnow__reduce_args &args,
                                              Totals totals) {
    winnow_reduction result;
    if (threadIdx.x == 0)
        result = result_of<E, SUM, ENDS>(args, totals);
    if constexpr (ENDS != 0) {
        WINNOW__SHARED(all, Totals);
        if (args.wanted & WINNOW_REDUCE_INDEX) {
            if (threadIdx.x == 0)
                all = totals;
            __syncthreads();
#pragma unroll 1
            for (int end = 0; end < 2; end++) {
                if ((args.wanted & WINNOW_REDUCE_MINIMUM << end) == 0)
                    continue;
                const uint64_t index =
                    winnow__reduce_found(&args.type, &all, end)
                        ? find_rank<E>(args, end, all.tile[end], all.rank[end])
                        : WINNOW_NO_INDEX;
                (end == 0 ? result.minimum_index : result.maximum_index) =
                    index;
            }
        }
    }
    if (threadIdx.x == 0)
        *args.result = result;
}

} // namespace winnow::reduce
