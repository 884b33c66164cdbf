/*
 * The program of an expression, for items of a warp: an operation of all of them
 * before the next, four to a lane, so that finding the operation takes a small
 * part. A program's registers are in shared memory, where their number may be
 * known when the kernel runs; each lane has its own part of them, and nobody
 * waits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_EXPRESSION_INTERPRET_CUH
#define WINNOW_KERNELS_EXPRESSION_INTERPRET_CUH

#include "program.h"
#include "scalar.h"

#include "kernels/core/kernel.cuh"
#include "kernels/core/warp.cuh"
#include "kernels/string/column.h"

#include <cstring>

namespace winnow::expression {

/* Of a lane, that an operation is done for before the next one. */
constexpr unsigned int ITEMS = WINNOW__INTERPRET_ITEMS;

/* The types of values: what they are in C. */
using INT64 = int64_t;
using UINT64 = uint64_t;
using FLOAT32 = float;
using FLOAT64 = double;
using BOOL = uint8_t;

template <class T>
__device__ __forceinline__ T from_bits(uint64_t bits) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

template <class T>
__device__ __forceinline__ uint64_t to_bits(T value) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}

/* --------------------------------------------------------------- registers */

/* Of this thread, of THREADS of a block: value k of a register. */
template <unsigned int THREADS>
struct Registers {
    uint64_t *mine;

    __device__ __forceinline__ explicit Registers(unsigned char *shared)
        : mine(reinterpret_cast<uint64_t *>(shared) + threadIdx.x) {
    }

    __device__ __forceinline__ uint64_t &at(unsigned int number,
                                            unsigned int k) const {
        return mine[(number * ITEMS + k) * THREADS];
    }

    __device__ __forceinline__ uint64_t
    operand(const winnow__value_program &program, unsigned int operand,
            unsigned int k) const {
        return (operand & WINNOW__CONSTANT_OPERAND) != 0
                   ? program.constant[operand & ~WINNOW__CONSTANT_OPERAND]
                   : at(operand, k);
    }
};

/* -------------------------------------------------------------------- loads */

template <class T>
__device__ __forceinline__ T load(const unsigned char *from, bool is_aligned) {
    if (is_aligned)
        return __ldcs(reinterpret_cast<const T *>(from));
    uint64_t bits = 0;
#pragma unroll
    for (unsigned int i = 0; i < sizeof(T); i++)
        bits |= static_cast<uint64_t>(__ldcs(from + i)) << 8 * i;
    return from_bits<T>(bits);
}

__device__ __forceinline__ const unsigned char *
element_of(const winnow__value_column &column, uint64_t item) {
    return column.first + item * column.stride;
}

template <class T>
__device__ __forceinline__ T load(const winnow__value_column &column,
                                  uint64_t item) {
    return load<T>(element_of(column, item),
                   column.access == WINNOW__VALUE_ELEMENTS);
}

__device__ __forceinline__ uint64_t load_bit(const winnow__value_column &column,
                                             uint64_t item) {
    const uint64_t bit = column.skip + item;
    return column.first[bit / 8] >> bit % 8 & 1;
}

/* Below 0 is beyond the last one. */
__device__ __forceinline__ uint64_t
load_index(const winnow__value_column &column, uint64_t item) {
    const unsigned char *const from = element_of(column, item);
    switch (column.index_type) {
    case WINNOW_INT8:
        return static_cast<uint64_t>(load<int8_t>(from, true));
    case WINNOW_INT16:
        return static_cast<uint64_t>(load<int16_t>(from, false));
    case WINNOW_INT32:
        return static_cast<uint64_t>(load<int32_t>(from, false));
    case WINNOW_UINT8:
        return load<uint8_t>(from, true);
    case WINNOW_UINT16:
        return load<uint16_t>(from, false);
    case WINNOW_UINT32:
        return load<uint32_t>(from, false);
    default:
        return load<uint64_t>(from, false);
    }
}

__device__ __forceinline__ uint64_t
load_length(const winnow__value_column &column, uint64_t item, bool *is_null) {
    if (column.access == WINNOW__VALUE_INDICES) {
        const uint64_t index = load_index(column, item);
        const uint64_t length =
            index < column.size
                ? static_cast<const uint64_t *>(column.data)[index]
                : WINNOW__VALUE_NO_LENGTH;
        *is_null = length == WINNOW__VALUE_NO_LENGTH;
        return length;
    }
    winnow__string_column strings;
    strings.strings = column.first;
    strings.data = column.data;
    strings.size = column.size;
    strings.layout = column.access - WINNOW__VALUE_OFFSETS_32;
    return winnow__string_at(&strings, item).bytes;
}

__device__ __forceinline__ double load_wide(const winnow__value_column &column,
                                            uint64_t item) {
    const unsigned char *const from = element_of(column, item);
    const bool is_aligned = column.access == WINNOW__VALUE_ELEMENTS;
    return winnow__float64_of_wide(load<uint64_t>(from, is_aligned),
                                   load<int64_t>(from + 8, is_aligned));
}

/* --------------------------------------------------------------- operations */

/*
 * Items of a warp, ITEMS to a lane: at(k) is the number of one, which is there
 * and may be read, and bit k of `nulls` says whether its value is null.
 */

/* Those of some hundreds of instructions: they are done for an item after the
 * other, so that they stand in the code once. */
template <unsigned int CODE>
constexpr bool IS_LONG =
    (CODE >= WINNOW__FLOOR_DIVIDE_INT64 && CODE <= WINNOW__REMAINDER_FLOAT64) ||
    (CODE >= WINNOW__YEAR && CODE <= WINNOW__DAY) || CODE == WINNOW__LOAD_INT128
    || CODE == WINNOW__LOAD_FLOAT16;

/* Write value(k), of each item, to a register. */
template <bool LONG, class Registers, class Value>
__device__ __forceinline__ void write(const Registers &registers,
                                      unsigned int to, Value value) {
    if constexpr (LONG) {
#pragma unroll 1
        for (unsigned int k = 0; k < ITEMS; k++)
            registers.at(to, k) = to_bits(value(k));
    } else {
        uint64_t made[ITEMS];
#pragma unroll
        for (unsigned int k = 0; k < ITEMS; k++)
            made[k] = to_bits(value(k));
#pragma unroll
        for (unsigned int k = 0; k < ITEMS; k++)
            registers.at(to, k) = made[k];
    }
}

template <class Registers, class Items>
__device__ __forceinline__ void
take_load(const winnow__value_column &column, const winnow__step &step,
          const Registers &registers, Items &items) {
    switch (step.code) {
#define WINNOW__CASE(NAME, VALUE)                                              \
    case WINNOW__##NAME:                                                       \
        write<IS_LONG<WINNOW__##NAME>>(registers, step.to,                     \
                                       [&](unsigned int k) { return VALUE; }); \
        break;
#define WINNOW__LOAD(NAME, C, RESULT)                                          \
    case WINNOW__##NAME:                                                       \
        if (column.access == WINNOW__VALUE_ELEMENTS)                           \
            write<false>(registers, step.to, [&](unsigned int k) {             \
                return static_cast<RESULT>(                                    \
                    load<C>(element_of(column, items.at(k)), true));           \
            });                                                                \
        else                                                                   \
            write<true>(registers, step.to, [&](unsigned int k) {              \
                return static_cast<RESULT>(                                    \
                    load<C>(element_of(column, items.at(k)), false));          \
            });                                                                \
        break;
        WINNOW__LOADS(WINNOW__LOAD)
#undef WINNOW__LOAD
        WINNOW__CASE(LOAD_FLOAT16, winnow__bits_of_float16(
                                       load<uint16_t>(column, items.at(k))))
        WINNOW__CASE(LOAD_BFLOAT16,
                     static_cast<uint32_t>(load<uint16_t>(column, items.at(k)))
                         << 16)
        WINNOW__CASE(LOAD_INT128, load_wide(column, items.at(k)))
        WINNOW__CASE(LOAD_BIT, load_bit(column, items.at(k)))
    case WINNOW__LOAD_LENGTH:
        write<true>(registers, step.to, [&](unsigned int k) {
            bool is_null = false;
            const uint64_t length = load_length(column, items.at(k), &is_null);
            items.nulls |= static_cast<uint32_t>(is_null) << k;
            return length;
        });
        break;
    default:
        break;
    }
}

template <class Registers, class Items>
__device__ __forceinline__ void
take_operation(const winnow__value_program &program, const winnow__step &step,
               const Registers &registers, Items &items) {
    switch (step.code) {
#define WINNOW__A(TYPE) from_bits<TYPE>(registers.operand(program, step.a, k))
#define WINNOW__B(TYPE) from_bits<TYPE>(registers.operand(program, step.b, k))
#define WINNOW__UNARY(NAME, A, RESULT)                                         \
    WINNOW__CASE(NAME, winnow__do_##NAME(WINNOW__A(A)))
#define WINNOW__BINARY(NAME, A, B, RESULT)                                     \
    WINNOW__CASE(NAME, winnow__do_##NAME(WINNOW__A(A), WINNOW__B(B)))
#define WINNOW__UNARY_NULL(NAME, A, RESULT)                                    \
    case WINNOW__##NAME:                                                       \
        write<IS_LONG<WINNOW__##NAME>>(                                        \
            registers, step.to, [&](unsigned int k) {                          \
                const A a = WINNOW__A(A);                                      \
                items.nulls |= static_cast<uint32_t>(winnow__null_##NAME(a))   \
                               << k;                                           \
                return winnow__do_##NAME(a);                                   \
            });                                                                \
        break;
#define WINNOW__BINARY_NULL(NAME, A, B, RESULT)                                \
    case WINNOW__##NAME:                                                       \
        write<IS_LONG<WINNOW__##NAME>>(                                        \
            registers, step.to, [&](unsigned int k) {                          \
                const A a = WINNOW__A(A);                                      \
                const B b = WINNOW__B(B);                                      \
                items.nulls |=                                                 \
                    static_cast<uint32_t>(winnow__null_##NAME(a, b)) << k;     \
                return winnow__do_##NAME(a, b);                                \
            });                                                                \
        break;
        WINNOW__UNARY_OPERATIONS(WINNOW__UNARY)
        WINNOW__UNARY_NULL_OPERATIONS(WINNOW__UNARY_NULL)
        WINNOW__BINARY_OPERATIONS(WINNOW__BINARY)
        WINNOW__COMPARISONS(WINNOW__BINARY)
        WINNOW__BINARY_NULL_OPERATIONS(WINNOW__BINARY_NULL)
#undef WINNOW__CASE
#undef WINNOW__A
#undef WINNOW__B
#undef WINNOW__UNARY
#undef WINNOW__BINARY
#undef WINNOW__UNARY_NULL
#undef WINNOW__BINARY_NULL
    default:
        break;
    }
}

/* All steps of a program: the values are the operand program.result. */
template <class Registers, class Items>
__device__ __forceinline__ void
interpret_steps(const winnow__value_program &program,
                const winnow__value_column *columns, const Registers &registers,
                Items &items) {
#pragma unroll 1
    for (unsigned int s = 0; s < program.steps; s++) {
        const winnow__step step = program.step[s];
        if (step.code <= WINNOW__LOAD_LENGTH)
            take_load(columns[step.a], step, registers, items);
        else
            take_operation(program, step, registers, items);
    }
}

} // namespace winnow::expression

#endif
