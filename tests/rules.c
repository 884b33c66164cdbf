/*
 * Which predicates the tests try on each type.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "rules.h"

#include <stdio.h>
#include <stdlib.h>

#include "element.h"

static const winnow_compare compares[] = {WINNOW_LT, WINNOW_LE, WINNOW_EQ,
                                          WINNOW_NE, WINNOW_GE, WINNOW_GT};

struct list {
    winnow_type type;
    struct rule *rules;
    size_t count;
};

static struct rule *append(struct list *list, enum rule_kind kind) {
    struct rule *rule;

    if (list->count == RULES_MOST) {
        fprintf(stderr, "more than %d rules for a type\n", RULES_MOST);
        abort();
    }
    rule = &list->rules[list->count++];
    *rule = (struct rule){.type = list->type, .kind = kind};
    return rule;
}

static void append_compares(struct list *list, uint64_t operand) {
    for (size_t i = 0; i < 6; i++) {
        struct rule *rule = append(list, RULE_COMPARE);
        rule->compare = compares[i];
        rule->low = operand;
    }
}

static void append_range(struct list *list, uint64_t low, uint64_t high) {
    struct rule *rule = append(list, RULE_RANGE);

    rule->low = low;
    rule->high = high;
}

static void append_bits(struct list *list, uint64_t mask, uint64_t value) {
    struct rule *rule = append(list, RULE_BITS);

    rule->mask = mask;
    rule->value = value;
}

static void append_integer_rules(struct list *list) {
    const uint64_t all = element_all_bits(list->type);
    const uint64_t top = element_top_bit(list->type);
    const uint64_t middle = element_middle(list->type);
    const int is_signed = element_is_signed(list->type);
    const uint64_t least = is_signed ? top : 0;
    const uint64_t most = is_signed ? top - 1 : all;

    append_compares(list, middle);
    append_compares(list, least);
    append_compares(list, most);
    append_compares(list, (least + 1) & all);
    append_compares(list, most - 1);
    append_range(list, (middle - 20) & all, (middle + 20) & all);
    append_range(list, (middle + 1) & all, middle); /* empty */
    append_range(list, middle, middle);
    append_range(list, least, most);
    append_range(list, least, middle);
    append_range(list, middle, most);
    append_range(list, most, least); /* empty */
    /* Over the place where the sign bit changes. */
    if (is_signed)
        append_range(list, all - 1, 2);
    else
        append_range(list, top - 2, top + 2);
}

static void append_float_rules(struct list *list) {
    const uint64_t sign = element_top_bit(list->type);
    const uint64_t middle = element_middle(list->type);
    const uint64_t infinity = element_infinity(list->type);
    const uint64_t nan = element_nan(list->type);
    const uint64_t normal = (uint64_t)1 << element_mantissa_bits(list->type);

    append_compares(list, middle);
    append_compares(list, middle | sign);
    append_compares(list, 0);
    append_compares(list, sign); /* -0 */
    append_compares(list, nan);
    append_compares(list, (infinity + 1) | sign); /* a signalling NaN */
    append_compares(list, infinity);
    append_compares(list, infinity | sign);
    append_compares(list, 1); /* the smallest denormal */
    append_compares(list, (infinity - 1) | sign);
    append_range(list, middle | sign, middle);
    append_range(list, middle, middle | sign); /* empty */
    append_range(list, sign, 0);               /* zeros of both signs, and */
    append_range(list, 0, sign);               /* once more */
    append_range(list, infinity | sign, infinity);
    append_range(list, infinity | sign, sign);
    append_range(list, 0, infinity);
    append_range(list, infinity, infinity);
    append_range(list, nan, middle);
    append_range(list, middle, nan);
    append_range(list, nan, nan);
    append_range(list, 1, normal - 1); /* positive denormals */
    append_bits(list, infinity, infinity);
    append_bits(list, infinity, 0);
}

size_t rules_all(winnow_type type, struct rule rules[RULES_MOST]) {
    struct list list = {.type = type, .rules = rules};
    const uint64_t all = element_all_bits(type);
    const uint64_t top = element_top_bit(type);

    if (element_is_float(type))
        append_float_rules(&list);
    else
        append_integer_rules(&list);
    append_bits(&list, 0, 0);
    append_bits(&list, 1, 1);
    append_bits(&list, 1, 0);
    append_bits(&list, top, top);
    append_bits(&list, top, 0);
    append_bits(&list, top | 5, top | 4);
    append_bits(&list, all, element_middle(type));
    append_bits(&list, all, 0);
    return list.count;
}

struct rule rules_plain(winnow_type type) {
    return (struct rule){.type = type,
                         .kind = RULE_COMPARE,
                         .compare = WINNOW_LT,
                         .low = element_middle(type)};
}

void rules_kinds(winnow_type type, struct rule rules[RULES_KINDS]) {
    const uint64_t middle = element_middle(type);

    for (size_t i = 0; i < 6; i++)
        rules[i] = (struct rule){.type = type,
                                 .kind = RULE_COMPARE,
                                 .compare = compares[i],
                                 .low = middle};
    rules[6] = (struct rule){.type = type, .kind = RULE_RANGE};
    if (element_is_float(type)) {
        rules[6].low = middle | element_top_bit(type); /* -1.5 to 1.5 */
        rules[6].high = middle;
    } else {
        rules[6].low = (middle - 20) & element_all_bits(type);
        rules[6].high = (middle + 20) & element_all_bits(type);
    }
    rules[7] =
        (struct rule){.type = type, .kind = RULE_BITS, .mask = 5, .value = 4};
}
