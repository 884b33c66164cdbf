/*
 * Tests of one column: complements and unions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "core/predicate.h"

#include <stdbool.h>

/* How many elements of the type pass. */
typedef enum winnow__share {
    WINNOW__SHARE_NONE,
    WINNOW__SHARE_SOME, /* or it is not known */
    WINNOW__SHARE_ALL
} winnow__share;

winnow__share winnow__share_of(const winnow__type_info *type,
                               const winnow__test *test);

/* What fails the test passes the result. */
winnow__test winnow__complement(const winnow__type_info *type,
                                const winnow__test *test);

/* Of patterns, from low on to high, around the end where low > high. */
typedef struct winnow__arc {
    uint64_t low, high;
} winnow__arc;

/*
 * Of any number of tests, make those of which an element passes one where it
 * passes one of the tests given: intervals that meet become one. How many they
 * are, never more than were given; or 0, where all elements pass or none does,
 * as *share_p says. There is room for twice as many arcs.
 */
unsigned winnow__unite(const winnow__type_info *type, winnow__test tests[],
                       unsigned number, winnow__arc arcs[],
                       winnow__share *share_p);

/* Make as many tests of which an element passes one where it passes none of
 * those given, which winnow__unite() made. False: that cannot be, and they are
 * left as they were. There is room for as many arcs. */
bool winnow__complement_all(const winnow__type_info *type, winnow__test tests[],
                            unsigned number, winnow__arc arcs[]);
