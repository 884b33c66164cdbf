/*
 * Which strings may be in a list? By a bit for their length and their ends, which
 * are loaded sooner than all bytes are hashed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_STRING_FILTER_H
#define WINNOW_LIB_STRING_FILTER_H

#include "find.h"

#include "kernels/string/column.h"
#include "kernels/string/pattern.h"

typedef struct winnow__filter {
    uint64_t seed[2]; /* the list's */
    unsigned shift;   /* 64 less the logarithm of the bits */
    uint64_t words[];
} winnow__filter;

/* Of the texts of a list; free() frees it. NULL, with the detail set: there is no
 * memory. */
winnow__filter *winnow__filter_of(const winnow__pattern *list);

static inline uint64_t winnow__filter_place(const winnow__filter *filter,
                                            uint64_t bytes, uint64_t front,
                                            uint64_t back) {
    return winnow__hash_fold(front ^ filter->seed[0],
                             back ^ bytes << 56 ^ filter->seed[1]) >>
           filter->shift;
}

/* By the first and the last 8 bytes, or all of fewer, twice. 8 can be read. */
static inline uint64_t winnow__filter_ends(const winnow__filter *filter,
                                           const unsigned char *s,
                                           uint64_t bytes) {
    const uint64_t mask = winnow__first_bytes(bytes);
    const uint64_t back = bytes < 8 ? 0 : bytes - 8;
    return winnow__filter_place(filter, bytes, winnow__load_64(s) & mask,
                                winnow__load_64(s + back) & mask);
}

/* Of a long string a view has the first 4 bytes alone. */
static inline uint64_t winnow__filter_view(const winnow__filter *filter,
                                           const winnow__view *view) {
    if (view->bytes > WINNOW__VIEW_INLINE)
        return winnow__filter_place(filter, view->bytes, view->prefix, 0);
    return winnow__filter_ends(filter, (const unsigned char *)&view->prefix,
                               view->bytes);
}

static inline bool winnow__filter_has(const winnow__filter *filter,
                                      uint64_t place) {
    return (filter->words[place / 64] >> place % 64 & 1) != 0;
}

#endif
