/*
 * Bounds that hold for every item that a condition keeps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "tree.h"

/* The values that a node may have, as bits. */
enum {
    WINNOW__IS_TRUE = 1,
    WINNOW__IS_FALSE = 2,
    WINNOW__IS_UNKNOWN = 4
};

/* A formula in postfix order. Entries beyond the capacity are only counted. */
typedef struct winnow__bounds {
    winnow_bound *bounds;
    uint64_t capacity, count;
} winnow__bounds;

/* What a part of the formula says. ANY and NONE have no entry. */
typedef enum winnow__said {
    WINNOW__SAYS_ANY, /* nothing: it holds for every item */
    WINNOW__SAYS_NONE,
    WINNOW__SAYS_SOME
} winnow__said;

winnow__said winnow__bounds_add(winnow__bounds *to, winnow_bound bound);
winnow__said winnow__bounds_add_kind(winnow__bounds *to, winnow_bound_kind kind,
                                     unsigned column);
/* a or b. The entries of a begin at `begin`. */
winnow__said winnow__bounds_or(winnow__bounds *to, uint64_t begin,
                               winnow__said a, winnow__said b);

/* ---- bound_numbers.c: for a TEST or SET that is true, or false. */
winnow__said winnow__bounds_of_numbers(winnow__bounds *to,
                                       const winnow__node *leaf, bool truth);
/* The same for WINNOW_INT128: the upper half is equal to one number, and the
 * lower half passes a leaf. */
winnow__said winnow__bounds_of_halves(winnow__bounds *to,
                                      const winnow__node *upper,
                                      const winnow__node *lower, bool truth);
