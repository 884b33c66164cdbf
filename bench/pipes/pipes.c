/*
 * The experiments: pipes beside copies of the same bytes. Memory is made once
 * for all shares, since to pin 16 GiB takes seconds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "devices.h"
#include "names.h"
#include "ways.h"

#include <stdio.h>
#include <stdlib.h>

#define GIB (UINT64_C(1) << 30)

static void *pin(const bench_lab *lab, uint64_t bytes) {
    return lab->run->platform.alloc_host(bytes);
}

static void unpin(const bench_lab *lab, void *memory) {
    lab->run->platform.release_host(memory);
}

/* --------------------------------------------------- numbers, of any memory */

/* Memory that trials of up to n numbers share. */
typedef struct numbers {
    float *pinned;
    float *plain;  /* or NULL */
    void *staging; /* with `plain` */
    unsigned char *out;
} numbers;

static void measure_numbers(bench_lab *lab, const numbers *memory, uint64_t n,
                            double share) {
    winnow_pipe_options registering = {.flags = WINNOW_PIPE_REGISTER};
    pipes_trial t;
    pipes_way ways[4];
    unsigned count = 0;
    pipes_begin(&t, lab, n, share, 0);
    const uint64_t in = pipes_bytes_in(&t), out = pipes_bytes_out(&t);
    t.keys = memory->plain != NULL ? memory->plain : memory->pinned;
    t.out = memory->out;
    if (pipes_on_device(&t))
        ways[count++] = (pipes_way){.name = "copies in and out",
                                    .run = pipes_copy,
                                    .state = memory->pinned,
                                    .bytes = in + out,
                                    .is_floor = true};
    if (memory->plain != NULL)
        ways[count++] = (pipes_way){.name = "memcpy by threads",
                                    .run = pipes_stage,
                                    .state = memory->staging,
                                    .bytes = in,
                                    .is_floor = true};
    ways[count++] = (pipes_way){
        .name = "pipe", .run = pipes_run, .bytes = in + out, .filters = true};
    if (memory->plain != NULL && pipes_on_device(&t))
        ways[count++] = (pipes_way){.name = "pipe, registering",
                                    .run = pipes_run,
                                    .state = &registering,
                                    .bytes = in + out,
                                    .filters = true};
    pipes_measure(&t, ways, count);
    pipes_end(&t);
}

static uint64_t greatest(const uint64_t *sizes, unsigned count) {
    uint64_t most = 0;
    for (unsigned i = 0; i < count; i++)
        most = sizes[i] > most ? sizes[i] : most;
    return most;
}

static const double usual_shares[] = {0.01, 0.5, 1};

static void each_numbers(bench_lab *lab, bool plain) {
    const uint64_t usual[] = {16 * GIB / sizeof(float)};
    const uint64_t *sizes;
    const double *shares;
    const unsigned size_count = LAB_SIZES(lab, usual, &sizes);
    const unsigned share_count = LAB_SHARES(lab, usual_shares, &shares);
    const uint64_t n = greatest(sizes, size_count);
    const numbers memory = {.pinned = pin(lab, n * sizeof(float)),
                            .plain =
                                plain ? bench_alloc(n * sizeof(float)) : NULL,
                            .staging = plain ? pin(lab, 3 * PIPES_PIECE) : NULL,
                            .out = pin(lab, n * sizeof(float))};
    pipes_fill_keys(plain ? memory.plain : memory.pinned, n);
    for (unsigned i = 0; i < size_count; i++)
        for (unsigned k = 0; k < share_count; k++)
            measure_numbers(lab, &memory, sizes[i], shares[k]);
    unpin(lab, memory.out);
    if (plain)
        unpin(lab, memory.staging);
    free(memory.plain);
    unpin(lab, memory.pinned);
}

static void pipes_pinned(bench_lab *lab) {
    each_numbers(lab, false);
}

static void pipes_pageable(bench_lab *lab) {
    each_numbers(lab, true);
}

/* --------------------------------------------------------------------- files */

/* In the page cache: it is read before. */
static int make_file(FILE *file, uint64_t n) {
    float *const keys = bench_alloc(n * sizeof *keys);
    pipes_fill_keys(keys, n);
    if (file == NULL || fwrite(keys, sizeof *keys, n, file) != n ||
        fflush(file) != 0)
        bench_fail("no temporary file");
    free(keys);
    return fileno(file);
}

static void measure_file(bench_lab *lab, int fd, uint64_t n, double share) {
    pipes_trial t;
    pipes_begin(&t, lab, n, share, 0);
    t.fd = fd;
    t.out = pin(lab, pipes_bytes_out(&t) + 1);
    winnow_pipe_options mapping = {.flags = WINNOW_PIPE_MAP};
    const pipes_way ways[] = {
        {.name = "pread(2) by threads",
         .run = pipes_read,
         .bytes = pipes_bytes_in(&t),
         .is_floor = true},
        {.name = "pipe",
         .run = pipes_run,
         .bytes = pipes_bytes_in(&t) + pipes_bytes_out(&t),
         .filters = true},
        {.name = "pipe, mapped",
         .run = pipes_run,
         .state = &mapping,
         .bytes = pipes_bytes_in(&t) + pipes_bytes_out(&t),
         .filters = true},
    };
    pipes_measure(&t, ways, pipes_on_device(&t) ? 2 : 3);
    unpin(lab, t.out);
    pipes_end(&t);
}

static void pipes_file(bench_lab *lab) {
    const uint64_t usual[] = {2 * GIB / sizeof(float)};
    const uint64_t *sizes;
    const double *shares;
    const unsigned size_count = LAB_SIZES(lab, usual, &sizes);
    const unsigned share_count = LAB_SHARES(lab, usual_shares, &shares);
    for (unsigned i = 0; i < size_count; i++) {
        FILE *const file = tmpfile();
        const int fd = make_file(file, sizes[i]);
        for (unsigned k = 0; k < share_count; k++)
            measure_file(lab, fd, sizes[i], shares[k]);
        fclose(file);
    }
}

/* ---------------------------------------------------------------- late fetch */

static void measure_late(bench_lab *lab, pipes_trial *t) {
    winnow_pipe_options options[] = {{.fetch = WINNOW_PIPE_FETCH_WHOLE},
                                     {.fetch = WINNOW_PIPE_FETCH_LATE},
                                     {.fetch = WINNOW_PIPE_FETCH_AUTO}};
    static const char *const names[] = {"pipe, whole", "pipe, late",
                                        "pipe, auto"};
    const uint64_t bytes = pipes_bytes_in(t) + pipes_bytes_out(t);
    pipes_way ways[4] = {{.name = "copies in and out",
                          .run = pipes_copy,
                          .bytes = bytes,
                          .is_floor = true}};
    for (unsigned w = 0; w < 3; w++)
        ways[1 + w] = (pipes_way){.name = names[w],
                                  .run = pipes_run,
                                  .state = &options[w],
                                  .bytes = bytes,
                                  .filters = true};
    t->out = pin(lab, pipes_bytes_out(t) + 1);
    pipes_measure(t, ways, 4);
    unpin(lab, t->out);
}

/* Sizes are bytes of records. */
static void each_late(bench_lab *lab, uint64_t bytes, uint32_t record_bytes,
                      unsigned char *records) {
    const double usual[] = {0.01, 0.05, 0.2};
    const double *shares;
    const unsigned share_count = LAB_SHARES(lab, usual, &shares);
    const uint64_t n = bytes / record_bytes > 0 ? bytes / record_bytes : 1;
    float *const keys = pin(lab, n * sizeof *keys);
    pipes_fill_keys(keys, n);
    pipes_fill_records(records, n, record_bytes);
    for (unsigned k = 0; k < share_count; k++) {
        pipes_trial t;
        pipes_begin(&t, lab, n, shares[k], record_bytes);
        t.keys = keys;
        t.records = records;
        measure_late(lab, &t);
        pipes_end(&t);
    }
    unpin(lab, keys);
}

static void pipes_late(bench_lab *lab) {
    static const uint32_t record_bytes[] = {128, 256, 1024};
    const uint64_t usual[] = {4 * GIB};
    const uint64_t *sizes;
    const unsigned size_count = LAB_SIZES(lab, usual, &sizes);
    if (lab->run->platform.ordinal == WINNOW_DEVICE_HOST)
        return;
    unsigned char *const records =
        pin(lab, greatest(sizes, size_count) + record_bytes[2]);
    for (unsigned i = 0; i < size_count; i++)
        for (unsigned r = 0; r < 3; r++)
            each_late(lab, sizes[i], record_bytes[r], records);
    unpin(lab, records);
}

/* ----------------------------------------------------------- several devices */

static void pipes_devices(bench_lab *lab) {
    const uint64_t usual[] = {16 * GIB / sizeof(float)};
    const double usual_share[] = {0.01, 0.5};
    const uint64_t *sizes;
    const double *shares;
    if (lab->run->platform.ordinal == WINNOW_DEVICE_HOST)
        return;
    const unsigned size_count = LAB_SIZES(lab, usual, &sizes);
    const unsigned share_count = LAB_SHARES(lab, usual_share, &shares);
    const uint64_t n = greatest(sizes, size_count);
    float *const keys = pin(lab, n * sizeof *keys);
    unsigned char *const out = pin(lab, n * sizeof *keys);
    pipes_fill_keys(keys, n);
    for (unsigned i = 0; i < size_count; i++)
        for (unsigned k = 0; k < share_count; k++) {
            pipes_trial t;
            pipes_begin(&t, lab, sizes[i], shares[k], 0);
            t.keys = keys;
            t.out = out;
            pipes_measure_devices(&t);
            pipes_end(&t);
        }
    unpin(lab, out);
    unpin(lab, keys);
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
