/*
 * Finding texts, and segments of LIKE, where that is tried in vain for too long:
 * compared with the C library, and with the tests' own LIKE.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "data.h"
#include "reduced.h"
#include "string/match.h"
#include "suite.h"
#include "texts.h"

/* ------------------------------------------------------------------- texts */

static const unsigned char *find_plainly(const unsigned char *s, size_t n,
                                         const unsigned char *text, size_t m) {
    for (size_t i = 0; i + m <= n; i++)
        if (memcmp(s + i, text, m) == 0)
            return s + i;
    return NULL;
}

/* Of few letters, and mostly one: texts with periods, in strings with more. */
static void draw_letters(unsigned char *to, size_t n, unsigned rare,
                         uint64_t *seed) {
    for (size_t i = 0; i < n; i++)
        to[i] = draw_next(seed, rare) == 0
                    ? (unsigned char)('b' + draw_next(seed, 2))
                    : 'a';
    const size_t period = 1 + draw_next(seed, 40);
    for (size_t i = period; period % 2 != 0 && i < n; i++)
        to[i] = to[i - period];
}

Test(find, texts) {
    enum {
        MOST = 6000
    };
    unsigned char s[MOST], text[MOST];
    uint64_t seed = 811;
    unsigned found = 0;
    const unsigned trials = reduced_mode() ? 3000 : 30000;

    for (unsigned t = 0; t < trials; t++) {
        const size_t n = draw_next(&seed, t % 20 == 0 ? MOST : 60);
        const size_t m = 1 + draw_next(&seed, n / 2 + 1);
        const unsigned rare = (unsigned)(2 + draw_next(&seed, 200));

        draw_letters(s, n, rare, &seed);
        draw_letters(text, m, rare, &seed);
        if (draw_next(&seed, 2) != 0 && m <= n)
            memcpy(text, s + draw_next(&seed, n - m + 1), m);
        const unsigned char *const wanted = find_plainly(s, n, text, m);
        const uint64_t at = winnow__two_way(s, 0, n, text, m);
        cr_assert_eq(at, wanted != NULL ? (uint64_t)(wanted - s)
                                        : WINNOW__LIKE_NONE);
        cr_assert_eq(winnow__find(s, n, text, m), wanted);
        found += wanted != NULL;
    }
    cr_assert(found > trials / 10 && found < trials / 20 * 19, "%u", found);
}

/* ---------------------------------------------------------------- segments */

static winnow__string_test *like_of(const unsigned char *pattern, size_t n) {
    winnow__string_test *test;
    cr_assert_eq(winnow__string_test_like(
                     &test, (winnow__bytes){(const char *)pattern, n},
                     (winnow__bytes){NULL, 0}),
                 WINNOW_OK);
    return test;
}

/* Where the first segment ends first. */
static uint64_t segment_in(const winnow__string_test *test,
                           const unsigned char *s, uint64_t n, uint64_t end) {
    const winnow__pattern *const p = test->pattern;
    const unsigned char *const block = (const unsigned char *)p;
    const winnow__pattern_segment *const segment =
        (const winnow__pattern_segment *)(const void *)(block + p->table);
    uint64_t at = 0;

    cr_assert(winnow__find_segment(
        s, n, 0, end, block,
        (const winnow__pattern_step *)(const void *)(block + p->others) +
            segment->first,
        segment->steps, &at));
    return at;
}

/* The least end that the string has, by the oracle: %segment, of what is before the
 * end. */
static uint64_t end_of(const struct text *text, const struct text *pattern,
                       size_t end) {
    struct text part = *text;

    for (part.length = 0; part.length <= end; part.length++)
        if ((part.length == text->length ||
             (text->bytes[part.length] & 0xc0) != 0x80 ||
             pattern->bytes[pattern->length - 1] != '_') &&
            text_is_like(&part, pattern, 0))
            return part.length;
    return WINNOW__LIKE_NONE;
}

Test(find, segments) {
    static const char letters[] = "aaab\xc3\x80_";
    uint64_t seed = 812;
    unsigned found = 0;
    const unsigned trials = reduced_mode() ? 2000 : 20000;

    for (unsigned t = 0; t < trials; t++) {
        struct text text = {.length = draw_next(&seed, 40)};
        struct text pattern = {.length = 4 + draw_next(&seed, 6)};

        for (size_t i = 0; i < text.length; i++)
            text.bytes[i] = (unsigned char)letters[draw_next(&seed, 6)];
        for (size_t i = 0; i < pattern.length; i++)
            pattern.bytes[i] = (unsigned char)letters[draw_next(&seed, 7)];
        memcpy(pattern.bytes, "%a_", 3); /* it is more than a text */
        const size_t end = text.length - draw_next(&seed, text.length / 4 + 1);
        winnow__string_test *const test =
            like_of(pattern.bytes, pattern.length);
        const uint64_t at = segment_in(test, text.bytes, text.length, end);
        cr_assert_eq(at, end_of(&text, &pattern, end), "trial %u", t);
        found += at != WINNOW__LIKE_NONE;
        winnow__string_test_release(test);
    }
    cr_assert(found > trials / 20 && found < trials / 20 * 19, "%u", found);
}

/* Of more elements than a block has: they stand at one place alone, or nowhere. */
Test(find, segments_of_blocks) {
    enum {
        MOST = 20000
    };
    static unsigned char s[MOST], pattern[MOST + 1];
    uint64_t seed = 813;

    for (unsigned t = 0; t < 40; t++) {
        const size_t m = 4094 + draw_next(&seed, t % 2 == 0 ? 4 : 10000);
        const size_t n = m + draw_next(&seed, 60);
        const size_t place = draw_next(&seed, n - m + 1);

        for (size_t i = 0; i < n; i++)
            s[i] = draw_next(&seed, 2) != 0 ? 'a' : 'b';
        pattern[0] = '%';
        for (size_t i = 0; i < m; i++)
            pattern[1 + i] =
                i != 0 && draw_next(&seed, 2) != 0 ? '_' : s[place + i];
        pattern[2] = '_';
        pattern[m] = s[place + m - 1];
        winnow__string_test *test = like_of(pattern, m + 1);
        cr_assert_eq(segment_in(test, s, n, n), place + m, "trial %u", t);
        cr_assert(winnow__is_like(s, n, test->pattern) == (place + m == n));
        winnow__string_test_release(test);
        pattern[m] ^= 3; /* a to b, and back */
        test = like_of(pattern, m + 1);
        cr_assert_eq(segment_in(test, s, n, n), WINNOW__LIKE_NONE);
        winnow__string_test_release(test);
    }
}
