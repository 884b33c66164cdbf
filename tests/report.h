/*
 * Where a check says what it found. The checks are plain functions that return
 * true or false and know no test framework: threads and the program without
 * Criterion use them too.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_REPORT_H
#define WINNOW_TESTS_REPORT_H

#include <stdbool.h>
#include <stddef.h>

struct report {
    char text[1024];
};

/* Writes the text and returns false, so that a check can return it. */
bool report_fail(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* malloc for tests: ends the program, loudly, when there is no memory. */
void *must_alloc(size_t bytes);

#endif
