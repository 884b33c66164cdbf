/*
 * A predicate inside the library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CORE_PREDICATE_H
#define WINNOW_LIB_CORE_PREDICATE_H

#include "kernels/core/args.h"
#include "type.h"

struct winnow_predicate {
    const winnow__type_info *type;
    winnow__test_kind kind;
    winnow__test test;
};

/* Of WINNOW_INT128, which is no one test: what passes is between two values, or,
 * `outside`, is not; nothing is between them where low > high. */
typedef struct winnow__wide_predicate {
    winnow_predicate predicate; /* its test is none */
    winnow__wide low, high;
    bool outside;
} winnow__wide_predicate;

/* Is the predicate a part of one? */
static inline bool winnow__is_wide(const winnow_predicate *predicate) {
    return predicate->type->size == sizeof(winnow__wide);
}

/* predicate_wide.c: winnow_predicate_compare(), winnow_predicate_range() of
 * WINNOW_INT128, whose values and compare are right. */
winnow_status winnow__wide_compare(winnow_predicate **predicate_p,
                                   winnow_compare compare, const void *value);
winnow_status winnow__wide_range(winnow_predicate **predicate_p,
                                 const void *low, const void *high);

#endif
