/*
 * What nobody has thought of: any type, predicate, data, length, alignment,
 * capacity, strategy and kind of tile together.
 *
 * WINNOW_TEST_TRIALS=N makes N trials instead of a few hundred, and
 * WINNOW_TEST_SEED=N others than usual; a failure names its trial, which
 * WINNOW_TEST_FIRST=N begins with.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "cut.h"
#include "element.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"

/* Random numbers, of which every trial has its own. */
struct draws {
    uint64_t seed, number;
};

static uint64_t draw(struct draws *draws, uint64_t below) {
    return data_random(draws->seed, draws->number++) % below;
}

static uint64_t setting(const char *name, uint64_t otherwise) {
    const char *value = getenv(name);

    return value && *value ? strtoull(value, NULL, 0) : otherwise;
}

static struct pattern draw_pattern(struct draws *draws) {
    struct pattern pattern = {"at random", PATTERN_RUNS, 1, 0};

    if (draw(draws, 2) == 0)
        pattern.kind = PATTERN_PATCHES;
    pattern.run += draw(draws, UINT64_C(1) << draw(draws, 14));
    pattern.fraction = 1e-3 * (double)draw(draws, 1001);
    return pattern;
}

static uint64_t draw_length(struct draws *draws) {
    if (reduced_mode())
        return 1 + draw(draws, 20000);
    return 1 + draw(draws, UINT64_C(1) << (8 + draw(draws, 14)));
}

/* How the context cuts inputs into tiles, and what it makes of its device. */
static void draw_context(struct draws *draws, const struct backend *backend,
                         const winnow__cuda_context *usual) {
    winnow__cuda_context *context = cut_context(backend);
    winnow__device_shapes *shapes = cut_shapes(backend);
    const uint64_t number = draw(draws, 16);

    winnow__set_limits(context->multiprocessors, shapes->limits);
    context->overlap = usual->overlap && draw(draws, 8) != 0;
    context->spin_limit = usual->spin_limit;
    if (draw(draws, 8) == 0)
        context->spin_limit = 1 + (unsigned)draw(draws, 1000);
    if (number < 14)
        cut_into(backend, cut_numbered(number));
}

static bool run_calls(struct draws *draws, struct trial *trial,
                      struct trial_call *call, struct report *report) {
    FOR_EACH_STRATEGY(row, true) {
        if (!cut_is_ours(row) && draw(draws, 8) != 0)
            continue;
        if (call->bound != BOUND_NONE && !strategy_is_bounded(row))
            continue;
        call->row = row;
        call->operation = COPY_IF;
        if (!trial_run_in_place_too(trial, call, report))
            return false;
        call->operation = COPY_INDEX;
        call->wide = draw(draws, 2) != 0;
        if (!trial_run(trial, call, report))
            return false;
    }
    call->operation = COUNT_IF;
    call->no_count = false;
    return trial_run(trial, call, report);
}

static bool run_trial(struct draws *draws, const struct backend *backend,
                      const winnow__cuda_context *usual,
                      struct report *report) {
    const winnow_type type = element_type(draw(draws, ELEMENT_TYPES));
    const struct pattern pattern = draw_pattern(draws);
    struct trial_call call = TRIAL_CALL_INIT;
    struct rule rules[RULES_KINDS];
    struct trial trial;

    draw_context(draws, backend, usual);
    rules_kinds(type, rules);
    call.n = draw_length(draws);
    trial_open(&trial, backend, &rules[draw(draws, RULES_KINDS)], &pattern,
               draws->seed, call.n, (unsigned)draw(draws, TRIAL_OFFSETS));
    call.out_offset = (unsigned)draw(draws, TRIAL_OFFSETS);
    if (draw(draws, 4) == 0)
        call.capacity = draw(draws, call.n + 1);
    if (draw(draws, 4) == 0)
        call.hint = 1e-3 * (double)draw(draws, 1001);
    if (draw(draws, 3) == 0) {
        call.bound = draw(draws, 2) == 0 ? BOUND_APART : BOUND_IN_COUNT;
        call.d_n = draw(draws, call.n + 2);
    } else {
        call.no_count = draw(draws, 4) == 0;
    }
    return run_calls(draws, &trial, &call, report) &&
           trial_close(&trial, report);
}

GPU_TEST(random, trials) {
    const uint64_t first = setting("WINNOW_TEST_FIRST", 0);
    const uint64_t trials =
        setting("WINNOW_TEST_TRIALS", reduced_mode() ? 10 : 500);
    const uint64_t seed = setting("WINNOW_TEST_SEED", 35);
    const winnow__cuda_context *const context = cut_context(backend);
    static winnow__cuda_context usual;

    usual.overlap = context->overlap;
    usual.spin_limit = context->spin_limit;
    for (uint64_t t = first; t < first + trials; t++) {
        struct draws draws = {data_random(seed, t), 0};
        struct report report = {{0}};

        cr_assert(run_trial(&draws, backend, &usual, &report), "trial %llu: %s",
                  (unsigned long long)t, report.text);
    }
}
