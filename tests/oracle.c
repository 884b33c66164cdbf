/*
 * The CPU truth.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"

/* The same six comparisons on three types of operands. */
#define COMPARE_BY_C(x, compare, y)                                            \
    switch (compare) {                                                         \
    case WINNOW_LT:                                                            \
        return (x) < (y);                                                      \
    case WINNOW_LE:                                                            \
        return (x) <= (y);                                                     \
    case WINNOW_EQ:                                                            \
        return (x) == (y);                                                     \
    case WINNOW_NE:                                                            \
        return (x) != (y);                                                     \
    case WINNOW_GE:                                                            \
        return (x) >= (y);                                                     \
    case WINNOW_GT:                                                            \
        return (x) > (y);                                                      \
    }                                                                          \
    fprintf(stderr, "the tests know no comparison %d\n", (int)(compare));      \
    abort()

static bool compare_signed(int64_t x, winnow_compare compare, int64_t y) {
    COMPARE_BY_C(x, compare, y);
}

static bool compare_unsigned(uint64_t x, winnow_compare compare, uint64_t y) {
    COMPARE_BY_C(x, compare, y);
}

static bool compare_double(double x, winnow_compare compare, double y) {
    COMPARE_BY_C(x, compare, y);
}

static bool compare_bits(winnow_type type, uint64_t x, winnow_compare compare,
                         uint64_t y) {
    if (element_is_float(type))
        return compare_double(element_to_double(type, x), compare,
                              element_to_double(type, y));
    if (element_is_signed(type))
        return compare_signed(element_to_signed(type, x), compare,
                              element_to_signed(type, y));
    return compare_unsigned(x, compare, y);
}

bool oracle_keeps(const struct rule *rule, uint64_t bits) {
    switch (rule->kind) {
    case RULE_COMPARE:
        return compare_bits(rule->type, bits, rule->compare, rule->low);
    case RULE_RANGE:
        return compare_bits(rule->type, rule->low, WINNOW_LE, bits) &&
               compare_bits(rule->type, bits, WINNOW_LE, rule->high);
    case RULE_BITS:
        return (bits & rule->mask) == rule->value;
    }
    fprintf(stderr, "the tests know no kind of rule %d\n", (int)rule->kind);
    abort();
}

uint64_t oracle_filter(const struct rule *rule, const void *in, uint64_t n,
                       void *out, uint32_t *kept) {
    const size_t size = element_size(rule->type);
    const unsigned char *from = in;
    unsigned char *to = out;
    uint64_t count = 0;

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t bits = element_load(rule->type, from + i * size);
        kept[i] = (uint32_t)count;
        if (oracle_keeps(rule, bits))
            memcpy(to + count++ * size, from + i * size, size);
    }
    kept[n] = (uint32_t)count;
    return count;
}

winnow_status rule_create(const struct rule *rule,
                          winnow_predicate **predicate_p) {
    unsigned char low[8], high[8];

    element_store(rule->type, low, rule->low);
    element_store(rule->type, high, rule->high);
    switch (rule->kind) {
    case RULE_COMPARE:
        return winnow_predicate_compare(predicate_p, rule->type, rule->compare,
                                        low);
    case RULE_RANGE:
        return winnow_predicate_range(predicate_p, rule->type, low, high);
    case RULE_BITS:
        return winnow_predicate_bits(predicate_p, rule->type, rule->mask,
                                     rule->value);
    }
    abort();
}

void rule_describe(const struct rule *rule, char *text, size_t bytes) {
    static const char *const signs[] = {"<", "<=", "==", "!=", ">=", ">"};
    const char *type = winnow_type_name(rule->type);

    switch (rule->kind) {
    case RULE_COMPARE:
        snprintf(text, bytes, "%s x %s 0x%" PRIx64, type, signs[rule->compare],
                 rule->low);
        break;
    case RULE_RANGE:
        snprintf(text, bytes, "%s 0x%" PRIx64 " <= x <= 0x%" PRIx64, type,
                 rule->low, rule->high);
        break;
    case RULE_BITS:
        snprintf(text, bytes, "%s (x & 0x%" PRIx64 ") == 0x%" PRIx64, type,
                 rule->mask, rule->value);
        break;
    }
}
