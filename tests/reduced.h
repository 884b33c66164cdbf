/*
 * The reduced mode: WINNOW_TEST_REDUCED=1 keeps every strategy and every kind
 * of predicate and drops sizes and types, for tools that slow a program down
 * ten times and more (valgrind, compute-sanitizer).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_REDUCED_H
#define WINNOW_TESTS_REDUCED_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool reduced_mode(void) {
    const char *setting = getenv("WINNOW_TEST_REDUCED");
    return setting && *setting && strcmp(setting, "0") != 0;
}

#endif
