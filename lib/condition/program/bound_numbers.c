/*
 * Bounds of numbers: the ranges of values that pass a test, or are in a set.
 *
 * Values are compared by their keys, unsigned integers in the order of the
 * values (winnow__key_of()). NaNs have keys outside of the infinities' keys.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bounds.h"

#include "set/set.h"
#include "where_maker.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide_key;

enum {
    MOST_RANGES = 64 /* of a leaf; if it has more, neighbours are merged */
};

static const wide_key all_wide = ~(wide_key)0;

/* Collects ranges of keys in ascending order. */
typedef struct ranges {
    winnow__bounds *to;
    uint64_t begin; /* of the leaf's entries */
    winnow__said said;
    const winnow__type_info *type; /* the type of the keys */
    unsigned column;
    bool wide;          /* WINNOW_INT128: key k stands for the values */
    wide_key base;      /* from base + k * 2^shift on, */
    unsigned shift;     /* 2^shift of them */
    wide_key low, high; /* the last range, which may still grow */
    bool is_open;
    uint64_t count,
        total;      /* number of ranges; total 0: they are only counted */
    wide_key first; /* the first key of those that are merged */
    bool has_nan;
} ranges;

/* ------------------------------------------------------------------ writing */

static winnow_type type_of(const ranges *r) {
    unsigned type = WINNOW_INT8;
    if (r->wide)
        return WINNOW_INT128;
    while (winnow__type((winnow_type)type) != r->type)
        type++;
    return (winnow_type)type;
}

static void put_element(const ranges *r, wide_key key, unsigned char *to) {
    const uint64_t narrow = winnow__key_value(r->type, (uint64_t)key);
    const wide_key wide = key ^ (wide_key)1 << 127;
    if (r->wide)
        memcpy(to, &wide, sizeof wide);
    else
        memcpy(to, &narrow, r->type->size);
}

static void write_range(ranges *r, wide_key low, wide_key high) {
    const wide_key most = r->wide ? all_wide : winnow__all_bits(r->type);
    winnow_bound bound = {
        .kind = WINNOW_BOUND_RANGE, .column = r->column, .type = type_of(r)};
    if (low == 0 && high == most) {
        r->said = winnow__bounds_add_kind(r->to, WINNOW_BOUND_VALID, r->column);
        return;
    }
    if (r->type->infinity != 0) {
        const winnow__interval all = winnow__ordered_keys(r->type);
        r->has_nan = r->has_nan || low < all.low || high > all.high;
        low = low < all.low ? all.low : low;
        high = high > all.high ? all.high : high;
        if (low > high)
            return;
        bound.has_low = low > all.low;
        bound.has_high = high < all.high;
    } else {
        bound.has_low = low > 0;
        bound.has_high = high < most;
    }
    put_element(r, low, bound.low);
    put_element(r, high, bound.high);
    const winnow__said added = winnow__bounds_add(r->to, bound);
    r->said = winnow__bounds_or(r->to, r->begin, r->said, added);
}

/* The last range is complete. If there are too many, some are merged. */
static void close_range(ranges *r) {
    const uint64_t i = r->count++;
    const uint64_t most = r->total < MOST_RANGES ? r->total : MOST_RANGES;
    if (r->total == 0)
        return;
    if (i == 0 || i * most / r->total != (i - 1) * most / r->total)
        r->first = r->low;
    if (i * most / r->total != (i + 1) * most / r->total)
        write_range(r, r->first, r->high);
}

static void add_wide(ranges *r, wide_key low, wide_key high) {
    if (r->is_open && low == r->high + 1) {
        r->high = high;
        return;
    }
    if (r->is_open)
        close_range(r);
    r->is_open = true;
    r->low = low;
    r->high = high;
}

static void add(ranges *r, uint64_t low, uint64_t high) {
    const wide_key above = ((wide_key)1 << r->shift) - 1;
    add_wide(r, r->base + ((wide_key)low << r->shift),
             r->base + ((wide_key)high << r->shift) + above);
}

/* ------------------------------------------------------------------- leaves */

typedef struct pieces {
    unsigned number;
    winnow__interval piece[3];
} pieces;

/* Add patterns that all have the same sign, in the order of keys. */
static void add_piece(pieces *to, winnow__interval piece) {
    if (piece.low > piece.high)
        piece = (winnow__interval){piece.high, piece.low};
    unsigned i = to->number++;
    for (; i > 0 && to->piece[i - 1].low > piece.low; i--)
        to->piece[i] = to->piece[i - 1];
    to->piece[i] = piece;
}

/* Add the keys that pass, or, if not `truth`, those that do not. */
static void add_test(ranges *r, const winnow__test *of, bool truth) {
    const uint64_t full = winnow__all_bits(r->type);
    const uint64_t sign = winnow__sign_bit(r->type);
    const winnow__test test = truth ? *of : winnow__complement(r->type, of);
    const winnow__share share = winnow__share_of(r->type, &test);
    uint64_t at = test.low & full, left = test.span & full;
    pieces found = {.number = 0};
    if (share == WINNOW__SHARE_ALL)
        add(r, 0, full);
    if (share != WINNOW__SHARE_SOME)
        return;
    for (;;) {
        const uint64_t room = (at < sign ? sign - 1 : full) - at;
        const uint64_t end = at + (left < room ? left : room);
        add_piece(&found,
                  test.flip != 0
                      ? (winnow__interval){at ^ sign, end ^ sign}
                      : (winnow__interval){winnow__key_of(r->type, at),
                                           winnow__key_of(r->type, end)});
        if (left <= room)
            break;
        left -= room + 1;
        at = (end + 1) & full;
    }
    for (unsigned i = 0; i < found.number; i++)
        add(r, found.piece[i].low, found.piece[i].high);
}

/* Value i of a set in the order of keys; `negative` of the values have a sign. */
static uint64_t key_at(const winnow__set *set, uint64_t negative, uint64_t i) {
    const uint64_t positive = set->number - negative;
    const uint64_t place = i >= negative              ? i - negative
                           : set->type->infinity != 0 ? set->number - 1 - i
                                                      : positive + i;
    return winnow__key_of(set->type, winnow__set_value(set, place));
}

static void add_set(ranges *r, const winnow__set *set, bool truth) {
    const uint64_t full = winnow__all_bits(set->type);
    const uint64_t sign = winnow__sign_bit(set->type);
    const bool has_sign = set->type->is_signed || set->type->infinity != 0;
    uint64_t negative = 0;
    wide_key next = 0; /* after the last value */
    while (has_sign && negative < set->number &&
           winnow__set_value(set, set->number - 1 - negative) >= sign)
        negative++;
    for (uint64_t i = 0; i < set->number; i++) {
        const uint64_t key = key_at(set, negative, i);
        if (truth)
            add(r, key, key);
        else if (key > next)
            add(r, (uint64_t)next, key - 1);
        next = (wide_key)key + 1;
    }
    if (!truth && next <= full)
        add(r, (uint64_t)next, full);
}

/* Add what a leaf keeps; if it is negated, also what is outside of its keys. */
static void add_leaf(ranges *r, const winnow__node *leaf, bool truth) {
    const bool around = !truth && r->wide && r->shift == 0;
    const wide_key end = r->base + UINT64_MAX;
    if (around && r->base != 0)
        add_wide(r, 0, r->base - 1);
    if (leaf->kind == WINNOW__NODE_SET)
        add_set(r, leaf->set, truth);
    else
        add_test(r, &leaf->test, truth);
    if (around && end != all_wide)
        add_wide(r, end + 1, all_wide);
    if (r->is_open)
        close_range(r);
    r->is_open = false;
}

static winnow__said add_ranges(ranges *r, const winnow__node *leaf,
                               bool truth) {
    r->said = WINNOW__SAYS_NONE;
    r->begin = r->to->count;
    add_leaf(r, leaf, truth);
    r->total = r->count;
    r->count = 0;
    if (r->total != 0)
        add_leaf(r, leaf, truth);
    if (!r->has_nan)
        return r->said;
    const winnow__said nan =
        winnow__bounds_add_kind(r->to, WINNOW_BOUND_NAN, r->column);
    return winnow__bounds_or(r->to, r->begin, r->said, nan);
}

winnow__said winnow__bounds_of_numbers(winnow__bounds *to,
                                       const winnow__node *leaf, bool truth) {
    const uint64_t mask =
        leaf->kind == WINNOW__NODE_SET ? leaf->set->mask : leaf->test.mask;
    const bool upper = leaf->half == WINNOW__UPPER;
    ranges r = {.to = to,
                .type = upper ? winnow__type(WINNOW_INT64) : leaf->type,
                .column = leaf->column,
                .wide = upper,
                .shift = upper ? 64 : 0};
    if (leaf->half == WINNOW__LOWER ||
        (mask != 0 && mask != winnow__all_bits(leaf->type)))
        return winnow__bounds_add_kind(to, WINNOW_BOUND_VALID, leaf->column);
    return add_ranges(&r, leaf, truth);
}

winnow__said winnow__bounds_of_halves(winnow__bounds *to,
                                      const winnow__node *upper,
                                      const winnow__node *lower, bool truth) {
    const uint64_t key =
        winnow__key_of(winnow__type(WINNOW_INT64), upper->test.low);
    ranges r = {.to = to,
                .type = lower->type,
                .column = upper->column,
                .wide = true,
                .base = (wide_key)key << 64};
    return add_ranges(&r, lower, truth);
}
