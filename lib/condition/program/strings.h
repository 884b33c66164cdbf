/*
 * Comparisons of strings: expressions without a program.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "expression.h"

#include "kernels/string/args.h"

/* The strings of a column of a call, by its number among those that the
 * expression reads. Where its access is INDICES, the dictionary's values are
 * columns[expression->columns + number]. */
winnow__compared_strings
winnow__compared_of(const winnow__expression *expression,
                    const winnow__value_column columns[], unsigned number);

/* Of a block of items, as evaluate.h: the words of bits, and nulls[i] is 1 where
 * a dictionary has none for item i. */
void winnow__evaluate_strings(const winnow__expression *expression,
                              const winnow__value_column columns[],
                              uint64_t first, unsigned items, void *words,
                              uint8_t *nulls);
