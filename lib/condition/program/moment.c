/*
 * Operations of moments: integers that count ticks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "builder.h"
#include "decimal.h"

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
    if (ticks_per_day == 1) /* every moment is at midnight */
        return by_int(builder, WINNOW__MULTIPLY, a, 0);
    /* Whole hours, minutes or seconds since 1970; then the remainder in the next larger
     * unit. */
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

/* --------------------------------------------------------------------- exact */

/* Does the result always fit into 64 bits? */
static bool is_known(const winnow__builder *builder, unsigned code,
                     winnow__value a, winnow__value b) {
    const winnow__range made =
        winnow__range_of(code, winnow__node_of(builder, a)->range,
                         winnow__node_of(builder, b)->range);
    return made.low != INT64_MIN || made.high != INT64_MAX;
}

/* ADD or SUBTRACT; null if the result does not fit into 64 bits. */
static winnow__value exact(winnow__builder *builder, winnow__binary operation,
                           winnow__value a, winnow__value b) {
    const bool adds = operation == WINNOW__ADD;
    return is_known(builder, adds ? WINNOW__ADD_INT64 : WINNOW__SUBTRACT_INT64,
                    a, b)
               ? winnow__build_binary(builder, operation, a, b)
               : winnow__make(builder,
                              adds ? WINNOW__ADD_EXACT_INT64
                                   : WINNOW__SUBTRACT_EXACT_INT64,
                              WINNOW__INT64, a, b);
}

/* Does a times a factor always fit into 64 bits? */
static bool is_narrow(const winnow__builder *builder, winnow__value a,
                      int64_t factor) {
    const winnow__range range = winnow__node_of(builder, a)->range;
    return range.low >= INT64_MIN / factor && range.high <= INT64_MAX / factor;
}

static winnow__exact wide_product(winnow__builder *builder, winnow__value a,
                                  int64_t factor) {
    const winnow__exact x = winnow__exact_integer(builder, a);
    return factor == 1 ? x
                       : winnow__exact_binary(
                             builder, WINNOW__MULTIPLY, x,
                             winnow__exact_constant(builder, factor, 0));
}

winnow__value winnow__build_of_units(winnow__builder *builder,
                                     winnow__binary operation, winnow__value a,
                                     int64_t a_factor, winnow__value b,
                                     int64_t b_factor) {
    if (a == WINNOW__NO_VALUE || b == WINNOW__NO_VALUE)
        return WINNOW__NO_VALUE;
    if (!is_narrow(builder, a, a_factor) || !is_narrow(builder, b, b_factor))
        return winnow__exact_to_integer(
            builder, WINNOW_INT64,
            winnow__exact_binary(builder, operation,
                                 wide_product(builder, a, a_factor),
                                 wide_product(builder, b, b_factor)));
    if (a_factor != 1)
        a = by_int(builder, WINNOW__MULTIPLY, a, a_factor);
    if (b_factor != 1)
        b = by_int(builder, WINNOW__MULTIPLY, b, b_factor);
    return operation <= WINNOW__SUBTRACT
               ? exact(builder, operation, a, b)
               : winnow__build_binary(builder, operation, a, b);
}

/* Compares with b / factor, which needs no more bits than b. Rounded down, it
 * is the greatest number whose product is at most b; rounded up, the least
 * number whose product is at least b. */
winnow__value winnow__build_compare_scaled(winnow__builder *builder,
                                           winnow_compare compare,
                                           winnow__value a, int64_t factor,
                                           winnow__value b) {
    if (a == WINNOW__NO_VALUE || b == WINNOW__NO_VALUE)
        return WINNOW__NO_VALUE;
    if (factor == 1)
        return winnow__build_compare(builder, compare, a, b);
    if (is_narrow(builder, a, factor))
        return winnow__build_compare(
            builder, compare, by_int(builder, WINNOW__MULTIPLY, a, factor), b);
    const winnow__value down = by_int(builder, WINNOW__FLOOR_DIVIDE, b, factor);
    if (compare == WINNOW_LE || compare == WINNOW_GT)
        return winnow__build_compare(builder, compare, a, down);
    const winnow__value up = winnow__build_binary(
        builder, WINNOW__ADD, down,
        winnow__build_cast(builder, WINNOW_INT64,
                           winnow__build_compare(
                               builder, WINNOW_NE,
                               by_int(builder, WINNOW__MULTIPLY, down, factor),
                               b)));
    if (compare == WINNOW_LT || compare == WINNOW_GE)
        return winnow__build_compare(builder, compare, a, up);
    /* a is equal to both if it is at least one and at most the other. */
    return winnow__build_compare(
        builder, compare, winnow__build_binary(builder, WINNOW__MAX, a, up),
        winnow__build_binary(builder, WINNOW__MIN, a, down));
}
