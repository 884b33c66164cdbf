/*
 * The distinct values of an array, sorted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lookup.h"

#include "core/status.h"

#include <stdlib.h>
#include <string.h>

#define PASTE(A, B, C) A##B##C
#define JOIN(A, B, C) PASTE(A, B, C)
#define OF(NAME) JOIN(NAME, _, BITS)

static void *allocate(uint64_t number, size_t size) {
    void *const memory = malloc((size_t)number * size);
    if (memory == NULL)
        winnow__fail(WINNOW_ERR_MEMORY, "no host memory for a set of values");
    return memory;
}

#define BITS 8
#include "distinct_loops.h"
#define BITS 16
#include "distinct_loops.h"
#define BITS 32
#include "distinct_loops.h"
#define BITS 64
#include "distinct_loops.h"

winnow_status winnow__distinct(const winnow__type_info *type, uint64_t mask,
                               const void *elements, uint64_t count,
                               void **values_p, uint64_t *number_p) {
    switch (type->size) {
    case 1:
        return distinct_8(type, mask, elements, count, values_p, number_p);
    case 2:
        return distinct_16(type, mask, elements, count, values_p, number_p);
    case 4:
        return distinct_32(type, mask, elements, count, values_p, number_p);
    default:
        return distinct_64(type, mask, elements, count, values_p, number_p);
    }
}
