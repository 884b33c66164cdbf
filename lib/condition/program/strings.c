/*
 * Comparisons of the strings of two columns.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "strings.h"

#include "builder.h"

#include "core/status.h"
#include "core/type.h"
#include "string/compare.h"

#include <stdatomic.h>
#include <stdlib.h>

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

winnow__expression *winnow__finish_strings(winnow__builder *builder,
                                           const winnow__builder_node *node) {
    winnow__expression *const made = calloc(1, sizeof *made);
    if (made == NULL) {
        winnow__builder_no_memory(builder);
        return NULL;
    }
    made->compares_strings = true;
    made->compare = (uint8_t)node->bits;
    made->column[made->columns++] = (winnow__expression_column){
        .column = (uint16_t)node->a, .type = (winnow_type)node->column_type};
    if (node->b != node->a)
        made->column[made->columns++] =
            (winnow__expression_column){.column = (uint16_t)node->b,
                                        .type = (winnow_type)node->second_type};
    made->program.columns = (uint8_t)made->columns;
    made->program.result_type = WINNOW__BOOL;
    made->host.narrow_kind = WINNOW__OF_BOOL;
    made->references = 1;
    return made;
}

winnow__compared_strings
winnow__compared_of(const winnow__expression *expression,
                    const winnow__value_column columns[], unsigned number) {
    const winnow__value_column *const column = &columns[number];
    const bool is_dictionary = column->access == WINNOW__VALUE_INDICES;
    const winnow__value_column *const strings =
        is_dictionary ? &columns[expression->columns + number] : column;
    winnow__compared_strings made = {
        .strings = {.strings = strings->first,
                    .data = strings->data,
                    .size = strings->size,
                    .layout = strings->access - WINNOW__VALUE_OFFSETS_32},
        .valid = column->valid,
        .valid_offset = column->valid_skip};
    if (is_dictionary) {
        made.first = column->first;
        made.stride = column->stride;
        made.log2_size = column->index_log2_size;
        made.is_signed = column->index_is_signed;
        made.values_n = column->size;
        made.values_valid = strings->valid;
        made.values_valid_offset = strings->valid_skip;
    }
    return made;
}

void winnow__evaluate_strings(const winnow__expression *expression,
                              const winnow__value_column columns[],
                              uint64_t first, unsigned items, void *words,
                              uint8_t *nulls) {
    const winnow__compared_strings a =
        winnow__compared_of(expression, columns, 0);
    const winnow__compared_strings b =
        winnow__compared_of(expression, columns, expression->columns - 1);
    winnow__compare_strings(&a, &b, (winnow_compare)expression->compare, first,
                            items, words, nulls);
}
