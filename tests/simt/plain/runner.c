/*
 * Runs tests as Criterion does: each in a process of its own, several side by
 * side, with TAP as output. Criterion 2.4 crashes under ThreadSanitizer before
 * it has started a test.
 *
 * usage: device_tests [--filter SUITE/NAME] [-jN]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <criterion/criterion.h>

#include <fnmatch.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_JOBS = 64,
    MOST_SECONDS = 900, /* after which a test counts as hanging */
    SKIPPED = 77        /* exit status of a test that is */
};

static struct plain_test *tests;

struct job {
    const struct plain_test *test;
    pid_t process;
    FILE *output;
    time_t start;
};

void plain_add(struct plain_test *test) {
    struct plain_test **at = &tests;

    while (*at != NULL && (strcmp((*at)->suite, test->suite) < 0 ||
                           (strcmp((*at)->suite, test->suite) == 0 &&
                            strcmp((*at)->name, test->name) < 0)))
        at = &(*at)->next;
    test->next = *at;
    *at = test;
}

static void say(const char *format, va_list arguments) {
    vprintf(format, arguments);
    printf("\n");
    fflush(stdout);
}

void plain_fail(const char *file, int line, const char *what,
                const char *format, ...) {
    va_list arguments;

    printf("%s:%d: %s:", file, line, what);
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    _exit(1);
}

void plain_skip(const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    _exit(SKIPPED);
}

static void start(struct job *job, const struct plain_test *test) {
    *job = (struct job){test, 0, tmpfile(), time(NULL)};
    if (job->output == NULL) {
        perror("tmpfile");
        exit(1);
    }
    fflush(stdout);
    job->process = fork();
    if (job->process < 0) {
        perror("fork");
        exit(1);
    }
    if (job->process != 0)
        return;
    dup2(fileno(job->output), STDOUT_FILENO);
    dup2(fileno(job->output), STDERR_FILENO);
    alarm(MOST_SECONDS);
    test->run();
    fflush(stdout);
    _exit(0);
}

/* The test's own words, as comments; the last of them is why it was skipped. */
static void print_output(FILE *output) {
    char line[1024];

    rewind(output);
    while (fgets(line, sizeof(line), output) != NULL)
        printf("# %s", line);
    fclose(output);
}

/* Wait for one of the jobs; returns which. *failed_p: it has. */
static int finish(struct job jobs[], int running, bool *failed_p) {
    int status, which = 0;
    const pid_t process = wait(&status);
    const struct job *job;

    while (which < running && jobs[which].process != process)
        which++;
    job = &jobs[which];
    *failed_p = !WIFEXITED(status) ||
                (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != SKIPPED);
    printf("%s - %s::%s %s (%ld s)\n", *failed_p ? "not ok" : "ok",
           job->test->suite, job->test->name,
           WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED ? "# SKIP" : "",
           (long)(time(NULL) - job->start));
    print_output(job->output);
    return which;
}

static bool is_wanted(const struct plain_test *test, const char *filter) {
    char name[256];

    snprintf(name, sizeof(name), "%s/%s", test->suite, test->name);
    return fnmatch(filter, name, FNM_EXTMATCH) == 0;
}

int main(int number, char **arguments) {
    const char *pattern = getenv("CRITERION_TEST_PATTERN");
    const char *filter = pattern != NULL ? pattern : "*";
    struct job jobs[MOST_JOBS];
    int most = (int)sysconf(_SC_NPROCESSORS_ONLN), running = 0, failures = 0;
    int finished = 0;

    for (int i = 1; i < number; i++) {
        if (strcmp(arguments[i], "--filter") == 0 && i + 1 < number)
            filter = arguments[++i];
        else if (strncmp(arguments[i], "-j", 2) == 0)
            most = atoi(arguments[i] + 2);
    }
    if (most < 1 || most > MOST_JOBS)
        most = 1;
    printf("# Plain runner\n");
    for (const struct plain_test *test = tests; test != NULL || running != 0;) {
        bool failed;
        int which;

        if (test != NULL && running < most) {
            if (is_wanted(test, filter))
                start(&jobs[running++], test);
            test = test->next;
            continue;
        }
        if (running == 0)
            break;
        which = finish(jobs, running, &failed);
        jobs[which] = jobs[--running];
        failures += failed;
        finished++;
    }
    printf("1..%d\n# %d failed\n", finished, failures);
    return failures != 0;
}
