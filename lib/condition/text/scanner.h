/*
 * What scan.l and parse.y have of each other, and what words.c tells scan.l.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "text.h"

/* A scanner of a buffer: `length` bytes and two more, which are 0. Its memory is
 * the text's. It jumps to text->scanner_fails if that is too little. */
void *winnow__scanner_open(winnow__text *text, char *buffer, size_t length);

/* ---- words.c: of the last word, which *value stands for. False, and the
 * failure is recorded: it is wrong. */

/* Is it a column's? */
bool winnow__text_is_name(const winnow__text *text);
/* The name of a column. */
bool winnow__text_name(winnow__text *text, winnow__text_value *value);
/* A name in quotes, a copy of which is at `copy`, and is written to. */
bool winnow__text_quoted(winnow__text *text, char *copy,
                         winnow__text_value *value);
/* A number, whose type is not known yet. */
bool winnow__text_scan_number(winnow__text *text, winnow__text_value *value);

/* X'..', bytes. */
bool winnow__text_bytes(winnow__text *text, winnow__text_value *value);

/* ---- cast.c: "as", a type and a parenthesis; or "::" and a type; a copy is at
 * `copy`. */
bool winnow__text_type_name(winnow__text *text, const char *copy,
                            winnow__text_value *value);

/* ---- foreign.c */

/* What is written in place of a word, or a function, of another language; of a
 * word that is none NULL, of functions which there are. */
const char *winnow__foreign_word(const char *name, size_t length);
const char *winnow__foreign_function(const char *name, size_t length);
/* The number of a character that a name hardly has on purpose; 0: none. */
unsigned winnow__odd_character(const char *from, size_t length);

/* ---- words.c: of a last word that is wrong. */

/* Another is meant. */
void winnow__text_use(winnow__text *text, const char *meant);
/* A quote does not end. */
void winnow__text_unfinished(winnow__text *text);
/* A byte that begins no word. */
void winnow__text_unknown(winnow__text *text);
