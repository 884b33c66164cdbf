/*
 * Predicates, and the test that each becomes (kernels/core/args.h).
 *
 * A comparison or a range becomes a closed interval of keys: unsigned integers
 * in the order of the values. The key of an integer is the integer with its
 * sign bit flipped. So is the key of a float; if the float is negative, its
 * other bits are flipped, too. The two zeros have adjacent keys, and NaNs are
 * outside of [-infinity, +infinity]; so IEEE comparisons are intervals, too.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "predicate.h"
#include "status.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- int128 */

__extension__ typedef unsigned __int128 unsigned_wide;

#define MOST ((winnow__wide)(~(unsigned_wide)0 >> 1))
#define LEAST (-MOST - 1)

static winnow__wide load(const void *value) {
    winnow__wide wide; /* little-endian, as configure checks */
    memcpy(&wide, value, sizeof wide);
    return wide;
}

static winnow_status create_wide(winnow_predicate **predicate_p,
                                 winnow__wide low, winnow__wide high,
                                 bool outside) {
    WINNOW__TRY(winnow__need(predicate_p, "predicate_p"));
    winnow__wide_predicate *const made = malloc(sizeof *made);
    if (made == NULL)
        return winnow__no_memory("a predicate");
    *made = (winnow__wide_predicate){
        .predicate = {.type = winnow__tested_type(WINNOW_INT128)},
        .low = low,
        .high = high,
        .outside = outside};
    *predicate_p = &made->predicate;
    return WINNOW_OK;
}

/* winnow_predicate_compare() and ..._range(), with checked arguments. */
static winnow_status winnow__wide_compare(winnow_predicate **predicate_p,
                                          winnow_compare compare,
                                          const void *value) {
    const winnow__wide bound = load(value);
    switch (compare) {
    case WINNOW_LT: /* not >= */
        return create_wide(predicate_p, bound, MOST, true);
    case WINNOW_LE:
        return create_wide(predicate_p, LEAST, bound, false);
    case WINNOW_EQ:
        return create_wide(predicate_p, bound, bound, false);
    case WINNOW_NE:
        return create_wide(predicate_p, bound, bound, true);
    case WINNOW_GE:
        return create_wide(predicate_p, bound, MOST, false);
    default: /* WINNOW_GT, not <= */
        return create_wide(predicate_p, LEAST, bound, true);
    }
}

static winnow_status winnow__wide_range(winnow_predicate **predicate_p,
                                        const void *low, const void *high) {
    return create_wide(predicate_p, load(low), load(high), false);
}

static bool is_float(const winnow__type_info *type) {
    return type->infinity != 0;
}

static uint64_t load_bits(const winnow__type_info *type, const void *value) {
    uint64_t bits = 0; /* little-endian, as configure checks */
    memcpy(&bits, value, type->size);
    return bits;
}

static bool is_nan(const winnow__type_info *type, uint64_t bits) {
    return is_float(type) && (bits & ~winnow__sign_bit(type)) > type->infinity;
}

/* The keys of all values equal to a value. A float zero has two. */
static winnow__interval keys_equal_to(const winnow__type_info *type,
                                      uint64_t bits) {
    const uint64_t key = winnow__key_of(type, bits);
    if (is_float(type) && (bits & ~winnow__sign_bit(type)) == 0)
        return (winnow__interval){winnow__sign_bit(type) - 1,
                                  winnow__sign_bit(type)};
    return (winnow__interval){key, key};
}

static void keep_nothing(winnow_predicate *predicate) {
    predicate->kind = WINNOW__BITS;
    predicate->test = (winnow__test){.mask = 0, .low = 1, .span = 0};
}

static void keep_everything(winnow_predicate *predicate) {
    const uint64_t full = winnow__all_bits(predicate->type);
    predicate->kind = WINNOW__INTERVAL;
    predicate->test = (winnow__test){.mask = full, .low = 0, .span = full};
}

/*
 * Keep the values whose keys lie in [low, high], which may wrap around. The
 * key of the kernels differs from ours in the sign bit; subtracting it modulo
 * 2^width takes it out of both.
 */
static void keep_keys(winnow_predicate *predicate, winnow__interval keys) {
    const winnow__type_info *type = predicate->type;
    const uint64_t full = winnow__all_bits(type), sign = winnow__sign_bit(type);
    winnow__test *test = &predicate->test;
    *test = (winnow__test){.mask = full, .span = (keys.high - keys.low) & full};
    predicate->kind = WINNOW__INTERVAL;
    if (!is_float(type)) {
        test->low = type->is_signed ? keys.low ^ sign : keys.low;
    } else if (sign <= keys.low && keys.low <= keys.high) {
        /* The bits of positive floats have the order of their values. */
        test->low = keys.low ^ sign;
    } else if (keys.low <= keys.high && keys.high < sign) {
        /* The bits of negative floats have the reverse order. */
        test->low = keys.high ^ full;
    } else {
        predicate->kind = WINNOW__KEYED;
        test->flip = full ^ sign;
        test->low = keys.low ^ sign;
    }
}

static void keep_compared(winnow_predicate *predicate, winnow_compare compare,
                          uint64_t bits) {
    const winnow__type_info *type = predicate->type;
    if (is_nan(type, bits)) {
        if (compare == WINNOW_NE)
            keep_everything(predicate);
        else
            keep_nothing(predicate);
        return;
    }
    const winnow__interval all = winnow__ordered_keys(type);
    const winnow__interval same = keys_equal_to(type, bits);
    bool empty = false;
    winnow__interval keys = all;
    switch (compare) {
    case WINNOW_LT:
        empty = same.low == all.low;
        keys.high = same.low - 1;
        break;
    case WINNOW_LE:
        keys.high = same.high;
        break;
    case WINNOW_EQ:
        keys = same;
        break;
    case WINNOW_NE: /* wraps around, and includes every NaN */
        keys = (winnow__interval){(same.high + 1) & winnow__all_bits(type),
                                  (same.low - 1) & winnow__all_bits(type)};
        break;
    case WINNOW_GE:
        keys.low = same.low;
        break;
    case WINNOW_GT:
        empty = same.high == all.high;
        keys.low = same.high + 1;
        break;
    }
    if (empty)
        keep_nothing(predicate);
    else
        keep_keys(predicate, keys);
}

/* The checks that all three constructors share. Makes the object. */
static winnow_status create(winnow_predicate **predicate_p, winnow_type type,
                            winnow_predicate **made_p) {
    WINNOW__TRY(winnow__need(predicate_p, "predicate_p"));
    const winnow__type_info *info = winnow__type(type);
    if (info == NULL)
        return winnow__fail_type("type", type);
    winnow_predicate *made = malloc(sizeof *made);
    if (made == NULL)
        return winnow__no_memory("a predicate");
    made->type = info;
    *made_p = made;
    return WINNOW_OK;
}

winnow_status winnow_predicate_compare(winnow_predicate **predicate_p,
                                       winnow_type type, winnow_compare compare,
                                       const void *value) {
    WINNOW__TRY(winnow__need(value, "value"));
    if ((int)compare < WINNOW_LT || (int)compare > WINNOW_GT)
        return winnow__refuse("compare %d is no winnow_compare", (int)compare);
    if (type == WINNOW_INT128)
        return winnow__wide_compare(predicate_p, compare, value);
    winnow_predicate *made;
    WINNOW__TRY(create(predicate_p, type, &made));
    keep_compared(made, compare, load_bits(made->type, value));
    *predicate_p = made;
    return WINNOW_OK;
}

winnow_status winnow_predicate_range(winnow_predicate **predicate_p,
                                     winnow_type type, const void *low,
                                     const void *high) {
    WINNOW__TRY(winnow__need(low, "low"));
    WINNOW__TRY(winnow__need(high, "high"));
    if (type == WINNOW_INT128)
        return winnow__wide_range(predicate_p, low, high);
    winnow_predicate *made;
    WINNOW__TRY(create(predicate_p, type, &made));
    const uint64_t low_bits = load_bits(made->type, low);
    const uint64_t high_bits = load_bits(made->type, high);
    const winnow__interval keys = {keys_equal_to(made->type, low_bits).low,
                                   keys_equal_to(made->type, high_bits).high};
    if (is_nan(made->type, low_bits) || is_nan(made->type, high_bits) ||
        keys.low > keys.high)
        keep_nothing(made);
    else
        keep_keys(made, keys);
    *predicate_p = made;
    return WINNOW_OK;
}

winnow_status winnow_predicate_bits(winnow_predicate **predicate_p,
                                    winnow_type type, uint64_t mask,
                                    uint64_t value) {
    winnow_predicate *made;
    winnow_status status = create(predicate_p, type, &made);
    if (status != WINNOW_OK)
        return status;
    if (mask & ~winnow__all_bits(made->type)) {
        status = winnow__refuse("mask 0x%llx is wider than %s",
                                (unsigned long long)mask, made->type->name);
    } else if (value & ~mask) {
        status = winnow__refuse(
            "value 0x%llx has bits outside of mask 0x%llx: nothing could pass",
            (unsigned long long)value, (unsigned long long)mask);
    } else {
        made->kind = WINNOW__BITS;
        made->test = (winnow__test){.mask = mask, .low = value, .span = 0};
        *predicate_p = made;
        return WINNOW_OK;
    }
    free(made);
    return status;
}

void winnow_predicate_destroy(winnow_predicate *predicate) {
    free(predicate);
}
