/*
 * The caller's floating-point environment: it changes no result, no call traps,
 * and a call leaves it as it was.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* feenableexcept() */
#endif
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "element.h"
#include "suite.h"

enum {
    N = 1 << 20, /* worth several threads */
    EVERYTHING = WINNOW_REDUCE_COUNT | WINNOW_REDUCE_SUM |
                 WINNOW_REDUCE_MINIMUM | WINNOW_REDUCE_MAXIMUM
};

static winnow_context *host(unsigned threads) {
    winnow_context *context;
    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(winnow_context_set_threads(context, threads), WINNOW_OK);
    return context;
}

static winnow_reduction reduce(winnow_context *context, winnow_type type,
                               const void *elements, uint64_t n) {
    winnow_reduction result;
    cr_assert_eq(winnow_reduce_if(context, NULL, type, elements, n, EVERYTHING,
                                  &result, NULL),
                 WINNOW_OK, "%s", winnow_last_error());
    return result;
}

static double *thirds(void) {
    double *const x = malloc(N * sizeof *x);
    cr_assert(x != NULL);
    for (int i = 0; i < N; i++)
        x[i] = (i % 1000) / 3.0;
    return x;
}

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

Test(floating, rounding) {
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    double *const x = thirds();
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        winnow_context *const before = host(threads);
        const winnow_reduction wanted = reduce(before, WINNOW_FLOAT64, x, N);
        for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++) {
            fesetround(modes[m]);
            /* Threads that were there before, and threads of this mode. */
            winnow_context *const during = host(threads);
            for (int run = 0; run < 10; run++) {
                const winnow_reduction a = reduce(before, WINNOW_FLOAT64, x, N);
                const winnow_reduction b = reduce(during, WINNOW_FLOAT64, x, N);
                cr_assert(same_bits(a.sum.float64, wanted.sum.float64));
                cr_assert(same_bits(b.sum.float64, wanted.sum.float64));
                cr_assert(same_bits(a.mean, wanted.mean));
                cr_assert(same_bits(b.mean, wanted.mean));
            }
            cr_assert_eq(fegetround(), modes[m]);
            winnow_context_destroy(during);
            fesetround(FE_TONEAREST);
        }
        winnow_context_destroy(before);
    }
    free(x);
}

#ifdef __SSE2__
Test(floating, subnormals) {
    enum {
        FLUSH = 0x8040 /* flush to zero, denormals are zero */
    };
    static float x[1000];
    winnow_context *const context = host(1);
    for (int i = 0; i < 1000; i++)
        x[i] = 1e-40f;
    const winnow_reduction wanted = reduce(context, WINNOW_FLOAT32, x, 1000);
    cr_assert_gt(wanted.sum.float64, 0.99e-37);
    _mm_setcsr(_mm_getcsr() | FLUSH);
    const winnow_reduction flushed = reduce(context, WINNOW_FLOAT32, x, 1000);
    cr_assert_eq(_mm_getcsr() & FLUSH, FLUSH);
    _mm_setcsr(_mm_getcsr() & ~(unsigned)FLUSH);
    cr_assert(same_bits(flushed.sum.float64, wanted.sum.float64));
    cr_assert(same_bits(flushed.minimum.float64, wanted.minimum.float64));
    winnow_context_destroy(context);
}
#endif

#ifdef __GLIBC__
/* Elements that signal or round in every way. */
static void fill(winnow_type type, void *elements, unsigned n) {
    const size_t size = winnow_type_size(type);
    unsigned char *const bytes = elements;
    for (size_t i = 0; i < n * size; i++)
        bytes[i] = (unsigned char)(i * 37 >> 2 ^ i * 11);
    memset(bytes, 0xff, size);            /* a quiet NaN, of a float */
    memset(bytes + size * 5, 0x7f, size); /* or another */
    if (type == WINNOW_FLOAT32)           /* a signalling one */
        memcpy(bytes + size, &(uint32_t){0x7fa00000}, size);
    if (type == WINNOW_FLOAT64)
        memcpy(bytes + size, &(uint64_t){0x7ff4000000000000}, size);
}

static void call_everything(winnow_context *context, winnow_type type,
                            uint64_t n) {
    static double in[64], out[64];
    static double zero[1];
    static uint64_t count, beyond;
    static double selectivity;
    winnow_predicate *predicate;
    fill(type, in, 64);
    reduce(context, type, in, n);
    for (int compare = WINNOW_LT; compare <= WINNOW_GT; compare++) {
        winnow_reduction result;
        cr_assert_eq(winnow_predicate_compare(&predicate, type,
                                              (winnow_compare)compare, zero),
                     WINNOW_OK);
        cr_assert_eq(winnow_copy_if(context, predicate, type, in, n, out,
                                    WINNOW_NO_LIMIT, &count, NULL),
                     WINNOW_OK);
        cr_assert_eq(winnow_reduce_if(context, predicate, type, in, n,
                                      EVERYTHING, &result, NULL),
                     WINNOW_OK);
        cr_assert_eq(winnow_estimate_selectivity(context, predicate, type, in,
                                                 n, &selectivity, NULL),
                     WINNOW_OK);
        winnow_predicate_destroy(predicate);
    }
    if (winnow_type_size(type) >= 4 && type != WINNOW_UINT32) {
        static const uint32_t keys[64];
        const winnow_in key = {.type = WINNOW_UINT32, .d_base = keys};
        const winnow_in value = {.type = type, .d_base = in};
        const winnow_out sum = {.type = type, .d_base = out};
        const winnow_status status = winnow_accumulate_by_key(
            context, &key, &value, 1, n, 4, &sum, &beyond, NULL);
        cr_assert_eq(status, WINNOW_OK, "%s", winnow_last_error());
    }
}

/* As gfortran -ffpe-trap sets it. */
Test(floating, traps) {
    winnow_context *const context = host(1);
    winnow_condition *condition;
    const winnow_field field = {.name = "x", .type = WINNOW_FLOAT32};
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    FOR_EACH_TYPE(type) {
        call_everything(context, type, 0);
        call_everything(context, type, 64);
    }
    cr_assert_eq(winnow_condition_parse(&condition, &field, 1,
                                        "x < 0.1 || isnan(x) || x > 1e30"),
                 WINNOW_OK);
    winnow_condition_destroy(condition);
    cr_assert_eq(fegetexcept(), FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    cr_assert_eq(fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW), 0);
    winnow_context_destroy(context);
}
#endif
