/*
 * Elements as bits: reading and writing one element of any type, the value it
 * stands for, and the values of each type that tend to go wrong. Nothing here
 * calls the library: this is what its answers are held against.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_ELEMENT_H
#define WINNOW_TESTS_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <winnow.h>

#define ELEMENT_TYPES 12
#define FOR_EACH_TYPE(type)                                                    \
    for (winnow_type type = WINNOW_INT8; type <= WINNOW_FLOAT64; type++)
#define ELEMENT_SPECIALS 24

/* One of them, from any number. */
winnow_type element_type(uint64_t number);

/* What is called for each element is inline: it takes most of the time of a test
 * on the host. */
static inline bool element_is_float(winnow_type type) {
    return type >= WINNOW_FLOAT16 && type <= WINNOW_FLOAT64;
}

static inline bool element_is_signed(winnow_type type) {
    return type >= WINNOW_INT8 && type <= WINNOW_INT64;
}

/* The end of a program that asks about a type of no element. */
_Noreturn void element_unknown(winnow_type type);

static inline size_t element_size(winnow_type type) {
    switch (type) {
    case WINNOW_INT8:
    case WINNOW_UINT8:
        return 1;
    case WINNOW_INT16:
    case WINNOW_UINT16:
    case WINNOW_FLOAT16:
    case WINNOW_BFLOAT16:
        return 2;
    case WINNOW_INT32:
    case WINNOW_UINT32:
    case WINNOW_FLOAT32:
        return 4;
    case WINNOW_INT64:
    case WINNOW_UINT64:
    case WINNOW_FLOAT64:
        return 8;
    case WINNOW_OPAQUE:
    case WINNOW_BIT:
    case WINNOW_INT128:
    case WINNOW_STRING32:
    case WINNOW_STRING64:
    case WINNOW_VIEW:
        break;
    }
    element_unknown(type);
}

/* The element's bits, in the low bytes of the result. */
static inline uint64_t element_load(winnow_type type, const void *from) {
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;

    switch (element_size(type)) {
    case 1:
        memcpy(&one, from, 1);
        return one;
    case 2:
        memcpy(&two, from, 2);
        return two;
    case 4:
        memcpy(&four, from, 4);
        return four;
    default:
        memcpy(&eight, from, 8);
        return eight;
    }
}

static inline void element_store(winnow_type type, void *to, uint64_t bits) {
    const uint8_t one = (uint8_t)bits;
    const uint16_t two = (uint16_t)bits;
    const uint32_t four = (uint32_t)bits;

    switch (element_size(type)) {
    case 1:
        memcpy(to, &one, 1);
        break;
    case 2:
        memcpy(to, &two, 2);
        break;
    case 4:
        memcpy(to, &four, 4);
        break;
    default:
        memcpy(to, &bits, 8);
        break;
    }
}

/* The value of an element's bits; every float type is exact in a double. */
static inline int64_t element_to_signed(winnow_type type, uint64_t bits) {
    switch (element_size(type)) {
    case 1:
        return (int8_t)bits;
    case 2:
        return (int16_t)bits;
    case 4:
        return (int32_t)bits;
    default:
        return (int64_t)bits;
    }
}

double element_to_double(winnow_type type, uint64_t bits);

/* All ones in the width of the type; its highest bit; an operand in the midst
 * of the type's values: -5, 100, 1.5. */
uint64_t element_all_bits(winnow_type type);
uint64_t element_top_bit(winnow_type type);
uint64_t element_middle(winnow_type type);

/* How a float type is laid out: exponent and mantissa in bits. */
unsigned element_exponent_bits(winnow_type type);
unsigned element_mantissa_bits(winnow_type type);
uint64_t element_infinity(winnow_type type);
uint64_t element_nan(winnow_type type);

/*
 * Extremes of integers; for floats zeros, denormals, infinities, quiet and
 * signalling NaN, of both signs. Returns how many were written.
 */
size_t element_specials(winnow_type type, uint64_t bits[ELEMENT_SPECIALS]);

#endif
