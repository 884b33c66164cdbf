/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void winnow__write(winnow__writer *to, const char *format, ...) {
    for (;;) {
        if (to->bytes == NULL)
            return;
        va_list arguments;
        va_start(arguments, format);
        const int length = vsnprintf(to->bytes + to->used, to->room - to->used,
                                     format, arguments);
        va_end(arguments);
        if (length >= 0 && (size_t)length < to->room - to->used) {
            to->used += (size_t)length;
            return;
        }
        char *const more = realloc(to->bytes, 2 * to->room);
        if (more == NULL)
            free(to->bytes);
        to->bytes = more;
        to->room *= 2;
    }
}
