/*
 * Every strategy, cut in every way, under many schedules of the CPU device: on
 * small inputs with all edges, back to back, and with other contents of
 * uninitialised memory.
 *
 * WINNOW_SIMT_TRIALS says how many seeds are tried of each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cut.h"
#include "element.h"
#include "rules.h"
#include "simt/simt.h"
#include "suite.h"
#include "trial.h"

#define SEEDS 200

static const char *const used_patterns[] = {
    "none",    "all",          "uniform:0.5", "uniform:0.01",
    "runs:32", "uniform:0.99", "alternate",   "prefix"};

/* Around vectors, warps, and the tiles of all kinds. */
static const uint64_t edges[] = {0,    1,    2,    31,   32,   33,   255,
                                 256,  257,  1023, 1024, 1025, 2047, 2048,
                                 2049, 4096, 4097, 6143, 8191, 8193, 12289};

static uint64_t draw(uint64_t seed, uint64_t which, uint64_t below) {
    return data_random(seed, which) % below;
}

/* Inputs on which all calls of one seed are made. */
static void open_trial(struct trial *trial, const struct backend *backend,
                       uint64_t seed) {
    struct rule rules[RULES_KINDS];
    const winnow_type type = (winnow_type)draw(seed, 0, ELEMENT_TYPES);
    const char *name = used_patterns[draw(
        seed, 1, sizeof(used_patterns) / sizeof(used_patterns[0]))];

    rules_kinds(type, rules);
    trial_open(trial, backend, &rules[draw(seed, 2, RULES_KINDS)],
               pattern_named(name), seed, edges[20],
               (unsigned)draw(seed, 3, TRIAL_OFFSETS));
}

static struct trial_call draw_call(const struct trial *trial, uint64_t seed,
                                   uint64_t i) {
    struct trial_call call = TRIAL_CALL_INIT;
    const uint64_t number = sizeof(edges) / sizeof(edges[0]);

    call.n = edges[(seed * 3 + i) % number];
    if (call.n > trial->n)
        call.n = trial->n;
    call.out_offset = (unsigned)draw(seed, 10 + i, TRIAL_OFFSETS);
    if (draw(seed, 20 + i, 4) == 0)
        call.capacity = draw(seed, 30 + i, call.n + 1);
    call.tolerance = 0.05;
    return call;
}

static void fail(const struct report *report, uint64_t seed) {
    cr_assert_fail("WINNOW_SIMT_SEED=%llu: %s", (unsigned long long)seed,
                   report->text);
}

/* A row's calls of one seed, in place too. */
static void run_seed(const struct backend *backend,
                     const struct strategy_row *row, uint64_t seed) {
    struct report report = {{0}};
    struct trial trial;

    simt_seed(seed);
    simt_pattern(~seed);
    open_trial(&trial, backend, seed);
    for (uint64_t i = 0; i < 2; i++) {
        struct trial_call call = draw_call(&trial, seed, i);

        call.row = row;
        if (!trial_run_in_place_too(&trial, &call, &report))
            fail(&report, seed);
    }
    if (!trial_close(&trial, &report))
        fail(&report, seed);
}

static void run_rows(const struct backend *backend, winnow_strategy strategy,
                     uint64_t first) {
    const unsigned seeds = simt_trials(SEEDS);

    first = simt_first_seed(first);
    FOR_EACH_STRATEGY(row, true) {
        if (row->strategy != strategy)
            continue;
        for (unsigned i = 0; i < seeds; i++)
            run_seed(backend, row, first + i);
    }
}

#define STRATEGY_TEST(name, strategy)                                          \
    GPU_TEST(schedules, name) {                                                \
        run_rows(backend, strategy, 1000);                                     \
    }
STRATEGY_TEST(global_atomic, WINNOW_GLOBAL_ATOMIC)
STRATEGY_TEST(shared_atomic, WINNOW_SHARED_ATOMIC)
STRATEGY_TEST(warp_aggregated, WINNOW_WARP_AGGREGATED)
STRATEGY_TEST(warp_shared, WINNOW_WARP_SHARED)
STRATEGY_TEST(automatic, WINNOW_AUTO)

/* Of all kinds of tiles. */
#define CUT_TEST(name, cut)                                                    \
    GPU_TEST(schedules, name) {                                                \
        cut_into(backend, cut);                                                \
        run_rows(backend, WINNOW_TILE_AGGREGATED, 2000);                       \
        run_rows(backend, WINNOW_TILE_SCAN, 3000);                             \
    }
CUT_TEST(tiles_alone, ALONE)
CUT_TEST(tiles_cluster, CLUSTER)
CUT_TEST(tiles_rows_1024, ROWS_1024)
CUT_TEST(tiles_rows_2048, ROWS_2048)
CUT_TEST(tiles_rows_4096, ROWS_4096)
CUT_TEST(tiles_small, SMALL)
CUT_TEST(tiles_medium, MEDIUM)
CUT_TEST(tiles_large, LARGE)
CUT_TEST(tiles_small_scan, SMALL_SCAN)

GPU_TEST(schedules, count_and_estimate) {
    const unsigned seeds = simt_trials(SEEDS);

    for (unsigned s = 0; s < seeds; s++) {
        const uint64_t seed = simt_first_seed(4000) + s;
        struct report report = {{0}};
        struct trial trial;

        simt_seed(seed);
        open_trial(&trial, backend, seed);
        for (uint64_t i = 0; i < 4; i++) {
            struct trial_call call = draw_call(&trial, seed, i);

            call.operation = i % 2 == 0 ? COUNT_IF : ESTIMATE;
            if (!trial_run(&trial, &call, &report))
                fail(&report, seed);
        }
        if (!trial_close(&trial, &report))
            fail(&report, seed);
    }
}

/*
 * Calls that nobody waits for between: each begins while the one before still
 * runs, and goes on with what that one left. Three trials share a stream.
 */
GPU_TEST(schedules, back_to_back) {
    enum {
        TRIALS = 3
    };
    const unsigned seeds = simt_trials(SEEDS);

    for (unsigned s = 0; s < seeds; s++) {
        const uint64_t seed = simt_first_seed(5000) + s;
        struct trial_call calls[TRIALS];
        struct trial trials[TRIALS];
        struct report report = {{0}};
        bool ok = true;

        simt_seed(seed);
        if (s % 10 == 0)
            cut_into(backend, (enum cut)(s / 10 % CUTS));
        for (unsigned i = 0; i < TRIALS && ok; i++) {
            open_trial(&trials[i], backend, seed + i);
            calls[i] = draw_call(&trials[i], seed, i);
            calls[i].row = NULL;
            FOR_EACH_STRATEGY(row, true) {
                if (cut_is_ours(row) &&
                    (calls[i].row == NULL || draw(seed, 40 + i, 2) == 0))
                    calls[i].row = row;
            }
            ok = trial_prepare(&trials[i], &calls[i], &report);
        }
        for (unsigned i = 0; i < TRIALS && ok; i++)
            ok = trial_enqueue(&trials[i], &calls[i], &report);
        for (unsigned i = 0; i < TRIALS && ok; i++)
            ok = trial_check(&trials[i], &calls[i], &report);
        for (unsigned i = 0; i < TRIALS && ok; i++)
            ok = trial_close(&trials[i], &report);
        if (!ok)
            fail(&report, seed);
    }
}

/* What a call leaves in the output, in any order. */
static uint64_t run_with_pattern(const struct backend *backend,
                                 const struct strategy_row *row, uint64_t seed,
                                 uint64_t pattern) {
    struct report report = {{0}};
    uint64_t digest = 0;
    struct trial trial;
    struct trial_call call;

    simt_seed(seed);
    simt_pattern(pattern);
    open_trial(&trial, backend, seed);
    call = draw_call(&trial, seed, 0);
    call.row = row;
    /* One that was made in the pattern. */
    call.workspace = WORKSPACE_GIVEN;
    if (!trial_run(&trial, &call, &report))
        fail(&report, seed);
    for (size_t i = 0;
         i < REGION_GUARD + (call.out_offset + call.n) * trial.size; i++)
        digest = (digest ^ trial.out.base[i]) * UINT64_C(0x100000001b3);
    if (!trial_close(&trial, &report))
        fail(&report, seed);
    return digest;
}

/*
 * The same schedule, and something else in shared memory, on the stacks, in
 * workspaces: nobody looks at that before it is written, so the output is the
 * same, of unordered strategies too.
 */
GPU_TEST(schedules, uninitialised_memory) {
    const unsigned seeds = simt_trials(SEEDS / 4);

    FOR_EACH_STRATEGY(row, true) {
        for (unsigned s = 0; s < seeds; s++) {
            const uint64_t seed = simt_first_seed(6000) + s;
            uint64_t first;

            if (s % 5 == 0)
                cut_into(backend, (enum cut)(s / 5 % CUTS));
            first = run_with_pattern(backend, row, seed, 1);
            for (uint64_t pattern = 2; pattern < 4; pattern++)
                cr_assert_eq(run_with_pattern(backend, row, seed, pattern),
                             first,
                             "WINNOW_SIMT_SEED=%llu: %s depends on what "
                             "uninitialised memory holds",
                             (unsigned long long)seed,
                             winnow_strategy_name(row->strategy));
        }
    }
}
