/*
 * Strings of views: the length and the first bytes stand in a view, where most
 * tests look first. A long one, whose bytes lie in a buffer, is the empty string
 * if it is wrong, whatever stands in it: so it is looked at before it passes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "loops.h"

#include "filter.h"
#include "match.h"
#include "words.h"

/* Are its bytes in a buffer? */
INLINE bool is_far(const winnow__view *view) {
    return view->bytes > WINNOW__VIEW_INLINE;
}

static uint32_t far_of(const winnow__view *views, unsigned left) {
    uint32_t word = 0;
    for (unsigned i = 0; i < left; i++)
        word = push(word, is_far(&views[i]));
    return pushed(word, left);
}

INLINE bool passes(winnow__pattern_kind kind,
                   const winnow__string_column *column,
                   const winnow__pattern *pattern, const winnow__view *view) {
    const winnow__string s = winnow__string_of_view(column, view);
    return winnow__matches(kind, pattern, s.begin, s.bytes);
}

/* ------------------------------------------------- equal to, or begun by a text */

/* Length and first bytes, as two words under masks. */
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

INLINE void test_starts(winnow__pattern_kind kind,
                        const winnow__string_column *column,
                        const winnow__pattern *pattern,
                        const winnow__view *views, unsigned items,
                        const uint32_t *wanted, uint32_t *words) {
    const view_test test = view_test_of(pattern);
    for (unsigned start = 0; start < items; start += WORD, views += WORD) {
        const unsigned left = items_left(start, items);
        uint32_t word = 0;
        if (wanted != NULL && wanted[start / WORD] == 0)
            continue;
        for (unsigned i = 0; i < left; i++)
            word = push(word, may_pass(&views[i], &test, pattern->least));
        word = pushed(word, left);
        uint32_t some = word;
        if (test.exact && some != 0)
            some &= kind == WINNOW__PATTERN_EQUAL ? 0 : far_of(views, left);
        for (; some != 0; some &= some - 1) {
            const unsigned i = (unsigned)__builtin_ctz(some);
            word ^= (uint32_t)!passes(kind, column, pattern, &views[i]) << i;
        }
        words[start / WORD] = word;
    }
}

/* ---------------------------------------------------------- before a text */

/* By the first 4 bytes, as numbers; where they are the text's, by all. */
INLINE void test_order(winnow__pattern_kind kind,
                       const winnow__string_column *column,
                       const winnow__pattern *pattern,
                       const winnow__view *views, unsigned items,
                       const uint32_t *wanted, uint32_t *words) {
    const uint32_t bytes = pattern->text.bytes;
    const uint32_t front = __builtin_bswap32((uint32_t)winnow__load_few(
        winnow__pattern_bytes(pattern, &pattern->text), bytes < 4 ? bytes : 4));
    for (unsigned start = 0; start < items; start += WORD, views += WORD) {
        const unsigned left = items_left(start, items);
        uint32_t word = 0, unknown = 0;
        if (wanted != NULL && wanted[start / WORD] == 0)
            continue;
        for (unsigned i = 0; i < left; i++) {
            const uint32_t s = __builtin_bswap32(
                views[i].prefix &
                (uint32_t)winnow__first_bytes(views[i].bytes));
            word = push(word, s < front);
            unknown = push(unknown, s == front);
        }
        word = pushed(word, left);
        unknown = pushed(unknown, left);
        /* A wrong one is empty. */
        for (uint32_t far = far_of(views, left) & ~unknown; far != 0;
             far &= far - 1) {
            const unsigned i = (unsigned)__builtin_ctz(far);
            const winnow__string s = winnow__string_of_view(column, &views[i]);
            unknown |= (uint32_t)(s.bytes == 0) << i;
        }
        for (word &= ~unknown; unknown != 0; unknown &= unknown - 1) {
            const unsigned i = (unsigned)__builtin_ctz(unknown);
            word |= (uint32_t)passes(kind, column, pattern, &views[i]) << i;
        }
        words[start / WORD] = word;
    }
}

/* --------------------------------------------------------------- of a list */

INLINE bool is_in_list(const winnow__string_column *column,
                       const winnow__pattern *list, const winnow__view *view) {
    const winnow__string s = winnow__string_of_view(column, view);
    /* The ends of a long one say more than its view. */
    return (s.bytes <= WINNOW__VIEW_INLINE ||
            winnow__filter_has(list,
                               winnow__filter_ends(list, s.begin, s.bytes))) &&
           winnow__string_find(list, s.begin, s.bytes);
}

static void look_up(const winnow__string_column *column,
                    const winnow__string_test *test, const winnow__view *views,
                    unsigned items, const uint32_t *wanted, uint32_t *words) {
    const winnow__pattern *const list = test->pattern;
    for (unsigned start = 0; start < items; start += WORD, views += WORD) {
        const unsigned left = items_left(start, items);
        uint32_t word = 0;
        if (wanted != NULL && wanted[start / WORD] == 0)
            continue;
        for (unsigned i = 0; i < left; i++)
            word = push(word, winnow__filter_has(
                                  list, winnow__filter_view(list, &views[i])));
        word = pushed(word, left);
        for (uint32_t some = word; some != 0; some &= some - 1) {
            const unsigned i = (unsigned)__builtin_ctz(some);
            word ^= (uint32_t)!is_in_list(column, list, &views[i]) << i;
        }
        words[start / WORD] = word;
    }
}

/* -------------------------------------------------------- that contain a text */

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

/* Long strings that were written together lie one after the other in a buffer: is
 * it so with the views of these bits, and little between them? *bytes_p: all of
 * theirs, from the first one's on. */
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

/* Those of them that contain the text, as offsets_loops.h finds them. */
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
            some &= some - 1; /* no other place in it matters */
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

INLINE bool contains(const winnow__string_column *column,
                     const winnow__needle *needle, const winnow__view *view) {
    if (!is_far(view))
        return needle->bytes <= WINNOW__VIEW_INLINE &&
               view_contains(view, needle);
    const winnow__string s = winnow__string_of_view(column, view);
    return winnow__find_needle(needle, s.begin, s.bytes) != NULL;
}

static void contain(const winnow__string_column *column,
                    const winnow__pattern *pattern, const winnow__view *views,
                    unsigned items, const uint32_t *wanted, uint32_t *words) {
    const winnow__needle needle = winnow__needle_of(
        winnow__pattern_bytes(pattern, &pattern->text), pattern->text.bytes);
    for (unsigned start = 0; start < items; start += WORD, views += WORD) {
        const unsigned left = items_left(start, items);
        uint32_t some = inside(left), word = 0;
        uint64_t bytes;
        if (wanted != NULL)
            some &= wanted[start / WORD];
        const uint32_t far = some != 0 ? far_of(views, left) & some : 0;
        const unsigned char *const row =
            far != 0 ? in_a_row(column, views, far, &bytes) : NULL;
        if (row != NULL) {
            word = find_in_row(&needle, views, far, row, bytes);
            some ^= far;
        }
        for (; some != 0; some &= some - 1) {
            const unsigned i = (unsigned)__builtin_ctz(some);
            word |= (uint32_t)contains(column, &needle, &views[i]) << i;
        }
        words[start / WORD] = word;
    }
}
#endif

bool winnow__test_views(const winnow__string_column *column,
                        const winnow__string_test *test, uint64_t first,
                        unsigned items, const uint32_t *wanted,
                        uint32_t *words) {
    const winnow__pattern *const pattern = test->pattern;
    const winnow__view *const views =
        (const winnow__view *)column->strings + first;
    switch (pattern->kind) {
    case WINNOW__PATTERN_EQUAL:
        if (pattern->text.bytes == 0) /* wrong ones pass */
            return false;
        test_starts(WINNOW__PATTERN_EQUAL, column, pattern, views, items,
                    wanted, words);
        return true;
    case WINNOW__PATTERN_STARTS:
        test_starts(WINNOW__PATTERN_STARTS, column, pattern, views, items,
                    wanted, words);
        return true;
    case WINNOW__PATTERN_LESS:
        test_order(WINNOW__PATTERN_LESS, column, pattern, views, items, wanted,
                   words);
        return true;
    case WINNOW__PATTERN_LESS_EQUAL:
        test_order(WINNOW__PATTERN_LESS_EQUAL, column, pattern, views, items,
                   wanted, words);
        return true;
    case WINNOW__PATTERN_LIST:
        if (pattern->least == 0 && pattern->number != 0) /* likewise */
            return false;
        look_up(column, test, views, items, wanted, words);
        return true;
#ifdef __SSE2__
    case WINNOW__PATTERN_CONTAINS:
        contain(column, pattern, views, items, wanted, words);
        return true;
#endif
    default:
        return false;
    }
}
