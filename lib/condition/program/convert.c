/*
 * Values of one type as values of another.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "builder.h"

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
    const winnow__builder_node *const node = winnow__node_of(builder, value);
    const unsigned same = float64_load(node->code);
    if (same != 0)
        return winnow__build_load(builder, (uint16_t)node->a,
                                  (winnow_type)node->column_type, same);
    return winnow__make_one(
        builder,
        node->type == WINNOW__INT64    ? WINNOW__INT64_TO_FLOAT64
        : node->type == WINNOW__UINT64 ? WINNOW__UINT64_TO_FLOAT64
                                       : WINNOW__FLOAT32_TO_FLOAT64,
        WINNOW__FLOAT64, value);
}

static winnow__value to_float32(winnow__builder *builder, winnow__value value) {
    const winnow__value_type type = winnow__value_type_of(builder, value);
    return winnow__make_one(builder,
                            type == WINNOW__INT64 ? WINNOW__INT64_TO_FLOAT32
                            : type == WINNOW__UINT64
                                ? WINNOW__UINT64_TO_FLOAT32
                                : WINNOW__FLOAT64_TO_FLOAT32,
                            WINNOW__FLOAT32, value);
}

/* To a float; or of an integer, the same. */
winnow__value winnow__convert(winnow__builder *builder, winnow__value value,
                              winnow__value_type type) {
    if (value == WINNOW__NO_VALUE ||
        winnow__value_type_of(builder, value) == type)
        return value;
    return type == WINNOW__FLOAT64   ? to_float64(builder, value)
           : type == WINNOW__FLOAT32 ? to_float32(builder, value)
                                     : value;
}

winnow__value winnow__without_bool(winnow__builder *builder, winnow__value a) {
    return winnow__value_type_of(builder, a) == WINNOW__BOOL
               ? winnow__make_one(builder, WINNOW__BOOL_TO_INT64, WINNOW__INT64,
                                  a)
               : a;
}

/* --------------------------------------------------------------------- casts */

/* A constant loses what makes it weak. */
static winnow__value strong(winnow__builder *builder, winnow__value a) {
    if (a == WINNOW__NO_VALUE)
        return a;
    winnow__builder_node node = *winnow__node_of(builder, a);
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
        return winnow__make_one(builder, WINNOW__UINT64_TO_INT64, WINNOW__INT64,
                                a);
    default:
        return winnow__make_one(builder, WINNOW__FLOAT64_TO_INT64,
                                WINNOW__INT64,
                                winnow__convert(builder, a, WINNOW__FLOAT64));
    }
}

static winnow__value to_uint64(winnow__builder *builder, winnow__value a) {
    switch (winnow__value_type_of(builder, a)) {
    case WINNOW__UINT64:
        return a;
    case WINNOW__INT64:
        return winnow__make_one(builder, WINNOW__INT64_TO_UINT64,
                                WINNOW__UINT64, a);
    default:
        return winnow__make_one(builder, WINNOW__FLOAT64_TO_UINT64,
                                WINNOW__UINT64,
                                winnow__convert(builder, a, WINNOW__FLOAT64));
    }
}

winnow__value winnow__build_between(winnow__builder *builder, winnow__value a,
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
    a = winnow__without_bool(builder, a);
    if (a == WINNOW__NO_VALUE)
        return a;
    switch (type) {
    case WINNOW_FLOAT32:
        return strong(builder, winnow__convert(builder, a, WINNOW__FLOAT32));
    case WINNOW_FLOAT64:
        return strong(builder, winnow__convert(builder, a, WINNOW__FLOAT64));
    case WINNOW_UINT64:
        return strong(builder, to_uint64(builder, a));
    case WINNOW_INT64:
        return strong(builder, to_int64(builder, a));
    default:
        break;
    }
    return strong(builder,
                  winnow__build_between(builder, to_int64(builder, a),
                                        range[type].low, range[type].high));
}
