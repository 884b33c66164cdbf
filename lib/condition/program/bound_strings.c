/*
 * Bounds of strings: the least and the greatest text that pass a test.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bounds.h"

#include "string/match.h"
#include "string/test.h"

enum {
    MOST_TEXTS = 64 /* a longer list gives its least and its greatest text */
};

static winnow_buffer buffer_of(const winnow__pattern *pattern,
                               const winnow__pattern_text *text) {
    return (winnow_buffer){.d_bytes = winnow__pattern_bytes(pattern, text),
                           .bytes = text->bytes};
}

/* From one text to another one, of which either may be missing. */
static winnow__said add(winnow__bounds *to, unsigned column, winnow_buffer low,
                        winnow_buffer high) {
    return winnow__bounds_add(to,
                              (winnow_bound){.kind = WINNOW_BOUND_TEXT,
                                             .column = column,
                                             .has_low = low.d_bytes != NULL,
                                             .has_high = high.d_bytes != NULL,
                                             .low_text = low,
                                             .high_text = high});
}

static int order_of(winnow_buffer a, winnow_buffer b) {
    return winnow__order(a.d_bytes, a.bytes, b.d_bytes, b.bytes);
}

static winnow__said add_list(winnow__bounds *to, unsigned column,
                             const winnow__pattern *list) {
    const winnow__pattern_text *const texts =
        (const winnow__pattern_text *)(const void *)((const char *)list +
                                                     list->others);
    const uint64_t begin = to->count;
    winnow__said said = WINNOW__SAYS_NONE;
    winnow_buffer low = {0}, high = {0};
    for (uint32_t i = 0; i < list->number; i++) {
        const winnow_buffer text = buffer_of(list, &texts[i]);
        low = i == 0 || order_of(text, low) < 0 ? text : low;
        high = i == 0 || order_of(text, high) > 0 ? text : high;
        if (list->number <= MOST_TEXTS)
            said =
                winnow__bounds_or(to, begin, said, add(to, column, text, text));
    }
    return list->number <= MOST_TEXTS ? said : add(to, column, low, high);
}

winnow__said winnow__bounds_of_strings(winnow__bounds *to,
                                       const winnow__node *leaf, bool truth) {
    const winnow__string_test *test = leaf->string;
    const winnow__pattern *pattern = test->pattern;
    const winnow_buffer none = {0};
    if (pattern->kind == WINNOW__PATTERN_LIKE && truth && test->need[0] != NULL)
        pattern = test->need[0]->pattern;
    const winnow_buffer text = buffer_of(pattern, &pattern->text);
    switch (pattern->kind) {
    case WINNOW__PATTERN_LIST:
        if (truth)
            return add_list(to, leaf->column, pattern);
        break;
    case WINNOW__PATTERN_EQUAL:
        if (truth)
            return add(to, leaf->column, text, text);
        break;
    case WINNOW__PATTERN_LESS:
    case WINNOW__PATTERN_LESS_EQUAL:
        return truth ? add(to, leaf->column, none, text)
                     : add(to, leaf->column, text, none);
    case WINNOW__PATTERN_STARTS:
        if (truth)
            return add(to, leaf->column, text, none);
        break;
    default:
        break;
    }
    return winnow__bounds_add_kind(to, WINNOW_BOUND_VALID, leaf->column);
}
