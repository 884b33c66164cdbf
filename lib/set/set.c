/*
 * Making and sharing sets of values, and finding the sets that a test can replace.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "set.h"
#include "core/status.h"
#include "lookup.h"
#ifdef WINNOW_CUDA
#include "tables.h"
#endif

#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- distinct */

#define PASTE(A, B, C) A##B##C
#define JOIN(A, B, C) PASTE(A, B, C)
#define OF(NAME) JOIN(NAME, _, BITS)

static void *allocate(uint64_t number, size_t size) {
    void *const memory = malloc((size_t)number * size);
    if (memory == NULL)
        winnow__no_memory("a set of values");
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

/*
 * The patterns of `count` elements (fewer than 2^32), as winnow__set has them: all
 * that can be equal to an element, distinct, in ascending order. The caller frees
 * *values_p. WINNOW_ERR_MEMORY, with the detail set: no memory.
 */
static winnow_status winnow__distinct(const winnow__type_info *type,
                                      uint64_t mask, const void *elements,
                                      uint64_t count, void **values_p,
                                      uint64_t *number_p) {
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

/* ------------------------------------------------------------------- tests */

/* The next pattern under the mask after x; after the last, the first. */
static uint64_t next_pattern(const winnow__set *set, uint64_t x) {
    return ((x | ~set->mask) + 1) & set->mask;
}

static bool ends_run(const winnow__set *set, uint64_t i) {
    const uint64_t next = i + 1 == set->number ? 0 : i + 1;
    return next_pattern(set, winnow__set_value(set, i)) !=
           winnow__set_value(set, next);
}

/* Are the values one run of patterns, which may wrap around? */
static bool is_run(const winnow__set *set, winnow__test *test) {
    const uint64_t full = winnow__all_bits(set->type);
    uint64_t ends = 0, last = 0; /* number of a value */
    for (uint64_t i = 0; i < set->number && ends < 2; i++)
        if (ends_run(set, i)) {
            ends++;
            last = i;
        }
    const uint64_t begin = last + 1 == set->number ? 0 : last + 1;
    const uint64_t low = winnow__set_value(set, begin);
    *test = ends == 0 /* every pattern */
                ? (winnow__test){.span = full}
                : (winnow__test){.mask = set->mask,
                                 .low = low,
                                 .span = (winnow__set_value(set, last) - low) &
                                         full};
    return ends < 2;
}

/* Are floats an interval in the order of their keys, which is not that of their
 * bits? It has both zeros and the smallest positive and negative values. */
static bool is_keyed_interval(const winnow__set *set, winnow__test *test) {
    const uint64_t sign = winnow__sign_bit(set->type);
    uint64_t positive = 0; /* values without a sign come first */
    if (set->type->infinity == 0 || winnow__set_value(set, 0) != 0)
        return false;
    while (positive < set->number && winnow__set_value(set, positive) < sign)
        positive++;
    const uint64_t negative = set->number - positive;
    const uint64_t highest = winnow__set_value(set, positive - 1);
    const uint64_t lowest = winnow__set_value(set, set->number - 1);
    if (highest != positive - 1 || lowest != sign + negative - 1)
        return false;
    *test = (winnow__test){.flip = sign - 1,
                           .mask = winnow__all_bits(set->type),
                           .low = (lowest ^ (sign - 1)),
                           .span = set->number - 1};
    return true;
}

static bool is_test(const winnow__set *set, winnow__test *test) {
    if (set->number == 0) {
        *test = (winnow__test){.mask = 0, .low = 1, .span = 0};
        return true;
    }
    return is_run(set, test) || is_keyed_interval(set, test);
}

/* --------------------------------------------------------------------- sets */

/* The interval is the circle of all patterns without its largest gap. */
static void find_interval(winnow__set *set) {
    const uint64_t full = winnow__all_bits(set->type);
    uint64_t before = winnow__set_value(set, set->number - 1);
    uint64_t largest = 0; /* distance */
    for (uint64_t i = 0; i < set->number; i++) {
        const uint64_t value = winnow__set_value(set, i);
        if (((value - before) & full) > largest) {
            largest = (value - before) & full;
            set->low = value;
        }
        before = value;
    }
    set->span = full - largest + 1;
}

static void destroy(winnow__set *set) {
    free((void *)set->lookup.table);
    free((void *)set->values);
    free(set);
}

winnow_status winnow__set_create(winnow__set **set_p, winnow__test *test_p,
                                 const winnow__type_info *type, uint64_t mask,
                                 const void *values, uint64_t count) {
    winnow__set *const made = calloc(1, sizeof *made);
    void *sorted;
    if (made == NULL)
        return winnow__no_memory("a set of values");
    made->type = type;
    made->mask = mask;
    atomic_init(&made->references, 1);
    winnow_status status =
        winnow__distinct(type, mask, values, count, &sorted, &made->number);
    if (status != WINNOW_OK) {
        free(made);
        return status;
    }
    made->values = sorted;
    if (is_test(made, test_p)) {
        destroy(made);
        *set_p = NULL;
        return WINNOW_OK;
    }
    find_interval(made);
    status = winnow__lookup_make(made, &made->lookup);
    if (status == WINNOW_OK)
        *set_p = made;
    else
        destroy(made);
    return status;
}

winnow__set *winnow__set_share(winnow__set *set) {
    atomic_fetch_add_explicit(&set->references, 1, memory_order_relaxed);
    return set;
}

void winnow__set_release(winnow__set *set) {
    /* Release: this thread has finished with the set. Acquire: the last thread sees
     * that all others have. */
    if (set != NULL && atomic_fetch_sub_explicit(&set->references, 1,
                                                 memory_order_acq_rel) == 1) {
#ifdef WINNOW_CUDA
        winnow__tables_retire(set);
#endif
        destroy(set);
    }
}
