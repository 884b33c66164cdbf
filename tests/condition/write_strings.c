/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "writer.h"

#include <string.h>

/* One without a zero, which would end the text. */
static struct text draw_text(struct writer *w, unsigned text_number) {
    struct text text;

    do
        if (draw_next(&w->seed, 2))
            text = mixed_some_text(w->mixed, text_number, &w->seed);
        else
            text_random(&text, &w->seed);
    while (memchr(text.bytes, 0, text.length) != NULL);
    return text;
}

static void put_text(struct writer *w, const struct text *text) {
    char quoted[2 * TEXTS_MOST_BYTES + 3];

    quoted[text_quote(quoted, text)] = '\0';
    put(w, ends_word(w) ? " %s" : "%s", quoted);
}

static unsigned text_test(struct writer *w, unsigned text_number, int test,
                          struct text *texts, unsigned number) {
    const struct text_rule rule = {
        .test = test, .number = number, .texts = texts};

    return mixed_text(w->mixed, w->expression, text_number, &rule);
}

/* A bound of a range. */
static unsigned write_text_bound(struct writer *w, unsigned text_number,
                                 int test) {
    struct text text = draw_text(w, text_number);

    if (is_null_drawn(w))
        return write_null(w);
    put_text(w, &text);
    return text_test(w, text_number, test, &text, 1);
}

static unsigned write_text_range(struct writer *w, unsigned text_number) {
    const bool negated = draw_next(&w->seed, 2) != 0;
    const unsigned column = WRITER_NUMBERS + MIXED_WIDES + text_number;
    struct text text = draw_text(w, text_number);
    unsigned low;

    if (draw_next(&w->seed, 2)) {
        put_text(w, &text);
        put(w, "<=");
        put_column(w, column);
        put(w, "<");
        low = text_test(w, text_number, WINNOW_TEXT_GE, &text, 1);
        return joined(w, false, low,
                      write_text_bound(w, text_number, WINNOW_TEXT_LT));
    }
    put_column(w, column);
    if (negated)
        put_word(w, "not");
    put_word(w, "between");
    low = write_text_bound(w, text_number, WINNOW_TEXT_GE);
    put_word(w, "and");
    return joined(w, negated, low,
                  write_text_bound(w, text_number, WINNOW_TEXT_LE));
}

static unsigned write_text_list(struct writer *w, unsigned text_number) {
    const bool negated = draw_next(&w->seed, 2) != 0;
    const unsigned number = 1 + (unsigned)draw_next(&w->seed, 5);
    bool has_null = false;
    struct text texts[5];
    unsigned leaf;

    put_column(w, WRITER_NUMBERS + MIXED_WIDES + text_number);
    if (negated)
        put_word(w, "not");
    put_word(w, "in");
    put(w, "(");
    for (unsigned i = 0; i < number; i++) {
        if (i != 0)
            put(w, ",");
        if (is_null_drawn(w)) {
            has_null = true;
            put_word(w, "null,");
        }
        texts[i] = draw_text(w, text_number);
        put_text(w, &texts[i]);
    }
    put(w, ")");
    leaf = text_test(w, text_number, TEXT_IN, texts, number);
    if (has_null)
        leaf = expression_join(w->expression, EXPRESSION_OR, leaf,
                               expression_unknown(w->expression));
    return turn(w, negated, leaf);
}

/* A comparison, or a test with a part of a string. */
static unsigned write_text_test(struct writer *w, unsigned text_number) {
    static const char *const functions[] = {"starts_with", "ends_with",
                                            "contains"};
    const unsigned column = WRITER_NUMBERS + MIXED_WIDES + text_number;
    const bool negated = draw_next(&w->seed, 2) != 0;
    const struct text like = draw_text(w, text_number);
    struct text_rule rule;
    unsigned leaf;

    do {
        text_rule_random(&rule, &like, &w->seed);
        if (rule.test != TEXT_IN &&
            memchr(rule.texts->bytes, 0, rule.texts->length) == NULL)
            break;
        text_rule_free(&rule);
    } while (true);
    leaf = mixed_text(w->mixed, w->expression, text_number, &rule);
    if (rule.test == WINNOW_TEXT_LIKE) {
        put_column(w, column);
        if (negated)
            put_word(w, "not");
        put_word(w, "like");
        put_text(w, rule.texts);
        leaf = turn(w, negated, leaf);
    } else if (rule.test >= WINNOW_TEXT_STARTS_WITH) {
        put_word(w, functions[rule.test - WINNOW_TEXT_STARTS_WITH]);
        put(w, "(");
        put_column(w, column);
        put(w, ",");
        put_text(w, rule.texts);
        put(w, ")");
    } else if (draw_next(&w->seed, 2)) {
        put_column(w, column);
        put_either(w, compare_words[rule.test], sql_words[rule.test]);
        put_text(w, rule.texts);
    } else {
        put_text(w, rule.texts);
        put(w, "%s", mirrored_words[rule.test]);
        put_column(w, column);
    }
    text_rule_free(&rule);
    return leaf;
}

/* a < b, or a < b < c. */
static unsigned write_text_columns(struct writer *w, unsigned text_number) {
    const winnow_compare compare = (winnow_compare)draw_next(&w->seed, 6);
    const unsigned b = (unsigned)draw_next(&w->seed, MIXED_TEXTS);
    const unsigned c = (unsigned)draw_next(&w->seed, MIXED_TEXTS);
    const bool goes_on = compare != WINNOW_EQ && compare != WINNOW_NE &&
                         draw_next(&w->seed, 2) != 0;
    const unsigned first = WRITER_NUMBERS + MIXED_WIDES;
    unsigned leaf;

    put_column(w, first + text_number);
    put_either(w, compare_words[compare], sql_words[compare]);
    put_column(w, first + b);
    leaf =
        mixed_compare_texts(w->mixed, w->expression, text_number, compare, b);
    if (!goes_on)
        return leaf;
    put_either(w, compare_words[compare], sql_words[compare]);
    put_column(w, first + c);
    return expression_join(
        w->expression, EXPRESSION_AND, leaf,
        mixed_compare_texts(w->mixed, w->expression, b, compare, c));
}

/* b <= a and a <= c */
static unsigned write_text_between(struct writer *w, unsigned text_number) {
    const bool negated = draw_next(&w->seed, 2) != 0;
    const unsigned b = (unsigned)draw_next(&w->seed, MIXED_TEXTS);
    const unsigned c = (unsigned)draw_next(&w->seed, MIXED_TEXTS);
    const unsigned first = WRITER_NUMBERS + MIXED_WIDES;
    unsigned low;

    put_column(w, first + text_number);
    if (negated)
        put_word(w, "not");
    put_word(w, "between");
    put_column(w, first + b);
    put_word(w, "and");
    put_column(w, first + c);
    low =
        mixed_compare_texts(w->mixed, w->expression, text_number, WINNOW_GE, b);
    return turn(
        w, negated,
        expression_join(w->expression, EXPRESSION_AND, low,
                        mixed_compare_texts(w->mixed, w->expression,
                                            text_number, WINNOW_LE, c)));
}

unsigned write_text(struct writer *w, unsigned text_number) {
    switch (draw_next(&w->seed, 6)) {
    case 0:
        return write_text_range(w, text_number);
    case 1:
        return write_text_list(w, text_number);
    case 2:
        return write_text_columns(w, text_number);
    case 3:
        return write_text_between(w, text_number);
    default:
        return write_text_test(w, text_number);
    }
}
