/*
 * What scan.l offers to parse.y, and has of text.c.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CONDITION_SCANNER_H
#define WINNOW_LIB_CONDITION_SCANNER_H

#include "text.h"

/* False: the text has too little memory for it. */
bool winnow__scanner_open(winnow__text *text, char *buffer, size_t length,
                          void **scanner_p);
void winnow__scanner_close(void *scanner);

/* A number, whose type is not known yet. */
bool winnow__text_scan_number(winnow__text *text, const char *digits,
                              unsigned length, winnow__text_value *value);
/* A byte that begins no word. */
void winnow__text_unknown(winnow__text *text, unsigned char byte,
                          winnow__text_place place);
/* The last word, in place of which another is meant. */
void winnow__text_use(winnow__text *text, winnow__text_place place,
                      const char *meant);
/* The last word, which is in quotes. */
void winnow__text_quoted(winnow__text *text, winnow__text_place place);

#endif
