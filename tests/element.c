/*
 * Elements as bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "element.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void element_unknown(winnow_type type) {
    fprintf(stderr, "the tests know no type %d\n", (int)type);
    abort();
}

winnow_type element_type(uint64_t number) {
    return (winnow_type)(WINNOW_INT8 + number % ELEMENT_TYPES);
}

static double float16_to_double(uint64_t bits) {
    const int exponent = (int)(bits >> 10) & 31;
    const int mantissa = (int)bits & 1023;
    double magnitude;

    if (exponent == 31)
        magnitude = mantissa ? NAN : INFINITY;
    else if (exponent == 0)
        magnitude = ldexp(mantissa, -24);
    else
        magnitude = ldexp(1024 + mantissa, exponent - 25);
    return bits >> 15 & 1 ? -magnitude : magnitude;
}

static double float32_to_double(uint64_t bits) {
    const uint32_t word = (uint32_t)bits;
    float value;

    memcpy(&value, &word, sizeof(value));
    return value;
}

double element_to_double(winnow_type type, uint64_t bits) {
    double value;

    switch (type) {
    case WINNOW_FLOAT16:
        return float16_to_double(bits);
    case WINNOW_BFLOAT16:
        return float32_to_double(bits << 16);
    case WINNOW_FLOAT32:
        return float32_to_double(bits);
    case WINNOW_FLOAT64:
        memcpy(&value, &bits, sizeof(value));
        return value;
    default:
        element_unknown(type);
    }
}

uint64_t element_all_bits(winnow_type type) {
    return UINT64_MAX >> (64 - 8 * element_size(type));
}

uint64_t element_top_bit(winnow_type type) {
    return element_all_bits(type) ^ element_all_bits(type) >> 1;
}

unsigned element_exponent_bits(winnow_type type) {
    switch (type) {
    case WINNOW_FLOAT16:
        return 5;
    case WINNOW_BFLOAT16:
    case WINNOW_FLOAT32:
        return 8;
    case WINNOW_FLOAT64:
        return 11;
    default:
        element_unknown(type);
    }
}

unsigned element_mantissa_bits(winnow_type type) {
    return (unsigned)(8 * element_size(type)) - 1 - element_exponent_bits(type);
}

uint64_t element_infinity(winnow_type type) {
    const uint64_t exponent = ((uint64_t)1 << element_exponent_bits(type)) - 1;
    return exponent << element_mantissa_bits(type);
}

uint64_t element_nan(winnow_type type) {
    return element_infinity(type) | (uint64_t)1
                                        << (element_mantissa_bits(type) - 1);
}

uint64_t element_middle(winnow_type type) {
    if (element_is_float(type)) { /* 1.5: the bias, and the first half bit */
        const uint64_t bias =
            ((uint64_t)1 << (element_exponent_bits(type) - 1)) - 1;
        const unsigned mantissa = element_mantissa_bits(type);
        return bias << mantissa | (uint64_t)1 << (mantissa - 1);
    }
    if (element_is_signed(type))
        return (uint64_t)-5 & element_all_bits(type);
    return 100;
}

size_t element_specials(winnow_type type, uint64_t bits[ELEMENT_SPECIALS]) {
    const uint64_t all = element_all_bits(type);
    const uint64_t top = element_top_bit(type);
    size_t count = 0;

    if (!element_is_float(type)) {
        const uint64_t values[] = {
            0,       1,       2,       all,     all - 1, top,
            top + 1, top - 1, top - 2, all / 3, 100,     (uint64_t)-5 & all};
        memcpy(bits, values, sizeof(values));
        return sizeof(values) / sizeof(values[0]);
    }

    const uint64_t infinity = element_infinity(type);
    const uint64_t smallest_normal = (uint64_t)1 << element_mantissa_bits(type);
    const uint64_t values[] = {
        0,                   /* zero */
        1,                   /* the smallest denormal */
        smallest_normal - 1, /* the largest denormal */
        smallest_normal,
        infinity - 1, /* the largest finite value */
        infinity,
        infinity + 1,         /* a signalling NaN */
        element_nan(type),    /* the quiet NaN */
        top - 1,              /* a NaN of all ones */
        element_middle(type), /* 1.5 */
    };
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        bits[count++] = values[i];
        bits[count++] = values[i] | top;
    }
    return count;
}
