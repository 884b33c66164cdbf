/*
 * Expressions: values that are computed of an item's elements.
 *
 * A builder makes values from values; equal ones are one, and what is made of
 * constants alone is a constant. An expression is what one of them needs, as a
 * program (kernels/expression/program.h, which says what operations mean).
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
/* There is no memory, or a limit is reached; the status and the detail are set.
 * Each function below takes it in place of an operand, and returns it. */
#define WINNOW__NO_VALUE UINT32_MAX

/* NULL, with the detail set: there is no memory. */
winnow__builder *winnow__builder_create(void);
/* NULL is allowed. Expressions stay. */
void winnow__builder_destroy(winnow__builder *builder);
/* Why there was no value: WINNOW_ERR_MEMORY or WINNOW_ERR_UNSUPPORTED. */
winnow_status winnow__builder_status(const winnow__builder *builder);

/* The number of values; and back to an earlier number: the values made since are not
 * used any more, and no expression is made of them. */
uint32_t winnow__builder_values(const winnow__builder *builder);
void winnow__builder_forget(winnow__builder *builder, uint32_t values);

/* Of decimals. */
enum {
    WINNOW__NARROW_DIGITS = 18, /* that an INT64 holds, whatever they are */
    WINNOW__MOST_DIGITS = 38
};

/* ---- columns and constants */

/* The elements of a column of numbers or bits; of WINNOW_INT128, the end of INT64
 * that one is beyond; of strings their bytes: INT64. */
winnow__value winnow__build_column(winnow__builder *builder, uint16_t column,
                                   winnow_type type);

/* A weak one stands for a literal, and takes the type of what it is combined
 * with: a weak integer that of any number, a weak float that of any float; beside
 * an integer that is not weak it makes FLOAT64. */
winnow__value winnow__build_int(winnow__builder *builder, int64_t value,
                                bool weak);
winnow__value winnow__build_uint(winnow__builder *builder, uint64_t value,
                                 bool weak);
winnow__value winnow__build_float(winnow__builder *builder, double value,
                                  bool weak);
/* A weak integer that is null. */
winnow__value winnow__build_null(winnow__builder *builder);

/* ---- operations: of numbers, never of BOOL but where they say so */

typedef enum winnow__unary {
    WINNOW__NEGATE,
    WINNOW__ABS,
    WINNOW__FLOOR, /* of integers, as CEIL and ROUND: the integer */
    WINNOW__CEIL,
    WINNOW__ROUND,
    WINNOW__SQRT /* of integers: FLOAT64 */
} winnow__unary;

typedef enum winnow__binary {
    WINNOW__ADD,
    WINNOW__SUBTRACT,
    WINNOW__MULTIPLY,
    WINNOW__DIVIDE,       /* of integers: FLOAT64 */
    WINNOW__FLOOR_DIVIDE, /* null by 0 */
    WINNOW__REMAINDER,    /* null by 0 */
    WINNOW__MIN,
    WINNOW__MAX
} winnow__binary;

winnow__value winnow__build_unary(winnow__builder *builder,
                                  winnow__unary operation, winnow__value a);
/* INT64 with UINT64 is INT64, but that MAX is UINT64: both MIN and MAX are exact.
 * Integers with FLOAT32 are FLOAT64. */
winnow__value winnow__build_binary(winnow__builder *builder,
                                   winnow__binary operation, winnow__value a,
                                   winnow__value b);
/* The comparison that holds of b and a where this holds of a and b. */
winnow_compare winnow__mirrored(winnow_compare compare);
/* BOOL. INT64 with UINT64 compare as numbers, other types as in arithmetic; also
 * of two values of BOOL. */
winnow__value winnow__build_compare(winnow__builder *builder,
                                    winnow_compare compare, winnow__value a,
                                    winnow__value b);
/* To a type of numbers but float16 and bfloat16; of BOOL as well: 0 or 1. Never
 * weak. INT64 of int8 to int64, uint8 to uint32. */
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

/* Of an INT64 that counts ticks since 1970-01-01 00:00, or since midnight. A day
 * has ticks_per_day of them: 1, 86400, or 86400 times 10^3, 10^6 or 10^9. */
winnow__value winnow__build_part(winnow__builder *builder, winnow__part_of part,
                                 winnow__value a, int64_t ticks_per_day);
/* ADD, SUBTRACT, MIN or MAX of INT64s times factors above 0; null where an INT64
 * cannot hold the result, whatever the products need. */
winnow__value winnow__build_of_units(winnow__builder *builder,
                                     winnow__binary operation, winnow__value a,
                                     int64_t a_factor, winnow__value b,
                                     int64_t b_factor);
/* BOOL: how a times a factor above 0 compares with b, of INT64s; whatever they
 * are, it is never null. */
winnow__value winnow__build_compare_scaled(winnow__builder *builder,
                                           winnow_compare compare,
                                           winnow__value a, int64_t factor,
                                           winnow__value b);

/* ---- strings */

typedef struct winnow__string_operand {
    uint16_t column;
    winnow_type type; /* of strings */
} winnow__string_operand;

/* BOOL: how the strings of two columns compare, byte by byte. It is no operand:
 * an expression is made of it. */
winnow__value winnow__build_compare_strings(winnow__builder *builder,
                                            winnow_compare compare,
                                            winnow__string_operand a,
                                            winnow__string_operand b);

/* ---- of a value */

winnow__value_type winnow__value_type_of(const winnow__builder *builder,
                                         winnow__value value);
/* What its values are as elements. */
winnow_type winnow__type_of_value(winnow__value_type type);

typedef struct winnow__constant {
    winnow__value_type type;
    bool weak;
    bool is_null; /* then there is no number */
    union {
        int64_t i; /* of INT64, BOOL */
        uint64_t u;
        float f;
        double d;
    };
} winnow__constant;

/* Is it a constant? Then *constant is set, unless it is NULL. */
bool winnow__value_constant(const winnow__builder *builder, winnow__value value,
                            winnow__constant *constant);

/* ------------------------------------------------------------- expressions */

typedef struct winnow__expression_column {
    uint16_t column; /* of the condition */
    winnow_type type;
} winnow__expression_column;

typedef struct winnow__source_parameter {
    winnow_type type;
    bool is_pointer; /* to elements of that */
} winnow__source_parameter;

/* A source in CUDA C in place of a program: the body of a function that returns a
 * bool. Its parameters have the values of the program's constants. */
typedef struct winnow__expression_source {
    unsigned parameters;
    winnow__source_parameter parameter[WINNOW__MOST_CONSTANTS];
    /* Of the columns, in their order, and of the parameters. */
    const char *name[WINNOW__MOST_READ + WINNOW__MOST_CONSTANTS];
    const char *body;
    char bytes[]; /* of names and body */
} winnow__expression_source;

/* Read alone. */
typedef struct winnow_expression winnow__expression;
struct winnow_expression {
    winnow__value_program program;
    winnow__host_program host;
    /* Those that it reads, each once; the program's are in this order. */
    unsigned columns;
    winnow__expression_column column[WINNOW__MOST_READ];
    _Atomic unsigned references;
    /* Its value is how the strings of its first column compare with those of its
     * last one; the program has no operations. In a call, the values of the
     * columns' dictionaries are columns behind them: evaluate.h. */
    bool compares_strings;
    uint8_t compare; /* winnow_compare */
    /* Of a decimal: value / 10^scale, and its format; else precision is 0. Of more
     * than 18 digits the value is the lower half, and `upper` the other one, with
     * a reference. */
    uint8_t precision;
    int16_t scale;
    char format[16];
    struct winnow_expression *upper;
    winnow__expression_source *source; /* NULL: the program has operations */
};

/* The expression of a value that is no constant, with a reference for the caller;
 * of one value always the same. NULL, with the detail set: there is no memory, or
 * it has more operations, registers, constants or columns than a program. */
winnow__expression *winnow__build_finish(winnow__builder *builder,
                                         winnow__value value);
void winnow__expression_share(winnow__expression *expression);
/* NULL is allowed. */
void winnow__expression_release(winnow__expression *expression);

static inline winnow__value_type
winnow__expression_type(const winnow__expression *expression) {
    return (winnow__value_type)expression->program.result_type;
}
