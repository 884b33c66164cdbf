/* SPDX-License-Identifier: Apache-2.0 */
#include "keys.h"

#include "util.h"

#include <math.h>
#include <stdlib.h>

/* Below `total`, in proportion to the steps of the cumulative weights. */
static uint64_t search(const double *upto, uint64_t keys, double x) {
    uint64_t low = 0, high = keys - 1;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (upto[middle] > x)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Ranks to keys, so that frequent ones do not lie side by side; by a bijection
 * where their number is a power of two. */
static uint64_t spread(uint64_t rank, uint64_t keys) {
    return (keys & (keys - 1)) == 0 ? rank * 0x9e3779b1u % keys : rank;
}

static void fill_zipf(double exponent, uint64_t keys, uint32_t *to,
                      uint64_t n) {
    double *upto = bench_alloc(keys * sizeof *upto), total = 0;
    for (uint64_t i = 0; i < keys; i++) {
        total += pow((double)(i + 1), -exponent);
        upto[i] = total;
    }
    for (uint64_t i = 0; i < n; i++) {
        const double u = (double)(bench_random(1, i) >> 11) * 0x1p-53;
        to[i] = (uint32_t)spread(search(upto, keys, u * total), keys);
    }
    free(upto);
}

void bench_fill_keys(const bench_key_pattern *pattern, uint64_t keys,
                     uint32_t *to, uint64_t n) {
    if (pattern->shape == BENCH_KEYS_ZIPF) {
        fill_zipf(pattern->exponent, keys, to, n);
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t any = bench_random(1, i / pattern->run);
        to[i] = (uint32_t)(any % keys);
        if (pattern->shape == BENCH_KEYS_SORTED)
            to[i] = (uint32_t)((double)i / (double)n * (double)keys);
        else if (pattern->shape == BENCH_KEYS_HALF && any >> 63)
            to[i] = (uint32_t)(keys / 3);
        else if (pattern->shape == BENCH_KEYS_EVEN)
            to[i] &= ~1u;
    }
}
