/*
 * What values are made of values: their types.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const winnow__builder_node *node_of(const winnow__builder *builder,
                                           winnow__value value) {
    return &builder->nodes[value];
}

static winnow__value make(winnow__builder *builder, unsigned code,
                          winnow__value_type type, winnow__value a,
                          winnow__value b) {
    if (a == WINNOW__NO_VALUE || b == WINNOW__NO_VALUE)
        return WINNOW__NO_VALUE;
    return winnow__build_node(
        builder,
        (winnow__builder_node){
            .code = (uint8_t)code, .type = (uint8_t)type, .a = a, .b = b});
}

static winnow__value make_one(winnow__builder *builder, unsigned code,
                              winnow__value_type type, winnow__value a) {
    return make(builder, code, type, a, 0);
}

/* ------------------------------------------------------- columns, constants */

static unsigned load_of(winnow_type type) {
    static const uint8_t code[] = {
        [WINNOW_INT8] = WINNOW__LOAD_INT8,
        [WINNOW_INT16] = WINNOW__LOAD_INT16,
        [WINNOW_INT32] = WINNOW__LOAD_INT32,
        [WINNOW_INT64] = WINNOW__LOAD_INT64,
        [WINNOW_UINT8] = WINNOW__LOAD_UINT8,
        [WINNOW_UINT16] = WINNOW__LOAD_UINT16,
        [WINNOW_UINT32] = WINNOW__LOAD_UINT32,
        [WINNOW_UINT64] = WINNOW__LOAD_UINT64,
        [WINNOW_FLOAT16] = WINNOW__LOAD_FLOAT16,
        [WINNOW_BFLOAT16] = WINNOW__LOAD_BFLOAT16,
        [WINNOW_FLOAT32] = WINNOW__LOAD_FLOAT32,
        [WINNOW_FLOAT64] = WINNOW__LOAD_FLOAT64,
        [WINNOW_BIT] = WINNOW__LOAD_BIT,
        [WINNOW_INT128] = WINNOW__LOAD_INT128,
        [WINNOW_STRING32] = WINNOW__LOAD_LENGTH,
        [WINNOW_STRING64] = WINNOW__LOAD_LENGTH,
        [WINNOW_VIEW] = WINNOW__LOAD_LENGTH,
    };
    return code[type];
}

static winnow__value load(winnow__builder *builder, uint16_t column,
                          winnow_type type, unsigned code) {
    return winnow__build_node(
        builder,
        (winnow__builder_node){.code = (uint8_t)code,
                               .type = (uint8_t)winnow__loaded_type(code),
                               .column_type = (uint8_t)type,
                               .a = column});
}

static winnow__value constant(winnow__builder *builder, winnow__value_type type,
                              uint64_t bits, bool weak) {
    return winnow__build_node(
        builder, (winnow__builder_node){.code = WINNOW__IS_CONSTANT,
                                        .type = (uint8_t)type,
                                        .weak = weak,
                                        .bits = bits});
}

winnow__value winnow__build_length(winnow__builder *builder, uint16_t column,
                                   winnow_type type) {
    return load(builder, column, type, WINNOW__LOAD_LENGTH);
}

winnow__value winnow__build_int(winnow__builder *builder, int64_t value,
                                bool weak) {
    return constant(builder, WINNOW__INT64, (uint64_t)value, weak);
}

winnow__value winnow__build_uint(winnow__builder *builder, uint64_t value,
                                 bool weak) {
    return constant(builder,
                    weak && value <= INT64_MAX ? WINNOW__INT64 : WINNOW__UINT64,
                    value, weak);
}

winnow__value winnow__build_float(winnow__builder *builder, double value,
                                  bool weak) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return constant(builder, WINNOW__FLOAT64, bits, weak);
}

winnow__value winnow__build_null(winnow__builder *builder) {
    return winnow__build_node(
        builder, (winnow__builder_node){.code = WINNOW__IS_CONSTANT,
                                        .type = WINNOW__INT64,
                                        .weak = true,
                                        .is_null = true});
}

/* --------------------------------------------------------------- conversions */

/* The load of the same integers as FLOAT64; 0, which is none of them: none. */
static unsigned float64_load(unsigned code) {
    switch (code) {
    case WINNOW__LOAD_INT8:
        return WINNOW__LOAD_INT8_FLOAT64;
    case WINNOW__LOAD_INT16:
        return WINNOW__LOAD_INT16_FLOAT64;
    case WINNOW__LOAD_INT32:
        return WINNOW__LOAD_INT32_FLOAT64;
    case WINNOW__LOAD_UINT8:
        return WINNOW__LOAD_UINT8_FLOAT64;
    case WINNOW__LOAD_UINT16:
        return WINNOW__LOAD_UINT16_FLOAT64;
    case WINNOW__LOAD_UINT32:
        return WINNOW__LOAD_UINT32_FLOAT64;
    default:
        return 0;
    }
}

static winnow__value to_float64(winnow__builder *builder, winnow__value value) {
    const winnow__builder_node *const node = node_of(builder, value);
    const unsigned same = float64_load(node->code);
    if (same != 0)
        return load(builder, (uint16_t)node->a, (winnow_type)node->column_type,
                    same);
    return make_one(builder,
                    node->type == WINNOW__INT64    ? WINNOW__INT64_TO_FLOAT64
                    : node->type == WINNOW__UINT64 ? WINNOW__UINT64_TO_FLOAT64
                                                   : WINNOW__FLOAT32_TO_FLOAT64,
                    WINNOW__FLOAT64, value);
}

static winnow__value to_float32(winnow__builder *builder, winnow__value value) {
    const winnow__value_type type = winnow__value_type_of(builder, value);
    return make_one(builder,
                    type == WINNOW__INT64    ? WINNOW__INT64_TO_FLOAT32
                    : type == WINNOW__UINT64 ? WINNOW__UINT64_TO_FLOAT32
                                             : WINNOW__FLOAT64_TO_FLOAT32,
                    WINNOW__FLOAT32, value);
}

/* To a float; or of an integer, the same. */
static winnow__value convert(winnow__builder *builder, winnow__value value,
                             winnow__value_type type) {
    if (value == WINNOW__NO_VALUE ||
        winnow__value_type_of(builder, value) == type)
        return value;
    return type == WINNOW__FLOAT64   ? to_float64(builder, value)
           : type == WINNOW__FLOAT32 ? to_float32(builder, value)
                                     : value;
}

static bool is_float(winnow__value_type type) {
    return type == WINNOW__FLOAT32 || type == WINNOW__FLOAT64;
}

static bool is_weak(const winnow__builder *builder, winnow__value value) {
    return node_of(builder, value)->weak;
}

/* Does a weak constant, which is no float, fit into an unsigned type? */
static bool fits_uint64(const winnow__builder *builder, winnow__value value) {
    const winnow__builder_node *const node = node_of(builder, value);
    return node->type == WINNOW__UINT64 || (int64_t)node->bits >= 0;
}

/* The type that two values have in an operation. INT64 with UINT64: INT64, and
 * *is_mixed. */
static winnow__value_type common_type(const winnow__builder *builder,
                                      winnow__value a, winnow__value b,
                                      bool *is_mixed) {
    winnow__value_type types[2] = {winnow__value_type_of(builder, a),
                                   winnow__value_type_of(builder, b)};
    const winnow__value values[2] = {a, b};
    *is_mixed = false;
    if (types[0] == types[1])
        return types[0];
    for (unsigned i = 0; i < 2; i++) {
        const winnow__value_type other = types[1 - i];
        if (!is_weak(builder, values[i]))
            continue;
        if (other == WINNOW__FLOAT32)
            return WINNOW__FLOAT32;
        if (other == WINNOW__UINT64 && !is_float(types[i]) &&
            fits_uint64(builder, values[i]))
            return WINNOW__UINT64;
    }
    if (is_float(types[0]) || is_float(types[1]))
        return WINNOW__FLOAT64;
    *is_mixed = true;
    return WINNOW__INT64;
}

/* ---------------------------------------------------------------- operations */

/* NAME_INT64 and so on, by type; of integers no more than the first may stand. */
#define BY_TYPE(NAME)                                                          \
    {                                                                          \
        WINNOW__##NAME##_INT64, WINNOW__##NAME##_UINT64,                       \
            WINNOW__##NAME##_FLOAT32, WINNOW__##NAME##_FLOAT64                 \
    }
#define BY_TYPE_WRAPPING(NAME)                                                 \
    {                                                                          \
        WINNOW__##NAME##_INT64, WINNOW__##NAME##_INT64,                        \
            WINNOW__##NAME##_FLOAT32, WINNOW__##NAME##_FLOAT64                 \
    }
#define BY_FLOAT(NAME)                                                         \
    { 0, 0, WINNOW__##NAME##_FLOAT32, WINNOW__##NAME##_FLOAT64 }

winnow__value winnow__build_unary(winnow__builder *builder,
                                  winnow__unary operation, winnow__value a) {
    static const uint8_t code[][WINNOW__BOOL] = {
        [WINNOW__NEGATE] = BY_TYPE_WRAPPING(NEGATE),
        [WINNOW__ABS] = BY_TYPE_WRAPPING(ABS),
        [WINNOW__FLOOR] = BY_FLOAT(FLOOR),
        [WINNOW__CEIL] = BY_FLOAT(CEIL),
        [WINNOW__ROUND] = BY_FLOAT(ROUND),
        [WINNOW__SQRT] = BY_FLOAT(SQRT),
    };
    if (a == WINNOW__NO_VALUE)
        return a;
    winnow__value_type type = winnow__value_type_of(builder, a);
    if (!is_float(type)) {
        if (operation == WINNOW__SQRT)
            return winnow__build_unary(builder, operation,
                                       convert(builder, a, WINNOW__FLOAT64));
        if (operation != WINNOW__NEGATE &&
            (operation != WINNOW__ABS || type == WINNOW__UINT64))
            return a;
        /* -9223372036854775808 is a literal with a sign. */
        if (type == WINNOW__UINT64 && is_weak(builder, a) &&
            node_of(builder, a)->bits == UINT64_C(1) << 63)
            type = WINNOW__INT64;
    }
    return make_one(builder, code[operation][type], type, a);
}

winnow__value winnow__build_binary(winnow__builder *builder,
                                   winnow__binary operation, winnow__value a,
                                   winnow__value b) {
    static const uint8_t code[][WINNOW__BOOL] = {
        [WINNOW__ADD] = BY_TYPE_WRAPPING(ADD),
        [WINNOW__SUBTRACT] = BY_TYPE_WRAPPING(SUBTRACT),
        [WINNOW__MULTIPLY] = BY_TYPE_WRAPPING(MULTIPLY),
        [WINNOW__DIVIDE] = BY_FLOAT(DIVIDE),
        [WINNOW__FLOOR_DIVIDE] = BY_TYPE(FLOOR_DIVIDE),
        [WINNOW__REMAINDER] = BY_TYPE(REMAINDER),
        [WINNOW__MIN] = BY_TYPE(MIN),
        [WINNOW__MAX] = BY_TYPE(MAX),
    };
    bool is_mixed;
    if (a == WINNOW__NO_VALUE || b == WINNOW__NO_VALUE)
        return WINNOW__NO_VALUE;
    winnow__value_type type = common_type(builder, a, b, &is_mixed);
    if (operation == WINNOW__DIVIDE && !is_float(type))
        type = WINNOW__FLOAT64;
    a = convert(builder, a, type);
    b = convert(builder, b, type);
    return make(builder, code[operation][type], type, a, b);
}

static unsigned mixed_code(winnow_compare compare, bool a_is_signed) {
    switch (compare) {
    case WINNOW_LT:
        return a_is_signed ? WINNOW__LESS_INT64_UINT64
                           : WINNOW__LESS_UINT64_INT64;
    case WINNOW_LE:
        return a_is_signed ? WINNOW__LESS_EQUAL_INT64_UINT64
                           : WINNOW__LESS_EQUAL_UINT64_INT64;
    case WINNOW_EQ:
        return WINNOW__EQUAL_INT64_UINT64;
    default:
        return WINNOW__NOT_EQUAL_INT64_UINT64;
    }
}

static unsigned compare_code(winnow_compare compare, winnow__value_type type) {
    static const uint8_t code[][WINNOW__BOOL] = {
        [WINNOW_LT] = BY_TYPE(LESS),
        [WINNOW_LE] = BY_TYPE(LESS_EQUAL),
        [WINNOW_EQ] = BY_TYPE_WRAPPING(EQUAL),
        [WINNOW_NE] = BY_TYPE_WRAPPING(NOT_EQUAL),
    };
    return code[compare][type];
}

static winnow__value without_bool(winnow__builder *builder, winnow__value a) {
    return winnow__value_type_of(builder, a) == WINNOW__BOOL
               ? make_one(builder, WINNOW__BOOL_TO_INT64, WINNOW__INT64, a)
               : a;
}

winnow__value winnow__build_compare(winnow__builder *builder,
                                    winnow_compare compare, winnow__value a,
                                    winnow__value b) {
    bool is_mixed;
    if (a == WINNOW__NO_VALUE || b == WINNOW__NO_VALUE)
        return WINNOW__NO_VALUE;
    if (compare == WINNOW_GT || compare == WINNOW_GE)
        return winnow__build_compare(
            builder, compare == WINNOW_GT ? WINNOW_LT : WINNOW_LE, b, a);
    a = without_bool(builder, a);
    b = without_bool(builder, b);
    if (a == WINNOW__NO_VALUE || b == WINNOW__NO_VALUE)
        return WINNOW__NO_VALUE;
    const winnow__value_type type = common_type(builder, a, b, &is_mixed);
    if (is_mixed) {
        const bool a_is_signed =
            winnow__value_type_of(builder, a) == WINNOW__INT64;
        const bool turned =
            !a_is_signed && (compare == WINNOW_EQ || compare == WINNOW_NE);
        return make(builder, mixed_code(compare, a_is_signed), WINNOW__BOOL,
                    turned ? b : a, turned ? a : b);
    }
    a = convert(builder, a, type);
    b = convert(builder, b, type);
    return make(builder, compare_code(compare, type), WINNOW__BOOL, a, b);
}

/* --------------------------------------------------------------------- casts */

/* A constant loses what makes it weak. */
static winnow__value strong(winnow__builder *builder, winnow__value a) {
    if (a == WINNOW__NO_VALUE)
        return a;
    winnow__builder_node node = *node_of(builder, a);
    node.weak = false;
    return node.code == WINNOW__IS_CONSTANT ? winnow__build_node(builder, node)
                                            : a;
}

static winnow__value to_int64(winnow__builder *builder, winnow__value a) {
    if (a == WINNOW__NO_VALUE)
        return a;
    switch (winnow__value_type_of(builder, a)) {
    case WINNOW__INT64:
        return a;
    case WINNOW__UINT64:
        return make_one(builder, WINNOW__UINT64_TO_INT64, WINNOW__INT64, a);
    default:
        return make_one(builder, WINNOW__FLOAT64_TO_INT64, WINNOW__INT64,
                        convert(builder, a, WINNOW__FLOAT64));
    }
}

static winnow__value to_uint64(winnow__builder *builder, winnow__value a) {
    switch (winnow__value_type_of(builder, a)) {
    case WINNOW__UINT64:
        return a;
    case WINNOW__INT64:
        return make_one(builder, WINNOW__INT64_TO_UINT64, WINNOW__UINT64, a);
    default:
        return make_one(builder, WINNOW__FLOAT64_TO_UINT64, WINNOW__UINT64,
                        convert(builder, a, WINNOW__FLOAT64));
    }
}

static winnow__value between(winnow__builder *builder, winnow__value a,
                             int64_t low, int64_t high) {
    a = make(builder, WINNOW__AT_LEAST_INT64, WINNOW__INT64, a,
             winnow__build_int(builder, low, false));
    return make(builder, WINNOW__AT_MOST_INT64, WINNOW__INT64, a,
                winnow__build_int(builder, high, false));
}

/* Has every element that a load reads a place in the range? */
static bool is_load_between(const winnow__builder *builder, winnow__value a,
                            int64_t low, int64_t high) {
    switch (node_of(builder, a)->code) {
    case WINNOW__LOAD_INT8:
        return low <= INT8_MIN && INT8_MAX <= high;
    case WINNOW__LOAD_INT16:
        return low <= INT16_MIN && INT16_MAX <= high;
    case WINNOW__LOAD_INT32:
        return low <= INT32_MIN && INT32_MAX <= high;
    case WINNOW__LOAD_UINT8:
        return low <= 0 && UINT8_MAX <= high;
    case WINNOW__LOAD_UINT16:
        return low <= 0 && UINT16_MAX <= high;
    case WINNOW__LOAD_UINT32:
        return low <= 0 && UINT32_MAX <= high;
    default:
        return false;
    }
}

winnow__value winnow__build_cast(winnow__builder *builder, winnow_type type,
                                 winnow__value a) {
    static const struct {
        int64_t low, high;
    } range[] = {
        [WINNOW_INT8] = {INT8_MIN, INT8_MAX},
        [WINNOW_INT16] = {INT16_MIN, INT16_MAX},
        [WINNOW_INT32] = {INT32_MIN, INT32_MAX},
        [WINNOW_UINT8] = {0, UINT8_MAX},
        [WINNOW_UINT16] = {0, UINT16_MAX},
        [WINNOW_UINT32] = {0, UINT32_MAX},
    };
    if (a == WINNOW__NO_VALUE)
        return a;
    a = without_bool(builder, a);
    if (a == WINNOW__NO_VALUE)
        return a;
    switch (type) {
    case WINNOW_FLOAT32:
        return strong(builder, convert(builder, a, WINNOW__FLOAT32));
    case WINNOW_FLOAT64:
        return strong(builder, convert(builder, a, WINNOW__FLOAT64));
    case WINNOW_UINT64:
        return strong(builder, to_uint64(builder, a));
    case WINNOW_INT64:
        return strong(builder, to_int64(builder, a));
    default:
        break;
    }
    const int64_t low = range[type].low, high = range[type].high;
    a = to_int64(builder, a);
    if (a == WINNOW__NO_VALUE || is_load_between(builder, a, low, high))
        return a;
    return strong(builder, between(builder, a, low, high));
}

/* ------------------------------------------------------------------- moments */

static winnow__value by_int(winnow__builder *builder, winnow__binary operation,
                            winnow__value a, int64_t b) {
    return winnow__build_binary(builder, operation, a,
                                winnow__build_int(builder, b, false));
}

winnow__value winnow__build_part(winnow__builder *builder, winnow__part_of part,
                                 winnow__value a, int64_t ticks_per_day) {
    const winnow__value days =
        ticks_per_day == 1
            ? a
            : by_int(builder, WINNOW__FLOOR_DIVIDE, a, ticks_per_day);
    switch (part) {
    case WINNOW__YEAR_OF:
        return make_one(builder, WINNOW__YEAR, WINNOW__INT64, days);
    case WINNOW__MONTH_OF:
        return make_one(builder, WINNOW__MONTH, WINNOW__INT64, days);
    case WINNOW__DAY_OF:
        return make_one(builder, WINNOW__DAY, WINNOW__INT64, days);
    default:
        break;
    }
    if (ticks_per_day == 1) /* at midnight */
        return by_int(builder, WINNOW__MULTIPLY, a, 0);
    /* Hours and so on since 1970; then since what they are a part of. */
    const int64_t per_day = part == WINNOW__HOUR_OF     ? 24
                            : part == WINNOW__MINUTE_OF ? 24 * 60
                                                        : 24 * 60 * 60;
    const int64_t within = part == WINNOW__HOUR_OF ? 24 : 60;
    const winnow__value since =
        by_int(builder, WINNOW__FLOOR_DIVIDE, a, ticks_per_day / per_day);
    const winnow__value whole =
        by_int(builder, WINNOW__FLOOR_DIVIDE, since, within);
    return winnow__build_binary(
        builder, WINNOW__SUBTRACT, since,
        by_int(builder, WINNOW__MULTIPLY, whole, within));
}

winnow__value winnow__build_scaled(winnow__builder *builder, winnow__value a,
                                   int64_t factor) {
    a = between(builder, a, INT64_MIN / factor, INT64_MAX / factor);
    return by_int(builder, WINNOW__MULTIPLY, a, factor);
}

/* ------------------------------------------------------------------ decimals */

/* 10^exponent, rounded once. */
static double power_of_ten(int exponent) {
    char text[16];
    snprintf(text, sizeof text, "1e%d", exponent);
    return strtod(text, NULL);
}

winnow__value winnow__build_column(winnow__builder *builder, uint16_t column,
                                   winnow_type type, int scale) {
    const winnow__value a = load(builder, column, type, load_of(type));
    if (scale == WINNOW__NO_SCALE || a == WINNOW__NO_VALUE)
        return a;
    return winnow__build_binary(
        builder, scale < 0 ? WINNOW__MULTIPLY : WINNOW__DIVIDE,
        convert(builder, a, WINNOW__FLOAT64),
        winnow__build_float(builder, power_of_ten(scale < 0 ? -scale : scale),
                            false));
}
