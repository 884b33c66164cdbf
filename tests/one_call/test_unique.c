/*
 * Runs of equal keys in one pass over the keys: tiles of every size of keys,
 * all edges and alignments; and which calls take it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#include "cuda/memory.h"
#include "tile/shapes.h"

#include "cut.h"
#include "data.h"
#include "reduced.h"
#include "runs.h"
#include "suite.h"

/* Keys of 2^log2 bytes in a tile. */
static uint64_t tile_of(unsigned log2) {
    return winnow__heads_scan[log2][0].tile_bytes >> log2;
}

/* ------------------------------------------------------------------- tiles */

GPU_TEST(unique, one_pass) {
    const unsigned trials = reduced_mode() ? 1 : 4;

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned log2 = 0; log2 < 4; log2++) {
        const uint64_t tile = tile_of(log2);
        const uint64_t sizes[] = {1,        2,        33,
                                  tile - 1, tile,     tile + 1,
                                  2 * tile, 3 * tile, 2 * tile + 7};

        for (size_t s = 0; s < 9; s++)
            for (unsigned t = 0; t < trials; t++) {
                const struct runs_call call = runs_draw(
                    6000 + 100 * log2 + 10 * s + t, sizes[s], 1u << log2, 0);

                MUST(runs_run(backend, &call, report));
            }
    }
}

/* With values: keys are marked, and those that do not begin at a vector go the
 * other way. */
GPU_TEST(unique, by_key) {
    const unsigned trials = reduced_mode() ? 1 : 3;
    static const size_t value_bytes[] = {1, 4, 5, 8, 16};

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned log2 = 0; log2 < 4; log2++) {
        const uint64_t tile =
            winnow__heads_marks_scan[log2][0].tile_bytes >> log2;
        const uint64_t sizes[] = {1,    31,   32,       33,       4096,
                                  4097, tile, tile + 1, 3 * tile, 2 * tile + 7};

        for (size_t s = 0; s < 10; s++)
            for (unsigned t = 0; t < trials; t++) {
                const struct runs_call call =
                    runs_draw(7000 + 100 * log2 + 10 * s + t, sizes[s],
                              1u << log2, value_bytes[(s + t) % 5]);

                MUST(runs_run(backend, &call, report));
            }
    }
}

/* Each way for the keys to begin in a vector; runs that begin where vectors,
 * rows, warps' parts and tiles do. */
GPU_TEST(unique, alignments) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned log2 = 0; log2 < 4; log2++)
        for (unsigned ahead = 0; ahead < 16u >> log2; ahead++)
            for (unsigned n = 7; n < 310; n += 301) {
                struct runs_call call =
                    runs_draw(6500 + 20 * log2 + ahead, n, 1u << log2, 0);

                call.in_ahead = ahead;
                MUST(runs_run(backend, &call, report));
            }
}

GPU_TEST(unique, boundaries) {
    static const uint64_t periods[] = {16, 512, 3072, 49152};

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned log2 = 0; log2 < 4; log2++)
        for (unsigned p = 0; p < 4; p++) {
            struct runs_call call = runs_draw(
                6600 + 4 * log2 + p, 2 * tile_of(log2) + 50, 1u << log2, 0);

            call.period = periods[p];
            call.in_ahead = p % 2;
            call.capacity = WINNOW_NO_LIMIT;
            MUST(runs_run(backend, &call, report));
        }
}

/* -------------------------------------------------------------------- ways */

/* The words of a look-back fit in this, a selection of the items does not. */
enum {
    ITEMS = 60000,
    LITTLE = WINNOW__CURSOR_BYTES + 8 * 16
};

static struct runs_call small_call(void) {
    struct runs_call call = runs_draw(6700, ITEMS, 4, 0);

    call.workspace_bytes = LITTLE;
    return call;
}

/* Is the workspace enough? Otherwise nothing is written. */
static bool suffices(const struct backend *backend,
                     const struct runs_call *call) {
    struct report text = {{0}}, *const report = &text;
    const bool good = runs_run(backend, call, report);

    cr_assert(good || strstr(report->text, "are needed") != NULL, "%s",
              report->text);
    return good;
}

GPU_TEST(unique, ways) {
    winnow__cuda_context *const context = cut_context(backend);
    winnow__device_shapes *const shapes = cut_shapes(backend);
    struct runs_call call = small_call();

    shapes->limits[WINNOW__SHAPE_tile_scan_small][2] = 4 * ITEMS;
    cr_assert_not(suffices(backend, &call), "a small input");
    shapes->limits[WINNOW__SHAPE_tile_scan_small][2] = 4 * ITEMS - 1;
    cr_assert(suffices(backend, &call), "a larger one");
    call.limited = true;
    cr_assert(suffices(backend, &call), "their number on the device");
    call.same_word = true;
    call.uncounted = false;
    cr_assert(suffices(backend, &call), "in the count's word");
    call.limited = call.same_word = false;
    call.placed = true;
    call.capacity = ITEMS;
    cr_assert(suffices(backend, &call), "appended");
    call.placed = false;
    call.last = true;
    cr_assert_not(suffices(backend, &call), "the last of each run");
    call.last = false;
    call.by_value = true;
    cr_assert_not(suffices(backend, &call), "floats by value");
    call.by_value = false;
    context->shared_bytes = 96 * 1024;
    cr_assert_not(suffices(backend, &call), "no room for a block");
}

/* Values are packed by a selection, and the keys before that, or after. */
GPU_TEST(unique, by_key_ways) {
    winnow__device_shapes *const shapes = cut_shapes(backend);
    struct runs_call call = runs_draw(6710, ITEMS, 8, 4);
    size_t one_pass, two_passes;

    for (int size = 0; size < WINNOW__SIZES; size++)
        shapes->limits[WINNOW__SHAPE_tile_scan_small][size] = UINT64_MAX;
    two_passes = runs_plan(backend, &call);
    shapes->limits[WINNOW__SHAPE_tile_scan_small][3] = 8 * ITEMS - 1;
    one_pass = runs_plan(backend, &call);
    cr_assert_gt(one_pass, two_passes);
    call.in_ahead = 0;
    call.workspace_bytes = two_passes;
    cr_assert_not(suffices(backend, &call), "aligned keys");
    call.in_ahead = 1;
    cr_assert(suffices(backend, &call), "misaligned keys take two passes");
    call.in_ahead = 0;
    call.workspace_bytes = one_pass;
    cr_assert(suffices(backend, &call), "enough of it");
}

/* Those give the same answers, and so do keys of other sizes. */
GPU_TEST(unique, other_ways) {
    static const size_t key_bytes[] = {3, 4, 12, 16};

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned i = 0; i < 40; i++) {
        struct runs_call call = runs_draw(6800 + i, 15000, key_bytes[i % 4], 0);

        call.last = i / 4 % 5 == 1;
        call.by_value = call.key_bytes == 4 && i / 4 % 5 == 2;
        call.limited = i / 4 % 5 == 3;
        call.same_word = call.limited && i >= 20;
        call.odd = i / 4 % 5 == 0;
        call.placed = i / 4 % 5 == 4;
        if (call.placed && call.capacity > call.n)
            call.capacity = call.n;
        call.value_bytes = i % 2 * 4;
        MUST(runs_run(backend, &call, report));
    }
}

/* In one pass, too: of some items, and behind what is there. */
GPU_TEST(unique, limits) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned i = 0; i < 48; i++) {
        const unsigned log2 = i % 4;
        struct runs_call call = runs_draw(
            6850 + i, i < 24 ? 15000 : tile_of(log2) + i, 1u << log2, 0);

        call.placed = i / 4 % 3 != 0;
        call.limited = i / 4 % 3 != 1;
        call.same_word = call.limited && i % 3 == 0;
        if (call.placed && call.capacity > call.n)
            call.capacity = call.n;
        MUST(runs_run(backend, &call, report));
    }
}

/* What a plan says is enough, whichever way a call takes. */
GPU_TEST(unique, workspace) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned log2 = 0; log2 < 4; log2++)
        for (uint64_t n = 1; n < 3 * tile_of(log2); n = 3 * n + 1) {
            struct runs_call call =
                runs_draw(6900 + n + log2, n, 1u << log2, n % 2 * 4);

            call.workspace_bytes = runs_plan(backend, &call);
            MUST(runs_run(backend, &call, report));
        }
}
