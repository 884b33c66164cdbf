/*
 * The loops over the strings of a column. Where many are wanted, those behind
 * offsets are tested by offsets_loops.h; else one at a time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "loops.h"

#include "match.h"
#include "words.h"

enum {
    PART = 1024 /* items of LIKE that are tested together */
};

/* ------------------------------------------------------------ one at a time */

/* The bytes of few strings are far apart. */
INLINE void fetch(winnow__pattern_kind kind,
                  const winnow__string_column *column, uint64_t first,
                  uint32_t some) {
    for (; some != 0; some &= some - 1) {
        const winnow__string s =
            winnow__string_at(column, first + (unsigned)__builtin_ctz(some));
        __builtin_prefetch(kind == WINNOW__PATTERN_ENDS ? s.begin + s.bytes
                                                        : s.begin);
    }
}

INLINE void test_each(winnow__pattern_kind kind, unsigned layout,
                      const winnow__string_column *column,
                      const winnow__pattern *pattern, uint64_t first,
                      unsigned items, const uint32_t *wanted, uint32_t *words) {
    const winnow__string_column fixed = {.strings = column->strings,
                                         .data = column->data,
                                         .size = column->size,
                                         .layout = layout};
    for (unsigned start = 0; start < items; start += WORD) {
        uint32_t some = inside(items - start), word = 0;
        if (wanted != NULL) {
            some &= wanted[start / WORD];
            fetch(kind, &fixed, first + start, some);
        }
        for (; some != 0; some &= some - 1) {
            const unsigned i = (unsigned)__builtin_ctz(some);
            const winnow__string s =
                winnow__string_at(&fixed, first + start + i);
            word |= (uint32_t)winnow__matches(kind, pattern, s.begin, s.bytes)
                    << i;
        }
        words[start / WORD] = word;
    }
}

#define EACH_LAYOUT(KIND)                                                      \
    case KIND:                                                                 \
        if (column->layout == WINNOW__STRING_VIEWS)                            \
            test_each(KIND, WINNOW__STRING_VIEWS, column, pattern, first,      \
                      items, wanted, words);                                   \
        else if (column->layout == WINNOW__STRING_OFFSETS_64)                  \
            test_each(KIND, WINNOW__STRING_OFFSETS_64, column, pattern, first, \
                      items, wanted, words);                                   \
        else                                                                   \
            test_each(KIND, WINNOW__STRING_OFFSETS_32, column, pattern, first, \
                      items, wanted, words);                                   \
        break;

static void test_one_by_one(const winnow__string_column *column,
                            const winnow__pattern *pattern, uint64_t first,
                            unsigned items, const uint32_t *wanted,
                            uint32_t *words) {
    switch ((winnow__pattern_kind)pattern->kind) {
        EACH_LAYOUT(WINNOW__PATTERN_EQUAL)
        EACH_LAYOUT(WINNOW__PATTERN_LESS)
        EACH_LAYOUT(WINNOW__PATTERN_LESS_EQUAL)
        EACH_LAYOUT(WINNOW__PATTERN_STARTS)
        EACH_LAYOUT(WINNOW__PATTERN_ENDS)
        EACH_LAYOUT(WINNOW__PATTERN_CONTAINS)
        EACH_LAYOUT(WINNOW__PATTERN_LIKE)
        EACH_LAYOUT(WINNOW__PATTERN_LIST)
    }
}

/* -------------------------------------------------------------------- spans */

/* Are so many of the items wanted that all are best looked at? */
static bool are_many(unsigned items, const uint32_t *wanted) {
    unsigned some = 0;
    if (wanted == NULL)
        return true;
    for (unsigned w = 0; w < (items + WORD - 1) / WORD; w++)
        some += (unsigned)__builtin_popcount(wanted[w]);
    return some >= items / 4;
}

/* Those from the first one on that have a loop for it; how many they were. */
static unsigned test_many(const winnow__string_column *column,
                          const winnow__string_test *test, uint64_t first,
                          unsigned items, const uint32_t *wanted,
                          uint32_t *words) {
    if (column->layout == WINNOW__STRING_VIEWS)
        return winnow__test_views(column, test, first, items, wanted, words)
                   ? items
                   : 0;
    if (!are_many(items, wanted))
        return 0;
    return column->layout == WINNOW__STRING_OFFSETS_32
               ? winnow__test_offsets_32(column, test, first, items, words)
               : winnow__test_offsets_64(column, test, first, items, words);
}

/* Of the strings that pass what they need to. */
static void test_like(const winnow__string_column *column,
                      const winnow__string_test *test, uint64_t first,
                      unsigned items, const uint32_t *wanted, uint32_t *words) {
    for (unsigned start = 0; start < items; start += PART) {
        const unsigned left = items - start < PART ? items - start : PART;
        uint32_t some[PART / WORD], pass[PART / WORD] = {0};
        memset(some, 0xff, sizeof some);
        if (wanted != NULL)
            memcpy(some, wanted + start / WORD,
                   (left + WORD - 1) / WORD * sizeof some[0]);
        for (unsigned i = 0; i < 2; i++) {
            if (test->need[i] == NULL)
                continue;
            winnow__test_strings(column, test->need[i], first + start, left,
                                 some, pass);
            for (unsigned w = 0; w < PART / WORD; w++)
                some[w] &= pass[w];
        }
        test_one_by_one(column, test->pattern, first + start, left, some,
                        words + start / WORD);
    }
}

void winnow__test_strings(const winnow__string_column *column,
                          const winnow__string_test *test, uint64_t first,
                          unsigned items, const uint32_t *wanted,
                          uint32_t *words) {
    if (test->pattern->kind == WINNOW__PATTERN_LIKE) {
        test_like(column, test, first, items, wanted, words);
        return;
    }
    const unsigned done = test_many(column, test, first, items, wanted, words);
    test_one_by_one(column, test->pattern, first + done, items - done,
                    wanted != NULL ? wanted + done / WORD : NULL,
                    words + done / WORD);
}
