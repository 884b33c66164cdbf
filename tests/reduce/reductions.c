/*
 * Reductions and what they should find.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "reductions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"

__extension__ typedef __int128 wide;

enum {
    MOST_WORKSPACE = 256 << 10,
    N_AT = REGION_GUARD + sizeof(winnow_reduction) + 64 /* d_n */
};

/* ------------------------------------------------------------------ inputs */

/* Any finite value; of 8 bytes, those within 2^40 of 1. */
static uint64_t tame_bits(winnow_type type, uint64_t random) {
    const uint64_t bits = random & element_all_bits(type);
    const uint64_t infinity = element_infinity(type);
    const uint64_t sign = element_top_bit(type);

    if (element_size(type) == 8)
        return (bits & (sign | ((UINT64_C(1) << 52) - 1))) |
               (1023 - 40 + (random >> 52 & 63)) << 52;
    if ((bits & infinity) == infinity) /* the top bit of the exponent */
        return bits & ~(infinity & ~(infinity >> 1));
    return bits;
}

void reduction_open(struct reduction *r, const struct backend *backend,
                    const struct rule *rule, bool every,
                    const struct pattern *pattern, bool tame, uint64_t seed,
                    uint64_t n, unsigned offset) {
    const size_t size = element_size(rule->type);

    *r = (struct reduction){.backend = backend,
                            .rule = *rule,
                            .every = every,
                            .n = n,
                            .offset = offset,
                            .parts = 4096,
                            .d_n = UINT64_MAX};
    if (!every && rule_create(rule, &r->predicate) != WINNOW_OK)
        abort();
    r->input = must_alloc(n * size + 8);
    data_fill(rule, pattern, seed, n, r->input);
    if (tame && element_is_float(rule->type))
        for (uint64_t i = 0; i < n; i++)
            element_store(rule->type, r->input + i * size,
                          tame_bits(rule->type, data_random(seed, i)));
    region_open(&r->in, backend, (offset + n) * size);
    region_open(&r->result, backend,
                sizeof(winnow_reduction) + 2 * REGION_GUARD);
    region_open(&r->workspace, backend, MOST_WORKSPACE + 2 * REGION_GUARD);
    region_poison(&r->in, r->in.bytes);
    region_write(&r->in, offset * size, r->input, n * size);
}

void reduction_close(struct reduction *r) {
    winnow_predicate_destroy(r->predicate);
    region_close(&r->in);
    region_close(&r->result);
    region_close(&r->workspace);
    free(r->input);
}

/* ------------------------------------------------------------------ truth */

static bool keeps(const struct reduction *r, uint64_t bits) {
    return r->every || oracle_keeps(&r->rule, bits);
}

static uint64_t load(const struct reduction *r, uint64_t i) {
    return element_load(r->rule.type,
                        r->input + i * element_size(r->rule.type));
}

/* Halves, added place by place, until one is left. */
static double tree(const double *sums, uint64_t number) {
    double *halves;
    double sum;

    if (number == 1)
        return sums[0];
    halves = must_alloc(number / 2 * sizeof(*halves));
    for (uint64_t i = 0; i < number / 2; i++)
        halves[i] = sums[i] + sums[number / 2 + i];
    sum = tree(halves, number / 2);
    free(halves);
    return sum;
}

/* How many of the first n are looked at. */
static uint64_t looked_at(const struct reduction *r, uint64_t n) {
    return r->d_n < n ? r->d_n : n;
}

/* In the order that winnow_reduce_if(3) states: n says it, not d_n. */
static double float_sum(const struct reduction *r, uint64_t n) {
    const uint64_t row = 4096 / element_size(r->rule.type), tile = 8 * row;
    const uint64_t tiles = (n + tile - 1) / tile;
    const uint64_t part = (tiles + r->parts - 1) / r->parts * tile;
    const uint64_t end = looked_at(r, n);
    double totals[256] = {0};

    for (uint64_t start = 0; start < end; start += part) {
        double *sums = calloc(row, sizeof(*sums));

        if (sums == NULL)
            abort();
        for (uint64_t i = start; i < end && i < start + part; i++)
            if (keeps(r, load(r, i)))
                sums[(i - start) % row] +=
                    element_to_double(r->rule.type, load(r, i));
        totals[start / part % 256] += tree(sums, row);
        free(sums);
    }
    return tree(totals, 256);
}

static bool is_signed(const struct reduction *r) {
    return element_is_signed(r->rule.type);
}

/* a < b, of two values; of zeros, -0 is less. */
static bool is_less(const struct reduction *r, winnow_number a,
                    winnow_number b) {
    if (!element_is_float(r->rule.type))
        return is_signed(r) ? a.int64 < b.int64 : a.uint64 < b.uint64;
    if (a.float64 == 0 && b.float64 == 0)
        return signbit(a.float64) && !signbit(b.float64);
    return a.float64 < b.float64;
}

static winnow_number value(const struct reduction *r, uint64_t bits) {
    if (element_is_float(r->rule.type))
        return (winnow_number){.float64 =
                                   element_to_double(r->rule.type, bits)};
    if (is_signed(r))
        return (winnow_number){.int64 = element_to_signed(r->rule.type, bits)};
    return (winnow_number){.uint64 = bits};
}

/* The largest value and the least. */
static void of_nothing(const struct reduction *r, winnow_number *most,
                       winnow_number *least) {
    const winnow_type type = r->rule.type;

    if (element_is_float(type)) {
        most->float64 = INFINITY;
        least->float64 = -INFINITY;
    } else {
        const uint64_t top = is_signed(r) ? element_top_bit(type) : 0;

        *most = value(r, element_all_bits(type) & ~top);
        *least = value(r, top);
    }
}

static void find_ends(const struct reduction *r, uint64_t n,
                      winnow_reduction *e) {
    e->minimum_index = e->maximum_index = WINNOW_NO_INDEX;
    of_nothing(r, &e->minimum, &e->maximum);
    for (uint64_t i = 0; i < looked_at(r, n); i++) {
        const uint64_t bits = load(r, i);
        const winnow_number x = value(r, bits);

        if (!keeps(r, bits) ||
            (element_is_float(r->rule.type) && isnan(x.float64)))
            continue;
        if (e->minimum_index == WINNOW_NO_INDEX || is_less(r, x, e->minimum)) {
            e->minimum = x;
            e->minimum_index = i;
        }
        if (e->maximum_index == WINNOW_NO_INDEX || is_less(r, e->maximum, x)) {
            e->maximum = x;
            e->maximum_index = i;
        }
    }
}

static void add_up(const struct reduction *r, uint64_t n, winnow_reduction *e) {
    wide sum = 0;

    if (element_is_float(r->rule.type)) {
        e->sum.float64 = float_sum(r, n);
        e->mean = e->sum.float64 / (double)e->count;
        return;
    }
    for (uint64_t i = 0; i < looked_at(r, n); i++)
        if (keeps(r, load(r, i))) {
            const winnow_number x = value(r, load(r, i));

            sum += is_signed(r) ? (wide)x.int64 : (wide)x.uint64;
        }
    e->sum.uint64 = (uint64_t)sum;
    e->overflow =
        is_signed(r) ? sum != (int64_t)sum : sum != (wide)(uint64_t)sum;
    e->mean = (double)sum / (double)e->count;
}

winnow_reduction reduction_expected(const struct reduction *r, uint64_t n,
                                    unsigned wanted) {
    winnow_reduction e, ends;

    memset(&e, 0, sizeof(e));
    memset(&ends, 0, sizeof(ends));
    for (uint64_t i = 0; i < looked_at(r, n); i++)
        e.count += keeps(r, load(r, i));
    if (wanted & WINNOW_REDUCE_SUM)
        add_up(r, n, &e);
    find_ends(r, n, &ends);
    if (wanted & WINNOW_REDUCE_MINIMUM) {
        e.minimum = ends.minimum;
        if (wanted & WINNOW_REDUCE_INDEX)
            e.minimum_index = ends.minimum_index;
    }
    if (wanted & WINNOW_REDUCE_MAXIMUM) {
        e.maximum = ends.maximum;
        if (wanted & WINNOW_REDUCE_INDEX)
            e.maximum_index = ends.maximum_index;
    }
    return e;
}

/* ------------------------------------------------------------------ checks */

/* The same bits, or the one NaN that results have. */
static bool is_double(double seen, double expected) {
    const uint64_t nan = UINT64_C(0x7ff8000000000000);

    return memcmp(&seen,
                  isnan(expected) ? (const void *)&nan
                                  : (const void *)&expected,
                  8) == 0;
}

bool reduction_check(const struct reduction *r, const winnow_reduction *seen,
                     uint64_t n, unsigned wanted, struct report *report) {
    const winnow_reduction e = reduction_expected(r, n, wanted);
    const bool floats = element_is_float(r->rule.type);
    char rule[128] = "every element";

    if (seen->count == e.count && seen->overflow == e.overflow &&
        (floats ? is_double(seen->sum.float64, e.sum.float64)
                : seen->sum.uint64 == e.sum.uint64) &&
        is_double(seen->mean, e.mean) &&
        seen->minimum.uint64 == e.minimum.uint64 &&
        seen->maximum.uint64 == e.maximum.uint64 &&
        seen->minimum_index == e.minimum_index &&
        seen->maximum_index == e.maximum_index)
        return true;
    if (!r->every)
        rule_describe(&r->rule, rule, sizeof(rule));
    return report_fail(
        report,
        "%s, %s of %s, n %llu, d_n %lld, offset %u, wanted 0x%x: count %llu "
        "(%llu), "
        "sum %llx (%llx), overflow %llu (%llu), mean %.17g (%.17g), minimum "
        "%llx (%llx) at %lld (%lld), maximum %llx (%llx) at %lld (%lld)",
        r->backend->name, rule, winnow_type_name(r->rule.type),
        (unsigned long long)n, (long long)r->d_n, r->offset, wanted,
        (unsigned long long)seen->count, (unsigned long long)e.count,
        (unsigned long long)seen->sum.uint64, (unsigned long long)e.sum.uint64,
        (unsigned long long)seen->overflow, (unsigned long long)e.overflow,
        seen->mean, e.mean, (unsigned long long)seen->minimum.uint64,
        (unsigned long long)e.minimum.uint64, (long long)seen->minimum_index,
        (long long)e.minimum_index, (unsigned long long)seen->maximum.uint64,
        (unsigned long long)e.maximum.uint64, (long long)seen->maximum_index,
        (long long)e.maximum_index);
}

/* With other memory than its own, or none: for a plan. */
static winnow_status make_call(const struct reduction *r, const void *in,
                               uint64_t n, unsigned wanted,
                               winnow_reduction *result,
                               const winnow_launch *launch) {
    return r->call != NULL
               ? r->call(r, n, wanted, result, launch)
               : winnow_reduce_if(r->backend->context, r->predicate,
                                  r->rule.type, in, n, wanted, result, launch);
}

static bool call(struct reduction *r, uint64_t n, unsigned wanted,
                 const winnow_launch *launch, struct report *report) {
    const size_t ahead = r->offset * element_size(r->rule.type);
    winnow_reduction *const result =
        (winnow_reduction *)(void *)(r->result.base + REGION_GUARD);
    const char *problem;

    if (make_call(r, r->in.base + ahead, n, wanted, result, launch) !=
        WINNOW_OK)
        return report_fail(report, "winnow_reduce_if: %s", winnow_last_error());
    problem = backend_wait(r->backend);
    return problem == NULL || report_fail(report, "%s", problem);
}

/* Is nothing written but `bytes` in the midst of a region? */
static bool around(struct region *region, const char *name, size_t bytes,
                   struct report *report) {
    const size_t end = REGION_GUARD + bytes;

    region_fetch(region, end + REGION_GUARD);
    return region_untouched(region, name, REGION_GUARD, 0, REGION_GUARD,
                            report) &&
           region_untouched(region, name, REGION_GUARD, end, end + REGION_GUARD,
                            report);
}

bool reduction_run(struct reduction *r, uint64_t n, unsigned wanted, bool given,
                   struct report *report) {
    const struct backend *const backend = r->backend;
    winnow_plan plan = {.size = sizeof(plan)};
    winnow_launch launch = {
        .size = sizeof(launch), .stream = backend->stream, .plan = &plan};
    winnow_reduction seen;

    region_poison(&r->result, sizeof(seen) + 2 * REGION_GUARD);
    if (r->d_n != UINT64_MAX) {
        region_write(&r->result, N_AT, &r->d_n, sizeof(r->d_n));
        launch.d_n = (const uint64_t *)(const void *)(r->result.base + N_AT);
    }
    if (make_call(r, NULL, n, wanted, NULL, &launch) != WINNOW_OK)
        return report_fail(report, "the plan: %s", winnow_last_error());
    launch.plan = NULL;
    if (plan.workspace_bytes > MOST_WORKSPACE)
        return report_fail(report, "a workspace of %zu bytes",
                           plan.workspace_bytes);
    if (plan.workspace_bytes == 0)
        return report_fail(report, "%s: no workspace", backend->name);
    region_poison(&r->workspace, plan.workspace_bytes + 2 * REGION_GUARD);
    if (given) {
        launch.d_workspace = r->workspace.base + REGION_GUARD;
        launch.workspace_bytes = plan.workspace_bytes;
    }
    if (!call(r, n, wanted, &launch, report) ||
        !around(&r->result, "d_result", sizeof(seen), report) ||
        !around(&r->workspace, "d_workspace", plan.workspace_bytes, report))
        return false;
    memcpy(&seen, r->result.seen + REGION_GUARD, sizeof(seen));
    region_fetch(&r->in, r->in.bytes);
    return region_untouched(&r->in, "d_in", 0, 0, r->in.bytes, report) &&
           reduction_check(r, &seen, n, wanted, report);
}
