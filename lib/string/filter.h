/*
 * A filter of strings that may be in a list: one bit for a string's length and ends.
 * These are loaded faster than all bytes are hashed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_STRING_FILTER_H
#define WINNOW_LIB_STRING_FILTER_H

#include "find.h"
#include "test.h"

#include "kernels/string/column.h"
#include "kernels/string/pattern.h"

/* By the first and the last 8 bytes, or all of a shorter string. s has 8 bytes. */
static inline uint64_t winnow__filter_ends(const winnow__pattern *list,
                                           const unsigned char *s,
                                           uint64_t bytes) {
    const uint64_t mask = winnow__first_bytes(bytes);
    const uint64_t back = bytes < 8 ? 0 : bytes - 8;
    return winnow__filter_place(list, bytes, winnow__load_64(s) & mask,
                                winnow__load_64(s + back) & mask);
}

/* The view of a long string has its first 4 bytes only. */
static inline uint64_t winnow__filter_view(const winnow__pattern *list,
                                           const winnow__view *view) {
    if (view->bytes > WINNOW__VIEW_INLINE)
        return winnow__filter_place(list, view->bytes, view->prefix, 0);
    return winnow__filter_ends(list, (const unsigned char *)&view->prefix,
                               view->bytes);
}

static inline bool winnow__filter_has(const winnow__pattern *list,
                                      uint64_t place) {
    const uint64_t *const words = winnow__pattern_part(list, list->filter);
    return (words[place / 64] >> place % 64 & 1) != 0;
}

#endif
