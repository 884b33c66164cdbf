/*
 * Selections under many schedules of the CPU device, and the scan of many
 * tiles.
 *
 * WINNOW_SIMT_TRIALS says how many seeds are tried of each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "selected.h"
#include "selection.h"
#include "simt/simt.h"
#include "suite.h"

#define SEEDS 60
#define MOST 20000

static uint64_t draw(uint64_t seed, uint64_t which, uint64_t below) {
    return data_random(seed, which) % below;
}

static void fail(const struct report *report, uint64_t seed) {
    cr_assert_fail("WINNOW_SIMT_SEED=%llu: %s", (unsigned long long)seed,
                   report->text);
}

/* A seed's input: its length and its pattern. */
static uint64_t fill(uint64_t seed, uint8_t *keep) {
    static const uint64_t edges[] = {0,    1,    31,   33,   4095,
                                     4096, 4097, 8193, 12289};
    const uint64_t n =
        draw(seed, 0, 2) == 0 ? edges[draw(seed, 1, 9)] : draw(seed, 2, MOST);

    selected_fill(&patterns[draw(seed, 3, PATTERNS)], seed, n, keep);
    return n;
}

static void run_seeds(const struct backend *backend, uint64_t first,
                      bool (*run)(struct selected *selected, uint8_t *keep,
                                  uint64_t seed, struct report *report)) {
    const unsigned seeds = simt_trials(SEEDS);
    uint8_t *const keep = must_alloc(MOST);
    struct selected selected;

    first = simt_first_seed(first);
    selected_open(&selected, backend, MOST);
    for (unsigned i = 0; i < seeds; i++) {
        struct report report = {{0}};

        simt_seed(first + i);
        simt_pattern(~(first + i));
        if (!run(&selected, keep, first + i, &report))
            fail(&report, first + i);
    }
    selected_close(&selected);
    free(keep);
}

static bool run_select_if(struct selected *selected, uint8_t *keep,
                          uint64_t seed, struct report *report) {
    const uint64_t n = fill(seed, keep);

    return selected_make(selected, keep, n, report) &&
           selected_check(selected, keep, report);
}

GPU_TEST(selections, select_if) {
    run_seeds(backend, 9000, run_select_if);
}

/* ------------------------------------------------------------------- scan */

/* So many tiles, with counts of their own: all that the scan looks at. */
static void scan(const struct backend *backend, uint64_t tiles, uint64_t seed) {
    const size_t bytes = (tiles + 2) * sizeof(unsigned long long);
    const size_t count_bytes = (tiles + 8) * sizeof(uint16_t);
    unsigned long long *const before = must_alloc(bytes);
    uint16_t *const counts = must_alloc(count_bytes);
    const winnow__selection selection = {.before = gpu_alloc(bytes),
                                         .counts = gpu_alloc(count_bytes),
                                         .tiles = tiles};
    uint64_t wanted = 0;

    memset(before, 0x5a, bytes);
    for (uint64_t tile = 0; tile < tiles + 8; tile++)
        counts[tile] = (uint16_t)draw(seed, tile, 4097);
    gpu_copy(selection.before, before, bytes, backend->stream);
    gpu_copy(selection.counts, counts, count_bytes, backend->stream);
    cr_assert_eq(winnow__launch_scan(&selection, backend->stream), WINNOW_OK);
    gpu_copy(before, selection.before, bytes, backend->stream);
    for (uint64_t tile = 0; tile <= tiles; tile++) {
        cr_assert_eq(before[tile], wanted, "of %llu tiles, tile %llu",
                     (unsigned long long)tiles, (unsigned long long)tile);
        wanted += counts[tile];
    }
    cr_assert_eq(before[tiles + 1], 0x5a5a5a5a5a5a5a5aULL);
    gpu_free(selection.before);
    gpu_free(selection.counts);
    free(before);
    free(counts);
}

/* Around a thread's vector and a block's step; several blocks, and several
 * steps of each. */
GPU_TEST(selections, scan) {
    static const uint64_t tiles[] = {0,
                                     1,
                                     7,
                                     8,
                                     9,
                                     255,
                                     1000,
                                     WINNOW__SCAN_STEP - 1,
                                     WINNOW__SCAN_STEP,
                                     WINNOW__SCAN_STEP + 1,
                                     3 * WINNOW__SCAN_STEP + 11};

    for (size_t i = 0; i < sizeof(tiles) / sizeof(tiles[0]); i++)
        scan(backend, tiles[i], 9500 + i);
}

GPU_TEST(selections, scan_of_many_steps) {
    scan(backend, (WINNOW__SCAN_BLOCKS + 1) * WINNOW__SCAN_STEP + 5, 9600);
}
