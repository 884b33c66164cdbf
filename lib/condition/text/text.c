/*
 * winnow_condition_parse: a condition from text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "text.h"
#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- comments */

/* The end of the comment that begins here; NULL: failed. `--` without a space fails,
 * so that a program that writes -5 after a minus does not lose the rest of its text. */
static char *end_of_comment(winnow__text *text, char *at, uint32_t place) {
    if (*at == '/') {
        char *const end = strstr(at + 2, "*/");
        if (end == NULL)
            winnow__text_fail(text, WINNOW_ERR_SYNTAX, place,
                              "found '/*', a comment that no '*/' ends");
        return end != NULL ? end + 2 : NULL;
    }
    if (strchr(" \t\r\n", at[2]) != NULL) /* or the end of the text */
        return at + strcspn(at, "\r\n");
    winnow__text_fail(text, WINNOW_ERR_SYNTAX, place,
                      "found '--' without a space behind it: write - -5, or -- "
                      "and a space before a comment");
    return NULL;
}

/* Replace the comments in a copy of the text by spaces. False: failed. */
static bool winnow__text_blank_comments(winnow__text *text, char *copy) {
    char *at = copy;
    while ((at = strpbrk(at, "'\"-/")) != NULL) {
        const bool twice = at[1] == at[0];
        if (*at == '\'' || *at == '"') { /* a doubled quote closes and opens
                                            again */
            char *const end = strchr(at + 1, *at);
            at = end != NULL ? end + 1 : strchr(at, '\0');
        } else if ((*at == '-' && twice) || (*at == '/' && at[1] == '*')) {
            char *const end = end_of_comment(text, at, (uint32_t)(at - copy));
            if (end == NULL)
                return false;
            memset(at, ' ', (size_t)(end - at));
            at = end;
        } else {
            at += twice ? 2 : 1; /* the second / of // begins no comment */
        }
    }
    return true;
}

/* ---------------------------------------------------------------- failures */

bool winnow__text_no_memory(winnow__text *text) {
    text->status = winnow__no_memory("a condition's text");
    return false;
}

bool winnow__text_fail(winnow__text *text, winnow_status status, uint32_t place,
                       const char *format, ...) {
    char detail[440];
    uint32_t line = 1, begin = 0; /* of the line */
    va_list arguments;
    if (text->status != WINNOW_OK)
        return false;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    for (uint32_t i = 0; i < place; i++)
        if (text->from[i] == '\n') {
            line++;
            begin = i + 1;
        }
    text->status = winnow__fail(status, "line %u, column %u: %s", line,
                                place - begin + 1, detail);
    winnow__fail_at((winnow_place){.line = line,
                                   .column = place - begin + 1,
                                   .offset = place,
                                   .field = text->named,
                                   .name_bytes = text->name_bytes});
    return false;
}

int winnow__text_shown(const winnow__text *text, winnow__text_span span,
                       uint32_t most) {
    uint32_t end = span.end;
    if (end - span.begin > most) {
        end = span.begin + most;
        /* Do not cut a character of UTF-8. */
        while (end > span.begin && (text->from[end] & 0xc0) == 0x80)
            end--;
    }
    return (int)(end - span.begin);
}

int winnow__text_name_length(const winnow__text *text,
                             const winnow__text_value *value) {
    enum {
        MOST = 100
    };
    return value->computed
               ? winnow__text_shown(text, value->span, MOST)
               : (int)strnlen(text->fields[value->column].name, MOST);
}

const char *winnow__text_name_of(const winnow__text *text,
                                 const winnow__text_value *value) {
    return value->computed ? text->from + value->span.begin
                           : text->fields[value->column].name;
}

/* ------------------------------------------------------------------- parse */

/* flex writes to its input. */
static bool parse_copy(winnow__text *text, size_t length,
                       winnow__text_value *result) {
    char *const copy = malloc(length + 2);
    if (copy == NULL)
        return winnow__text_no_memory(text);
    memcpy(copy, text->from, length);
    memset(copy + length, 0, 2);
    const bool right = winnow__text_blank_comments(text, copy) &&
                       winnow__text_parse(text, copy, length, result);
    free(copy);
    return right;
}

/* Read a text; it stays open while the result is used. */
static winnow_status open_text(winnow__text *text, winnow__refusal *refusals,
                               unsigned field_count,
                               winnow__text_value *result) {
    const size_t length = strnlen(text->from, WINNOW__TEXT_MOST_BYTES + 1);
    if (length > WINNOW__TEXT_MOST_BYTES)
        return winnow__unsupported("the text has more than %d bytes",
                                   WINNOW__TEXT_MOST_BYTES);
    winnow_status status =
        winnow__names_create(&text->names, text->fields, refusals, field_count);
    if (status != WINNOW_OK)
        text->names = (winnow__names){0}; /* already freed */
    else if (!parse_copy(text, length, result))
        status = text->status;
    return status;
}

static void close_text(winnow__text *text) {
    winnow__text_drop(text);
    winnow__names_destroy(&text->names);
}

winnow_status winnow__condition_parse(winnow_condition **condition_p,
                                      const winnow_field *fields,
                                      winnow__refusal *refusals,
                                      unsigned field_count, const char *text) {
    winnow__text parsed = {
        .fields = fields, .from = text, .named = WINNOW_NO_FIELD};
    winnow__text_value result;
    WINNOW__TRY(winnow__need(text, "text"));
    WINNOW__TRY(winnow__need(condition_p, "condition_p"));
    winnow_status status = open_text(&parsed, refusals, field_count, &result);
    if (status == WINNOW_OK)
        status = winnow__text_take(&parsed, &result, condition_p);
    close_text(&parsed);
    return status;
}

winnow_status winnow_condition_parse(winnow_condition **condition_p,
                                     const winnow_field *fields,
                                     unsigned field_count, const char *text) {
    return winnow__condition_parse(condition_p, fields, NULL, field_count,
                                   text);
}

winnow_status winnow_expression_parse(winnow_expression **expression_p,
                                      const winnow_field *fields,
                                      unsigned field_count, const char *text) {
    winnow__text parsed = {.fields = fields,
                           .from = text,
                           .named = WINNOW_NO_FIELD,
                           .of_values = true};
    winnow__text_value result;
    WINNOW__TRY(winnow__need(text, "text"));
    WINNOW__TRY(winnow__need(expression_p, "expression_p"));
    winnow_status status = open_text(&parsed, NULL, field_count, &result);
    if (status == WINNOW_OK) {
        winnow__expression *const made =
            winnow__text_expression(&parsed, &result);
        if (made != NULL)
            *expression_p = made;
        else
            status = parsed.status;
    }
    close_text(&parsed);
    return status;
}
