/*
 * Text for people, made piece by piece.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

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

/* Write what a checked call needs and would do to its launch's plan. */
winnow_status winnow__plan_call(const winnow__query *query);
