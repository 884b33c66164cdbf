/*
 * The properties of each element type.
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
    unsigned log2_size; /* the index in WINNOW__SIZES */
    int is_signed;      /* for integers */
    uint64_t infinity;  /* bits of +infinity; 0 for integers */
} winnow__type_info;

/* NULL if `type` is not a number of 1 to 8 bytes. */
const winnow__type_info *winnow__type(winnow_type type);

/* The same, and also WINNOW_INT128, which conditions test in halves. */
const winnow__type_info *winnow__tested_type(winnow_type type);

/* A mask of all bits of an element. */
static inline uint64_t winnow__all_bits(const winnow__type_info *type) {
    return UINT64_MAX >> (64 - 8 * type->size);
}

/* The sign bit; for integers the highest bit. */
static inline uint64_t winnow__sign_bit(const winnow__type_info *type) {
    return (uint64_t)1 << (8 * type->size - 1);
}

/* WINNOW_ERR_ARGUMENT: `argument`, such as "type" or "fields[3].type", is not a
 * number of 1 to 8 bytes. */
winnow_status winnow__fail_type(const char *argument, winnow_type type);

/* Is it a type of strings? */
static inline bool winnow__is_string_type(winnow_type type) {
    return type == WINNOW_STRING32 || type == WINNOW_STRING64 ||
           type == WINNOW_VIEW;
}

/* Is it WINNOW_BIT, WINNOW_INT128 or a type of strings? */
bool winnow__is_special_type(winnow_type type);

/* WINNOW_OK if the type can hold the indices of n elements. */
winnow_status winnow__check_index_type(winnow_type type, uint64_t n);
