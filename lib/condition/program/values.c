/*
 * The first values of a builder: elements of columns, constants, and the order
 * of the strings of two columns.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "builder.h"

#include <string.h>

winnow__value winnow__make(winnow__builder *builder, unsigned code,
                           winnow__value_type type, winnow__value a,
                           winnow__value b) {
    if (a == WINNOW__NO_VALUE || b == WINNOW__NO_VALUE)
        return WINNOW__NO_VALUE;
    return winnow__build_node(
        builder,
        (winnow__builder_node){
            .code = (uint8_t)code, .type = (uint8_t)type, .a = a, .b = b});
}

winnow__value winnow__make_one(winnow__builder *builder, unsigned code,
                               winnow__value_type type, winnow__value a) {
    return winnow__make(builder, code, type, a, 0);
}

/* ----------------------------------------------------------------- constants */

static winnow__value constant(winnow__builder *builder, winnow__value_type type,
                              uint64_t bits, bool weak) {
    return winnow__build_node(
        builder, (winnow__builder_node){.code = WINNOW__IS_CONSTANT,
                                        .type = (uint8_t)type,
                                        .weak = weak,
                                        .bits = bits});
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

/* ------------------------------------------------------------------- columns */

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

winnow__value winnow__build_load(winnow__builder *builder, uint16_t column,
                                 winnow_type type, unsigned code) {
    return winnow__build_node(
        builder,
        (winnow__builder_node){.code = (uint8_t)code,
                               .type = (uint8_t)winnow__loaded_type(code),
                               .column_type = (uint8_t)type,
                               .a = column});
}

winnow__value winnow__build_column(winnow__builder *builder, uint16_t column,
                                   winnow_type type) {
    return winnow__build_load(builder, column, type, load_of(type));
}

winnow__value winnow__build_compare_strings(winnow__builder *builder,
                                            winnow_compare compare,
                                            winnow__string_operand a,
                                            winnow__string_operand b) {
    return winnow__build_node(
        builder, (winnow__builder_node){.code = WINNOW__COMPARES_STRINGS,
                                        .type = WINNOW__BOOL,
                                        .column_type = (uint8_t)a.type,
                                        .second_type = (uint8_t)b.type,
                                        .a = a.column,
                                        .b = b.column,
                                        .bits = (uint64_t)compare});
}
