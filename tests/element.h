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

#include <winnow.h>

#define ELEMENT_TYPES 12
#define FOR_EACH_TYPE(type)                                                    \
    for (winnow_type type = WINNOW_INT8; type <= WINNOW_FLOAT64; type++)
#define ELEMENT_SPECIALS 24

/* One of them, from any number. */
winnow_type element_type(uint64_t number);

bool element_is_float(winnow_type type);
bool element_is_signed(winnow_type type);
size_t element_size(winnow_type type);

/* The element's bits, in the low bytes of the result. */
uint64_t element_load(winnow_type type, const void *from);
void element_store(winnow_type type, void *to, uint64_t bits);

/* The value of an element's bits; every float type is exact in a double. */
int64_t element_to_signed(winnow_type type, uint64_t bits);
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
