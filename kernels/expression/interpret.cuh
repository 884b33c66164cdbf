/*
 * Interprets the program of an expression for a warp's items. A lane has
 * several items. Each operation is done for all of them before the next one, so
 * that the cost of decoding it is shared. The values of the newest step are in
 * machine registers, where the next step takes them. A program's registers are
 * in shared memory, so their number may differ from launch to launch. Each lane
 * has its own part of them: no barrier is needed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "program.h"
#include "scalar.h"

#include "kernels/core/kernel.cuh"
#include "kernels/core/warp.cuh"
#include "kernels/string/column.h"
#include "kernels/string/index.h"

#include <cstring>

namespace winnow::expression {

/* By default, items of a lane that take an operation before the next. */
constexpr unsigned int ITEMS = WINNOW__INTERPRET_ITEMS;

/* The types of values in C. */
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

/* This thread's part of a block's registers, N values in each. */
template <unsigned int THREADS, unsigned int N = ITEMS>
struct Registers {
    uint64_t *mine;

    static constexpr unsigned int EACH = N;
    using Values = uint64_t[N];

    __device__ __forceinline__ explicit Registers(unsigned char *shared)
        : mine(reinterpret_cast<uint64_t *>(shared) + threadIdx.x) {
    }

    __device__ __forceinline__ uint64_t &at(unsigned int number,
                                            unsigned int k) const {
        return mine[(number * N + k) * THREADS];
    }

    __device__ __forceinline__ void read(unsigned int number,
                                         Values &values) const {
#pragma unroll
        for (unsigned int k = 0; k < N; k++)
            values[k] = at(number, k);
    }

    __device__ __forceinline__ void write(unsigned int number,
                                          const Values &values) const {
#pragma unroll
        for (unsigned int k = 0; k < N; k++)
            at(number, k) = values[k];
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

__device__ __forceinline__ uint64_t
load_length(const winnow__value_column &column, uint64_t item, bool *is_null) {
    if (column.access == WINNOW__VALUE_INDICES) {
        const uint64_t index =
            winnow__load_index(element_of(column, item), column.index_log2_size,
                               column.index_is_signed);
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

__device__ __forceinline__ uint64_t load_half(
    const winnow__value_column &column, uint64_t item, unsigned int upper) {
    return load<uint64_t>(element_of(column, item) + 8 * upper,
                          column.access == WINNOW__VALUE_ELEMENTS);
}

__device__ __forceinline__ int64_t load_wide(const winnow__value_column &column,
                                             uint64_t item) {
    return winnow__narrow_of_wide(
        load_half(column, item, 0),
        static_cast<int64_t>(load_half(column, item, 1)));
}

/* --------------------------------------------------------------- operations */

/*
 * Items of a warp, several in each lane. at(k) is the number of an item that
 * may be read. Bit k of `nulls` says whether its value is null. Where
 * ARE_STRIPED, is_whole() says whether at(k) is at(0) + 32 * k.
 */
template <class Items>
constexpr bool ARE_STRIPED = false;

/* Operations of some hundreds of instructions. They are done in a loop over the
 * items that is not unrolled, so that their code exists once. */
constexpr bool is_long(unsigned int code) {
    switch (code) {
        WINNOW__DIVISIONS(WINNOW__CASE)
    case WINNOW__YEAR:
    case WINNOW__MONTH:
    case WINNOW__DAY:
    case WINNOW__LOAD_INT128:
    case WINNOW__LOAD_LOWER:
    case WINNOW__LOAD_UPPER:
    case WINNOW__LOAD_FLOAT16:
    case WINNOW__WIDE_TO_FLOAT64:
    case WINNOW__FLOAT64_TO_LOWER:
    case WINNOW__FLOAT64_TO_UPPER:
        return true;
    default:
        return false;
    }
}
template <unsigned int CODE>
constexpr bool IS_LONG = is_long(CODE);

/*
 * The operands and the result of a step. Short operations make `made` from `a`
 * and `b`, or, where KEEPS, from shared memory. Long operations read and write
 * shared memory: a loop that is not unrolled cannot index machine registers.
 */
template <bool KEEPS, class Registers>
struct Step {
    const winnow__value_program &program;
    const Registers &registers;
    unsigned int code, to, a_operand, b_operand;
    typename Registers::Values a, b;
    typename Registers::Values &made;

    __device__ __forceinline__ Step(const winnow__value_program &program,
                                    const Registers &registers,
                                    const winnow__step &step,
                                    typename Registers::Values &made)
        : program(program), registers(registers), code(step.code),
          to(step.to & ~WINNOW__PASSED_ON), a_operand(step.a),
          b_operand(step.b), made(made) {
    }

    /* The operands of item k. */
    template <bool LONG, class T>
    __device__ __forceinline__ T a_at(unsigned int k) const {
        if constexpr (KEEPS || LONG)
            return from_bits<T>(registers.operand(program, a_operand, k));
        else
            return from_bits<T>(a[k]);
    }

    template <bool LONG, class T>
    __device__ __forceinline__ T b_at(unsigned int k) const {
        if constexpr (KEEPS || LONG)
            return from_bits<T>(registers.operand(program, b_operand, k));
        else
            return from_bits<T>(b[k]);
    }

    /* The constants of an operation of WINNOW__QUOTIENTS. */
    __device__ __forceinline__ const uint64_t *by() const {
        return &program.constant[b_operand & ~WINNOW__CONSTANT_OPERAND];
    }

    /* Make value(k) of each item. */
    template <bool LONG = false, class Value>
    __device__ __forceinline__ void make(Value value) {
        if constexpr (LONG) {
#pragma unroll 1
            for (unsigned int k = 0; k < Registers::EACH; k++)
                registers.at(to, k) = to_bits(value(k));
        } else {
#pragma unroll
            for (unsigned int k = 0; k < Registers::EACH; k++)
                made[k] = to_bits(value(k));
        }
    }
};

template <class T, class Result, class Items, class Step>
__device__ __forceinline__ void
load_elements(const winnow__value_column &column, const Items &items,
              Step &step) {
    if constexpr (ARE_STRIPED<Items>) {
        if (items.is_whole() && column.stride == sizeof(T)) {
            const T *const from =
                reinterpret_cast<const T *>(column.first) + items.at(0);
            step.make([&](unsigned int k) {
                return static_cast<Result>(__ldcs(from + k * WARP));
            });
            return;
        }
    }
    step.make([&](unsigned int k) {
        return static_cast<Result>(
            load<T>(element_of(column, items.at(k)), true));
    });
}

#define WINNOW__LONG_CASE(NAME, VALUE)                                         \
    case WINNOW__##NAME:                                                       \
        step.template make<true>([&](unsigned int k) { return VALUE; });       \
        break;

/* Returns false, and does nothing, if the load is a long one. */
template <class Step, class Items>
__device__ __forceinline__ bool take_load(const winnow__value_column &column,
                                          Step &step, Items &items) {
    switch (step.code) {
#define WINNOW__LOAD(NAME, C, RESULT)                                          \
    case WINNOW__##NAME:                                                       \
        if (column.access != WINNOW__VALUE_ELEMENTS)                           \
            return false;                                                      \
        load_elements<C, RESULT>(column, items, step);                         \
        break;
        WINNOW__LOADS(WINNOW__LOAD)
#undef WINNOW__LOAD
    case WINNOW__LOAD_BFLOAT16:
        step.make([&](unsigned int k) {
            return static_cast<uint32_t>(load<uint16_t>(column, items.at(k)))
                   << 16;
        });
        break;
    case WINNOW__LOAD_BIT:
        step.make(
            [&](unsigned int k) { return load_bit(column, items.at(k)); });
        break;
    default:
        return false;
    }
    return true;
}

template <class Step, class Items>
__device__ __forceinline__ void
take_long_load(const winnow__value_column &column, Step &step, Items &items) {
    switch (step.code) {
#define WINNOW__LOAD(NAME, C, RESULT)                                          \
    case WINNOW__##NAME:                                                       \
        step.template make<true>([&](unsigned int k) {                         \
            return static_cast<RESULT>(                                        \
                load<C>(element_of(column, items.at(k)), false));              \
        });                                                                    \
        break;
        WINNOW__LOADS(WINNOW__LOAD)
#undef WINNOW__LOAD
        WINNOW__LONG_CASE(LOAD_FLOAT16, winnow__bits_of_float16(load<uint16_t>(
                                            column, items.at(k))))
        WINNOW__LONG_CASE(LOAD_INT128, load_wide(column, items.at(k)))
        WINNOW__LONG_CASE(LOAD_LOWER, load_half(column, items.at(k), 0))
        WINNOW__LONG_CASE(LOAD_UPPER, load_half(column, items.at(k), 1))
    case WINNOW__LOAD_LENGTH:
        step.template make<true>([&](unsigned int k) {
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
#undef WINNOW__LONG_CASE

/* Returns false, and does nothing, if the operation is of the other kind. */
template <bool LONG, class Step, class Items>
__device__ __forceinline__ bool take_operation(Step &step, Items &items) {
    switch (step.code) {
#define WINNOW__A(TYPE) step.template a_at<LONG, TYPE>(k)
#define WINNOW__B(TYPE) step.template b_at<LONG, TYPE>(k)
#define WINNOW__MAKE(NAME, ...)                                                \
    case WINNOW__##NAME:                                                       \
        if constexpr (IS_LONG<WINNOW__##NAME> != LONG)                         \
            return false;                                                      \
        else                                                                   \
            step.template make<LONG>([&](unsigned int k) { __VA_ARGS__ });     \
        break;
#define WINNOW__UNARY(NAME, A, RESULT)                                         \
    WINNOW__MAKE(NAME, return winnow__do_##NAME(WINNOW__A(A));)
#define WINNOW__BINARY(NAME, A, B, RESULT)                                     \
    WINNOW__MAKE(NAME, return winnow__do_##NAME(WINNOW__A(A), WINNOW__B(B));)
#define WINNOW__UNARY_NULL(NAME, A, RESULT)                                    \
    WINNOW__MAKE(NAME, const A a = WINNOW__A(A);                               \
                 items.nulls |= static_cast<uint32_t>(winnow__null_##NAME(a))  \
                                << k;                                          \
                 return winnow__do_##NAME(a);)
#define WINNOW__BINARY_NULL(NAME, A, B, RESULT)                                \
    WINNOW__MAKE(NAME, const A a = WINNOW__A(A); const B b = WINNOW__B(B);     \
                 items.nulls |=                                                \
                 static_cast<uint32_t>(winnow__null_##NAME(a, b)) << k;        \
                 return winnow__do_##NAME(a, b);)
#define WINNOW__QUOTIENT(NAME, A, B, RESULT)                                   \
    WINNOW__MAKE(NAME, return winnow__do_##NAME(WINNOW__A(A), step.by());)
        WINNOW__UNARY_OPERATIONS(WINNOW__UNARY)
        WINNOW__UNARY_NULL_OPERATIONS(WINNOW__UNARY_NULL)
        WINNOW__BINARY_OPERATIONS(WINNOW__BINARY)
        WINNOW__COMPARISONS(WINNOW__BINARY)
        WINNOW__BINARY_NULL_OPERATIONS(WINNOW__BINARY_NULL)
        WINNOW__QUOTIENTS(WINNOW__QUOTIENT)
#undef WINNOW__A
#undef WINNOW__B
#undef WINNOW__MAKE
#undef WINNOW__UNARY
#undef WINNOW__BINARY
#undef WINNOW__UNARY_NULL
#undef WINNOW__BINARY_NULL
#undef WINNOW__QUOTIENT
    default:
        break;
    }
    return true;
}

/* ------------------------------------------------------------------- steps */

/* `newest` before the first step. */
constexpr unsigned int NO_REGISTER = WINNOW__CONSTANT_OPERAND;

/* The values of an operand. `made` has those of register `newest`. */
template <class Registers>
__device__ __forceinline__ void fetch(const winnow__value_program &program,
                                      const Registers &registers,
                                      unsigned int operand, unsigned int newest,
                                      const typename Registers::Values &made,
                                      typename Registers::Values &values) {
    if ((operand & WINNOW__CONSTANT_OPERAND) != 0) {
        const uint64_t constant =
            program.constant[operand & ~WINNOW__CONSTANT_OPERAND];
#pragma unroll
        for (unsigned int k = 0; k < Registers::EACH; k++)
            values[k] = constant;
    } else if (operand == newest) {
#pragma unroll
        for (unsigned int k = 0; k < Registers::EACH; k++)
            values[k] = made[k];
    } else {
        registers.read(operand, values);
    }
}

/* Do all steps of a program, which has at least one. `made` gets the result.
 * With KEEPS no step has WINNOW__PASSED_ON: each takes its operands from shared
 * memory, and the result is in register program.result. Then the rest of the
 * kernel has more machine registers. */
template <bool KEEPS, class Registers, class Items>
__device__ __forceinline__ void
interpret_steps(const winnow__value_program &program,
                const winnow__value_column *columns, const Registers &registers,
                Items &items, typename Registers::Values &made) {
    unsigned int newest = NO_REGISTER;
#pragma unroll 1
    for (unsigned int s = 0; s < program.steps; s++) {
        const winnow__step taken = program.step[s];
        Step<KEEPS, Registers> step(program, registers, taken, made);
        bool is_short;
        if (step.code < WINNOW__LOADS_END) {
            is_short = take_load(columns[taken.a], step, items);
            if (!is_short)
                take_long_load(columns[taken.a], step, items);
        } else {
            if constexpr (!KEEPS) {
                fetch(program, registers, taken.a, newest, made, step.a);
                if (step.code >= WINNOW__SECOND_BEGIN)
                    fetch(program, registers, taken.b, newest, made, step.b);
            }
            is_short = take_operation<false>(step, items);
            if (!is_short) {
                if (!KEEPS && newest != NO_REGISTER)
                    registers.write(newest, made);
                (void)take_operation<true>(step, items);
            }
        }
        if (is_short && (KEEPS || (taken.to & WINNOW__PASSED_ON) == 0))
            registers.write(step.to, made);
        if constexpr (!KEEPS) {
            newest = step.to;
            if (!is_short)
                registers.read(newest, made);
        }
    }
}

} // namespace winnow::expression
