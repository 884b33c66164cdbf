/*
 * Inputs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "data.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"

const struct pattern patterns[PATTERNS] = {
    {"uniform:0.5", PATTERN_UNIFORM, 1, 0.5},
    {"uniform:0.01", PATTERN_UNIFORM, 1, 0.01},
    {"uniform:0.99", PATTERN_UNIFORM, 1, 0.99},
    {"runs:32", PATTERN_RUNS, 32, 0.5},
    {"runs:1024", PATTERN_RUNS, 1024, 0.5},
    {"runs:65536", PATTERN_RUNS, 65536, 0.5},
    {"prefix", PATTERN_PREFIX, 1, 0.3},
    {"alternate", PATTERN_ALTERNATE, 1, 0.5},
    {"all", PATTERN_ALL, 1, 1},
    {"none", PATTERN_NONE, 1, 0},
};

const struct pattern *pattern_named(const char *name) {
    for (size_t i = 0; i < PATTERNS; i++)
        if (strcmp(patterns[i].name, name) == 0)
            return &patterns[i];
    fprintf(stderr, "no pattern is called %s\n", name);
    abort();
}

static bool chance(double fraction, uint64_t seed, uint64_t counter) {
    const uint64_t threshold = (uint64_t)(fraction * 4294967296.0);
    return data_random(seed, counter) >> 32 < threshold;
}

static bool survives_in_patch(uint64_t seed, uint64_t patch, uint64_t i) {
    static const double fractions[] = {0,   0.001, 0.02, 0.06,  0.2,
                                       0.5, 0.9,   0.97, 0.999, 1};
    const uint64_t random = data_random(seed ^ 0x9a7c4, patch);
    const double fraction =
        fractions[random % (sizeof(fractions) / sizeof(fractions[0]))];

    return chance(fraction, seed, i >> (random >> 32) % 11);
}

static bool survives(const struct pattern *pattern, uint64_t seed, uint64_t n,
                     uint64_t i) {
    switch (pattern->kind) {
    case PATTERN_UNIFORM:
        return chance(pattern->fraction, seed, i);
    case PATTERN_RUNS:
        return chance(pattern->fraction, seed, i / pattern->run);
    case PATTERN_PREFIX:
        return (double)i < pattern->fraction * (double)n;
    case PATTERN_ALTERNATE:
        return i & 1;
    case PATTERN_ALL:
        return true;
    case PATTERN_NONE:
        return false;
    case PATTERN_PATCHES:
        return survives_in_patch(seed, i / pattern->run, i);
    }
    abort();
}

/* Values to draw from: those the rule drops, [0], and those it keeps, [1]. */
#define POOL 1024
struct pools {
    uint64_t bits[2][POOL];
    size_t count[2];
};

static void offer(struct pools *pools, const struct rule *rule, uint64_t bits) {
    int keeps;

    bits &= element_all_bits(rule->type);
    keeps = oracle_keeps(rule, bits);
    if (pools->count[keeps] < POOL)
        pools->bits[keeps][pools->count[keeps]++] = bits;
}

static void make_pools(struct pools *pools, const struct rule *rule,
                       uint64_t seed) {
    const uint64_t operands[] = {rule->low, rule->high, rule->value};
    uint64_t specials[ELEMENT_SPECIALS];
    const size_t special_count = element_specials(rule->type, specials);

    memset(pools, 0, sizeof(*pools));
    for (size_t i = 0; i < special_count; i++)
        offer(pools, rule, specials[i]);
    for (size_t i = 0; i < 3; i++)
        for (uint64_t step = 0; step < 5; step++)
            offer(pools, rule, operands[i] + step - 2);
    for (uint64_t i = 0; i < 2 * POOL; i++) {
        const uint64_t random = data_random(seed ^ 0x5eed, i);
        offer(pools, rule, random);
        /* Narrow rules: between the operands, and bits that match. */
        if (rule->kind == RULE_RANGE && rule->high > rule->low)
            offer(pools, rule, rule->low + random % (rule->high - rule->low));
        if (rule->kind == RULE_BITS)
            offer(pools, rule, (random & ~rule->mask) | rule->value);
    }
}

void data_fill(const struct rule *rule, const struct pattern *pattern,
               uint64_t seed, uint64_t n, void *to) {
    const size_t size = element_size(rule->type);
    unsigned char *out = to;
    struct pools pools;

    make_pools(&pools, rule, seed);
    for (uint64_t i = 0; i < n; i++) {
        int pool = survives(pattern, seed, n, i);
        uint64_t pick;

        if (pools.count[pool] == 0)
            pool = !pool;
        pick = data_random(seed + 1, i) % pools.count[pool];
        element_store(rule->type, out + i * size, pools.bits[pool][pick]);
    }
}
