/*
 * What Criterion's programs do beside their tests: each test has a limit that
 * holds, and WINNOW_TEST_PROGRESS names a file that grows with the tests.
 *
 * BoxFort's own limits are not used. Its thread ends when no limit is left, and the
 * next limit makes another: up to 0.1.4 both may run, one waits for a limit that the
 * other has freed, and a test gets SIGPROF at once. Criterion calls that a timeout or
 * an unexpected signal.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <criterion/hooks.h>

enum {
    MOST_SECONDS = 900, /* after which a test counts as hanging */
    HANGS = 124         /* its exit status then */
};

static void end_test(int signal_number) {
    (void)signal_number;
    _exit(HANGS);
}

/* In the process of a test, which BoxFort starts with this variable. */
__attribute__((constructor)) static void set_limit(void) {
    if (getenv("BXFI_MAP") == NULL)
        return;
    (void)signal(SIGALRM, end_test);
    alarm(MOST_SECONDS);
}

/* Whole lines at once, as several programs write. */
static void tell(const char *format, ...) {
    const char *const path = getenv("WINNOW_TEST_PROGRESS");
    FILE *const file = path != NULL ? fopen(path, "a") : NULL;
    va_list arguments;
    if (file == NULL)
        return;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fclose(file);
}

/* "tests N", for N tests that will run, and "ended" for each. */
ReportHook(PRE_ALL)(struct criterion_test_set *set) {
    size_t number = 0;
    FOREACH_SET(struct criterion_suite_set * suite, set->suites)
    FOREACH_SET(const struct criterion_test *test, suite->tests)
    number += !test->data->disabled;
    tell("tests %zu\n", number);
    /* Programs that share a pattern may have none of its suites. */
    if (number == 0)
        fprintf(stderr, "no test has a name of this pattern\n");
}

/* Criterion says nothing of a test's exit status, and takes its standard error away. */
ReportHook(POST_TEST)(struct criterion_test_stats *stats) {
    if (stats->exit_code == HANGS)
        printf("# %s::%s hangs: it did not end in %d s; it came to %s:%u\n",
               stats->test->category, stats->test->name, MOST_SECONDS,
               stats->file, stats->progress);
    tell("ended\n");
}
