/*
 * Integers that the host computes in fewer bits than 64, at the ends of what these
 * hold, against integers of 128 bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_NARROW_H
#define WINNOW_TESTS_NARROW_H

#include "condition/run/evaluate.h"

/* winnow__evaluate() by all steps, in exactly the memory that it asks for. */
void evaluate_block(winnow__host_isa isa, const winnow__expression *expression,
                    const winnow__value_column columns[], uint64_t first,
                    unsigned items, void *values, uint32_t *valid);

/* Print what is wrong, and exit. */
void check_narrow(void);

#endif
