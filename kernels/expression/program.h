/*
 * The program that computes an expression of an item: plain C, included by both
 * sides. lib/condition/program/finish.c makes it. It is a straight line: each
 * operation writes a register, and none is skipped.
 *
 * Integers have 64 bits and wrap. Floats are IEEE, each operation rounded once:
 * no multiplication is fused with an addition. An item's value is null where an
 * element is null that the program reads, or where an operation makes one: each
 * operation of a program has its part in the value, so that one bit for each item
 * says it. Where it is null, the value may be any.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Of a value: what is in a register. */
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
 * Loads, by X(NAME, ELEMENT, RESULT): `a` is the number of the column among those
 * that the program reads, ELEMENT the type of its elements in C (float16 and
 * bfloat16 as bits).
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

/* The others, by X(NAME, RESULT). */
#define WINNOW__OTHER_LOADS(X)                                                 \
    X(LOAD_FLOAT16, FLOAT32)                                                   \
    X(LOAD_BFLOAT16, FLOAT32)                                                  \
    /* An INT128, or the end of INT64 that it is beyond; its halves. */        \
    X(LOAD_INT128, INT64)                                                      \
    X(LOAD_LOWER, UINT64)                                                      \
    X(LOAD_UPPER, INT64)                                                       \
    X(LOAD_BIT, BOOL)                                                          \
    X(LOAD_LENGTH, INT64) /* bytes of a string */

/* Operations of one operand, by X(NAME, OPERAND, RESULT). scalar.h has them. */
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
    /* Ties to even. */                                                        \
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
/* Those that make nulls: of what the result's type has not, NaN too; of others,
 * towards zero. */
#define WINNOW__UNARY_NULL_OPERATIONS(X)                                       \
    X(INT64_TO_UINT64, INT64, UINT64)                                          \
    X(UINT64_TO_INT64, UINT64, INT64)                                          \
    X(FLOAT64_TO_INT64, FLOAT64, INT64)                                        \
    X(FLOAT64_TO_UINT64, FLOAT64, UINT64)

/* Operations of two, by X(NAME, A, B, RESULT). Those that add, subtract and
 * multiply INT64 are UINT64's as well. */
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
    /* NaN if either is; a if they are equal. */                               \
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
    /* An integer of these halves, rounded to nearest, ties to even. */        \
    X(WIDE_TO_FLOAT64, UINT64, INT64, FLOAT64)                                 \
    /* Halves of a * 10^b, rounded half away from zero; any, where that \
     * has more than 127 bits. b is 0 to 38. */      \
    X(FLOAT64_TO_LOWER, FLOAT64, INT64, UINT64)                                \
    X(FLOAT64_TO_UPPER, FLOAT64, INT64, INT64)
/* Comparisons; UINT64 is equal as INT64 is. */
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
    /* Of a signed and an unsigned one, as numbers. */                         \
    X(LESS_INT64_UINT64, INT64, UINT64, BOOL)                                  \
    X(LESS_UINT64_INT64, UINT64, INT64, BOOL)                                  \
    X(LESS_EQUAL_INT64_UINT64, INT64, UINT64, BOOL)                            \
    X(LESS_EQUAL_UINT64_INT64, UINT64, INT64, BOOL)                            \
    X(EQUAL_INT64_UINT64, INT64, UINT64, BOOL)                                 \
    X(NOT_EQUAL_INT64_UINT64, INT64, UINT64, BOOL)
/* Those that make nulls; these by 0. */
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
    /* a; where it is less than b, or more. */                                 \
    X(AT_LEAST_INT64, INT64, INT64, INT64)                                     \
    X(AT_MOST_INT64, INT64, INT64, INT64)                                      \
    /* a; where it is not from -b to b; and where b is below 0. */             \
    X(WITHIN_INT64, INT64, INT64, INT64)                                       \
    X(UNLESS_BELOW_0_INT64, INT64, INT64, INT64)                               \
    /* Beyond 64 bits. */                                                      \
    X(ADD_EXACT_INT64, INT64, INT64, INT64)                                    \
    X(SUBTRACT_EXACT_INT64, INT64, INT64, INT64)
/* FLOOR_DIVIDE and REMAINDER by a constant above 1, behind which its reciprocal
 * stands; an integer, as a float, by a constant that is one (scalar.h). */
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

/* The order of the list: loads first, what has two operands last. */
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
/* For a switch over one of the lists. */
#define WINNOW__CASE(NAME, ...) case WINNOW__##NAME:

/* An operand is the number of a register, or this and that of a constant. */
#define WINNOW__CONSTANT_OPERAND 0x80

/* In `to`, of a program that a kernel interprets: nobody reads the value from the
 * register but the next step, or who asked for the values (interpret.h). */
#define WINNOW__PASSED_ON 0x80u

typedef struct winnow__step {
    uint8_t code;
    uint8_t to;   /* a register, which may be an operand's */
    uint8_t a, b; /* operands; a of a load: its column */
} winnow__step;

typedef struct winnow__value_program {
    uint8_t steps, columns, constants, registers;
    uint8_t result;      /* an operand */
    uint8_t result_type; /* winnow__value_type */
    uint8_t makes_nulls; /* is there an operation that may make one? */
    winnow__step step[WINNOW__MOST_OPERATIONS];
    /* As the operands' type has them: a FLOAT32 in the lower half. */
    uint64_t constant[WINNOW__MOST_CONSTANTS];
} winnow__value_program;

/* How a column of a call that a program reads is laid out. */
typedef enum winnow__value_access {
    WINNOW__VALUE_ELEMENTS = 0,   /* each aligned to its size */
    WINNOW__VALUE_BYTES = 1,      /* aligned to a byte */
    WINNOW__VALUE_BITS = 2,       /* LOAD_BIT */
    WINNOW__VALUE_OFFSETS_32 = 3, /* the others: LOAD_LENGTH */
    WINNOW__VALUE_OFFSETS_64 = 4,
    WINNOW__VALUE_VIEWS = 5,
    WINNOW__VALUE_INDICES = 6 /* of lengths; beyond the last one, null */
} winnow__value_access;

/* In place of the length of a dictionary's value that is null. */
#define WINNOW__VALUE_NO_LENGTH UINT64_MAX

/* In kernels: items of a thread that an operation is done for before the next
 * one. */
#define WINNOW__INTERPRET_ITEMS 4

typedef struct winnow__value_column {
    const unsigned char *first; /* the element of item 0; of bits, its byte; of
                                   strings, offsets or views; or indices */
    uint64_t stride;            /* bytes to the next item's, modulo 2^64 */
    const void *data; /* of views: winnow_buffers; of indices: uint64_t's */
    uint64_t size;    /* bytes of strings, or how many buffers or lengths */
    const unsigned char *valid; /* NULL, or bits, from this byte on */
    uint8_t valid_skip;         /* which one of it is item 0's */
    uint8_t access;             /* winnow__value_access */
    uint8_t skip;               /* of bits: which one of the byte is item 0's */
    uint8_t index_log2_size;    /* of indices */
    uint8_t index_is_signed;
} winnow__value_column;
