/*
 * As much of Criterion as the tests of the CPU device use, for builds in which
 * Criterion's own processes do not start: under ThreadSanitizer. See runner.c.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_PLAIN_CRITERION_H
#define WINNOW_TESTS_SIMT_PLAIN_CRITERION_H

#include <string.h>

struct plain_test {
    const char *suite, *name;
    void (*run)(void);
    struct plain_test *next;
};

void plain_add(struct plain_test *test);
_Noreturn void plain_fail(const char *file, int line, const char *what,
                          const char *format, ...)
    __attribute__((format(printf, 4, 5)));
_Noreturn void plain_skip(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#define Test(SUITE, NAME, ...)                                                 \
    static void SUITE##_##NAME##_run(void);                                    \
    __attribute__((constructor)) static void SUITE##_##NAME##_add(void) {      \
        static struct plain_test test = {.suite = #SUITE,                      \
                                         .name = #NAME,                        \
                                         .run = SUITE##_##NAME##_run,          \
                                         __VA_ARGS__};                         \
        plain_add(&test);                                                      \
    }                                                                          \
    static void SUITE##_##NAME##_run(void)

#define PLAIN_ASSERT(CONDITION, WHAT, ...)                                     \
    do {                                                                       \
        if (!(CONDITION))                                                      \
            plain_fail(__FILE__, __LINE__, WHAT, " " __VA_ARGS__);             \
    } while (0)

#define cr_assert(X, ...) PLAIN_ASSERT(X, #X, __VA_ARGS__)
#define cr_assert_not(X, ...) PLAIN_ASSERT(!(X), "not " #X, __VA_ARGS__)
#define cr_assert_null(X, ...)                                                 \
    PLAIN_ASSERT((X) == NULL, #X " is NULL", __VA_ARGS__)
#define cr_assert_not_null(X, ...)                                             \
    PLAIN_ASSERT((X) != NULL, #X " is not NULL", __VA_ARGS__)
#define cr_assert_eq(A, B, ...)                                                \
    PLAIN_ASSERT((A) == (B), #A " == " #B, __VA_ARGS__)
/* What goes on behind a failure, with Criterion, ends here as well. */
#define cr_expect_eq cr_assert_eq
#define cr_assert_neq(A, B, ...)                                               \
    PLAIN_ASSERT((A) != (B), #A " != " #B, __VA_ARGS__)
#define cr_assert_gt(A, B, ...)                                                \
    PLAIN_ASSERT((A) > (B), #A " > " #B, __VA_ARGS__)
#define cr_assert_geq(A, B, ...)                                               \
    PLAIN_ASSERT((A) >= (B), #A " >= " #B, __VA_ARGS__)
#define cr_assert_lt(A, B, ...)                                                \
    PLAIN_ASSERT((A) < (B), #A " < " #B, __VA_ARGS__)
#define cr_assert_leq(A, B, ...)                                               \
    PLAIN_ASSERT((A) <= (B), #A " <= " #B, __VA_ARGS__)
#define cr_assert_float_eq(A, B, E, ...)                                       \
    PLAIN_ASSERT((A) - (B) <= (E) && (B) - (A) <= (E), #A " == " #B,           \
                 __VA_ARGS__)
#define cr_assert_str_eq(A, B, ...)                                            \
    PLAIN_ASSERT(strcmp((A), (B)) == 0, #A " == " #B, __VA_ARGS__)
#define cr_assert_fail(...) PLAIN_ASSERT(0, "it failed", __VA_ARGS__)
#define cr_skip_test(...) plain_skip(" " __VA_ARGS__)

#endif
