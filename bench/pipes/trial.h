/*
 * One trial: items, what is kept of them, and ways to measure it, which take
 * turns. Items are a key, a float32 that is uniform in [0, 1), and perhaps a
 * record beside it. Keys repeat with a period, so that results of any size can
 * be looked at; a record begins and ends with the number of its item.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_PIPES_TRIAL_H
#define WINNOW_BENCH_PIPES_TRIAL_H

#include "../lab.h"

enum {
    PIPES_PERIOD = 1 << 20, /* keys */
    PIPES_PIECE = 32 << 20  /* of a device's copies */
};

typedef struct pipes_trial {
    bench_lab *lab;
    uint64_t n;
    double share;
    uint32_t record_bytes; /* 0: keys alone */
    winnow_condition *condition;
    const float *keys; /* NULL: in a file, */
    int fd;            /* which is this */
    const unsigned char *records;
    unsigned char *out;
    uint64_t kept, kept_of_period;
} pipes_trial;

/* Seconds of one run of `state`. */
typedef struct pipes_way {
    const char *name;
    double (*run)(const pipes_trial *t, void *state);
    void *state;
    uint64_t bytes;
    bool is_floor; /* others are compared with the slowest of these */
    bool filters;  /* what it writes is looked at */
} pipes_way;

void pipes_begin(pipes_trial *t, bench_lab *lab, uint64_t n, double share,
                 uint32_t record_bytes);
void pipes_end(pipes_trial *t);
void pipes_measure(const pipes_trial *t, const pipes_way *ways, unsigned count);

winnow_condition *pipes_condition(double share);
void pipes_fill_keys(float *keys, uint64_t n);
void pipes_fill_records(unsigned char *records, uint64_t n,
                        uint32_t record_bytes);

/* How many are kept of the first n keys. */
uint64_t pipes_kept(const pipes_trial *t, uint64_t n);
uint64_t pipes_bytes_in(const pipes_trial *t);
uint64_t pipes_bytes_out(const pipes_trial *t);
bool pipes_on_device(const pipes_trial *t);
/* That fill pinned memory, or those of the host backend. */
unsigned pipes_threads(const pipes_trial *t);

#endif
