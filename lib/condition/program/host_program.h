/*
 * A program as the host runs it: integers have the fewest bits that hold all of
 * their values, so that a vector has more of them. lower.c makes it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/expression/program.h"

/* The type of a register's contiguous values. UINT64 is stored as INT64: the
 * operations know the type. Kinds before FLOAT32 are in ascending order of range. */
typedef enum winnow__host_kind {
    WINNOW__OF_INT8,
    WINNOW__OF_UINT8,
    WINNOW__OF_INT16,
    WINNOW__OF_UINT16,
    WINNOW__OF_INT32,
    WINNOW__OF_UINT32,
    WINNOW__OF_INT64,
    WINNOW__OF_FLOAT32,
    WINNOW__OF_FLOAT64,
    WINNOW__OF_BOOL /* words of bits */
} winnow__host_kind;

/* Conversions, X(NAME, FROM, TO), of values that fit into the other kind. */
#define WINNOW__HOST_CONVERSIONS(X)                                            \
    X(INT8_TO_INT16, INT8, INT16)                                              \
    X(INT8_TO_INT32, INT8, INT32)                                              \
    X(INT8_TO_INT64, INT8, INT64)                                              \
    X(INT8_TO_FLOAT64, INT8, FLOAT64)                                          \
    X(UINT8_TO_INT16, UINT8, INT16)                                            \
    X(UINT8_TO_INT32, UINT8, INT32)                                            \
    X(UINT8_TO_INT64, UINT8, INT64)                                            \
    X(UINT8_TO_FLOAT64, UINT8, FLOAT64)                                        \
    X(INT16_TO_INT32, INT16, INT32)                                            \
    X(INT16_TO_INT64, INT16, INT64)                                            \
    X(INT16_TO_FLOAT64, INT16, FLOAT64)                                        \
    X(UINT16_TO_INT32, UINT16, INT32)                                          \
    X(UINT16_TO_INT64, UINT16, INT64)                                          \
    X(UINT16_TO_FLOAT64, UINT16, FLOAT64)                                      \
    X(INT32_TO_INT64, INT32, INT64)                                            \
    X(INT32_TO_FLOAT32, INT32, FLOAT32)                                        \
    X(INT32_TO_FLOAT64, INT32, FLOAT64)                                        \
    X(UINT32_TO_INT64, UINT32, INT64)                                          \
    X(UINT32_TO_FLOAT64, UINT32, FLOAT64)                                      \
    X(INT64_TO_INT32, INT64, INT32)

/* Operations with one operand, X(NAME, OPERAND, RESULT), in narrow.h. */
#define WINNOW__HOST_UNARY_OPERATIONS(X)                                       \
    X(NEGATE_INT16, INT16, INT16)                                              \
    X(NEGATE_INT32, INT32, INT32)                                              \
    X(ABS_INT16, INT16, INT16)                                                 \
    X(ABS_INT32, INT32, INT32)                                                 \
    X(YEAR_INT32, INT32, INT32)                                                \
    X(MONTH_INT32, INT32, INT32)                                               \
    X(DAY_INT32, INT32, INT32)

/* Operations with two operands, X(NAME, A, B, RESULT). */
#define WINNOW__HOST_BINARY_OPERATIONS(X)                                      \
    X(ADD_INT16, INT16, INT16, INT16)                                          \
    X(ADD_INT32, INT32, INT32, INT32)                                          \
    X(SUBTRACT_INT16, INT16, INT16, INT16)                                     \
    X(SUBTRACT_INT32, INT32, INT32, INT32)                                     \
    X(MULTIPLY_INT16, INT16, INT16, INT16)                                     \
    X(MULTIPLY_INT32, INT32, INT32, INT32)                                     \
    X(MIN_INT16, INT16, INT16, INT16)                                          \
    X(MIN_INT32, INT32, INT32, INT32)                                          \
    X(MAX_INT16, INT16, INT16, INT16)                                          \
    X(MAX_INT32, INT32, INT32, INT32)                                          \
    /* The second operand is a constant that is not 0. */                      \
    X(FLOOR_DIVIDE_INT32, INT32, INT32, INT32)                                 \
    X(REMAINDER_INT32, INT32, INT32, INT32)                                    \
    /* Both operands are of one kind; the result has twice as many bits. */    \
    X(ADD_WIDE_INT16, INT16, INT16, INT32)                                     \
    X(ADD_WIDE_INT32, INT32, INT32, INT64)                                     \
    X(SUBTRACT_WIDE_INT16, INT16, INT16, INT32)                                \
    X(SUBTRACT_WIDE_INT32, INT32, INT32, INT64)                                \
    X(MULTIPLY_WIDE_INT16, INT16, INT16, INT32)                                \
    X(MULTIPLY_WIDE_INT32, INT32, INT32, INT64)

#define WINNOW__HOST_COMPARISONS(X)                                            \
    X(LESS_INT8, INT8, INT8, BOOL)                                             \
    X(LESS_UINT8, UINT8, UINT8, BOOL)                                          \
    X(LESS_INT16, INT16, INT16, BOOL)                                          \
    X(LESS_UINT16, UINT16, UINT16, BOOL)                                       \
    X(LESS_INT32, INT32, INT32, BOOL)                                          \
    X(LESS_UINT32, UINT32, UINT32, BOOL)                                       \
    X(LESS_EQUAL_INT8, INT8, INT8, BOOL)                                       \
    X(LESS_EQUAL_UINT8, UINT8, UINT8, BOOL)                                    \
    X(LESS_EQUAL_INT16, INT16, INT16, BOOL)                                    \
    X(LESS_EQUAL_UINT16, UINT16, UINT16, BOOL)                                 \
    X(LESS_EQUAL_INT32, INT32, INT32, BOOL)                                    \
    X(LESS_EQUAL_UINT32, UINT32, UINT32, BOOL)                                 \
    X(EQUAL_INT8, INT8, INT8, BOOL)                                            \
    X(EQUAL_INT16, INT16, INT16, BOOL)                                         \
    X(EQUAL_INT32, INT32, INT32, BOOL)                                         \
    X(NOT_EQUAL_INT8, INT8, INT8, BOOL)                                        \
    X(NOT_EQUAL_INT16, INT16, INT16, BOOL)                                     \
    X(NOT_EQUAL_INT32, INT32, INT32, BOOL)

/* Codes that follow those of programs. */
typedef enum winnow__host_code {
    WINNOW__HOST_BEFORE = WINNOW__OPERATION_CODES - 1,
#define WINNOW__CODE(NAME, ...) WINNOW__HOST_##NAME,
    WINNOW__HOST_CONVERSIONS(WINNOW__CODE)
    WINNOW__HOST_UNARY_OPERATIONS(WINNOW__CODE)
        WINNOW__HOST_BINARY_OPERATIONS(WINNOW__CODE)
            WINNOW__HOST_COMPARISONS(WINNOW__CODE)
#undef WINNOW__CODE
                WINNOW__HOST_CODES
} winnow__host_code;

typedef struct winnow__host_step {
    uint8_t code;     /* a program's code, or winnow__host_code */
    uint8_t to, a, b; /* as in winnow__step */
} winnow__host_step;

enum {
    /* Each operation may convert both operands; the result is converted, too. */
    WINNOW__MOST_HOST_STEPS = 3 * WINNOW__MOST_OPERATIONS + 2
};

/* The fewest bits that hold an INT64, for computing on a device. */
typedef enum winnow__width {
    WINNOW__IN_INT64,
    WINNOW__IN_INT32,
    WINNOW__IN_UINT32
} winnow__width;

/* The widths of a step's first and second operand and of its result. */
typedef struct winnow__step_widths {
    uint8_t a, b, result; /* winnow__width */
} winnow__step_widths;

/* Has the same constants and columns as the program. */
typedef struct winnow__host_program {
    uint16_t steps;
    /* Steps without a last one that widens the result. The result's kind before
     * that: INT16, INT32, INT64, or the program's. */
    uint16_t narrow_steps;
    uint8_t narrow_kind;
    winnow__host_step step[WINNOW__MOST_HOST_STEPS];
    /* For the program's own steps, when they are compiled. */
    winnow__step_widths widths[WINNOW__MOST_OPERATIONS];
} winnow__host_program;

void winnow__lower(const winnow__value_program *program,
                   winnow__host_program *host);
