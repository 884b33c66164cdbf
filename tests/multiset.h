/*
 * Results without an order: equal when sorted copies are equal.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_MULTISET_H
#define WINNOW_TESTS_MULTISET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <winnow.h>

/* The elements' bits in ascending order; the caller frees the result. */
uint64_t *multiset_sort(winnow_type type, const void *elements, uint64_t n);
/* Is every element of the sorted part in the sorted whole, as often? */
bool multiset_contains(const uint64_t *whole, uint64_t whole_n,
                       const uint64_t *part, uint64_t part_n);

#endif
