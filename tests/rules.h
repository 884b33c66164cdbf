/*
 * Which predicates the tests try on each type.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_RULES_H
#define WINNOW_TESTS_RULES_H

#include <stddef.h>

#include "oracle.h"

#define RULES_MOST 96

/* Every comparison with every operand that matters, ranges that are empty, one
 * wide, full and half open, and bit tests. Returns how many were written. */
size_t rules_all(winnow_type type, struct rule rules[RULES_MOST]);
/* One comparison that a fair part of all bit patterns passes: x < middle. */
struct rule rules_plain(winnow_type type);
/* One of each: the six comparisons, a range and a bit test. */
#define RULES_KINDS 8
void rules_kinds(winnow_type type, struct rule rules[RULES_KINDS]);

#endif
