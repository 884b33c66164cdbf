/*
 * The interface between scan.l and parse.y, and between words.c and scan.l.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "text.h"

/* A scanner of a buffer: `length` bytes, and two zeros. It uses the text's
 * memory, and jumps to text->scanner_fails if that is too little. */
void *winnow__scanner_open(winnow__text *text, char *buffer, size_t length);

/* ---- words.c: read the last word into *value. False: it is wrong, and the
 * failure is recorded. */

/* Is it the name of a column? */
bool winnow__text_is_name(const winnow__text *text);
/* Read the name of a column. */
bool winnow__text_name(winnow__text *text, winnow__text_value *value);
/* Read a name in quotes. Writes to `copy`, which has a copy of it. */
bool winnow__text_quoted(winnow__text *text, char *copy,
                         winnow__text_value *value);
/* Read a number; its type is not known yet. */
bool winnow__text_scan_number(winnow__text *text, winnow__text_value *value);

/* Read X'..', bytes. */
bool winnow__text_bytes(winnow__text *text, winnow__text_value *value);

/* ---- cast.c: read "as", a type and a parenthesis, or "::" and a type. A copy
 * is at `copy`. */
bool winnow__text_type_name(winnow__text *text, const char *copy,
                            winnow__text_value *value);

/* ---- foreign.c */

/* What to write instead of a word, or of a function, of another language. NULL
 * if the word is unknown; for unknown functions the list of all. */
const char *winnow__foreign_word(const char *name, size_t length);
const char *winnow__foreign_function(const char *name, size_t length);
/* The code of a character that is unlikely to be meant in a name; 0: none. */
unsigned winnow__odd_character(const char *from, size_t length);

/* ---- words.c: report a wrong last word. */

/* Another word is meant. */
void winnow__text_use(winnow__text *text, const char *meant);
/* A quote is not closed. */
void winnow__text_unfinished(winnow__text *text);
/* A byte begins no word. */
void winnow__text_unknown(winnow__text *text);
