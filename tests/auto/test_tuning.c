/*
 * Tuning profiles: AUTO takes every strategy by selectivity if one says so, and
 * a graph decides anew at each replay; what a profile may say; where it is
 * looked for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/fit.h"
#include "pack/columns.h"
#include "cut.h"
#include "auto/place.h"
#include "profile.h"
#include "reduced.h"
#include "rules.h"
#include "selected.h"
#include "suite.h"
#include "trial.h"

/* A hint: hardly any element passes. */
#define FEW 1e-9

/* --------------------------------------------------- choice by selectivity */

/* The ranges that the tests' profiles have, and a selectivity inside each. */
struct range {
    const char *from, *to;
    const char *strategy;
    struct pattern pattern;
};
#define RANGE(from, to, strategy, fraction)                                    \
    {                                                                          \
        from, to, strategy, {                                                  \
            "prefix:" #fraction, PATTERN_PREFIX, 0, fraction                   \
        }                                                                      \
    }
static const struct range any_order[] = {
    RANGE("0", "0.05", "global_atomic", 0.02),
    RANGE("0.05", "0.2", "cub_scan", 0.1),
    RANGE("0.2", "0.35", "shared_atomic", 0.3),
    RANGE("0.35", "0.5", "warp_aggregated", 0.4),
    RANGE("0.5", "0.65", "tile_scan", 0.6),
    RANGE("0.65", "0.8", "warp_shared", 0.7),
    RANGE("0.8", "0.9", "tile_aggregated", 0.85),
    RANGE("0.9", "1", "cub_scan", 1),
};
static const struct range in_order[] = {
    RANGE("0", "0.5", "cub_scan", 0.25),
    RANGE("0.5", "0.75", "tile_scan", 0.6),
    RANGE("0.75", "1", "cub_scan", 0.9),
};
enum {
    ANY_ORDER = sizeof(any_order) / sizeof(any_order[0]),
    IN_ORDER = sizeof(in_order) / sizeof(in_order[0])
};

static unsigned ranges_of(winnow_order order, const struct range **ranges_p) {
    *ranges_p = order == WINNOW_STABLE ? in_order : any_order;
    return order == WINNOW_STABLE ? IN_ORDER : ANY_ORDER;
}

static void add_ranges(struct profile *profile, const char *operation,
                       winnow_order order, size_t size, uint64_t n) {
    const struct range *ranges;
    const unsigned number = ranges_of(order, &ranges);

    for (unsigned i = 0; i < number; i++)
        profile_add(profile, "%s %s %zu 1 %llu %s %s %s by_size", operation,
                    winnow_order_name(order), size, (unsigned long long)n,
                    ranges[i].from, ranges[i].to, ranges[i].strategy);
}

/* Every strategy, by selectivity. */
static void load_all(const struct backend *backend, winnow_type type,
                     uint64_t n) {
    struct profile profile;
    const size_t size = winnow_type_size(type);

    profile_open(&profile, backend);
    for (int order = WINNOW_UNORDERED; order <= WINNOW_STABLE; order++) {
        add_ranges(&profile, "copy_if", (winnow_order)order, size, n);
        add_ranges(&profile, "copy_index_if", (winnow_order)order, size, n);
    }
    profile_load(&profile, backend);
    profile_close(&profile);
}

static const struct strategy_row *automatic(winnow_order order) {
    FOR_EACH_STRATEGY(row, true)
    if (row->strategy == WINNOW_AUTO && row->order == order)
        return row;
    abort();
}

static void expect_strategy(const struct trial *trial, const char *wanted,
                            const char *when) {
    const char *ran = winnow_strategy_name(trial_strategy_seen(trial));

    cr_assert_str_eq(ran, wanted, "%s ran, wanted %s: %s", ran, wanted, when);
}

/* The call on data of each range: plain, in place, and of indices. */
static void run_each_range(struct trial *trial, struct trial_call *call) {
    const struct range *ranges;
    const unsigned number = ranges_of(call->row->order, &ranges);

    for (unsigned i = 0; i < number; i++) {
        trial_reload(trial, &ranges[i].pattern, 70 + i);
        for (int way = 0; way < 3; way++) {
            call->operation = way == 2 ? COPY_INDEX : COPY_IF;
            call->in_place = way == 1;
            if (call->in_place && call->row->order != WINNOW_STABLE)
                continue;
            MUST(trial_run(trial, call, report));
            expect_strategy(trial, ranges[i].strategy, ranges[i].pattern.name);
        }
    }
}

static void run_ranges(const struct backend *backend, winnow_type type,
                       uint64_t n, uint64_t capacity) {
    const struct rule rule = rules_plain(type);
    struct trial trial;

    load_all(backend, type, n);
    trial_open(&trial, backend, &rule, pattern_named("all"), 61, n, 1);
    for (int order = WINNOW_UNORDERED; order <= WINNOW_STABLE; order++)
        for (int place = WORKSPACE_GIVEN; place <= WORKSPACE_OF_CONTEXT;
             place++) {
            struct trial_call call = TRIAL_CALL_INIT;

            call.row = automatic((winnow_order)order);
            call.n = n;
            call.capacity = capacity;
            call.tuned = true;
            call.workspace = (enum workspace)place;
            run_each_range(&trial, &call);
        }
    MUST(trial_close(&trial, report));
    cr_assert_eq(winnow_context_tune(backend->context, NULL), WINNOW_OK);
}

/* One block, a cluster, one wave, and look-back among what by_size means. */
GPU_TEST(tuning, LONG(by_selectivity)) {
    run_ranges(backend, WINNOW_INT32, 100, WINNOW_NO_LIMIT);
    run_ranges(backend, WINNOW_UINT8, 3000, WINNOW_NO_LIMIT);
    run_ranges(backend, WINNOW_INT16, 3000, 700);
    run_ranges(backend, WINNOW_INT64, reduced_mode() ? 20000 : 300000,
               WINNOW_NO_LIMIT);
    run_ranges(backend, WINNOW_FLOAT32, reduced_mode() ? 20001 : 70001,
               WINNOW_NO_LIMIT);
}

/* A sample of data that a range's end lies in the middle of: exact up to 65536
 * elements. Of these 99 pass, or 100, or 101. */
GPU_TEST(tuning, ends_of_ranges) {
    static const struct pattern below = {"below", PATTERN_PREFIX, 0, 0.099};
    static const struct pattern at = {"at", PATTERN_PREFIX, 0, 0.1};
    static const struct pattern tenth = {"tenth", PATTERN_PREFIX, 0, 0.0995};
    const struct rule rule = rules_plain(WINNOW_INT32);
    struct trial_call call = TRIAL_CALL_INIT;
    struct profile profile;
    struct trial trial;

    profile_open(&profile, backend);
    profile_add(&profile, "copy_if unordered 4 1000 1000 0 0.1 tile_scan "
                          "by_size");
    profile_add(&profile, "copy_if unordered 4 1000 1000 0.1 1 warp_shared "
                          "by_size");
    profile_add(&profile, "copy_if unordered 4 1005 1005 0 0.1 tile_scan "
                          "by_size");
    profile_add(&profile, "copy_if unordered 4 1005 1005 0.1 1 warp_shared "
                          "by_size");
    profile_load(&profile, backend);
    profile_close(&profile);
    call.row = automatic(WINNOW_UNORDERED);
    call.tuned = true;
    trial_open(&trial, backend, &rule, &below, 62, 1005, 0);
    call.n = 1000;
    MUST(trial_run(&trial, &call, report));
    expect_strategy(
        &trial, trial.kept[1000] < 100 ? "tile_scan" : "warp_shared", "below");
    trial_reload(&trial, &at, 62);
    MUST(trial_run(&trial, &call, report));
    cr_assert_geq(trial.kept[1000], 100u);
    expect_strategy(&trial, "warp_shared", "at");
    /* A tenth of 1005 is no whole number: 100 are less than that. */
    call.n = 1005;
    trial_reload(&trial, &tenth, 62);
    MUST(trial_run(&trial, &call, report));
    cr_assert_eq(trial.kept[1005], 100u);
    expect_strategy(&trial, "tile_scan", "between two numbers");
    /* Outside of the range of n. */
    for (call.n = 999; call.n <= 1001; call.n += 2) {
        MUST(trial_run(&trial, &call, report));
        expect_strategy(&trial, "tile_aggregated", "other n");
    }
    /* The hint decides, whatever the data. */
    call.n = 1000;
    static const struct {
        double hint;
        const char *strategy;
    } hints[] = {{FEW, "tile_scan"},
                 {0.0999, "tile_scan"},
                 {0.1, "warp_shared"},
                 {1, "warp_shared"},
                 {0, "warp_shared"}};
    for (size_t i = 0; i < 5; i++) {
        call.hint = hints[i].hint;
        MUST(trial_run(&trial, &call, report));
        expect_strategy(&trial, hints[i].strategy, "hinted");
    }
    MUST(trial_close(&trial, report));
}

/* ----------------------------------------------------------------- graphs */

static void run_graph(struct trial *trial, struct trial_call *call) {
    const cudaStream_t stream = trial->backend->stream;
    const struct range *ranges;
    const unsigned number = ranges_of(call->row->order, &ranges);
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    MUST(trial_prepare(trial, call, report));
    GPU_MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    MUST(trial_enqueue(trial, call, report));
    GPU_MUST(cudaStreamEndCapture(stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    /* From one range to another, and not in their order. */
    for (unsigned i = 0; i < 2 * number; i++) {
        const struct range *const range = &ranges[i * 3 % number];
        trial_reload(trial, &range->pattern, 80 + i);
        MUST(trial_prepare(trial, call, report));
        GPU_MUST(cudaGraphLaunch(exec, stream));
        MUST(trial_check(trial, call, report));
        expect_strategy(trial, range->strategy, range->pattern.name);
    }
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
}

/* One graph, on data that moves from range to range. */
GPU_TEST(tuning, LONG(graph)) {
    const uint64_t n = reduced_mode() ? 9000 : 400000;
    const struct rule rule = rules_plain(WINNOW_INT32);
    struct trial trial;

    load_all(backend, WINNOW_INT32, n);
    trial_open(&trial, backend, &rule, pattern_named("all"), 63, n, 1);
    for (int order = WINNOW_UNORDERED; order <= WINNOW_STABLE; order++)
        for (int place = WORKSPACE_GIVEN; place <= WORKSPACE_OF_CONTEXT;
             place++) {
            struct trial_call call = TRIAL_CALL_INIT;

            call.row = automatic((winnow_order)order);
            call.n = n;
            call.tuned = true;
            call.workspace = (enum workspace)place;
            run_graph(&trial, &call);
            call.operation = COPY_INDEX;
            run_graph(&trial, &call);
            call.operation = COPY_IF;
            call.in_place = order == WINNOW_STABLE;
            if (call.in_place)
                run_graph(&trial, &call);
        }
    MUST(trial_close(&trial, report));
}

/* ----------------------------------------------------------------- shapes */

/* The most elements of 4 bytes that a test gives to a shape. */
static uint64_t fitting(winnow__shape shape) {
    const winnow__kernel *kernel =
        &(*winnow__shapes[shape].kernels)[2][WINNOW__INTERVAL];
    const uint64_t tile = kernel->tile_bytes / 4;

    switch (winnow__shapes[shape].ladder) {
    case WINNOW__SINGLE_BLOCK:
        return tile;
    case WINNOW__ONE_CLUSTER:
        return 7 * tile + 5;
    default:
        return 4 * tile + 5;
    }
}

static const char *strategy_of(winnow__ladder ladder) {
    return ladder == WINNOW__ONE_WAVE || ladder == WINNOW__LOOK_BACK
               ? "tile_scan"
               : "tile_aggregated";
}

/* A shape as one candidate of two, chosen and not; and alone. */
static void run_shape(const struct backend *backend, winnow__shape shape) {
    const char *const name = winnow__shapes[shape].name;
    const char *const strategy = strategy_of(winnow__shapes[shape].ladder);
    const struct rule rule = rules_plain(WINNOW_INT32);
    const unsigned long long n = fitting(shape);
    struct trial_call call = TRIAL_CALL_INIT;
    struct profile profile;
    struct trial trial;

    profile_open(&profile, backend);
    profile_add(&profile, "copy_if unordered 4 1 %llu 0 0.5 %s %s", n, strategy,
                name);
    profile_add(&profile,
                "copy_if unordered 4 1 %llu 0.5 1 warp_shared "
                "by_size",
                n);
    profile_load(&profile, backend);
    profile_close(&profile);
    call.row = automatic(WINNOW_UNORDERED);
    call.tuned = true;
    trial_open(&trial, backend, &rule, pattern_named("uniform:0.01"), 64, n, 0);
    for (call.n = 1; call.n < 2 * n; call.n *= 13) {
        if (call.n > n)
            call.n = n;
        MUST(trial_run(&trial, &call, report));
        if (call.n > 50)
            expect_strategy(&trial, strategy, name);
    }
    call.n = n;
    trial_reload(&trial, pattern_named("uniform:0.99"), 65);
    MUST(trial_run(&trial, &call, report));
    expect_strategy(&trial, "warp_shared", name);
    call.hint = 0.25;
    MUST(trial_run(&trial, &call, report));
    expect_strategy(&trial, strategy, name);
    cr_assert(
        strstr(
            profile_explained(backend, WINNOW_INT32, n, WINNOW_UNORDERED, 0.25),
            name),
        "%s is not in: %s", name,
        profile_explained(backend, WINNOW_INT32, n, WINNOW_UNORDERED, 0.25));
    MUST(trial_close(&trial, report));
}

GPU_TEST(tuning, every_shape) {
    FOR_EACH_CUT(shape) {
        const winnow__kernel *kernel =
            &(*winnow__shapes[shape].kernels)[2][WINNOW__INTERVAL];
        if (kernel->function != NULL &&
            kernel->shared_bytes + 1024 <= cut_context(backend)->shared_bytes)
            run_shape(backend, shape);
    }
}

/* ----------------------------------------------------- packing by selections
 */

/* Whatever the fractions are, what is packed is the same. */
static void pack(const struct backend *backend, size_t size,
                 const char *density) {
    enum {
        N = 20011
    };
    uint8_t *const keep = must_alloc(N);
    unsigned char *const in = must_alloc(N * size);
    unsigned char *const out = must_alloc(N * size);
    unsigned char *const d_in = gpu_alloc(N * size);
    unsigned char *const d_out = gpu_alloc(N * size);
    struct selected selected;
    uint64_t at = 0;

    selected_open(&selected, backend, N);
    selected_fill(pattern_named(density), 96, N, keep);
    MUST(selected_make(&selected, keep, N, report));
    for (size_t i = 0; i < N * size; i++)
        in[i] = (unsigned char)data_random(97, i);
    backend_upload(backend, d_in, in, N * size);
    cr_assert_eq(winnow_compact(backend->context, selected.d_selection, d_in, N,
                                size, d_out, N, NULL,
                                WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    backend_download(backend, out, d_out, N * size);
    for (uint64_t i = 0; i < N; i++)
        if (keep[i])
            cr_assert_eq(memcmp(out + at++ * size, in + i * size, size), 0,
                         "item %u of %zu bytes, %s", (unsigned)i, size,
                         density);
    selected_close(&selected);
    gpu_free(d_in);
    gpu_free(d_out);
    free(keep);
    free(in);
    free(out);
}

GPU_TEST(tuning, packing) {
    static const char *const fractions[][2] = {
        {"0", "0"}, {"0.5", "0.5"}, {"0.000000001", "1"}};
    static const char *const densities[] = {"none", "uniform:0.01",
                                            "uniform:0.5", "all"};

    for (size_t f = 0; f < 3; f++) {
        struct profile profile;

        profile_open(&profile, backend);
        for (size_t size = 1; size <= 8; size *= 2)
            profile_add(&profile, "compact %zu %s %s", size, fractions[f][0],
                        size <= 2 ? fractions[f][1] : "1");
        profile_load(&profile, backend);
        profile_close(&profile);
        for (size_t size = 1; size <= 8; size *= 2)
            for (size_t d = 0; d < 4; d++)
                pack(backend, size, densities[d]);
    }
    cr_assert_eq(winnow_context_tune(backend->context, NULL), WINNOW_OK);
}

static winnow__pack_limits limits_of(const struct backend *backend,
                                     unsigned log2_size) {
    winnow__pack_limits limits;

    cr_assert_eq(winnow__pack_limits_of(backend->context, log2_size, &limits),
                 WINNOW_OK);
    return limits;
}

/* A size whose line the profile lacks keeps what is built in; and so do all,
 * when the profile is gone. */
GPU_TEST(tuning, packing_limits) {
    const winnow__pack_limits built_in = limits_of(backend, 0);
    struct profile profile;

    cr_assert_eq(built_in.gather_below, 1024u);
    cr_assert_eq(built_in.skewed_above, 32u);
    profile_open(&profile, backend);
    profile_add(&profile, "compact 2 0.25 0.5");
    profile_load(&profile, backend);
    profile_close(&profile);
    cr_assert_eq(limits_of(backend, 1).gather_below, 2048u);
    cr_assert_eq(limits_of(backend, 1).skewed_above, 64u);
    cr_assert_eq(limits_of(backend, 0).gather_below, 1024u);
    cr_assert_eq(winnow_context_tune(backend->context, NULL), WINNOW_OK);
    cr_assert_eq(limits_of(backend, 1).gather_below, 512u);
}

/* ---------------------------------------------------------------- refusals */

/* What a profile that differs from a right one in one line is told. */
static const struct {
    int line;         /* that is replaced; 0: nothing is */
    const char *text; /* NULL: it is left out, and all after it */
    const char *told;
} damages[] = {
    {1, "winnow-tuning 2", "line 1: version 2: expected 1"},
    {1, "tuning 1", "line 1: expected 'winnow-tuning 1'"},
    {1, "winnow-tuning 1x", "line 1: expected 'winnow-tuning 1'"},
    {1, NULL, "line 1: the file ends here: expected the head"},
    {1, "\xef\xbb\xbfwinnow-tuning 1",
     "line 1: the file begins with a byte order mark: expected none"},
    {1, "winnow-tuning 1\r",
     "line 1: the line ends with a carriage return: expected none"},
    {8, "\r", "line 8: the line ends with a carriage return: expected none"},
    {2, "device Abacus", "line 2: the profile is of device 'Abacus': expected"},
    {2, "devices", "line 2: expected 'device NAME'"},
    {3, "compute 1.3", "line 3: expected 'compute "},
    {4, "multiprocessors 99999", "line 4: expected 'multiprocessors "},
    {5, "driver", "line 5: expected 'driver VERSION'"},
    {6, "date 31.1.2026", "line 6: expected 'date YEAR-MONTH-DAY'"},
    {7, "copy_if unordered 4 1 1000 0 0.5 tile_scan", "expected an entry of 9"},
    {7, "copy_if unordered 4 1 1000 0 0.5 tile_scan by_size 1",
     "line 7: expected an entry of 9"},
    {7, "count_if unordered 4 1 1000 0 0.5 tile_scan by_size",
     "line 7: 'count_if' is no operation"},
    {7, "copy_if sorted 4 1 1000 0 0.5 tile_scan by_size",
     "line 7: 'sorted' is no order"},
    {7, "copy_if unordered 3 1 1000 0 0.5 tile_scan by_size",
     "line 7: '3' is no size of elements: expected 1, 2, 4 or 8"},
    {7, "copy_if unordered 4 0 1000 0 0.5 tile_scan by_size",
     "line 7: '0' is no begin of a range of n"},
    {7, "copy_if unordered 4 -1 1000 0 0.5 tile_scan by_size",
     "line 7: '-1' is no begin of a range of n"},
    {7, "copy_if unordered 4 7 6 0 0.5 tile_scan by_size",
     "line 7: '6' is no end of a range of n: expected a number from 7"},
    {7, "copy_if unordered 4 1 18446744073709551616 0 0.5 tile_scan by_size",
     "line 7: '18446744073709551616' is no end of a range of n"},
    {7, "copy_if unordered 4 1 1e3 0 0.5 tile_scan by_size",
     "line 7: '1e3' is no end of a range of n"},
    {7, "copy_if unordered 4 1 1000 0.1 0.5 tile_scan by_size",
     "line 7: the range of selectivity begins at 0.1: expected 0"},
    {7, "copy_if unordered 4 1 1000 0 0 tile_scan by_size",
     "line 7: '0' is no end of a range of selectivity"},
    {7, "copy_if unordered 4 1 1000 0 1.5 tile_scan by_size",
     "line 7: '1.5' is no end of a range of selectivity"},
    {7, "copy_if unordered 4 1 1000 0 0,5 tile_scan by_size",
     "line 7: '0,5' is no end of a range of selectivity"},
    {7, "copy_if unordered 4 1 1000 0 0.5000000001 tile_scan by_size",
     "line 7: '0.5000000001' is no end"},
    {7, "copy_if unordered 4 1 1000 nan 0.5 tile_scan by_size",
     "line 7: 'nan' is no selectivity"},
    {7, "copy_if unordered 4 1 1000 0 0.5 auto by_size",
     "line 7: 'auto' is no strategy of a CUDA device"},
    {7, "copy_if unordered 4 1 1000 0 0.5 host by_size",
     "line 7: 'host' is no strategy of a CUDA device"},
    {7, "copy_if unordered 4 1 1000 0 0.5 tile_scan round",
     "line 7: 'round' is no shape"},
    {7, "copy_if stable 4 1 1000 0 0.5 warp_shared by_size",
     "line 7: warp_shared is unordered: expected a stable strategy"},
    {7, "copy_if unordered 4 1 1000 0 0.5 tile_scan tile_aggregated_large",
     "line 7: tile_aggregated_large is no shape of tile_scan for copy_if"},
    {7, "copy_if unordered 4 1 1000 0 0.5 tile_scan index_scan",
     "line 7: index_scan is no shape of tile_scan for copy_if"},
    {7, "copy_if unordered 4 1 1000 0 0.5 warp_shared warp_shared",
     "line 7: warp_shared is no shape of warp_shared"},
    {7, "copy_if unordered 1 1 1000 0 0.5 tile_scan one_wave_large",
     "line 7: one_wave_large has no kernel for elements of 1 bytes"},
    {7, "copy_if unordered 4 1 2049 0 0.5 tile_scan single_block_4",
     "line 7: n goes up to 2049, and this strategy and shape take at most "
     "2048"},
    {7, "copy_if unordered 4 1 16385 0 0.5 tile_scan cluster_4",
     "line 7: n goes up to 16385, and this strategy and shape take at most "
     "16384"},
    {7, "copy_if unordered 4 1 max 0 0.5 global_atomic by_size",
     "line 7: n goes up to 18446744073709551615"},
    {8, "copy_if unordered 4 1 1000 0.6 1 tile_scan by_size",
     "line 8: the range of selectivity begins at 0.6: expected 0.5"},
    {8, "copy_if unordered 8 1 1000 0 1 tile_scan by_size",
     "line 8: expected the range of selectivity from 0.5 on, for the elements "
     "of line 7"},
    {8, "end 1", "line 8: expected the range of selectivity from 0.5 on"},
    {8, "", "line 9: expected the range of selectivity from 0.5 on"},
    {9, "copy_if unordered 4 1000 2000 0 1 tile_scan by_size",
     "line 9: the range of n overlaps that of line 7"},
    {9, "copy_if unordered 4 900 900 0 1 tile_scan by_size",
     "line 9: the range of n overlaps that of line 7"},
    {9,
     "copy_if unordered 4 1001 2000 0 0.5 tile_scan by_size\n"
     "copy_if unordered 4 1 1000 0.5 1 tile_scan by_size",
     "line 10: expected the range of selectivity from 0.5 on"},
    {8, "compact 4 0.1 1",
     "line 8: expected the range of selectivity from 0.5 on"},
    {7, "compact 3 0.1 1", "line 7: '3' is no size of elements"},
    {7, "compact 4 0.6 1",
     "line 7: '0.6' is no fraction of a tile to gather: expected 0 to 0.5"},
    {7, "compact 4 1x 1", "line 7: '1x' is no fraction of a tile"},
    {7, "compact 1 0.1 2", "line 7: '2' is no fraction of whole vectors"},
    {7, "compact 8 0.1 0.5",
     "line 7: '0.5': expected 1, since elements of 8 bytes are never staged"},
    {7, "compact 4 0.1", "line 7: expected an entry of 9"},
    {9, "compact 4 0.1 1\ncompact 4 0.1 1",
     "line 10: expected one line of compact for 4 bytes: line 9 is another"},
    {10, "end 2", "line 10: 'end 2': expected 'end 3'"},
    {10, "end", "line 10: expected an entry of 9"},
    {10, NULL, "line 10: the file ends here: expected entries, and 'end 3'"},
    {11, "copy_if", "line 11: expected nothing after the end"},
};

static const char *const right_lines[] = {
    "winnow-tuning 1",
    NULL,
    NULL,
    NULL,
    "driver 1.0",
    "date 2026-01-31",
    "copy_if unordered 4 1 1000 0 0.5 tile_scan by_size",
    "copy_if unordered 4 1 1000 0.5 1 warp_shared by_size",
    "copy_if unordered 4 1001 2000 0 1 cub_scan by_size",
    "end 3",
};
#define RIGHT_LINES ((int)(sizeof(right_lines) / sizeof(right_lines[0])))

static void write_line(FILE *file, const winnow__device_identity *device,
                       int line) {
    if (line == 2)
        fprintf(file, "device %s\n", device->name);
    else if (line == 3)
        fprintf(file, "compute %d.%d\n", device->major, device->minor);
    else if (line == 4)
        fprintf(file, "multiprocessors %u\n", device->multiprocessors);
    else if (line <= RIGHT_LINES)
        fprintf(file, "%s\n", right_lines[line - 1]);
}

static void write_profile(const char *path, const struct backend *backend,
                          int changed, const char *text) {
    const winnow__device_identity *const device =
        &cut_context(backend)->identity;
    FILE *file = fopen(path, "w");

    cr_assert_not_null(file);
    for (int line = 1; line <= RIGHT_LINES + 1; line++) {
        if (line != changed)
            write_line(file, device, line);
        else if (text == NULL)
            break;
        else
            fprintf(file, "%s\n", text);
    }
    fclose(file);
}

static void expect_refused(const struct backend *backend, const char *path,
                           winnow_status wanted, const char *told) {
    char before[4096];

    snprintf(
        before, sizeof(before), "%s",
        profile_explained(backend, WINNOW_INT32, 500, WINNOW_UNORDERED, FEW));
    cr_assert_eq(winnow_context_tune(backend->context, path), wanted,
                 "not refused: wanted '%s'", told);
    cr_assert(strstr(winnow_last_error(), told) != NULL,
              "told '%s', wanted '%s'", winnow_last_error(), told);
    cr_assert_str_eq(
        profile_explained(backend, WINNOW_INT32, 500, WINNOW_UNORDERED, FEW),
        before, "something has changed: %s", told);
}

/* Each damage is refused, with its line, and nothing changes: neither where
 * nothing was loaded before, nor where something was. */
GPU_TEST(tuning, damaged) {
    char path[] = "/tmp/winnow-damaged-XXXXXX";
    const int descriptor = mkstemp(path);

    cr_assert_geq(descriptor, 0);
    close(descriptor);
    for (int loaded = 0; loaded < 2; loaded++) {
        for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
            write_profile(path, backend, damages[i].line, damages[i].text);
            expect_refused(backend, path, WINNOW_ERR_SYNTAX, damages[i].told);
        }
        write_profile(path, backend, 0, NULL);
        cr_assert_eq(winnow_context_tune(backend->context, path), WINNOW_OK,
                     "%s", winnow_last_error());
    }
    unlink(path);
    expect_refused(backend, path, WINNOW_ERR_ARGUMENT, "cannot be read");
}

/* Every file that ends too soon, and every file with a byte that is not text.
 */
GPU_TEST(tuning, cut_off) {
    char path[] = "/tmp/winnow-cut-XXXXXX", text[1024];
    const int descriptor = mkstemp(path);
    size_t length;

    cr_assert_geq(descriptor, 0);
    close(descriptor);
    write_profile(path, backend, 0, NULL);
    FILE *file = fopen(path, "r");
    length = fread(text, 1, sizeof(text), file);
    fclose(file);
    for (size_t cut = 0; cut + 1 < length; cut++) {
        file = fopen(path, "w");
        fwrite(text, 1, cut, file);
        fclose(file);
        cr_assert_eq(winnow_context_tune(backend->context, path),
                     WINNOW_ERR_SYNTAX, "the first %zu bytes are taken", cut);
    }
    for (size_t at = 0; at < length; at++) {
        const char byte = text[at];
        text[at] = '\0';
        file = fopen(path, "w");
        fwrite(text, 1, length, file);
        fclose(file);
        text[at] = byte;
        cr_assert_eq(winnow_context_tune(backend->context, path),
                     WINNOW_ERR_SYNTAX, "a 0 at byte %zu is taken", at);
    }
    unlink(path);
}

/* The path may be longer than the detail: the reason is told in any case. */
GPU_TEST(tuning, long_path) {
    enum {
        STEPS = 400
    };
    char file[] = "/tmp/winnow-long-XXXXXX", path[2 * STEPS + 64] = "/tmp/";
    const int descriptor = mkstemp(file);

    cr_assert_geq(descriptor, 0);
    close(descriptor);
    for (int i = 0; i < STEPS; i++)
        memcpy(path + strlen("/tmp/") + 2 * i, "./", 3);
    strcat(path, file + strlen("/tmp/"));
    write_profile(path, backend, 2, "device Abacus");
    expect_refused(backend, path, WINNOW_ERR_SYNTAX, file + strlen("/tmp/"));
    expect_refused(backend, path, WINNOW_ERR_SYNTAX,
                   "line 2: the profile is of device 'Abacus': expected '");
    unlink(file);
    expect_refused(backend, path, WINNOW_ERR_ARGUMENT, "cannot be read: ");
}

/* A word may be long as well. */
GPU_TEST(tuning, long_word) {
    char path[] = "/tmp/winnow-word-XXXXXX", text[1000];
    const int descriptor = mkstemp(path);

    cr_assert_geq(descriptor, 0);
    close(descriptor);
    memset(text, 'x', sizeof(text));
    snprintf(text + 500, 100, " unordered 4 1 1000 0 0.5 tile_scan by_size");
    write_profile(path, backend, 7, text);
    expect_refused(backend, path, WINNOW_ERR_SYNTAX,
                   "is no operation: expected copy_if or copy_index_if");
    memcpy(text, "device ", strlen("device "));
    write_profile(path, backend, 2, text);
    expect_refused(backend, path, WINNOW_ERR_SYNTAX,
                   "', which the context has");
    unlink(path);
}

/* What is not a regular file is not waited for. */
GPU_TEST(tuning, not_a_file) {
    char path[] = "/tmp/winnow-pipe-XXXXXX";
    winnow_context *context = NULL;

    close(mkstemp(path));
    unlink(path);
    cr_assert_eq(mkfifo(path, 0600), 0);
    alarm(60);
    expect_refused(backend, path, WINNOW_ERR_ARGUMENT, "is not a regular file");
    expect_refused(backend, "/tmp", WINNOW_ERR_ARGUMENT,
                   "is not a regular file");
    expect_refused(backend, "/dev/zero", WINNOW_ERR_ARGUMENT,
                   "is not a regular file");
    setenv("WINNOW_TUNING", path, 1);
    cr_assert_eq(winnow_context_create(&context, 0), WINNOW_ERR_ARGUMENT);
    cr_assert_null(context);
    alarm(0);
    unsetenv("WINNOW_TUNING");
    unlink(path);
}

/* More ranges than there may be. */
GPU_TEST(tuning, too_many_ranges) {
    struct profile profile;

    profile_open(&profile, backend);
    for (int i = 0; i < 10; i++)
        profile_add(&profile, "copy_if stable 8 1 99999 0.%d %s%d %s by_size",
                    i, i == 9 ? "" : "0.", i == 9 ? 1 : i + 1,
                    i & 1 ? "tile_scan" : "cub_scan");
    fprintf(profile.file, "end 10\n");
    fflush(profile.file);
    cr_assert_eq(winnow_context_tune(backend->context, profile.path),
                 WINNOW_ERR_SYNTAX);
    cr_assert(strstr(winnow_last_error(), "at most 8 ranges"), "%s",
              winnow_last_error());
    profile_close(&profile);
}

/* Blank lines and comments may be anywhere, and columns apart as one likes. */
GPU_TEST(tuning, comments) {
    struct profile profile;

    profile_open(&profile, backend);
    fprintf(profile.file, "\n  # a comment\n#\n\t\n");
    profile_add(&profile, "  copy_if\tstable  4 1 1000 0 1.000 cub_scan "
                          "by_size  ");
    fprintf(profile.file, "# one more\n");
    profile_load(&profile, backend);
    cr_assert(
        strstr(profile_explained(backend, WINNOW_INT32, 500, WINNOW_STABLE, 0),
               "cub_scan"));
    profile_close(&profile);
}

/* ------------------------------------------------------------- from a fit */

static bool takes_any(void *user, const fit_table *table, unsigned candidate,
                      uint64_t n) {
    (void)user;
    (void)table;
    (void)candidate;
    (void)n;
    return true;
}

/* What the fit writes is what the library reads: warp_shared is faster at 4000
 * elements where few pass, and nothing is at 1000. */
GPU_TEST(tuning, from_fit) {
    fit_table table = {.operation = "copy_if",
                       .order = "unordered",
                       .bytes = 4,
                       .selectivity_count = 2,
                       .selectivities = {0, 1},
                       .candidate_count = 2,
                       .candidates = {{"tile_aggregated", "by_size"},
                                      {"warp_shared", "by_size"}},
                       .row_count = 2,
                       .rows = {{.n = 1000, .seconds = {{1, 2}, {1, 2}}},
                                {.n = 4000, .seconds = {{2, 1}, {1, 2}}}}};
    struct profile profile;

    profile_open(&profile, backend);
    profile.entries = fit_write(profile.file, &table, takes_any, NULL);
    cr_assert_eq(profile.entries, 2u);
    profile_load(&profile, backend);
    profile_close(&profile);
    static const struct {
        uint64_t n;
        double hint;
        const char *strategy;
    } wanted[] = {{2000, 0.1, "tile_aggregated"},
                  {2001, 0.1, "warp_shared"},
                  {4000, 0.1, "warp_shared"},
                  {4000, 0.9, "tile_aggregated"},
                  {4001, 0.1, "tile_aggregated"}};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        const char *said =
            profile_explained(backend, WINNOW_FLOAT32, wanted[i].n,
                              WINNOW_UNORDERED, wanted[i].hint);
        cr_assert(strstr(said, wanted[i].strategy), "%zu: %s", i, said);
    }
}

/* ---------------------------------------------------------------- places */

static const char *explained(const struct backend *backend) {
    return profile_explained(backend, WINNOW_INT32, 1500, WINNOW_UNORDERED,
                             FEW);
}

static void reopen(struct backend *backend) {
    backend_close(backend);
    backend_open_gpu(backend);
}

/* The directory of a user's profiles, and a file's path in it. */
static void make_place(const struct backend *backend, char *directory,
                       char *path, size_t bytes) {
    char folder[128];

    cr_assert_not_null(mkdtemp(directory));
    setenv("XDG_CONFIG_HOME", directory, 1);
    snprintf(folder, sizeof(folder), "%s/winnow", directory);
    cr_assert_eq(mkdir(folder, 0700), 0);
    cr_assert(winnow__user_profile_path(cut_context(backend)->identity.name,
                                        path, bytes));
    cr_assert_eq(strncmp(path, folder, strlen(folder)), 0, "%s", path);
}

/* WINNOW_TUNING, the user's own file, and their order. */
GPU_TEST(tuning, places) {
    char directory[] = "/tmp/winnow-config-XXXXXX", own[512];
    char named[] = "/tmp/winnow-named-XXXXXX";
    struct backend other = *backend;
    winnow_context *context = NULL;

    close(mkstemp(named));
    make_place(backend, directory, own, sizeof(own));
    backend_open_gpu(&other);
    cr_assert(strstr(explained(&other), "tile_aggregated"));

    write_profile(own, backend, 0, NULL);
    reopen(&other);
    cr_assert(strstr(explained(&other), "cub_scan"), "%s", explained(&other));
    cr_assert(strstr(explained(&other), own), "%s", explained(&other));

    setenv("WINNOW_TUNING", "", 1);
    reopen(&other);
    cr_assert(strstr(explained(&other), "tile_aggregated"));

    write_profile(named, backend, 9,
                  "copy_if unordered 4 1001 2000 0 1 warp_shared by_size");
    setenv("WINNOW_TUNING", named, 1);
    reopen(&other);
    cr_assert(strstr(explained(&other), "warp_shared"));
    cr_assert_eq(winnow_context_tune(other.context, NULL), WINNOW_OK);
    cr_assert(strstr(explained(&other), "tile_aggregated"));

    /* A file that was named has to be right. */
    write_profile(named, backend, 10, "end 4");
    cr_assert_eq(winnow_context_create(&context, 0), WINNOW_ERR_SYNTAX);
    cr_assert(strstr(winnow_last_error(), "line 10"), "%s",
              winnow_last_error());
    cr_assert_null(context);

    /* The user's own is left out, and that is told. */
    unsetenv("WINNOW_TUNING");
    write_profile(own, backend, 2, "device Abacus");
    reopen(&other);
    cr_assert(strstr(explained(&other), "tile_aggregated"));
    cr_assert(strstr(explained(&other), "not loaded: "), "%s",
              explained(&other));
    cr_assert(strstr(explained(&other), "line 2"));
    backend_close(&other);
    unsetenv("XDG_CONFIG_HOME");
    unlink(named);
    unlink(own);
}

/* A user's own file that is refused leaves no error behind. */
GPU_TEST(tuning, own_refused) {
    char directory[] = "/tmp/winnow-config-XXXXXX", own[512];
    struct backend other = *backend;
    winnow_context *context;

    make_place(backend, directory, own, sizeof(own));
    write_profile(own, backend, 2, "device Abacus");
    cr_assert_eq(winnow_context_tune(backend->context, "/nowhere/profile"),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_eq(winnow_context_create(&context, 0), WINNOW_OK);
    cr_assert(strstr(winnow_last_error(), "/nowhere/profile") != NULL,
              "told '%s'", winnow_last_error());
    winnow_context_destroy(context);

    unlink(own);
    cr_assert_eq(mkfifo(own, 0600), 0);
    alarm(60);
    backend_open_gpu(&other);
    alarm(0);
    cr_assert(strstr(explained(&other), "is not a regular file"), "%s",
              explained(&other));
    backend_close(&other);
    unsetenv("XDG_CONFIG_HOME");
    unlink(own);
}

/* ---------------------------------------------------------------- explain */

/* What a plan of copy_if says. */
static winnow_status explain(const struct trial *trial, char *text,
                             size_t text_bytes, size_t *length_p) {
    winnow_plan plan = {
        .size = sizeof(plan), .text = text, .text_bytes = text_bytes};
    const winnow_status status = winnow_copy_if(
        trial->backend->context, trial->predicate, trial->rule.type, NULL, 1000,
        NULL, WINNOW_NO_LIMIT, NULL, WINNOW_LAUNCH(.plan = &plan));

    if (status == WINNOW_OK)
        *length_p = plan.text_length;
    return status;
}

/* Nothing is said of a call that is refused; but of no elements. */
static void explain_indices(const struct trial *trial) {
    char text[64] = "~";
    winnow_plan plan = {
        .size = sizeof(plan), .text = text, .text_bytes = sizeof(text)};

    cr_assert_eq(winnow_copy_index_if(trial->backend->context, trial->predicate,
                                      trial->rule.type, NULL, 1000,
                                      WINNOW_INT32, NULL, WINNOW_NO_LIMIT, NULL,
                                      WINNOW_LAUNCH(.plan = &plan)),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_eq(plan.text_length, 0u);
    cr_assert_eq(winnow_copy_index_if(trial->backend->context, trial->predicate,
                                      trial->rule.type, NULL, 0, WINNOW_UINT64,
                                      NULL, WINNOW_NO_LIMIT, NULL,
                                      WINNOW_LAUNCH(.plan = &plan)),
                 WINNOW_OK);
    cr_assert_gt(plan.text_length, 0u);
    cr_assert_neq(text[0], '~');
}

GPU_TEST(tuning, explain) {
    static const char *const wanted[] = {
        "call: copy_if of 1000 elements of 4 bytes, unordered\n",
        "strategy: by selectivity\n",
        "  from 0 to 0.05: global_atomic",
        "  from 0.9 to 1: cub_scan, CUB's kernels\n",
        "launches: 7, and CUB's\n",
        "workspace: ",
        "a sample on the device decides",
    };
    struct trial trial;
    struct rule rule = rules_plain(WINNOW_INT32);
    char text[64];
    size_t all;

    load_all(backend, WINNOW_INT32, 1000);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        const char *said =
            profile_explained(backend, WINNOW_INT32, 1000, WINNOW_UNORDERED, 0);
        cr_assert(strstr(said, wanted[i]) != NULL, "'%s' is not in: %s",
                  wanted[i], said);
    }
    trial_open(&trial, backend, &rule, pattern_named("all"), 66, 10, 0);
    cr_assert_eq(explain(&trial, NULL, 0, &all), WINNOW_OK);
    cr_assert_gt(all, 300u);
    /* Cut at any length, and not a byte more. */
    for (size_t bytes = 1; bytes < sizeof(text); bytes++) {
        size_t length = 0;

        memset(text, 0x7e, sizeof(text));
        cr_assert_eq(explain(&trial, text, bytes, &length), WINNOW_OK);
        cr_assert_eq(length, all);
        cr_assert_eq(strlen(text), bytes - 1);
        cr_assert_eq(text[bytes], 0x7e);
    }
    cr_assert_eq(explain(&trial, NULL, 1, &all), WINNOW_ERR_ARGUMENT);
    explain_indices(&trial);
    MUST(trial_close(&trial, report));
}
