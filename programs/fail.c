/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fail.h"

#include "progress.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of a character of UTF-8; 0: it is none, such as one that is cut. */
static size_t character_bytes(const unsigned char *at) {
    const size_t bytes = at[0] < 0x80   ? 1
                         : at[0] < 0xc2 ? 0
                         : at[0] < 0xe0 ? 2
                         : at[0] < 0xf0 ? 3
                         : at[0] < 0xf5 ? 4
                                        : 0;
    for (size_t i = 1; i < bytes; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return bytes;
}

bool program_make_printable(char *text) {
    unsigned char *at = (unsigned char *)text, *to = at;
    bool is_printable = true;
    while (*at != '\0') {
        const size_t bytes = character_bytes(at);
        const bool is_c1 = bytes == 2 && at[0] == 0xc2 && at[1] < 0xa0;
        const size_t all = bytes != 0 ? bytes : 1;
        if (bytes == 0 || is_c1 || at[0] < ' ' || at[0] == 127) {
            *to++ = '?';
            is_printable = false;
        } else {
            memmove(to, at, bytes);
            to += bytes;
        }
        at += all;
    }
    *to = '\0';
    return is_printable;
}

_Noreturn void program_fail(program_status status, const char *format, ...) {
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    program_make_printable(text);
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
