/*
 * Text for people, written piece by piece.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "call.h"

/* Text that is cut where the memory ends. A 0 ends it. */
typedef struct winnow__text {
    char *start; /* NULL: no text is kept */
    size_t bytes;
    size_t length; /* of the whole text */
} winnow__text;

void winnow__add_text(winnow__text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Add the first line, which describes the call. */
void winnow__add_call(winnow__text *text, const winnow__query *query);

/* Write to launch.plan what a checked call needs and would do. */
winnow_status winnow__plan_call(const winnow__query *query);
