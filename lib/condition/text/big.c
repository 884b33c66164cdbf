/*
 * Integers of any size, as numbers in a text may have.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "digits.h"

void winnow__big_multiply_add(winnow__big *x, uint32_t by, uint32_t add) {
    uint64_t carry = add;
    for (unsigned i = 0; i < x->used; i++) {
        carry += (uint64_t)x->limb[i] * by;
        x->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0)
        x->limb[x->used++] = (uint32_t)carry;
}

void winnow__big_multiply_power(winnow__big *x, int64_t exponent) {
    for (int64_t i = 0; i < exponent; i++)
        winnow__big_multiply_add(x, 10, 0);
}

int winnow__big_order(const winnow__big *a, const winnow__big *b) {
    for (unsigned i = a->used > b->used ? a->used : b->used; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

void winnow__big_subtract(winnow__big *a, const winnow__big *b) {
    uint64_t borrow = 0;
    for (unsigned i = 0; i < a->used; i++) {
        const uint64_t difference = (uint64_t)a->limb[i] - b->limb[i] - borrow;
        a->limb[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
}

bool winnow__big_is_zero(const winnow__big *x) {
    for (unsigned i = 0; i < x->used; i++)
        if (x->limb[i] != 0)
            return false;
    return true;
}

winnow__big winnow__big_of(const winnow__digits *number) {
    winnow__big made = {0};
    for (const char *at = number->begin; at < number->end; at++)
        if (*at != '.')
            winnow__big_multiply_add(&made, number->base,
                                     (uint32_t)winnow__digit_of(*at));
    return made;
}
