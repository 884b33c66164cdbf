/*
 * Where a check says what it found.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool report_fail(struct report *report, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(report->text, sizeof(report->text), format, arguments);
    va_end(arguments);
    return false;
}

void *must_alloc(size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);

    if (!memory) {
        fprintf(stderr, "no host memory for %zu bytes\n", bytes);
        abort();
    }
    return memory;
}
