/*
 * What a reduction of values under a condition should find, in the tests' own
 * words: integers of 128 bits, and floats in the order that
 * winnow_reduce_where(3) states.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_AGGREGATED_H
#define WINNOW_TESTS_AGGREGATED_H

#include <stdbool.h>
#include <stdint.h>

#include <winnow.h>

#include "report.h"

__extension__ typedef __int128 aggregated_integer;

struct aggregated_item {
    bool counts; /* it passes, and its value is not null */
    aggregated_integer i;
    double d; /* of floats */
};

enum aggregated_kind {
    AGGREGATED_SIGNED,
    AGGREGATED_UNSIGNED,
    AGGREGATED_FLOATS
};

/* Of n items, cut into at most `parts` parts. */
winnow_reduction aggregated_expected(const struct aggregated_item items[],
                                     uint64_t n, enum aggregated_kind kind,
                                     unsigned wanted, uint64_t parts);
/* Are all bits the same? */
bool aggregated_check(const winnow_reduction *seen,
                      const winnow_reduction *expected, struct report *report);

#endif
