/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

#include <stdarg.h>
#include <stdio.h>

/* The body of a function with a format and arguments. */
#define RECORD(STATUS, FORMAT)                                                 \
    char detail[512];                                                          \
    va_list arguments;                                                         \
    va_start(arguments, FORMAT);                                               \
    vsnprintf(detail, sizeof detail, FORMAT, arguments);                       \
    va_end(arguments);                                                         \
    return winnow_set_last_error(STATUS, detail)

winnow_status winnow__ranks_fail(winnow_status status, const char *format,
                                 ...) {
    RECORD(status, format);
}

winnow_status winnow__ranks_refuse(const char *format, ...) {
    RECORD(WINNOW_ERR_ARGUMENT, format);
}

winnow_status winnow__ranks_need(const void *pointer, const char *name) {
    return pointer != NULL ? WINNOW_OK
                           : winnow__ranks_refuse("%s is NULL", name);
}

winnow_status winnow__ranks_fail_elsewhere(winnow_status status,
                                           unsigned rank) {
    return winnow__ranks_fail(status,
                              "rank %u has %s: its winnow_last_error() says "
                              "why",
                              rank, winnow_status_name(status));
}

winnow_status winnow__ranks_fail_short(unsigned rank, uint64_t needed,
                                       uint64_t capacity) {
    return winnow__ranks_fail(
        WINNOW_ERR_ARGUMENT,
        "capacity is %llu on rank %u, where %llu elements need room",
        (unsigned long long)capacity, rank, (unsigned long long)needed);
}

uint64_t winnow__ranks_mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}
