/*
 * Tests of strings in a text: the common part of their files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "string/test.h"
#include "text.h"

/* Write the bytes of a quoted span to `to`; returns their number. */
size_t winnow__text_unquote(const winnow__text *text, winnow__text_span span,
                            char *to);
/* A copy of a text, to be freed. NULL: failed, and the failure is recorded. */
char *winnow__text_copy_quoted(winnow__text *text,
                               const winnow__text_value *value,
                               winnow__bytes *bytes);
/* Turn *column into the condition of a test, which was made. False: failed. */
bool winnow__text_add_made(winnow__text *text, winnow__text_value *column,
                           winnow_status status, winnow__string_test *test,
                           bool negated);
/* The same for a test by a text. */
bool winnow__text_add_pattern(winnow__text *text, winnow__text_value *column,
                              winnow__pattern_kind kind,
                              const winnow__text_value *value, bool negated);
