/*
 * Ranges of integers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "builder.h"

static const winnow__range all = {INT64_MIN, INT64_MAX};

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b) {
    return a < b ? b : a;
}

static winnow__range sum(winnow__range a, winnow__range b) {
    winnow__range made;
    return __builtin_add_overflow(a.low, b.low, &made.low) ||
                   __builtin_add_overflow(a.high, b.high, &made.high)
               ? all
               : made;
}

static winnow__range difference(winnow__range a, winnow__range b) {
    winnow__range made;
    return __builtin_sub_overflow(a.low, b.high, &made.low) ||
                   __builtin_sub_overflow(a.high, b.low, &made.high)
               ? all
               : made;
}

static winnow__range hull(const int64_t corner[4]) {
    return (winnow__range){
        least(least(corner[0], corner[1]), least(corner[2], corner[3])),
        most(most(corner[0], corner[1]), most(corner[2], corner[3]))};
}

static winnow__range product(winnow__range a, winnow__range b) {
    int64_t corner[4];
    return __builtin_mul_overflow(a.low, b.low, &corner[0]) ||
                   __builtin_mul_overflow(a.low, b.high, &corner[1]) ||
                   __builtin_mul_overflow(a.high, b.low, &corner[2]) ||
                   __builtin_mul_overflow(a.high, b.high, &corner[3])
               ? all
               : hull(corner);
}

__extension__ typedef __int128 wide;

/* The range of the upper halves of products, which grow with the products. */
static winnow__range high_product(winnow__range a, winnow__range b) {
    const int64_t corner[] = {(int64_t)((wide)a.low * b.low >> 64),
                              (int64_t)((wide)a.low * b.high >> 64),
                              (int64_t)((wide)a.high * b.low >> 64),
                              (int64_t)((wide)a.high * b.high >> 64)};
    return hull(corner);
}

static winnow__range absolute(winnow__range a) {
    if (a.low == INT64_MIN)
        return all;
    return (winnow__range){a.low > 0    ? a.low
                           : a.high < 0 ? -a.high
                                        : 0,
                           most(-a.low, a.high)};
}

static int64_t divide_down(int64_t a, int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
}

/* Divided by a constant above 0. */
static winnow__range quotient(winnow__range a, winnow__range b) {
    if (b.low != b.high || b.low <= 0)
        return all;
    return (winnow__range){divide_down(a.low, b.low),
                           divide_down(a.high, b.low)};
}

static winnow__range remainder_of(winnow__range a, winnow__range b) {
    if (b.low == INT64_MIN)
        return a;
    const int64_t far = most(most(-b.low, b.high) - 1, 0);
    return (winnow__range){a.low < 0 ? most(a.low, -far) : 0,
                           a.high > 0 ? least(a.high, far) : 0};
}

/* 2^31 days are less than 5.9 million years. */
static winnow__range years(winnow__range days) {
    static const winnow__range few = {INT32_MIN, INT32_MAX};
    return winnow__is_within(days, few) ? (winnow__range){-6000000, 6000000}
                                        : all;
}

winnow__range winnow__range_of(unsigned code, winnow__range a,
                               winnow__range b) {
    switch (code) {
    case WINNOW__LOAD_INT8:
        return (winnow__range){INT8_MIN, INT8_MAX};
    case WINNOW__LOAD_INT16:
        return (winnow__range){INT16_MIN, INT16_MAX};
    case WINNOW__LOAD_INT32:
        return (winnow__range){INT32_MIN, INT32_MAX};
    case WINNOW__LOAD_UINT8:
        return (winnow__range){0, UINT8_MAX};
    case WINNOW__LOAD_UINT16:
        return (winnow__range){0, UINT16_MAX};
    case WINNOW__LOAD_UINT32:
        return (winnow__range){0, UINT32_MAX};
    case WINNOW__BOOL_TO_INT64:
        return (winnow__range){0, 1};
    case WINNOW__NEGATE_INT64:
        return difference((winnow__range){0, 0}, a);
    case WINNOW__ABS_INT64:
        return absolute(a);
    case WINNOW__ADD_INT64:
    case WINNOW__ADD_EXACT_INT64:
        return sum(a, b);
    case WINNOW__SUBTRACT_INT64:
    case WINNOW__SUBTRACT_EXACT_INT64:
        return difference(a, b);
    case WINNOW__MULTIPLY_INT64:
        return product(a, b);
    case WINNOW__MULTIPLY_HIGH_INT64:
        return high_product(a, b);
    case WINNOW__ORDER_INT64:
    case WINNOW__ORDER_UINT64:
        return (winnow__range){-1, 1};
    case WINNOW__WITHIN_INT64:
        return (winnow__range){most(a.low, -b.high), least(a.high, b.high)};
    case WINNOW__UNLESS_BELOW_0_INT64:
        return a;
    case WINNOW__MIN_INT64:
        return (winnow__range){least(a.low, b.low), least(a.high, b.high)};
    case WINNOW__MAX_INT64:
        return (winnow__range){most(a.low, b.low), most(a.high, b.high)};
    case WINNOW__FLOOR_DIVIDE_INT64:
    case WINNOW__FLOOR_DIVIDE_INT64_BY:
        return quotient(a, b);
    case WINNOW__REMAINDER_INT64:
    case WINNOW__REMAINDER_INT64_BY:
        return remainder_of(a, b);
    case WINNOW__AT_LEAST_INT64:
        return (winnow__range){most(a.low, b.low), most(a.high, b.low)};
    case WINNOW__AT_MOST_INT64:
        return (winnow__range){least(a.low, b.high), least(a.high, b.high)};
    case WINNOW__YEAR:
        return years(a);
    case WINNOW__MONTH:
        return (winnow__range){1, 12};
    case WINNOW__DAY:
        return (winnow__range){1, 31};
    default:
        return all;
    }
}
