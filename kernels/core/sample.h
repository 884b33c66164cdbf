/*
 * The elements that an estimate tests. Plain C, the same on every backend.
 *
 * It tests all elements if there are at most WINNOW__SAMPLE. Otherwise it
 * divides the array into equal strata, and tests one run of neighbours in each.
 * Runs are spread evenly, so sorted and clustered data are sampled in
 * proportion. The place in a stratum is hashed, so periodic data cannot distort
 * the estimate.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#include "kernels/core/both.h"

#define WINNOW__SAMPLE 65536u         /* elements in all */
#define WINNOW__SAMPLE_RUN_LENGTH 16u /* a sector of 2-byte elements */
#define WINNOW__SAMPLE_RUNS (WINNOW__SAMPLE / WINNOW__SAMPLE_RUN_LENGTH)

typedef struct winnow__sample_run {
    uint64_t start;
    unsigned int length;
} winnow__sample_run;

/* The 64-bit finaliser of splitmix64 (Steele, Lea, Flood, 2014). */
WINNOW__BOTH uint64_t winnow__mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The number of runs in the sample of n elements. */
WINNOW__BOTH unsigned int winnow__sample_runs(uint64_t n) {
    return n >= WINNOW__SAMPLE
               ? WINNOW__SAMPLE_RUNS
               : (unsigned int)((n + WINNOW__SAMPLE_RUN_LENGTH - 1) /
                                WINNOW__SAMPLE_RUN_LENGTH);
}

/* The number of elements in the sample. */
WINNOW__BOTH uint64_t winnow__sample_size(uint64_t n) {
    return n < WINNOW__SAMPLE ? n : WINNOW__SAMPLE;
}

/* The i-th run. */
WINNOW__BOTH winnow__sample_run winnow__sample(uint64_t n, unsigned int i) {
    winnow__sample_run run = {(uint64_t)i * WINNOW__SAMPLE_RUN_LENGTH,
                              WINNOW__SAMPLE_RUN_LENGTH};
    if (n > WINNOW__SAMPLE) {
        /* Strata of size or size + 1 elements cover the array exactly. */
        const uint64_t size = n / WINNOW__SAMPLE_RUNS;
        const uint64_t longer = n % WINNOW__SAMPLE_RUNS;
        const uint64_t stratum = size + (i < longer ? 1 : 0);
        run.start = i * size + (i < longer ? i : longer) +
                    winnow__mix(i) % (stratum - WINNOW__SAMPLE_RUN_LENGTH + 1);
    } else if (n - run.start < WINNOW__SAMPLE_RUN_LENGTH) {
        run.length = (unsigned int)(n - run.start);
    }
    return run;
}
