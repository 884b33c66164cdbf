/*
 * Conversions of values between types.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "builder.h"

/* The operation that converts one type to another: [to][from]. */
static const uint8_t conversions[WINNOW__VALUE_TYPES][WINNOW__VALUE_TYPES] = {
#define FROM(TYPE, TO) [WINNOW__##TYPE] = WINNOW__##TYPE##_TO_##TO
    [WINNOW__INT64] = {FROM(UINT64, INT64), FROM(FLOAT64, INT64),
                       FROM(BOOL, INT64)},
    [WINNOW__UINT64] = {FROM(INT64, UINT64), FROM(FLOAT64, UINT64)},
    [WINNOW__FLOAT32] = {FROM(INT64, FLOAT32), FROM(UINT64, FLOAT32),
                         FROM(FLOAT64, FLOAT32)},
    [WINNOW__FLOAT64] = {FROM(INT64, FLOAT64), FROM(UINT64, FLOAT64),
                         FROM(FLOAT32, FLOAT64)},
#undef FROM
};

/* The load that makes FLOAT64 from the same integers; 0 if there is none. */
static const uint8_t float64_loads[WINNOW__OPERATION_CODES] = {
#define LOAD(TYPE) [WINNOW__LOAD_##TYPE] = WINNOW__LOAD_##TYPE##_FLOAT64
    LOAD(INT8),  LOAD(INT16),  LOAD(INT32),
    LOAD(UINT8), LOAD(UINT16), LOAD(UINT32),
#undef LOAD
};

/* A float32 is converted to an integer through float64. */
static winnow__value become(winnow__builder *builder, winnow__value value,
                            winnow__value_type type) {
    if (value == WINNOW__NO_VALUE)
        return value;
    const winnow__builder_node node = *winnow__node_of(builder, value);
    if (node.type == type)
        return value;
    if (type == WINNOW__FLOAT64 && node.code < WINNOW__OPERATION_CODES &&
        float64_loads[node.code] != 0)
        return winnow__build_load(builder, (uint16_t)node.a,
                                  (winnow_type)node.column_type,
                                  float64_loads[node.code]);
    if (node.type == WINNOW__FLOAT32 && type != WINNOW__FLOAT64)
        return become(builder, become(builder, value, WINNOW__FLOAT64), type);
    return winnow__make_one(builder, conversions[type][node.type], type, value);
}

winnow__value winnow__convert(winnow__builder *builder, winnow__value value,
                              winnow__value_type type) {
    return winnow__is_float(type) ? become(builder, value, type) : value;
}

winnow__value winnow__without_bool(winnow__builder *builder, winnow__value a) {
    return winnow__value_type_of(builder, a) == WINNOW__BOOL
               ? become(builder, a, WINNOW__INT64)
               : a;
}

/* --------------------------------------------------------------------- casts */

/* The same constant, but not weak. */
static winnow__value strong(winnow__builder *builder, winnow__value a) {
    if (a == WINNOW__NO_VALUE)
        return a;
    winnow__builder_node node = *winnow__node_of(builder, a);
    node.weak = false;
    return node.code == WINNOW__IS_CONSTANT ? winnow__build_node(builder, node)
                                            : a;
}

/* An INT64, which becomes null if it is not from low to high. */
static winnow__value be_between(winnow__builder *builder, winnow__value a,
                                int64_t low, int64_t high) {
    if (a == WINNOW__NO_VALUE)
        return a;
    const winnow__range range = winnow__node_of(builder, a)->range;
    if (range.low < low)
        a = winnow__make(builder, WINNOW__AT_LEAST_INT64, WINNOW__INT64, a,
                         winnow__build_int(builder, low, false));
    if (range.high > high)
        a = winnow__make(builder, WINNOW__AT_MOST_INT64, WINNOW__INT64, a,
                         winnow__build_int(builder, high, false));
    return a;
}

winnow__value winnow__build_cast(winnow__builder *builder, winnow_type type,
                                 winnow__value a) {
    static const winnow__range range[] = {
        [WINNOW_INT8] = {INT8_MIN, INT8_MAX},
        [WINNOW_INT16] = {INT16_MIN, INT16_MAX},
        [WINNOW_INT32] = {INT32_MIN, INT32_MAX},
        [WINNOW_UINT8] = {0, UINT8_MAX},
        [WINNOW_UINT16] = {0, UINT16_MAX},
        [WINNOW_UINT32] = {0, UINT32_MAX},
    };
    if (a == WINNOW__NO_VALUE)
        return a;
    a = winnow__without_bool(builder, a);
    switch (type) {
    case WINNOW_FLOAT32:
        return strong(builder, become(builder, a, WINNOW__FLOAT32));
    case WINNOW_FLOAT64:
        return strong(builder, become(builder, a, WINNOW__FLOAT64));
    case WINNOW_UINT64:
        return strong(builder, become(builder, a, WINNOW__UINT64));
    case WINNOW_INT64:
        return strong(builder, become(builder, a, WINNOW__INT64));
    default:
        a = become(builder, a, WINNOW__INT64);
        return strong(
            builder, be_between(builder, a, range[type].low, range[type].high));
    }
}
