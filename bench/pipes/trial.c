/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trial.h"

#include "../timing.h"
#include "pieces.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STAGING_THREADS = 6, /* of a pipe, where none are given */
    MOST_WAYS = 8,
    KEY_BYTES = sizeof(float),
    CHECKED_ITEMS = 1 << 16
};

bool pipes_on_device(const pipes_trial *t) {
    return t->lab->run->platform.ordinal != WINNOW_DEVICE_HOST;
}

unsigned pipes_threads(const pipes_trial *t) {
    const unsigned given = t->lab->run->options.threads;
    return given != 0           ? given
           : pipes_on_device(t) ? STAGING_THREADS
                                : pipes_cpus();
}

uint64_t pipes_bytes_in(const pipes_trial *t) {
    return t->n * (KEY_BYTES + t->record_bytes);
}

static uint32_t out_bytes(const pipes_trial *t) {
    return t->record_bytes != 0 ? t->record_bytes : KEY_BYTES;
}

uint64_t pipes_bytes_out(const pipes_trial *t) {
    return t->kept * out_bytes(t);
}

/* --------------------------------------------------------------------- data */

static float key_of(uint64_t i) {
    return (float)(lab_random(9, i % PIPES_PERIOD) >> 40) * 0x1p-24f;
}

static bool keeps(const pipes_trial *t, uint64_t i) {
    return (double)key_of(i) < t->share;
}

static void fill_period(void *state, uint64_t at, size_t bytes, void *scratch) {
    float *const keys = state;
    (void)scratch;
    for (uint64_t i = at; i < at + bytes; i++)
        keys[i] = key_of(i);
}

void pipes_fill_keys(float *keys, uint64_t n) {
    pipes_each_piece(&(pipes_pieces){.bytes = n,
                                     .piece = PIPES_PERIOD,
                                     .threads = pipes_cpus(),
                                     .run = fill_period,
                                     .state = keys});
}

typedef struct records {
    unsigned char *memory;
    uint32_t bytes;
} records;

static void fill_records(void *state, uint64_t at, size_t n, void *scratch) {
    const records *const r = state;
    (void)scratch;
    for (uint64_t i = at; i < at + n; i++) {
        unsigned char *const record = r->memory + i * r->bytes;
        memcpy(record, &i, sizeof i);
        memcpy(record + r->bytes - sizeof i, &i, sizeof i);
    }
}

void pipes_fill_records(unsigned char *memory, uint64_t n,
                        uint32_t record_bytes) {
    records r = {memory, record_bytes};
    pipes_each_piece(&(pipes_pieces){.bytes = n,
                                     .piece = CHECKED_ITEMS,
                                     .threads = pipes_cpus(),
                                     .run = fill_records,
                                     .state = &r});
}

uint64_t pipes_kept(const pipes_trial *t, uint64_t n) {
    uint64_t rest = 0;
    for (uint64_t i = 0; i < n % PIPES_PERIOD; i++)
        rest += keeps(t, i);
    return n / PIPES_PERIOD * t->kept_of_period + rest;
}

/* ------------------------------------------------------------------- checks */

static void poison(void *state, uint64_t at, size_t bytes, void *scratch) {
    (void)scratch;
    memset((unsigned char *)state + at, BENCH_POISON, bytes);
}

static void poison_output(const pipes_trial *t) {
    pipes_each_piece(&(pipes_pieces){.bytes = pipes_bytes_out(t),
                                     .piece = 1 << 20,
                                     .threads = pipes_cpus(),
                                     .run = poison,
                                     .state = t->out});
}

typedef struct check {
    const pipes_trial *t;
    atomic_bool wrong;
} check;

/* Keys that are kept repeat as all keys do. */
static void check_keys(void *state, uint64_t at, size_t bytes, void *scratch) {
    check *const c = state;
    (void)scratch;
    if (at != 0 && memcmp(c->t->out + at, c->t->out, bytes) != 0)
        atomic_store(&c->wrong, true);
}

static bool first_period_is_wrong(const pipes_trial *t) {
    const uint64_t n = t->n < PIPES_PERIOD ? t->n : PIPES_PERIOD;
    uint64_t k = 0;
    for (uint64_t i = 0; i < n; i++) {
        const float key = key_of(i);
        if (keeps(t, i) &&
            memcmp(t->out + k++ * sizeof key, &key, sizeof key) != 0)
            return true;
    }
    return false;
}

/* The records that are kept of some items. */
static void check_records(void *state, uint64_t at, size_t n, void *scratch) {
    check *const c = state;
    const uint32_t bytes = c->t->record_bytes;
    const unsigned char *out = c->t->out + pipes_kept(c->t, at) * bytes;
    (void)scratch;
    for (uint64_t i = at; i < at + n; i++) {
        if (!keeps(c->t, i))
            continue;
        if (memcmp(out, &i, sizeof i) != 0 ||
            memcmp(out + bytes - sizeof i, &i, sizeof i) != 0)
            atomic_store(&c->wrong, true);
        out += bytes;
    }
}

static bool is_right(const pipes_trial *t) {
    check c = {.t = t};
    const bool has_records = t->record_bytes != 0;
    if (!has_records && first_period_is_wrong(t))
        return false;
    if (t->kept != 0)
        pipes_each_piece(&(pipes_pieces){
            .bytes = has_records ? t->n : t->kept * KEY_BYTES,
            .piece = has_records ? PIPES_PERIOD : t->kept_of_period * KEY_BYTES,
            .threads = pipes_cpus(),
            .run = has_records ? check_records : check_keys,
            .state = &c});
    return !atomic_load(&c.wrong);
}

/* ---------------------------------------------------------------- measuring */

static void report(const pipes_trial *t, const pipes_way *way,
                   const bench_times *times, double floor, bool right) {
    char type[32] = "float32";
    if (t->record_bytes != 0)
        snprintf(type, sizeof type, "%u bytes", (unsigned)t->record_bytes);
    const lab_row row = {.variant = way->name,
                         .type = type,
                         .n = t->n,
                         .x_name = "share",
                         .x = t->share,
                         .bytes = way->bytes,
                         .copy_s = way->is_floor ? 0 : floor};
    lab_report(t->lab, &row, times, right);
}

void pipes_measure(const pipes_trial *t, const pipes_way *ways,
                   unsigned count) {
    double *samples[MOST_WAYS];
    bench_times times[MOST_WAYS];
    bool right[MOST_WAYS];
    double floor = 0;
    unsigned runs = 0;
    for (unsigned w = 0; w < count; w++) {
        samples[w] = bench_alloc(BENCH_MOST_RUNS * sizeof *samples[w]);
        if (ways[w].filters)
            poison_output(t);
        ways[w].run(t, ways[w].state);
        right[w] = !ways[w].filters || is_right(t);
    }
    const double end = bench_now() + t->lab->run->options.seconds * count;
    while (runs < BENCH_FEWEST_RUNS ||
           (runs < BENCH_MOST_RUNS && bench_now() < end)) {
        for (unsigned w = 0; w < count; w++)
            samples[w][runs] = ways[w].run(t, ways[w].state);
        runs++;
    }
    for (unsigned w = 0; w < count; w++) {
        times[w] = bench_summarise(samples[w], runs);
        if (ways[w].is_floor && times[w].midmean > floor)
            floor = times[w].midmean;
        free(samples[w]);
    }
    for (unsigned w = 0; w < count; w++)
        report(t, &ways[w], &times[w], floor, right[w]);
}

/* ----------------------------------------------------------------- its life */

winnow_condition *pipes_condition(double share) {
    const winnow_field field = {.name = "x", .type = WINNOW_FLOAT32};
    winnow_condition *condition;
    char text[64];
    snprintf(text, sizeof text, "x < %.17g", share);
    bench_check(winnow_condition_parse(&condition, &field, 1, text),
                "winnow_condition_parse");
    return condition;
}

void pipes_begin(pipes_trial *t, bench_lab *lab, uint64_t n, double share,
                 uint32_t record_bytes) {
    *t = (pipes_trial){.lab = lab,
                       .n = n,
                       .share = share,
                       .record_bytes = record_bytes,
                       .condition = pipes_condition(share),
                       .fd = -1};
    for (uint64_t i = 0; i < PIPES_PERIOD; i++)
        t->kept_of_period += keeps(t, i);
    t->kept = pipes_kept(t, n);
}

void pipes_end(pipes_trial *t) {
    winnow_condition_destroy(t->condition);
}
