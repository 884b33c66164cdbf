/*
 * Every strategy, type and kind of predicate on small inputs, in one process
 * and with no test framework: for compute-sanitizer and valgrind. With an
 * argument, any, it names each check before it makes it: such tools are slow,
 * and a kernel that waits for ever would look the same.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "element.h"
#include "rules.h"
#include "trial.h"
#ifdef WINNOW_CUDA
#include "gpu.h"
#endif

static unsigned long calls;
static bool verbose;

static void announce(const struct trial *trial, const char *what, uint64_t n) {
    if (!verbose)
        return;
    printf("%s: %s, %zu-byte elements, n %" PRIu64 ", pattern %s\n",
           trial->backend->name, what, trial->size, n, trial->pattern->name);
    fflush(stdout);
}

static void must(bool ok, const struct report *report) {
    if (!ok) {
        printf("FAIL: %s\n", report->text);
        exit(1);
    }
    calls++;
}

static void run_strategy(struct trial *trial, const struct strategy_row *row,
                         uint64_t n) {
    struct trial_call call = TRIAL_CALL_INIT;
    struct report report;

    announce(trial, winnow_strategy_name(row->strategy), n);
    call.row = row;
    call.n = n;
    call.out_offset = (unsigned)n % 3;
    must(trial_run(trial, &call, &report), &report);
    call.capacity = n / 3;
    must(trial_run(trial, &call, &report), &report);
    call.operation = COPY_INDEX;
    call.wide = n % 2 != 0;
    must(trial_run(trial, &call, &report), &report);
    if (strategy_is_bounded(row)) {
        call.bound = n % 3 == 0 ? BOUND_IN_COUNT : BOUND_APART;
        call.d_n = n / 2;
        must(trial_run(trial, &call, &report), &report);
        call.operation = COPY_IF;
        must(trial_run(trial, &call, &report), &report);
    }
    call.operation = COPY_IF;
    call.bound = BOUND_NONE;
    if (row->order == WINNOW_STABLE) {
        call.capacity = WINNOW_NO_LIMIT;
        call.in_place = true;
        must(trial_run(trial, &call, &report), &report);
    }
}

static void run_copies(struct trial *trial, uint64_t n) {
    FOR_EACH_STRATEGY(row, trial->backend->gpu) {
        run_strategy(trial, row, n);
    }
}

static void run_counts(struct trial *trial, uint64_t n) {
    struct trial_call call = TRIAL_CALL_INIT;
    struct report report;

    announce(trial, "count_if and estimate", n);
    call.n = n;
    call.tolerance = 0.05; /* the pattern is clustered */
    call.operation = COUNT_IF;
    must(trial_run(trial, &call, &report), &report);
    call.operation = ESTIMATE;
    must(trial_run(trial, &call, &report), &report);
    call.bound = BOUND_APART;
    call.d_n = n / 2;
    must(trial_run(trial, &call, &report), &report);
    call.operation = COUNT_IF;
    must(trial_run(trial, &call, &report), &report);
}

/* The input is as large as n says and no larger: over-reads have nowhere to
 * hide. */
static void run_input(const struct backend *backend, const struct rule *rule,
                      const char *pattern, uint64_t n, unsigned offset) {
    struct trial trial;
    struct report report;

    trial_open(&trial, backend, rule, pattern_named(pattern), n, n, offset);
    run_copies(&trial, n);
    run_counts(&trial, n);
    must(trial_close(&trial, &report), &report);
}

/* One strategy alone, and counting: an input that is large only for the sake of
 * the tiles it is cut into. */
static void run_large(const struct backend *backend, const struct rule *rule,
                      winnow_strategy strategy, uint64_t bytes) {
    const uint64_t n = bytes / element_size(rule->type) + 3;
    struct trial trial;
    struct report report;

    trial_open(&trial, backend, rule, pattern_named("runs:32"), n, n, 1);
    FOR_EACH_STRATEGY(row, backend->gpu) {
        if (row->strategy == strategy)
            run_strategy(&trial, row, n);
    }
    run_counts(&trial, n);
    must(trial_close(&trial, &report), &report);
}

static void run_backend(const struct backend *backend) {
    const unsigned long before = calls;

    FOR_EACH_TYPE(type) {
        struct rule rules[RULES_KINDS];

        rules_kinds(type, rules);
        for (size_t i = 0; i < RULES_KINDS; i++)
            run_input(backend, &rules[i], "uniform:0.5", 99 + 37 * i,
                      (unsigned)i % 3);
    }
    /* Tiles of every kind, one type of each width. */
    for (winnow_type t = WINNOW_UINT8; t <= WINNOW_UINT64; t++) {
        static const uint64_t few[] = {1500, 3001, 10001, 20011, 40009};
        const struct rule rule = rules_plain(t);

        run_input(backend, &rule, "runs:32", 0, 0);
        for (size_t i = 0; i < sizeof(few) / sizeof(few[0]); i++)
            run_input(backend, &rule, "runs:32", few[i], 1);
        run_input(backend, &rule, "all", 1, 1);
        run_input(backend, &rule, "runs:32", 3 * 65536 / element_size(t) + 1,
                  1);
        run_input(backend, &rule, "all", 65536 / element_size(t) + 5, 0);
        run_input(backend, &rule, "runs:32", (1 << 20) / element_size(t) + 3,
                  1);
        if (!backend->gpu)
            continue;
        if (t == WINNOW_UINT8) { /* clusters that take aligned bytes by fours */
            run_input(backend, &rule, "runs:32", 40009, 0);
            run_input(backend, &rule, "uniform:0.5", 65536, 0);
        }
        run_large(backend, &rule, WINNOW_TILE_SCAN, 7 << 20);
        run_large(backend, &rule, WINNOW_TILE_SCAN, 9 << 20);
        run_large(backend, &rule, WINNOW_TILE_SCAN,
                  t == WINNOW_UINT8 ? 40 << 20 : 17 << 20);
        run_large(backend, &rule, WINNOW_TILE_AGGREGATED, 5 << 20);
        run_large(backend, &rule, WINNOW_TILE_AGGREGATED, 33 << 20);
    }
    printf("%s: %lu checks passed\n", backend->name, calls - before);
}

int main(int argc, char **argv) {
    struct backend backend;

    (void)argv;
    verbose = argc > 1;

    backend_open_host(&backend);
    run_backend(&backend);
    backend_close(&backend);
#ifdef WINNOW_CUDA
    const char *reason;

    if (gpu_present(&reason)) {
        backend_open_gpu(&backend);
        run_backend(&backend);
        backend_close(&backend);
    } else {
        printf("gpu: skipped: no CUDA device (%s)\n", reason);
    }
#endif
    return 0;
}
