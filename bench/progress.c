/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "progress.h"

#include "util.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static bool on_terminal;
static bool shown;
static unsigned steps, step;
static double start;

void bench_progress_begin(unsigned count) {
    on_terminal = isatty(STDERR_FILENO) == 1;
    steps = count;
    step = 0;
    start = bench_now();
}

void bench_progress_step(winnow_type type, uint64_t n, const char *pattern,
                         double selectivity) {
    step++;
    if (!on_terminal)
        return;
    char size[32];
    bench_progress_clear();
    fprintf(stderr, "%u of %u: %s %s %s, %g kept", step, steps,
            winnow_type_name(type), bench_format_count(n, size), pattern,
            selectivity);
    if (step > 1) {
        const double elapsed = bench_now() - start;
        const double left = elapsed / (step - 1) * (steps - step + 1);
        fprintf(stderr, "; about %d:%02d left", (int)(left / 60),
                (int)left % 60);
    }
    fflush(stderr);
    shown = true;
}

void bench_progress_clear(void) {
    if (shown)
        fputs("\r\033[K", stderr);
    shown = false;
}

void bench_progress_end(void) {
    bench_progress_clear();
}
