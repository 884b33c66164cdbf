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
    uint64_t number;               /* of values, 2 and more */
    /* Bit patterns of the type's size, distinct, in ascending order as unsigned
     * numbers, none with a bit outside of the mask. An element is in the set
     * exactly when its pattern is: no NaN is here, and of floats both zeros or
     * none. */
    const void *values;
    /* The shortest interval, perhaps around the end, that holds all values: those
     * patterns v for which v - low, modulo 2^width, is at most `span`. */
    uint64_t low, span;
    winnow__lookup lookup;  /* of the host */
    atomic_uint references; /* of set.c, as all below */
} winnow__set;

/*
 * The set of the elements x for which x & mask == v (of integers; of floats the
 * mask has all bits, and == is that of IEEE 754) for one of `count` values,
 * each of the type's size, in host memory without alignment, in any order. They
 * are copied. Where a test decides it, as where the values are an interval, or
 * none, or all, *set_p is NULL and *test_p the test. The caller has a reference.
 *
 * WINNOW_ERR_MEMORY, with the detail set: no host memory.
 */
winnow_status winnow__set_create(winnow__set **set_p, winnow__test *test_p,
                                 const winnow__type_info *type, uint64_t mask,
                                 const void *values, uint64_t count);
/* One reference more; the set. */
winnow__set *winnow__set_share(winnow__set *set);
/* One less; the last frees the set. NULL is no set. */
void winnow__set_release(winnow__set *set);

/* Value i of 0 to number - 1. */
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
