/*
 * What every file of the benchmark needs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_UTIL_H
#define WINNOW_BENCH_UTIL_H

#include <winnow.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses. */
enum {
    BENCH_RIGHT = 0,
    BENCH_WRONG = 1, /* some result was wrong */
    BENCH_FAILED = 2 /* bad usage, no memory, a call failed */
};

/* Print "winnow-bench: ..." and exit with BENCH_FAILED. */
_Noreturn void bench_fail(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Fail, with the call and the library's detail, unless status is OK. */
void bench_check(winnow_status status, const char *call);

/* A call of the library on what `state` is, launched as it is told. */
typedef winnow_status bench_call(const void *state,
                                 const winnow_launch *launch);
/* Make it on a stream, and fail unless that is OK; `name` is the call's. */
void bench_enqueue(bench_call *call, const char *name, const void *state,
                   winnow_launch launch, winnow_stream stream);
/* Ask it what it needs, and would do, launched so. */
winnow_status bench_plan(bench_call *call, const void *state,
                         winnow_launch launch, winnow_plan *plan_p);

/* malloc() that fails as above. */
void *bench_alloc(size_t bytes);

/* Seconds of a clock that only goes forward. */
double bench_now(void);

/* 1048576, 2^20, 1024K, 1M: binary suffixes K, M, G and T. */
bool bench_parse_count(const char *text, uint64_t *count_p);

/* "2^20" where that is exact, else the number. */
const char *bench_format_count(uint64_t count, char buffer[32]);

#endif
