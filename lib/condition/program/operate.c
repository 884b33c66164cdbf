/*
 * Operations of values: the type in which they are done.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "builder.h"

static bool is_weak(const winnow__builder *builder, winnow__value value) {
    return winnow__node_of(builder, value)->weak;
}

/* Does a weak constant, which is not a float, fit into an unsigned type? */
static bool fits_uint64(const winnow__builder *builder, winnow__value value) {
    const winnow__builder_node *const node = winnow__node_of(builder, value);
    return node->type == WINNOW__UINT64 || (int64_t)node->bits >= 0;
}

/* The common type of two operands. INT64 with UINT64: INT64, and *is_mixed. */
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
        if (other == WINNOW__UINT64 && !winnow__is_float(types[i]) &&
            fits_uint64(builder, values[i]))
            return WINNOW__UINT64;
    }
    if (winnow__is_float(types[0]) || winnow__is_float(types[1]))
        return WINNOW__FLOAT64;
    *is_mixed = true;
    return WINNOW__INT64;
}

/* ---------------------------------------------------------------- operations */

/* Codes by type. With WRAPPING, UINT64 uses that of INT64; FLOAT has none of
 * integers. */
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
    if (winnow__is_float(type))
        return winnow__make_one(builder, code[operation][type], type, a);
    switch (operation) { /* no default: the compiler warns of a missing case */
    case WINNOW__SQRT:
        return winnow__build_unary(
            builder, operation, winnow__convert(builder, a, WINNOW__FLOAT64));
    case WINNOW__FLOOR:
    case WINNOW__CEIL:
    case WINNOW__ROUND:
        return a;
    case WINNOW__ABS:
        if (type == WINNOW__UINT64)
            return a;
        break;
    case WINNOW__NEGATE:
        /* -9223372036854775808 is a literal after a minus sign. */
        if (type == WINNOW__UINT64 && is_weak(builder, a) &&
            winnow__node_of(builder, a)->bits == UINT64_C(1) << 63)
            type = WINNOW__INT64;
    }
    return winnow__make_one(builder, code[operation][type], type, a);
}

/* MIN is at most the INT64, and MAX at least the UINT64. So each is exact in
 * that type: other values of the other operand can be cut to its range first. */
static winnow__value min_max_of_mixed(winnow__builder *builder,
                                      winnow__binary operation, winnow__value a,
                                      winnow__value b) {
    const bool a_is_signed = winnow__value_type_of(builder, a) == WINNOW__INT64;
    const winnow__value i = a_is_signed ? a : b, u = a_is_signed ? b : a;
    if (operation == WINNOW__MIN)
        return winnow__make(
            builder, WINNOW__MIN_INT64, WINNOW__INT64, i,
            winnow__make(
                builder, WINNOW__MIN_UINT64, WINNOW__UINT64, u,
                winnow__build_int(builder, INT64_MAX, is_weak(builder, u))));
    return winnow__make(
        builder, WINNOW__MAX_UINT64, WINNOW__UINT64, u,
        winnow__make(builder, WINNOW__MAX_INT64, WINNOW__INT64, i,
                     winnow__build_int(builder, 0, is_weak(builder, i))));
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
    if (is_mixed && operation >= WINNOW__MIN)
        return min_max_of_mixed(builder, operation, a, b);
    if (operation == WINNOW__DIVIDE && !winnow__is_float(type))
        type = WINNOW__FLOAT64;
    a = winnow__convert(builder, a, type);
    b = winnow__convert(builder, b, type);
    return winnow__make(builder, code[operation][type], type, a, b);
}

winnow_compare winnow__mirrored(winnow_compare compare) {
    static const winnow_compare of[] = {
        [WINNOW_LT] = WINNOW_GT, [WINNOW_LE] = WINNOW_GE,
        [WINNOW_EQ] = WINNOW_EQ, [WINNOW_NE] = WINNOW_NE,
        [WINNOW_GE] = WINNOW_LE, [WINNOW_GT] = WINNOW_LT};
    return of[compare];
}

/* Compare INT64 with UINT64. == and <> support only one order of operands. */
static winnow__value compare_mixed(winnow__builder *builder,
                                   winnow_compare compare, winnow__value a,
                                   winnow__value b) {
    static const uint8_t code[][2] = {
        [WINNOW_LT] = {WINNOW__LESS_UINT64_INT64, WINNOW__LESS_INT64_UINT64},
        [WINNOW_LE] = {WINNOW__LESS_EQUAL_UINT64_INT64,
                       WINNOW__LESS_EQUAL_INT64_UINT64},
        [WINNOW_EQ] = {0, WINNOW__EQUAL_INT64_UINT64},
        [WINNOW_NE] = {0, WINNOW__NOT_EQUAL_INT64_UINT64},
    };
    const bool a_is_signed = winnow__value_type_of(builder, a) == WINNOW__INT64;
    return code[compare][a_is_signed] == 0
               ? compare_mixed(builder, compare, b, a)
               : winnow__make(builder, code[compare][a_is_signed], WINNOW__BOOL,
                              a, b);
}

winnow__value winnow__build_compare(winnow__builder *builder,
                                    winnow_compare compare, winnow__value a,
                                    winnow__value b) {
    static const uint8_t code[][WINNOW__BOOL] = {
        [WINNOW_LT] = BY_TYPE(LESS),
        [WINNOW_LE] = BY_TYPE(LESS_EQUAL),
        [WINNOW_EQ] = BY_TYPE_WRAPPING(EQUAL),
        [WINNOW_NE] = BY_TYPE_WRAPPING(NOT_EQUAL),
    };
    bool is_mixed;
    if (a == WINNOW__NO_VALUE || b == WINNOW__NO_VALUE)
        return WINNOW__NO_VALUE;
    if (compare == WINNOW_GT || compare == WINNOW_GE)
        return winnow__build_compare(
            builder, compare == WINNOW_GT ? WINNOW_LT : WINNOW_LE, b, a);
    a = winnow__without_bool(builder, a);
    b = winnow__without_bool(builder, b);
    if (a == WINNOW__NO_VALUE || b == WINNOW__NO_VALUE)
        return WINNOW__NO_VALUE;
    const winnow__value_type type = common_type(builder, a, b, &is_mixed);
    if (is_mixed)
        return compare_mixed(builder, compare, a, b);
    a = winnow__convert(builder, a, type);
    b = winnow__convert(builder, b, type);
    return winnow__make(builder, code[compare][type], WINNOW__BOOL, a, b);
}
