/*
 * A set of values in which elements are looked up. It never changes, so that
 * conditions and threads share it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "host/lookup.h"

#include <stdatomic.h>

typedef struct winnow__set {
    const winnow__type_info *type; /* of the elements */
    uint64_t mask;                 /* x & mask is looked up */
    uint64_t number;               /* number of values, at least 2 */
    /* Distinct bit patterns of the type's size, in ascending order as unsigned
     * numbers, without bits outside of the mask. An element is in the set if and
     * only if its pattern is here: so there is no NaN, and for floats either both
     * zeros or none. */
    const void *values;
    /* The shortest interval that has all values; it may wrap around. A pattern v is
     * in it if v - low, modulo 2^width, is at most `span`. */
    uint64_t low, span;
    winnow__lookup lookup;  /* for the host */
    atomic_uint references; /* set.c has the functions below */
} winnow__set;

/*
 * Create the set of elements x with x & mask == v for one of `count` values. (For
 * floats the mask has all bits, and == is that of IEEE 754.) The values have the
 * type's size, lie in host memory, unaligned, in any order, and are copied. If a
 * test decides it (for an interval, no value, all values), *set_p is NULL and
 * *test_p is that test. The caller has a reference.
 *
 * WINNOW_ERR_MEMORY, with the detail set: no host memory.
 */
winnow_status winnow__set_create(winnow__set **set_p, winnow__test *test_p,
                                 const winnow__type_info *type, uint64_t mask,
                                 const void *values, uint64_t count);
/* Add a reference. Returns the set. */
winnow__set *winnow__set_share(winnow__set *set);
/* Drop a reference; the last one frees the set. NULL is allowed. */
void winnow__set_release(winnow__set *set);

/* Value number i, which is below `number`. */
static inline uint64_t winnow__set_value(const winnow__set *set, uint64_t i) {
    switch (set->type->log2_size) {
    case 0:
        return ((const uint8_t *)set->values)[i];
    case 1:
        return ((const uint16_t *)set->values)[i];
    case 2:
        return ((const uint32_t *)set->values)[i];
    default:
        return ((const uint64_t *)set->values)[i];
    }
}
