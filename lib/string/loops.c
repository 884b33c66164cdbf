/*
 * The loops over the strings of a column, a word of 32 at a time. Lengths, first
 * bytes or views decide most strings (offsets.h, views.h); the others are tested one
 * by one. A text that has to be contained is searched for in the bytes of all strings
 * at once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "loops.h"

#include "filter.h"
#include "match.h"
#include "views.h"
#include "words.h"

enum {
    PART = 1024,       /* items that are tested together for LIKE */
    AHEAD = 8,         /* words whose bytes are prefetched together */
    MOST_FETCHED = 128 /* bytes of a string, on average */
};

#ifdef __SSE2__
INLINE __m128i load_four(const uint32_t *from) {
    return _mm_loadu_si128((const __m128i *)(const void *)from);
}
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define OF(name) JOIN(name, BITS)
#define OFFSET JOIN(JOIN(uint, BITS), _t)
#define BITS 32
#include "offsets.h"
#undef BITS
#define BITS 64
#include "offsets.h"
#undef BITS

/* The layout of the strings. ANY: offsets that do not ascend or are beyond the
 * bytes. */
typedef enum layout {
    ASCEND_32 = WINNOW__STRING_OFFSETS_32,
    ASCEND_64 = WINNOW__STRING_OFFSETS_64,
    VIEWS = WINNOW__STRING_VIEWS,
    ANY
} layout;

static layout layout_of(const winnow__string_column *column, uint64_t first,
                        unsigned items) {
    if (column->layout == WINNOW__STRING_OFFSETS_32 &&
        !ascend_32((const uint32_t *)column->strings + first, items,
                   column->size))
        return ANY;
    if (column->layout == WINNOW__STRING_OFFSETS_64 &&
        !ascend_64((const uint64_t *)column->strings + first, items,
                   column->size))
        return ANY;
    return (layout)column->layout;
}

/* --------------------------------------------------------- words of strings */

INLINE winnow__string string_at(layout of, const winnow__string_column *column,
                                uint64_t i) {
    const unsigned char *const data = column->data;
    if (of == ASCEND_32) {
        const uint32_t *const at = (const uint32_t *)column->strings + i;
        return (winnow__string){data + at[0], at[1] - at[0]};
    }
    if (of == ASCEND_64) {
        const uint64_t *const at = (const uint64_t *)column->strings + i;
        return (winnow__string){data + at[0], at[1] - at[0]};
    }
    if (of == VIEWS)
        return winnow__string_of_view(
            column, (const winnow__view *)column->strings + i);
    return winnow__string_at(column, i);
}

/* Prefetch what follows in bytes that are read in order. Not for long strings, whose
 * lines are mostly not read. */
INLINE void fetch_ahead(const void *from, uint64_t bytes) {
    for (uint64_t i = 0; bytes <= WORD * MOST_FETCHED && i < bytes;
         i += WINNOW__LINE)
        __builtin_prefetch((const char *)from + i + WINNOW__STRING_AHEAD);
}

/* Prefetch after the bytes from the first of these strings to the last one. If the
 * strings do not lie in a row, the range is too large or wraps around. */
INLINE void fetch_strings(layout of, const winnow__string_column *column,
                          uint64_t first, uint32_t some) {
    const uint64_t low = first + (unsigned)__builtin_ctz(some);
    const uint64_t high = first + 31 - (unsigned)__builtin_clz(some);
    const winnow__string begin = string_at(of, column, low);
    const winnow__string end = string_at(of, column, high);
    fetch_ahead(begin.begin,
                (uintptr_t)end.begin + end.bytes - (uintptr_t)begin.begin);
}

INLINE void fetch(winnow__pattern_kind kind, layout of,
                  const winnow__string_column *column, uint64_t first,
                  uint32_t some) {
    for (; some != 0; some &= some - 1) {
        const winnow__string s =
            string_at(of, column, first + (unsigned)__builtin_ctz(some));
        __builtin_prefetch(kind == WINNOW__PATTERN_ENDS ? s.begin + s.bytes
                                                        : s.begin);
    }
}

INLINE bool test_one(winnow__pattern_kind kind, layout of,
                     const winnow__string_column *column,
                     const winnow__pattern *pattern, uint64_t i) {
    const winnow__string s = string_at(of, column, i);
    return winnow__matches(kind, pattern, s.begin, s.bytes);
}

INLINE uint32_t test_some(winnow__pattern_kind kind, layout of,
                          const winnow__string_column *column,
                          const winnow__pattern *pattern, uint64_t first,
                          uint32_t some) {
    uint32_t word = 0;
    if (some == UINT32_MAX) {
        for (unsigned i = WORD; i-- != 0;)
            word = push(word, test_one(kind, of, column, pattern, first + i));
        return word;
    }
    for (; some != 0; some &= some - 1) {
        const unsigned i = (unsigned)__builtin_ctz(some);
        word |= (uint32_t)test_one(kind, of, column, pattern, first + i) << i;
    }
    return word;
}

/* Is less than a quarter of a word's items set? */
INLINE bool are_few(uint32_t some) {
    return __builtin_popcount(some) < WORD / 4;
}

/* Decide a word's strings by little: without their bytes, or by a few. Prefetch the
 * bytes of the others if these are far apart. */
INLINE verdict look(winnow__pattern_kind kind, layout of,
                    const winnow__string_column *column,
                    const winnow__pattern *pattern, const view_tests *tests,
                    uint64_t first, unsigned left, uint32_t some) {
    const bool few = some != inside(left) && are_few(some);
    verdict is = {0, some};
    if (!few && of == VIEWS)
        fetch_ahead((const winnow__view *)column->strings + first,
                    left * sizeof(winnow__view));
    if (!few && of == ASCEND_32)
        is = look_32(kind, column, pattern, first, left);
    else if (!few && of == ASCEND_64)
        is = look_64(kind, column, pattern, first, left);
    else if (!few && of == VIEWS)
        is = look_views(kind, column, pattern, tests, first, left, some);
    is.may &= some;
    if (few || (kind == WINNOW__PATTERN_EQUAL && are_few(is.may))) {
        fetch(kind, of, column, first, is.may);
        return is;
    }
    const uint32_t read = of == VIEWS ? is.may : inside(left);
    if (of != ANY && !are_few(read))
        fetch_strings(of, column, first, read);
    return is;
}

INLINE void test_words(winnow__pattern_kind kind, layout of,
                       const winnow__string_column *column,
                       const winnow__pattern *pattern, uint64_t first,
                       unsigned items, const uint32_t *wanted,
                       uint32_t *words) {
    const unsigned number = (items + WORD - 1) / WORD;
    view_tests tests;
    if (of == VIEWS)
        view_tests_of(kind, pattern, &tests);
    for (unsigned begin = 0; begin < number; begin += AHEAD) {
        const unsigned end = number - begin < AHEAD ? number : begin + AHEAD;
        verdict is[AHEAD];
        for (unsigned w = begin; w < end; w++) {
            const unsigned left = items_left(w * WORD, items);
            is[w - begin] =
                look(kind, of, column, pattern, &tests, first + w * WORD, left,
                     inside(left) & (wanted != NULL ? wanted[w] : UINT32_MAX));
        }
        for (unsigned w = begin; w < end; w++)
            words[w] = is[w - begin].passes |
                       test_some(kind, of, column, pattern, first + w * WORD,
                                 is[w - begin].may);
    }
}

/* -------------------------------------------------------------------- spans */

#define OF_LAYOUT(KIND, LAYOUT)                                                \
    case LAYOUT:                                                               \
        test_words(KIND, LAYOUT, column, pattern, first, items, wanted,        \
                   words);                                                     \
        break;
#define OF_KIND(KIND)                                                          \
    case KIND:                                                                 \
        switch (of) {                                                          \
            OF_LAYOUT(KIND, ASCEND_32)                                         \
            OF_LAYOUT(KIND, ASCEND_64)                                         \
            OF_LAYOUT(KIND, VIEWS)                                             \
            OF_LAYOUT(KIND, ANY)                                               \
        }                                                                      \
        break;

static void test_kind(layout of, const winnow__string_column *column,
                      const winnow__pattern *pattern, uint64_t first,
                      unsigned items, const uint32_t *wanted, uint32_t *words) {
    switch ((winnow__pattern_kind)pattern->kind) {
        OF_KIND(WINNOW__PATTERN_EQUAL)
        OF_KIND(WINNOW__PATTERN_LESS)
        OF_KIND(WINNOW__PATTERN_LESS_EQUAL)
        OF_KIND(WINNOW__PATTERN_STARTS)
        OF_KIND(WINNOW__PATTERN_ENDS)
        OF_KIND(WINNOW__PATTERN_CONTAINS)
        OF_KIND(WINNOW__PATTERN_LIKE)
        OF_KIND(WINNOW__PATTERN_LIST)
    }
}

/* Are enough items wanted that testing all of them at once is faster? */
static bool are_many(unsigned items, const uint32_t *wanted) {
    unsigned some = 0;
    for (unsigned w = 0; wanted != NULL && w < (items + WORD - 1) / WORD; w++)
        some += (unsigned)__builtin_popcount(wanted[w]);
    return wanted == NULL || some >= items / 4;
}

/* Tests only the strings that pass the tests in `need`. */
static void test_like(layout of, const winnow__string_column *column,
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
        test_kind(of, column, test->pattern, first + start, left, some,
                  words + start / WORD);
    }
}

void winnow__test_strings(const winnow__string_column *column,
                          const winnow__string_test *test, uint64_t first,
                          unsigned items, const uint32_t *wanted,
                          uint32_t *words) {
    const winnow__pattern *const pattern = test->pattern;
    const layout of = layout_of(column, first, items);
    const bool together =
        pattern->kind == WINNOW__PATTERN_CONTAINS && are_many(items, wanted);
    if (pattern->kind == WINNOW__PATTERN_LIKE)
        test_like(of, column, test, first, items, wanted, words);
    else if (together && of == ASCEND_32)
        contain_32(column, pattern, first, items, words);
    else if (together && of == ASCEND_64)
        contain_64(column, pattern, first, items, words);
    else
        test_kind(of, column, pattern, first, items, wanted, words);
}
