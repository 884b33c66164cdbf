/*
 * Comparisons of the year of a column, as ranges of the column's own values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "date.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_RANGES = 8 /* a list of more ranges stays one test of years */
};

/* The days from 1970-01-01 to the first day of a year. */
static winnow__wide days_before(winnow__wide year) {
    const winnow__wide before = year - 1;
    const winnow__wide era = (before >= 0 ? before : before - 399) / 400;
    const winnow__wide in_era = before - 400 * era; /* 0 to 399 */
    return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 - 719162;
}

/* The values of the column that lie in a range of years. */
static winnow__keys keys_of_years(const winnow__text *text,
                                  const winnow__text_value *column,
                                  winnow__keys years) {
    const winnow__domain domain = winnow__text_domain(text, column);
    const winnow__meaning meaning = winnow__text_meaning(text, column);
    const winnow__wide per_day =
        (winnow__wide)(winnow__unit_of(0) / meaning.unit);
    const winnow__wide per_second =
        meaning.unit > 1000000000 ? 0 : 1000000000 / (winnow__wide)meaning.unit;
    winnow__wide east = 0;
    if (meaning.zone != NULL)
        (void)winnow__zone_offset(meaning.zone,
                                  &east); /* the offset is known to be
                                                           fixed */
    const winnow__wide shift = east / 1000000000 * per_second;
    if (years.low > years.high)
        return years;
    const winnow__keys keys = {.low = days_before(years.low) * per_day - shift,
                               .high = days_before(years.high + 1) * per_day -
                                       shift - 1};
    return winnow__keys_of_both(keys,
                                (winnow__keys){domain.least, domain.most});
}

static winnow__text_value column_of(const winnow__text_value *year) {
    return (winnow__text_value){.kind = WINNOW__TEXT_COLUMN,
                                .column = year->column,
                                .span = year->span};
}

bool winnow__text_add_years(winnow__text *text, winnow__text_value *value,
                            winnow__keys keys, uint32_t place) {
    winnow__text_value column = column_of(value);
    if (!winnow__text_add_keys(text, &column,
                               keys_of_years(text, &column, keys), place))
        return false;
    value->kind = column.kind;
    value->continues = value->inverted = false;
    value->first = column.first;
    return true;
}

static int order_of(const void *a, const void *b) {
    int64_t left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return (left > right) - (left < right);
}

bool winnow__text_in_years(winnow__text *text, winnow__text_value *value,
                           bool *added) {
    winnow__text_list *const list = &text->list;
    const size_t count = list->bytes / sizeof(int64_t);
    winnow__keys ranges[MOST_RANGES] = {{1, 0}};
    unsigned number = 0;
    *added = false;
    if (count != 0)
        qsort(list->values, count, sizeof(int64_t), order_of);
    for (size_t i = 0; i < count; i++) {
        int64_t year;
        memcpy(&year, list->values + i * sizeof year, sizeof year);
        if (number != 0 && year <= ranges[number - 1].high + 1) {
            ranges[number - 1].high = year;
        } else if (number == MOST_RANGES) {
            return true;
        } else {
            ranges[number++] = (winnow__keys){year, year};
        }
    }
    const winnow__text_value column = *value;
    const uint32_t place = column.span.begin;
    *added = true;
    if (!winnow__text_add_years(text, value, ranges[0], place))
        return false;
    for (unsigned i = 1; i < number; i++) {
        winnow__text_value other = column;
        if (!winnow__text_add_years(text, &other, ranges[i], place) ||
            !winnow__text_join(text, WINNOW__NODE_OR, value, &other))
            return false;
    }
    return true;
}
