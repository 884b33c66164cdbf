/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "util.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void bench_fail(const char *format, ...) {
    /* The rows printed so far come before the complaint. */
    fflush(stdout);
    va_list arguments;
    va_start(arguments, format);
    fputs("winnow-bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(BENCH_FAILED);
}

void bench_check(winnow_status status, const char *call) {
    if (status != WINNOW_OK)
        bench_fail("%s: %s: %s", call, winnow_status_name(status),
                   winnow_last_error());
}

void bench_enqueue(bench_call *call, const char *name, const void *state,
                   winnow_launch launch, winnow_stream stream) {
    launch.stream = stream;
    bench_check(call(state, &launch), name);
}

winnow_status bench_plan(bench_call *call, const void *state,
                         winnow_launch launch, winnow_plan *plan_p) {
    *plan_p = (winnow_plan){.size = sizeof *plan_p};
    launch.plan = plan_p;
    return call(state, &launch);
}

void *bench_alloc(size_t bytes) {
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL)
        bench_fail("out of memory: %zu bytes", bytes);
    return memory;
}

double bench_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool parse_digits(const char *text, char **end_p, uint64_t *value_p) {
    /* strtoumax() would take a sign, and turn -1 into 2^64 - 1. */
    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    *value_p = strtoumax(text, end_p, 10);
    return errno == 0;
}

bool bench_parse_count(const char *text, uint64_t *count_p) {
    char *end;
    uint64_t value;
    unsigned shift = 0;
    if (!parse_digits(text, &end, &value))
        return false;
    if (value == 2 && *end == '^') {
        uint64_t exponent;
        if (!parse_digits(end + 1, &end, &exponent) || exponent > 63)
            return false;
        value = UINT64_C(1) << exponent;
    } else if (*end != '\0') {
        static const char suffixes[] = "KMGT";
        const char *suffix = strchr(suffixes, *end);
        if (suffix == NULL)
            return false;
        shift = 10 * (unsigned)(suffix - suffixes + 1);
        end++;
    }
    if (*end != '\0' || value > UINT64_MAX >> shift)
        return false;
    *count_p = value << shift;
    return true;
}

const char *bench_format_count(uint64_t count, char buffer[32]) {
    if (count >= 1024 && (count & (count - 1)) == 0)
        snprintf(buffer, 32, "2^%d", __builtin_ctzll(count));
    else
        snprintf(buffer, 32, "%" PRIu64, count);
    return buffer;
}
