/*
 * Checks an array against its schema and the specification.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "type.h"

/* Check elements start to start + n - 1 of an array, with its children and its
 * dictionary, before any is read. `reads`: the buffers are host memory, so
 * offsets are checked, too. A check that depends on the value of one element
 * alone is made when survivors are packed. */
winnow_status winnow__arrow_check(const winnow__arrow_path *path,
                                  const struct ArrowSchema *schema,
                                  const struct ArrowArray *array,
                                  uint64_t start, uint64_t n, bool reads);

/* The validity bits of an array that was checked; NULL if it has no nulls. */
const void *winnow__arrow_validity(const winnow__arrow_type *type,
                                   const struct ArrowArray *array);

/* Offset number i of a checked array of lists or strings in host memory. */
static inline uint64_t winnow__arrow_offset(const void *offsets,
                                            unsigned offset_bytes, uint64_t i) {
    return offset_bytes == 4 ? (uint64_t)((const int32_t *)offsets)[i]
                             : (uint64_t)((const int64_t *)offsets)[i];
}
