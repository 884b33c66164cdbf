/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "writer.h"

#include <inttypes.h>
#include <math.h>

static void put_number(struct writer *w, winnow_type type, uint64_t bits) {
    const char *const space = ends_word(w) ? " " : "";
    const int64_t number = element_to_signed(type, bits);
    const uint64_t magnitude =
        number < 0 && element_is_signed(type) ? 0 - (uint64_t)number : bits;

    put(w, "%s", space);
    if (element_is_float(type)) {
        const double value = element_to_double(type, bits);

        if (signbit(value))
            put(w, "-");
        if (draw_next(&w->seed, 2))
            put(w, "%.17g", fabs(value));
        else
            put(w, "%.20e", fabs(value));
        return;
    }
    if (number < 0 && element_is_signed(type))
        put(w, "-");
    switch (draw_next(&w->seed, 3)) {
    case 0:
        put(w, "%" PRIu64, magnitude);
        break;
    case 1:
        put(w, "0x%" PRIx64, magnitude);
        break;
    default:
        put(w, "0%" PRIo64, magnitude);
        break;
    }
}

static bool is_finite(winnow_type type, uint64_t bits) {
    return !element_is_float(type) ||
           (bits & element_infinity(type)) != element_infinity(type);
}

/* An element that a text can name. */
static uint64_t draw_finite(struct writer *w, const struct pool *pool) {
    const uint64_t bits = pool->bits[draw_next(&w->seed, CONDITION_POOL)];

    return is_finite(pool->type, bits) ? bits : element_middle(pool->type);
}

static unsigned write_comparison(struct writer *w, unsigned column) {
    const winnow_type type = w->pools[column].type;
    const struct rule rule = {.type = type,
                              .kind = RULE_COMPARE,
                              .compare = (winnow_compare)draw_next(&w->seed, 6),
                              .low = draw_finite(w, &w->pools[column])};

    if (draw_next(&w->seed, 2)) {
        put_column(w, column);
        put_either(w, compare_words[rule.compare], sql_words[rule.compare]);
        put_number(w, type, rule.low);
    } else {
        put_number(w, type, rule.low);
        put(w, "%s", mirrored_words[rule.compare]);
        put_column(w, column);
    }
    return expression_test(w->expression, column, &rule);
}

/* low < x <= high, or the other way round. */
static unsigned write_range(struct writer *w, unsigned column) {
    const winnow_type type = w->pools[column].type;
    const bool falling = draw_next(&w->seed, 2) != 0;
    struct rule first = {.type = type,
                         .compare =
                             draw_next(&w->seed, 2) ? WINNOW_GT : WINNOW_GE,
                         .low = draw_finite(w, &w->pools[column])};
    struct rule second = {.type = type,
                          .compare =
                              draw_next(&w->seed, 2) ? WINNOW_LT : WINNOW_LE,
                          .low = draw_finite(w, &w->pools[column])};
    unsigned a, b;

    if (falling) {
        const struct rule swap = first;

        first = second;
        second = swap;
    }
    put_number(w, type, first.low);
    put(w, "%s", mirrored_words[first.compare]);
    put_column(w, column);
    put(w, "%s", compare_words[second.compare]);
    a = expression_test(w->expression, column, &first);
    if (is_null_drawn(w)) {
        b = write_null(w);
    } else {
        put_number(w, type, second.low);
        b = expression_test(w->expression, column, &second);
    }
    return expression_join(w->expression, EXPRESSION_AND, a, b);
}

static unsigned write_between(struct writer *w, unsigned column) {
    const winnow_type type = w->pools[column].type;
    const bool negated = draw_next(&w->seed, 2) != 0;
    unsigned bound[2];

    put_column(w, column);
    if (negated)
        put_word(w, "not");
    put_word(w, "between");
    for (unsigned i = 0; i < 2; i++) {
        const struct rule rule = {.type = type,
                                  .compare = i == 0 ? WINNOW_GE : WINNOW_LE,
                                  .low = draw_finite(w, &w->pools[column])};

        if (i == 1)
            put_word(w, "and");
        if (is_null_drawn(w)) {
            bound[i] = write_null(w);
            continue;
        }
        put_number(w, type, rule.low);
        bound[i] = expression_test(w->expression, column, &rule);
    }
    return joined(w, negated, bound[0], bound[1]);
}

static unsigned write_list(struct writer *w, unsigned column) {
    const winnow_type type = w->pools[column].type;
    const unsigned number = 1 + (unsigned)draw_next(&w->seed, 4);
    const bool negated = draw_next(&w->seed, 2) != 0;
    unsigned root = 0;

    put_column(w, column);
    if (negated)
        put_word(w, "not");
    put_word(w, "in");
    put(w, "(");
    for (unsigned i = 0; i < number; i++) {
        const struct rule rule = {.type = type,
                                  .compare = WINNOW_EQ,
                                  .low = draw_finite(w, &w->pools[column])};
        unsigned leaf;

        if (i != 0)
            put(w, ",");
        if (is_null_drawn(w)) {
            leaf = write_null(w);
        } else {
            put_number(w, type, rule.low);
            leaf = expression_test(w->expression, column, &rule);
        }
        root = i == 0
                   ? leaf
                   : expression_join(w->expression, EXPRESSION_OR, root, leaf);
    }
    put(w, draw_next(&w->seed, 4) ? ")" : ",)");
    return turn(w, negated, root);
}

/* Of integers: bits under a mask. Of floats: NaN, and finite or not. */
static unsigned write_special(struct writer *w, unsigned column) {
    const winnow_type type = w->pools[column].type;
    const unsigned way = (unsigned)draw_next(&w->seed, 3);
    struct rule rule = {.type = type, .kind = RULE_BITS};
    unsigned leaf;

    if (element_is_float(type)) {
        const bool finite = way == 0;

        put_word(w, finite ? "isfinite" : "isnan");
        put(w, "(");
        put_column(w, column);
        put(w, ")");
        rule.kind = RULE_RANGE;
        rule.high = element_infinity(type) - finite;
        rule.low = rule.high | element_top_bit(type);
        leaf = expression_test(w->expression, column, &rule);
        return finite
                   ? leaf
                   : expression_join(w->expression, EXPRESSION_NOT, leaf, leaf);
    }
    rule.mask = w->pools[column].bits[draw_next(&w->seed, CONDITION_POOL)];
    if (way != 0)
        rule.value = rule.mask &
                     w->pools[column].bits[draw_next(&w->seed, CONDITION_POOL)];
    put(w, "(");
    if (draw_next(&w->seed, 2)) {
        put_column(w, column);
        put(w, "&");
        put(w, "0x%" PRIx64, rule.mask);
    } else {
        put(w, "%" PRIu64, rule.mask);
        put(w, "&");
        put_column(w, column);
    }
    put(w, ")");
    leaf = expression_test(w->expression, column, &rule);
    if (way == 1) {
        put_either(w, "==", "=");
        put(w, "%" PRIu64, rule.value);
        return leaf;
    }
    /* By itself it stands for: not 0. */
    if (way == 2) {
        put_either(w, "!=", "<>");
        put(w, "%" PRIu64, rule.value);
    }
    return expression_join(w->expression, EXPRESSION_NOT, leaf, leaf);
}

/* A column by itself: it is not 0. */
static unsigned write_column(struct writer *w, unsigned column) {
    const struct rule rule = {.type = w->pools[column].type,
                              .compare = WINNOW_NE};

    put_column(w, column);
    return expression_test(w->expression, column, &rule);
}

/* A column of bits, by itself or compared with true or false. */
static unsigned write_bit(struct writer *w, unsigned column) {
    const unsigned leaf = expression_bit(w->expression, column);
    const bool truth = draw_next(&w->seed, 2) != 0;
    const bool unequal = draw_next(&w->seed, 2) != 0;
    const char *const word = truth ? "true" : "false";

    switch (draw_next(&w->seed, 3)) {
    case 0:
        put_column(w, column);
        return leaf;
    case 1:
        put_column(w, column);
        put_either(w, unequal ? "!=" : "==", unequal ? "<>" : "=");
        put_word(w, word);
        break;
    default:
        put_word(w, word);
        put_either(w, unequal ? "!=" : "==", unequal ? "<>" : "=");
        put_column(w, column);
    }
    return turn(w, truth == unequal, leaf);
}

unsigned write_number_test(struct writer *w, unsigned column) {
    if (w->pools[column].type == WINNOW_BIT)
        return write_bit(w, column);
    switch (draw_next(&w->seed, 10)) {
    case 0:
        return write_range(w, column);
    case 1:
        return write_list(w, column);
    case 2:
        return write_special(w, column);
    case 3:
        return write_column(w, column);
    case 4:
        return write_between(w, column);
    default:
        return write_comparison(w, column);
    }
}
