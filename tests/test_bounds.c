/*
 * launch->d_n and launch->d_position, which the device reads, and d_count
 * NULL: in copy_if, copy_index_if, count_if and estimate_selectivity.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "element.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"
#include "trial.h"

/* None, few, some, all, and more than there are. */
#define BOUNDS 8
static void bounds_of(uint64_t n, uint64_t *seed, uint64_t bounds[BOUNDS]) {
    const uint64_t values[BOUNDS] = {0,
                                     1,
                                     draw_next(seed, n + 1),
                                     draw_next(seed, n + 1),
                                     n - 1,
                                     n,
                                     n + 1,
                                     UINT64_MAX};

    for (size_t i = 0; i < BOUNDS; i++)
        bounds[i] = values[i];
}

/* Copies, of elements and of indices, and of elements in place. */
static void run_copies(struct trial *trial, struct trial_call *call) {
    call->operation = COPY_IF;
    MUST(trial_run_in_place_too(trial, call, report));
    call->operation = COPY_INDEX;
    call->wide = !call->wide;
    MUST(trial_run(trial, call, report));
}

static void run_strategies(struct trial *trial, struct trial_call *call) {
    FOR_EACH_STRATEGY(row, trial->backend->gpu) {
        call->row = row;
        if (call->bound == BOUND_NONE || strategy_is_bounded(row))
            run_copies(trial, call);
    }
}

static void run_counts(struct trial *trial, struct trial_call *call) {
    call->operation = COUNT_IF;
    MUST(trial_run(trial, call, report));
    if (call->bound == BOUND_IN_COUNT)
        return;
    call->operation = ESTIMATE;
    call->tolerance = 0.05;
    MUST(trial_run(trial, call, report));
}

static void run_bounds(struct trial *trial, uint64_t n, uint64_t *seed) {
    uint64_t bounds[BOUNDS];

    bounds_of(n, seed, bounds);
    for (size_t i = 0; i < BOUNDS; i++) {
        struct trial_call call = TRIAL_CALL_INIT;

        call.n = n;
        call.d_n = bounds[i];
        call.bound = i % 2 == 0 ? BOUND_APART : BOUND_IN_COUNT;
        call.out_offset = (unsigned)draw_next(seed, 4);
        if (draw_next(seed, 4) == 0)
            call.capacity = draw_next(seed, n + 2);
        run_strategies(trial, &call);
        run_counts(trial, &call);
    }
}

/* Every type, with sizes for each kind of plan. */
BACKEND_TEST(bounds, LONG(every_type)) {
    uint64_t seed = 400;

    FOR_EACH_TYPE(type) {
        const uint64_t most = reduced_mode() ? 6000 : 400000;
        struct rule rules[RULES_KINDS];
        struct trial trial;

        rules_kinds(type, rules);
        trial_open(&trial, backend, &rules[draw_next(&seed, RULES_KINDS)],
                   pattern_named("runs:32"), 401, most,
                   (unsigned)draw_next(&seed, 4));
        run_bounds(&trial, 1, &seed);
        run_bounds(&trial, 1 + draw_next(&seed, 1000), &seed);
        run_bounds(&trial, 1 + draw_next(&seed, most), &seed);
        MUST(trial_close(&trial, report));
    }
}

/* Of no elements, whatever *d_n says. */
BACKEND_TEST(bounds, no_elements) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("all"), 402, 10, 0);
    for (uint64_t d_n = 0; d_n < 2; d_n++) {
        struct trial_call call = TRIAL_CALL_INIT;

        call.d_n = d_n;
        call.bound = BOUND_APART;
        run_strategies(&trial, &call);
        run_counts(&trial, &call);
        call.bound = BOUND_IN_COUNT;
        run_strategies(&trial, &call);
        run_counts(&trial, &call);
    }
    MUST(trial_close(&trial, report));
}

/* At every element around the end of a vector and of a tile. */
BACKEND_TEST(bounds, LONG(edges)) {
    const uint64_t n = reduced_mode() ? 5000 : 70000;
    const uint64_t step = reduced_mode() ? 1024 : 4096;
    static const winnow_type types[] = {WINNOW_UINT8, WINNOW_INT16,
                                        WINNOW_FLOAT32, WINNOW_INT64};

    for (size_t t = 0; t < 4; t++) {
        const struct rule rule = rules_plain(types[t]);
        struct trial_call call = TRIAL_CALL_INIT;
        struct trial trial;

        trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 403, n,
                   (unsigned)t);
        call.n = n;
        call.bound = BOUND_APART;
        for (uint64_t edge = step; edge < n; edge += step)
            for (call.d_n = edge - 2; call.d_n <= edge + 2; call.d_n++) {
                FOR_EACH_STRATEGY(row, backend->gpu) {
                    if (row->strategy != WINNOW_AUTO)
                        continue;
                    call.row = row;
                    run_copies(&trial, &call);
                }
                run_counts(&trial, &call);
            }
        MUST(trial_close(&trial, report));
    }
}

/* More than a sample has, of which less is looked at; and less than it has. */
BACKEND_TEST(bounds, estimates) {
    static const uint64_t bounds[] = {100, 65535, 65536, 65537, 100000, 150000};
    const uint64_t n = 150001;
    const struct rule rule = rules_plain(WINNOW_UINT16);
    struct trial_call call = TRIAL_CALL_INIT;
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("prefix"), 404, n, 1);
    call.n = n;
    call.operation = ESTIMATE;
    call.bound = BOUND_APART;
    call.tolerance = 0.01;
    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        call.d_n = bounds[i];
        MUST(trial_run(&trial, &call, report));
    }
    MUST(trial_close(&trial, report));
}

/* ------------------------------------------------------------- positions */

/* With and without a bound, a count, and room for all. */
static void run_position(struct trial *trial, uint64_t n, uint64_t *seed) {
    struct trial_call call = TRIAL_CALL_INIT;

    call.n = n;
    call.placed = true;
    call.position = draw_next(seed, 2) * draw_next(seed, 100);
    call.capacity =
        draw_next(seed, 3) == 0 ? draw_next(seed, n + 100) : call.position + n;
    call.no_count = draw_next(seed, 2) != 0;
    if (draw_next(seed, 2) != 0) {
        call.bound = BOUND_APART;
        call.d_n = draw_next(seed, n + 2);
    }
    call.out_offset = (unsigned)draw_next(seed, 4);
    FOR_EACH_STRATEGY(row, trial->backend->gpu) {
        if (!strategy_is_bounded(row))
            continue;
        call.row = row;
        call.operation = COPY_IF;
        MUST(trial_run(trial, &call, report));
        call.operation = COPY_INDEX;
        call.wide = draw_next(seed, 2) != 0;
        MUST(trial_run(trial, &call, report));
    }
}

BACKEND_TEST(bounds, LONG(positions)) {
    const uint64_t most = reduced_mode() ? 5000 : 200000;
    const unsigned calls = reduced_mode() ? 3 : 20;
    uint64_t seed = 405;

    FOR_EACH_TYPE(type) {
        const struct rule rule = rules_plain(type);
        struct trial trial;

        trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 406,
                   most, (unsigned)draw_next(&seed, 4));
        run_position(&trial, 0, &seed);
        run_position(&trial, 1, &seed);
        for (unsigned i = 0; i < calls; i++)
            run_position(&trial, 1 + draw_next(&seed, most), &seed);
        MUST(trial_close(&trial, report));
    }
}

/* Calls with one position fill an array one behind the other. */
BACKEND_TEST(bounds, one_behind_the_other) {
    enum {
        N = 5000,
        CALLS = 5
    };
    const struct rule rule = rules_plain(WINNOW_INT32);
    const uint64_t zero = 0, room = 7000;
    struct region in, out, position;
    int32_t *const input = must_alloc(sizeof(int32_t) * N * CALLS);
    int32_t *const wanted = must_alloc(sizeof(int32_t) * N * CALLS);
    uint32_t *const kept = must_alloc(sizeof(uint32_t) * (N * CALLS + 1));
    winnow_predicate *predicate;
    uint64_t all, seen;

    data_fill(&rule, pattern_named("uniform:0.5"), 407, N * CALLS, input);
    all = oracle_filter(&rule, input, N * CALLS, wanted, kept);
    cr_assert_gt(all, room);
    cr_assert_eq(rule_create(&rule, &predicate), WINNOW_OK);
    region_open(&in, backend, sizeof(int32_t) * N * CALLS);
    region_open(&out, backend, sizeof(int32_t) * N * CALLS);
    region_open(&position, backend, sizeof(zero));
    region_write(&in, 0, input, in.bytes);
    region_poison(&out, out.bytes);
    region_write(&position, 0, &zero, sizeof(zero));
    for (size_t i = 0; i < CALLS; i++)
        cr_assert_eq(
            winnow_copy_if(
                backend->context, predicate, WINNOW_INT32,
                in.base + i * N * sizeof(int32_t), N, out.base, room, NULL,
                WINNOW_LAUNCH(.stream = backend->stream, .order = WINNOW_STABLE,
                              .d_position = (uint64_t *)(void *)position.base)),
            WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    backend_download(backend, &seen, position.base, sizeof(seen));
    cr_assert_eq(seen, room);
    region_fetch(&out, out.bytes);
    cr_assert_eq(memcmp(out.seen, wanted, room * sizeof(int32_t)), 0);
    MUST(region_untouched(&out, "d_out", 0, room * sizeof(int32_t), out.bytes,
                          report));
    winnow_predicate_destroy(predicate);
    region_close(&in);
    region_close(&out);
    region_close(&position);
    free(input);
    free(wanted);
    free(kept);
}

/* -------------------------------------------------------------- no count */

BACKEND_TEST(bounds, no_count) {
    const uint64_t n = reduced_mode() ? 9001 : 200001;
    const struct rule rule = rules_plain(WINNOW_FLOAT32);
    static const uint64_t sizes[] = {0, 1, 300, 5000};
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 408, n, 1);
    for (size_t i = 0; i <= sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct trial_call call = TRIAL_CALL_INIT;

        call.n = i < sizeof(sizes) / sizeof(sizes[0]) ? sizes[i] : n;
        call.no_count = true;
        run_strategies(&trial, &call);
        call.capacity = call.n / 3;
        run_strategies(&trial, &call);
        call.bound = BOUND_APART;
        call.d_n = call.n / 2;
        run_strategies(&trial, &call);
    }
    MUST(trial_close(&trial, report));
}

/* ----------------------------------------------------------------- chains */

/* Filters one behind the other in one word and in place, with no host in
 * between: of elements that pass all of them. */
BACKEND_TEST(bounds, chain) {
    enum {
        FILTERS = 3
    };
    const uint64_t n = reduced_mode() ? 20000 : 300000;
    const uint32_t masks[FILTERS] = {1, 0x10, 0x400};
    uint32_t *const elements = must_alloc(n * sizeof(uint32_t));
    uint32_t *const seen = must_alloc(n * sizeof(uint32_t));
    uint32_t *const d_elements = backend_alloc(backend, n * sizeof(uint32_t));
    uint64_t *const d_count = backend_alloc(backend, sizeof(*d_count));
    uint64_t count, kept = 0;

    for (uint64_t i = 0; i < n; i++)
        elements[i] = (uint32_t)data_random(409, i);
    backend_upload(backend, d_elements, elements, n * sizeof(uint32_t));
    backend_upload(backend, d_count, &n, sizeof(n));
    for (size_t i = 0; i < FILTERS; i++) {
        winnow_predicate *predicate;

        cr_assert_eq(winnow_predicate_bits(&predicate, WINNOW_UINT32, masks[i],
                                           masks[i]),
                     WINNOW_OK);
        cr_assert_eq(winnow_copy_if(backend->context, predicate, WINNOW_UINT32,
                                    d_elements, n, d_elements, n, d_count,
                                    WINNOW_LAUNCH(.stream = backend->stream,
                                                  .order = WINNOW_STABLE,
                                                  .d_n = d_count)),
                     WINNOW_OK, "%s", winnow_last_error());
        winnow_predicate_destroy(predicate);
    }
    cr_assert_null(backend_wait(backend));
    backend_download(backend, &count, d_count, sizeof(count));
    backend_download(backend, seen, d_elements, n * sizeof(uint32_t));
    for (uint64_t i = 0; i < n; i++)
        if ((elements[i] & 0x411) == 0x411)
            elements[kept++] = elements[i];
    cr_assert_eq(count, kept);
    cr_assert_eq(memcmp(seen, elements, kept * sizeof(uint32_t)), 0);
    backend_free(backend, d_elements);
    backend_free(backend, d_count);
    free(elements);
    free(seen);
}
