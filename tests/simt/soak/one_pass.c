/*
 * Operations in one pass, where large tiles fill the device: runs of equal keys,
 * segments, records, columns by a key, two parts. They are kernels of tile_scan.cu.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "soak.h"

#include "cut.h"
#include "element.h"
#include "tests/one_call/keyed_columns.h"
#include "tests/one_call/parted.h"
#include "tests/one_call/records.h"
#include "rules.h"
#include "tests/one_call/runs.h"
#include "tests/one_call/segmented.h"

/* Of a tile of the kernels with a look-back, about; two of them have less than
 * twice as many. */
enum {
    TILE_BYTES = 49152
};

static uint64_t draw_n(size_t size, uint64_t seed) {
    return TILE_BYTES / size + 1 + soak_draw(seed, 50, TILE_BYTES / size / 2);
}

static bool run_runs(const struct backend *backend, unsigned number,
                     uint64_t seed, struct report *report) {
    const size_t size = (size_t)1 << soak_draw(seed, 51, 4);
    struct runs_call call =
        runs_draw(seed, draw_n(size, seed), size, number * 8);

    call.in_ahead = 0;
    call.limited = soak_draw(seed, 52, 4) == 0;
    call.placed = soak_draw(seed, 53, 4) == 0;
    if (call.placed && call.capacity > call.n)
        call.capacity = call.n;
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    return runs_run(backend, &call, report);
}

static bool run_segmented(const struct backend *backend, unsigned number,
                          uint64_t seed, struct report *report) {
    const winnow_type type = element_type(soak_draw(seed, 51, ELEMENT_TYPES));
    const struct segmented_call call =
        segmented_draw(seed, draw_n(element_size(type), seed), type);

    (void)number;
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    return segmented_run(backend, &call, report);
}

static bool run_records(const struct backend *backend, unsigned number,
                        uint64_t seed, struct report *report) {
    const size_t size = (size_t)16 << soak_draw(seed, 51, 3);
    struct records_call call = records_draw(seed, draw_n(size, seed), size);

    (void)number;
    call.limited = soak_draw(seed, 52, 4) == 0;
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    return records_run(backend, &call, report);
}

static bool run_columns(const struct backend *backend, unsigned number,
                        uint64_t seed, struct report *report) {
    const winnow_type type = element_type(soak_draw(seed, 51, ELEMENT_TYPES));
    struct keyed_columns_call call =
        keyed_columns_draw(seed, draw_n(element_size(type), seed), type);

    (void)number;
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    return keyed_columns_run(backend, &call, report);
}

static bool run_parts(const struct backend *backend, unsigned number,
                      uint64_t seed, struct report *report) {
    const winnow_type type = element_type(soak_draw(seed, 51, ELEMENT_TYPES));
    struct rule rules[RULES_KINDS];
    struct parted_call call = {
        .pattern = &patterns[soak_draw(seed, 52, PATTERNS)],
        .seed = seed,
        .n = draw_n(element_size(type), seed),
        .kept_ahead = (unsigned)soak_draw(seed, 53, 3),
        .rejected_ahead = (unsigned)soak_draw(seed, 54, 3),
        .counted = soak_draw(seed, 55, 2) != 0,
        .limited = soak_draw(seed, 56, 4) == 0};

    (void)number;
    rules_kinds(type, rules);
    call.rule = rules[soak_draw(seed, 57, RULES_KINDS)];
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    return parted_run(backend, &call, report);
}

void soak_one_pass(void) {
    soak_add(SOAK_CUT, run_runs, 0, "unique");
    soak_add(SOAK_CUT, run_runs, 1, "unique with values");
    soak_add(SOAK_CUT, run_segmented, 0, "segmented");
    soak_add(SOAK_CUT, run_records, 0, "records");
    soak_add(SOAK_CUT, run_columns, 0, "columns by a key");
    soak_add(SOAK_CUT, run_parts, 0, "partition_if");
}
