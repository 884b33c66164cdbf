/*
 * Words of ASCII, in any locale. strncasecmp() uses the caller's locale, and in
 * Turkish "INT" does not match "int".
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline char winnow__ascii_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Are the first `length` bytes the same, except for the case of letters?
 * Neither text is read past its 0. */
static inline bool winnow__ascii_same(const char *a, const char *b,
                                      size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (winnow__ascii_lower(a[i]) != winnow__ascii_lower(b[i]))
            return false;
        if (a[i] == '\0')
            break;
    }
    return true;
}

/* The same for whole texts. */
static inline bool winnow__ascii_same_text(const char *a, const char *b) {
    return winnow__ascii_same(a, b, strlen(a) + 1);
}
