/*
 * The loops of distinct.c for elements of BITS bits; distinct.c defines BITS. No
 * guard: this file is included once for each size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define ELEMENT JOIN(uint, BITS, _t)

/* Copy the patterns that can be equal to an element, unsorted. Returns their
 * number, at most count + 2. */
static uint64_t OF(take)(const winnow__type_info *type, uint64_t mask,
                         const void *elements, uint64_t count, ELEMENT *to) {
    const ELEMENT sign = (ELEMENT)((ELEMENT)1 << (BITS - 1));
    const bool is_float = type->infinity != 0;
    const ELEMENT largest = (ELEMENT)(is_float ? type->infinity : sign - 1u);
    const unsigned char *from = elements;
    uint64_t number = 0;
    bool zero = false;
    for (uint64_t i = 0; i < count; i++, from += sizeof(ELEMENT)) {
        ELEMENT x;
        memcpy(&x, from, sizeof x);
        const ELEMENT without_sign = (ELEMENT)(x & (sign - 1u));
        to[number] = x;
        number += (x & ~mask) == 0 && without_sign <= largest;
        zero |= without_sign == 0;
    }
    if (is_float && zero) { /* 0 == -0 */
        to[number++] = 0;
        to[number++] = sign;
    }
    return number;
}

static bool OF(ascending)(const ELEMENT *values, uint64_t number) {
    for (uint64_t i = 1; i < number; i++)
        if (values[i - 1] > values[i])
            return false;
    return true;
}

/* Sort by digits of 8 bits, the lowest first, between the two arrays. Returns the
 * array with the result. `places` is zero; it is too large for a small stack. */
static ELEMENT *OF(sort)(ELEMENT *values, ELEMENT *spare, uint64_t number,
                         uint32_t (*places)[256]) {
    for (uint64_t i = 0; i < number; i++)
        for (unsigned digit = 0; digit < BITS / 8; digit++)
            places[digit][values[i] >> 8 * digit & 0xff]++;
    for (unsigned digit = 0; digit < BITS / 8; digit++) {
        uint32_t *const place = places[digit];
        if (place[values[0] >> 8 * digit & 0xff] == number)
            continue; /* all values have the same digit */
        uint32_t before = 0;
        for (unsigned i = 0; i < 256; i++) {
            const uint32_t here = place[i];
            place[i] = before;
            before += here;
        }
        for (uint64_t i = 0; i < number; i++)
            spare[place[values[i] >> 8 * digit & 0xff]++] = values[i];
        ELEMENT *const swapped = values;
        values = spare;
        spare = swapped;
    }
    return values;
}

static uint64_t OF(unique)(ELEMENT *values, uint64_t number) {
    uint64_t kept = number != 0;
    for (uint64_t i = 1; i < number; i++)
        if (values[i] != values[kept - 1])
            values[kept++] = values[i];
    return kept;
}

static winnow_status OF(distinct)(const winnow__type_info *type, uint64_t mask,
                                  const void *elements, uint64_t count,
                                  void **values_p, uint64_t *number_p) {
    ELEMENT *values = allocate(count + 2, sizeof *values);
    if (values == NULL)
        return WINNOW_ERR_MEMORY;
    uint64_t number = OF(take)(type, mask, elements, count, values);
    if (!OF(ascending)(values, number)) {
        ELEMENT *const spare = allocate(number, sizeof *values);
        uint32_t(*const places)[256] = calloc(BITS / 8, sizeof *places);
        if (spare == NULL || places == NULL) {
            free(places);
            free(spare);
            free(values);
            return WINNOW_ERR_MEMORY;
        }
        ELEMENT *const sorted = OF(sort)(values, spare, number, places);
        free(places);
        free(sorted == values ? spare : values);
        values = sorted;
    }
    *number_p = OF(unique)(values, number);
    *values_p = values;
    return WINNOW_OK;
}

#undef ELEMENT
#undef BITS
