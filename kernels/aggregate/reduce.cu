/*
 * One aggregate of the values of an expression, over the items that pass a
 * condition. Each block reduces one part, in the order of reduce/args.h. The
 * last block merges the results of all parts.
 *
 * A block takes 1024 items at a time. Thread t has items t, t + 256, t + 512
 * and t + 768. These are at two places of a stripe, and the thread has a sum
 * for each. Warps work independently. If none of its items passes, a warp reads
 * no column. A lane reads a passing item in place of one that does not pass.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"

#include "kernels/core/bit_words.cuh"
#include "kernels/expression/interpret.cuh"
#include "result.cuh"

namespace winnow::aggregate {

using namespace expression;

constexpr unsigned int THREADS = WINNOW__REDUCE_THREADS;
constexpr unsigned int STEP = WINNOW__AGGREGATE_STEP;
static_assert(STEP == 2 * WINNOW__REDUCE_STRIPE_BYTES / 8 && ITEMS == 4,
              "items 0 and 2 of a thread have one place, 1 and 3 the other");

/* This lane's items. `live` has a bit for each that passes and has no null;
 * `spare` is a live item, which is read in place of others. */
struct LiveItems {
    uint64_t first; /* of this lane */
    uint64_t spare;
    uint32_t live, nulls;

    __device__ __forceinline__ uint64_t own(unsigned int k) const {
        return first + k * THREADS;
    }

    __device__ __forceinline__ uint64_t at(unsigned int k) const {
        return (live >> k & 1) != 0 ? own(k) : spare;
    }
};

/* A thread's totals. Here a tile is one item. */
struct Found {
    winnow__reduce_totals totals = winnow__reduce_nothing();
    double sums[2] = {0, 0}; /* of floats, for each of the two places */
};

/* ------------------------------------------------------------------- items */

/* The bits of 32 items from `item` on: those that pass and have no null. */
__device__ __forceinline__ uint32_t
live_word(const winnow__aggregate_args &args, uint64_t n, uint64_t item) {
    if (item >= n)
        return 0;
    uint32_t word = n - item >= WARP ? ~0u : (1u << (n - item)) - 1;
    if (args.keep != nullptr)
        word &= args.keep[item / WARP];
#pragma unroll 1
    for (unsigned int c = 0; c < args.program.columns && word != 0; c++) {
        const winnow__value_column &column = args.columns[c];
        if (column.valid != nullptr)
            word &= BitWords(column.valid, column.valid_skip, args.reduce.n)
                        .bits(item);
    }
    return word;
}

/* Finds this lane's live items from `begin` on; false: the warp has none. */
__device__ __forceinline__ bool find_live(const winnow__aggregate_args &args,
                                          uint64_t n, uint64_t begin,
                                          LiveItems &items) {
    uint32_t word = 0; /* lane k has word k of the warp's */
    if (lane_id() < ITEMS)
        word = live_word(args, n,
                         begin + lane_id() * THREADS + threadIdx.x - lane_id());
    if (__ballot_sync(ALL_LANES, word != 0) == 0)
        return false;
    items = LiveItems{begin + threadIdx.x, 0, 0, 0};
#pragma unroll
    for (unsigned int k = 0; k < ITEMS; k++)
        items.live |= (__shfl_sync(ALL_LANES, word, k) >> lane_id() & 1) << k;
    const uint32_t lanes = __ballot_sync(ALL_LANES, items.live != 0);
    items.spare = items.own(__ffs(static_cast<int>(items.live | 1u << 31)) - 1);
    const uint64_t other =
        __shfl_sync(ALL_LANES, items.spare, __ffs(static_cast<int>(lanes)) - 1);
    if (items.live == 0)
        items.spare = other;
    return true;
}

/* ------------------------------------------------------------------ values */

template <class E>
__device__ __forceinline__ void add_ends(const winnow__reduce_args &args,
                                         uint64_t bits, uint64_t item,
                                         winnow__reduce_totals &totals) {
#pragma unroll
    for (int end = 0; end < 2; end++) {
        if ((args.wanted & WINNOW_REDUCE_MINIMUM << end) == 0)
            continue;
        const uint64_t rank = reduce::rank_from<E>(args.type.order, end, bits);
        if (rank < totals.rank[end] ||
            totals.tile[end] == WINNOW__REDUCE_NO_TILE) {
            totals.rank[end] = rank;
            totals.tile[end] = item;
        }
    }
}

template <class E>
__device__ __forceinline__ void add_value(const winnow__reduce_args &args,
                                          uint64_t bits, uint64_t item,
                                          unsigned int k, Found &found) {
    winnow__reduce_totals &totals = found.totals;
    if constexpr (E::IS_FLOAT) {
        found.sums[k % 2] += E::value(bits);
    } else {
        const uint64_t x = bits ^ args.type.order.bias;
        totals.sum += x;
        totals.sum_high += totals.sum < x;
    }
    add_ends<E>(args, bits, item, totals);
}

__device__ __forceinline__ void add_values(const winnow__aggregate_args &args,
                                           const Registers<THREADS> &registers,
                                           const LiveItems &items,
                                           Found &found) {
    const winnow__value_program &program = args.program;
    const uint32_t live = items.live & ~items.nulls;
    found.totals.count += __popc(live);
    if (program.steps == 0)
        return;
#pragma unroll
    for (unsigned int k = 0; k < ITEMS; k++) {
        if ((live >> k & 1) == 0)
            continue;
        const uint64_t bits = registers.operand(program, program.result, k);
        if (program.result_type == WINNOW__FLOAT32)
            add_value<Floats>(
                args.reduce,
                to_bits(static_cast<double>(from_bits<float>(bits))),
                items.own(k), k, found);
        else if (program.result_type == WINNOW__FLOAT64)
            add_value<Floats>(args.reduce, bits, items.own(k), k, found);
        else
            add_value<Integers>(args.reduce, bits, items.own(k), k, found);
    }
}

/* ------------------------------------------------------------------ result */

/* The totals of the block's part, in thread 0. */
template <class E>
__device__ __forceinline__ winnow__reduce_totals totals_of(Found &found) {
    winnow__reduce_totals totals = found.totals;
    reduce::merge_block<!E::IS_FLOAT, 2>(totals);
    if constexpr (E::IS_FLOAT) {
        using Sums = double[THREADS];
        WINNOW__SHARED(memory, Sums);
        totals.sum = winnow__as_bits(
            reduce::fold_block(found.sums[0] + found.sums[1], memory));
    }
    return totals;
}

template <class E>
__device__ __forceinline__ void finish(const winnow__reduce_args &args,
                                       Found &found) {
    winnow__reduce_totals totals = totals_of<E>(found);
    if (args.cut.parts != 1) {
        /* Thread 0 of each block releases its words by the counter; the last
         * block acquires the words of all blocks (last_block.cuh). */
        if (threadIdx.x == 0)
            reduce::store_words<E, true, 2>(args, totals);
        if (!is_last_block(&args.cursor->blocks_done))
            return;
        totals = reduce::gather_words<E, true, 2>(args);
    }
    if (threadIdx.x == 0)
        write_result<E, 2>(args, totals);
}

/* ------------------------------------------------------------------ kernel */

__global__ void __launch_bounds__(THREADS)
    reduce_where(const __grid_constant__ winnow__aggregate_args args) {
    WINNOW__DYNAMIC_SHARED(shared);
    const Registers<THREADS> registers(shared);
    const winnow__reduce_args &to = args.reduce;
    const uint64_t n = items_of(to);
    const uint64_t begin = blockIdx.x * to.cut.part_items;
    Found found;
#pragma unroll 1
    for (uint64_t i = begin; i < begin + to.cut.part_items && i < n;
         i += STEP) {
        LiveItems items;
        if (!find_live(args, n, i, items))
            continue;
        Registers<THREADS>::Values newest;
        interpret_steps<true>(args.program, args.columns, registers, items,
                              newest);
        add_values(args, registers, items, found);
    }
    if (to.type.is_float)
        finish<Floats>(to, found);
    else
        finish<Integers>(to, found);
}

} // namespace winnow::aggregate

static_assert(sizeof(winnow__aggregate_args) <= 4096,
              "as many bytes of arguments as each driver takes");

WINNOW__FOR_HOST(winnow__aggregate) = WINNOW__ENTRY(
    WINNOW__REDUCE_THREADS, 0, 0, 0, winnow::aggregate::reduce_where);
