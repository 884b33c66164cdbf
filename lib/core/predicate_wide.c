/*
 * Predicates of WINNOW_INT128: intervals of values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "predicate.h"
#include "status.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 unsigned_wide;

#define MOST ((winnow__wide)(~(unsigned_wide)0 >> 1))
#define LEAST (-MOST - 1)

static winnow__wide load(const void *value) {
    winnow__wide wide; /* little-endian: configure sees to it */
    memcpy(&wide, value, sizeof wide);
    return wide;
}

static winnow_status create(winnow_predicate **predicate_p, winnow__wide low,
                            winnow__wide high, bool outside) {
    WINNOW__TRY(winnow__need(predicate_p, "predicate_p"));
    winnow__wide_predicate *const made = malloc(sizeof *made);
    if (made == NULL)
        return winnow__no_memory("a predicate");
    *made = (winnow__wide_predicate){
        .predicate = {.type = winnow__tested_type(WINNOW_INT128)},
        .low = low,
        .high = high,
        .outside = outside};
    *predicate_p = &made->predicate;
    return WINNOW_OK;
}

winnow_status winnow__wide_compare(winnow_predicate **predicate_p,
                                   winnow_compare compare, const void *value) {
    const winnow__wide bound = load(value);
    switch (compare) {
    case WINNOW_LT: /* not >= */
        return create(predicate_p, bound, MOST, true);
    case WINNOW_LE:
        return create(predicate_p, LEAST, bound, false);
    case WINNOW_EQ:
        return create(predicate_p, bound, bound, false);
    case WINNOW_NE:
        return create(predicate_p, bound, bound, true);
    case WINNOW_GE:
        return create(predicate_p, bound, MOST, false);
    default: /* WINNOW_GT, not <= */
        return create(predicate_p, LEAST, bound, true);
    }
}

winnow_status winnow__wide_range(winnow_predicate **predicate_p,
                                 const void *low, const void *high) {
    return create(predicate_p, load(low), load(high), false);
}
