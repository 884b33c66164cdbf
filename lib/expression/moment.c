/*
 * What is computed of moments: integers that count ticks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "builder.h"

static winnow__value by_int(winnow__builder *builder, winnow__binary operation,
                            winnow__value a, int64_t b) {
    return winnow__build_binary(builder, operation, a,
                                winnow__build_int(builder, b, false));
}

winnow__value winnow__build_part(winnow__builder *builder, winnow__part_of part,
                                 winnow__value a, int64_t ticks_per_day) {
    const winnow__value days =
        ticks_per_day == 1
            ? a
            : by_int(builder, WINNOW__FLOOR_DIVIDE, a, ticks_per_day);
    switch (part) {
    case WINNOW__YEAR_OF:
        return winnow__make_one(builder, WINNOW__YEAR, WINNOW__INT64, days);
    case WINNOW__MONTH_OF:
        return winnow__make_one(builder, WINNOW__MONTH, WINNOW__INT64, days);
    case WINNOW__DAY_OF:
        return winnow__make_one(builder, WINNOW__DAY, WINNOW__INT64, days);
    default:
        break;
    }
    if (ticks_per_day == 1) /* at midnight */
        return by_int(builder, WINNOW__MULTIPLY, a, 0);
    /* Hours and so on since 1970; then since what they are a part of. */
    const int64_t per_day = part == WINNOW__HOUR_OF     ? 24
                            : part == WINNOW__MINUTE_OF ? 24 * 60
                                                        : 24 * 60 * 60;
    const int64_t within = part == WINNOW__HOUR_OF ? 24 : 60;
    const winnow__value since =
        by_int(builder, WINNOW__FLOOR_DIVIDE, a, ticks_per_day / per_day);
    const winnow__value whole =
        by_int(builder, WINNOW__FLOOR_DIVIDE, since, within);
    return winnow__build_binary(
        builder, WINNOW__SUBTRACT, since,
        by_int(builder, WINNOW__MULTIPLY, whole, within));
}

winnow__value winnow__build_scaled(winnow__builder *builder, winnow__value a,
                                   int64_t factor) {
    a = winnow__build_between(builder, a, INT64_MIN / factor,
                              INT64_MAX / factor);
    return by_int(builder, WINNOW__MULTIPLY, a, factor);
}
