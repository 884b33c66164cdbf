/*
 * Constants among the values of a column.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "number.h"

static const winnow__keys none = {1, 0};

/* Keys that are less than the point, or, `from`, greater; or equal as well. */
static winnow__keys keys_beside(const winnow__point *point, bool from,
                                bool equal, const winnow__domain *domain) {
    winnow__keys keys = {domain->least, domain->most};
    winnow__wide *const end = from ? &keys.low : &keys.high;
    const bool below = point->beyond < 0 ||
                       (point->beyond == 0 && point->floor < domain->least);
    const bool above = point->beyond > 0 ||
                       (point->beyond == 0 && point->floor > domain->most);
    if (below || above)
        return below == from ? keys : none;
    /* The floor is less than the point, unless it is equal. */
    const bool moves = from ? !equal || !point->exact : !equal && point->exact;
    if (moves && point->floor == (from ? domain->most : domain->least))
        return none;
    *end = point->floor + (moves ? from ? 1 : -1 : 0);
    return keys;
}

winnow__keys winnow__keys_of_both(winnow__keys a, winnow__keys b) {
    return (winnow__keys){a.low > b.low ? a.low : b.low,
                          a.high < b.high ? a.high : b.high};
}

winnow__keys winnow__point_keys(const winnow__point *point,
                                winnow_compare compare,
                                const winnow__domain *domain) {
    if (point->none)
        return none;
    switch (compare) {
    case WINNOW_LT:
        return keys_beside(point, false, false, domain);
    case WINNOW_LE:
        return keys_beside(point, false, true, domain);
    case WINNOW_GE:
        return keys_beside(point, true, true, domain);
    case WINNOW_GT:
        return keys_beside(point, true, false, domain);
    default:
        return winnow__keys_of_both(keys_beside(point, false, true, domain),
                                    keys_beside(point, true, true, domain));
    }
}
