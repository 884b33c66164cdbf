/*
 * TILE_AGGREGATED and TILE_SCAN with every size of tile, whatever the size of
 * the input would choose, and with few blocks to go through many tiles. Looks
 * inside of the library: it sets what a context knows of its device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cuda_kernels.h"

#include "element.h"
#include "occupy.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"
#include "trial.h"

static winnow__cuda_context *inside(const struct backend *backend) {
    return (winnow__cuda_context *)backend->context;
}

/* Cut everything into tiles of one kind, as far as it can be. */
enum cut {
    ALONE,
    CLUSTER,
    ROWS_4, /* TILE_SCAN: blocks tell each other their counts, up to MEDIUM */
    ROWS_8,
    ROWS_16,
    SMALL,
    MEDIUM, /* TILE_SCAN: large ones */
    LARGE,
    SMALL_SCAN,
    CUTS
};

/* The most elements, whatever their size, that a cut is good for; larger inputs
 * get tiles of another kind. */
static uint64_t most_items(enum cut cut) {
    switch (cut) {
    case ALONE:
        return 2048;
    case CLUSTER:
        return WINNOW__MOST_CLUSTER * UINT64_C(4096);
    case ROWS_4:
        return WINNOW__MOST_RESIDENT * UINT64_C(1024);
    case ROWS_8:
        return WINNOW__MOST_RESIDENT * UINT64_C(2048);
    case ROWS_16:
        return WINNOW__MOST_RESIDENT * UINT64_C(4096);
    default:
        return UINT64_MAX;
    }
}

static uint64_t fewer(uint64_t n, enum cut cut) {
    return n < most_items(cut) ? n : most_items(cut);
}

static void force(const struct backend *backend, enum cut cut) {
    winnow__cuda_context *context = inside(backend);
    const uint64_t all = UINT64_C(1) << 40;

    for (int size = 0; size < WINNOW__SIZES; size++) {
        winnow__limits *limits = &context->limits[size];

        limits->alone = cut == ALONE ? all : 0;
        limits->aggregated_cluster = limits->scan_cluster =
            cut == CLUSTER ? all : 0;
        for (int i = 0; i < WINNOW__ROW_KINDS; i++)
            limits->aggregated_rows[i] = limits->resident_rows[i] =
                cut == (enum cut)(ROWS_4 + i) ? all : 0;
        limits->aggregated_small = cut == SMALL ? all : 0;
        limits->aggregated_medium = cut == MEDIUM ? all : 0;
        limits->resident_small = CLUSTER <= cut && cut <= SMALL ? all : 0;
        limits->resident_large = cut == MEDIUM ? all : 0;
        limits->scan_small = cut == LARGE ? 0 : all;
    }
}

/* So many blocks, however many the device could hold. */
static void limit_blocks(const struct backend *backend, unsigned blocks) {
    winnow__cuda_context *context = inside(backend);

    for (int k = 0; k < WINNOW__RESIDENT_KERNELS; k++)
        for (int size = 0; size < WINNOW__SIZES; size++)
            for (int kind = 0; kind < WINNOW__TEST_KINDS; kind++)
                if (atomic_load(&context->resident[k][size][kind]) != 0)
                    atomic_store(&context->resident[k][size][kind], blocks);
}

static bool is_ours(const struct strategy_row *row) {
    return row->strategy == WINNOW_TILE_AGGREGATED ||
           (row->strategy == WINNOW_TILE_SCAN && row->order == WINNOW_STABLE);
}

static void run_once(struct trial *trial, uint64_t n, bool in_place) {
    FOR_EACH_STRATEGY(row, true) {
        struct trial_call call = TRIAL_CALL_INIT;

        if (!is_ours(row) || (in_place && row->order != WINNOW_STABLE))
            continue;
        call.row = row;
        call.n = n;
        call.in_place = in_place;
        MUST(trial_run(trial, &call, report));
    }
}

/* Every tile is a multiple of this many elements. */
#define EDGE 512
/* No tile holds more of the input than this. */
#define LARGEST_TILE_BYTES 65536

/* n around every multiple of EDGE, up to three tiles, in tiles of each size. */
static void run_edges(const struct backend *backend, winnow_type type) {
    const uint64_t three = 3 * LARGEST_TILE_BYTES / element_size(type);
    const uint64_t most = reduced_mode() ? 4 * EDGE : three;
    const struct rule rule = rules_plain(type);
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 4,
               most + 1, 1);
    for (int cut = 0; cut < CUTS; cut++) {
        force(backend, (enum cut)cut);
        for (uint64_t n = 0; n < 3; n++)
            run_once(&trial, n, false);
        for (uint64_t edge = EDGE; edge <= most; edge += EDGE)
            for (uint64_t n = edge - 1; n <= edge + 1; n++)
                run_once(&trial, n, false);
    }
    MUST(trial_close(&trial, report));
}

GPU_TEST(tiles, edges_1_byte) {
    run_edges(backend, WINNOW_UINT8);
}

GPU_TEST(tiles, edges_2_bytes) {
    run_edges(backend, WINNOW_FLOAT16);
}

GPU_TEST(tiles, edges_4_bytes) {
    run_edges(backend, WINNOW_INT32);
}

GPU_TEST(tiles, edges_8_bytes) {
    run_edges(backend, WINNOW_FLOAT64);
}

/* Outputs at every alignment, with and without a capacity, so short that the
 * vectors of a store begin or end outside of them. */
GPU_TEST(tiles, output_alignments) {
    static const winnow_type types[] = {WINNOW_UINT8, WINNOW_INT16};
    const uint64_t most = reduced_mode() ? 40 : 100;
    const unsigned step = reduced_mode() ? 5 : 1;

    for (size_t t = 0; t < 2; t++) {
        const struct rule rule = rules_plain(types[t]);
        struct trial_call call = TRIAL_CALL_INIT;
        struct trial trial;

        trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 31,
                   most, 1);
        for (int cut = SMALL; cut < CUTS; cut++) {
            force(backend, (enum cut)cut);
            FOR_EACH_STRATEGY(row, true) {
                if (!is_ours(row))
                    continue;
                call.row = row;
                for (call.n = 1; call.n <= most; call.n += step)
                    for (call.out_offset = 0; call.out_offset < 16;
                         call.out_offset++) {
                        call.capacity = call.out_offset % 3 != 0
                                            ? WINNOW_NO_LIMIT
                                            : call.n * 2 / 3;
                        MUST(trial_run(&trial, &call, report));
                    }
            }
        }
        MUST(trial_close(&trial, report));
    }
}

/* In place, at every selectivity of the benchmarks, many tiles in flight. */
GPU_TEST(tiles, in_place) {
    static const double fractions[] = {0,   0.001, 0.01, 0.05, 0.1, 0.25,
                                       0.5, 0.75,  0.9,  0.99, 1};
    static const winnow_type types[] = {WINNOW_UINT8, WINNOW_INT16,
                                        WINNOW_FLOAT32, WINNOW_INT64};
    const uint64_t n = reduced_mode() ? 20000 : 1 << 20;

    for (size_t t = 0; t < 4; t++) {
        const struct rule rule = rules_plain(types[t]);

        for (size_t f = 0; f < sizeof(fractions) / sizeof(fractions[0]); f++) {
            const struct pattern spread = {"spread", PATTERN_UNIFORM, 1,
                                           fractions[f]};
            const struct pattern runs = {"runs", PATTERN_RUNS, 1024,
                                         fractions[f]};
            struct trial trial;

            trial_open(&trial, backend, &rule, &spread, f, n, 0);
            for (int cut = 0; cut < CUTS; cut++) {
                const uint64_t size = fewer(n, (enum cut)cut);

                force(backend, (enum cut)cut);
                trial_reload(&trial, &spread, f);
                run_once(&trial, size, true);
                trial_reload(&trial, &runs, f);
                run_once(&trial, size, true);
            }
            MUST(trial_close(&trial, report));
        }
    }
}

/* How survivors are staged depends on how many there are, and on whether they
 * lie together. */
GPU_TEST(tiles, staging) {
    static const double fractions[] = {0.02, 0.2, 0.9, 0.97, 0.99, 0.999};
    static const uint64_t lengths[] = {1, 16, 32, 1024};
    const uint64_t n = reduced_mode() ? 20000 : 100001;
    const size_t step = reduced_mode() ? 3 : 1;

    for (int type = WINNOW_UINT8; type <= WINNOW_UINT64; type++) {
        const struct rule rule = rules_plain((winnow_type)type);
        struct trial trial;

        trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 32, n,
                   1);
        for (size_t f = 0; f < sizeof(fractions) / sizeof(fractions[0]);
             f += step)
            for (size_t r = 0; r < sizeof(lengths) / sizeof(lengths[0]); r++) {
                const struct pattern runs = {"runs", PATTERN_RUNS, lengths[r],
                                             fractions[f]};

                trial_reload(&trial, &runs, 33 + f);
                for (int cut = SMALL; cut < CUTS; cut++) {
                    force(backend, (enum cut)cut);
                    run_once(&trial, n, false);
                }
            }
        MUST(trial_close(&trial, report));
    }
}

/* The next of a row of random numbers. */
static uint64_t draw(uint64_t *drawn, uint64_t below) {
    return data_random(35, (*drawn)++) % below;
}

/* What nobody has thought of: any type, predicate, data, length, alignment,
 * capacity and kind of tile together. */
GPU_TEST(tiles, at_random) {
    const unsigned trials = reduced_mode() ? 10 : 500;
    const uint64_t most = reduced_mode() ? 20000 : 150000;
    winnow__limits usual[WINNOW__SIZES];
    uint64_t drawn = 0;

    memcpy(usual, inside(backend)->limits, sizeof(usual));
    for (unsigned t = 0; t < trials; t++) {
        const unsigned cut = (unsigned)draw(&drawn, CUTS + 1);
        const winnow_type type = (winnow_type)draw(&drawn, ELEMENT_TYPES);
        struct pattern pattern = {"at random", PATTERN_RUNS, 1, 0};
        struct trial_call call = TRIAL_CALL_INIT;
        struct rule rules[RULES_KINDS];
        const struct rule *rule;
        struct trial trial;

        if (cut < CUTS)
            force(backend, (enum cut)cut);
        else
            memcpy(inside(backend)->limits, usual, sizeof(usual));
        rules_kinds(type, rules);
        rule = &rules[draw(&drawn, RULES_KINDS)];
        pattern.run += draw(&drawn, UINT64_C(1) << draw(&drawn, 12));
        pattern.fraction = 1e-3 * (double)draw(&drawn, 1001);
        call.n = 1 + draw(&drawn, most);
        trial_open(&trial, backend, rule, &pattern, t, call.n,
                   (unsigned)draw(&drawn, TRIAL_OFFSETS));
        call.out_offset = (unsigned)draw(&drawn, TRIAL_OFFSETS);
        if (draw(&drawn, 4) == 0)
            call.capacity = draw(&drawn, call.n + 1);
        FOR_EACH_STRATEGY(row, true) {
            if (!is_ours(row))
                continue;
            call.row = row;
            MUST(trial_run(&trial, &call, report));
        }
        MUST(trial_close(&trial, report));
    }
}

/* Few blocks, which take turns: none may wait for one that has not begun. */
GPU_TEST(tiles, small_grid) {
    static const unsigned grids[] = {1, 2, 3, 7};
    const uint64_t n = reduced_mode() ? 20000 : 700001;

    for (int type = WINNOW_UINT8; type <= WINNOW_UINT64; type++) {
        const struct rule rule = rules_plain((winnow_type)type);
        struct trial trial;

        trial_open(&trial, backend, &rule, pattern_named("runs:1024"), 9, n, 1);
        for (int cut = LARGE; cut <= SMALL_SCAN; cut++) {
            force(backend, (enum cut)cut);
            run_once(&trial, n, false); /* asks the device */
            for (size_t g = 0; g < 4; g++) {
                limit_blocks(backend, grids[g]);
                run_once(&trial, n, false);
                run_once(&trial, n, true);
            }
        }
        MUST(trial_close(&trial, report));
    }
}

static void wait_until(const volatile unsigned *counter, unsigned value) {
    const time_t end = time(NULL) + 30;

    while (*counter < value)
        cr_assert(time(NULL) < end, "the other kernel did not begin");
}

/*
 * All multiprocessors but one are held by a kernel on another stream. What
 * needs no blocks to run together ends before that kernel does; what does need
 * it waits until they can, and is right then.
 */
static void run_beside(struct trial *trial, const struct trial_call *call,
                       bool waits, cudaStream_t other) {
    const double seconds = waits ? 0.05 : 20;
    const unsigned held = inside(trial->backend)->multiprocessors - 1;
    struct occupation *occupation;

    GPU_MUST(cudaMallocHost((void **)&occupation, sizeof(*occupation)));
    memset(occupation, 0, sizeof(*occupation));
    MUST(trial_prepare(trial, call, report));
    GPU_MUST(occupy(occupation, held, seconds, other));
    wait_until(&occupation->begun, held);
    MUST(trial_enqueue(trial, call, report));
    gpu_wait(trial->backend->stream);
    if (!waits)
        cr_assert_eq(occupation->ended, 0, "it waited for the other kernel");
    occupation->end = 1;
    gpu_wait(other);
    MUST(trial_check(trial, call, report));
    GPU_MUST(cudaFreeHost(occupation));
}

/* Do the blocks of a call run together? */
static bool meet(const struct trial_call *call, enum cut cut) {
    return cut == CLUSTER || (call->in_place && CLUSTER < cut && cut <= MEDIUM);
}

GPU_TEST(tiles, beside_a_long_kernel) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    const uint64_t n = reduced_mode() ? 20000 : 4000003;
    const cudaStream_t other = gpu_stream_create();
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 10, n, 0);
    for (int cut = 0; cut < CUTS; cut++) {
        force(backend, (enum cut)cut);
        FOR_EACH_STRATEGY(row, true) {
            struct trial_call call = TRIAL_CALL_INIT;

            if (!is_ours(row))
                continue;
            call.row = row;
            /* As many as run together, or else many more. */
            call.n =
                fewer(cut <= SMALL && n > 300001 ? 300001 : n, (enum cut)cut);
            call.workspace = WORKSPACE_OF_CONTEXT;
            for (int place = 0; place <= (row->order == WINNOW_STABLE);
                 place++) {
                call.in_place = place != 0;
                MUST(trial_run(&trial, &call, report)); /* asks, allocates */
                run_beside(&trial, &call, meet(&call, (enum cut)cut), other);
            }
        }
    }
    MUST(trial_close(&trial, report));
    gpu_stream_destroy(other);
}

static void count_edges(struct trial *trial, uint64_t most) {
    struct trial_call call = TRIAL_CALL_INIT;

    call.operation = COUNT_IF;
    for (uint64_t edge = EDGE; edge <= most; edge += edge < 4096 ? EDGE : 4096)
        for (call.n = edge - 1; call.n <= edge + 1; call.n++)
            MUST(trial_run(trial, &call, report));
}

/* count_if in tiles of each size, by one block for each and by few that go
 * through many. */
GPU_TEST(tiles, counting) {
    winnow__cuda_context *context = inside(backend);

    for (int type = WINNOW_UINT8; type <= WINNOW_UINT64; type++) {
        const uint64_t most =
            (reduced_mode() ? 1 : 6) * 32768 / element_size((winnow_type)type);
        const struct rule rule = rules_plain((winnow_type)type);
        struct trial trial;

        trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 26,
                   most + 1, 1);
        for (int cut = SMALL; cut <= LARGE; cut++)
            for (int few = 0; few < 2; few++) {
                const unsigned multiprocessors = context->multiprocessors;

                for (int size = 0; size < WINNOW__SIZES; size++) {
                    winnow__limits *limits = &context->limits[size];

                    limits->count_small = cut == SMALL ? UINT64_MAX : 0;
                    limits->count_medium = cut == LARGE ? 0 : UINT64_MAX;
                }
                context->multiprocessors = few ? 1 : multiprocessors;
                count_edges(&trial, most);
                context->multiprocessors = multiprocessors;
            }
        MUST(trial_close(&trial, report));
    }
}

/* What a device without programmatic dependent launch runs. */
GPU_TEST(tiles, without_overlap) {
    const struct rule rule = rules_plain(WINNOW_INT16);
    const uint64_t n = reduced_mode() ? 20000 : 250001;
    struct trial trial;

    inside(backend)->overlap = false;
    trial_open(&trial, backend, &rule, pattern_named("runs:32"), 11, n, 1);
    for (int cut = 0; cut < CUTS; cut++) {
        force(backend, (enum cut)cut);
        run_once(&trial, n, false);
        run_once(&trial, n, true);
    }
    MUST(trial_close(&trial, report));
}

/* Does the device refuse to run the blocks of TILE_SCAN together, in place? */
static bool is_refused(const struct trial *trial, uint64_t n) {
    winnow__call call = {.operation = WINNOW__COPY_IF,
                         .context = trial->backend->context,
                         .predicate = trial->predicate,
                         .in = trial->in.base,
                         .n = n,
                         .out = trial->in.base,
                         .options = WINNOW_OPTIONS_INIT,
                         .stream = trial->backend->stream};
    const winnow__args nothing = {.n = 0};
    const winnow__means means = {.together = true, .ready = true};
    winnow__plan plan;
    bool refused;

    call.options.order = WINNOW_STABLE;
    cr_assert_eq(winnow__plan_call(&call, means, &plan), WINNOW_OK);
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
            if (!is_ours(row))
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
GPU_TEST(tiles, more_blocks_than_fit) {
    const struct rule rule = rules_plain(WINNOW_INT64);
    const uint64_t n = 2000003; /* also when reduced: fewer tiles would fit */
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 12, n, 1);
    force(backend, SMALL);
    run_once(&trial, n, false); /* asks the device */
    limit_blocks(backend, 100000);
    run_refused(&trial, n);
    MUST(trial_close(&trial, report));
}

/* In place, on a device that cannot be asked to run blocks together. */
GPU_TEST(tiles, no_cooperative_launches) {
    const struct rule rule = rules_plain(WINNOW_UINT16);
    const uint64_t n = reduced_mode() ? 20000 : 250001;
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 28, n, 1);
    inside(backend)->cooperative = false;
    for (int cut = ROWS_4; cut <= MEDIUM; cut++) {
        force(backend, (enum cut)cut);
        run_once(&trial, n, true);
        run_once(&trial, n, false);
    }
    MUST(trial_close(&trial, report));
}

/* Where TILE_SCAN's blocks tell each other, on the backend's stream. */
static void fetch_groups(const struct trial *trial,
                         winnow__group groups[WINNOW__MOST_GROUPS]) {
    const winnow__call call = {.stream = trial->backend->stream};
    winnow__ready ready;

    cr_assert_eq(
        winnow__ready_take(inside(trial->backend)->ready, &call, false, &ready),
        WINNOW_OK);
    gpu_copy(groups, ready.groups, WINNOW__MOST_GROUPS * sizeof(groups[0]),
             trial->backend->stream);
    gpu_wait(trial->backend->stream);
}

/* Do all blocks know what they were told, so that the next launch can go on
 * from there? */
static void expect_known(const struct trial *trial) {
    static winnow__group groups[WINNOW__MOST_GROUPS];

    fetch_groups(trial, groups);
    for (unsigned g = 0; g < WINNOW__MOST_GROUPS; g++)
        for (unsigned i = 0; i < WINNOW__GROUP; i++) {
            const winnow__words *old = &groups[g].old[i];

            cr_assert_eq(old->told, groups[g].told[i], "group %u, block %u", g,
                         i);
            cr_assert_eq(old->before, groups[g].before, "group %u, block %u", g,
                         i);
        }
}

/*
 * Blocks that count by themselves what they are not told at once, and grids
 * that grow and shrink from call to call.
 */
GPU_TEST(tiles, blocks_that_give_up) {
    static const unsigned patience[] = {1, 2, 10, 0};
    static const unsigned parts[] = {7, 2, 1, 3, 1, 100, 5, 1};
    winnow__cuda_context *context = inside(backend);

    for (int type = WINNOW_UINT8; type <= WINNOW_UINT64; type++) {
        const struct rule rule = rules_plain((winnow_type)type);
        struct trial_call call = TRIAL_CALL_INIT;
        struct trial trial;

        trial_open(&trial, backend, &rule, pattern_named("runs:1024"), 29,
                   reduced_mode() ? 20000 : 500001, 1);
        FOR_EACH_STRATEGY(row, true) {
            if (row->strategy == WINNOW_TILE_SCAN &&
                row->order == WINNOW_STABLE)
                call.row = row;
        }
        for (int cut = ROWS_4; cut <= MEDIUM; cut++) {
            force(backend, (enum cut)cut);
            for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
                for (size_t p = 0; p < 4; p++) {
                    context->patience = patience[p];
                    call.n = fewer(trial.n, (enum cut)cut) / parts[i];
                    call.out_offset = (unsigned)p;
                    MUST(trial_run(&trial, &call, report));
                    expect_known(&trial);
                }
        }
        MUST(trial_close(&trial, report));
    }
}

/*
 * As many survivors as the words of told.cuh can count, and one more, all of
 * them kept: in the largest tiles, and in those that the size would choose.
 */
GPU_TEST(tiles, as_many_as_a_word_counts) {
    static const winnow_type types[] = {WINNOW_UINT8, WINNOW_UINT16};
    const uint64_t most =
        reduced_mode() ? 20000 : UINT64_C(1) << WINNOW__TOLD_BITS;

    for (size_t t = 0; t < 2; t++) {
        const struct rule rule = rules_plain(types[t]);
        struct trial trial;

        trial_open(&trial, backend, &rule, pattern_named("all"), 30, most + 1,
                   1);
        for (int forced = 0; forced < 2; forced++) {
            if (forced)
                force(backend, MEDIUM);
            for (uint64_t n = most - 1; n <= most + 1; n++) {
                run_once(&trial, n, false);
                run_once(&trial, n, true);
            }
        }
        MUST(trial_close(&trial, report));
    }
}

/* As above, for a cluster of more blocks than a part of the device has. */
GPU_TEST(tiles, larger_clusters_than_fit) {
    const struct rule rule = rules_plain(WINNOW_UINT8);
    const uint64_t n = most_items(CLUSTER); /* a cluster of 16 */
    struct trial trial;

    if (!inside(backend)->clusters)
        cr_skip_test("the device has no clusters");
    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 20, n, 1);
    force(backend, CLUSTER);
    run_once(&trial, n, false); /* asks the device */
    GPU_MUST(cudaFuncSetAttribute(
        winnow__find_kernel(&winnow__tile_cluster_16, trial.predicate)
            ->function,
        cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
    run_refused(&trial, n);
    MUST(trial_close(&trial, report));
}

/* A device whose clusters have no more than 8 blocks: inputs up to twice what
 * such a cluster takes. */
GPU_TEST(tiles, clusters_of_8) {
    const uint64_t most = most_items(CLUSTER);
    const struct rule rule = rules_plain(WINNOW_FLOAT32);
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 27,
               most + 1, 1);
    force(backend, CLUSTER);
    for (int limited = 0; limited < 2; limited++) {
        for (uint64_t edge = 1024; edge <= most; edge *= 2)
            for (uint64_t n = edge - 1; n <= edge + 1; n++)
                run_once(&trial, n, false);
        limit_blocks(backend, 8);
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
    static const enum cut cuts[KINDS] = {CLUSTER, ROWS_4, ROWS_16, SMALL,
                                         MEDIUM};
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

        force(backend, cuts[i]);
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
        for (int round = 0; round < ROUNDS; round++)
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

GPU_TEST(tiles, grids_that_fill_the_device) {
    fill_streams(backend, false);
}

GPU_TEST(tiles, grids_that_need_the_device) {
    fill_streams(backend, true);
}

/* What a plan takes, where blocks can run together and where they cannot. */
static size_t planned_bytes(const winnow__call *call) {
    size_t most = 0;

    for (int together = 0; together <= 1; together++) {
        const winnow__means means = {.together = together != 0, .ready = true};
        winnow__plan plan;
        size_t bytes;

        cr_assert_eq(winnow__plan_call(call, means, &plan), WINNOW_OK);
        bytes = WINNOW__CURSOR_BYTES + plan.groups + plan.cleared + plan.other;
        most = bytes > most ? bytes : most;
    }
    return most;
}

/*
 * The workspace is asked for before the input's address is known, and has to be
 * large enough for any, also where one more tile makes for another plan.
 */
GPU_TEST(tiles, workspace_for_every_address) {
    const unsigned blocks = 7;

    for (int type = WINNOW_UINT8; type <= WINNOW_UINT64; type++) {
        const struct rule rule = rules_plain((winnow_type)type);
        const unsigned size = (unsigned)element_size((winnow_type)type);
        struct trial trial;

        trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 18,
                   300001, 0);
        for (int cut = CLUSTER; cut <= MEDIUM; cut++) {
            force(backend, (enum cut)cut);
            run_once(&trial, 300001, false); /* asks the device */
            limit_blocks(backend, blocks);
            for (uint64_t tile = 512; tile <= 65536; tile *= 2)
                for (uint64_t n = blocks * tile - 16; n <= blocks * tile; n++) {
                    winnow__call call = {.operation = WINNOW__COPY_IF,
                                         .context = backend->context,
                                         .predicate = trial.predicate,
                                         .n = n,
                                         .options = WINNOW_OPTIONS_INIT};
                    size_t bytes;

                    call.options.order = WINNOW_STABLE;
                    cr_assert_eq(
                        winnow_copy_if_workspace(call.context, call.predicate,
                                                 n, &call.options, &bytes),
                        WINNOW_OK);
                    for (uintptr_t at = 4096; at < 4096 + 16; at += size) {
                        call.in = (const void *)at;
                        cr_assert_geq(bytes, planned_bytes(&call),
                                      "n %llu, in %p", (unsigned long long)n,
                                      call.in);
                    }
                }
        }
        MUST(trial_close(&trial, report));
    }
}

/* More elements than one launch takes: said, whatever the sizes add up to. */
GPU_TEST(tiles, too_many_elements) {
    const struct rule rule = rules_plain(WINNOW_UINT8);
    winnow_options options = WINNOW_OPTIONS_INIT;
    struct trial trial;
    size_t bytes;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 19, 100,
               0);
    for (int order = WINNOW_UNORDERED; order <= WINNOW_STABLE; order++) {
        options.order = (winnow_order)order;
        for (uint64_t less = 0; less < 2000; less++)
            cr_assert_eq(
                winnow_copy_if_workspace(backend->context, trial.predicate,
                                         UINT64_MAX - less, &options, &bytes),
                WINNOW_ERR_UNSUPPORTED);
    }
    MUST(trial_close(&trial, report));
}
