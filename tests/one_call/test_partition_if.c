/*
 * winnow_partition_if into two arrays, in one pass over the input: tiles of
 * every size of elements, all edges and alignments; and which calls take it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "cuda/memory.h"
#include "tile/shapes.h"

#include "cut.h"
#include "element.h"
#include "parted.h"
#include "reduced.h"
#include "suite.h"

static const winnow_type types[] = {WINNOW_UINT8, WINNOW_FLOAT16, WINNOW_INT32,
                                    WINNOW_FLOAT64};

/* Elements of a type in a tile. */
static uint64_t tile_of(winnow_type type) {
    const winnow__type_info *const info = winnow__type(type);

    return winnow__parts_scan[info->log2_size][0].tile_bytes / info->size;
}

/* All of n, and whatever else is drawn by the seed. */
static struct parted_call call_of(winnow_type type, uint64_t n,
                                  const struct pattern *pattern,
                                  uint64_t seed) {
    struct rule rules[RULES_KINDS];
    const uint64_t drawn = data_random(seed, 1);
    const size_t most = 16 / element_size(type);

    rules_kinds(type, rules);
    return (struct parted_call){.rule = rules[drawn % RULES_KINDS],
                                .pattern = pattern,
                                .seed = seed,
                                .n = n,
                                .in_ahead = (unsigned)(drawn / 8 % most),
                                .kept_ahead = (unsigned)(drawn / 128 % most),
                                .rejected_ahead =
                                    (unsigned)(drawn / 2048 % most),
                                .counted = drawn / 32768 % 4 != 0};
}

/* ------------------------------------------------------------------- tiles */

GPU_TEST(partition_if, one_pass) {
    const size_t step = reduced_mode() ? 3 : 1;

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (size_t t = 0; t < 4; t++) {
        const uint64_t tile = tile_of(types[t]);
        const uint64_t sizes[] = {1,    2,        33,       tile - 1,
                                  tile, tile + 1, 3 * tile, 2 * tile + 7};

        for (size_t s = 0; s < 8; s++)
            for (size_t p = (s + t) % step; p < PATTERNS; p += step) {
                const uint64_t seed = 5000 + 100 * t + 10 * s + p;
                const struct parted_call call =
                    call_of(types[t], sizes[s], &patterns[p], seed);

                MUST(parted_run(backend, &call, report));
            }
    }
}

/* Each way for the array to begin in a vector, and for the parts to. */
GPU_TEST(partition_if, alignments) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (size_t t = 0; t < 4; t++) {
        const unsigned most = (unsigned)(16 / element_size(types[t]));

        for (unsigned ahead = 0; ahead < most; ahead++)
            for (unsigned n = 7; n < 310; n += 301) {
                struct parted_call call =
                    call_of(types[t], n, pattern_named("uniform:0.5"),
                            5500 + 20 * t + ahead);

                call.in_ahead = ahead;
                call.kept_ahead = ahead * 5 % most;
                call.rejected_ahead = (ahead * 3 + 1) % most;
                MUST(parted_run(backend, &call, report));
            }
    }
}

/* The device reads how many there are: none, or half of them. */
GPU_TEST(partition_if, limits) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (size_t t = 0; t < 4; t++)
        for (size_t s = 0; s < 6; s++) {
            const uint64_t tile = tile_of(types[t]);
            const uint64_t sizes[] = {1,        99,           tile,
                                      2 * tile, 2 * tile + 3, 5 * tile};
            struct parted_call call =
                call_of(types[t], sizes[s], pattern_named("runs:32"),
                        5650 + 10 * t + s);

            call.limited = true;
            MUST(parted_run(backend, &call, report));
        }
}

/* -------------------------------------------------------------------- ways */

/* The words of a look-back fit in this, a selection of the items does not. */
enum {
    ITEMS = 60000,
    LITTLE = WINNOW__CURSOR_BYTES + 8 * 16
};

static struct parted_call small_call(void) {
    struct parted_call call =
        call_of(WINNOW_UINT32, ITEMS, pattern_named("uniform:0.5"), 5600);

    call.workspace_bytes = LITTLE;
    return call;
}

/* Is that little workspace enough? Otherwise nothing is written. */
static bool is_one_pass(const struct backend *backend,
                        const struct parted_call *call) {
    struct report text = {{0}}, *const report = &text;
    struct parted parted;
    winnow_status status;

    parted_open(&parted, backend, call);
    status = parted_enqueue(&parted);
    cr_assert(status == WINNOW_OK || status == WINNOW_ERR_WORKSPACE, "%s",
              winnow_last_error());
    /* Then it is not as expected. */
    cr_assert_eq(parted_close(&parted, report), status == WINNOW_OK, "%s",
                 report->text);
    return status == WINNOW_OK;
}

GPU_TEST(partition_if, ways) {
    winnow__cuda_context *const context = cut_context(backend);
    winnow__device_shapes *const shapes = cut_shapes(backend);
    struct parted_call call = small_call();

    shapes->limits[WINNOW__SHAPE_tile_scan_small][2] = 4 * ITEMS;
    cr_assert_not(is_one_pass(backend, &call), "a small input");
    shapes->limits[WINNOW__SHAPE_tile_scan_small][2] = 4 * ITEMS - 1;
    cr_assert(is_one_pass(backend, &call), "a larger one");
    call.limited = true;
    cr_assert(is_one_pass(backend, &call), "their number on the device");
    call.limited = false;
    context->shared_bytes = 96 * 1024;
    cr_assert_not(is_one_pass(backend, &call), "no room for a block");
    call.workspace_bytes = 0;
    MUST(parted_run(backend, &call, report));
    call.limited = true;
    MUST(parted_run(backend, &call, report));
}

/* What a plan says is enough, whichever way a call takes. */
GPU_TEST(partition_if, workspace) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (size_t t = 0; t < 4; t++)
        for (uint64_t n = 1; n < 3 * tile_of(types[t]); n = 3 * n + 1) {
            struct parted_call call =
                call_of(types[t], n, pattern_named("runs:32"), 5700 + n + t);

            call.workspace_bytes = parted_plan(backend, &call);
            MUST(parted_run(backend, &call, report));
        }
}
