/*
 * Pipes beside copies of the same bytes. Items are a key, a float32 that is
 * uniform in [0, 1), and in `late` a record beside it. They repeat with a
 * period, so that results of any size can be looked at.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "names.h"
#include "peers.h"

#include "../lab.h"
#include "../measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PERIOD = 1 << 20,
    PIECE = 32 << 20, /* of a device's copies */
    HOST_PIECE = 256 << 10,
    STAGING_THREADS = 6
};

typedef struct trial {
    bench_lab *lab;
    uint64_t n;
    double share;
    uint32_t record_bytes; /* 0: keys alone */
    winnow_pipe_options options;
    winnow_condition *condition;

    float *keys; /* or NULL, and: */
    int fd;
    unsigned char *records, *out;
    uint64_t kept, count; /* of all: expected, and found */
    uint64_t kept_of_period;
} trial;

static bool on_device(const trial *t) {
    return t->lab->run->platform.ordinal != WINNOW_DEVICE_HOST;
}

static unsigned threads_of(const trial *t) {
    const unsigned given = t->lab->run->options.threads;
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    return given != 0 ? given : on_device(t) ? STAGING_THREADS : (unsigned)cpus;
}

/* --------------------------------------------------------------------- data */

static float key_of(uint64_t i) {
    return (float)(lab_random(9, i % PERIOD) >> 40) * 0x1p-24f;
}

static void fill_keys(const trial *t, float *keys) {
    for (uint64_t i = 0; i < t->n && i < PERIOD; i++)
        keys[i] = key_of(i);
    for (uint64_t at = PERIOD; at < t->n; at += PERIOD) {
        const uint64_t left = t->n - at;
        memcpy(keys + at, keys, (left < PERIOD ? left : PERIOD) * sizeof *keys);
    }
}

static void count_kept(trial *t) {
    uint64_t whole = 0, rest = 0;
    for (uint64_t i = 0; i < PERIOD; i++)
        if ((double)key_of(i) < t->share) {
            whole++;
            rest += i < t->n % PERIOD;
        }
    t->kept_of_period = whole;
    t->kept = t->n / PERIOD * whole + rest;
}

/* Keys that are kept repeat as all keys do; records begin with their number. */
static bool right(void *state) {
    const trial *const t = state;
    if (t->count != t->kept)
        return false;
    if (t->record_bytes == 0) {
        const float *const out = (const float *)(const void *)t->out;
        uint64_t k = 0;
        for (uint64_t i = 0; i < PERIOD && k < t->kept; i++)
            if ((double)key_of(i) < t->share && out[k++] != key_of(i))
                return false;
        for (; k < t->kept; k++)
            if (out[k] != out[k - t->kept_of_period])
                return false;
        return true;
    }
    uint64_t k = 0;
    for (uint64_t i = 0; i < t->n; i++) {
        uint64_t number;
        if ((double)key_of(i) >= t->share)
            continue;
        memcpy(&number, t->out + k++ * t->record_bytes, sizeof number);
        if (number != i)
            return false;
    }
    return true;
}

/* --------------------------------------------------------------------- runs */

/* Seconds from the first item to the last. */
static double run_pipe(trial *t) {
    const uint32_t bytes = t->record_bytes;
    const winnow_pipe_column column = {.type = WINNOW_FLOAT32};
    const winnow_pipe_input inputs[] = {{.element_bytes = sizeof(float)},
                                        {.element_bytes = bytes}};
    const winnow_pipe_output output = {
        .input = bytes != 0, .memory = t->out, .capacity = t->kept + 1};
    const void *const memory[] = {t->keys, t->records};
    const winnow_pipe_file file = {.fd = t->fd};
    winnow_pipe *pipe;
    bench_check(winnow_pipe_create(&pipe, t->lab->run->context, t->condition,
                                   &column, 1, inputs, bytes != 0 ? 2 : 1,
                                   &output, 1, &t->options),
                "winnow_pipe_create");
    const double start = bench_now();
    if (t->keys != NULL)
        bench_check(winnow_pipe_feed(pipe, memory, t->n), "winnow_pipe_feed");
    else
        bench_check(winnow_pipe_feed_file(pipe, &file, t->n),
                    "winnow_pipe_feed_file");
    bench_check(winnow_pipe_finish(pipe, &t->count), "winnow_pipe_finish");
    const double seconds = bench_now() - start;
    winnow_pipe_destroy(pipe);
    return seconds;
}

static bool no_result(void *state) {
    (void)state;
    return true;
}

/* The bytes of a pipe that copies all: in, and out. */
static uint64_t bytes_in(const trial *t) {
    return t->n * (sizeof(float) + t->record_bytes);
}
static uint64_t bytes_out(const trial *t) {
    return t->kept * (t->record_bytes != 0 ? t->record_bytes : sizeof(float));
}

static void run_copies(void *state, winnow_stream stream) {
    const trial *const t = state;
    (void)stream;
    t->lab->run->platform.copy_through(
        t->record_bytes != 0 ? (void *)t->records : (void *)t->keys,
        t->n * (t->record_bytes != 0 ? t->record_bytes : sizeof(float)), t->out,
        bytes_out(t), PIECE);
}

static void run_staging(void *state, winnow_stream stream) {
    const trial *const t = state;
    (void)stream;
    pipes_stage(&(pipes_staging){.from = t->keys,
                                 .bytes = bytes_in(t),
                                 .piece = HOST_PIECE,
                                 .threads = threads_of(t)});
}

static void run_reading(void *state, winnow_stream stream) {
    const trial *const t = state;
    (void)stream;
    pipes_read(&(pipes_reading){.fd = t->fd,
                                .bytes = bytes_in(t),
                                .piece = HOST_PIECE,
                                .threads = threads_of(t)});
}

/* ------------------------------------------------------------------ reports */

static lab_row row_of(const trial *t, const char *name, uint64_t bytes) {
    static char type[32];
    if (t->record_bytes != 0)
        snprintf(type, sizeof type, "%u bytes", (unsigned)t->record_bytes);
    else
        snprintf(type, sizeof type, "float32");
    return (lab_row){.variant = name,
                     .type = type,
                     .n = t->n,
                     .x_name = "share",
                     .x = t->share,
                     .bytes = bytes};
}

static void measure_peer(trial *t, const char *name, uint64_t bytes,
                         void (*run)(void *state, winnow_stream stream)) {
    const lab_row row = row_of(t, name, bytes);
    lab_measure(
        t->lab, &row,
        &(lab_variant){
            .run = run, .right = no_result, .state = t, .on_host = true});
}

static void measure_pipe(trial *t, const char *name) {
    const lab_row row = row_of(t, name, bytes_in(t) + bytes_out(t));
    double samples[BENCH_MOST_RUNS];
    unsigned runs = 0;
    run_pipe(t);
    bool is_right = right(t);
    const double end = bench_now() + t->lab->run->options.seconds;
    while (runs < BENCH_FEWEST_RUNS ||
           (runs < BENCH_MOST_RUNS && bench_now() < end))
        samples[runs++] = run_pipe(t);
    is_right = right(t) && is_right;
    const bench_times times = bench_summarise(samples, runs);
    lab_report(t->lab, &row, &times, is_right);
}

static void begin(trial *t, bench_lab *lab, uint64_t n, double share,
                  uint32_t record_bytes) {
    const winnow_field field = {.name = "x", .type = WINNOW_FLOAT32};
    char text[64];
    *t = (trial){.lab = lab,
                 .n = n,
                 .share = share,
                 .record_bytes = record_bytes,
                 .fd = -1,
                 .options = {.size = sizeof t->options,
                             .threads = lab->run->options.threads}};
    snprintf(text, sizeof text, "x < %.17g", share);
    bench_check(winnow_condition_parse(&t->condition, &field, 1, text),
                "winnow_condition_parse");
    count_kept(t);
    t->out = lab->run->platform.alloc_host(bytes_out(t) + 1);
    memset(t->out, 0, bytes_out(t) + 1);
}

static void end(trial *t) {
    winnow_condition_destroy(t->condition);
    t->lab->run->platform.release_host(t->out);
}

/* --------------------------------------------------------------- experiments */

typedef void visitor(bench_lab *lab, uint64_t n, double share);

static void each(bench_lab *lab, uint64_t usual_bytes, uint64_t item_bytes,
                 visitor *visit) {
    const uint64_t usual[] = {usual_bytes / item_bytes};
    const double usual_shares[] = {0.01, 0.5, 1};
    const uint64_t *sizes;
    const double *shares;
    const unsigned size_count = LAB_SIZES(lab, usual, &sizes);
    const unsigned share_count = LAB_SHARES(lab, usual_shares, &shares);
    for (unsigned i = 0; i < size_count; i++)
        for (unsigned k = 0; k < share_count; k++)
            visit(lab, sizes[i], shares[k]);
}

static void visit_pinned(bench_lab *lab, uint64_t n, double share) {
    trial t;
    begin(&t, lab, n, share, 0);
    t.keys = lab->run->platform.alloc_host(n * sizeof *t.keys + 1);
    fill_keys(&t, t.keys);
    if (on_device(&t))
        measure_peer(&t, "copies in and out", bytes_in(&t) + bytes_out(&t),
                     run_copies);
    measure_pipe(&t, "pipe");
    lab->run->platform.release_host(t.keys);
    end(&t);
}

static void pipes_pinned(bench_lab *lab) {
    each(lab, UINT64_C(16) << 30, sizeof(float), visit_pinned);
}

static void visit_pageable(bench_lab *lab, uint64_t n, double share) {
    trial t;
    begin(&t, lab, n, share, 0);
    float *const pinned = lab->run->platform.alloc_host(n * sizeof *pinned + 1);
    fill_keys(&t, pinned);
    if (on_device(&t)) {
        t.keys = pinned;
        measure_peer(&t, "copies in and out", bytes_in(&t) + bytes_out(&t),
                     run_copies);
    }
    lab->run->platform.release_host(pinned);
    t.keys = bench_alloc(n * sizeof *t.keys + 1);
    fill_keys(&t, t.keys);
    measure_peer(&t, "memcpy by threads", bytes_in(&t), run_staging);
    measure_pipe(&t, "pipe");
    free(t.keys);
    end(&t);
}

static void pipes_pageable(bench_lab *lab) {
    each(lab, UINT64_C(16) << 30, sizeof(float), visit_pageable);
}

/* In the page cache: it is read before. */
static void visit_file(bench_lab *lab, uint64_t n, double share) {
    trial t;
    begin(&t, lab, n, share, 0);
    FILE *const file = tmpfile();
    float *const keys = bench_alloc(n * sizeof *keys + 1);
    fill_keys(&t, keys);
    if (file == NULL || fwrite(keys, sizeof *keys, n, file) != n ||
        fflush(file) != 0)
        bench_fail("no temporary file");
    free(keys);
    t.fd = fileno(file);
    measure_peer(&t, "pread(2) by threads", bytes_in(&t), run_reading);
    measure_pipe(&t, "pipe");
    fclose(file);
    end(&t);
}

static void pipes_file(bench_lab *lab) {
    each(lab, UINT64_C(2) << 30, sizeof(float), visit_file);
}

static void measure_late(bench_lab *lab, uint64_t bytes, double share,
                         uint32_t record_bytes) {
    static const struct {
        const char *name;
        winnow_pipe_fetch fetch;
    } ways[] = {{"pipe, whole", WINNOW_PIPE_FETCH_WHOLE},
                {"pipe, late", WINNOW_PIPE_FETCH_LATE},
                {"pipe, auto", WINNOW_PIPE_FETCH_AUTO}};
    trial t;
    const uint64_t n = bytes / record_bytes > 0 ? bytes / record_bytes : 1;
    begin(&t, lab, n, share, record_bytes);
    t.keys = lab->run->platform.alloc_host(n * sizeof *t.keys + 1);
    t.records = lab->run->platform.alloc_host(n * record_bytes + 1);
    fill_keys(&t, t.keys);
    for (uint64_t i = 0; i < n; i++) {
        memset(t.records + i * record_bytes, (int)(i & 0xff), record_bytes);
        memcpy(t.records + i * record_bytes, &i, sizeof i);
    }
    measure_peer(&t, "copies in and out", bytes_in(&t) + bytes_out(&t),
                 run_copies);
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        t.options.fetch = ways[w].fetch;
        measure_pipe(&t, ways[w].name);
    }
    lab->run->platform.release_host(t.records);
    lab->run->platform.release_host(t.keys);
    end(&t);
}

/* Sizes are bytes of records. */
static void visit_late(bench_lab *lab, uint64_t bytes, double share) {
    measure_late(lab, bytes, share, 128);
    measure_late(lab, bytes, share, 256);
    measure_late(lab, bytes, share, 1024);
}

static void pipes_late(bench_lab *lab) {
    const uint64_t usual[] = {UINT64_C(8) << 30};
    const double usual_shares[] = {0.01, 0.05, 0.2};
    const uint64_t *sizes;
    const double *shares;
    if (lab->run->platform.ordinal == WINNOW_DEVICE_HOST)
        return;
    const unsigned size_count = LAB_SIZES(lab, usual, &sizes);
    const unsigned share_count = LAB_SHARES(lab, usual_shares, &shares);
    for (unsigned i = 0; i < size_count; i++)
        for (unsigned k = 0; k < share_count; k++)
            visit_late(lab, sizes[i], shares[k]);
}

static const lab_experiment experiments[] = {
#define ENTRY(NAME, FUNCTION) {NAME, pipes_##FUNCTION},
    PIPES_EACH(ENTRY)
#undef ENTRY
};

void bench_run_pipes(bench_run *run) {
    lab_run(run, "pipe", experiments,
            sizeof experiments / sizeof experiments[0], run->options.pipes);
}
