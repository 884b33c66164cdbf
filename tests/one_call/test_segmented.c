/*
 * winnow_segmented_copy_if in one pass over the elements: tiles of every size
 * of elements, words of marks that end anywhere; and which calls take it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#include "tile/shapes.h"

#include "cut.h"
#include "element.h"
#include "reduced.h"
#include "segmented.h"
#include "suite.h"

static const winnow_type types[] = {WINNOW_UINT8, WINNOW_FLOAT16, WINNOW_INT32,
                                    WINNOW_FLOAT64};

/* Elements of a type in a tile. */
static uint64_t tile_of(unsigned t) {
    return winnow__marks_scan[t][0].tile_bytes >> t;
}

GPU_TEST(segmented, one_pass) {
    const unsigned trials = reduced_mode() ? 1 : 4;

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned t = 0; t < 4; t++) {
        const uint64_t tile = tile_of(t);
        const uint64_t sizes[] = {1,    31,   32,       33,       4096,
                                  4097, tile, tile + 1, 3 * tile, 2 * tile + 7};

        for (size_t s = 0; s < 10; s++)
            for (unsigned i = 0; i < trials; i++) {
                const struct segmented_call call = segmented_draw(
                    8000 + 100 * t + 10 * s + i, sizes[s], types[t]);

                MUST(segmented_run(backend, &call, report));
            }
    }
}

/* Of each pattern, in segments of one element or less. */
GPU_TEST(segmented, LONG(small_segments)) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned t = 0; t < 4; t++)
        for (size_t p = 0; p < PATTERNS; p++) {
            struct segmented_call call =
                segmented_draw(8500 + 10 * t + p, 13000, types[t]);

            call.in_ahead = 0;
            call.pattern = &patterns[p];
            call.number = 14000;
            MUST(segmented_run(backend, &call, report));
        }
}

/* Is the workspace enough? Otherwise nothing is written. */
static bool suffices(const struct backend *backend,
                     const struct segmented_call *call) {
    struct report text = {{0}}, *const report = &text;
    const bool good = segmented_run(backend, call, report);

    cr_assert(good || strstr(report->text, "are needed") != NULL, "%s",
              report->text);
    return good;
}

GPU_TEST(segmented, ways) {
    const uint64_t n = 60000;
    winnow__cuda_context *const context = cut_context(backend);
    winnow__device_shapes *const shapes = cut_shapes(backend);
    struct segmented_call call = segmented_draw(8600, n, WINNOW_INT32);
    size_t one_pass, two_passes;

    shapes->limits[WINNOW__SHAPE_tile_scan_small][2] = 4 * n;
    two_passes = segmented_plan(backend, &call);
    call.in_ahead = 0;
    call.workspace_bytes = two_passes;
    cr_assert(suffices(backend, &call), "a small input");
    shapes->limits[WINNOW__SHAPE_tile_scan_small][2] = 4 * n - 1;
    one_pass = segmented_plan(backend, &call);
    cr_assert_gt(one_pass, two_passes);
    cr_assert_not(suffices(backend, &call), "a larger one");
    call.in_ahead = 1;
    cr_assert(suffices(backend, &call), "misaligned elements");
    call.in_ahead = 0;
    call.workspace_bytes = one_pass;
    cr_assert(suffices(backend, &call), "enough of it");
    context->shared_bytes = 96 * 1024;
    cr_assert_eq(segmented_plan(backend, &call), two_passes);
    call.workspace_bytes = two_passes;
    cr_assert(suffices(backend, &call), "no room for a block");
}

/* By a selection: some of the items, and behind what is there. */
GPU_TEST(segmented, other_ways) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned i = 0; i < 24; i++) {
        struct segmented_call call =
            segmented_draw(8700 + i, 9000 + i, types[i % 4]);

        call.in_ahead = 0;
        call.limited = i / 4 % 3 != 1;
        call.same_word = i / 4 == 2 || i / 4 == 3;
        call.limited |= call.same_word;
        call.placed = i / 4 % 3 != 0;
        call.position = call.placed ? data_random(i, 1) % 300 : 0;
        if (call.placed)
            call.capacity = data_random(i, 2) % (call.n + call.position + 1);
        MUST(segmented_run(backend, &call, report));
    }
}
