/*
 * Comparing the strings of two columns, item by item.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "compare.h"

#include "match.h"
#include "words.h"

/* ------------------------------------------------------------------ strings */

/* The string of an item. False: the item is null. */
INLINE bool load(const winnow__compared_strings *column, uint64_t item,
                 winnow__string *to) {
    if (!winnow__find_compared(column, &item))
        return false;
    *to = winnow__string_at(&column->strings, item);
    return true;
}

/* ---------------------------------------------------------------- comparisons */

typedef struct passing {
    bool less, equal, greater;
} passing;

INLINE bool passes(bool ordered, passing pass, winnow__string a,
                   winnow__string b) {
    if (!ordered)
        return (a.bytes == b.bytes &&
                winnow__same(a.begin, b.begin, a.bytes)) == pass.equal;
    const int order = winnow__order(a.begin, a.bytes, b.begin, b.bytes);
    return order < 0 ? pass.less : order == 0 ? pass.equal : pass.greater;
}

INLINE void compare_each(bool ordered, passing pass,
                         const winnow__compared_strings *a,
                         const winnow__compared_strings *b, uint64_t first,
                         unsigned items, uint32_t *words, uint8_t *nulls) {
    for (unsigned start = 0; start < items; start += WORD) {
        const unsigned left = items_left(start, items);
        uint32_t word = 0;
        for (unsigned i = start + left; i-- != start;) {
            winnow__string of_a, of_b;
            const bool are_there =
                load(a, first + i, &of_a) && load(b, first + i, &of_b);
            nulls[i] |= !are_there;
            word = push(word, are_there && passes(ordered, pass, of_a, of_b));
        }
        words[start / WORD] = word;
    }
}

/* Both columns have the same layout, a constant for the compiler, and no nulls. */
INLINE void compare_columns(bool ordered, passing pass,
                            winnow__string_layout layout,
                            winnow__compared_strings a,
                            winnow__compared_strings b, uint64_t first,
                            unsigned items, uint32_t *words, uint8_t *nulls) {
    a.strings.layout = b.strings.layout = layout;
    a.first = b.first = NULL;
    compare_each(ordered, pass, &a, &b, first, items, words, nulls);
}

static bool are_columns_of(const winnow__compared_strings *a,
                           const winnow__compared_strings *b,
                           winnow__string_layout layout) {
    return a->first == NULL && b->first == NULL &&
           a->strings.layout == layout && b->strings.layout == layout;
}

INLINE void compare(bool ordered, passing pass,
                    const winnow__compared_strings *a,
                    const winnow__compared_strings *b, uint64_t first,
                    unsigned items, uint32_t *words, uint8_t *nulls) {
    if (are_columns_of(a, b, WINNOW__STRING_OFFSETS_32))
        compare_columns(ordered, pass, WINNOW__STRING_OFFSETS_32, *a, *b, first,
                        items, words, nulls);
    else if (are_columns_of(a, b, WINNOW__STRING_VIEWS))
        compare_columns(ordered, pass, WINNOW__STRING_VIEWS, *a, *b, first,
                        items, words, nulls);
    else
        compare_each(ordered, pass, a, b, first, items, words, nulls);
}

void winnow__compare_strings(const winnow__compared_strings *a,
                             const winnow__compared_strings *b,
                             winnow_compare how, uint64_t first, unsigned items,
                             uint32_t *words, uint8_t *nulls) {
    const passing pass = {
        .less = how == WINNOW_LT || how == WINNOW_LE || how == WINNOW_NE,
        .equal = how == WINNOW_EQ || how == WINNOW_LE || how == WINNOW_GE,
        .greater = how == WINNOW_GT || how == WINNOW_GE || how == WINNOW_NE};
    if (pass.less != pass.greater)
        compare(true, pass, a, b, first, items, words, nulls);
    else
        compare(false, pass, a, b, first, items, words, nulls);
}
