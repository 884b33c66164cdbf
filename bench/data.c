/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "data.h"

#include "util.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bench_pattern_parse(const char *text, bench_pattern *pattern_p) {
    bench_pattern pattern = {BENCH_HASHED, 1, ""};
    if (strcmp(text, "prefix") == 0) {
        pattern.shape = BENCH_PREFIX;
    } else if (strcmp(text, "alternate") == 0) {
        pattern.shape = BENCH_ALTERNATE;
    } else if (strncmp(text, "runs:", 5) == 0) {
        if (!bench_parse_count(text + 5, &pattern.run) || pattern.run == 0)
            return false;
    } else if (strcmp(text, "uniform") != 0) {
        return false;
    }
    if (strlen(text) >= sizeof pattern.name)
        return false;
    strcpy(pattern.name, text);
    *pattern_p = pattern;
    return true;
}

/* round(n * share / 2^32), for n and share where the product needs 96 bits. */
static uint64_t share_of(uint64_t n, uint64_t share) {
    const uint64_t low = n & UINT32_MAX;
    return (n >> 32) * share + ((low * share + (UINT64_C(1) << 31)) >> 32);
}

void bench_data_init(bench_data *data, winnow_type type, uint64_t n,
                     double selectivity, const bench_pattern *pattern) {
    const uint32_t size = (uint32_t)winnow_type_size(type);
    const uint64_t sign = UINT64_C(1) << (8 * size - 1);
    /* Scaling by a power of two is exact, so the share is the same anywhere. */
    const uint64_t share = (uint64_t)llround(ldexp(selectivity, 32));
    *data = (bench_data){
        .n = n,
        .share = share,
        .run = pattern->run,
        .prefix = share_of(n, share),
        .shape = pattern->shape,
        .size = size,
        .random_mask = sign - 1,
    };
    switch (type) {
    case WINNOW_OPAQUE:
    case WINNOW_BIT:
    case WINNOW_INT128:
    case WINNOW_STRING32:
    case WINNOW_STRING64:
    case WINNOW_VIEW:
        break;
    case WINNOW_UINT8:
    case WINNOW_UINT16:
    case WINNOW_UINT32:
    case WINNOW_UINT64:
        data->dropped_bits = sign;
        data->threshold = sign;
        return;
    case WINNOW_INT8:
    case WINNOW_INT16:
    case WINNOW_INT32:
    case WINNOW_INT64:
        data->kept_bits = sign;
        return;
    /* Floats are drawn from [1, 2) and get the sign of the decision. */
    case WINNOW_FLOAT16:
        data->random_mask = 0x03ff;
        data->dropped_bits = 0x3c00;
        break;
    case WINNOW_BFLOAT16:
        data->random_mask = 0x007f;
        data->dropped_bits = 0x3f80;
        break;
    case WINNOW_FLOAT32:
        data->random_mask = 0x007fffff;
        data->dropped_bits = 0x3f800000;
        break;
    case WINNOW_FLOAT64:
        data->random_mask = 0x000fffffffffffff;
        data->dropped_bits = 0x3ff0000000000000;
        break;
    }
    data->kept_bits = sign | data->dropped_bits;
}

void bench_data_generate(const bench_data *data, void *array) {
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < data->n; i++)
        bench_store(array, data->size, i,
                    bench_element(data, i, bench_keeps(data, i)));
}

static uint64_t chunk_end(const bench_data *data, uint64_t chunk) {
    const uint64_t end = (chunk + 1) * BENCH_CHUNK;
    return end < data->n ? end : data->n;
}

void bench_data_expect(const bench_data *data, uint64_t *bases,
                       bench_expected *expected_p) {
    const uint64_t chunks = bench_chunk_count(data->n);
    uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (uint64_t chunk = 0; chunk < chunks; chunk++) {
        uint64_t kept = 0;
        for (uint64_t i = chunk * BENCH_CHUNK; i < chunk_end(data, chunk); i++)
            if (bench_keeps(data, i)) {
                kept++;
                sum += bench_scramble(bench_element(data, i, true));
            }
        bases[chunk] = kept;
    }
    uint64_t total = 0;
    for (uint64_t chunk = 0; chunk < chunks; chunk++) {
        const uint64_t kept = bases[chunk];
        bases[chunk] = total;
        total += kept;
    }
    *expected_p = (bench_expected){total, sum};
}

uint64_t bench_data_sum(const void *array, uint32_t size, uint64_t count) {
    uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (uint64_t i = 0; i < count; i++)
        sum += bench_scramble(bench_load(array, size, i));
    return sum;
}

uint64_t bench_data_misplaced(const bench_data *data, const uint64_t *bases,
                              const void *array) {
    const uint64_t chunks = bench_chunk_count(data->n);
    uint64_t wrong = 0;
#pragma omp parallel for schedule(static) reduction(+ : wrong)
    for (uint64_t chunk = 0; chunk < chunks; chunk++) {
        uint64_t offset = bases[chunk];
        for (uint64_t i = chunk * BENCH_CHUNK; i < chunk_end(data, chunk); i++)
            if (bench_keeps(data, i))
                wrong += bench_load(array, data->size, offset++) !=
                         bench_element(data, i, true);
    }
    return wrong;
}
