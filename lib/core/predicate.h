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

/* An unsigned key made from a value's bits. Keys have the order of values. */
static inline uint64_t winnow__key_of(const winnow__type_info *type,
                                      uint64_t bits) {
    const uint64_t sign = winnow__sign_bit(type);
    if (type->infinity != 0 && (bits & sign) != 0)
        return bits ^ winnow__all_bits(type);
    return type->infinity != 0 || type->is_signed ? bits ^ sign : bits;
}

/* The bits of the value of a key. */
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

/* The keys of all values but NaN, which has no order. */
static inline winnow__interval
winnow__ordered_keys(const winnow__type_info *type) {
    if (type->infinity == 0)
        return (winnow__interval){0, winnow__all_bits(type)};
    return (winnow__interval){
        winnow__key_of(type, type->infinity | winnow__sign_bit(type)),
        winnow__key_of(type, type->infinity)};
}

/* A predicate of WINNOW_INT128, which needs more than one test. A value passes if it is
 * between two values, or, if `outside`, if it is not. No value is between them if low >
 * high. */
typedef struct winnow__wide_predicate {
    winnow_predicate predicate; /* its test is not used */
    winnow__wide low, high;
    bool outside;
} winnow__wide_predicate;

/* Is the predicate the member of a winnow__wide_predicate? */
static inline bool winnow__is_wide(const winnow_predicate *predicate) {
    return predicate->type->size == sizeof(winnow__wide);
}
