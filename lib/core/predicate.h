/*
 * A predicate inside the library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/args.h"
#include "type.h"

struct winnow_predicate {
    const winnow__type_info *type;
    winnow__test_kind kind;
    winnow__test test;
};

/* Unsigned keys are ordered as values are: the key of a value's bits. */
static inline uint64_t winnow__key_of(const winnow__type_info *type,
                                      uint64_t bits) {
    const uint64_t sign = winnow__sign_bit(type);
    if (type->infinity != 0 && (bits & sign) != 0)
        return bits ^ winnow__all_bits(type);
    return type->infinity != 0 || type->is_signed ? bits ^ sign : bits;
}

/* The bits of the value that has a key. */
static inline uint64_t winnow__key_value(const winnow__type_info *type,
                                         uint64_t key) {
    const uint64_t sign = winnow__sign_bit(type);
    if (type->infinity != 0 && (key & sign) == 0)
        return key ^ winnow__all_bits(type);
    return type->infinity != 0 || type->is_signed ? key ^ sign : key;
}

typedef struct winnow__interval {
    uint64_t low, high;
} winnow__interval;

/* The keys of all values that are ordered: everything but NaN. */
static inline winnow__interval
winnow__ordered_keys(const winnow__type_info *type) {
    if (type->infinity == 0)
        return (winnow__interval){0, winnow__all_bits(type)};
    return (winnow__interval){
        winnow__key_of(type, type->infinity | winnow__sign_bit(type)),
        winnow__key_of(type, type->infinity)};
}

/* Of WINNOW_INT128, which is no one test: what passes is between two values, or,
 * `outside`, is not; nothing is between them where low > high. */
typedef struct winnow__wide_predicate {
    winnow_predicate predicate; /* its test is none */
    winnow__wide low, high;
    bool outside;
} winnow__wide_predicate;

/* Is the predicate a part of one? */
static inline bool winnow__is_wide(const winnow_predicate *predicate) {
    return predicate->type->size == sizeof(winnow__wide);
}
