/*
 * The CPU truth: what a predicate keeps, by C's own comparisons on widened
 * values. It shares no line with the library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_ORACLE_H
#define WINNOW_TESTS_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <winnow.h>

enum rule_kind {
    RULE_COMPARE = 0,
    RULE_RANGE = 1,
    RULE_BITS = 2
};

/* A predicate in the tests' own words. Operands are elements' bits. */
struct rule {
    winnow_type type;
    enum rule_kind kind;
    winnow_compare compare; /* RULE_COMPARE: x compare low */
    uint64_t low;           /* RULE_RANGE: low <= x <= high */
    uint64_t high;
    uint64_t mask; /* RULE_BITS: (x & mask) == value */
    uint64_t value;
};

/* Does the rule keep the element with these bits? */
bool oracle_keeps(const struct rule *rule, uint64_t bits);
/* Pack what the rule keeps of in[0 .. n) into out; returns how many. kept[i],
 * for i in 0 .. n, is how many of the first i it keeps. */
uint64_t oracle_filter(const struct rule *rule, const void *in, uint64_t n,
                       void *out, uint32_t *kept);

/* The library's predicate for a rule. */
winnow_status rule_create(const struct rule *rule,
                          winnow_predicate **predicate_p);
/* "int8 x <= 0xfb", and so on. */
void rule_describe(const struct rule *rule, char *text, size_t bytes);

#endif
