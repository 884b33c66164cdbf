/*
 * Blocks that exchange counts, and have to be resident together for that:
 * beside other work, back to back, and where they cannot be resident.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "copy/common.h"
#include "tile/shapes.h"
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "core/operation.h"

#include "cut.h"
#include "occupy.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"
#ifdef WINNOW_SIMT
#include "simt/simt.h"
#endif

/* All blocks that a device has room for run: of the CPU device that is asked.
 */
static void run_all_that_fit(void) {
#ifdef WINNOW_SIMT
    simt_settings.resident = INT_MAX;
#endif
}

/* On a stream, which may need to be asked to get on. The test's own limit ends
 * a wait for a kernel that never begins. */
static void wait_until(const unsigned *counter, unsigned value,
                       cudaStream_t stream) {
    while (*(const volatile unsigned *)counter < value)
        cr_assert_eq(cudaStreamQuery(stream), cudaErrorNotReady);
}

/* The work on a stream gets on, as far as it can. */
static void let_run(cudaStream_t stream) {
    enum {
        LOOKS = 100
    };
    for (int i = 0; i < LOOKS; i++)
        (void)cudaStreamQuery(stream);
}

/*
 * All multiprocessors but one are held by a kernel on another stream. What
 * needs no blocks to run together ends before that kernel does; what does need
 * it waits until they can, and is right then. The kernel is held until the host
 * says so: its 20 s end a call that waits for it and should not.
 */
static void run_beside(struct trial *trial, const struct trial_call *call,
                       bool waits, cudaStream_t other) {
    const unsigned held = cut_context(trial->backend)->multiprocessors - 1;
    struct occupation *occupation;

    GPU_MUST(cudaMallocHost((void **)&occupation, sizeof(*occupation)));
    memset(occupation, 0, sizeof(*occupation));
    MUST(trial_prepare(trial, call, report));
    GPU_MUST(occupy(occupation, held, 20, other));
    wait_until(&occupation->begun, held, other);
    MUST(trial_enqueue(trial, call, report));
    if (waits)
        let_run(trial->backend->stream);
    else
        gpu_wait(trial->backend->stream);
    cr_assert_eq(*(const volatile unsigned *)&occupation->ended, 0,
                 "the call waited for the other kernel");
    *(volatile uint32_t *)&occupation->end = 1;
    gpu_wait(trial->backend->stream);
    gpu_wait(other);
    MUST(trial_check(trial, call, report));
    GPU_MUST(cudaFreeHost(occupation));
}

/* Do the blocks of a call run together? */
static bool exchanges_counts(const struct trial_call *call, winnow__shape cut) {
    const winnow__ladder ladder = winnow__shapes[cut].ladder;

    return ladder == WINNOW__ONE_CLUSTER ||
           (call->in_place && ladder == WINNOW__ONE_WAVE);
}

GPU_TEST(one_wave, LONG(beside_a_long_kernel)) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    const uint64_t n = reduced_mode() ? 20000 : 4000003;
    const cudaStream_t other = gpu_stream_create();
    struct trial trial;

    run_all_that_fit();
    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 10, n, 0);
    FOR_EACH_CUT(cut) {
        cut_into(backend, cut);
        FOR_EACH_STRATEGY(row, true) {
            struct trial_call call = TRIAL_CALL_INIT;

            if (!cut_is_ours(row))
                continue;
            call.row = row;
            /* As many as run together, or else many more. */
            call.n = cut_at_most(
                winnow__shapes[cut].ladder <= WINNOW__ONE_WAVE && n > 300001
                    ? 300001
                    : n,
                cut);
            call.workspace = WORKSPACE_OF_CONTEXT;
            for (int place = 0; place <= (row->order == WINNOW_STABLE);
                 place++) {
                call.in_place = place != 0;
                MUST(trial_run(&trial, &call, report)); /* asks, allocates */
                run_beside(&trial, &call, exchanges_counts(&call, cut), other);
            }
        }
    }
    FOR_EACH_STRATEGY(row, true) {
        struct trial_call call = TRIAL_CALL_INIT;

        if (row->strategy != WINNOW_SOFTWARE_ATOMIC)
            continue;
        call.row = row;
        call.n = n;
        call.workspace = WORKSPACE_OF_CONTEXT;
        MUST(trial_run(&trial, &call, report));
        run_beside(&trial, &call, true, other);
    }
    MUST(trial_close(&trial, report));
    gpu_stream_destroy(other);
}

/* Does the device refuse to run the blocks of TILE_SCAN together, in place? */
static bool is_refused(const struct trial *trial, uint64_t n) {
    winnow__call call = {
        .query = {.operation = &winnow__copy_if_operation,
                  .context = trial->backend->context,
                  .predicate = trial->predicate,
                  .type = trial->predicate->type,
                  .n = n,
                  .launch = {.size = sizeof(winnow_launch),
                             .order = WINNOW_STABLE,
                             .stream = trial->backend->stream}},
        .in = trial->in.base,
        .out = trial->in.base};
    const winnow__args nothing = {.n = 0};
    const winnow__constraints constraints = {.exchange = true,
                                             .ready = true,
                                             .located = true,
                                             .in = (uintptr_t)trial->in.base,
                                             .in_place = true};
    winnow__plan plan;
    bool refused;

    cr_assert_eq(winnow__plan_query(&call.query, &constraints, &plan),
                 WINNOW_OK);
    winnow__launch_plan(&call, &plan, &nothing, &refused);
    return refused;
}

/* A strategy of ours, which finds that its blocks cannot run together. */
static void run_refused(struct trial *trial, uint64_t n) {
    char detail[256];

    cr_assert(is_refused(trial, n));

    /* An older failure's detail, which calls that succeed leave alone. */
    cr_assert_eq(winnow_context_create(NULL, 0), WINNOW_ERR_ARGUMENT);
    snprintf(detail, sizeof(detail), "%s", winnow_last_error());
    for (enum workspace workspace = WORKSPACE_GIVEN;
         workspace <= WORKSPACE_OF_CONTEXT; workspace++) {
        struct trial_call call = TRIAL_CALL_INIT;

        call.n = n;
        call.workspace = workspace;
        FOR_EACH_STRATEGY(row, true) {
            if (!cut_is_ours(row))
                continue;
            call.row = row;
            MUST(trial_run_in_place_too(trial, &call, report));
        }
    }
    cr_assert_str_eq(winnow_last_error(), detail);
}

/*
 * A launch in place with more blocks than can be resident together is refused,
 * as it would be on a stream that has a part of the device alone: the call does
 * without. One that is not in place does with more.
 */
GPU_TEST(one_wave, LONG(more_blocks_than_fit)) {
    const struct rule rule = rules_plain(WINNOW_INT64);
    /* Also when reduced: fewer tiles would fit. */
    const uint64_t n =
        UINT64_C(30303) * cut_context(backend)->multiprocessors + 3;
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 12, n, 1);
    cut_into(backend, WINNOW__SHAPE_one_wave_large);
    MUST(cut_run(&trial, n, false, report)); /* asks the device */
    cut_limit_blocks(backend, 100000);
    run_refused(&trial, n);
    MUST(trial_close(&trial, report));
}

/* In place, on a device that cannot be asked to run blocks together. */
GPU_TEST(one_wave, no_cooperative_launches) {
    const struct rule rule = rules_plain(WINNOW_UINT16);
    const uint64_t n = reduced_mode() ? 20000 : 250001;
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 28, n, 1);
    cut_context(backend)->cooperative = false;
    FOR_EACH_CUT_OF(WINNOW__ONE_WAVE, cut) {
        cut_into(backend, cut);
        MUST(cut_run(&trial, n, true, report));
        MUST(cut_run(&trial, n, false, report));
    }
    MUST(trial_close(&trial, report));
}

/* Where TILE_SCAN's blocks exchange counts, on the backend's stream. */
static void fetch_groups(const struct trial *trial,
                         winnow__group groups[WINNOW__MOST_GROUPS]) {
    const winnow__call call = {
        .query = {.context = trial->backend->context,
                  .launch = {.stream = trial->backend->stream}}};
    winnow__ready ready;

    cr_assert_eq(winnow__ready_take(cut_context(trial->backend)->ready, &call,
                                    false, &ready),
                 WINNOW_OK);
    gpu_copy(groups, ready.groups, WINNOW__MOST_GROUPS * sizeof(groups[0]),
             trial->backend->stream);
    gpu_wait(trial->backend->stream);
}

/* Do all blocks know their words, so that the next launch can go on from there?
 */
static void expect_known(const struct trial *trial) {
    static winnow__group groups[WINNOW__MOST_GROUPS];

    fetch_groups(trial, groups);
    for (unsigned g = 0; g < WINNOW__MOST_GROUPS; g++)
        for (unsigned i = 0; i < WINNOW__GROUP; i++) {
            const winnow__counts *previous = &groups[g].previous[i];

            cr_assert_eq(previous->in_group, groups[g].in_group[i],
                         "group %u, block %u", g, i);
            cr_assert_eq(previous->earlier, groups[g].earlier,
                         "group %u, block %u", g, i);
        }
}

/* How often did a block count what comes before its tile, rather than wait? */
static uint64_t count_fallbacks(const struct trial *trial) {
    static winnow__group groups[WINNOW__MOST_GROUPS];
    uint64_t fallbacks = 0;

    fetch_groups(trial, groups);
    for (unsigned g = 0; g < WINNOW__MOST_GROUPS; g++)
        fallbacks += groups[g].fallbacks;
    return fallbacks;
}

/* Did any blocks exchange counts? */
static bool have_exchanged(const struct trial *trial) {
    static winnow__group groups[WINNOW__MOST_GROUPS];

    fetch_groups(trial, groups);
    return groups[0].in_group[1] != 0;
}

/*
 * None does, as long as nothing else keeps the device: not when their words
 * have left the cache, either. It would go unnoticed: the answer is right.
 */
GPU_TEST(one_wave, blocks_that_wait) {
    enum {
        CACHE_BYTES = 1 << 28 /* more than a device's cache */
    };
    const struct rule rule = rules_plain(WINNOW_INT64);
    const uint64_t n = reduced_mode() ? 20000 : 250001;
    void *const other = gpu_alloc(CACHE_BYTES);
    struct trial trial;

    run_all_that_fit();
    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 31, n, 1);
    FOR_EACH_CUT_OF(WINNOW__ONE_WAVE, cut) {
        cut_into(backend, cut);
        for (int i = 0; i < 4; i++) {
            MUST(cut_run(&trial, n / (i + 1), false, report));
            GPU_MUST(cudaMemsetAsync(other, i, CACHE_BYTES, backend->stream));
        }
    }
    cr_assert(have_exchanged(&trial));
    cr_assert_eq(count_fallbacks(&trial), 0);
    gpu_free(other);
    MUST(trial_close(&trial, report));
}

/*
 * Blocks that fall back on counting when they have looked once, and grids that
 * grow and shrink from call to call.
 */
GPU_TEST(one_wave, LONG(blocks_that_give_up)) {
    static const unsigned spin_limit[] = {1, 2, 10, 1000};
    static const unsigned parts[] = {7, 2, 1, 3, 1, 100, 5, 1};
    winnow__cuda_context *context = cut_context(backend);

    for (int type = WINNOW_UINT8; type <= WINNOW_UINT64; type++) {
        const struct rule rule = rules_plain((winnow_type)type);
        struct trial_call call = TRIAL_CALL_INIT;
        struct trial trial;
        uint64_t before;

        trial_open(&trial, backend, &rule, pattern_named("runs:1024"), 29,
                   reduced_mode() ? 20000 : 500001, 1);
        before = count_fallbacks(&trial);
        FOR_EACH_STRATEGY(row, true) {
            if (row->strategy == WINNOW_TILE_SCAN &&
                row->order == WINNOW_STABLE)
                call.row = row;
        }
        FOR_EACH_CUT_OF(WINNOW__ONE_WAVE, cut) {
            cut_into(backend, cut);
            for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
                for (size_t p = 0; p < 4; p++) {
                    context->spin_limit = spin_limit[p];
                    call.n = cut_at_most(trial.n, cut) / parts[i];
                    call.out_offset = (unsigned)p;
                    MUST(trial_run(&trial, &call, report));
                    expect_known(&trial);
                }
        }
        cr_assert_gt(count_fallbacks(&trial), before);
        MUST(trial_close(&trial, report));
    }
}

/* More blocks from call to call, in a group that has others before it: each
 * finds the words that the blocks before it left, and counts nothing itself. */
GPU_TEST(one_wave, group_that_grows) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    const winnow__kernel_key key = {2, WINNOW__INTERVAL};
    const uint64_t tile =
        winnow__find_kernel(WINNOW__SHAPE_one_wave_striped_4, key)->tile_bytes /
        sizeof(int32_t);
    struct trial trial;

    run_all_that_fit();
    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 34,
               (WINNOW__GROUP + 9) * tile, 0);
    cut_into(backend, WINNOW__SHAPE_one_wave_striped_4);
    for (uint64_t more = 1; more <= 9; more += 4) {
        MUST(cut_run(&trial, (WINNOW__GROUP + more) * tile, false, report));
        expect_known(&trial);
    }
    cr_assert(have_exchanged(&trial));
    cr_assert_eq(count_fallbacks(&trial), 0);
    MUST(trial_close(&trial, report));
}

/*
 * As many survivors as the words of count_exchange.cuh can count, and one more,
 * all of them kept: in the largest tiles, and in those that the size would
 * choose.
 */
GPU_TEST(one_wave, as_many_as_a_word_counts) {
    static const winnow_type types[] = {WINNOW_UINT8, WINNOW_UINT16};
    const uint64_t most =
        reduced_mode() ? 20000 : UINT64_C(1) << WINNOW__EXCHANGE_BITS;

    for (size_t t = 0; t < 2; t++) {
        const struct rule rule = rules_plain(types[t]);
        struct trial trial;

        trial_open(&trial, backend, &rule, pattern_named("all"), 30, most + 1,
                   1);
        for (int forced = 0; forced < 2; forced++) {
            if (forced)
                cut_into(backend, WINNOW__SHAPE_one_wave_large);
            for (uint64_t n = most - 1; n <= most + 1; n++) {
                MUST(cut_run(&trial, n, false, report));
                MUST(cut_run(&trial, n, true, report));
            }
        }
        MUST(trial_close(&trial, report));
    }
}

/* As above, for a cluster of more blocks than a part of the device has. */
GPU_TEST(one_wave, larger_clusters_than_fit) {
    const struct rule rule = rules_plain(WINNOW_UINT16);
    const uint64_t n =
        cut_at_most(UINT64_MAX, WINNOW__SHAPE_cluster_16); /* a cluster of 16 */
    struct trial trial;

    if (!cut_context(backend)->clusters)
        cr_skip_test("the device has no clusters");
    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 20, n, 1);
    cut_into(backend, WINNOW__SHAPE_cluster_16);
    MUST(cut_run(&trial, n, false, report)); /* asks the device */
    GPU_MUST(cudaFuncSetAttribute(
        winnow__find_kernel(
            WINNOW__SHAPE_cluster_16,
            (winnow__kernel_key){trial.predicate->type->log2_size,
                                 trial.predicate->kind})
            ->function,
        cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
    run_refused(&trial, n);
    MUST(trial_close(&trial, report));
}

/* A device whose clusters have no more than 8 blocks: inputs up to twice what
 * such a cluster takes. */
GPU_TEST(one_wave, clusters_of_8) {
    const uint64_t most = cut_at_most(UINT64_MAX, WINNOW__SHAPE_cluster_16);
    const struct rule rule = rules_plain(WINNOW_FLOAT32);
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 27,
               most + 1, 1);
    cut_into(backend, WINNOW__SHAPE_cluster_16);
    for (int limited = 0; limited < 2; limited++) {
        for (uint64_t edge = 1024; edge <= most; edge *= 2)
            for (uint64_t n = edge - 1; n <= edge + 1; n++)
                MUST(cut_run(&trial, n, false, report));
        cut_limit_blocks(backend, 8);
    }
    MUST(trial_close(&trial, report));
}

/*
 * Several streams full of calls, each of which fills most of the device: they
 * may not keep each other waiting. In place the blocks of a call have to run
 * together, and all elements are kept: so each call finds what the first did.
 */
static void fill_streams(const struct backend *backend, bool in_place) {
    enum {
        STREAMS = 4,
        ROUNDS = 100
    };
    enum {
        KINDS = 5
    };
    static const winnow__shape cuts[KINDS] = {
        WINNOW__SHAPE_cluster_16, WINNOW__SHAPE_one_wave_striped_4,
        WINNOW__SHAPE_one_wave_striped_16, WINNOW__SHAPE_one_wave_small,
        WINNOW__SHAPE_one_wave_large};
    static const uint64_t sizes[KINDS] = {65536, 520001, 2090001, 2000001,
                                          4000001};
    static struct backend backends[STREAMS];
    static struct trial trials[STREAMS];
    const struct rule rule = rules_plain(WINNOW_INT32);

    for (int i = 0; i < STREAMS; i++) {
        backends[i] = *backend;
        backends[i].stream = gpu_stream_create();
        trial_open(&trials[i], &backends[i], &rule,
                   pattern_named(in_place ? "all" : "uniform:0.5"),
                   13 + (uint64_t)i, reduced_mode() ? 20000 : sizes[KINDS - 1],
                   0);
    }
    for (int i = 0; i < KINDS; i++) {
        struct trial_call call = TRIAL_CALL_INIT;

        cut_into(backend, cuts[i]);
        call.in_place = in_place;
        call.n = reduced_mode() ? 20000 : sizes[i];
        call.workspace = WORKSPACE_OF_CONTEXT;
        FOR_EACH_STRATEGY(row, true) {
            if (row->strategy == WINNOW_TILE_SCAN &&
                row->order == WINNOW_STABLE)
                call.row = row;
        }
        for (int k = 0; k < STREAMS; k++)
            MUST(trial_prepare(&trials[k], &call, report));
        for (int round = 0; round < (reduced_mode() ? ROUNDS / 20 : ROUNDS);
             round++)
            for (int k = 0; k < STREAMS; k++)
                MUST(trial_enqueue(&trials[k], &call, report));
        for (int k = 0; k < STREAMS; k++)
            MUST(trial_check(&trials[k], &call, report));
    }
    for (int i = 0; i < STREAMS; i++) {
        MUST(trial_close(&trials[i], report));
        gpu_stream_destroy(backends[i].stream);
    }
}

GPU_TEST(one_wave, LONG(grids_that_fill_the_device)) {
    fill_streams(backend, false);
}

GPU_TEST(one_wave, grids_that_need_the_device) {
    fill_streams(backend, true);
}
