/*
 * Sizes and alignments: every n around the edges of vectors, warps, blocks and
 * tiles, and pointers with no more than their element's alignment.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "element.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"
#include "trial.h"

/* No strategy's tile holds more of the input than this. */
#define LARGEST_TILE_BYTES 65536
/* Every tile is a multiple of this many elements. */
#define EDGE 256

/* The first n of one input, in every strategy. */
static void run_prefix(struct trial *trial, uint64_t n, unsigned out_offset) {
    FOR_EACH_STRATEGY(row, trial->backend->gpu) {
        struct trial_call call = TRIAL_CALL_INIT;
        call.row = row;
        call.n = n;
        call.out_offset = out_offset;
        MUST(trial_run(trial, &call, report));
    }
}

BACKEND_TEST(sizes, small) {
    static const char *const names[] = {"uniform:0.5", "all", "none"};
    const uint64_t most = reduced_mode() ? 40 : 130;

    FOR_EACH_TYPE(type) {
        const struct rule rule = rules_plain(type);

        for (size_t i = 0; i < (reduced_mode() ? 1 : 3); i++) {
            struct trial trial;

            trial_open(&trial, backend, &rule, pattern_named(names[i]), 3, most,
                       0);
            /* One type in three has each size. */
            for (uint64_t n = reduced_mode() ? (uint64_t)type % 3 : 0;
                 n <= most; n += reduced_mode() ? 3 : 1)
                run_prefix(&trial, n, 0);
            MUST(trial_close(&trial, report));
        }
    }
}

/* n from 2 below to 2 above every multiple of EDGE, up to three tiles. */
static void run_edges(const struct backend *backend, winnow_type type) {
    const uint64_t most =
        reduced_mode() ? 4 * EDGE : 3 * LARGEST_TILE_BYTES / element_size(type);
    const struct rule rule = rules_plain(type);
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 4,
               most + 2, 0);
    for (uint64_t edge = EDGE; edge <= most; edge += EDGE)
        for (uint64_t n = edge - 2; n <= edge + 2; n++)
            run_prefix(&trial, n, 0);
    MUST(trial_close(&trial, report));
}

BACKEND_TEST(sizes, edges_1_byte) {
    run_edges(backend, WINNOW_INT8);
}

BACKEND_TEST(sizes, edges_2_bytes) {
    run_edges(backend, WINNOW_FLOAT16);
}

BACKEND_TEST(sizes, edges_4_bytes) {
    run_edges(backend, WINNOW_INT32);
}

BACKEND_TEST(sizes, edges_8_bytes) {
    run_edges(backend, WINNOW_FLOAT64);
}

/*
 * Exact allocations: a read past the end of the input is seen by the tools
 * that look for it, and all of the input counts.
 */
BACKEND_TEST(sizes, exact_allocations) {
    static const winnow_type types[] = {WINNOW_UINT8, WINNOW_BFLOAT16,
                                        WINNOW_FLOAT32, WINNOW_UINT64};
    static const uint64_t sizes[] = {0,   1,   15,  16,   17,   127,  128,
                                     255, 257, 511, 1023, 1025, 4095, 4097};
    const unsigned step = reduced_mode() ? 5 : 1;

    for (size_t t = 0; t < 4; t++) {
        const struct rule rule = rules_plain(types[t]);

        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
            for (unsigned offset = 0; offset < 8; offset += step) {
                struct trial trial;

                trial_open(&trial, backend, &rule, pattern_named("all"), 5,
                           sizes[s], offset);
                run_prefix(&trial, sizes[s], 0);
                MUST(trial_close(&trial, report));
            }
        }
    }
}

/* Both pointers off by every number of elements, together and apart. */
BACKEND_TEST(sizes, LONG(offsets)) {
    static const winnow_type types[] = {WINNOW_UINT8, WINNOW_INT16,
                                        WINNOW_UINT32, WINNOW_INT64};
    static const uint64_t sizes[] = {1, 9, 33, 1000, 4999};
    const size_t size_count = reduced_mode() ? 4 : 5;
    const unsigned step = reduced_mode() ? 5 : 1;

    for (size_t t = 0; t < 4; t++) {
        const struct rule rule = rules_plain(types[t]);

        for (unsigned in = 0; in < TRIAL_OFFSETS; in += step) {
            struct trial trial;

            trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 6,
                       sizes[4], in);
            for (unsigned out = 0; out < TRIAL_OFFSETS; out += step)
                for (size_t s = 0; s < size_count; s++)
                    run_prefix(&trial, sizes[s], out);
            MUST(trial_close(&trial, report));
        }
    }
}

static void run_large(const struct backend *backend, winnow_type type,
                      const char *pattern, uint64_t n) {
    const struct rule rule = rules_plain(type);
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named(pattern), 7, n, 1);
    run_prefix(&trial, n, 1);
    MUST(trial_close(&trial, report));
}

BACKEND_TEST(sizes, a_million) {
    const uint64_t n = reduced_mode() ? 5000 : 1 << 20;

    FOR_EACH_TYPE(type) {
        run_large(backend, type, "uniform:0.5", n);
        run_large(backend, type, "runs:1024", n);
    }
}

BACKEND_TEST(sizes, sixteen_million) {
    const uint64_t n = reduced_mode() ? 20000 : 1 << 24;

    run_large(backend, WINNOW_UINT8, "uniform:0.5", n);
    run_large(backend, WINNOW_BFLOAT16, "runs:65536", n);
    run_large(backend, WINNOW_INT32, "uniform:0.99", n);
    run_large(backend, WINNOW_FLOAT64, "uniform:0.01", n);
}
