/*
 * The distinct values of an array, sorted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_SET_DISTINCT_H
#define WINNOW_LIB_SET_DISTINCT_H

#include "core/type.h"

/*
 * The patterns that winnow__set has of `count` elements (fewer than 2^32): all
 * that can be equal to an element, distinct, in ascending order. *values_p is
 * for free(). WINNOW_ERR_MEMORY, with the
 * detail set: there is none.
 */
winnow_status winnow__distinct(const winnow__type_info *type, uint64_t mask,
                               const void *elements, uint64_t count,
                               void **values_p, uint64_t *number_p);

#endif
