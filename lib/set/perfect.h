/*
 * Perfect hash tables: the form PERFECT of kernels/set/table.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_SET_PERFECT_H
#define WINNOW_LIB_SET_PERFECT_H

#include "set.h"

#include "kernels/set/table.h"

#include <stdbool.h>

/* The logarithm of the slots with which seeds can be expected to be found for
 * `number` values. */
unsigned winnow__perfect_least(uint64_t number);

/* Find seeds for 2^log2 slots, and fill the table, whose data are zero.
 * *made_p: were there any? WINNOW_ERR_MEMORY, with the detail set. */
winnow_status winnow__perfect_fill(const winnow__set *set, unsigned log2,
                                   winnow__set_table *table, bool *made_p);

#endif
