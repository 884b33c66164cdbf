/*
 * The columns that a condition's expressions read, and the lengths of strings.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_values.h"

#include "where_strings.h"

/* ----------------------------------------------------------------- columns */

/* The address may be NULL when a call is planned. */
static const unsigned char *byte_of(const void *start, uint64_t offset) {
    return (const unsigned char *)((uintptr_t)start + offset / 8);
}

static void describe_strings(const winnow_in *in,
                             winnow__value_column *column) {
    const winnow__string_column strings = winnow__strings_of(in);
    if (in->dictionary != NULL) {
        column->access = WINNOW__VALUE_INDICES;
        column->index_log2_size = (uint8_t)winnow__type(in->type)->log2_size;
        column->index_is_signed = winnow__type(in->type)->is_signed != 0;
        column->size = in->dictionary_n;
        return;
    }
    column->access =
        (uint8_t)(WINNOW__VALUE_OFFSETS_32 + (unsigned)strings.layout);
    column->data = strings.data;
    column->size = strings.size;
}

winnow__value_column winnow__describe(const winnow_in *in) {
    const size_t size = winnow_type_size(in->type);
    winnow__value_column column = {.first = in->d_base};
    if (in->d_valid != NULL) {
        column.valid = byte_of(in->d_valid, in->valid_offset);
        column.valid_skip = in->valid_offset % 8;
    }
    if (in->type == WINNOW_BIT) {
        column.access = WINNOW__VALUE_BITS;
        column.first = byte_of(in->d_base, in->offset);
        column.skip = in->offset % 8;
        return column;
    }
    if (size != 0) {
        const size_t alignment = size < 8 ? size : 8;
        column.stride =
            in->stride_bytes == 0 ? size : (uint64_t)in->stride_bytes;
        column.access = ((uintptr_t)in->d_base | column.stride) % alignment == 0
                            ? WINNOW__VALUE_ELEMENTS
                            : WINNOW__VALUE_BYTES;
    }
    if (winnow__is_of_strings(in))
        describe_strings(in, &column);
    return column;
}

void winnow__find_values(winnow__where_values *values) {
    const winnow__tested *const tested = values->tested;
    for (unsigned i = 0; i < tested->read_number; i++)
        values->column[i] = winnow__describe(&values->columns[tested->read[i]]);
}

void winnow__columns_of_values(const winnow__where_values *values,
                               const winnow__expression *expression,
                               winnow__value_column columns[]) {
    for (unsigned c = 0; c < expression->columns; c++) {
        unsigned i = 0;
        while (values->tested->read[i] != expression->column[c].column)
            i++;
        columns[c] = values->column[i];
    }
    for (unsigned c = 0;
         expression->compares_strings && c < expression->columns; c++) {
        const winnow_in *const in =
            &values->columns[expression->column[c].column];
        if (in->dictionary != NULL)
            columns[expression->columns + c] = winnow__describe(in->dictionary);
    }
}

/* ----------------------------------------------------------------- lengths */

/* Does the expression read this column of the condition? */
static bool reads(const winnow__expression *expression, unsigned column) {
    for (unsigned c = 0; c < expression->columns; c++)
        if (expression->column[c].column == column)
            return true;
    return false;
}

/* The bytes for the lengths of column i, if an expression asks for them. A
 * condition reads other columns with a dictionary for no lengths. */
static uint64_t lengths_of(const winnow__tested *tested,
                           const winnow_in *columns, unsigned i) {
    const uint16_t column = tested->read[i];
    if (columns[column].dictionary == NULL)
        return 0;
    for (unsigned t = 0; t < tested->number; t++)
        if (tested->expression[t] != NULL &&
            !tested->expression[t]->compares_strings &&
            reads(tested->expression[t], column))
            return columns[column].dictionary_n;
    return 0;
}

static size_t bytes_of_lengths(uint64_t number) {
    return (size_t)(number + 1) / 2 * 2 * sizeof(uint64_t);
}

size_t winnow__lengths_bytes(const winnow__tested *tested,
                             const winnow_in *columns) {
    size_t bytes = 0;
    for (unsigned i = 0; i < tested->read_number; i++)
        bytes += bytes_of_lengths(lengths_of(tested, columns, i));
    return bytes;
}

void winnow__place_lengths(winnow__where_values *values, void *memory) {
    unsigned char *room = memory;
    for (unsigned i = 0; i < values->tested->read_number; i++) {
        const uint64_t number = lengths_of(values->tested, values->columns, i);
        if (number == 0)
            continue;
        values->column[i].data = room;
        room += bytes_of_lengths(number);
    }
}

static bool is_null_value(const winnow_in *dictionary, uint64_t i) {
    const unsigned char *const valid = dictionary->d_valid;
    const uint64_t bit = dictionary->valid_offset + i;
    return valid != NULL && (valid[bit / 8] >> bit % 8 & 1) == 0;
}

void winnow__find_lengths(winnow__where_values *values, void *memory) {
    winnow__place_lengths(values, memory);
    for (unsigned i = 0; i < values->tested->read_number; i++) {
        const winnow_in *const in = &values->columns[values->tested->read[i]];
        uint64_t *const lengths = (uint64_t *)(uintptr_t)values->column[i].data;
        if (values->column[i].access != WINNOW__VALUE_INDICES ||
            lengths == NULL)
            continue;
        const winnow__string_column strings = winnow__strings_of(in);
        for (uint64_t s = 0; s < in->dictionary_n; s++)
            lengths[s] = is_null_value(in->dictionary, s)
                             ? WINNOW__VALUE_NO_LENGTH
                             : winnow__string_at(&strings, s).bytes;
    }
}
