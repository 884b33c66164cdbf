/*
 * Which kind of tile for how large an input: measured, device by device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_backend.h"

#include <string.h>

/* A device on which the limits were measured, for elements of 1, 2, 4 and 8
 * bytes; bench/NOTES.md has the times. */
static const struct {
    int major; /* of its compute capability */
    unsigned multiprocessors;
    winnow__limits limits[WINNOW__SIZES];
} measured[] = {
    /* H200 */
    {9,
     132,
     {{.alone = 1 << 11,
       .aggregated_cluster = 1 << 14,
       .scan_cluster = 1 << 16,
       .aggregated_rows = {1 << 19, 1 << 20, 0},
       .resident_rows = {1 << 17, 1 << 18, 1 << 20},
       .aggregated_small = 1 << 22,
       .aggregated_medium = 1 << 25,
       .resident_small = 1 << 23,
       .resident_large = 0,
       .count_small = 1 << 20,
       .count_medium = 1 << 23},
      {.alone = 1 << 11,
       .aggregated_cluster = 1 << 14,
       .scan_cluster = 1 << 16,
       .aggregated_rows = {1 << 20, 3 << 19, 1 << 21},
       .resident_rows = {1 << 17, 1 << 18, 1 << 21},
       .aggregated_small = 1 << 22,
       .aggregated_medium = 1 << 25,
       .resident_small = 6 << 20,
       .resident_large = 1 << 23,
       .count_small = 1 << 20,
       .count_medium = 1 << 23},
      {.alone = 1 << 11,
       .aggregated_cluster = 1 << 14,
       .scan_cluster = 1 << 15,
       .aggregated_rows = {1 << 20, 0, 0},
       .resident_rows = {1 << 17, 1 << 18, 3 << 19},
       .aggregated_small = 1 << 22,
       .aggregated_medium = 1 << 25,
       .resident_small = 1 << 23,
       .resident_large = 1 << 24,
       .count_small = 1 << 20,
       .count_medium = 1 << 23},
      {.alone = 1 << 11,
       .aggregated_cluster = 1 << 14,
       .scan_cluster = 1 << 15,
       .aggregated_rows = {1 << 20, 1 << 21, 0},
       .resident_rows = {1 << 17, 1 << 20, 3 << 19},
       .aggregated_small = 1 << 22,
       .aggregated_medium = 1 << 25,
       .resident_small = 1 << 23,
       .resident_large = 1 << 24,
       .count_small = 1 << 20,
       .count_medium = 1 << 23}}},
};

/* Where nothing was measured: the first of the table, by how many
 * multiprocessors there are to fill. One block or one cluster has nothing to do
 * with that. */
static void scale(uint64_t *limit, unsigned multiprocessors) {
    *limit = *limit * multiprocessors / measured[0].multiprocessors;
}

static void scale_all(winnow__limits *limits, unsigned multiprocessors) {
    for (int i = 0; i < WINNOW__ROW_KINDS; i++) {
        scale(&limits->aggregated_rows[i], multiprocessors);
        scale(&limits->resident_rows[i], multiprocessors);
    }
    scale(&limits->aggregated_small, multiprocessors);
    scale(&limits->aggregated_medium, multiprocessors);
    scale(&limits->resident_small, multiprocessors);
    scale(&limits->resident_large, multiprocessors);
    scale(&limits->count_small, multiprocessors);
    scale(&limits->count_medium, multiprocessors);
}

void winnow__set_limits(int major, unsigned multiprocessors,
                        winnow__limits limits[WINNOW__SIZES]) {
    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++)
        if (measured[i].major == major) {
            memcpy(limits, measured[i].limits, sizeof measured[i].limits);
            return;
        }
    memcpy(limits, measured[0].limits, sizeof measured[0].limits);
    for (int i = 0; i < WINNOW__SIZES; i++)
        scale_all(&limits[i], multiprocessors);
}
