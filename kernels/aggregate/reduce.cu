/*
 * One aggregate of the items that pass a condition: the values of an expression,
 * of which a block adds up a part, in the order of kernels/reduce/args.h. The
 * block that is last puts the parts' results together (kernels/reduce).
 *
 * A block has 1024 items at a time, those of thread t being t, t + 256, t + 512
 * and t + 768: so the places of a stripe at which a thread has items are two, and
 * it has the sum of each. A warp goes on alone; where no item of its own passes,
 * it reads no column, and where one does not, its lane reads what another reads.
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

/* Those of this lane that are live; in place of another it has one that is. */
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

/* What a thread found. A tile is an item. */
struct Found {
    winnow__reduce_totals totals = winnow__reduce_nothing();
    double sums[2] = {0, 0}; /* of floats, at either place */
};

/* ------------------------------------------------------------------- items */

/* The word of 32 items from one on that pass and of which no element is null. */
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

/* Of those from `begin` on, this lane's. False: no lane has any. */
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

/* Of a block's part, in its thread 0. */
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
        /* Each thread 0 releases its words by the counter, and the last block
         * acquires those of all (last_block.cuh). */
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
