/*
 * Streams that have a part of the device alone. The library asks about the
 * device and not about its parts, so that a launch may be refused, or more
 * blocks begin than the part can hold: inputs of every size are filtered all
 * the same.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "part.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"
#include "trial.h"

/* Of tiles of every kind, a few or many. */
static const uint64_t sizes[] = {1000,    2049,    5000,   16384,   16385,
                                 32768,   40000,   65536,  65537,   131072,
                                 262145,  500001,  786432, 1048576, 1500001,
                                 2097153, 4194303, 9000001};

enum {
    SIZES = sizeof(sizes) / sizeof(sizes[0])
};

static bool is_wanted(const struct strategy_row *row) {
    return row->strategy == WINNOW_AUTO ||
           row->strategy == WINNOW_TILE_AGGREGATED ||
           row->strategy == WINNOW_TILE_SCAN;
}

static void run_size(struct trial *trial, uint64_t n) {
    struct trial_call call = TRIAL_CALL_INIT;

    call.n = n;
    FOR_EACH_STRATEGY(row, true) {
        if (!is_wanted(row))
            continue;
        call.row = row;
        MUST(trial_run_in_place_too(trial, &call, report));
    }
    call.operation = COUNT_IF;
    MUST(trial_run(trial, &call, report));
}

static void run_part(const struct backend *whole, unsigned multiprocessors) {
    const unsigned last = reduced_mode() ? 6 : SIZES;
    struct backend backend = *whole;
    struct part part;

    if (!part_open(&part, multiprocessors))
        cr_skip_test("the driver divides no devices");
    cr_assert_lt(part.multiprocessors, 2 * multiprocessors);
    backend.stream = part.stream;
    for (int type = WINNOW_UINT8; type <= WINNOW_UINT64; type++) {
        const struct rule rule = rules_plain((winnow_type)type);
        struct trial trial;

        trial_open(&trial, &backend, &rule, pattern_named("uniform:0.5"), 31,
                   sizes[last - 1], 1);
        for (unsigned i = 0; i < last; i++)
            run_size(&trial, sizes[i]);
        MUST(trial_close(&trial, report));
    }
    part_close(&part);
}

/* The part's own context is current, and another stream's kernels are called
 * for, too. */
GPU_TEST(part, LONG(made_current)) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    struct backend backends[2] = {*backend, *backend};
    struct part part;

    if (!part_open(&part, 32))
        cr_skip_test("the driver divides no devices");
    backends[1].stream = part.stream;
    for (int b = 0; b < 2; b++) {
        const void *before = gpu_current_context(), *inside;
        struct trial trial;

        trial_open(&trial, &backends[b], &rule, pattern_named("uniform:0.5"),
                   32, sizes[5], 1);
        part_enter(&part);
        inside = gpu_current_context();
        cr_assert_neq(inside, before);
        for (unsigned i = 0; i < 6; i++)
            run_size(&trial, sizes[i]);
        cr_assert_eq(gpu_current_context(), inside);
        part_leave();
        MUST(trial_close(&trial, report));
    }
    part_close(&part);
}

GPU_TEST(part, LONG(of_8_multiprocessors)) {
    run_part(backend, 8);
}

GPU_TEST(part, LONG(of_32_multiprocessors)) {
    run_part(backend, 32);
}
