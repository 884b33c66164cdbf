/*
 * The words of a condition's text: names, numbers, and errors for other words.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scanner.h"
#include "date.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------- names */

static bool is_called(const winnow__text *text) {
    const char *const next = text->from + text->word.end;
    return next[strspn(next, " \t\r\n")] == '(';
}

static bool fail_name(winnow__text *text, const char *name, size_t length,
                      bool quoted) {
    char names[280], character[48] = "";
    const unsigned code = winnow__odd_character(name, length);
    text->name_bytes = text->word.end - text->word.begin;
    winnow__names_suggest(&text->names, name, length, names, sizeof names);
    if (code != 0)
        snprintf(character, sizeof character, ": it has the character U+%04X",
                 code);
    return winnow__text_fail(text, WINNOW_ERR_SYNTAX, text->word.begin,
                             "found %s%.*s%s%s. %s", quoted ? "" : "'",
                             WINNOW__TEXT_SHOWN(text, text->word, 100),
                             quoted ? ", which is no column: double quotes are "
                                      "around names"
                                    : "', which is no column",
                             character, names);
}

/* A word that is not a column. After a value it may be meant as an operator,
 * and the grammar reports what is possible there. */
static bool fail_word(winnow__text *text, const char *name, uint32_t length) {
    const char *const hint = is_called(text)
                                 ? winnow__foreign_function(name, length)
                                 : winnow__foreign_word(name, length);
    if (hint != NULL && !is_called(text))
        text->name_bytes = length;
    if (hint != NULL && (!is_called(text) || !text->ends_value))
        return winnow__text_fail(
            text, is_called(text) ? WINNOW_ERR_UNSUPPORTED : WINNOW_ERR_SYNTAX,
            text->word.begin, "found '%.*s%s': %s",
            WINNOW__TEXT_SHOWN(text, text->word, 100),
            is_called(text) ? "(" : "", hint);
    return text->ends_value || fail_name(text, name, length, false);
}

static bool be_column(winnow__text *text, const char *name, size_t length,
                      winnow__text_value *value) {
    const uint32_t field = winnow__names_find(&text->names, name, length);
    if (field == WINNOW_NO_FIELD)
        return false;
    text->named = field;
    const winnow__refusal refusal = winnow__names_refusal(&text->names, field);
    value->kind = refusal.of_nulls      ? WINNOW__TEXT_NULL
                  : refusal.why != NULL ? WINNOW__TEXT_UNTESTED
                  : winnow__is_string_type(text->fields[field].type)
                      ? WINNOW__TEXT_STRINGS
                      : WINNOW__TEXT_COLUMN;
    value->column = (uint16_t)field;
    value->span = text->word;
    if (refusal.wholly)
        return winnow__text_check_tested(text, value);
    winnow__meaning meaning;
    if (text->names.refusals != NULL && value->kind == WINNOW__TEXT_COLUMN)
        text->status =
            winnow__read_format(field, &text->fields[field], &meaning);
    return text->status == WINNOW_OK;
}

bool winnow__text_is_name(const winnow__text *text) {
    return winnow__names_find(&text->names, text->from + text->word.begin,
                              text->word.end - text->word.begin) !=
           WINNOW_NO_FIELD;
}

bool winnow__text_name(winnow__text *text, winnow__text_value *value) {
    const char *const name = text->from + text->word.begin;
    const uint32_t length = text->word.end - text->word.begin;
    if (be_column(text, name, length, value))
        return true;
    return text->status == WINNOW_OK && fail_word(text, name, length);
}

bool winnow__text_quoted(winnow__text *text, char *copy,
                         winnow__text_value *value) {
    const uint32_t end = text->word.end - text->word.begin - 1;
    size_t length = 0;
    /* "" stands for one ". */
    for (uint32_t i = 1; i < end; i++) {
        copy[length++] = copy[i];
        i += copy[i] == '"';
    }
    if (length == 0)
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, text->word.begin,
                                 "found \"\", a name that is empty: no column "
                                 "has it");
    return be_column(text, copy, length, value) ||
           fail_name(text, copy, length, true);
}

/* ----------------------------------------------------------------- numbers */

/* Is the word the month or day of a date without quotes? *date: its beginning. */
static bool is_in_date(const winnow__text *text, const char **date) {
    static const uint32_t before[] = {sizeof "2024-" - 1,
                                      sizeof "2024-01-" - 1};
    const uint32_t length = sizeof "2024-01-31" - 1;
    winnow__moment moment;
    for (unsigned i = 0; i < 2; i++) {
        *date = text->from + text->word.begin - before[i];
        if (text->word.begin >= before[i] && strnlen(*date, length) == length &&
            winnow__read_moment(WINNOW__DATES, *date, length, &moment))
            return true;
    }
    return false;
}

/* Decimal digits that are no number, since it would be octal, are often meant as
 * one. */
static bool fail_number(winnow__text *text, const char *digits,
                        uint32_t length) {
    const char *date;
    if (is_in_date(text, &date))
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX,
                                 (uint32_t)(date - text->from),
                                 "found %.10s, a date without quotes: write "
                                 "'%.10s'",
                                 date, date);
    const size_t zeros = strspn(digits, "0");
    const bool octal = zeros != 0 && strspn(digits, "0123456789") >= length;
    return winnow__text_fail(text, WINNOW_ERR_SYNTAX, text->word.begin,
                             "found '%.*s', which is no number%s%.*s",
                             (int)length, digits,
                             octal ? ": a 0 in front makes it octal, use " : "",
                             octal ? (int)(length - zeros) : 0, digits + zeros);
}

bool winnow__text_scan_number(winnow__text *text, winnow__text_value *value) {
    const uint32_t length = text->word.end - text->word.begin;
    value->kind = WINNOW__TEXT_NUMBER;
    value->right = text->word;
    const winnow__number number = winnow__text_number(text, value);
    if (length > WINNOW__NUMBER_MOST_CHARACTERS)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, text->word.begin,
                                 "a number of %u characters: at most %d are "
                                 "possible",
                                 length, WINNOW__NUMBER_MOST_CHARACTERS);
    return winnow__number_is_right(&number) ||
           fail_number(text, number.digits, length);
}

/* ------------------------------------------------------------------- bytes */

bool winnow__text_bytes(winnow__text *text, winnow__text_value *value) {
    const winnow__text_span inside = {text->word.begin + 2, text->word.end - 1};
    const uint32_t length = inside.end - inside.begin;
    value->kind = WINNOW__TEXT_STRING;
    value->right = text->word;
    return (length % 2 == 0 && strspn(text->from + inside.begin,
                                      "0123456789abcdefABCDEF") >= length) ||
           winnow__text_fail(text, WINNOW_ERR_SYNTAX, text->word.begin,
                             "found %.*s, expected two hexadecimal digits of "
                             "each byte, as in X'00ff'",
                             WINNOW__TEXT_SHOWN(text, text->word, 60));
}

/* ------------------------------------------------------------- wrong words */

static void fail(winnow__text *text, const char *what) {
    winnow__text_fail(text, WINNOW_ERR_SYNTAX, text->word.begin,
                      "found '%.*s'%s",
                      WINNOW__TEXT_SHOWN(text, text->word, 100), what);
}

void winnow__text_use(winnow__text *text, const char *meant) {
    winnow__text_fail(text, WINNOW_ERR_SYNTAX, text->word.begin,
                      "found '%.*s': use %s",
                      WINNOW__TEXT_SHOWN(text, text->word, 100), meant);
}

void winnow__text_unfinished(winnow__text *text) {
    winnow__text_fail(text, WINNOW_ERR_SYNTAX, text->word.begin,
                      "found %.*s, a %s that no '%c' ends",
                      WINNOW__TEXT_SHOWN(text, text->word, 40),
                      text->from[text->word.begin] == '"' ? "name" : "text",
                      text->from[text->word.begin]);
}

void winnow__text_unknown(winnow__text *text) {
    const unsigned char byte = (unsigned char)text->from[text->word.begin];
    if (byte == '`')
        fail(text, ": a name stands in double quotes");
    else if (byte == '[' || byte == '{')
        fail(text, ": a list stands in parentheses, as in x in (1, 2)");
    else if (byte == '.')
        fail(text, ": a name with a point stands in double quotes; of structs "
                   "no field is asked");
    else if (byte == ';')
        fail(text, ": a text is one condition, without a sign that ends it");
    else if (byte > ' ' && byte < 0x7f)
        fail(text, ", with which no word begins");
    else
        winnow__text_fail(text, WINNOW_ERR_SYNTAX, text->word.begin,
                          "found byte 0x%02x, with which no word begins", byte);
}
