/*
 * The strings of two columns, pair by pair.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "compare.h"

#include "kernels/string/index.h"
#include "match.h"
#include "words.h"

/* ------------------------------------------------------------------ strings */

INLINE bool is_valid(const unsigned char *bits, uint64_t bit) {
    return bits == NULL || (bits[bit / 8] >> bit % 8 & 1) != 0;
}

/* The string of an item; false: it is null. */
INLINE bool load(const winnow__compared_strings *column, uint64_t item,
                 winnow__string *to) {
    if (column->first != NULL) {
        item = winnow__load_index(
            (const unsigned char *)((uintptr_t)column->first +
                                    item * column->stride),
            column->log2_size, column->is_signed);
        if (item >= column->values_n ||
            !is_valid(column->values_valid, column->values_valid_offset + item))
            return false;
    }
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
        for (unsigned i = start; i < start + left; i++) {
            winnow__string of_a, of_b;
            const bool are_there =
                load(a, first + i, &of_a) && load(b, first + i, &of_b);
            nulls[i] |= !are_there;
            word = push(word, are_there && passes(ordered, pass, of_a, of_b));
        }
        words[start / WORD] = pushed(word, left);
    }
}

/* Both of columns, behind offsets of 32 bits: without a branch for each. */
INLINE void compare_offsets(bool ordered, passing pass,
                            const winnow__string_column *a,
                            const winnow__string_column *b, uint64_t first,
                            unsigned items, uint32_t *words) {
    const uint32_t *const at_a = (const uint32_t *)a->strings + first;
    const uint32_t *const at_b = (const uint32_t *)b->strings + first;
    for (unsigned start = 0; start < items; start += WORD) {
        const unsigned left = items_left(start, items);
        uint32_t word = 0;
        for (unsigned i = start; i < start + left; i++)
            word = push(
                word, passes(ordered, pass,
                             winnow__string_between(a, at_a[i], at_a[i + 1]),
                             winnow__string_between(b, at_b[i], at_b[i + 1])));
        words[start / WORD] = pushed(word, left);
    }
}

/* Short ones lie in the views. */
INLINE bool are_equal_views(const winnow__string_column *a,
                            const winnow__string_column *b,
                            const winnow__view *of_a,
                            const winnow__view *of_b) {
    if (of_a->bytes <= WINNOW__VIEW_INLINE &&
        of_b->bytes <= WINNOW__VIEW_INLINE)
        return of_a->bytes == of_b->bytes &&
               winnow__same((const unsigned char *)&of_a->prefix,
                            (const unsigned char *)&of_b->prefix, of_a->bytes);
    const winnow__string s = winnow__string_of_view(a, of_a);
    const winnow__string t = winnow__string_of_view(b, of_b);
    return s.bytes == t.bytes && winnow__same(s.begin, t.begin, s.bytes);
}

static void compare_views(passing pass, const winnow__string_column *a,
                          const winnow__string_column *b, uint64_t first,
                          unsigned items, uint32_t *words) {
    const winnow__view *const at_a = (const winnow__view *)a->strings + first;
    const winnow__view *const at_b = (const winnow__view *)b->strings + first;
    for (unsigned start = 0; start < items; start += WORD) {
        const unsigned left = items_left(start, items);
        uint32_t word = 0;
        for (unsigned i = start; i < start + left; i++)
            word = push(word, are_equal_views(a, b, &at_a[i], &at_b[i]) ==
                                  pass.equal);
        words[start / WORD] = pushed(word, left);
    }
}

static bool are_columns_of(const winnow__compared_strings *a,
                           const winnow__compared_strings *b,
                           winnow__string_layout layout) {
    return a->first == NULL && b->first == NULL &&
           a->strings.layout == layout && b->strings.layout == layout;
}

void winnow__compare_strings(const winnow__compared_strings *a,
                             const winnow__compared_strings *b,
                             winnow_compare compare, uint64_t first,
                             unsigned items, uint32_t *words, uint8_t *nulls) {
    const passing pass = {.less = compare == WINNOW_LT ||
                                  compare == WINNOW_LE || compare == WINNOW_NE,
                          .equal = compare == WINNOW_EQ ||
                                   compare == WINNOW_LE || compare == WINNOW_GE,
                          .greater = compare == WINNOW_GT ||
                                     compare == WINNOW_GE ||
                                     compare == WINNOW_NE};
    const bool ordered = pass.less != pass.greater;
    if (are_columns_of(a, b, WINNOW__STRING_OFFSETS_32)) {
        if (ordered)
            compare_offsets(true, pass, &a->strings, &b->strings, first, items,
                            words);
        else
            compare_offsets(false, pass, &a->strings, &b->strings, first, items,
                            words);
    } else if (!ordered && are_columns_of(a, b, WINNOW__STRING_VIEWS)) {
        compare_views(pass, &a->strings, &b->strings, first, items, words);
    } else if (ordered) {
        compare_each(true, pass, a, b, first, items, words, nulls);
    } else {
        compare_each(false, pass, a, b, first, items, words, nulls);
    }
}
