/*
 * Text for people, made piece by piece.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CORE_EXPLAIN_H
#define WINNOW_LIB_CORE_EXPLAIN_H

#include "call.h"

/* Text that is cut where the memory ends, with a 0 behind it. */
typedef struct winnow__text {
    char *start; /* NULL: none of it is kept */
    size_t bytes;
    size_t length; /* of all of it */
} winnow__text;

void winnow__add_text(winnow__text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The first line: the call. */
void winnow__add_call(winnow__text *text, const winnow__query *query);

/* The body of winnow_OPERATION_explain(). */
winnow_status winnow__explain(winnow__query *query,
                              const winnow_options *options, char *text,
                              size_t text_bytes, size_t *length_p);

#endif
