/*
 * Every kernel of the library under as many schedules of the CPU device as there is
 * time for: small calls, each in an order of its own, checked against the tests'
 * oracles.
 *
 *   schedules KERNELS RUNS SECONDS SEED [STEP]
 *
 * KERNELS is a file with a kernel in each line, as tests/simt/soak/kernels writes
 * them: namespace::name, and "one" behind those whose launches have one block. Those
 * have run when they have, all others with each launch of more than one block. The
 * program ends when each has RUNS runs, or after SECONDS, of which those that have
 * fewer get the same share. It fails where a result is wrong, or where a kernel has not
 * run at all.
 *
 * The calls have the seeds SEED, SEED + 1, ...; several processes divide the work by
 * seeds that lie apart. A failure prints its step and its seed: with STEP, 1 run and
 * that SEED it is repeated. WINNOW_SIMT_TALLY sums up the runs of all processes: what is
 * there counts from the start.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "soak.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "simt/simt.h"

enum {
    MOST_STEPS = 200,
    MOST_KERNELS = 200,
    /* Of each step, by which it is known which kernels it has: at least; and at
     * most, if there is a kernel that has not run. */
    FIRST_RUNS = 4,
    MOST_FIRST_RUNS = 20
};

static struct soak_step steps[MOST_STEPS];
static unsigned step_count;

struct kernel {
    char name[80];
    bool is_one_block;
    uint64_t runs;  /* of all processes */
    uint64_t seen;  /* of this one, when it was looked at last */
    double seconds; /* that were spent for it */
};
static struct kernel kernels[MOST_KERNELS];
static unsigned kernel_count;

/* What a step has cost, and which kernels it has run, so far. */
static double step_seconds[MOST_STEPS];
static uint64_t step_runs[MOST_STEPS][MOST_KERNELS];

static struct backend backends[SOAK_DEVICES];
static struct simt_settings settings[SOAK_DEVICES];

/* For a failure of the machine's, which ends the program. */
static const struct soak_step *running;
static char doing[160];
static volatile sig_atomic_t is_stopped;

void soak_add(enum soak_device device, soak_run *run, unsigned number,
              const char *format, ...) {
    struct soak_step *const step = &steps[step_count];
    va_list arguments;

    if (step_count++ == MOST_STEPS)
        abort();
    *step = (struct soak_step){.device = device, .run = run, .number = number};
    va_start(arguments, format);
    vsnprintf(step->name, sizeof(step->name), format, arguments);
    va_end(arguments);
}

static double seconds_of(clockid_t clock) {
    struct timespec time;

    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double now(void) {
    return seconds_of(CLOCK_MONOTONIC);
}

/* Of the processor: of all threads. */
static double used(void) {
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* ------------------------------------------------------------------- kernels */

static void read_kernels(const char *path) {
    FILE *const file = fopen(path, "re");
    char line[160];

    if (file == NULL) {
        perror(path);
        exit(2);
    }
    while (fgets(line, sizeof(line), file) != NULL) {
        struct kernel *const kernel = &kernels[kernel_count];
        char one[8] = "";

        if (kernel_count == MOST_KERNELS ||
            sscanf(line, "%79s %7s", kernel->name, one) < 1) {
            fprintf(stderr, "%s: %s", path, line);
            exit(2);
        }
        kernel->is_one_block = strcmp(one, "one") == 0;
        kernel_count++;
    }
    fclose(file);
}

/* What processes before this one have added up. */
static void read_tally(void) {
    const char *const path = getenv("WINNOW_SIMT_TALLY");
    FILE *const file = path != NULL ? fopen(path, "re") : NULL;
    uint64_t all, several;
    char name[80];

    if (file == NULL)
        return;
    while (fscanf(file, "%79s %" SCNu64 " %" SCNu64, name, &all, &several) == 3)
        for (unsigned k = 0; k < kernel_count; k++)
            if (strcmp(kernels[k].name, name) == 0)
                kernels[k].runs += kernels[k].is_one_block ? all : several;
    fclose(file);
}

/* How often it has run since it was looked at last. */
static uint64_t more_runs(struct kernel *kernel) {
    uint64_t several;
    const uint64_t all = simt_runs(kernel->name, &several);
    const uint64_t runs = kernel->is_one_block ? all : several;
    const uint64_t more = runs - kernel->seen;

    kernel->seen = runs;
    kernel->runs += more;
    return more;
}

/* Of those that want more runs, the one that least was done for; NULL: there is
 * none. So what is quick is done soon, and the rest of the time is the others'. */
static struct kernel *next_kernel(uint64_t runs) {
    struct kernel *found = NULL;

    for (unsigned k = 0; k < kernel_count; k++)
        if (kernels[k].seen != 0 && kernels[k].runs < runs &&
            (found == NULL || kernels[k].seconds < found->seconds))
            found = &kernels[k];
    return found;
}

/* ------------------------------------------------------------------- devices */

static void open_devices(void) {
    for (int d = 0; d < SOAK_DEVICES; d++)
        settings[d] = simt_settings;
    settings[SOAK_SMALL].multiprocessors = 1;
    settings[SOAK_ESTIMATE].multiprocessors = 1;
    settings[SOAK_ESTIMATE].cache_bytes = 4096;
    settings[SOAK_LITTLE].multiprocessors = 2;
    settings[SOAK_LITTLE].shared_per_block = 16 << 10;
    for (int d = 0; d < SOAK_DEVICES; d++) {
        simt_settings = settings[d];
        backend_open_gpu(&backends[d]);
    }
}

static void close_devices(void) {
    for (int d = 0; d < SOAK_DEVICES; d++) {
        simt_settings = settings[d];
        backend_close(&backends[d]);
    }
}

/* --------------------------------------------------------------------- steps */

static void say(const char *text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(1);
}

static void tell_what_ran(int number) {
    say(doing);
    signal(number, SIG_DFL);
    raise(number);
}

/* The run ends as after its time. */
static void be_stopped(int number) {
    is_stopped = number;
}

/* One run of a step. */
static bool run_step(unsigned s, uint64_t seed) {
    struct report report = {{0}};
    const double start = used();

    running = &steps[s];
    snprintf(doing, sizeof(doing), "step \"%s\", seed %" PRIu64 "\n",
             running->name, seed);
    simt_settings = settings[running->device];
    simt_seed(seed);
    simt_pattern(~seed);
    if (!running->run(&backends[running->device], running->number, seed,
                      &report)) {
        printf("WRONG: %s: %s", report.text, doing);
        return false;
    }
    step_seconds[s] += used() - start;
    for (unsigned k = 0; k < kernel_count; k++)
        step_runs[s][k] += more_runs(&kernels[k]);
    return true;
}

/* A step that runs the kernel, which has run: each as often as it is quick with
 * it. */
static unsigned draw_step(const struct kernel *kernel, uint64_t seed) {
    const size_t k = (size_t)(kernel - kernels);
    double sum = 0, rates[MOST_STEPS];
    unsigned last = 0;

    for (unsigned s = 0; s < step_count; s++) {
        rates[s] = (double)step_runs[s][k] / step_seconds[s];
        sum += rates[s];
    }
    double left = sum * (double)soak_draw(seed, 77, 1 << 20) / (1 << 20);
    for (unsigned s = 0; s < step_count && left >= 0; s++)
        if (rates[s] > 0) {
            last = s;
            left -= rates[s];
        }
    return last;
}

/* ------------------------------------------------------------------- the run */

/* Each step once, or one step. */
static bool run_all(const char *only, uint64_t *seed) {
    bool is_known = false;

    for (unsigned s = 0; s < step_count; s++)
        if (only == NULL || strcmp(steps[s].name, only) == 0) {
            is_known = true;
            if (!run_step(s, (*seed)++))
                return false;
        }
    if (!is_known)
        fprintf(stderr, "no step is \"%s\"\n", only);
    return is_known;
}

static bool have_all_run(void) {
    for (unsigned k = 0; k < kernel_count; k++)
        if (kernels[k].seen == 0)
            return false;
    return true;
}

/* A few times each, and on, until each kernel has run: some are not run with each
 * seed. */
static bool run_first(uint64_t runs, uint64_t *seed) {
    const uint64_t least = runs < FIRST_RUNS ? runs : FIRST_RUNS;

    for (uint64_t i = 0; i < least || (i < MOST_FIRST_RUNS && !have_all_run());
         i++)
        if (!run_all(NULL, seed))
            return false;
    return true;
}

/* How far it is. */
static void tell_progress(uint64_t runs, uint64_t seed) {
    const struct kernel *least = &kernels[0];
    unsigned done = 0;

    for (unsigned k = 0; k < kernel_count; k++) {
        done += kernels[k].runs >= runs;
        if (kernels[k].runs < least->runs)
            least = &kernels[k];
    }
    printf("before seed %" PRIu64 ": %u of %u kernels are done, %" PRIu64
           " runs of %s\n",
           seed, done, kernel_count, least->runs, least->name);
    fflush(stdout);
}

static bool run_more(uint64_t runs, double end, uint64_t *seed) {
    double next = now() + 60;

    while (now() < end && !is_stopped) {
        struct kernel *const kernel = next_kernel(runs);
        const double start = used();

        if (kernel == NULL)
            break;
        if (!run_step(draw_step(kernel, *seed), *seed))
            return false;
        (*seed)++;
        kernel->seconds += used() - start;
        if (now() > next) {
            tell_progress(runs, *seed);
            next += 60;
        }
    }
    return true;
}

/* All kernels, and how many runs a second the best step makes of each. */
static bool tell(void) {
    bool all = true;

    for (unsigned k = 0; k < kernel_count; k++) {
        double best = 0;
        const char *by = "";

        for (unsigned s = 0; s < step_count; s++) {
            const double rate = (double)step_runs[s][k] / step_seconds[s];
            if (step_runs[s][k] != 0 && rate > best) {
                best = rate;
                by = steps[s].name;
            }
        }
        printf("%8" PRIu64 " %7.0f/s %s%s (%s)\n", kernels[k].runs, best,
               kernels[k].name, kernels[k].is_one_block ? ", one block" : "",
               by);
        if (kernels[k].seen != 0)
            continue;
        printf("NOT RUN: %s\n", kernels[k].name);
        all = false;
    }
    return all;
}

int main(int argc, char **argv) {
    if (argc < 5 || argc > 6) {
        fprintf(stderr, "usage: %s KERNELS RUNS SECONDS SEED [STEP]\n",
                argv[0]);
        return 2;
    }
    const char *const only = argc == 6 ? argv[5] : NULL;
    const uint64_t runs = strtoull(argv[2], NULL, 10);
    const double end = now() + strtod(argv[3], NULL);
    const uint64_t first = strtoull(argv[4], NULL, 10);
    uint64_t seed = first;
    bool ok;

    signal(SIGABRT, tell_what_ran);
    signal(SIGTERM, be_stopped);
    /* Before the first call, which opens it. */
    setenv("WINNOW_NVRTC", SIMT_NVRTC, 1);
    read_kernels(argv[1]);
    read_tally();
    soak_copies();
    soak_one_pass();
    soak_records();
    soak_conditions();
    soak_order();
    soak_calls();
    soak_bits();
    soak_keyed();
    soak_reductions();
    soak_large();
    soak_ranks();
    open_devices();
    ok = only != NULL || run_first(runs, &seed);
    for (uint64_t i = 0; ok && only != NULL && i < runs && !is_stopped; i++)
        ok = run_all(only, &seed);
    if (ok && only == NULL)
        ok = run_more(runs, end, &seed);
    printf("%" PRIu64 " calls of %u steps, the last seed %" PRIu64 "\n",
           seed - first, step_count, seed);
    ok = (tell() || only != NULL) && ok;
    close_devices();
    return ok ? 0 : 1;
}
