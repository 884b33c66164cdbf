/*
 * Is an array what its schema and the specification say?
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "type.h"

/*
 * Check elements start to start + n - 1 of an array, with its children and its
 * dictionary, before anything is read of them. `reads`: the buffers are the
 * host's, so that offsets are looked at, too. What depends on an element's
 * value, and on no other, is checked where survivors are packed.
 */
winnow_status winnow__arrow_check(const winnow__arrow_path *path,
                                  const struct ArrowSchema *schema,
                                  const struct ArrowArray *array,
                                  uint64_t start, uint64_t n, bool reads);

/* Of an array that is checked: its validity bits; NULL: it has no nulls. */
const void *winnow__arrow_validity(const winnow__arrow_type *type,
                                   const struct ArrowArray *array);

/* Of a checked list or of strings, on the host: offset number i. */
static inline uint64_t winnow__arrow_offset(const void *offsets,
                                            unsigned offset_bytes, uint64_t i) {
    return offset_bytes == 4 ? (uint64_t)((const int32_t *)offsets)[i]
                             : (uint64_t)((const int64_t *)offsets)[i];
}
