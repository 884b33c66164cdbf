/*
 * Integers of 128 bits: columns of them, and tests of such columns in the tests'
 * own words, by the integers of the compiler.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_WIDES_H
#define WINNOW_TESTS_WIDES_H

#include <stdbool.h>
#include <stdint.h>

#include <winnow.h>

#include "backend.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

#define WIDE_MOST ((wide)(~(unsigned_wide)0 >> 1))
#define WIDE_LEAST (-WIDE_MOST - 1)

/* Of few upper halves, and few lower ones; neighbours are frequent. */
wide wide_random(uint64_t *seed);
bool wide_holds(wide x, winnow_compare compare, wide y);
/* The decimal digits. */
const char *wide_digits(wide x, char to[48]);

enum wide_rule_kind {
    WIDE_COMPARE, /* with values[0] */
    WIDE_RANGE,   /* from values[0] to values[1] */
    WIDE_IN       /* one of the values */
};

enum {
    WIDE_VALUES = 6
};

struct wide_rule {
    enum wide_rule_kind kind;
    winnow_compare compare;
    unsigned number; /* of values */
    wide values[WIDE_VALUES];
};

struct wide_column {
    const struct backend *backend;
    winnow_in in;
    wide *values;
    void *d_memory;
};

/* n elements, side by side or apart, in either direction. */
void wide_column_open(struct wide_column *column, const struct backend *backend,
                      uint64_t n, uint64_t *seed);
void wide_column_close(struct wide_column *column);

/* About elements of a column of n. */
void wide_rule_random(struct wide_rule *rule, const struct wide_column *column,
                      uint64_t n, uint64_t *seed);
bool wide_rule_keeps(const struct wide_rule *rule, wide x);
/* The library's condition for it. */
winnow_condition *wide_rule_create(const struct wide_rule *rule,
                                   unsigned column);

#endif
