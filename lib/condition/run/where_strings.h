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

/* Is it described in a way that means something, and has the type of strings? */
winnow_status winnow__check_strings(winnow__array_name name,
                                    const winnow_in *column, uint64_t n);
/* The ranges of what it reads, 4 at most; how many they are. Of a dictionary,
 * those of its indices, of its validity and, if they are read, of its values. */
int winnow__strings_ranges(winnow__array_name name, const winnow_in *column,
                           uint64_t n, bool values, winnow__range *list);

/* Strings, or indices of a dictionary of any type? */
static inline bool winnow__is_of_strings(const winnow_in *column) {
    return column->dictionary != NULL || winnow__is_string_type(column->type);
}
/* Is a dictionary with nulls among its values? */
static inline bool winnow__has_null_values(const winnow_in *column) {
    return column->dictionary != NULL && column->dictionary->d_valid != NULL;
}
/* Are the indices and the validity of a dictionary right? */
winnow_status winnow__check_indices(winnow__array_name name,
                                    const winnow_in *column, uint64_t n);

/* The strings of a column that was checked; of a dictionary, its values. */
winnow__string_column winnow__strings_of(const winnow_in *column);

/* Memory for the bits of n items. */
static inline uint64_t winnow__string_bits_bytes(uint64_t n) {
    return (n + 127) / 128 * 16;
}

/* The column of the call that a test of strings reads. */
static inline const winnow_in *
winnow__string_column_of(const winnow__where *where,
                         const winnow__string_leaf *string) {
    return &where->columns[where->condition->tested.column[string->tested]];
}
/* Bytes that the host works in: bits of the values of dictionaries. */
size_t winnow__where_strings_host_bytes(const winnow__where *where);
/* Test the values of dictionaries, by the caller's thread. */
void winnow__test_dictionaries(winnow__bound *bound, void *memory);

/* Set the bits of the span's items that pass test number `number`; those of
 * items that are not wanted may be any. */
void winnow__test_where_strings(const winnow__bound *bound, unsigned number,
                                const winnow__span *span,
                                const uint32_t *wanted, uint32_t *words);

#ifdef WINNOW_CUDA
/* Bytes that a device works in, aligned to 16: the bits of each test. */
size_t winnow__where_strings_device_bytes(const winnow__where *where,
                                          uint64_t n);
/* May a device make a test, and has it the pattern if that is large, or can that be
 * made? It is made. *pattern_p: what the device has, or NULL. */
winnow_status winnow__find_pattern(const winnow_context *context,
                                   const struct winnow__string_test *test,
                                   const winnow__table_use *use,
                                   const void **pattern_p);
/* The same of all tests of a condition. */
winnow_status winnow__find_where_patterns(const winnow_context *context,
                                          const winnow_condition *condition,
                                          const winnow__table_use *use);
/* Have the program read the bits in this memory. */
void winnow__place_where_strings(winnow__where_program *program, void *memory,
                                 uint64_t n);
/* Enqueue the kernels that write them. */
winnow_status winnow__test_where_on_device(const winnow__call *call,
                                           const winnow__bound *bound,
                                           const winnow__table_use *use,
                                           void *memory);
#endif
