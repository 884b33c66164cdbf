/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "progress.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const double seconds_between = 0.1, seconds_before = 0.5;
/* To the line's beginning, and what is behind the cursor away. */
static const char wipe[] = "\r\033[K";

enum {
    MOST_LINE = 128,
    USUAL_COLUMNS = 80 /* of a terminal that does not say */
};

static bool is_on;
static volatile sig_atomic_t is_shown;
static uint64_t all_items, bytes_of_item;
static double started, next;

double program_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_terminal(void) {
    const char *const kind = getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && kind != NULL &&
           strcmp(kind, "dumb") != 0;
}

void program_progress_begin(bool quiet, uint64_t items, uint64_t item_bytes) {
    is_on = !quiet && is_terminal();
    all_items = items;
    bytes_of_item = item_bytes;
    started = program_now();
    next = started + seconds_before;
}

/* Asked each time: a window changes its size. */
static size_t columns(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0
               ? size.ws_col
               : USUAL_COLUMNS;
}

typedef struct line {
    char text[MOST_LINE];
    size_t bytes;
} line;

static void __attribute__((format(printf, 2, 3)))
add(line *to, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const int bytes = vsnprintf(to->text + to->bytes,
                                sizeof to->text - to->bytes, format, list);
    va_end(list);
    to->bytes += bytes > 0 ? (size_t)bytes : 0;
    if (to->bytes >= sizeof to->text)
        to->bytes = sizeof to->text - 1;
}

/* A part behind others. */
static const char *comma(const line *to) {
    return to->bytes != 0 ? ", " : "";
}

static void add_bytes(line *to, double bytes) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    unsigned unit = 0;
    for (; bytes >= 999.5 && unit + 1 < sizeof units / sizeof units[0]; unit++)
        bytes /= 1000;
    add(to, "%.3g %s", bytes, units[unit]);
}

static void add_left(line *to, double seconds) {
    const uint64_t whole =
        seconds < 1e9 ? (uint64_t)seconds : UINT64_C(1000000000);
    add(to, "%s", comma(to));
    if (whole >= 3600)
        add(to, "%u:", (unsigned)(whole / 3600));
    add(to, whole >= 3600 ? "%02u:%02u left" : "%u:%02u left",
        (unsigned)(whole / 60 % 60), (unsigned)(whole % 60));
}

/* With `less` of its parts left out, from 0 to 4. */
static void compose(line *to, const winnow_pipe_state *state, double seconds,
                    unsigned less) {
    const double done = (double)state->items;
    const double bytes = done * (double)bytes_of_item;
    const bool is_known = all_items != WINNOW_NO_LIMIT;
    to->bytes = 0;
    if (is_known)
        add(to, "%.0f%%", 100.0 * done / (double)all_items);
    if (less < 1 && bytes_of_item != 0) {
        add(to, "%s", comma(to));
        add_bytes(to, bytes);
    }
    if ((less < 3 || (!is_known && less < 4)) && bytes_of_item != 0) {
        add(to, "%s", less < 1 ? " at " : comma(to));
        add_bytes(to, bytes / seconds);
        add(to, "/s");
    }
    if (less < 2 || (!is_known && less == 4))
        add(to, "%s%.3g%% kept", comma(to), 100.0 * (double)state->kept / done);
    if (less < 4 && is_known)
        add_left(to, seconds * ((double)all_items - done) / done);
}

int program_progress_tell(void *user, const winnow_pipe_state *state) {
    const double now = is_on ? program_now() : 0.0;
    line made;
    (void)user;
    if (!is_on || now < next || state->items == 0)
        return 0;
    next = now + seconds_between;
    const size_t room = columns();
    /* The last column stays free: some terminals wrap there. */
    for (unsigned less = 0; less <= 4; less++) {
        compose(&made, state, now - started, less);
        if (made.bytes < room)
            break;
    }
    fputs(wipe, stderr);
    if (made.bytes < room)
        fwrite(made.text, 1, made.bytes, stderr);
    fflush(stderr);
    is_shown = true;
    return 0;
}

void program_progress_clear(void) {
    if (is_shown && write(STDERR_FILENO, wipe, sizeof wipe - 1) >= 0)
        is_shown = false;
}
