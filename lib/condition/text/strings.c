/*
 * Tests of strings in the text of a condition: quoted texts, tests made of
 * them, and errors for misplaced ones.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/status.h"
#include "digits.h"
#include "operand.h"
#include "strings.h"

#include <stdlib.h>
#include <string.h>

/* Convert X'..', which has two digits for each byte. */
static size_t read_bytes(const char *from, const char *end, char *to) {
    size_t bytes = 0;
    for (; from < end; from += 2)
        to[bytes++] =
            (char)(winnow__digit_of(from[0]) << 4 | winnow__digit_of(from[1]));
    return bytes;
}

size_t winnow__text_unquote(const winnow__text *text, winnow__text_span span,
                            char *to) {
    if (text->from[span.begin] != '\'')
        return read_bytes(text->from + span.begin + 2,
                          text->from + span.end - 1, to);
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

char *winnow__text_copy_quoted(winnow__text *text,
                               const winnow__text_value *value,
                               winnow__bytes *bytes) {
    char *const copy = malloc(value->right.end - value->right.begin);
    if (copy == NULL) {
        winnow__text_no_memory(text);
        return NULL;
    }
    *bytes =
        (winnow__bytes){copy, winnow__text_unquote(text, value->right, copy)};
    return copy;
}

bool winnow__text_add_made(winnow__text *text, winnow__text_value *column,
                           winnow_status status, winnow__string_test *test,
                           bool negated) {
    if (status != WINNOW_OK) {
        text->status = status;
        return false;
    }
    return winnow__text_add_leaf(text, column,
                                 (winnow__node){.kind = WINNOW__NODE_STRING,
                                                .negated = negated,
                                                .string = test},
                                 column->span.begin);
}

bool winnow__text_add_pattern(winnow__text *text, winnow__text_value *column,
                              winnow__pattern_kind kind,
                              const winnow__text_value *value, bool negated) {
    winnow__string_test *test = NULL;
    winnow__bytes bytes;
    char *const copy = winnow__text_copy_quoted(text, value, &bytes);
    if (copy == NULL)
        return false;
    const winnow_status status = winnow__string_test_create(&test, kind, bytes);
    free(copy);
    return winnow__text_add_made(text, column, status, test, negated);
}

/* ---------------------------------------------------------------- mistakes */

/* Is what is in the quotes a number? */
static bool is_number(const winnow__text *text, winnow__text_span span) {
    const char *const from = text->from + span.begin + 1;
    const uint32_t sign = *from == '-';
    const winnow__number number = {.digits = from + sign,
                                   .length = span.end - span.begin - 2 - sign};
    return text->from[span.begin] == '\'' && span.end - span.begin > 2 + sign &&
           number.length <= WINNOW__NUMBER_MOST_CHARACTERS &&
           winnow__number_is_right(&number);
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
                             "compared with strings, as in name = 'x'",
                             WINNOW__TEXT_NAME(text, value), wanted);
}

bool winnow__text_fail_text(winnow__text *text,
                            const winnow__text_value *column,
                            const winnow__text_value *value) {
    const winnow__text_span span = value->right;
    const unsigned char *const quoted =
        (const unsigned char *)text->from + span.begin;
    if (is_number(text, span)) {
        const bool is_negative = quoted[1] == '-';
        const unsigned char *from = quoted + 1 + is_negative;
        while (from[0] == '0' && from[1] >= '0' && from[1] <= '9')
            from++; /* else it would be octal */
        return winnow__text_fail(
            text, WINNOW_ERR_UNSUPPORTED, span.begin,
            "found %.*s, a text: '%.*s' is of %s; write %s%.*s, without quotes",
            WINNOW__TEXT_SHOWN(text, span, 60), WINNOW__TEXT_NAME(text, column),
            winnow__column_type_name(text, column), is_negative ? "-" : "",
            (int)(quoted + (span.end - span.begin) - 1 - from), from);
    }
    if (span.end - span.begin == 3 && quoted[0] == '\'' && quoted[1] < 0x80)
        return winnow__text_fail(
            text, WINNOW_ERR_UNSUPPORTED, span.begin,
            "found %.*s, a text: '%.*s' is of %s; a "
            "character is its number, %u",
            WINNOW__TEXT_SHOWN(text, span, 60), WINNOW__TEXT_NAME(text, column),
            winnow__column_type_name(text, column), quoted[1]);
    return winnow__text_fail(
        text, WINNOW_ERR_UNSUPPORTED, span.begin,
        "found %.*s, a text: '%.*s' is of %s; a name stands in double quotes",
        WINNOW__TEXT_SHOWN(text, span, 60), WINNOW__TEXT_NAME(text, column),
        winnow__column_type_name(text, column));
}
