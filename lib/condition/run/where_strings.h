/*
 * Tests of strings in a condition: columns of strings, and dictionaries of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "core/array.h"
#include "select/elements.h"
#include "kernels/string/column.h"
#include "where.h"

#ifdef WINNOW_CUDA
#include "set/tables.h"
#endif

/* WINNOW_OK if the description is valid and has a type of strings. */
winnow_status winnow__check_strings(winnow__array_name name,
                                    const winnow_in *column, uint64_t n);
/* Store the ranges that it reads, at most 4; return their number. For a
 * dictionary: its indices, its validity and, if `values`, its values. */
int winnow__strings_ranges(winnow__array_name name, const winnow_in *column,
                           uint64_t n, bool values, winnow__range *list);

/* Does it have strings, or indices of a dictionary of any type? */
static inline bool winnow__is_of_strings(const winnow_in *column) {
    return column->dictionary != NULL || winnow__is_string_type(column->type);
}
/* Does it have a dictionary whose values contain nulls? */
static inline bool winnow__has_null_values(const winnow_in *column) {
    return column->dictionary != NULL && column->dictionary->d_valid != NULL;
}
/* WINNOW_OK if the indices and the validity of a dictionary are right. */
winnow_status winnow__check_indices(winnow__array_name name,
                                    const winnow_in *column, uint64_t n);

/* The strings of a checked column, or the values of its dictionary. */
winnow__string_column winnow__strings_of(const winnow_in *column);

/* Bytes for the bits of n items. */
static inline uint64_t winnow__string_bits_bytes(uint64_t n) {
    return (n + 127) / 128 * 16;
}

/* The caller's column that a test of strings reads. */
static inline const winnow_in *
winnow__string_column_of(const winnow__where *where,
                         const winnow__string_leaf *string) {
    return &where->columns[where->condition->tested.column[string->tested]];
}
/* Bytes that the host needs for bits of the values of dictionaries. */
size_t winnow__where_strings_host_bytes(const winnow__where *where);
/* Test the values of dictionaries in the caller's thread. */
void winnow__test_dictionaries(winnow__bound *bound, void *memory);

/* Set the bits of the span's items that pass test `number`. Items that are not
 * wanted may have any bit. */
void winnow__test_where_strings(const winnow__bound *bound, unsigned number,
                                const winnow__span *span,
                                const uint32_t *wanted, uint32_t *words);

#ifdef WINNOW_CUDA
/* Bytes that a device needs for the bits of each test, aligned to 16. */
size_t winnow__where_strings_device_bytes(const winnow__where *where,
                                          uint64_t n);
/* Prepare a test for a device. If its pattern is large, it is found in the device's
 * memory, or made if `use` allows. *pattern_p: the pattern in device memory, or
 * NULL. */
winnow_status winnow__find_pattern(const winnow_context *context,
                                   const struct winnow__string_test *test,
                                   const winnow__table_use *use,
                                   const void **pattern_p);
/* The same for all tests of a condition. */
winnow_status winnow__find_where_patterns(const winnow_context *context,
                                          const winnow_condition *condition,
                                          const winnow__table_use *use);
/* Make the program read the bits in this memory. */
void winnow__place_where_strings(winnow__where_program *program, void *memory,
                                 uint64_t n);
/* Enqueue the kernels that write these bits. */
winnow_status winnow__test_where_on_device(const winnow__call *call,
                                           const winnow__bound *bound,
                                           const winnow__table_use *use,
                                           void *memory);
#endif
