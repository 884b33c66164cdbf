/*
 * Tests of WINNOW_INT128, as tests of the halves of elements.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "number.h"
#include "condition/program/tree.h"

/* All values of an integer of 128 bits; `type` is that of WINNOW_INT128. */
winnow__domain winnow__wide_domain(const winnow__type_info *type, int scale);

/* Make the condition that an element is one of `count` values in host memory,
 * which may be unaligned. *nodes_p is to be freed, and has *number_p nodes,
 * with references of their sets. WINNOW_ERR_UNSUPPORTED if it needs too many
 * tests; WINNOW_ERR_MEMORY; the detail is set. */
winnow_status winnow__wide_in(uint16_t column, const void *values,
                              uint64_t count, winnow__node **nodes_p,
                              unsigned *number_p);

/* winnow_condition_test() with a predicate of WINNOW_INT128. */
winnow_status winnow__wide_test(winnow_condition **condition_p, uint16_t column,
                                const winnow_predicate *predicate);
