/*
 * The values of an expression, by its program (interpret.cuh), and what a
 * condition asks of them.
 *
 * Bits are words of 32 neighbours, from ballots: nothing is exchanged between
 * warps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interpret.h"
#include "interpret.cuh"

#include "kernels/core/bit_words.cuh"
#include "kernels/core/predicate.cuh"
#include "kernels/set/look_up.cuh"

namespace winnow::expression {

constexpr unsigned int THREADS = WINNOW__INTERPRET_THREADS;
constexpr unsigned int WARPS = THREADS / WARP;
/* Items that a warp, and a block, have at a time. */
constexpr unsigned int WARP_ITEMS = ITEMS * WARP;
constexpr unsigned int BLOCK_ITEMS = WARPS * WARP_ITEMS;

using BlockRegisters = Registers<THREADS>;

/* A warp's items: the first, those of this lane, which are all there (behind the
 * last one it stands again), and which values are null, bit k for item k. */
struct Items {
    uint64_t first, last;
    uint32_t nulls;

    __device__ __forceinline__ uint64_t at(unsigned int k) const {
        const uint64_t item = first + k * WARP + lane_id();
        return item < last ? item : last;
    }
};

/* ------------------------------------------------------------------- values */

template <class U>
__device__ __forceinline__ bool passes(const winnow__interpret_args &args,
                                       uint64_t bits) {
    const U element = static_cast<U>(bits);
    bool any = false;
    if (args.use == WINNOW__INTERPRET_SET)
        set::visit_set_anywhere<U>(
            args.set, nullptr, [&](const auto &form) { any = form(element); });
    else
#pragma unroll 1
        for (unsigned int t = 0; t < args.tests; t++)
            any = any || Predicate<U, ANY>(args.test[t])(element);
    return any;
}

/* Write a word of bits for each of the warp's, by the lane of its number. */
__device__ __forceinline__ void write_words(const winnow__interpret_args &args,
                                            const BlockRegisters &registers,
                                            const Items &items) {
    const winnow__value_program &program = args.program;
    uint32_t mine = 0;
#pragma unroll 1
    for (unsigned int k = 0; k < ITEMS; k++) {
        const uint64_t bits = registers.operand(program, program.result, k);
        const bool bit = args.use == WINNOW__INTERPRET_BOOL ? bits != 0
                         : program.result_type == WINNOW__FLOAT32
                             ? passes<uint32_t>(args, bits)
                             : passes<uint64_t>(args, bits);
        const bool is_there = items.first + k * WARP + lane_id() <= items.last;
        const uint32_t word = __ballot_sync(ALL_LANES, bit && is_there);
        if (lane_id() == k)
            mine = word;
    }
    const uint64_t first = items.first + lane_id() * WARP;
    if (lane_id() < ITEMS && first <= items.last) {
        uint32_t *const to = args.words + first / WARP;
        *to = args.adds ? *to | mine : mine;
    }
}

__device__ __forceinline__ void write_valid(const winnow__interpret_args &args,
                                            const Items &items) {
    uint32_t mine = 0;
#pragma unroll
    for (unsigned int k = 0; k < ITEMS; k++) {
        const uint32_t word =
            __ballot_sync(ALL_LANES, (items.nulls >> k & 1) == 0);
        if (lane_id() == k)
            mine = word;
    }
    const uint64_t first = items.first + lane_id() * WARP;
    if (lane_id() >= ITEMS || first > items.last)
        return;
#pragma unroll 1
    for (unsigned int c = 0; c < args.program.columns; c++) {
        const winnow__value_column &column = args.columns[c];
        if (column.valid != nullptr)
            mine &=
                BitWords(column.valid, column.valid_skip, args.n).bits(first);
    }
    const uint64_t left = items.last - first + 1;
    args.valid[first / WARP] = left < WARP ? mine & ((1u << left) - 1) : mine;
}

__device__ __forceinline__ bool is_valid(const winnow__value_column &column,
                                         uint64_t item) {
    const uint64_t bit = column.valid_skip + item;
    return column.valid == nullptr ||
           (column.valid[bit / 8] >> bit % 8 & 1) != 0;
}

/* Lengths of a dictionary's values, of which some may be null. */
__device__ __forceinline__ void
store_lengths(const winnow__interpret_args &args,
              const BlockRegisters &registers, const Items &items) {
#pragma unroll 1
    for (unsigned int k = 0; k < ITEMS; k++) {
        const uint64_t item = items.first + k * WARP + lane_id();
        if (item <= items.last)
            args.values[item] =
                is_valid(args.columns[0], item)
                    ? registers.operand(args.program, args.program.result, k)
                    : WINNOW__VALUE_NO_LENGTH;
    }
}

__global__ void __launch_bounds__(THREADS)
    interpret(const __grid_constant__ winnow__interpret_args args) {
    WINNOW__DYNAMIC_SHARED(shared);
    const BlockRegisters registers(shared);
    const uint64_t n =
        args.items != nullptr && *args.items < args.n ? *args.items : args.n;
    const uint64_t begin =
        static_cast<uint64_t>(blockIdx.x) * WINNOW__INTERPRET_TILE +
        warp_id() * WARP_ITEMS;
#pragma unroll 1
    for (unsigned int done = 0; done < WINNOW__INTERPRET_TILE;
         done += BLOCK_ITEMS) {
        Items items{begin + done, n - 1, 0};
        if (items.first >= n)
            return;
        interpret_steps(args.program, args.columns, registers, items);
        if (args.use == WINNOW__INTERPRET_STORE)
            store_lengths(args, registers, items);
        else if (args.use != WINNOW__INTERPRET_NONE)
            write_words(args, registers, items);
        if (args.valid != nullptr)
            write_valid(args, items);
    }
}

} // namespace winnow::expression

static_assert(sizeof(winnow__interpret_args) <= 4096,
              "as many bytes of arguments as each driver takes");

extern "C" const winnow__kernel winnow__interpret;
const winnow__kernel winnow__interpret = WINNOW__ENTRY(
    WINNOW__INTERPRET_THREADS, 0, 0, 0, winnow::expression::interpret);
