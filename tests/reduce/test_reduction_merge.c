/*
 * winnow_reduction_merge: the parts of an array, wherever it is cut, are the
 * whole again; sums against 128 bits; indices, NaN, parts without an element;
 * partials of partials; and what it refuses.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <criterion/criterion.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "report.h"
#include "suite.h"

#define SAME_BYTES(a, b, bytes, ...)                                           \
    cr_assert(memcmp(a, b, bytes) == 0, __VA_ARGS__)

enum {
    ALL = WINNOW_REDUCE_COUNT | WINNOW_REDUCE_SUM | WINNOW_REDUCE_MINIMUM |
          WINNOW_REDUCE_MAXIMUM | WINNOW_REDUCE_INDEX,
    MOST = 9 /* parts */
};

__extension__ typedef __int128 wide;

static winnow_reduction reduce(const struct backend *backend, winnow_type type,
                               const void *in, uint64_t n, unsigned wanted) {
    winnow_reduction *const d_result = backend_alloc(backend, sizeof *d_result);
    winnow_reduction result;
    const winnow_launch launch = {.size = sizeof launch,
                                  .stream = backend->stream};

    cr_assert_eq(winnow_reduce_if(backend->context, NULL, type, in, n, wanted,
                                  d_result, &launch),
                 WINNOW_OK, "%s", winnow_last_error());
    backend_download(backend, &result, d_result, sizeof result);
    backend_free(backend, d_result);
    return result;
}

/* Elements 0 to n - 1 cut into parts, of which some are empty. */
struct parts {
    winnow_reduction list[MOST];
    uint64_t firsts[MOST];
    uint64_t number;
};

static struct parts reduce_parts(const struct backend *backend,
                                 winnow_type type, const unsigned char *in,
                                 uint64_t n, unsigned wanted) {
    struct parts parts = {.number = MOST};
    uint64_t first = 0;

    for (unsigned i = 0; i < MOST; i++) {
        const uint64_t left = n - first;
        const uint64_t here = i == MOST - 1 ? left : i % 3 == 2 ? 0 : left / 3;

        parts.firsts[i] = first;
        parts.list[i] = reduce(backend, type, in + first * element_size(type),
                               here, wanted | WINNOW_REDUCE_PARTIAL);
        first += here;
    }
    return parts;
}

static winnow_reduction merge(winnow_type type, const struct parts *parts,
                              unsigned wanted) {
    winnow_reduction result;

    memset(&result, 0x5a, sizeof result);
    cr_assert_eq(winnow_reduction_merge(type, parts->list, parts->firsts,
                                        parts->number, wanted, &result),
                 WINNOW_OK, "%s", winnow_last_error());
    return result;
}

static uint64_t mix(uint64_t x) {
    x = (x + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 29;
}

/* Of the bits of elements: any, or those that add up to much. */
static void fill(unsigned char *to, winnow_type type, uint64_t n,
                 uint64_t seed) {
    const size_t size = element_size(type);

    for (uint64_t i = 0; i < n; i++) {
        uint64_t bits = mix(seed + i);

        if (element_is_float(type) &&
            i % 50 != 7) /* few NaNs, few infinities */
            bits &= ~(UINT64_C(1) << (8 * size - 2));
        if (!element_is_float(type) && seed % 2 != 0)
            bits |= UINT64_C(3)
                    << (8 * size - 2); /* overflow, to either side */
        memcpy(to + i * size, &bits, size);
    }
}

static wide integer_at(winnow_type type, const unsigned char *in, uint64_t i) {
    const size_t size = element_size(type);
    const unsigned spare = 64 - 8 * (unsigned)size;
    uint64_t bits = 0;

    memcpy(&bits, in + i * size, size);
    return element_is_signed(type) ? (wide)((int64_t)(bits << spare) >> spare)
                                   : (wide)bits;
}

/* The sum of a partial is that of the integers, of 128 bits. */
static void check_wide(winnow_type type, const unsigned char *in, uint64_t n,
                       const winnow_reduction *partial) {
    wide sum = 0;

    for (uint64_t i = 0; i < n; i++)
        sum += integer_at(type, in, i);
    cr_assert_eq(partial->sum.uint64, (uint64_t)sum);
    cr_assert_eq(partial->overflow, (uint64_t)(sum >> 64));
    cr_assert_eq(partial->mean, 0);
}

/* Sums of floats depend on where parts begin; all else does not. */
static void set_float_sum(const struct parts *parts, winnow_reduction *whole) {
    double sum = 0;

    for (uint64_t i = 0; i < parts->number; i++)
        sum += parts->list[i].sum.float64;
    whole->sum.float64 = isnan(sum) ? (double)NAN : sum;
    whole->mean = sum / (double)whole->count;
    if (isnan(whole->mean))
        whole->mean = (double)NAN;
}

BACKEND_TEST(reduction_merge, parts_are_the_whole) {
    static const uint64_t sizes[] = {0, 1, 5003};

    FOR_EACH_TYPE(type) {
        for (unsigned s = 0; s < 6; s++) {
            const uint64_t n = sizes[s % 3];
            const size_t bytes = n * element_size(type);
            unsigned char *const in = must_alloc(bytes + 1);
            unsigned char *const d_in = backend_alloc(backend, bytes + 16);

            fill(in, type, n, 100 + s);
            backend_upload(backend, d_in, in, bytes);
            const struct parts parts =
                reduce_parts(backend, type, d_in, n, ALL);
            winnow_reduction whole = reduce(backend, type, d_in, n, ALL);
            const winnow_reduction merged = merge(type, &parts, ALL);

            if (element_is_float(type)) {
                set_float_sum(&parts, &whole);
            } else {
                const winnow_reduction partial =
                    merge(type, &parts, ALL | WINNOW_REDUCE_PARTIAL);
                const winnow_reduction at_once =
                    reduce(backend, type, d_in, n, ALL | WINNOW_REDUCE_PARTIAL);

                check_wide(type, in, n, &partial);
                SAME_BYTES(&partial, &at_once, sizeof partial, "%s",
                           winnow_type_name(type));
            }
            SAME_BYTES(&merged, &whole, sizeof merged, "%s, %d",
                       winnow_type_name(type), (int)n);
            backend_free(backend, d_in);
            free(in);
        }
    }
}

/* Every set of results, and merges of merges. */
BACKEND_TEST(reduction_merge, results) {
    static const winnow_type types[] = {WINNOW_INT8, WINNOW_UINT64,
                                        WINNOW_INT64};
    enum {
        N = 1001
    };

    for (unsigned t = 0; t < 3; t++) {
        unsigned char in[8 * N];
        const size_t bytes = N * element_size(types[t]);
        unsigned char *const d_in = backend_alloc(backend, bytes);

        fill(in, types[t], N, 7 + t);
        backend_upload(backend, d_in, in, bytes);
        for (unsigned wanted = 1; wanted < 32; wanted++) {
            if ((wanted & WINNOW_REDUCE_INDEX) != 0 &&
                (wanted & (WINNOW_REDUCE_MINIMUM | WINNOW_REDUCE_MAXIMUM)) == 0)
                continue;
            struct parts parts =
                reduce_parts(backend, types[t], d_in, N, wanted);
            const winnow_reduction whole =
                reduce(backend, types[t], d_in, N, wanted);

            for (unsigned half = 0; half < 2; half++)
                cr_assert_eq(winnow_reduction_merge(
                                 types[t], &parts.list[half * 4],
                                 &parts.firsts[half * 4], half == 0 ? 4 : 5,
                                 wanted | WINNOW_REDUCE_PARTIAL,
                                 &parts.list[half]),
                             WINNOW_OK);
            winnow_reduction *const result = &parts.list[0];
            cr_assert_eq(winnow_reduction_merge(types[t], parts.list, NULL, 2,
                                                wanted, result),
                         WINNOW_OK);
            SAME_BYTES(result, &whole, sizeof whole, "wanted %u", wanted);
        }
        backend_free(backend, d_in);
    }
}

/* Halves that overflow make a whole that does not. */
BACKEND_TEST(reduction_merge, overflow_of_halves) {
    const int64_t in[4] = {INT64_MAX, 1, INT64_MIN, 6};
    int64_t *const d_in = backend_alloc(backend, sizeof in);
    winnow_reduction halves[2], whole;

    backend_upload(backend, d_in, in, sizeof in);
    for (int i = 0; i < 2; i++)
        halves[i] = reduce(backend, WINNOW_INT64, d_in + 2 * i, 2,
                           WINNOW_REDUCE_SUM | WINNOW_REDUCE_PARTIAL);
    backend_free(backend, d_in);
    cr_assert_eq(winnow_reduction_merge(WINNOW_INT64, halves, NULL, 1,
                                        WINNOW_REDUCE_SUM, &whole),
                 WINNOW_OK);
    cr_assert_eq(whole.overflow, 1);
    cr_assert_eq(whole.mean, 0x1p62);
    cr_assert_eq(winnow_reduction_merge(WINNOW_INT64, halves, NULL, 2,
                                        WINNOW_REDUCE_SUM, &whole),
                 WINNOW_OK);
    cr_assert_eq(whole.overflow, 0);
    cr_assert_eq(whole.sum.int64, 6);
    cr_assert_eq(whole.mean, 1.5);
}

/* Nothing but NaN, infinities that are there, and both zeros. */
BACKEND_TEST(reduction_merge, floats) {
    const double in[6] = {(double)NAN, (double)INFINITY,  0.0,
                          -0.0,        -(double)INFINITY, (double)NAN};
    double *const d_in = backend_alloc(backend, sizeof in);
    struct parts parts = {.number = 2, .firsts = {10, 20}};
    winnow_reduction got;

    backend_upload(backend, d_in, in, sizeof in);
    for (int i = 0; i < 2; i++)
        parts.list[i] = reduce(backend, WINNOW_FLOAT64, d_in + i, 1,
                               ALL | WINNOW_REDUCE_PARTIAL);
    got = merge(WINNOW_FLOAT64, &parts, ALL);
    cr_assert(got.count == 2 && isnan(got.sum.float64) && isnan(got.mean));
    cr_assert(isinf(got.minimum.float64) && got.minimum.float64 > 0);
    cr_assert_eq(got.minimum_index, 20);
    cr_assert_eq(got.maximum_index, 20);
    for (int i = 0; i < 2; i++)
        parts.list[i] = reduce(backend, WINNOW_FLOAT64, d_in + 2 + i, 1,
                               ALL | WINNOW_REDUCE_PARTIAL);
    got = merge(WINNOW_FLOAT64, &parts, ALL);
    cr_assert(signbit(got.minimum.float64) && got.minimum_index == 20);
    cr_assert(!signbit(got.maximum.float64) && got.maximum_index == 10);
    cr_assert(got.sum.float64 == 0 && !signbit(got.sum.float64));
    parts.number = 1;
    parts.list[0] = reduce(backend, WINNOW_FLOAT64, d_in + 5, 1,
                           ALL | WINNOW_REDUCE_PARTIAL);
    got = merge(WINNOW_FLOAT64, &parts, ALL);
    cr_assert_eq(got.minimum_index, WINNOW_NO_INDEX);
    cr_assert_eq(got.maximum_index, WINNOW_NO_INDEX);
    backend_free(backend, d_in);
}

/* Partials of expressions, and of a count alone. */
BACKEND_TEST(reduction_merge, of_aggregates) {
    const int64_t in[4] = {INT64_MAX, INT64_MAX, -5, INT64_MIN};
    int64_t *const d_in = backend_alloc(backend, sizeof in);
    winnow_reduction *const d_results =
        backend_alloc(backend, 2 * sizeof *d_results);
    winnow_reduction results[2][2], whole;
    winnow_expression *value = NULL;
    const winnow_launch launch = {.size = sizeof launch,
                                  .stream = backend->stream};

    backend_upload(backend, d_in, in, sizeof in);
    cr_assert_eq(winnow_expression_column(&value, 0, WINNOW_INT64), WINNOW_OK);
    const winnow_aggregate aggregates[2] = {
        {.expression = value, .wanted = ALL | WINNOW_REDUCE_PARTIAL},
        {.wanted = WINNOW_REDUCE_COUNT | WINNOW_REDUCE_PARTIAL}};
    for (int i = 0; i < 2; i++) {
        const winnow_in column = {.type = WINNOW_INT64, .d_base = d_in + 2 * i};

        cr_assert_eq(winnow_reduce_where(backend->context, NULL, &column, 1, 2,
                                         aggregates, 2, d_results, &launch),
                     WINNOW_OK, "%s", winnow_last_error());
        backend_download(backend, results[i], d_results, sizeof results[i]);
        cr_assert_eq(results[i][1].count, 2);
    }
    const winnow_reduction halves[2] = {results[0][0], results[1][0]};
    const uint64_t firsts[2] = {0, 2};
    cr_assert_eq(
        winnow_reduction_merge(WINNOW_INT64, halves, firsts, 2, ALL, &whole),
        WINNOW_OK);
    cr_assert(whole.count == 4 && whole.overflow == 0);
    cr_assert_eq(whole.sum.int64, INT64_MAX - 6);
    cr_assert_eq(whole.minimum_index, 3);
    cr_assert_eq(whole.maximum_index, 0);
    winnow_expression_destroy(value);
    backend_free(backend, d_results);
    backend_free(backend, d_in);
}

Test(reduction_merge, refused) {
    const winnow_reduction part = {.count = 1};
    winnow_reduction result = {.count = 77};

#define REFUSED(...)                                                           \
    cr_assert(winnow_reduction_merge(__VA_ARGS__) == WINNOW_ERR_ARGUMENT &&    \
              result.count == 77)
    REFUSED(WINNOW_INT32, NULL, NULL, 1, ALL, &result);
    REFUSED(WINNOW_INT32, &part, NULL, 1, ALL, NULL);
    REFUSED(WINNOW_INT32, &part, NULL, 1, 0, &result);
    REFUSED(WINNOW_INT32, &part, NULL, 1, 64, &result);
    REFUSED(WINNOW_INT32, &part, NULL, 1, WINNOW_REDUCE_PARTIAL, &result);
    REFUSED(WINNOW_INT32, &part, NULL, 1, WINNOW_REDUCE_INDEX, &result);
    REFUSED(WINNOW_OPAQUE, &part, NULL, 1, ALL, &result);
    REFUSED(WINNOW_STRING32, &part, NULL, 1, ALL, &result);
    REFUSED((winnow_type)99, &part, NULL, 1, ALL, &result);
#undef REFUSED
    cr_assert_eq(
        winnow_reduction_merge(WINNOW_INT32, NULL, NULL, 0, ALL, &result),
        WINNOW_OK);
    cr_assert(result.count == 0 && isnan(result.mean));
    cr_assert_eq(result.minimum.int64, INT32_MAX);
    cr_assert_eq(result.minimum_index, WINNOW_NO_INDEX);
}
