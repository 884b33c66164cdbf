/*
 * Which kind of tile for how large an input: measured, device by device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_context.h"

#include <string.h>

/* On an H200, what does not depend on the size of an element. */
#define H200_LIMITS                                                            \
    .alone = 1 << 11, .aggregated_cluster = 1 << 14,                           \
    .aggregated_medium = 1 << 25, .count_small = 1 << 20,                      \
    .count_medium = 1 << 23

/* A device on which the limits were measured, for elements of 1, 2, 4 and 8
 * bytes; bench/NOTES.md has the times. A limit that is not there is 0: no input
 * is cut so. */
static const struct {
    int major; /* of its compute capability */
    unsigned multiprocessors;
    winnow__limits limits[WINNOW__SIZES];
} measured[] = {
    {9,
     132,
     {{H200_LIMITS, .scan_cluster = 1 << 16,
       .aggregated_rows = {3 << 17, 3 << 19, 0},
       .resident_rows = {1 << 17, 5 << 17, 1 << 20},
       .aggregated_small = 1 << 23, .resident_small = 1 << 23},
      {H200_LIMITS, .scan_cluster = 1 << 16,
       .aggregated_rows = {3 << 17, 3 << 19, 1 << 21},
       .resident_rows = {1 << 17, 3 << 18, 1 << 21}, .resident_small = 6 << 20,
       .resident_large = 1 << 23},
      {H200_LIMITS, .scan_cluster = 1 << 16,
       .aggregated_rows = {3 << 17, 3 << 19, 0},
       .resident_rows = {1 << 17, 3 << 18, 3 << 19}, .resident_small = 1 << 23,
       .resident_large = 1 << 24},
      {H200_LIMITS, .scan_cluster = 1 << 15,
       .aggregated_rows = {1 << 19, 1 << 22, 0},
       .resident_rows = {1 << 18, 1 << 20, 3 << 19},
       .resident_large = 1 << 24}}},
};

/* The device of that generation, or else the first. */
static size_t find_measured(int major) {
    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++)
        if (measured[i].major == major)
            return i;
    return 0;
}

/* By how many multiprocessors there are to fill, with which one block or one
 * cluster has nothing to do. */
static void scale(winnow__limits *limits, unsigned to, unsigned from) {
    uint64_t *const scaled[] = {
        &limits->aggregated_rows[0], &limits->aggregated_rows[1],
        &limits->aggregated_rows[2], &limits->resident_rows[0],
        &limits->resident_rows[1],   &limits->resident_rows[2],
        &limits->aggregated_small,   &limits->aggregated_medium,
        &limits->resident_small,     &limits->resident_large,
        &limits->count_small,        &limits->count_medium};
    for (size_t i = 0; i < sizeof scaled / sizeof scaled[0]; i++)
        *scaled[i] = *scaled[i] * to / from;
}

void winnow__set_limits(int major, unsigned multiprocessors,
                        winnow__limits limits[WINNOW__SIZES]) {
    const size_t like = find_measured(major);
    memcpy(limits, measured[like].limits, sizeof measured[like].limits);
    for (int i = 0; i < WINNOW__SIZES; i++)
        scale(&limits[i], multiprocessors, measured[like].multiprocessors);
}
