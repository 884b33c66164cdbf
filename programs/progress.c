/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double seconds_between = 0.1, seconds_before = 0.5;

static bool is_on, is_shown;
static uint64_t all_items, bytes_of_item;
static double started, next;

double program_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void program_progress_begin(bool quiet, uint64_t items, uint64_t item_bytes) {
    is_on = !quiet && isatty(STDERR_FILENO) == 1;
    all_items = items;
    bytes_of_item = item_bytes;
    started = program_now();
    next = started + seconds_before;
}

int program_progress_tell(void *user, const winnow_pipe_state *state) {
    const double now = is_on ? program_now() : 0.0;
    const double done = (double)state->items;
    (void)user;
    if (!is_on || now < next || state->items == 0)
        return 0;
    next = now + seconds_between;
    fputs("\r\033[K", stderr);
    if (all_items != WINNOW_NO_LIMIT)
        fprintf(stderr, "%3.0f%%  ", 100.0 * done / (double)all_items);
    fprintf(stderr, "%.1f GB at %.2f GB/s, %.3g%% kept",
            1e-9 * done * (double)bytes_of_item,
            1e-9 * done * (double)bytes_of_item / (now - started),
            100.0 * (double)state->kept / done);
    if (all_items != WINNOW_NO_LIMIT) {
        const double left = (now - started) * ((double)all_items - done) / done;
        fprintf(stderr, ", %ld:%02ld left", (long)left / 60, (long)left % 60);
    }
    fflush(stderr);
    is_shown = true;
    return 0;
}

void program_progress_clear(void) {
    if (is_shown)
        fputs("\r\033[K", stderr);
    is_shown = false;
}
