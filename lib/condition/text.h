/*
 * The text of a condition: what its scanner (scan.l), its grammar
 * (parse.y) and the meaning of both (text.c) share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CONDITION_TEXT_H
#define WINNOW_LIB_CONDITION_TEXT_H

#include "tree.h"

enum {
    WINNOW__TEXT_MOST_BYTES = 65535,
    WINNOW__TEXT_MOST_DIGITS = 100, /* characters of a number */
    WINNOW__TEXT_SCANNER_BYTES = 1024,
    WINNOW__TEXT_MOST_NODES = 2 * WINNOW_CONDITION_MOST_TESTS - 1
};

/* Where something begins in the text; both count from 1, columns in bytes. */
typedef struct winnow__text_place {
    unsigned line, column;
} winnow__text_place;

/* What a part of the text stands for. */
typedef enum winnow__text_kind {
    WINNOW__TEXT_CONDITION,
    WINNOW__TEXT_COLUMN, /* or its bits under a mask */
    WINNOW__TEXT_NUMBER
} winnow__text_kind;

typedef struct winnow__text_number {
    const char *digits; /* in the text, without a sign */
    unsigned length;
    bool negative;
} winnow__text_number;

typedef struct winnow__text_value {
    winnow__text_kind kind;
    winnow__text_place place;
    uint16_t column;
    bool masked;
    uint64_t mask;
    winnow__text_number number;
    winnow_compare compare; /* of a comparison */
    /* A number was compared with the column, and another may follow, as in
     * 10 <= x <= 20: `compare` says how. */
    bool continues;
    bool inverted; /* of a condition: it is ! and a column, no more */
} winnow__text_value;

/* A text on its way to a condition: the nodes so far, in postfix order, as they
 * come from the grammar. */
typedef struct winnow__text {
    const winnow_field *fields;
    unsigned number_of_fields;
    winnow_status status; /* the first failure */
    const char *word;     /* the last, in the text */
    unsigned word_length;
    unsigned tests, number;
    winnow__node nodes[WINNOW__TEXT_MOST_NODES];
    /* What the scanner works in. */
    _Alignas(16) unsigned char scanner[WINNOW__TEXT_SCANNER_BYTES];
    unsigned scanner_used;
} winnow__text;

/* Record a failure and its place in the text, if it is the first; false. */
bool winnow__text_fail(winnow__text *text, winnow_status status,
                       winnow__text_place place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- text.c: the actions of the grammar. False: they failed. */

/* The column of a name. */
bool winnow__text_name(winnow__text *text, const char *name, unsigned length,
                       winnow__text_value *value);
/* Make a condition of a value: of a column, that it is not 0. */
bool winnow__text_condition(winnow__text *text, winnow__text_value *value);
bool winnow__text_join(winnow__text *text, winnow__node_kind kind,
                       winnow__text_value *a);
bool winnow__text_not(winnow__text *text, winnow__text_value *value);
bool winnow__text_negate(winnow__text *text, winnow__text_value *value);
/* a & b, a op b; the result goes to *a. */
bool winnow__text_mask(winnow__text *text, winnow__text_value *a,
                       const winnow__text_value *b);
bool winnow__text_compare(winnow__text *text, winnow__text_value *a,
                          const winnow__text_value *comparison,
                          const winnow__text_value *b);
/* An element of a list: the first, or one more. */
bool winnow__text_in(winnow__text *text, const winnow__text_value *column,
                     const winnow__text_value *number, bool first);
bool winnow__text_is_nan(winnow__text *text, winnow__text_value *value);
bool winnow__text_is_finite(winnow__text *text, winnow__text_value *value);
/* A comparison that conditions do not have. */
bool winnow__text_arithmetic(winnow__text *text, winnow__text_place place);

/* ---- number.c */

typedef enum winnow__number_result {
    WINNOW__NUMBER_FITS,
    WINNOW__NUMBER_MALFORMED,
    WINNOW__NUMBER_FRACTION, /* of a type without */
    WINNOW__NUMBER_TOO_LARGE /* or too small */
} winnow__number_result;

/* The bits of the element that a number is; of floats, the nearest. */
winnow__number_result winnow__number_bits(const winnow__text_number *number,
                                          const winnow__type_info *type,
                                          uint64_t *bits_p);

/* ---- scan.l and parse.y */

/* Parse a buffer of `length` bytes and two more, which are 0, and which are
 * written to. What is found goes to *text. */
void winnow__text_parse(winnow__text *text, char *buffer, size_t length);

#endif
