/*
 * What the library knows about each element type.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <winnow.h>

#include <stdbool.h>

__extension__ typedef __int128 winnow__wide;

typedef struct winnow__type_info {
    const char *name;
    unsigned size;      /* bytes */
    unsigned log2_size; /* which of the WINNOW__SIZES */
    int is_signed;      /* of integers */
    uint64_t infinity;  /* bits of +infinity; 0 for integers */
} winnow__type_info;

/* NULL for a value that is no type of numbers of 1 to 8 bytes. */
const winnow__type_info *winnow__type(winnow_type type);

/* The same, and WINNOW_INT128, which conditions test by halves. */
const winnow__type_info *winnow__tested_type(winnow_type type);

/* All bits of an element. */
static inline uint64_t winnow__all_bits(const winnow__type_info *type) {
    return UINT64_MAX >> (64 - 8 * type->size);
}

/* The bit of the sign, of integers of the highest bit. */
static inline uint64_t winnow__sign_bit(const winnow__type_info *type) {
    return (uint64_t)1 << (8 * type->size - 1);
}

/* WINNOW_ERR_ARGUMENT: `argument`, such as "type" or "fields[3].type", is no
 * type of numbers of 1 to 8 bytes. */
winnow_status winnow__fail_type(const char *argument, winnow_type type);

/* Is it one of strings? */
static inline bool winnow__is_string_type(winnow_type type) {
    return type == WINNOW_STRING32 || type == WINNOW_STRING64 ||
           type == WINNOW_VIEW;
}

/* Is it one of another kind: WINNOW_BIT, WINNOW_INT128, strings? */
bool winnow__is_special_type(winnow_type type);

/* Can it hold the indices of n elements? */
winnow_status winnow__check_index_type(winnow_type type, uint64_t n);
