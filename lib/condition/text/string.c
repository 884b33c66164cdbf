/*
 * winnow_condition_text and winnow_condition_text_in: tests of strings.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/status.h"
#include "string/test.h"
#include "condition/program/tree.h"

#include <string.h>

/* The condition of a test, of which it takes the reference. */
static winnow_status make(winnow_condition **condition_p, unsigned column,
                          winnow__string_test *test, bool negated) {
    const winnow__node leaf = {.kind = WINNOW__NODE_STRING,
                               .negated = negated,
                               .column = (uint16_t)column,
                               .string = test};
    return winnow__condition_of(condition_p, 1, &leaf, 1);
}

static winnow_status create(winnow__string_test **test_p, winnow_text_test test,
                            winnow__bytes text, bool *negated_p) {
    winnow__pattern_kind kind;
    *negated_p = false;
    switch (test) {
    case WINNOW_TEXT_LT:
    case WINNOW_TEXT_LE:
    case WINNOW_TEXT_EQ:
    case WINNOW_TEXT_NE:
    case WINNOW_TEXT_GE:
    case WINNOW_TEXT_GT:
        kind = winnow__string_compare_kind((winnow_compare)test, negated_p);
        break;
    case WINNOW_TEXT_STARTS_WITH:
        kind = WINNOW__PATTERN_STARTS;
        break;
    case WINNOW_TEXT_ENDS_WITH:
        kind = WINNOW__PATTERN_ENDS;
        break;
    case WINNOW_TEXT_CONTAINS:
        kind = winnow__string_part_kind(WINNOW__PATTERN_CONTAINS,
                                        text.number == 0);
        break;
    case WINNOW_TEXT_LIKE:
        return winnow__string_test_like(test_p, text, (winnow__bytes){"", 0});
    default:
        return winnow__refuse("test %d is no winnow_text_test", (int)test);
    }
    return winnow__string_test_create(test_p, kind, text);
}

winnow_status winnow_condition_text(winnow_condition **condition_p,
                                    unsigned column, winnow_text_test test,
                                    const char *text, size_t bytes) {
    winnow__string_test *made = NULL;
    bool negated;
    WINNOW__TRY(winnow__need(condition_p, "condition_p"));
    WINNOW__TRY(winnow__check_column(column));
    if (text == NULL && bytes != 0)
        return winnow__refuse("text is NULL");
    WINNOW__TRY(create(&made, test, (winnow__bytes){text, bytes}, &negated));
    return make(condition_p, column, made, negated);
}

static winnow__bytes next_text(const void *argument, uint64_t i) {
    const winnow_buffer *const texts = argument;
    return (winnow__bytes){texts[i].d_bytes, (size_t)texts[i].bytes};
}

winnow_status winnow_condition_text_in(winnow_condition **condition_p,
                                       unsigned column,
                                       const winnow_buffer *texts,
                                       uint64_t count) {
    winnow__string_test *made = NULL;
    WINNOW__TRY(winnow__need(condition_p, "condition_p"));
    WINNOW__TRY(winnow__check_column(column));
    if (texts == NULL && count != 0)
        return winnow__refuse("texts is NULL");
    for (uint64_t i = 0; i < count; i++)
        if (texts[i].d_bytes == NULL && texts[i].bytes != 0)
            return winnow__refuse("texts[%llu].d_bytes is NULL",
                                  (unsigned long long)i);
    WINNOW__TRY(winnow__string_test_list(&made, next_text, texts, count));
    return make(condition_p, column, made, false);
}
