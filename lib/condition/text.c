/*
 * winnow_condition_parse: a condition from text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "text.h"
#include "fields.h"
#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- failures */

bool winnow__text_no_memory(winnow__text *text) {
    text->status = winnow__fail(WINNOW_ERR_MEMORY,
                                "no host memory for a condition's text");
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
    return false;
}

int winnow__text_shown(const winnow__text *text, winnow__text_span span,
                       uint32_t most) {
    uint32_t end = span.end;
    if (end - span.begin > most) {
        end = span.begin + most;
        /* No part of a letter in UTF-8. */
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

/* flex writes to what it reads. */
static bool parse_copy(winnow__text *text, size_t length,
                       winnow__text_value *result) {
    char *const copy = malloc(length + 2);
    if (copy == NULL)
        return winnow__text_no_memory(text);
    memcpy(copy, text->from, length);
    memset(copy + length, 0, 2);
    const bool right = winnow__text_parse(text, copy, length, result);
    free(copy);
    return right;
}

static winnow_status make(winnow__text *text, size_t length,
                          winnow_condition **condition_p) {
    winnow__text_value result;
    if (!parse_copy(text, length, &result))
        return text->status;
    winnow_condition *const made = winnow__text_take(text, &result);
    if (made == NULL)
        return WINNOW_ERR_MEMORY;
    *condition_p = made;
    return WINNOW_OK;
}

winnow_status winnow__condition_parse(winnow_condition **condition_p,
                                      const winnow_field *fields,
                                      winnow__refusal *refusals,
                                      unsigned field_count, const char *text) {
    if (condition_p == NULL || text == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "%s is NULL",
                            text == NULL ? "text" : "condition_p");
    const size_t length = strnlen(text, WINNOW__TEXT_MOST_BYTES + 1);
    if (length > WINNOW__TEXT_MOST_BYTES)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "the text has more than %d bytes",
                            WINNOW__TEXT_MOST_BYTES);
    winnow__text parsed = {.fields = fields, .from = text};
    winnow_status status =
        winnow__names_create(&parsed.names, fields, refusals, field_count);
    if (status != WINNOW_OK)
        return status;
    status = make(&parsed, length, condition_p);
    winnow__text_drop(&parsed);
    winnow__names_destroy(&parsed.names);
    return status;
}

winnow_status winnow_condition_parse(winnow_condition **condition_p,
                                     const winnow_field *fields,
                                     unsigned field_count, const char *text) {
    return winnow__condition_parse(condition_p, fields, NULL, field_count,
                                   text);
}
