/*
 * winnow_copy_columns_if by a field, in one pass over the records: fields everywhere in a
 * record, all edges of tiles, in place; and which calls take it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#include "cuda/memory.h"
#include "tile/shapes.h"

#include "cut.h"
#include "element.h"
#include "records.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"

/* Records of 16 << log2 bytes. */
#define SIZES 3

static size_t bytes_of(unsigned log2) {
    return (size_t)16 << log2;
}

static uint64_t tile_of(unsigned log2) {
    return winnow__records_scan[log2][0].tile_bytes / bytes_of(log2);
}

/* The type of a size that a number says: some are signed, some floats. */
static winnow_type type_of(unsigned log2_size, uint64_t number) {
    static const winnow_type types[4][4] = {
        {WINNOW_INT8, WINNOW_UINT8, WINNOW_INT8, WINNOW_UINT8},
        {WINNOW_INT16, WINNOW_UINT16, WINNOW_FLOAT16, WINNOW_BFLOAT16},
        {WINNOW_INT32, WINNOW_UINT32, WINNOW_FLOAT32, WINNOW_INT32},
        {WINNOW_INT64, WINNOW_UINT64, WINNOW_FLOAT64, WINNOW_INT64}};

    return types[log2_size][number % 4];
}

/* ------------------------------------------------------------------- tiles */

static void run_sizes(const struct backend *backend, uint64_t seed,
                      bool in_place) {
    const unsigned trials = reduced_mode() ? 1 : 4;

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned log2 = 0; log2 < SIZES; log2++) {
        const uint64_t tile = tile_of(log2);
        const uint64_t sizes[] = {
            0,    1,        2,        31,       33,           tile - 1,
            tile, tile + 1, 2 * tile, 3 * tile, 2 * tile + 7, 5 * tile - 1};

        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
            for (unsigned t = 0; t < trials; t++) {
                struct records_call call = records_draw(
                    seed + 100 * log2 + 8 * s + t, sizes[s], bytes_of(log2));

                call.in_place = in_place;
                MUST(records_run(backend, &call, report));
            }
    }
}

GPU_TEST(records, one_pass) {
    run_sizes(backend, 11000, false);
}

GPU_TEST(records, in_place) {
    run_sizes(backend, 11300, true);
}

/* All that is kept in a tile, or nothing, and some. */
GPU_TEST(records, patterns) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned log2 = 0; log2 < SIZES; log2++)
        for (unsigned p = 0; p < PATTERNS; p++) {
            struct records_call call = records_draw(
                11600 + 20 * log2 + p, 3 * tile_of(log2) - 5, bytes_of(log2));

            call.pattern = &patterns[p];
            call.capacity = WINNOW_NO_LIMIT;
            MUST(records_run(backend, &call, report));
        }
}

/* One survivor, at either end of the array and of a tile. */
GPU_TEST(records, one_survivor) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned log2 = 0; log2 < SIZES; log2++) {
        const uint64_t tile = tile_of(log2), n = 2 * tile + 5;
        const uint64_t places[] = {0, tile - 1, tile, n - 1};

        for (unsigned p = 0; p < 4; p++)
            for (int in_place = 0; in_place < 2; in_place++) {
                struct records_call call =
                    records_draw(11700 + 20 * log2 + 2 * p, n, bytes_of(log2));

                call.pattern = NULL;
                call.only = places[p];
                call.in_place = in_place != 0;
                MUST(records_run(backend, &call, report));
            }
    }
}

/* The output ends before, at and behind the last survivor; at the edges of what
 * a warp stores, and of a tile. */
GPU_TEST(records, capacities) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned log2 = 0; log2 < SIZES; log2++) {
        const uint64_t tile = tile_of(log2), n = 2 * tile + 5;
        const uint64_t many = UINT64_C(1) << 62; /* 0, of vectors */
        const uint64_t capacities[12] = {0,     1,    7,        8,
                                         9,     tile, tile + 1, n - 1,
                                         n + 9, many, 2 * many, UINT64_MAX};

        for (unsigned c = 0; c < 12; c++) {
            struct records_call call =
                records_draw(11800 + 20 * log2 + c, n, bytes_of(log2));

            call.pattern = pattern_named(c % 2 == 0 ? "all" : "uniform:0.5");
            call.capacity = capacities[c];
            call.uncounted = false;
            MUST(records_run(backend, &call, report));
        }
    }
}

/* ------------------------------------------------------------------ fields */

/* Every size of fields, at every byte of a record. Those across two vectors go
 * the other way. */
GPU_TEST(records, fields) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned log2 = 0; log2 < SIZES; log2++)
        for (unsigned size = 0; size < 4; size++)
            for (size_t at = 0; at + (1u << size) <= bytes_of(log2); at++) {
                const uint64_t seed = 12000 + 300 * log2 + 70 * size + at;
                struct records_call call =
                    records_draw(seed, 90 + seed % 9, bytes_of(log2));
                struct rule rules[RULES_KINDS];

                rules_kinds(type_of(size, data_random(seed, 40)), rules);
                call.rule = rules[data_random(seed, 41) % RULES_KINDS];
                call.pattern = pattern_named("uniform:0.5");
                call.field = at;
                MUST(records_run(backend, &call, report));
            }
}

/* Every kind of test, at the limits of each type. */
GPU_TEST(records, rules) {
    const size_t step = reduced_mode() ? 3 : 1;

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    FOR_EACH_TYPE(type) {
        struct rule rules[RULES_MOST];
        const size_t number = rules_all(type, rules);
        const size_t places = 17 - element_size(type);

        for (size_t r = (size_t)type % step; r < number; r += step) {
            const uint64_t seed = 13000 + 100 * (uint64_t)type + r;
            struct records_call call =
                records_draw(seed, 200, bytes_of(seed % SIZES));

            call.rule = rules[r];
            call.pattern = pattern_named("uniform:0.5");
            call.field = call.field / 16 * 16 + data_random(seed, 40) % places;
            MUST(records_run(backend, &call, report));
        }
    }
}

/* -------------------------------------------------------------------- ways */

/* The words of a look-back fit in this, a selection of the records does not. */
enum {
    INPUT = 320000, /* bytes */
    LITTLE = WINNOW__CURSOR_BYTES + 8 * 16
};

static struct records_call small_call(unsigned log2) {
    struct records_call call =
        records_draw(14000 + log2, INPUT / bytes_of(log2), bytes_of(log2));

    call.rule = rules_plain(WINNOW_UINT32);
    call.field = bytes_of(log2) - 4;
    call.in_place = false;
    call.workspace_bytes = LITTLE;
    return call;
}

/* Was the device asked about the kernel? */
static bool is_asked(const struct backend *backend, unsigned log2) {
    return atomic_load(&cut_shapes(backend)
                            ->resident[WINNOW__SHAPE_records_scan][log2][0]) !=
           0;
}

/* Is the workspace enough? Otherwise nothing is written. */
static bool suffices(const struct backend *backend,
                     const struct records_call *call) {
    struct report text = {{0}}, *const report = &text;
    const bool good = records_run(backend, call, report);

    cr_assert(good || strstr(report->text, "are needed") != NULL, "%s",
              report->text);
    return good;
}

/* One pass, but for calls that are not as that one is in a way. */
GPU_TEST(records, ways) {
    winnow__device_shapes *const shapes = cut_shapes(backend);
    uint64_t *const limit = &shapes->limits[WINNOW__SHAPE_tile_scan_small][3];

    for (unsigned log2 = 0; log2 < SIZES; log2++) {
        struct records_call call = small_call(log2), other;

        *limit = INPUT;
        cr_assert_not(suffices(backend, &call), "a small input");
        cr_assert_not(is_asked(backend, log2));
        *limit = INPUT - 1;
        cr_assert(suffices(backend, &call), "a larger one");
        cr_assert(is_asked(backend, log2));
        call.in_place = true;
        cr_assert(suffices(backend, &call), "in place");
        call.in_place = false;
        other = call;
        other.limited = true;
        cr_assert(suffices(backend, &other), "their number on the device");
        other.same_word = true;
        other.uncounted = false;
        cr_assert(suffices(backend, &other), "in the count's word");
        other = call;
        other.placed = true;
        other.capacity = other.n;
        cr_assert_not(suffices(backend, &other), "appended");
        other = call;
        other.in_ahead = 8;
        cr_assert_not(suffices(backend, &other), "a misaligned input");
        other = call;
        other.out_ahead = 8;
        cr_assert_not(suffices(backend, &other), "a misaligned output");
        for (size_t at = bytes_of(log2) - 16; at < bytes_of(log2) - 3; at++) {
            other = call;
            other.field = at;
            cr_assert(suffices(backend, &other), "a field in a vector");
        }
        for (size_t at = 13; log2 != 0 && at < 16; at++) {
            other.field = at;
            cr_assert_not(suffices(backend, &other), "a field in two");
        }
    }
}

GPU_TEST(records, other_sizes) {
    static const size_t sizes[] = {8, 15, 17, 24, 48, 128};

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned s = 0; s < 6; s++) {
        struct records_call call = small_call(0);

        call.bytes = sizes[s];
        call.field = 0;
        cr_assert_not(suffices(backend, &call), "%zu bytes", sizes[s]);
        call.workspace_bytes = 0;
        MUST(records_run(backend, &call, report));
    }
}

GPU_TEST(records, no_room_for_a_block) {
    struct records_call call = small_call(1);

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    cut_context(backend)->shared_bytes = 96 * 1024;
    cr_assert_not(suffices(backend, &call));
    call.workspace_bytes = 0;
    MUST(records_run(backend, &call, report));
}

/* Whatever keeps a call from one pass, the answers are the same. */
GPU_TEST(records, other_ways) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned i = 0; i < 30; i++) {
        const unsigned log2 = i % SIZES;
        struct records_call call =
            records_draw(14100 + i, tile_of(log2) + 50, bytes_of(log2));

        switch (i / SIZES % 5) {
        case 0:
            call.limited = true;
            call.same_word = i % 2 == 0;
            break;
        case 1:
            call.placed = true;
            call.in_place = false;
            if (call.capacity > call.n)
                call.capacity = call.n;
            break;
        case 2:
            call.in_ahead = 1 + i % 15;
            break;
        case 3:
            call.out_ahead = 1 + i % 15;
            break;
        default:
            call.field = log2 == 0 ? 0 : 16 - element_size(call.rule.type) / 2;
            break;
        }
        MUST(records_run(backend, &call, report));
    }
}

/* What a plan says is enough, whichever way a call takes. */
GPU_TEST(records, workspace) {
    for (int large = 0; large < 2; large++) {
        cut_into(backend, large ? WINNOW__SHAPE_tile_scan_large
                                : WINNOW__SHAPE_tile_scan_small);
        for (unsigned log2 = 0; log2 < SIZES; log2++)
            for (uint64_t n = 1; n < 4 * tile_of(log2); n = 3 * n + 1) {
                struct records_call call =
                    records_draw(14200 + n + log2, n, bytes_of(log2));

                call.in_place = n % 2 == 0;
                call.workspace_bytes = records_plan(backend, &call);
                MUST(records_run(backend, &call, report));
            }
    }
}
