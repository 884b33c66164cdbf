/*
 * The loops over the strings of a column. Where many are wanted, those behind
 * offsets are tested by offsets_loops.h; else one at a time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "loops.h"

#include "match.h"

#define INLINE static inline __attribute__((always_inline))

enum {
    WORD = 32 /* items */
};

/* The bits of a word's items, of which `left` are there. */
INLINE uint32_t inside(unsigned left) {
    return left < WORD ? (UINT32_C(1) << left) - 1 : UINT32_MAX;
}

/* ------------------------------------------------------------ one at a time */

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
        if (wanted != NULL)
            some &= wanted[start / WORD];
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

/* -------------------------------------------------------------------- views
 *
 * The length and the first bytes stand in a view: they are compared there, as two
 * words under masks.
 */

typedef struct view_test {
    uint64_t low, low_is, high, high_is;
    bool exact; /* else the rest is to be compared */
} view_test;

static view_test view_test_of(const winnow__pattern *pattern) {
    const unsigned char *const text =
        winnow__pattern_bytes(pattern, &pattern->text);
    const uint32_t length = pattern->text.bytes;
    const bool whole = pattern->kind == WINNOW__PATTERN_EQUAL;
    const uint32_t most = whole ? WINNOW__VIEW_INLINE : 4;
    const uint32_t shown = length <= most ? length : 4;
    unsigned char mask[16] = {0}, is[16] = {0};
    view_test test = {.exact = length <= most};
    if (whole) {
        memset(mask, 0xff, 4);
        memcpy(is, &length, 4);
    }
    memset(mask + 4, 0xff, shown);
    memcpy(is + 4, text, shown);
    memcpy(&test.low, mask, 8);
    memcpy(&test.high, mask + 8, 8);
    memcpy(&test.low_is, is, 8);
    memcpy(&test.high_is, is + 8, 8);
    return test;
}

INLINE bool may_pass(const winnow__view *view, const view_test *test,
                     uint32_t least) {
    const unsigned char *const bytes = (const unsigned char *)view;
    return (((winnow__load_64(bytes) & test->low) ^ test->low_is) |
            ((winnow__load_64(bytes + 8) & test->high) ^ test->high_is)) == 0 &&
           view->bytes >= least;
}

/* Whether they are equal to the text, or begin with it. */
static void test_view_starts(const winnow__string_column *column,
                             const winnow__pattern *pattern, uint64_t first,
                             unsigned items, const uint32_t *wanted,
                             uint32_t *words) {
    const view_test test = view_test_of(pattern);
    for (unsigned start = 0; start < items; start += WORD) {
        const winnow__view *const views =
            (const winnow__view *)column->strings + first + start;
        const unsigned left = items - start < WORD ? items - start : WORD;
        uint32_t word = 0;
        if (wanted != NULL && wanted[start / WORD] == 0)
            continue;
        for (unsigned i = 0; i < left; i++)
            word |= (uint32_t)may_pass(&views[i], &test, pattern->least) << i;
        if (!test.exact)
            for (uint32_t some = word; some != 0; some &= some - 1) {
                const unsigned i = (unsigned)__builtin_ctz(some);
                const winnow__string s =
                    winnow__string_of_view(column, &views[i]);
                const bool passes =
                    pattern->kind == WINNOW__PATTERN_EQUAL
                        ? winnow__matches(WINNOW__PATTERN_EQUAL, pattern,
                                          s.begin, s.bytes)
                        : winnow__matches(WINNOW__PATTERN_STARTS, pattern,
                                          s.begin, s.bytes);
                word &= ~((uint32_t)!passes << i);
            }
        words[start / WORD] = word;
    }
}

#ifdef __SSE2__
/* Is the text in one of at most 12 bytes, which stand in the view? */
INLINE bool view_contains(const winnow__view *view,
                          const winnow__needle *needle) {
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)view);
    const unsigned first =
        (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, needle->first)) >> 4;
    const unsigned last =
        (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, needle->last)) >>
        (3 + needle->bytes);
    if (view->bytes < needle->bytes)
        return false;
    unsigned may = first & last & ((2u << (view->bytes - needle->bytes)) - 1);
    if (needle->bytes <= 2)
        return may != 0;
    for (; may != 0; may &= may - 1)
        if (winnow__same((const unsigned char *)&view->prefix +
                             __builtin_ctz(may),
                         needle->text, needle->bytes))
            return true;
    return false;
}

static void test_view_contains(const winnow__string_column *column,
                               const winnow__pattern *pattern, uint64_t first,
                               unsigned items, const uint32_t *wanted,
                               uint32_t *words) {
    const winnow__needle needle = winnow__needle_of(
        winnow__pattern_bytes(pattern, &pattern->text), pattern->text.bytes);
    for (unsigned start = 0; start < items; start += WORD) {
        const winnow__view *const views =
            (const winnow__view *)column->strings + first + start;
        uint32_t some = inside(items - start), word = 0;
        if (wanted != NULL)
            some &= wanted[start / WORD];
        for (; some != 0; some &= some - 1) {
            const unsigned i = (unsigned)__builtin_ctz(some);
            bool passes;
            if (views[i].bytes <= WINNOW__VIEW_INLINE) {
                passes = needle.bytes <= WINNOW__VIEW_INLINE &&
                         view_contains(&views[i], &needle);
            } else {
                const winnow__string s =
                    winnow__string_of_view(column, &views[i]);
                passes = winnow__find_needle(&needle, s.begin, s.bytes) != NULL;
            }
            word |= (uint32_t)passes << i;
        }
        words[start / WORD] = word;
    }
}
#endif

/* False: there is no loop of views alone for it. */
static bool test_views(const winnow__string_column *column,
                       const winnow__pattern *pattern, uint64_t first,
                       unsigned items, const uint32_t *wanted,
                       uint32_t *words) {
    switch (pattern->kind) {
    case WINNOW__PATTERN_EQUAL:
    case WINNOW__PATTERN_STARTS:
        test_view_starts(column, pattern, first, items, wanted, words);
        return true;
#ifdef __SSE2__
    case WINNOW__PATTERN_CONTAINS:
        test_view_contains(column, pattern, first, items, wanted, words);
        return true;
#endif
    default:
        return false;
    }
}

/* -------------------------------------------------------------------- spans */

static bool is_plain(const winnow__pattern *pattern) {
    return pattern->kind == WINNOW__PATTERN_EQUAL ||
           pattern->kind == WINNOW__PATTERN_STARTS ||
           pattern->kind == WINNOW__PATTERN_ENDS ||
           pattern->kind == WINNOW__PATTERN_CONTAINS;
}

/* Are so many of the items wanted that all are best looked at? */
static bool are_many(unsigned items, const uint32_t *wanted) {
    unsigned some = 0;
    if (wanted == NULL)
        return true;
    for (unsigned w = 0; w < (items + WORD - 1) / WORD; w++)
        some += (unsigned)__builtin_popcount(wanted[w]);
    return some >= items / 4;
}

void winnow__test_strings(const winnow__string_column *column,
                          const winnow__string_test *test, uint64_t first,
                          unsigned items, const uint32_t *wanted,
                          uint32_t *words) {
    const winnow__pattern *const pattern = test->pattern;
    if (column->layout == WINNOW__STRING_VIEWS) {
        if (test_views(column, pattern, first, items, wanted, words))
            return;
    } else if (is_plain(pattern) && are_many(items, wanted)) {
        if (column->layout == WINNOW__STRING_OFFSETS_32
                ? winnow__test_offsets_32(column, pattern, first, items, words)
                : winnow__test_offsets_64(column, pattern, first, items, words))
            return;
    }
    test_one_by_one(column, pattern, first, items, wanted, words);
}
