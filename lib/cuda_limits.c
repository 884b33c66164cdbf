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
     {.alone = 1 << 14,
      .cluster = 1 << 15,
      .aggregated_rows = {1 << 18, 1 << 20},
      .aggregated_small = 1 << 22,
      .aggregated_medium = 1 << 25,
      .resident_rows = {1 << 16, 3 << 18},
      .resident_small = 1 << 24}},
};

/* Where nothing was measured: the first of the table, by how many
 * multiprocessors there are to fill. One block or one cluster has nothing to do
 * with that. */
static uint64_t scale(uint64_t limit, unsigned multiprocessors) {
    return limit * multiprocessors / measured[0].multiprocessors;
}

static winnow__limits scaled(unsigned multiprocessors) {
    winnow__limits limits = measured[0].limits;
    for (int i = 0; i < 2; i++) {
        limits.aggregated_rows[i] =
            scale(limits.aggregated_rows[i], multiprocessors);
        limits.resident_rows[i] =
            scale(limits.resident_rows[i], multiprocessors);
    }
    limits.aggregated_small = scale(limits.aggregated_small, multiprocessors);
    limits.aggregated_medium = scale(limits.aggregated_medium, multiprocessors);
    limits.resident_small = scale(limits.resident_small, multiprocessors);
    return limits;
}

winnow__limits winnow__limits_of(int major, unsigned multiprocessors) {
    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++)
        if (measured[i].major == major)
            return measured[i].limits;
    return scaled(multiprocessors);
}
