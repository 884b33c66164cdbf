/*
 * The test data: which element stands at position i, and whether it passes.
 *
 * Everything follows from the position by integer arithmetic, so that the CPU
 * and every GPU make the same bytes, and any part of the array can be made
 * again to check a result. The decision comes first and the value after it:
 * a position is kept or not by the pattern, and its value is then drawn from
 * below the threshold or from the threshold up. So one-byte types, too, can
 * have any selectivity, where drawing bytes uniformly and moving the threshold
 * would allow multiples of 1/256 alone.
 *
 * The predicate that goes with the data is always `x < threshold`, with the
 * threshold in the middle of the type's range (zero for floats).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_DATA_H
#define WINNOW_BENCH_DATA_H

#include <winnow.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define BENCH_HD __host__ __device__ inline
#else
#define BENCH_HD inline
#endif

/* Positions whose survivors are counted together, to check a stable order. */
#define BENCH_CHUNK 256

typedef enum bench_shape {
    BENCH_HASHED,   /* independent decisions, each for `run` positions */
    BENCH_PREFIX,   /* all survivors first */
    BENCH_ALTERNATE /* survivors spread as evenly as can be */
} bench_shape;

/* As the command line gives it: "uniform" is hashed with runs of 1. */
typedef struct bench_pattern {
    bench_shape shape;
    uint64_t run;
    char name[32];
} bench_pattern;

typedef struct bench_data {
    uint64_t n;
    uint64_t share;  /* kept of every 2^32 positions: 0 .. 2^32 */
    uint64_t run;    /* positions that share a decision */
    uint64_t prefix; /* BENCH_PREFIX: how many are kept */
    bench_shape shape;
    uint32_t size;         /* bytes per element */
    uint64_t random_mask;  /* bits of a value that are drawn */
    uint64_t kept_bits;    /* the others, where the element passes */
    uint64_t dropped_bits; /* and where it does not */
    uint64_t threshold;    /* bits of the threshold */
    bool indices;          /* elements are their indices: as an output */
} bench_data;

/* What a right result looks like. */
typedef struct bench_expected {
    uint64_t kept;
    uint64_t sum; /* of bench_scramble() over the survivors, modulo 2^64 */
} bench_expected;

/* The finaliser of SplitMix64: a bijection that mixes all bits. */
static BENCH_HD uint64_t bench_scramble(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Number i of the random stream that starts at `seed`. */
static BENCH_HD uint64_t bench_random(uint64_t seed, uint64_t i) {
    return bench_scramble(seed + (i + 1) * 0x9e3779b97f4a7c15u);
}

static BENCH_HD bool bench_keeps(const bench_data *data, uint64_t i) {
    switch (data->shape) {
    case BENCH_PREFIX:
        return i < data->prefix;
    case BENCH_ALTERNATE:
        /*
         * Kept where floor(i * share / 2^32) steps up. The products may
         * wrap: the step is 0 or 1, so its lowest 32 bits are enough.
         */
        return (uint32_t)(((i + 1) * data->share) >> 32) !=
               (uint32_t)((i * data->share) >> 32);
    case BENCH_HASHED:
        break;
    }
    return (bench_random(0x243f6a8885a308d3u, i / data->run) >> 32) <
           data->share;
}

/* The bits of element i, given the decision on it. */
static BENCH_HD uint64_t bench_element(const bench_data *data, uint64_t i,
                                       bool kept) {
    if (data->indices)
        return i;
    return (bench_random(0x13198a2e03707344u, i) & data->random_mask) |
           (kept ? data->kept_bits : data->dropped_bits);
}

static BENCH_HD uint64_t bench_load(const void *array, uint32_t size,
                                    uint64_t i) {
    switch (size) {
    case 1:
        return ((const uint8_t *)array)[i];
    case 2:
        return ((const uint16_t *)array)[i];
    case 4:
        return ((const uint32_t *)array)[i];
    default:
        return ((const uint64_t *)array)[i];
    }
}

static BENCH_HD void bench_store(void *array, uint32_t size, uint64_t i,
                                 uint64_t bits) {
    switch (size) {
    case 1:
        ((uint8_t *)array)[i] = (uint8_t)bits;
        break;
    case 2:
        ((uint16_t *)array)[i] = (uint16_t)bits;
        break;
    case 4:
        ((uint32_t *)array)[i] = (uint32_t)bits;
        break;
    default:
        ((uint64_t *)array)[i] = bits;
        break;
    }
}

static BENCH_HD uint64_t bench_chunk_count(uint64_t n) {
    return n / BENCH_CHUNK + (n % BENCH_CHUNK != 0);
}

#ifdef __cplusplus
extern "C" {
#endif

/* "uniform", "runs:LENGTH", "prefix" or "alternate". */
bool bench_pattern_parse(const char *text, bench_pattern *pattern_p);

void bench_data_init(bench_data *data, winnow_type type, uint64_t n,
                     double selectivity, const bench_pattern *pattern);

/* On the CPU; the GPU's counterparts stand in gpu.h. */
void bench_data_generate(const bench_data *data, void *array);
/* bases: for each chunk, how many survivors precede it. */
void bench_data_expect(const bench_data *data, uint64_t *bases,
                       bench_expected *expected_p);
uint64_t bench_data_sum(const void *array, uint32_t size, uint64_t count);
/* Survivors that are not where a stable result has them. */
uint64_t bench_data_misplaced(const bench_data *data, const uint64_t *bases,
                              const void *array);

#ifdef __cplusplus
}
#endif

#endif
