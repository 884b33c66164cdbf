/*
 * Tests of strings in the text of a condition: name = 'x', in, between, like and
 * the functions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/status.h"
#include "string/test.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- mistakes */

static const char *type_name(const winnow__text *text,
                             const winnow__text_value *column) {
    return winnow_type_name(winnow__text_element_type(text, column));
}

bool winnow__text_fail_string(winnow__text *text,
                              const winnow__text_value *value,
                              const char *wanted) {
    if (value->kind == WINNOW__TEXT_STRING)
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, value->span.begin,
                                 "found %.*s, a text, expected %s",
                                 WINNOW__TEXT_SHOWN(text, value->span, 60),
                                 wanted);
    return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, value->span.begin,
                             "'%.*s' is of strings, expected %s; strings are "
                             "compared with a text, as in name = 'x'",
                             WINNOW__TEXT_NAME(text, value), wanted);
}

bool winnow__text_fail_text(winnow__text *text,
                            const winnow__text_value *column,
                            const winnow__text_value *value) {
    const winnow__text_span span = value->span;
    const unsigned char *const quoted =
        (const unsigned char *)text->from + span.begin;
    if (span.end - span.begin == 3 && quoted[1] < 0x80)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, span.begin,
                                 "found %.*s, a text: '%.*s' is of %s; a "
                                 "character is its number, %u",
                                 WINNOW__TEXT_SHOWN(text, span, 60),
                                 WINNOW__TEXT_NAME(text, column),
                                 type_name(text, column), quoted[1]);
    return winnow__text_fail(
        text, WINNOW_ERR_UNSUPPORTED, span.begin,
        "found %.*s, a text: '%.*s' is of %s; a name stands in double quotes",
        WINNOW__TEXT_SHOWN(text, span, 60), WINNOW__TEXT_NAME(text, column),
        type_name(text, column));
}

/* Another value than a text beside a column of strings. */
static bool fail_beside(winnow__text *text, const winnow__text_value *column,
                        const winnow__text_value *value) {
    return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, value->span.begin,
                             "found '%.*s', expected a text in single quotes: "
                             "'%.*s' is of strings",
                             WINNOW__TEXT_SHOWN(text, value->span, 60),
                             WINNOW__TEXT_NAME(text, column));
}

/* ------------------------------------------------------------------- texts */

/* The bytes that a span in quotes stands for, written to `to`; how many. */
static size_t unquote(const winnow__text *text, winnow__text_span span,
                      char *to) {
    const char *from = text->from + span.begin + 1;
    const char *const end = text->from + span.end - 1;
    size_t bytes = 0;
    while (from < end) {
        /* '' stands for one '. */
        const char *const quote = memchr(from, '\'', (size_t)(end - from));
        const size_t run = (size_t)((quote != NULL ? quote + 1 : end) - from);
        memcpy(to + bytes, from, run);
        bytes += run;
        from += run + (quote != NULL);
    }
    return bytes;
}

/* A copy of a text, for free(); NULL, and the failure is recorded. */
static char *take(winnow__text *text, const winnow__text_value *value,
                  winnow__bytes *bytes) {
    char *const copy = malloc(value->span.end - value->span.begin);
    if (copy == NULL) {
        winnow__text_no_memory(text);
        return NULL;
    }
    *bytes = (winnow__bytes){copy, unquote(text, value->span, copy)};
    return copy;
}

/* ------------------------------------------------------------------- tests */

/* *column becomes the condition of a test that was made. */
static bool add_made(winnow__text *text, winnow__text_value *column,
                     winnow_status status, winnow__string_test *test,
                     bool negated) {
    if (status != WINNOW_OK) {
        text->status = status;
        return false;
    }
    if (!winnow__text_add_string(text, column, test, column->span.begin))
        return false;
    if (negated)
        winnow__text_turn(text, column);
    return true;
}

static bool add_test(winnow__text *text, winnow__text_value *column,
                     winnow__pattern_kind kind, const winnow__text_value *value,
                     bool negated) {
    winnow__string_test *test = NULL;
    winnow__bytes bytes;
    char *const copy = take(text, value, &bytes);
    if (copy == NULL)
        return false;
    const winnow_status status = winnow__string_test_create(&test, kind, bytes);
    free(copy);
    return add_made(text, column, status, test, negated);
}

/* *column op value. */
static bool compare_column(winnow__text *text, winnow__text_value *column,
                           winnow_compare compare,
                           const winnow__text_value *value) {
    bool negated;
    const winnow__pattern_kind kind =
        winnow__string_compare_kind(compare, &negated);
    return add_test(text, column, kind, value, negated);
}

static winnow_compare mirrored(winnow_compare compare) {
    switch (compare) {
    case WINNOW_LT:
        return WINNOW_GT;
    case WINNOW_LE:
        return WINNOW_GE;
    case WINNOW_GE:
        return WINNOW_LE;
    case WINNOW_GT:
        return WINNOW_LT;
    default:
        return compare;
    }
}

/* The second half of 'a' <= name <= 'b'. */
static bool compare_range(winnow__text *text, winnow__text_value *a,
                          const winnow__text_value *comparison,
                          const winnow__text_value *b) {
    const winnow_compare compare = (winnow_compare)comparison->compare;
    winnow__text_value second = *a;
    if (!winnow__is_string_type(winnow__text_element_type(text, a)))
        return b->kind == WINNOW__TEXT_STRING
                   ? winnow__text_fail_text(text, a, b)
                   : winnow__text_fail_string(text, b, "a number");
    if (b->kind != WINNOW__TEXT_STRING)
        return fail_beside(text, a, b);
    return winnow__text_check_range(text, a, comparison,
                                    "'a' <= name <= 'b'") &&
           compare_column(text, &second, compare, b) &&
           winnow__text_join(text, WINNOW__NODE_AND, a, &second);
}

/* Two texts. */
static bool compare_texts(winnow__text *text, winnow__text_value *a,
                          winnow_compare compare, const winnow__text_value *b) {
    winnow__bytes left, right;
    char *const copy_a = take(text, a, &left);
    char *const copy_b = copy_a != NULL ? take(text, b, &right) : NULL;
    if (copy_b != NULL) {
        const size_t both =
            left.number < right.number ? left.number : right.number;
        int order = both != 0 ? memcmp(left.bytes, right.bytes, both) : 0;
        if (order == 0)
            order = (left.number > right.number) - (left.number < right.number);
        const bool holds = compare == WINNOW_LT   ? order < 0
                           : compare == WINNOW_LE ? order <= 0
                           : compare == WINNOW_EQ ? order == 0
                           : compare == WINNOW_NE ? order != 0
                           : compare == WINNOW_GE ? order >= 0
                                                  : order > 0;
        winnow__text_be_constant(a, holds);
    }
    free(copy_a);
    free(copy_b);
    return copy_b != NULL;
}

bool winnow__text_compare_strings(winnow__text *text, winnow__text_value *a,
                                  const winnow__text_value *comparison,
                                  const winnow__text_value *b) {
    const winnow_compare compare = (winnow_compare)comparison->compare;
    const bool text_a = a->kind == WINNOW__TEXT_STRING;
    const bool text_b = b->kind == WINNOW__TEXT_STRING;
    if (a->continues)
        return compare_range(text, a, comparison, b);
    if (text_a && text_b)
        return compare_texts(text, a, compare, b);
    if (a->kind == WINNOW__TEXT_STRINGS && text_b)
        return compare_column(text, a, compare, b);
    if (text_a && b->kind == WINNOW__TEXT_STRINGS) {
        winnow__text_value column = *b;
        if (!compare_column(text, &column, mirrored(compare), a))
            return false;
        *a = column;
        a->compare = (uint8_t)compare;
        a->continues = !winnow__is_equality(compare);
        return true;
    }
    if (text_b && a->kind == WINNOW__TEXT_COLUMN)
        return winnow__text_fail_text(text, a, b);
    if (text_a && b->kind == WINNOW__TEXT_COLUMN)
        return winnow__text_fail_text(text, b, a);
    if (text_a || text_b)
        return winnow__text_fail_string(
            text, text_a ? a : b, text_a ? "a column before it" : "a number");
    if (a->kind == WINNOW__TEXT_STRINGS)
        return fail_beside(text, a, b);
    return fail_beside(text, b, a);
}

bool winnow__text_between_strings(winnow__text *text, winnow__text_value *a,
                                  const winnow__text_value *b,
                                  const winnow__text_value *c, bool negated) {
    winnow__text_value second = *a;
    if (b->kind != WINNOW__TEXT_STRING)
        return fail_beside(text, a, b);
    if (c->kind != WINNOW__TEXT_STRING)
        return fail_beside(text, a, c);
    if (!compare_column(text, a, WINNOW_GE, b) ||
        !compare_column(text, &second, WINNOW_LE, c) ||
        !winnow__text_join(text, WINNOW__NODE_AND, a, &second))
        return false;
    if (negated)
        winnow__text_turn(text, a);
    return true;
}

/* -------------------------------------------------------------------- like */

/* Is it one character of UTF-8? */
static bool is_character(winnow__bytes text) {
    for (size_t i = 1; i < text.number; i++)
        if (((unsigned char)text.bytes[i] & 0xc0) != 0x80)
            return false;
    return text.number != 0 && text.number <= 4;
}

static bool add_like(winnow__text *text, winnow__text_value *column,
                     const winnow__text_value *value, winnow__bytes pattern,
                     winnow__bytes escape, bool negated) {
    winnow__string_test *test = NULL;
    const winnow_status status =
        winnow__string_test_like(&test, pattern, escape);
    if (status == WINNOW_ERR_ARGUMENT)
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, value->span.begin,
                                 "found %.*s, a pattern that ends with its "
                                 "escape",
                                 WINNOW__TEXT_SHOWN(text, value->span, 60));
    return add_made(text, column, status, test, negated);
}

bool winnow__text_like(winnow__text *text, winnow__text_value *a,
                       const winnow__text_value *b, const winnow__text_value *c,
                       bool negated) {
    winnow__bytes pattern, escape = {"", 0};
    if (a->kind != WINNOW__TEXT_STRINGS)
        return winnow__text_fail_text(text, a, b);
    const bool escapes = c->kind == WINNOW__TEXT_STRING;
    char *const copy = take(text, b, &pattern);
    char *const copy_c =
        copy != NULL && escapes ? take(text, c, &escape) : NULL;
    bool right = copy != NULL && (!escapes || copy_c != NULL);
    if (right && escapes && !is_character(escape))
        right = winnow__text_fail(text, WINNOW_ERR_SYNTAX, c->span.begin,
                                  "found %.*s, expected one character as the "
                                  "escape",
                                  WINNOW__TEXT_SHOWN(text, c->span, 60));
    right = right && add_like(text, a, b, pattern, escape, negated);
    free(copy);
    free(copy_c);
    return right;
}

/* --------------------------------------------------------------- functions */

bool winnow__text_test_strings(winnow__text *text, winnow__text_value *a,
                               const winnow__text_value *function,
                               const winnow__text_value *b) {
    if (!winnow__text_check_tested(text, a) ||
        !winnow__text_check_tested(text, b))
        return false;
    if (a->kind == WINNOW__TEXT_COLUMN && b->kind == WINNOW__TEXT_STRING)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, a->span.begin,
                                 "%.*s is of strings: '%.*s' is of %s",
                                 WINNOW__TEXT_SHOWN(text, function->span, 20),
                                 WINNOW__TEXT_NAME(text, a),
                                 type_name(text, a));
    if (a->kind != WINNOW__TEXT_STRINGS || b->kind != WINNOW__TEXT_STRING)
        return winnow__text_fail(
            text, WINNOW_ERR_SYNTAX,
            a->kind != WINNOW__TEXT_STRINGS ? a->span.begin : b->span.begin,
            "expected a column of strings and a text in single quotes in the "
            "parentheses of %.*s",
            WINNOW__TEXT_SHOWN(text, function->span, 20));
    return add_test(
        text, a,
        winnow__string_part_kind((winnow__pattern_kind)function->compare,
                                 b->span.end - b->span.begin == 2),
        b, false);
}

/* ------------------------------------------------------------------- lists */

/* The texts of a list without quotes: spans of `bytes`. */
typedef struct texts {
    const char *bytes;
    const winnow__text_span *spans;
} texts;

static winnow__bytes next_text(const void *argument, uint64_t i) {
    const texts *const list = argument;
    return (winnow__bytes){list->bytes + list->spans[i].begin,
                           list->spans[i].end - list->spans[i].begin};
}

bool winnow__text_in_strings(winnow__text *text, winnow__text_value *value) {
    winnow__text_list *const list = &text->list;
    winnow__text_span *const spans = (winnow__text_span *)(void *)list->values;
    const size_t number = list->bytes / sizeof *spans;
    winnow__string_test *test = NULL;
    size_t room = 1, used = 0;
    *value = list->column;
    if (list->empty) {
        winnow__text_be_constant(value, list->negated);
        return true;
    }
    for (size_t i = 0; i < number; i++)
        room += spans[i].end - spans[i].begin;
    char *const bytes = malloc(room);
    if (bytes == NULL)
        return winnow__text_no_memory(text);
    for (size_t i = 0; i < number; i++) {
        const size_t each = unquote(text, spans[i], bytes + used);
        spans[i].begin = (uint32_t)used;
        used += each;
        spans[i].end = (uint32_t)used;
    }
    const texts all = {.bytes = bytes, .spans = spans};
    const winnow_status status =
        winnow__string_test_list(&test, next_text, &all, number);
    free(bytes);
    return add_made(text, value, status, test, list->negated);
}
