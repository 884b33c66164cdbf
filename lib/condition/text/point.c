/*
 * Constants among the values of a column.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "number.h"

static const winnow__keys none = {1, 0};

/* Keys that are less than the point, or equal as well. */
static winnow__keys keys_up_to(const winnow__point *point, bool equal,
                               const winnow__domain *domain) {
    winnow__keys keys = {domain->least, domain->most};
    if (point->beyond > 0 ||
        (point->beyond == 0 && point->floor > domain->most))
        return keys;
    if (point->beyond < 0 || point->floor < domain->least)
        return none;
    keys.high = point->floor;
    if (equal || !point->exact)
        return keys;
    if (keys.high == domain->least)
        return none;
    keys.high--;
    return keys;
}

/* Keys that are greater than the point, or equal as well. */
static winnow__keys keys_from(const winnow__point *point, bool equal,
                              const winnow__domain *domain) {
    winnow__keys keys = {domain->least, domain->most};
    if (point->beyond < 0 ||
        (point->beyond == 0 && point->floor < domain->least))
        return keys;
    if (point->beyond > 0 || point->floor > domain->most)
        return none;
    keys.low = point->floor;
    if (equal && point->exact)
        return keys;
    if (keys.low == domain->most)
        return none;
    keys.low++;
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
        return keys_up_to(point, false, domain);
    case WINNOW_LE:
        return keys_up_to(point, true, domain);
    case WINNOW_GE:
        return keys_from(point, true, domain);
    case WINNOW_GT:
        return keys_from(point, false, domain);
    default:
        return winnow__keys_of_both(keys_up_to(point, true, domain),
                                    keys_from(point, true, domain));
    }
}
