/*
 * TILE_AGGREGATED and TILE_SCAN with every kind of tile: lengths, alignments,
 * in place, few blocks, and what they ask for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "copy/common.h"
#include "cuda/memory.h"
#include "core/operation.h"

#include "cut.h"
#include "element.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"

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
    FOR_EACH_CUT(cut) {
        cut_into(backend, cut);
        for (uint64_t n = 0; n < 3; n++)
            MUST(cut_run(&trial, n, false, report));
        for (uint64_t edge = EDGE; edge <= most; edge += EDGE)
            for (uint64_t n = edge - 1; n <= edge + 1; n++)
                MUST(cut_run(&trial, n, false, report));
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
GPU_TEST(tiles, LONG(output_alignments)) {
    static const winnow_type types[] = {WINNOW_UINT8, WINNOW_INT16};
    const uint64_t most = reduced_mode() ? 40 : 100;
    const unsigned step = reduced_mode() ? 5 : 1;

    for (size_t t = 0; t < 2; t++) {
        const struct rule rule = rules_plain(types[t]);
        struct trial_call call = TRIAL_CALL_INIT;
        struct trial trial;

        trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 31,
                   most, 1);
        FOR_EACH_STAGED_CUT(cut) {
            cut_into(backend, cut);
            FOR_EACH_STRATEGY(row, true) {
                if (!cut_is_ours(row))
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
GPU_TEST(tiles, LONG(in_place)) {
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
            FOR_EACH_CUT(cut) {
                const uint64_t size = cut_at_most(n, cut);

                cut_into(backend, cut);
                trial_reload(&trial, &spread, f);
                MUST(cut_run(&trial, size, true, report));
                trial_reload(&trial, &runs, f);
                MUST(cut_run(&trial, size, true, report));
            }
            MUST(trial_close(&trial, report));
        }
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
        FOR_EACH_CUT_OF(WINNOW__LOOK_BACK, cut) {
            cut_into(backend, cut);
            MUST(cut_run(&trial, n, false, report)); /* asks the device */
            for (size_t g = 0; g < 4; g++) {
                cut_limit_blocks(backend, grids[g]);
                MUST(cut_run(&trial, n, false, report));
                MUST(cut_run(&trial, n, true, report));
            }
        }
        MUST(trial_close(&trial, report));
    }
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
    winnow__cuda_context *context = cut_context(backend);

    for (int type = WINNOW_UINT8; type <= WINNOW_UINT64; type++) {
        const uint64_t most =
            (reduced_mode() ? 1 : 6) * 32768 / element_size((winnow_type)type);
        const struct rule rule = rules_plain((winnow_type)type);
        struct trial trial;

        trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 26,
                   most + 1, 1);
        FOR_EACH_CUT_OF(WINNOW__COUNTS, cut) {
            for (int few = 0; few < 2; few++) {
                const unsigned multiprocessors = context->multiprocessors;

                FOR_EACH_CUT_OF(WINNOW__COUNTS, any) {
                    for (int size = 0; size < WINNOW__SIZES; size++)
                        cut_shapes(backend)->limits[any][size] =
                            any == cut ? UINT64_MAX : 0;
                }
                context->multiprocessors = few ? 1 : multiprocessors;
                count_edges(&trial, most);
                context->multiprocessors = multiprocessors;
            }
        }
        MUST(trial_close(&trial, report));
    }
}

/* What a device without programmatic dependent launch runs. */
GPU_TEST(tiles, without_overlap) {
    const struct rule rule = rules_plain(WINNOW_INT16);
    const uint64_t n = reduced_mode() ? 20000 : 250001;
    struct trial trial;

    cut_context(backend)->overlap = false;
    trial_open(&trial, backend, &rule, pattern_named("runs:32"), 11, n, 1);
    FOR_EACH_CUT(cut) {
        cut_into(backend, cut);
        MUST(cut_run(&trial, n, false, report));
        MUST(cut_run(&trial, n, true, report));
    }
    MUST(trial_close(&trial, report));
}

/* What a plan takes, where blocks may exchange counts and where they may not.
 */
static size_t planned_bytes(const winnow__query *query, uintptr_t in) {
    size_t most = 0;

    for (int exchange = 0; exchange <= 1; exchange++) {
        const winnow__constraints constraints = {.exchange = exchange != 0,
                                                 .ready = true,
                                                 .located = true,
                                                 .in = in};
        winnow__plan plan;
        size_t bytes;

        cr_assert_eq(winnow__plan_query(query, &constraints, &plan), WINNOW_OK);
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
    const uint64_t some = reduced_mode() ? 30001 : 300001;

    for (int type = WINNOW_UINT8; type <= WINNOW_UINT64; type++) {
        const struct rule rule = rules_plain((winnow_type)type);
        const unsigned size = (unsigned)element_size((winnow_type)type);
        struct trial trial;

        trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 18,
                   some, 0);
        FOR_EACH_CUT(cut) {
            cut_into(backend, cut);
            MUST(cut_run(&trial, some, false, report)); /* asks the device */
            cut_limit_blocks(backend, blocks);
            for (uint64_t tile = 512; tile <= 65536; tile *= 2)
                for (uint64_t n = blocks * tile - 16; n <= blocks * tile; n++) {
                    winnow__query query = {
                        .operation = &winnow__copy_if_operation,
                        .context = backend->context,
                        .predicate = trial.predicate,
                        .type = trial.predicate->type,
                        .n = n,
                        .launch = {.size = sizeof(query.launch),
                                   .order = WINNOW_STABLE}};
                    winnow_plan plan = {.size = sizeof(plan)};

                    cr_assert_eq(
                        winnow_copy_if(backend->context, trial.predicate,
                                       trial.rule.type, NULL, n, NULL,
                                       WINNOW_NO_LIMIT, NULL,
                                       WINNOW_LAUNCH(.order = WINNOW_STABLE,
                                                     .plan = &plan)),
                        WINNOW_OK);
                    for (uintptr_t at = 4096; at < 4096 + 16; at += size)
                        cr_assert_geq(plan.workspace_bytes,
                                      planned_bytes(&query, at),
                                      "n %llu, in %zu", (unsigned long long)n,
                                      (size_t)at);
                }
        }
        MUST(trial_close(&trial, report));
    }
}

/* More elements than one launch takes: said, whatever the sizes add up to. */
GPU_TEST(tiles, too_many_elements) {
    const struct rule rule = rules_plain(WINNOW_UINT8);
    winnow_plan plan = {.size = sizeof(plan)};
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 19, 100,
               0);
    for (int order = WINNOW_UNORDERED; order <= WINNOW_STABLE; order++) {
        for (uint64_t less = 0; less < 2000; less++)
            cr_assert_eq(
                winnow_copy_if(
                    backend->context, trial.predicate, trial.rule.type, NULL,
                    UINT64_MAX - less, NULL, WINNOW_NO_LIMIT, NULL,
                    WINNOW_LAUNCH(.order = (winnow_order)order, .plan = &plan)),
                WINNOW_ERR_UNSUPPORTED);
    }
    MUST(trial_close(&trial, report));
}
