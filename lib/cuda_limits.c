/*
 * Which size of tile for how large an input: measured, device by device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_backend.h"

/* A device on which the limits were measured; bench/NOTES.md has the times. */
static const struct {
    int major; /* of its compute capability */
    unsigned multiprocessors;
    winnow__limits limits;
} measured[] = {
    /* H200 */
    {9,
     132,
     {.alone = 1 << 11,
      .aggregated_cluster = 1 << 14,
      .scan_cluster = {1 << 16, 1 << 16, 1 << 15, 1 << 15},
      .count_small = 1 << 20,
      .count_medium = 1 << 23,
      .aggregated_rows_256 = 1 << 18,
      .aggregated_rows_512 = {3 << 18, 1 << 20, 1 << 20, 1 << 20},
      .aggregated_small = 1 << 22,
      .aggregated_medium = 1 << 25,
      .resident_rows_256 = 1 << 16,
      .resident_rows_512 = 3 << 18,
      .resident_rows_few = {33 << 14, 33 << 14, 3 << 18, 3 << 18},
      .resident_small = {1 << 23, 6 << 20, 1 << 23, 1 << 23},
      .resident_large = {0, 1 << 23, 1 << 24, 1 << 24}}},
};

/* Where nothing was measured: the first of the table, by how many
 * multiprocessors there are to fill. One block or one cluster has nothing to do
 * with that. */
static void scale(uint64_t *limit, unsigned multiprocessors) {
    *limit = *limit * multiprocessors / measured[0].multiprocessors;
}

static winnow__limits scaled(unsigned multiprocessors) {
    winnow__limits limits = measured[0].limits;
    scale(&limits.count_small, multiprocessors);
    scale(&limits.count_medium, multiprocessors);
    scale(&limits.aggregated_rows_256, multiprocessors);
    scale(&limits.aggregated_small, multiprocessors);
    scale(&limits.aggregated_medium, multiprocessors);
    scale(&limits.resident_rows_256, multiprocessors);
    scale(&limits.resident_rows_512, multiprocessors);
    for (int i = 0; i < WINNOW__SIZES; i++) {
        scale(&limits.aggregated_rows_512[i], multiprocessors);
        scale(&limits.resident_rows_few[i], multiprocessors);
        scale(&limits.resident_small[i], multiprocessors);
        scale(&limits.resident_large[i], multiprocessors);
    }
    return limits;
}

winnow__limits winnow__limits_of(int major, unsigned multiprocessors) {
    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++)
        if (measured[i].major == major)
            return measured[i].limits;
    return scaled(multiprocessors);
}
