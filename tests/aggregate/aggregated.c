/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "aggregated.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PART = 4096,  /* items of the smallest part */
    PLACES = 512, /* sums of a part */
    TOTALS = 256  /* sums of all parts */
};

static double tree(double *sums, unsigned number) {
    for (unsigned half = number / 2; half != 0; half /= 2)
        for (unsigned i = 0; i < half; i++)
            sums[i] += sums[i + half];
    return sums[0];
}

static double sum_of(const struct aggregated_item items[], uint64_t n,
                     uint64_t parts) {
    const uint64_t blocks = (n + PART - 1) / PART;
    const uint64_t each =
        blocks == 0 ? PART : (blocks + parts - 1) / parts * PART;
    double totals[TOTALS] = {0};

    for (uint64_t part = 0; part * each < n; part++) {
        double sums[PLACES] = {0};

        for (uint64_t i = part * each; i < n && i < (part + 1) * each; i++)
            if (items[i].counts)
                sums[(i - part * each) % PLACES] += items[i].d;
        totals[part % TOTALS] += tree(sums, PLACES);
    }
    return tree(totals, TOTALS);
}

static double plain_nan(double x) {
    const uint64_t bits = UINT64_C(0x7ff8000000000000);

    if (isnan(x))
        memcpy(&x, &bits, sizeof x);
    return x;
}

/* Is a before b? -0 is before 0. */
static bool is_less(const struct aggregated_item *a,
                    const struct aggregated_item *b,
                    enum aggregated_kind kind) {
    if (kind != AGGREGATED_FLOATS)
        return a->i < b->i;
    return a->d < b->d ||
           (a->d == b->d && signbit(a->d) != 0 && signbit(b->d) == 0);
}

/* The index of the first least, or of the first largest: n for none. */
static uint64_t find_end(const struct aggregated_item items[], uint64_t n,
                         enum aggregated_kind kind, bool largest) {
    uint64_t found = n;

    for (uint64_t i = 0; i < n; i++) {
        if (!items[i].counts ||
            (kind == AGGREGATED_FLOATS && isnan(items[i].d)))
            continue;
        if (found == n || (largest ? is_less(&items[found], &items[i], kind)
                                   : is_less(&items[i], &items[found], kind)))
            found = i;
    }
    return found;
}

static winnow_number end_of(const struct aggregated_item *item,
                            enum aggregated_kind kind, bool largest) {
    winnow_number number = {0};

    if (kind == AGGREGATED_FLOATS)
        number.float64 = item != NULL ? item->d
                         : largest    ? -INFINITY
                                      : INFINITY;
    else if (item != NULL)
        number.uint64 = (uint64_t)item->i;
    else if (kind == AGGREGATED_SIGNED)
        number.int64 = largest ? INT64_MIN : INT64_MAX;
    else
        number.uint64 = largest ? 0 : UINT64_MAX;
    return number;
}

winnow_reduction aggregated_expected(const struct aggregated_item items[],
                                     uint64_t n, enum aggregated_kind kind,
                                     unsigned wanted, uint64_t parts) {
    winnow_reduction expected = {0};
    aggregated_integer sum = 0;
    double mean;

    for (uint64_t i = 0; i < n; i++)
        if (items[i].counts) {
            expected.count++;
            sum += items[i].i;
        }
    if (wanted & WINNOW_REDUCE_SUM) {
        if (kind == AGGREGATED_FLOATS) {
            expected.sum.float64 = plain_nan(sum_of(items, n, parts));
            mean = expected.sum.float64;
        } else {
            expected.sum.uint64 = (uint64_t)sum;
            expected.overflow = kind == AGGREGATED_SIGNED
                                    ? sum < INT64_MIN || sum > INT64_MAX
                                    : sum > UINT64_MAX;
            mean = (double)sum;
        }
        expected.mean = plain_nan(mean / (double)expected.count);
    }
    for (int end = 0; end < 2; end++) {
        const uint64_t found = find_end(items, n, kind, end != 0);
        const winnow_number number =
            end_of(found < n ? &items[found] : NULL, kind, end != 0);
        const uint64_t index = (wanted & WINNOW_REDUCE_INDEX) == 0 ? 0
                               : found < n                         ? found
                                           : WINNOW_NO_INDEX;

        if ((wanted & WINNOW_REDUCE_MINIMUM << end) == 0)
            continue;
        if (end == 0) {
            expected.minimum = number;
            expected.minimum_index = index;
        } else {
            expected.maximum = number;
            expected.maximum_index = index;
        }
    }
    return expected;
}

bool aggregated_check(const winnow_reduction *seen,
                      const winnow_reduction *expected, struct report *report) {
    uint64_t a[8], b[8];
    static const char *const names[8] = {
        "count",   "sum",           "mean",          "minimum",
        "maximum", "minimum_index", "maximum_index", "overflow"};

    _Static_assert(sizeof a == sizeof *seen, "eight words");
    memcpy(a, seen, sizeof a);
    memcpy(b, expected, sizeof b);
    for (unsigned i = 0; i < 8; i++)
        if (a[i] != b[i])
            return report_fail(report,
                               "%s is 0x%" PRIx64 ", expected 0x%" PRIx64,
                               names[i], a[i], b[i]);
    return true;
}
