/*
 * Computes an expression by its program (interpret.cuh), and tests the values,
 * looks them up in a set, or stores them.
 *
 * Results are words of 32 bits, one bit for each of 32 adjacent items. A ballot
 * makes each, so warps exchange nothing.
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
constexpr unsigned int EACH = WINNOW__INTERPRET_EACH;
/* Items that a warp, and a block, computes at a time. */
constexpr unsigned int WARP_ITEMS = EACH * WARP;
constexpr unsigned int BLOCK_ITEMS = WARPS * WARP_ITEMS;

using BlockRegisters = Registers<THREADS, EACH>;
using Values = BlockRegisters::Values;

/* Items `first` to `last` of a warp. A lane has every 32nd, `own` first. at(k)
 * is always an item that exists: behind the lane's last item it is that item
 * again; without items it is `last`. Bit k of `nulls`: value k is null. */
struct Items {
    uint64_t first, last;
    uint64_t own;
    uint32_t left; /* distance from `own` to the lane's last item */
    uint32_t nulls = 0;

    __device__ __forceinline__ Items(uint64_t first, uint64_t last)
        : first(first), last(last) {
        const uint64_t lane = first + lane_id();
        own = lane < last ? lane : last;
        left = is_whole() ? WARP_ITEMS - WARP
                          : static_cast<uint32_t>(last - own) / WARP * WARP;
    }

    __device__ __forceinline__ uint64_t at(unsigned int k) const {
        const uint32_t ahead = k * WARP;
        return own + (ahead < left ? ahead : left);
    }

    __device__ __forceinline__ bool is_whole() const {
        return first + (WARP_ITEMS - 1) <= last;
    }

    /* Bit k: does item k of this lane exist? */
    __device__ __forceinline__ uint32_t there() const {
        return first + lane_id() > last ? 0 : (2u << left / WARP) - 1;
    }
};

template <>
constexpr bool ARE_STRIPED<Items> = true;

/* ------------------------------------------------------------------- values */

/* Bit k: does value k pass? */
template <class U, class Test>
__device__ __forceinline__ uint32_t passing(const Values &values, Test passes) {
    uint32_t bits = 0;
#pragma unroll
    for (unsigned int k = 0; k < EACH; k++)
        bits |= static_cast<uint32_t>(passes(static_cast<U>(values[k]))) << k;
    return bits;
}

/* Does a value pass any test? Most tests are ranges of integers, which take
 * half of the time of a general test. */
template <class U>
__device__ __forceinline__ uint32_t
test_values(const winnow__interpret_args &args, const Values &values) {
    uint32_t bits = 0;
#pragma unroll 1
    for (unsigned int t = 0; t < args.tests; t++) {
        const winnow__test &test = args.test[t];
        if (test.flip == 0 && static_cast<U>(~test.mask) == 0)
            bits |= passing<U>(values, Predicate<U, WINNOW__INTERVAL>(test));
        else
            bits |= passing<U>(values, Predicate<U, ANY>(test));
    }
    return bits;
}

/* Not unrolled, since a look-up is long: the values are in shared memory. */
template <class U>
__device__ __forceinline__ uint32_t
look_up_values(const winnow__interpret_args &args,
               const BlockRegisters &registers, const Values &values) {
    uint32_t bits = 0;
    registers.write(0, values);
#pragma unroll 1
    for (unsigned int k = 0; k < EACH; k++) {
        const U element = static_cast<U>(registers.at(0, k));
        bool is_in = false;
        set::visit_set_anywhere<U>(args.set, nullptr, [&](const auto &form) {
            is_in = form(element);
        });
        bits |= static_cast<uint32_t>(is_in) << k;
    }
    return bits;
}

template <class U>
__device__ __forceinline__ uint32_t ask(const winnow__interpret_args &args,
                                        const BlockRegisters &registers,
                                        const Values &values) {
    return args.use == WINNOW__INTERPRET_SET
               ? look_up_values<U>(args, registers, values)
               : test_values<U>(args, values);
}

__device__ __forceinline__ uint32_t bits_of(const winnow__interpret_args &args,
                                            const BlockRegisters &registers,
                                            const Values &values) {
    if (args.use == WINNOW__INTERPRET_BOOL)
        return passing<uint32_t>(values, [](uint32_t x) { return x != 0; });
    return args.program.result_type == WINNOW__FLOAT32
               ? ask<uint32_t>(args, registers, values)
               : ask<uint64_t>(args, registers, values);
}

/* Lane k gets the word of all lanes' bits k. */
__device__ __forceinline__ uint32_t words_of(uint32_t bits) {
    uint32_t mine = 0;
#pragma unroll
    for (unsigned int k = 0; k < EACH; k++) {
        const uint32_t word = __ballot_sync(ALL_LANES, (bits >> k & 1) != 0);
        if (lane_id() == k)
            mine = word;
    }
    return mine;
}

/* Lane k writes word k of the warp. */
__device__ __forceinline__ void write_words(const winnow__interpret_args &args,
                                            const BlockRegisters &registers,
                                            const Values &values,
                                            const Items &items) {
    const uint32_t mine =
        words_of(bits_of(args, registers, values) & items.there());
    const uint64_t first = items.first + lane_id() * WARP;
    if (lane_id() < EACH && first <= items.last) {
        uint32_t *const to = args.words + first / WARP;
        *to = args.adds ? *to | mine : mine;
    }
}

__device__ __forceinline__ void write_valid(const winnow__interpret_args &args,
                                            const Items &items) {
    uint32_t mine = words_of(~items.nulls);
    const uint64_t first = items.first + lane_id() * WARP;
    if (lane_id() >= EACH || first > items.last)
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

/* Store the lengths of a dictionary's strings, some of which may be null. */
__device__ __forceinline__ void
store_lengths(const winnow__interpret_args &args, const Values &values,
              const Items &items) {
#pragma unroll
    for (unsigned int k = 0; k < EACH; k++) {
        const uint64_t item = items.first + k * WARP + lane_id();
        if (item <= items.last)
            args.values[item] = is_valid(args.columns[0], item)
                                    ? values[k]
                                    : WINNOW__VALUE_NO_LENGTH;
    }
}

__global__ void __launch_bounds__(THREADS)
    interpret(const __grid_constant__ winnow__interpret_args args) {
    WINNOW__DYNAMIC_SHARED(shared);
    const BlockRegisters registers(shared);
    const uint64_t n = items_of(args);
    const uint64_t begin =
        static_cast<uint64_t>(blockIdx.x) * WINNOW__INTERPRET_TILE +
        warp_id() * WARP_ITEMS;
#pragma unroll 1
    for (unsigned int done = 0; done < WINNOW__INTERPRET_TILE;
         done += BLOCK_ITEMS) {
        if (begin + done >= n)
            return;
        Items items(begin + done, n - 1);
        Values values;
        interpret_steps<false>(args.program, args.columns, registers, items,
                               values);
        if (args.use == WINNOW__INTERPRET_STORE)
            store_lengths(args, values, items);
        else if (args.use != WINNOW__INTERPRET_NONE)
            write_words(args, registers, values, items);
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
