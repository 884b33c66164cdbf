/*
 * Calls with several candidates, under many schedules of the CPU device; what
 * they enqueue; and candidates that the device refuses.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#include "cut.h"
#include "tests/auto/profile.h"
#include "rules.h"
#include "simt/simt.h"
#include "suite.h"
#include "trial.h"

#define SEEDS 60
#define MOST_N 12289

static const char *const unordered[] = {
    "global_atomic", "shared_atomic", "warp_aggregated", "warp_shared",
    "cub_scan",      "tile_scan",     "tile_aggregated"};
static const char *const stable[] = {"cub_scan", "tile_scan"};

static uint64_t draw(uint64_t seed, uint64_t which, uint64_t below) {
    return data_random(seed, which) % below;
}

/* A shape that the strategy may have for a number of elements of 4 bytes. */
static const char *draw_shape(const char *strategy, uint64_t seed) {
    static const char *const aggregated[] = {
        "by_size", "cluster_4", "tile_aggregated_striped_8",
        "tile_aggregated_medium", "tile_aggregated_large"};
    static const char *const scan[] = {
        "by_size",        "cluster_4",       "one_wave_striped_4",
        "one_wave_small", "tile_scan_small", "tile_scan_large"};

    if (strcmp(strategy, "tile_aggregated") == 0)
        return aggregated[draw(seed, 1, 5)];
    if (strcmp(strategy, "tile_scan") == 0)
        return scan[draw(seed, 2, 6)];
    return "by_size";
}

/* Up to 8 ranges, each with a strategy, for elements of 4 bytes. */
static void load_drawn(const struct backend *backend, const char *operation,
                       winnow_order order, uint64_t seed) {
    const unsigned ranges = 2 + (unsigned)draw(seed, 3, 7);
    struct profile profile;

    profile_open(&profile, backend);
    for (unsigned i = 0; i < ranges; i++) {
        const char *strategy = order == WINNOW_STABLE
                                   ? stable[draw(seed, 10 + i, 2)]
                                   : unordered[draw(seed, 20 + i, 7)];
        const char *shape = strcmp(operation, "copy_if") == 0
                                ? draw_shape(strategy, seed + i)
                                : "by_size";
        char to[16] = "1";
        if (i + 1 < ranges)
            snprintf(to, sizeof(to), "0.%u", 1 + i);
        profile_add(&profile, "%s %s 4 1 %d 0.%u %s %s %s", operation,
                    winnow_order_name(order), MOST_N, i, to, strategy, shape);
    }
    profile_load(&profile, backend);
    profile_close(&profile);
}

static const struct strategy_row *automatic(winnow_order order) {
    FOR_EACH_STRATEGY(row, true)
    if (row->strategy == WINNOW_AUTO && row->order == order)
        return row;
    return NULL;
}

static void run_seed(const struct backend *backend, winnow_order order,
                     bool indices, uint64_t seed) {
    const struct rule rule = rules_plain(WINNOW_FLOAT32);
    struct trial_call call = TRIAL_CALL_INIT;
    struct report report = {{0}};
    struct trial trial;
    bool ok = true;

    simt_seed(seed);
    simt_pattern(~seed);
    load_drawn(backend, indices ? "copy_index_if" : "copy_if", order, seed);
    call.operation = indices ? COPY_INDEX : COPY_IF;
    call.row = automatic(order);
    call.tuned = true;
    trial_open(&trial, backend, &rule, pattern_named("all"), seed, MOST_N,
               (unsigned)draw(seed, 4, TRIAL_OFFSETS));
    for (uint64_t i = 0; i < 3 && ok; i++) {
        struct pattern pattern = {"drawn", PATTERN_UNIFORM, 0, 0};

        pattern.fraction = (double)draw(seed, 30 + i, 100) / 100;
        trial_reload(&trial, &pattern, seed + i);
        call.n = draw(seed, 40 + i, MOST_N + 1);
        ok = indices ? trial_run(&trial, &call, &report)
                     : trial_run_in_place_too(&trial, &call, &report);
    }
    if (!trial_close(&trial, &report) || !ok)
        cr_assert_fail("WINNOW_SIMT_SEED=%llu: %s", (unsigned long long)seed,
                       report.text);
}

static void run_seeds(const struct backend *backend, winnow_order order,
                      bool indices, uint64_t first) {
    first = simt_first_seed(first);
    for (unsigned i = 0; i < simt_trials(SEEDS); i++)
        run_seed(backend, order, indices, first + i);
}

GPU_TEST(candidates, unordered) {
    run_seeds(backend, WINNOW_UNORDERED, false, 9000);
}

GPU_TEST(candidates, stable) {
    run_seeds(backend, WINNOW_STABLE, false, 9200);
}

GPU_TEST(candidates, indices) {
    run_seeds(backend, WINNOW_UNORDERED, true, 9400);
    run_seeds(backend, WINNOW_STABLE, true, 9500);
}

/* -------------------------------------------------------------- launches */

static unsigned launches_of(struct trial *trial,
                            const struct trial_call *call) {
    const unsigned before =
        simt_calls("cudaLaunchKernelExC") + simt_calls("cudaLaunchKernel");
    MUST(trial_run(trial, call, report));
    return simt_calls("cudaLaunchKernelExC") + simt_calls("cudaLaunchKernel") -
           before;
}

/* With one strategy for an n, and with a hint, a call is one launch, as it is
 * without a profile; with several, one to choose and one for each, however many
 * ranges they have. */
GPU_TEST(candidates, launches) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    struct trial_call call = TRIAL_CALL_INIT;
    struct profile profile;
    struct trial trial;

    profile_open(&profile, backend);
    profile_add(&profile, "copy_if unordered 4 1 2000 0 1 warp_shared by_size");
    profile_add(&profile, "copy_if unordered 4 2001 9000 0 0.3 warp_shared "
                          "by_size");
    profile_add(&profile, "copy_if unordered 4 2001 9000 0.3 0.6 "
                          "tile_aggregated by_size");
    profile_add(&profile, "copy_if unordered 4 2001 9000 0.6 1 warp_shared "
                          "by_size");
    profile_load(&profile, backend);
    profile_close(&profile);
    call.row = automatic(WINNOW_UNORDERED);
    call.tuned = true;
    call.workspace = WORKSPACE_GIVEN;
    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 7, 9001,
               0);
    call.n = 2000;
    cr_assert_eq(launches_of(&trial, &call), 1u);
    call.n = 9001; /* it says nothing of these */
    cr_assert_eq(launches_of(&trial, &call), 1u);
    call.n = 9000;
    cr_assert_eq(launches_of(&trial, &call), 3u);
    call.hint = 0.9;
    cr_assert_eq(launches_of(&trial, &call), 1u);
    call.hint = 0;
    call.n = 0;
    cr_assert_eq(launches_of(&trial, &call), 1u);
    MUST(trial_close(&trial, report));
}

/* A kernel that is passed over reads nothing of the input: what was there
 * before the call is gone when it begins. Half of the kernels would otherwise
 * pack what the chosen one has packed, in place. */
GPU_TEST(candidates, in_place_once) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    struct trial_call call = TRIAL_CALL_INIT;
    struct profile profile;
    struct trial trial;

    profile_open(&profile, backend);
    for (int i = 0; i < 8; i++)
        profile_add(&profile, "copy_if stable 4 1 9000 0.%d %s%d tile_scan %s",
                    i, i == 7 ? "" : "0.", i == 7 ? 1 : i + 1,
                    (const char *[]){"by_size", "cluster_4",
                                     "one_wave_striped_4", "one_wave_striped_8",
                                     "one_wave_striped_16", "one_wave_small",
                                     "tile_scan_small", "tile_scan_large"}[i]);
    profile_load(&profile, backend);
    profile_close(&profile);
    call.row = automatic(WINNOW_STABLE);
    call.in_place = true;
    call.n = 9000;
    trial_open(&trial, backend, &rule, pattern_named("all"), 8, 9000, 0);
    for (int i = 0; i < 8; i++) {
        const struct pattern pattern = {"half", PATTERN_UNIFORM, 0,
                                        0.05 + 0.1 * i};
        trial_reload(&trial, &pattern, 90 + (unsigned)i);
        MUST(trial_run(&trial, &call, report));
    }
    MUST(trial_close(&trial, report));
}

/* --------------------------------------------------------------- refusals */

static void load_refusable(const struct backend *backend) {
    struct profile profile;

    profile_open(&profile, backend);
    profile_add(&profile, "copy_if stable 4 1 9000 0 0.3 cub_scan by_size");
    profile_add(&profile, "copy_if stable 4 1 9000 0.3 0.6 tile_scan "
                          "one_wave_striped_4");
    profile_add(&profile, "copy_if stable 4 1 9000 0.6 0.8 tile_scan "
                          "cluster_4");
    profile_add(&profile, "copy_if stable 4 1 9000 0.8 1 tile_scan "
                          "one_wave_small");
    profile_load(&profile, backend);
    profile_close(&profile);
}

/* Each candidate's launch is refused in turn: the first launch chooses, and
 * then they come. The others stay as they are, and in place is packed once. */
GPU_TEST(candidates, refused) {
    static const double fractions[] = {0.1, 0.5, 0.7, 0.9};
    const struct rule rule = rules_plain(WINNOW_INT32);
    struct trial_call call = TRIAL_CALL_INIT;
    struct trial trial;

    load_refusable(backend);
    call.row = automatic(WINNOW_STABLE);
    call.n = 9000;
    call.in_place = true;
    trial_open(&trial, backend, &rule, pattern_named("all"), 9, 9000, 0);
    for (unsigned which = 0; which < 3; which++)
        for (unsigned i = 0; i < 12; i++) {
            const struct pattern pattern = {"part", PATTERN_UNIFORM, 0,
                                            fractions[i % 4]};
            simt_seed(9600 + i);
            trial_reload(&trial, &pattern, 100 + i);
            MUST(trial_prepare(&trial, &call, report));
            simt_fail("cudaLaunchKernelExC", cudaErrorCooperativeLaunchTooLarge,
                      1 + which);
            MUST(trial_enqueue(&trial, &call, report));
            MUST(trial_check(&trial, &call, report));
        }
    MUST(trial_close(&trial, report));
}

/* A failure of a launch that is no refusal is told. */
GPU_TEST(candidates, failures) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    struct trial_call call = TRIAL_CALL_INIT;
    struct report failure = {{0}};
    struct trial trial;

    load_refusable(backend);
    call.row = automatic(WINNOW_STABLE);
    call.n = 9000;
    trial_open(&trial, backend, &rule, pattern_named("all"), 10, 9000, 0);
    for (unsigned which = 0; which < 2; which++) {
        MUST(trial_prepare(&trial, &call, report));
        simt_fail("cudaLaunchKernelExC", cudaErrorMemoryAllocation, which);
        cr_assert_not(trial_enqueue(&trial, &call, &failure));
        cr_assert(strstr(failure.text, "WINNOW_ERR_MEMORY") ||
                      strstr(failure.text, "WINNOW_ERR_CUDA"),
                  "%s", failure.text);
        failure.text[0] = '\0';
        cr_assert_null(backend_wait(backend));
    }
    MUST(trial_run(&trial, &call, report));
    MUST(trial_close(&trial, report));
}

/* Too small a workspace by one byte, and a device whose driver has no name. */
GPU_TEST(candidates, workspace) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    struct trial_call call = TRIAL_CALL_INIT;
    struct report failure = {{0}};
    struct trial trial;

    load_refusable(backend);
    call.row = automatic(WINNOW_STABLE);
    call.n = 9000;
    call.workspace = WORKSPACE_GIVEN;
    trial_open(&trial, backend, &rule, pattern_named("all"), 11, 9000, 0);
    MUST(trial_prepare(&trial, &call, report));
    trial.workspace_bytes--;
    cr_assert_not(trial_enqueue(&trial, &call, &failure));
    cr_assert(strstr(failure.text, "WINNOW_ERR_WORKSPACE"), "%s", failure.text);
    /* A hint takes no more than the query said. */
    for (int i = 0; i <= 10; i++) {
        call.hint = i / 10.0;
        MUST(trial_run(&trial, &call, report));
    }
    MUST(trial_close(&trial, report));
}
