/*
 * The survivors before each tile of a selection, of many tiles: all that the
 * scan looks at is their counts, which are small.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "gpu.h"
#include "reduced.h"
#include "selection/format.h"
#include "suite.h"

#define UNWRITTEN 0x5a5a5a5a5a5a5a5aULL
#define STEP WINNOW__SCAN_STEP
#define BLOCKS WINNOW__SCAN_BLOCKS

typedef uint16_t (*count_function)(uint64_t tile);

static uint16_t any(uint64_t tile) {
    return (uint16_t)(data_random(9500, tile) % (WINNOW__SELECTION_TILE + 1));
}

static uint16_t all(uint64_t tile) {
    (void)tile;
    return WINNOW__SELECTION_TILE;
}

static uint16_t last_of_seven(uint64_t tile) {
    return tile % 7 == 6;
}

static void scan(const struct backend *backend, uint64_t tiles,
                 count_function count_of) {
    const uint64_t rest = 8; /* a vector of counts behind the last one */
    const size_t bytes = (tiles + 2) * sizeof(unsigned long long);
    const size_t count_bytes = (tiles + rest) * sizeof(uint16_t);
    unsigned long long *const before = must_alloc(bytes);
    uint16_t *const counts = must_alloc(count_bytes);
    const winnow__selection selection = {.before = gpu_alloc(bytes),
                                         .counts = gpu_alloc(count_bytes),
                                         .tiles = tiles};
    uint64_t wanted = 0;

    memset(before, 0x5a, bytes);
    memset(counts, 0x77, count_bytes);
    for (uint64_t tile = 0; tile < tiles; tile++)
        counts[tile] = count_of(tile);
    gpu_copy(selection.before, before, bytes, backend->stream);
    gpu_copy(selection.counts, counts, count_bytes, backend->stream);
    cr_assert_eq(winnow__launch_scan(&selection, backend->stream), WINNOW_OK);
    gpu_copy(before, selection.before, bytes, backend->stream);
    for (uint64_t tile = 0; tile <= tiles; tile++) {
        cr_assert_eq(before[tile], wanted,
                     "of %llu tiles, before tile %llu are %llu, not %llu",
                     (unsigned long long)tiles, (unsigned long long)tile,
                     before[tile], (unsigned long long)wanted);
        wanted += counts[tile];
    }
    cr_assert_eq(before[tiles + 1], UNWRITTEN);
    gpu_free(selection.before);
    gpu_free(selection.counts);
    free(before);
    free(counts);
}

/* Around a thread's word, a vector and the step of a block; blocks of one step,
 * up to seven. */
GPU_TEST(selection_scan, steps) {
    static const uint64_t tiles[] = {0,
                                     1,
                                     2,
                                     3,
                                     7,
                                     8,
                                     9,
                                     63,
                                     64,
                                     65,
                                     255,
                                     1000,
                                     1023,
                                     1024,
                                     STEP - 2,
                                     STEP - 1,
                                     STEP,
                                     STEP + 1,
                                     STEP + 2,
                                     2 * STEP - 1,
                                     2 * STEP,
                                     2 * STEP + 1,
                                     3 * STEP + 11,
                                     6 * STEP + 9};

    for (size_t i = 0; i < sizeof(tiles) / sizeof(tiles[0]); i++) {
        scan(backend, tiles[i], any);
        if (reduced_mode() && i % 4 != 0)
            continue;
        scan(backend, tiles[i], all);
        scan(backend, tiles[i], last_of_seven);
    }
}

/* The most blocks of one step, and blocks of two steps and three, the last of
 * which may have fewer, or a step of the total alone. */
GPU_TEST(selection_scan, LONG(many_steps)) {
    static const uint64_t tiles[] = {
        (BLOCKS + 1) * STEP,          BLOCKS * STEP - 1,
        (BLOCKS + 1) * STEP + 5,      BLOCKS * STEP,
        BLOCKS * STEP + STEP / 2 + 1, 2 * BLOCKS * STEP - 1,
        2 * BLOCKS * STEP + 3};
    const size_t number = reduced_mode() ? 2 : 7;

    for (size_t i = 0; i < number; i++)
        scan(backend, tiles[i], i % 2 == 0 ? any : all);
}
