/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fail.h"

#include "progress.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void program_fail(program_status status, const char *format, ...) {
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    /* A file's name may have anything: it stays one line. */
    for (char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = '?';
    program_progress_clear();
    fprintf(stderr, "winnow: %s\n", text);
    exit(status);
}

program_status program_output_status(int error_number) {
    return error_number == EPIPE    ? PROGRAM_CLOSED
           : error_number == ENOMEM ? PROGRAM_DEVICE
                                    : PROGRAM_OUTPUT;
}

void *program_allocate(unsigned long count, unsigned long bytes) {
    void *const made = calloc(count != 0 ? count : 1, bytes != 0 ? bytes : 1);
    if (made == NULL)
        program_fail(PROGRAM_DEVICE, "no memory");
    return made;
}
