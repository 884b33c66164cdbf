/*
 * winnow_copy_columns_if in one pass over the key: keys of every size and kind
 * of test, all edges of tiles, of the scan and of the selection; and which
 * calls take it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "tile/shapes.h"

#include "cut.h"
#include "element.h"
#include "keyed_columns.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"

#define SIZES 4
#define SELECTION_TILE 4096

/* A type of 2^log2 bytes: some are signed, some floats. */
static winnow_type type_of(unsigned log2, uint64_t number) {
    static const winnow_type types[SIZES][4] = {
        {WINNOW_INT8, WINNOW_UINT8, WINNOW_INT8, WINNOW_UINT8},
        {WINNOW_INT16, WINNOW_UINT16, WINNOW_FLOAT16, WINNOW_BFLOAT16},
        {WINNOW_INT32, WINNOW_UINT32, WINNOW_FLOAT32, WINNOW_INT32},
        {WINNOW_INT64, WINNOW_UINT64, WINNOW_FLOAT64, WINNOW_INT64}};

    return types[log2][number % 4];
}

/* Keys of 2^log2 bytes in a tile. */
static uint64_t tile_of(unsigned log2) {
    return winnow__marks_scan[log2][0].tile_bytes >> log2;
}

static struct keyed_columns_call draw_sized(uint64_t seed, uint64_t n,
                                            unsigned log2) {
    return keyed_columns_draw(seed, n, type_of(log2, data_random(seed, 40)));
}

/* ------------------------------------------------------------------- tiles */

GPU_TEST(keyed_columns, one_pass) {
    const unsigned trials = reduced_mode() ? 1 : 4;

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned log2 = 0; log2 < SIZES; log2++) {
        const uint64_t tile = tile_of(log2);
        const uint64_t sizes[] = {0,
                                  1,
                                  31,
                                  32,
                                  33,
                                  SELECTION_TILE - 1,
                                  SELECTION_TILE,
                                  SELECTION_TILE + 1,
                                  3 * SELECTION_TILE,
                                  tile - 1,
                                  tile,
                                  tile + 1,
                                  2 * tile,
                                  2 * tile + 7,
                                  3 * tile};

        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
            for (unsigned t = 0; t < trials; t++) {
                const struct keyed_columns_call call =
                    draw_sized(15000 + 100 * log2 + 6 * s + t, sizes[s], log2);

                MUST(keyed_columns_run(backend, &call, report));
            }
    }
}

/* All that is kept in a tile, or nothing, and some. */
GPU_TEST(keyed_columns, patterns) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned log2 = 0; log2 < SIZES; log2++)
        for (unsigned p = 0; p < PATTERNS; p++) {
            struct keyed_columns_call call = draw_sized(
                15500 + 20 * log2 + p, 2 * tile_of(log2) + 4000, log2);

            call.pattern = &patterns[p];
            call.capacity = WINNOW_NO_LIMIT;
            MUST(keyed_columns_run(backend, &call, report));
        }
}

/* One survivor, at either end of the array, and of tiles of both kinds. */
GPU_TEST(keyed_columns, one_survivor) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned log2 = 0; log2 < SIZES; log2++) {
        const uint64_t tile = tile_of(log2), n = 2 * tile + 5;
        const uint64_t places[] = {
            0, SELECTION_TILE - 1, SELECTION_TILE, tile - 1, tile, n - 1};

        for (unsigned p = 0; p < 6; p++) {
            struct keyed_columns_call call =
                draw_sized(15600 + 20 * log2 + p, n, log2);

            call.rule = rules_plain(call.rule.type);
            call.pattern = NULL;
            call.only = places[p];
            call.capacity = WINNOW_NO_LIMIT;
            MUST(keyed_columns_run(backend, &call, report));
        }
    }
}

/* The outputs end before, at and behind the last survivor. The count is that
 * of all survivors. */
GPU_TEST(keyed_columns, capacities) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned log2 = 0; log2 < SIZES; log2++) {
        const uint64_t tile = tile_of(log2), n = 2 * tile + 5;
        const uint64_t capacities[] = {0,
                                       1,
                                       SELECTION_TILE - 1,
                                       SELECTION_TILE,
                                       tile - 1,
                                       tile,
                                       tile + 1,
                                       n - 1,
                                       n + 9,
                                       UINT64_MAX - 1};

        for (unsigned c = 0; c < 10; c++) {
            struct keyed_columns_call call =
                draw_sized(15700 + 20 * log2 + c, n, log2);

            call.pattern = pattern_named(c % 2 == 0 ? "all" : "uniform:0.5");
            call.capacity = capacities[c];
            call.uncounted = false;
            MUST(keyed_columns_run(backend, &call, report));
        }
    }
}

/* Every kind of test, at the limits of each type. */
GPU_TEST(keyed_columns, rules) {
    const size_t step = reduced_mode() ? 5 : 1;

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    FOR_EACH_TYPE(type) {
        struct rule rules[RULES_MOST];
        const size_t number = rules_all(type, rules);

        for (size_t r = (size_t)type % step; r < number; r += step) {
            struct keyed_columns_call call =
                keyed_columns_draw(16000 + 100 * (uint64_t)type + r, 300, type);

            call.rule = rules[r];
            call.pattern = pattern_named("uniform:0.5");
            MUST(keyed_columns_run(backend, &call, report));
        }
    }
}

/* ----------------------------------------------------------------- columns */

/* The key first, in the midst and last; alone, and of columns that all have its
 * input. */
GPU_TEST(keyed_columns, places_of_the_key) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned log2 = 0; log2 < SIZES; log2++)
        for (unsigned number = 1; number <= 3; number++)
            for (unsigned keys = 1; keys < 1u << number; keys++) {
                struct keyed_columns_call call = draw_sized(
                    17300 + 60 * log2 + 10 * number + keys, 5000, log2);

                call.number = number;
                for (unsigned c = 0; c < number; c++) {
                    struct keyed_column *const column = &call.columns[c];

                    *column = (struct keyed_column){.bytes = 3 + c,
                                                    .out_ahead = c << log2};
                    if (keys >> c & 1) {
                        column->is_key = true;
                        column->bytes = (size_t)1 << log2;
                    }
                }
                MUST(keyed_columns_run(backend, &call, report));
            }
}

/* Beside the key, elements of every kind of size at any alignment. */
GPU_TEST(keyed_columns, other_columns) {
    static const size_t sizes[] = {1,  2,  3,   4,   6,   7,    8,    12,
                                   16, 31, 100, 256, 513, 1024, 2048, 4096};

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned s = 0; s < 16; s++)
        for (size_t ahead = 0; ahead < 16; ahead += reduced_mode() ? 5 : 1) {
            const uint64_t seed = 17600 + 16 * s + ahead;
            const uint64_t n = sizes[s] > 100 ? 150 : 4500;
            struct keyed_columns_call call = draw_sized(seed, n, seed % SIZES);

            call.number = 3;
            call.columns[0] = call.columns[2] =
                (struct keyed_column){.bytes = sizes[s], .in_ahead = ahead};
            call.columns[1] = (struct keyed_column){
                .bytes = (size_t)1 << seed % SIZES, .is_key = true};
            call.columns[2].out_ahead = 15 - ahead;
            MUST(keyed_columns_run(backend, &call, report));
        }
}

/* -------------------------------------------------------------------- ways */

#define ITEMS 20000

/* A key of 4 bytes between two others. */
static struct keyed_columns_call small_call(void) {
    struct keyed_columns_call call =
        keyed_columns_draw(18000, ITEMS, WINNOW_INT32);

    call.pattern = pattern_named("uniform:0.5");
    call.number = 3;
    call.columns[0] = (struct keyed_column){.bytes = 8};
    call.columns[1] = (struct keyed_column){.bytes = 4, .is_key = true};
    call.columns[2] = (struct keyed_column){.bytes = 5};
    return call;
}

/* Does the call ask the device how many blocks of the kernel are resident? Its
 * outcome is checked, too. */
static bool is_one_pass(const struct backend *backend,
                        const struct keyed_columns_call *call) {
    winnow__device_shapes *const shapes = cut_shapes(backend);
    struct report text = {{0}}, *const report = &text;
    bool asked = false;

    for (int size = 0; size < WINNOW__SIZES; size++)
        for (int kind = 0; kind < WINNOW__TEST_KINDS; kind++)
            atomic_store(
                &shapes->resident[WINNOW__SHAPE_marks_scan][size][kind], 0);
    cr_assert(keyed_columns_run(backend, call, report), "%s", report->text);
    for (int size = 0; size < WINNOW__SIZES; size++)
        for (int kind = 0; kind < WINNOW__TEST_KINDS; kind++)
            asked |=
                atomic_load(
                    &shapes->resident[WINNOW__SHAPE_marks_scan][size][kind]) !=
                0;
    return asked;
}

/* One pass, but for calls that are not as that one is in a way. */
GPU_TEST(keyed_columns, ways) {
    winnow__cuda_context *const context = cut_context(backend);
    winnow__device_shapes *const shapes = cut_shapes(backend);
    uint64_t *const limit = &shapes->limits[WINNOW__SHAPE_tile_scan_small][2];
    struct keyed_columns_call call = small_call(), other;

    call.asks = false; /* a plan asks, too */
    *limit = 4 * ITEMS;
    cr_assert_not(is_one_pass(backend, &call), "a small input");
    *limit = 4 * ITEMS - 1;
    cr_assert(is_one_pass(backend, &call), "a larger one");
    call.columns[1].out_ahead = 4;
    cr_assert(is_one_pass(backend, &call), "an output of any alignment");
    call.columns[0].in_ahead = call.columns[2].out_ahead = 1;
    cr_assert(is_one_pass(backend, &call), "other columns of any alignment");
    other = call;
    other.limited = true;
    cr_assert_not(is_one_pass(backend, &other), "their number on the device");
    other = call;
    other.placed = true;
    other.capacity = other.n;
    cr_assert_not(is_one_pass(backend, &other), "appended");
    other = call;
    other.key_ahead = 4;
    cr_assert_not(is_one_pass(backend, &other), "a misaligned key");
    for (unsigned c = 0; c < 3; c++) {
        other = call;
        other.columns[c].in_place = true;
        cr_assert_not(is_one_pass(backend, &other), "column %u in place", c);
    }
    other = call;
    other.columns[1].is_key = false;
    cr_assert_not(is_one_pass(backend, &other), "a key that is no column");
    other = call;
    other.columns[1].out_ahead = 2;
    cr_assert_not(is_one_pass(backend, &other), "a misaligned output of it");
    for (size_t bytes = 1; bytes <= 8; bytes++) {
        other = call;
        other.columns[1].bytes = bytes;
        cr_assert_eq(is_one_pass(backend, &other), bytes == 4,
                     "%zu bytes from where the key is", bytes);
    }
    context->shared_bytes = 96 * 1024;
    cr_assert_not(is_one_pass(backend, &call), "no room for a block");
}

/* Of columns with the key's input, one that can go with the key is enough. */
GPU_TEST(keyed_columns, ways_of_duplicates) {
    struct keyed_columns_call call = small_call();

    call.asks = false;
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    call.columns[0] = call.columns[2] = call.columns[1];
    cr_assert(is_one_pass(backend, &call), "three of them");
    call.columns[2].bytes = 8;
    cr_assert(is_one_pass(backend, &call), "of another size");
    call.columns[1].out_ahead = 3;
    cr_assert(is_one_pass(backend, &call), "of another alignment");
    call.columns[0].bytes = 3;
    cr_assert_not(is_one_pass(backend, &call), "none is left");
}

/* The key alone: of some items, and behind what is there. */
GPU_TEST(keyed_columns, alone) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned i = 0; i < 48; i++) {
        const unsigned log2 = i % SIZES;
        struct keyed_columns_call call =
            draw_sized(18100 + i, i < 24 ? 9000 : tile_of(log2) + i, log2);

        call.number = 1;
        call.columns[0] =
            (struct keyed_column){.bytes = (size_t)1 << log2,
                                  .out_ahead = (size_t)(i / 8 % 2) << log2,
                                  .is_key = true};
        call.placed = i / 4 % 3 != 0;
        call.limited = i / 4 % 3 != 1;
        call.same_word = call.limited && i % 3 == 0;
        if (call.placed && call.capacity > call.n)
            call.capacity = call.n;
        MUST(keyed_columns_run(backend, &call, report));
    }
}

/* Whatever keeps a call from one pass, the answers are the same; and what the
 * plan says is enough. */
GPU_TEST(keyed_columns, other_ways) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned i = 0; i < 48; i++) {
        const unsigned log2 = i % SIZES;
        struct keyed_columns_call call =
            draw_sized(18200 + i, 5000 + 7000 * (i % 3), log2);

        call.asks = i / 6 % 2 == 0;
        switch (i / SIZES % 6) {
        case 0:
            call.limited = true;
            call.same_word = i % 2 == 0;
            break;
        case 1:
            call.placed = true;
            if (call.capacity > call.n)
                call.capacity = call.n;
            break;
        case 2: /* of bytes there is none */
            call.key_ahead = log2 == 0 ? 1 : (size_t)1 << log2;
            break;
        case 3:
            for (unsigned c = 0; c < call.number; c++)
                call.columns[c].in_place = !call.columns[c].is_key;
            break;
        case 4:
            call.number = 2;
            call.columns[0] = (struct keyed_column){
                .bytes = (size_t)1 << log2, .is_key = true, .in_place = true};
            call.columns[1] = (struct keyed_column){.bytes = 4};
            break;
        default:
            for (unsigned c = 0; c < call.number; c++)
                call.columns[c].is_key = false;
            break;
        }
        MUST(keyed_columns_run(backend, &call, report));
    }
}

/* --------------------------------------------------------------- workspace */

/* A plan is one of one pass as soon as a key that may be one of the columns
 * would take it. */
GPU_TEST(keyed_columns, workspace_of_a_key) {
    uint64_t *const limits =
        cut_shapes(backend)->limits[WINNOW__SHAPE_tile_scan_small];
    struct keyed_columns_call call = small_call(), other;
    size_t selection;

    for (unsigned log2 = 0; log2 < SIZES; log2++)
        limits[log2] = UINT64_MAX;
    selection = keyed_columns_plan(backend, &call);
    limits[2] = 4 * ITEMS - 1;
    cr_assert_gt(keyed_columns_plan(backend, &call), selection);
    other = call;
    other.columns[1].bytes = 8;
    cr_assert_eq(keyed_columns_plan(backend, &other), selection,
                 "no column of its size");
    other = call;
    other.columns[2].in_place = true;
    cr_assert_gt(keyed_columns_plan(backend, &other), selection,
                 "packing in place takes some");
}

/* What a plan says is enough, whichever way a call takes. */
GPU_TEST(keyed_columns, workspace) {
    for (int large = 0; large < 2; large++) {
        cut_into(backend, large ? WINNOW__SHAPE_tile_scan_large
                                : WINNOW__SHAPE_tile_scan_small);
        for (unsigned log2 = 0; log2 < SIZES; log2++)
            for (uint64_t n = 1; n < 3 * tile_of(log2); n = 3 * n + 1) {
                struct keyed_columns_call call =
                    draw_sized(18400 + n + log2, n, log2);

                call.asks = true;
                MUST(keyed_columns_run(backend, &call, report));
            }
    }
}
