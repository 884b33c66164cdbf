/*
 * Strings of views, a word of 32 at a time: tests of the views without a branch. A
 * long string has its bytes in a buffer. If its view is invalid, it counts as the
 * empty string, whatever the view's prefix is; so its bytes are tested before it
 * passes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_STRING_VIEWS_H
#define WINNOW_LIB_STRING_VIEWS_H

#include "filter.h"
#include "match.h"
#include "words.h"

/* Are its bytes in a buffer? */
INLINE bool is_far(const winnow__view *view) {
    return view->bytes > WINNOW__VIEW_INLINE;
}

static uint32_t far_of(const winnow__view *views, unsigned left) {
    uint32_t word = 0;
    for (unsigned i = left; i-- != 0;)
        word = push(word, is_far(&views[i]));
    return word;
}

/* -------------------------------------- equal to, begun by, or ended by a text */

/* Two words under masks: what a view of a certain length has if its string passes. */
typedef struct view_test {
    uint64_t low, low_is, high, high_is;
} view_test;

/* The first test is for views of any length. For a text at the end there is a test
 * for each length up to WINNOW__VIEW_INLINE, and one that no longer view passes. */
typedef struct view_tests {
    view_test by_bytes[WINNOW__VIEW_INLINE + 2];
    bool exact; /* else the other bytes have to be compared */
} view_tests;

static view_test view_test_of(const winnow__pattern *pattern, uint32_t place,
                              uint32_t shown, bool with_length) {
    unsigned char mask[16] = {0}, is[16] = {0};
    view_test test;
    if (with_length) {
        memset(mask, 0xff, 4);
        memcpy(is, &pattern->text.bytes, 4);
    }
    memset(mask + 4 + place, 0xff, shown);
    memcpy(is + 4 + place, winnow__pattern_bytes(pattern, &pattern->text),
           shown);
    memcpy(&test.low, mask, 8);
    memcpy(&test.high, mask + 8, 8);
    memcpy(&test.low_is, is, 8);
    memcpy(&test.high_is, is + 8, 8);
    return test;
}

INLINE void view_tests_of(winnow__pattern_kind kind,
                          const winnow__pattern *pattern, view_tests *tests) {
    const uint32_t length = pattern->text.bytes;
    const bool whole = kind == WINNOW__PATTERN_EQUAL;
    const uint32_t most =
        kind == WINNOW__PATTERN_STARTS ? 4 : WINNOW__VIEW_INLINE;
    tests->exact = length <= most;
    if (kind == WINNOW__PATTERN_EQUAL || kind == WINNOW__PATTERN_STARTS)
        tests->by_bytes[0] =
            view_test_of(pattern, 0, tests->exact ? length : 4, whole);
    for (uint32_t n = 0; kind == WINNOW__PATTERN_ENDS && n <= most + 1; n++)
        tests->by_bytes[n] =
            n >= length && n <= most
                ? view_test_of(pattern, n - length, length, false)
                : (view_test){.low_is = 1};
}

INLINE bool may_pass(const winnow__view *view, view_test test) {
    const unsigned char *const bytes = (const unsigned char *)view;
    return (((winnow__load_64(bytes) & test.low) ^ test.low_is) |
            ((winnow__load_64(bytes + 8) & test.high) ^ test.high_is)) == 0;
}

INLINE verdict views_start(winnow__pattern_kind kind,
                           const winnow__pattern *pattern,
                           const view_tests *tests, const winnow__view *views,
                           unsigned left) {
    const bool whole = kind == WINNOW__PATTERN_EQUAL;
    const view_test test = tests->by_bytes[0];
    const uint32_t least = pattern->least;
    uint32_t word = 0, far = 0;
    for (unsigned i = left; i-- != 0;)
        word = push(word, may_pass(&views[i], test) &&
                              (whole || views[i].bytes >= least));
    if (!tests->exact)
        return (verdict){0, word};
    if (!whole && word != 0)
        far = far_of(views, left);
    return (verdict){word & ~far, word & far};
}

INLINE verdict views_end(const view_tests *tests, const winnow__view *views,
                         unsigned left) {
    uint32_t word = 0;
    /* If these three are long, most are: load their bytes with the views. */
    if (is_far(&views[0]) && is_far(&views[left / 2]) &&
        is_far(&views[left - 1]))
        return (verdict){0, inside(left)};
    for (unsigned i = left; i-- != 0;) {
        const uint32_t bytes = views[i].bytes, most = WINNOW__VIEW_INLINE + 1;
        word =
            push(word, may_pass(&views[i],
                                tests->by_bytes[bytes < most ? bytes : most]));
    }
    return (verdict){word, far_of(views, left)};
}

/* ---------------------------------------------------------------- before a text */

/* Compare the first 4 bytes, as numbers. An invalid long string counts as empty, so
 * it comes before any text that other strings come before. Only long strings that do
 * not are tested further. */
INLINE verdict views_order(const winnow__string_column *column,
                           const winnow__pattern *pattern,
                           const winnow__view *views, unsigned left) {
    const uint32_t front = (uint32_t)winnow__front_of(pattern, 4);
    uint32_t less = 0, more = 0, far = 0;
    for (unsigned i = left; i-- != 0;) {
        const uint32_t s = __builtin_bswap32(
            views[i].prefix & (uint32_t)winnow__first_bytes(views[i].bytes));
        less = push(less, s < front);
        more = push(more, front < s);
        far = push(far, is_far(&views[i]));
    }
    uint32_t even = inside(left) & ~(less | more);
    for (far = far & more; far != 0; far &= far - 1) {
        const winnow__view *const view = &views[__builtin_ctz(far)];
        if (winnow__string_of_view(column, view).bytes == 0)
            even |= far & -far;
    }
    return (verdict){less, even};
}

/* --------------------------------------------------------------- of a list */

INLINE verdict views_look_up(const winnow__pattern *list,
                             const winnow__view *views, unsigned left) {
    uint32_t word = 0;
    for (unsigned i = left; i-- != 0;)
        word = push(word, winnow__filter_has(
                              list, winnow__filter_view(list, &views[i])));
    return (verdict){0, word};
}

/* -------------------------------------------------------- that contain a text */

#ifdef __SSE2__
/* Is the text in a string of at most 12 bytes, which are in the view? */
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

/* Long strings that were written together lie one after the other in a buffer. Is
 * that so for the views of these bits, with little between them? *bytes_p: the bytes
 * of all, from the first one on. */
static const unsigned char *in_a_row(const winnow__string_column *column,
                                     const winnow__view *views, uint32_t some,
                                     uint64_t *bytes_p) {
    const winnow__view *const first = &views[__builtin_ctz(some)];
    uint64_t end = first->offset, sum = 0;
    bool ascend = first->buffer < column->size;
    for (; some != 0; some &= some - 1) {
        const winnow__view *const view = &views[__builtin_ctz(some)];
        ascend &= view->buffer == first->buffer && view->offset >= end;
        end = (uint64_t)view->offset + view->bytes;
        sum += view->bytes;
    }
    *bytes_p = end - first->offset;
    if (!ascend || *bytes_p > 2 * sum)
        return NULL;
    const winnow_buffer *const buffer =
        (const winnow_buffer *)column->data + first->buffer;
    return end <= buffer->bytes
               ? (const unsigned char *)buffer->d_bytes + first->offset
               : NULL;
}

/* The strings of `some` that contain the text, found as in offsets.h. */
static uint32_t find_in_row(const winnow__needle *needle,
                            const winnow__view *views, uint32_t some,
                            const unsigned char *row, uint64_t bytes) {
    const winnow__view *view = &views[__builtin_ctz(some)];
    const unsigned char *const origin = row - view->offset;
    const unsigned char *const end = row + bytes, *s = row;
    uint32_t word = 0;
    while ((s = winnow__find_needle(needle, s, (uint64_t)(end - s))) != NULL) {
        const uint64_t place = (uint64_t)(s - origin);
        while ((uint64_t)view->offset + view->bytes <= place) {
            some &= some - 1;
            view = &views[__builtin_ctz(some)];
        }
        const uint64_t behind = (uint64_t)view->offset + view->bytes;
        if (place >= view->offset) {
            word |= place + needle->bytes <= behind ? some & -some : 0;
            some &= some - 1; /* skip other places in it */
        }
        while (some != 0 && views[__builtin_ctz(some)].bytes < needle->bytes)
            some &= some - 1;
        if (some == 0)
            break;
        view = &views[__builtin_ctz(some)];
        s = origin + view->offset;
    }
    return word;
}

static verdict views_contain(const winnow__string_column *column,
                             const winnow__pattern *pattern,
                             const winnow__view *views, unsigned left,
                             uint32_t some) {
    const winnow__needle needle = winnow__needle_of(
        winnow__pattern_bytes(pattern, &pattern->text), pattern->text.bytes);
    const uint32_t far = far_of(views, left) & some;
    uint64_t bytes;
    verdict of = {0, far};
    if (needle.bytes <= WINNOW__VIEW_INLINE)
        for (some ^= far; some != 0; some &= some - 1) {
            const unsigned i = (unsigned)__builtin_ctz(some);
            of.passes |= (uint32_t)view_contains(&views[i], &needle) << i;
        }
    const unsigned char *const row =
        far != 0 ? in_a_row(column, views, far, &bytes) : NULL;
    if (row != NULL) {
        of.passes |= find_in_row(&needle, views, far, row, bytes);
        of.may = 0;
    }
    return of;
}
#endif

INLINE verdict look_views(winnow__pattern_kind kind,
                          const winnow__string_column *column,
                          const winnow__pattern *pattern,
                          const view_tests *tests, uint64_t first,
                          unsigned left, uint32_t some) {
    const winnow__view *const views =
        (const winnow__view *)column->strings + first;
    const uint32_t all = inside(left);
    if (kind == WINNOW__PATTERN_LESS || kind == WINNOW__PATTERN_LESS_EQUAL)
        return views_order(column, pattern, views, left);
    if (pattern->least == 0) /* invalid views may pass */
        return (verdict){0, all};
    if (kind == WINNOW__PATTERN_EQUAL || kind == WINNOW__PATTERN_STARTS)
        return views_start(kind, pattern, tests, views, left);
    if (kind == WINNOW__PATTERN_ENDS)
        return views_end(tests, views, left);
    if (kind == WINNOW__PATTERN_LIST)
        return views_look_up(pattern, views, left);
#ifdef __SSE2__
    if (kind == WINNOW__PATTERN_CONTAINS)
        return views_contain(column, pattern, views, left, some);
#endif
    (void)some;
    return (verdict){0, all};
}

#endif
