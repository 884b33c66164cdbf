/*
 * Patterns, parts and lists of strings in the text of a condition: like, starts_with,
 * ends_with, contains, in.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "operand.h"
#include "strings.h"

#include <stdlib.h>

/* Is a text in quotes empty? */
static bool is_empty(const winnow__text *text,
                     const winnow__text_value *value) {
    const char *const quoted = text->from + value->right.begin;
    return value->right.end - value->right.begin == (*quoted == '\'' ? 2 : 3);
}

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
    return winnow__text_add_made(text, column, status, test, negated);
}

bool winnow__text_like(winnow__text *text, winnow__text_value *a,
                       const winnow__text_value *b, const winnow__text_value *c,
                       bool negated) {
    winnow__bytes pattern, escape = {"", 0};
    if (a->kind == WINNOW__TEXT_NULL)
        return winnow__text_add_unknown(text, a);
    if (a->kind != WINNOW__TEXT_STRINGS)
        return winnow__text_fail_text(text, a, b);
    const bool escapes = c->kind == WINNOW__TEXT_STRING;
    char *const copy = winnow__text_copy_quoted(text, b, &pattern);
    char *const copy_c = copy != NULL && escapes
                             ? winnow__text_copy_quoted(text, c, &escape)
                             : NULL;
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
    if (a->kind == WINNOW__TEXT_NULL && b->kind == WINNOW__TEXT_STRING)
        return winnow__text_add_unknown(text, a);
    if (a->kind == WINNOW__TEXT_COLUMN && b->kind == WINNOW__TEXT_STRING)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, a->span.begin,
                                 "%.*s is of strings: '%.*s' is of %s",
                                 WINNOW__TEXT_SHOWN(text, function->span, 20),
                                 WINNOW__TEXT_NAME(text, a),
                                 winnow__column_type_name(text, a));
    if (a->kind != WINNOW__TEXT_STRINGS || b->kind != WINNOW__TEXT_STRING)
        return winnow__text_fail(
            text, WINNOW_ERR_SYNTAX,
            a->kind != WINNOW__TEXT_STRINGS ? a->span.begin : b->span.begin,
            "expected a column of strings and a text in single quotes in the "
            "parentheses of %.*s",
            WINNOW__TEXT_SHOWN(text, function->span, 20));
    return winnow__text_add_pattern(
        text, a,
        winnow__string_part_kind((winnow__pattern_kind)function->compare,
                                 is_empty(text, b)),
        b, false);
}

/* ------------------------------------------------------------------- lists */

/* The texts of a list, without quotes: pieces of `bytes`. */
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
        const size_t each = winnow__text_unquote(text, spans[i], bytes + used);
        spans[i].begin = (uint32_t)used;
        used += each;
        spans[i].end = (uint32_t)used;
    }
    const texts all = {.bytes = bytes, .spans = spans};
    const winnow_status status =
        winnow__string_test_list(&test, next_text, &all, number);
    free(bytes);
    return winnow__text_add_made(text, value, status, test, list->negated);
}
