/*
 * Expressions: values that are computed from an item's elements.
 *
 * A builder makes values from values. Equal values are one value, and a value made only
 * of constants is a constant. An expression is the program that computes one value
 * (kernels/expression/program.h says what the operations mean).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "host_program.h"

#include <winnow.h>

/* ----------------------------------------------------------------- builder */

typedef struct winnow__builder winnow__builder;

/* A value of a builder. */
typedef uint32_t winnow__value;
/* Out of memory, or a limit is reached; the status and the detail are set. Each
 * function below accepts it as an operand, and then returns it. */
#define WINNOW__NO_VALUE UINT32_MAX

/* NULL, with the detail set: out of memory. */
winnow__builder *winnow__builder_create(void);
/* May be NULL. Expressions remain valid. */
void winnow__builder_destroy(winnow__builder *builder);
/* Why a value is missing: WINNOW_ERR_MEMORY or WINNOW_ERR_UNSUPPORTED. */
winnow_status winnow__builder_status(const winnow__builder *builder);

/* The number of values; and return to an earlier number: later values are not
 * used any more, and no expression may be made from them. */
uint32_t winnow__builder_values(const winnow__builder *builder);
void winnow__builder_forget(winnow__builder *builder, uint32_t values);

/* Digits of decimals. */
enum {
    WINNOW__NARROW_DIGITS = 18, /* an INT64 holds any such number */
    WINNOW__MOST_DIGITS = 38
};

/* ---- columns and constants */

/* The elements of a column of numbers or bits. WINNOW_INT128 saturates to
 * INT64. Strings are represented by their lengths, INT64. */
winnow__value winnow__build_column(winnow__builder *builder, uint16_t column,
                                   winnow_type type);

/* A weak constant is a literal, which takes the type of the other operand: a
 * weak integer that of any number, a weak float that of any float. A weak float
 * with an integer that is not weak makes FLOAT64. */
winnow__value winnow__build_int(winnow__builder *builder, int64_t value,
                                bool weak);
winnow__value winnow__build_uint(winnow__builder *builder, uint64_t value,
                                 bool weak);
winnow__value winnow__build_float(winnow__builder *builder, double value,
                                  bool weak);
/* A null, as a weak integer. */
winnow__value winnow__build_null(winnow__builder *builder);

/* ---- operations on numbers; on BOOL only if a comment says so */

typedef enum winnow__unary {
    WINNOW__NEGATE,
    WINNOW__ABS,
    WINNOW__FLOOR, /* on integers FLOOR, CEIL and ROUND change nothing */
    WINNOW__CEIL,
    WINNOW__ROUND,
    WINNOW__SQRT /* FLOAT64 for integers */
} winnow__unary;

typedef enum winnow__binary {
    WINNOW__ADD,
    WINNOW__SUBTRACT,
    WINNOW__MULTIPLY,
    WINNOW__DIVIDE,       /* FLOAT64 for integers */
    WINNOW__FLOOR_DIVIDE, /* null if the divisor is 0 */
    WINNOW__REMAINDER,    /* null if the divisor is 0 */
    WINNOW__MIN,
    WINNOW__MAX
} winnow__binary;

winnow__value winnow__build_unary(winnow__builder *builder,
                                  winnow__unary operation, winnow__value a);
/* INT64 with UINT64 makes INT64, except that MAX makes UINT64; so MIN and MAX
 * are exact. Integers with FLOAT32 make FLOAT64. */
winnow__value winnow__build_binary(winnow__builder *builder,
                                   winnow__binary operation, winnow__value a,
                                   winnow__value b);
/* The comparison of b with a that is equivalent to this one of a with b. */
winnow_compare winnow__mirrored(winnow_compare compare);
/* BOOL. INT64 and UINT64 compare as numbers, other types as in arithmetic. Two
 * values of BOOL can be compared, too. */
winnow__value winnow__build_compare(winnow__builder *builder,
                                    winnow_compare compare, winnow__value a,
                                    winnow__value b);
/* Convert to any type of numbers but float16 and bfloat16. A BOOL becomes 0 or
 * 1. Never weak. int8 to int64 and uint8 to uint32 are INT64. */
winnow__value winnow__build_cast(winnow__builder *builder, winnow_type type,
                                 winnow__value a);

/* ---- moments: INT64s that count ticks */

typedef enum winnow__part_of {
    WINNOW__YEAR_OF,
    WINNOW__MONTH_OF,
    WINNOW__DAY_OF,
    WINNOW__HOUR_OF,
    WINNOW__MINUTE_OF,
    WINNOW__SECOND_OF
} winnow__part_of;

/* For an INT64 that counts ticks since 1970-01-01 00:00, or since midnight. A
 * day has ticks_per_day: 1, 86400, or 86400 times 10^3, 10^6 or 10^9. */
winnow__value winnow__build_part(winnow__builder *builder, winnow__part_of part,
                                 winnow__value a, int64_t ticks_per_day);
/* ADD, SUBTRACT, MIN or MAX of INT64s, each times a factor above 0. Null if the
 * result is no INT64; the products may have more bits. */
winnow__value winnow__build_of_units(winnow__builder *builder,
                                     winnow__binary operation, winnow__value a,
                                     int64_t a_factor, winnow__value b,
                                     int64_t b_factor);
/* BOOL: compare a times a factor above 0 with b. Both are INT64. Never null,
 * even if the product has more bits. */
winnow__value winnow__build_compare_scaled(winnow__builder *builder,
                                           winnow_compare compare,
                                           winnow__value a, int64_t factor,
                                           winnow__value b);

/* ---- strings */

typedef struct winnow__string_operand {
    uint16_t column;
    winnow_type type; /* type of strings */
} winnow__string_operand;

/* BOOL: compare the strings of two columns byte by byte. The result cannot be
 * an operand, but only become an expression. */
winnow__value winnow__build_compare_strings(winnow__builder *builder,
                                            winnow_compare compare,
                                            winnow__string_operand a,
                                            winnow__string_operand b);

/* ---- of a value */

winnow__value_type winnow__value_type_of(const winnow__builder *builder,
                                         winnow__value value);
/* The type of elements that have such values. */
winnow_type winnow__type_of_value(winnow__value_type type);

typedef struct winnow__constant {
    winnow__value_type type;
    bool weak;
    bool is_null; /* then there is no number */
    union {
        int64_t i; /* for INT64 and BOOL */
        uint64_t u;
        float f;
        double d;
    };
} winnow__constant;

/* Is it a constant? Then *constant is set; constant may be NULL. */
bool winnow__value_constant(const winnow__builder *builder, winnow__value value,
                            winnow__constant *constant);

/* ------------------------------------------------------------- expressions */

typedef struct winnow__expression_column {
    uint16_t column; /* of the condition */
    winnow_type type;
} winnow__expression_column;

typedef struct winnow__source_parameter {
    winnow_type type;
    bool is_pointer; /* to elements of this type */
} winnow__source_parameter;

/* CUDA C instead of a program: the body of a function that returns bool. The
 * program's constants are the values of its parameters. */
typedef struct winnow__expression_source {
    unsigned parameters;
    winnow__source_parameter parameter[WINNOW__MOST_CONSTANTS];
    /* of the columns, in their order, then of the parameters */
    const char *name[WINNOW__MOST_READ + WINNOW__MOST_CONSTANTS];
    const char *body;
    char bytes[]; /* of the names and the body */
} winnow__expression_source;

/* Never changes. */
typedef struct winnow_expression winnow__expression;
struct winnow_expression {
    winnow__value_program program;
    winnow__host_program host;
    /* The columns that it reads, each once, in the order of the program's. */
    unsigned columns;
    winnow__expression_column column[WINNOW__MOST_READ];
    _Atomic unsigned references;
    /* Compares the strings of its first column with those of its last one, by
     * no operations of a program. In a call, the values of the columns'
     * dictionaries are further columns: evaluate.h. */
    bool compares_strings;
    uint8_t compare; /* winnow_compare */
    /* A decimal is value / 10^scale; else precision is 0. If it has more than
     * 18 digits the value is the lower half, and `upper`, with a reference, the
     * other one. */
    uint8_t precision;
    int16_t scale;
    char format[16];
    struct winnow_expression *upper;
    winnow__expression_source *source; /* NULL: there is a program */
};

/* The expression of a value that is not constant, with a reference for the caller. The
 * same value always has the same expression. NULL, with the detail set: out of memory,
 * or more operations, registers, constants or columns than a program can have. */
winnow__expression *winnow__build_finish(winnow__builder *builder,
                                         winnow__value value);
void winnow__expression_share(winnow__expression *expression);
/* May be NULL. */
void winnow__expression_release(winnow__expression *expression);

static inline winnow__value_type
winnow__expression_type(const winnow__expression *expression) {
    return (winnow__value_type)expression->program.result_type;
}
