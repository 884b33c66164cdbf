/*
 * The program that computes an expression for an item: plain C, included by
 * host and device code. lib/condition/program/finish.c makes it. It has no
 * branches: every operation is done and writes a register.
 *
 * Integers have 64 bits and wrap. Floats are IEEE; each operation is rounded
 * once, and no multiplication is fused with an addition. An item's value is
 * null if the program reads a null element, or if an operation makes a null.
 * Since every operation contributes to the value, one null bit for each item
 * suffices. A null item's value is unspecified.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The type of a register's value. */
typedef enum winnow__value_type {
    WINNOW__INT64 = 0,
    WINNOW__UINT64 = 1,
    WINNOW__FLOAT32 = 2,
    WINNOW__FLOAT64 = 3,
    WINNOW__BOOL = 4 /* 0 or 1, as an integer */
} winnow__value_type;

enum {
    WINNOW__VALUE_TYPES = 5,
    /* Limits of a program. */
    WINNOW__MOST_OPERATIONS = 128,
    WINNOW__MOST_REGISTERS = 16,
    WINNOW__MOST_CONSTANTS = 64,
    WINNOW__MOST_READ = 32 /* columns */
};

/*
 * Loads: X(NAME, ELEMENT, RESULT). ELEMENT is the C type of the column's
 * elements (float16 and bfloat16 as bits). Operand `a` is the column's number
 * among those that the program reads.
 */
#define WINNOW__LOADS(X)                                                       \
    X(LOAD_INT8, int8_t, INT64)                                                \
    X(LOAD_INT16, int16_t, INT64)                                              \
    X(LOAD_INT32, int32_t, INT64)                                              \
    X(LOAD_INT64, int64_t, INT64)                                              \
    X(LOAD_UINT8, uint8_t, INT64)                                              \
    X(LOAD_UINT16, uint16_t, INT64)                                            \
    X(LOAD_UINT32, uint32_t, INT64)                                            \
    X(LOAD_UINT64, uint64_t, UINT64)                                           \
    X(LOAD_FLOAT32, float, FLOAT32)                                            \
    X(LOAD_FLOAT64, double, FLOAT64)                                           \
    /* The same integers as a float64, which is exact. */                      \
    X(LOAD_INT8_FLOAT64, int8_t, FLOAT64)                                      \
    X(LOAD_INT16_FLOAT64, int16_t, FLOAT64)                                    \
    X(LOAD_INT32_FLOAT64, int32_t, FLOAT64)                                    \
    X(LOAD_UINT8_FLOAT64, uint8_t, FLOAT64)                                    \
    X(LOAD_UINT16_FLOAT64, uint16_t, FLOAT64)                                  \
    X(LOAD_UINT32_FLOAT64, uint32_t, FLOAT64)

/* Other loads: X(NAME, RESULT). */
#define WINNOW__OTHER_LOADS(X)                                                 \
    X(LOAD_FLOAT16, FLOAT32)                                                   \
    X(LOAD_BFLOAT16, FLOAT32)                                                  \
    /* An INT128, clamped to INT64; its halves. */                             \
    X(LOAD_INT128, INT64)                                                      \
    X(LOAD_LOWER, UINT64)                                                      \
    X(LOAD_UPPER, INT64)                                                       \
    X(LOAD_BIT, BOOL)                                                          \
    X(LOAD_LENGTH, INT64) /* bytes of a string */

/* Operations with one operand: X(NAME, OPERAND, RESULT). */
#define WINNOW__UNARY_OPERATIONS(X)                                            \
    X(NEGATE_INT64, INT64, INT64)                                              \
    X(NEGATE_FLOAT32, FLOAT32, FLOAT32)                                        \
    X(NEGATE_FLOAT64, FLOAT64, FLOAT64)                                        \
    X(ABS_INT64, INT64, INT64)                                                 \
    X(ABS_FLOAT32, FLOAT32, FLOAT32)                                           \
    X(ABS_FLOAT64, FLOAT64, FLOAT64)                                           \
    X(FLOOR_FLOAT32, FLOAT32, FLOAT32)                                         \
    X(FLOOR_FLOAT64, FLOAT64, FLOAT64)                                         \
    X(CEIL_FLOAT32, FLOAT32, FLOAT32)                                          \
    X(CEIL_FLOAT64, FLOAT64, FLOAT64)                                          \
    /* To nearest, ties to even. */                                            \
    X(ROUND_FLOAT32, FLOAT32, FLOAT32)                                         \
    X(ROUND_FLOAT64, FLOAT64, FLOAT64)                                         \
    X(SQRT_FLOAT32, FLOAT32, FLOAT32)                                          \
    X(SQRT_FLOAT64, FLOAT64, FLOAT64)                                          \
    /* Of days since 1970-01-01, in the Gregorian calendar. */                 \
    X(YEAR, INT64, INT64)                                                      \
    X(MONTH, INT64, INT64)                                                     \
    X(DAY, INT64, INT64)                                                       \
    X(INT64_TO_FLOAT32, INT64, FLOAT32)                                        \
    X(INT64_TO_FLOAT64, INT64, FLOAT64)                                        \
    X(UINT64_TO_FLOAT32, UINT64, FLOAT32)                                      \
    X(UINT64_TO_FLOAT64, UINT64, FLOAT64)                                      \
    X(FLOAT32_TO_FLOAT64, FLOAT32, FLOAT64)                                    \
    X(FLOAT64_TO_FLOAT32, FLOAT64, FLOAT32)                                    \
    X(BOOL_TO_INT64, BOOL, INT64)
/* These make null of a value that the result's type lacks, and of NaN. Other
 * floats are rounded toward zero. */
#define WINNOW__UNARY_NULL_OPERATIONS(X)                                       \
    X(INT64_TO_UINT64, INT64, UINT64)                                          \
    X(UINT64_TO_INT64, UINT64, INT64)                                          \
    X(FLOAT64_TO_INT64, FLOAT64, INT64)                                        \
    X(FLOAT64_TO_UINT64, FLOAT64, UINT64)

/* Operations with two operands: X(NAME, A, B, RESULT). INT64's addition,
 * subtraction and multiplication serve UINT64, too. */
#define WINNOW__BINARY_OPERATIONS(X)                                           \
    X(ADD_INT64, INT64, INT64, INT64)                                          \
    X(ADD_FLOAT32, FLOAT32, FLOAT32, FLOAT32)                                  \
    X(ADD_FLOAT64, FLOAT64, FLOAT64, FLOAT64)                                  \
    X(SUBTRACT_INT64, INT64, INT64, INT64)                                     \
    X(SUBTRACT_FLOAT32, FLOAT32, FLOAT32, FLOAT32)                             \
    X(SUBTRACT_FLOAT64, FLOAT64, FLOAT64, FLOAT64)                             \
    X(MULTIPLY_INT64, INT64, INT64, INT64)                                     \
    /* The upper 64 bits of the product. */                                    \
    X(MULTIPLY_HIGH_INT64, INT64, INT64, INT64)                                \
    X(MULTIPLY_HIGH_UINT64, UINT64, UINT64, UINT64)                            \
    X(MULTIPLY_FLOAT32, FLOAT32, FLOAT32, FLOAT32)                             \
    X(MULTIPLY_FLOAT64, FLOAT64, FLOAT64, FLOAT64)                             \
    X(DIVIDE_FLOAT32, FLOAT32, FLOAT32, FLOAT32)                               \
    X(DIVIDE_FLOAT64, FLOAT64, FLOAT64, FLOAT64)                               \
    /* NaN if either operand is NaN; a if they are equal. */                   \
    X(MIN_INT64, INT64, INT64, INT64)                                          \
    X(MIN_UINT64, UINT64, UINT64, UINT64)                                      \
    X(MIN_FLOAT32, FLOAT32, FLOAT32, FLOAT32)                                  \
    X(MIN_FLOAT64, FLOAT64, FLOAT64, FLOAT64)                                  \
    X(MAX_INT64, INT64, INT64, INT64)                                          \
    X(MAX_UINT64, UINT64, UINT64, UINT64)                                      \
    X(MAX_FLOAT32, FLOAT32, FLOAT32, FLOAT32)                                  \
    X(MAX_FLOAT64, FLOAT64, FLOAT64, FLOAT64)                                  \
    /* -1, 0 or 1: a is less than b, equal, greater. */                        \
    X(ORDER_INT64, INT64, INT64, INT64)                                        \
    X(ORDER_UINT64, UINT64, UINT64, INT64)                                     \
    /* From the halves of an INT128, rounded to nearest, ties to even. */      \
    X(WIDE_TO_FLOAT64, UINT64, INT64, FLOAT64)                                 \
    /* Halves of a * 10^b, rounded half away from zero; b is 0 to 38. */       \
    /* Unspecified if the product has more than 127 bits. */                   \
    X(FLOAT64_TO_LOWER, FLOAT64, INT64, UINT64)                                \
    X(FLOAT64_TO_UPPER, FLOAT64, INT64, INT64)
/* Comparisons. EQUAL and NOT_EQUAL of INT64 serve UINT64, too. */
#define WINNOW__COMPARISONS(X)                                                 \
    X(LESS_INT64, INT64, INT64, BOOL)                                          \
    X(LESS_UINT64, UINT64, UINT64, BOOL)                                       \
    X(LESS_FLOAT32, FLOAT32, FLOAT32, BOOL)                                    \
    X(LESS_FLOAT64, FLOAT64, FLOAT64, BOOL)                                    \
    X(LESS_EQUAL_INT64, INT64, INT64, BOOL)                                    \
    X(LESS_EQUAL_UINT64, UINT64, UINT64, BOOL)                                 \
    X(LESS_EQUAL_FLOAT32, FLOAT32, FLOAT32, BOOL)                              \
    X(LESS_EQUAL_FLOAT64, FLOAT64, FLOAT64, BOOL)                              \
    X(EQUAL_INT64, INT64, INT64, BOOL)                                         \
    X(EQUAL_FLOAT32, FLOAT32, FLOAT32, BOOL)                                   \
    X(EQUAL_FLOAT64, FLOAT64, FLOAT64, BOOL)                                   \
    X(NOT_EQUAL_INT64, INT64, INT64, BOOL)                                     \
    X(NOT_EQUAL_FLOAT32, FLOAT32, FLOAT32, BOOL)                               \
    X(NOT_EQUAL_FLOAT64, FLOAT64, FLOAT64, BOOL)                               \
    /* Between signed and unsigned, as numbers. */                             \
    X(LESS_INT64_UINT64, INT64, UINT64, BOOL)                                  \
    X(LESS_UINT64_INT64, UINT64, INT64, BOOL)                                  \
    X(LESS_EQUAL_INT64_UINT64, INT64, UINT64, BOOL)                            \
    X(LESS_EQUAL_UINT64_INT64, UINT64, INT64, BOOL)                            \
    X(EQUAL_INT64_UINT64, INT64, UINT64, BOOL)                                 \
    X(NOT_EQUAL_INT64_UINT64, INT64, UINT64, BOOL)
/* These make a null if b is 0. */
#define WINNOW__DIVISIONS(X)                                                   \
    /* Rounded down; of floats, floor(a / b). */                               \
    X(FLOOR_DIVIDE_INT64, INT64, INT64, INT64)                                 \
    X(FLOOR_DIVIDE_UINT64, UINT64, UINT64, UINT64)                             \
    X(FLOOR_DIVIDE_FLOAT32, FLOAT32, FLOAT32, FLOAT32)                         \
    X(FLOOR_DIVIDE_FLOAT64, FLOAT64, FLOAT64, FLOAT64)                         \
    /* With the sign of a; of floats, fmod(). */                               \
    X(REMAINDER_INT64, INT64, INT64, INT64)                                    \
    X(REMAINDER_UINT64, UINT64, UINT64, UINT64)                                \
    X(REMAINDER_FLOAT32, FLOAT32, FLOAT32, FLOAT32)                            \
    X(REMAINDER_FLOAT64, FLOAT64, FLOAT64, FLOAT64)
#define WINNOW__BINARY_NULL_OPERATIONS(X)                                      \
    WINNOW__DIVISIONS(X)                                                       \
    /* a; null if a < b, or if a > b. */                                       \
    X(AT_LEAST_INT64, INT64, INT64, INT64)                                     \
    X(AT_MOST_INT64, INT64, INT64, INT64)                                      \
    /* a; null unless -b <= a <= b, or if b < 0. */                            \
    X(WITHIN_INT64, INT64, INT64, INT64)                                       \
    X(UNLESS_BELOW_0_INT64, INT64, INT64, INT64)                               \
    /* a + b, a - b; null if it does not fit in 64 bits. */                    \
    X(ADD_EXACT_INT64, INT64, INT64, INT64)                                    \
    X(SUBTRACT_EXACT_INT64, INT64, INT64, INT64)
/* FLOOR_DIVIDE and REMAINDER by a constant above 1, whose reciprocal follows;
 * integer-valued float64s divided by such a constant (scalar.h). */
#define WINNOW__QUOTIENTS(X)                                                   \
    X(FLOOR_DIVIDE_INT64_BY, INT64, INT64, INT64)                              \
    X(FLOOR_DIVIDE_UINT64_BY, UINT64, UINT64, UINT64)                          \
    X(REMAINDER_INT64_BY, INT64, INT64, INT64)                                 \
    X(REMAINDER_UINT64_BY, UINT64, UINT64, UINT64)                             \
    X(DIVIDE_FLOAT64_BY, FLOAT64, FLOAT64, FLOAT64)

typedef enum winnow__operation_code {
#define WINNOW__CODE(NAME, ...) WINNOW__##NAME,
    WINNOW__LOADS(WINNOW__CODE)
    WINNOW__OTHER_LOADS(WINNOW__CODE) WINNOW__UNARY_OPERATIONS(WINNOW__CODE)
        WINNOW__UNARY_NULL_OPERATIONS(WINNOW__CODE)
            WINNOW__BINARY_OPERATIONS(WINNOW__CODE)
                WINNOW__COMPARISONS(WINNOW__CODE)
                    WINNOW__BINARY_NULL_OPERATIONS(WINNOW__CODE)
                        WINNOW__QUOTIENTS(WINNOW__CODE)
#undef WINNOW__CODE
                            WINNOW__OPERATION_CODES
} winnow__operation_code;

/* The lists' order: loads come first, operations with two operands last. */
#define WINNOW__ONE(...) +1
enum {
    WINNOW__LOADS_END =
        0 WINNOW__LOADS(WINNOW__ONE) WINNOW__OTHER_LOADS(WINNOW__ONE),
    WINNOW__SECOND_BEGIN =
        WINNOW__LOADS_END WINNOW__UNARY_OPERATIONS(WINNOW__ONE)
            WINNOW__UNARY_NULL_OPERATIONS(WINNOW__ONE)
};
static inline bool winnow__is_load(unsigned int code) {
    return code < WINNOW__LOADS_END;
}
static inline bool winnow__has_second(unsigned int code) {
    return code >= WINNOW__SECOND_BEGIN && code < WINNOW__OPERATION_CODES;
}
static inline bool winnow__is_quotient(unsigned int code) {
    return code >= WINNOW__FLOOR_DIVIDE_INT64_BY &&
           code < WINNOW__OPERATION_CODES;
}
/* For a switch over a list. */
#define WINNOW__CASE(NAME, ...) case WINNOW__##NAME:

/* An operand is a register's number, or a constant's number with this bit. */
#define WINNOW__CONSTANT_OPERAND 0x80

/* This bit of `to`: only the next step or, for the last one, the caller of the
 * interpreter reads the value. So it need not be written to shared memory. */
#define WINNOW__PASSED_ON 0x80u

typedef struct winnow__step {
    uint8_t code;
    uint8_t to;   /* a register, possibly that of an operand */
    uint8_t a, b; /* operands; a of a load: the column's number */
} winnow__step;

typedef struct winnow__value_program {
    uint8_t steps, columns, constants, registers;
    uint8_t result;      /* an operand */
    uint8_t result_type; /* winnow__value_type */
    uint8_t makes_nulls; /* may an operation make a null? */
    winnow__step step[WINNOW__MOST_OPERATIONS];
    /* In the operands' type: a FLOAT32 is in the lower half. */
    uint64_t constant[WINNOW__MOST_CONSTANTS];
} winnow__value_program;

/* The layout of a column that a program reads. */
typedef enum winnow__value_access {
    WINNOW__VALUE_ELEMENTS = 0,   /* each aligned to its size */
    WINNOW__VALUE_BYTES = 1,      /* aligned to a byte */
    WINNOW__VALUE_BITS = 2,       /* LOAD_BIT */
    WINNOW__VALUE_OFFSETS_32 = 3, /* this and the others: LOAD_LENGTH */
    WINNOW__VALUE_OFFSETS_64 = 4,
    WINNOW__VALUE_VIEWS = 5,
    WINNOW__VALUE_INDICES = 6 /* into lengths; null beyond the last one */
} winnow__value_access;

/* The length of a null in a dictionary. */
#define WINNOW__VALUE_NO_LENGTH UINT64_MAX

/* In kernels: items of a thread that take an operation before the next. */
#define WINNOW__INTERPRET_ITEMS 4

typedef struct winnow__value_column {
    const unsigned char *first; /* item 0's element; its byte, if bits; strings'
                                   offsets or views; or indices */
    uint64_t stride;            /* bytes from item to item, modulo 2^64 */
    const void *data; /* views: winnow_buffers; indices: uint64_t lengths */
    uint64_t size;    /* bytes of strings; number of buffers or of lengths */
    const unsigned char *valid; /* NULL, or bits */
    uint8_t valid_skip;         /* item 0's bit in the first byte of valid */
    uint8_t access;             /* winnow__value_access */
    uint8_t skip;               /* bits: item 0's bit in the first byte */
    uint8_t index_log2_size;    /* of indices */
    uint8_t index_is_signed;
} winnow__value_column;
