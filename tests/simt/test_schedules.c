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
#include "gpu.h"
#include "tests/reduce/reductions.h"
#include "rules.h"
#include "simt/reduce_parts.h"
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
    const winnow_type type = element_type(draw(seed, 0, ELEMENT_TYPES));
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
    if (draw(seed, 50 + i, 3) == 0) {
        call.bound = BOUND_APART;
        call.d_n = draw(seed, 60 + i, call.n + 2);
    }
    call.tolerance = 0.05;
    return call;
}

static void fail(const struct report *report, uint64_t seed) {
    cr_assert_fail("WINNOW_SIMT_SEED=%llu: %s", (unsigned long long)seed,
                   report->text);
}

/* A row's calls of one seed; of values in place, too. */
static void run_seed(const struct backend *backend, enum operation operation,
                     const struct strategy_row *row, uint64_t seed) {
    struct report report = {{0}};
    struct trial trial;

    simt_seed(seed);
    simt_pattern(~seed);
    open_trial(&trial, backend, seed);
    for (uint64_t i = 0; i < 2; i++) {
        struct trial_call call = draw_call(&trial, seed, i);

        call.operation = operation;
        call.row = row;
        call.wide = draw(seed, 40 + i, 2) != 0;
        if (!strategy_is_bounded(row))
            call.bound = BOUND_NONE;
        else if (call.bound != BOUND_NONE && draw(seed, 70 + i, 2) != 0)
            call.bound = BOUND_IN_COUNT;
        if (strategy_is_bounded(row) && draw(seed, 80 + i, 4) == 0) {
            call.placed = true;
            call.position = draw(seed, 90 + i, 50);
            call.capacity = call.position + draw(seed, 30 + i, call.n + 1);
        }
        if (operation == COPY_IF && !call.placed
                ? !trial_run_in_place_too(&trial, &call, &report)
                : !trial_run(&trial, &call, &report))
            fail(&report, seed);
    }
    if (!trial_close(&trial, &report))
        fail(&report, seed);
}

static void run_rows(const struct backend *backend, enum operation operation,
                     winnow_strategy strategy, uint64_t first) {
    const unsigned seeds = simt_trials(SEEDS);

    first = simt_first_seed(first);
    FOR_EACH_STRATEGY(row, true) {
        if (row->strategy != strategy)
            continue;
        for (unsigned i = 0; i < seeds; i++)
            run_seed(backend, operation, row, first + i);
    }
}

#define STRATEGY_TEST(name, strategy)                                          \
    GPU_TEST(schedules, name) {                                                \
        run_rows(backend, COPY_IF, strategy, 1000);                            \
        run_rows(backend, COPY_INDEX, strategy, 1500);                         \
    }
STRATEGY_TEST(global_atomic, WINNOW_GLOBAL_ATOMIC)
STRATEGY_TEST(shared_atomic, WINNOW_SHARED_ATOMIC)
STRATEGY_TEST(warp_aggregated, WINNOW_WARP_AGGREGATED)
STRATEGY_TEST(warp_shared, WINNOW_WARP_SHARED)
STRATEGY_TEST(software_atomic, WINNOW_SOFTWARE_ATOMIC)
STRATEGY_TEST(automatic, WINNOW_AUTO)

/* One or two blocks that ask, with many tiles each. */
GPU_TEST(schedules, software_atomic_few_blocks) {
    winnow__device_shapes *const shapes = cut_shapes(backend);

    for (unsigned blocks = 2; blocks <= 3; blocks++) {
        for (int size = 0; size < WINNOW__SIZES; size++)
            for (int kind = 0; kind < WINNOW__TEST_KINDS; kind++) {
                atomic_store(&shapes->resident[WINNOW__SHAPE_software_atomic]
                                              [size][kind],
                             blocks);
                atomic_store(
                    &shapes->resident[WINNOW__SHAPE_index_software_atomic][size]
                                     [kind],
                    blocks);
            }
        run_rows(backend, COPY_IF, WINNOW_SOFTWARE_ATOMIC, 1700);
        run_rows(backend, COPY_INDEX, WINNOW_SOFTWARE_ATOMIC, 1800);
    }
}

/* Of all shapes of tiles, with the strategies that take them. */
#define TEST_OF(NAME, OPERATION, STRATEGY)                                     \
    GPU_TEST(schedules, NAME) {                                                \
        cut_into(backend, WINNOW__SHAPE_##NAME);                               \
        run_rows(backend, OPERATION, STRATEGY, 2000);                          \
    }
#define TEST_OF_BOTH(NAME, OPERATION)                                          \
    GPU_TEST(schedules, NAME) {                                                \
        cut_into(backend, WINNOW__SHAPE_##NAME);                               \
        run_rows(backend, OPERATION, WINNOW_TILE_AGGREGATED, 2000);            \
        run_rows(backend, OPERATION, WINNOW_TILE_SCAN, 3000);                  \
    }
#define TEST_OF_NO_LADDER(NAME)
#define TEST_OF_COUNTS(NAME)
#define TEST_OF_SINGLE_BLOCK(NAME) TEST_OF_BOTH(NAME, COPY_IF)
#define TEST_OF_ONE_CLUSTER(NAME) TEST_OF_BOTH(NAME, COPY_IF)
#define TEST_OF_AGGREGATED(NAME) TEST_OF(NAME, COPY_IF, WINNOW_TILE_AGGREGATED)
#define TEST_OF_ONE_WAVE(NAME) TEST_OF(NAME, COPY_IF, WINNOW_TILE_SCAN)
#define TEST_OF_LOOK_BACK(NAME) TEST_OF(NAME, COPY_IF, WINNOW_TILE_SCAN)
#define TEST_OF_INDEX_SINGLE_BLOCK(NAME) TEST_OF_BOTH(NAME, COPY_INDEX)
#define TEST_OF_INDEX_CLUSTER(NAME) TEST_OF_BOTH(NAME, COPY_INDEX)
#define TEST_OF_INDEX_AGGREGATED(NAME)                                         \
    TEST_OF(NAME, COPY_INDEX, WINNOW_TILE_AGGREGATED)
#define TEST_OF_INDEX_ONE_WAVE(NAME) TEST_OF(NAME, COPY_INDEX, WINNOW_TILE_SCAN)
#define TEST_OF_INDEX_LOOK_BACK(NAME)                                          \
    TEST_OF(NAME, COPY_INDEX, WINNOW_TILE_SCAN)
#define TEST_OF_SHAPE(NAME, LADDER, ...) TEST_OF_##LADDER(NAME)
WINNOW__SHAPES(TEST_OF_SHAPE)

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

/* A reduction: of one part and of several, of one tile and of several, that
 * begin and end anywhere. */
static void reduce_seed(const struct backend *backend, uint64_t seed) {
    struct rule rules[RULES_KINDS];
    const winnow_type type = element_type(draw(seed, 0, ELEMENT_TYPES));
    const uint64_t tile = 32768 / element_size(type);
    const uint64_t n = tile * draw(seed, 1, 5) + draw(seed, 2, 64);
    unsigned wanted = 1 + (unsigned)draw(seed, 4, 15);
    struct report report = {{0}};
    struct reduction r;
    bool ok;

    if (wanted & REDUCE_ENDS)
        wanted |= WINNOW_REDUCE_INDEX;
    rules_kinds(type, rules);
    simt_seed(seed);
    simt_pattern(~seed);
    reduction_open(
        &r, backend, &rules[draw(seed, 5, RULES_KINDS)], draw(seed, 6, 4) == 0,
        pattern_named(used_patterns[draw(seed, 7, 8)]), draw(seed, 8, 2) != 0,
        seed, n, (unsigned)draw(seed, 9, 16 / element_size(type)));
    r.parts = 1 + draw(seed, 10, 4);
    r.call = reduce_parts;
    if (draw(seed, 11, 3) == 0)
        r.d_n = draw(seed, 12, n + 2);
    ok = reduction_run(&r, n, wanted, true, &report) &&
         reduction_run(&r, n / 2, wanted, false, &report);
    reduction_close(&r);
    if (!ok)
        fail(&report, seed);
}

GPU_TEST(schedules, reduce_if) {
    const unsigned seeds = simt_trials(SEEDS);

    for (unsigned s = 0; s < seeds; s++)
        reduce_seed(backend, simt_first_seed(8000) + s);
}

/* Reductions back to back: each finds the cursor as the one before has left
 * it, and what that one read and wrote is done with. */
GPU_TEST(schedules, reductions_back_to_back) {
    enum {
        CALLS = 4,
        MOST = 40000
    };
    const unsigned seeds = simt_trials(SEEDS / 2);
    const cudaStream_t stream = backend->stream;
    winnow_reduction *const results = gpu_alloc(CALLS * sizeof(*results));
    uint32_t *const in = gpu_alloc(MOST * sizeof(*in));

    for (unsigned s = 0; s < seeds; s++) {
        const uint64_t seed = simt_first_seed(9000) + s;
        const uint64_t n = 20000 + draw(seed, 0, 20000);
        winnow_reduction seen[CALLS];

        simt_seed(seed);
        for (unsigned i = 0; i < CALLS; i++) {
            GPU_MUST(cudaMemsetAsync(in, (int)i + 1, n * 4, stream));
            cr_assert_eq(
                winnow_reduce_if(backend->context, NULL, WINNOW_UINT32, in, n,
                                 WINNOW_REDUCE_SUM | REDUCE_ENDS, results + i,
                                 WINNOW_LAUNCH(.stream = stream)),
                WINNOW_OK, "%s", winnow_last_error());
        }
        gpu_copy(seen, results, sizeof(seen), stream);
        for (uint64_t i = 0; i < CALLS; i++) {
            const uint64_t value = (i + 1) * 0x01010101;

            cr_assert(seen[i].count == n && seen[i].sum.uint64 == n * value &&
                          seen[i].minimum.uint64 == value &&
                          seen[i].maximum.uint64 == value,
                      "WINNOW_SIMT_SEED=%llu: call %llu of %llu",
                      (unsigned long long)seed, (unsigned long long)i,
                      (unsigned long long)n);
        }
    }
    gpu_free(results);
    gpu_free(in);
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
            cut_into(backend, cut_numbered(s / 10));
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

/*
 * A call reads what the one before it writes, and may begin while that one
 * still runs: of every kind of call, of every kind of tile.
 */
struct handover {
    uint32_t *in, *between, *out;
    uint64_t *count;
    double *selectivity;
    winnow_predicate *all, *half;
};

enum {
    HANDOVER_MOST = 9000
};

static void open_handover(struct handover *h, cudaStream_t stream) {
    const uint32_t none = 0, middle = 0x80000000u;
    uint32_t *host = must_alloc(HANDOVER_MOST * sizeof(*host));

    h->in = gpu_alloc(HANDOVER_MOST * 4);
    h->between = gpu_alloc(HANDOVER_MOST * 4);
    h->out = gpu_alloc(HANDOVER_MOST * 4);
    h->count = gpu_alloc(8);
    h->selectivity = gpu_alloc(8);
    cr_assert_eq(
        winnow_predicate_compare(&h->all, WINNOW_UINT32, WINNOW_GE, &none),
        WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_compare(&h->half, WINNOW_UINT32, WINNOW_LT, &middle),
        WINNOW_OK);
    for (uint32_t i = 0; i < HANDOVER_MOST; i++) /* by turns */
        host[i] = i % 2 == 0 ? i : 0x80000000u + i;
    gpu_copy(h->in, host, HANDOVER_MOST * 4, stream);
    free(host);
}

static void close_handover(const struct handover *h) {
    gpu_free(h->in);
    gpu_free(h->between);
    gpu_free(h->out);
    gpu_free(h->count);
    gpu_free(h->selectivity);
    winnow_predicate_destroy(h->all);
    winnow_predicate_destroy(h->half);
}

/* Half of the elements of `between` are small. */
static void read_between(const struct handover *h,
                         const struct backend *backend, uint64_t n,
                         winnow_order order, uint64_t seed) {
    const cudaStream_t stream = backend->stream;
    const uint64_t kept = (n + 1) / 2;
    winnow_status status;
    double selectivity = -1;
    uint64_t count = 0;

    switch (draw(seed, 1, 3)) {
    case 0:
        status = winnow_count_if(backend->context, h->half, WINNOW_UINT32,
                                 h->between, n, h->count,
                                 WINNOW_LAUNCH(.stream = stream));
        break;
    case 1:
        status =
            winnow_copy_if(backend->context, h->half, WINNOW_UINT32, h->between,
                           n, h->out, WINNOW_NO_LIMIT, h->count,
                           WINNOW_LAUNCH(.stream = stream, .order = order));
        break;
    default:
        status = winnow_estimate_selectivity(
            backend->context, h->half, WINNOW_UINT32, h->between, n,
            h->selectivity, WINNOW_LAUNCH(.stream = stream));
        cr_assert_eq(status, WINNOW_OK, "%s", winnow_last_error());
        gpu_copy(&selectivity, h->selectivity, sizeof(selectivity), stream);
        cr_assert_eq(selectivity, (double)kept / (double)n,
                     "WINNOW_SIMT_SEED=%llu: estimate %g",
                     (unsigned long long)seed, selectivity);
        return;
    }
    cr_assert_eq(status, WINNOW_OK, "%s", winnow_last_error());
    gpu_copy(&count, h->count, sizeof(count), stream);
    cr_assert_eq(count, kept, "WINNOW_SIMT_SEED=%llu: count %llu",
                 (unsigned long long)seed, (unsigned long long)count);
}

GPU_TEST(schedules, what_the_call_before_writes) {
    static const uint64_t sizes[] = {700, 3000, 5001, HANDOVER_MOST};
    const unsigned seeds = simt_trials(3 * SEEDS);
    const cudaStream_t stream = backend->stream;
    struct handover h;

    open_handover(&h, stream);
    for (unsigned s = 0; s < seeds; s++) {
        const uint64_t seed = simt_first_seed(7000) + s;
        const uint64_t n = sizes[draw(seed, 2, 4)];
        const winnow_order orders[] = {
            draw(seed, 4, 2) == 0 ? WINNOW_STABLE : WINNOW_UNORDERED,
            draw(seed, 5, 2) == 0 ? WINNOW_STABLE : WINNOW_UNORDERED};

        simt_seed(seed);
        cut_into(backend, cut_numbered(draw(seed, 3, 1 << 10)));
        GPU_MUST(cudaMemsetAsync(h.between, 0xff, n * 4, stream));
        cr_assert_eq(
            winnow_copy_if(backend->context, h.all, WINNOW_UINT32, h.in, n,
                           h.between, WINNOW_NO_LIMIT, h.count,
                           WINNOW_LAUNCH(.stream = stream, .order = orders[0])),
            WINNOW_OK, "%s", winnow_last_error());
        cut_into(backend, cut_numbered(draw(seed, 6, 1 << 10)));
        read_between(&h, backend, n, orders[1], seed);
    }
    close_handover(&h);
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
    if (!strategy_is_bounded(row))
        call.bound = BOUND_NONE;
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
                cut_into(backend, cut_numbered(s / 5));
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
