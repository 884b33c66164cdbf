/*
 * Inputs: which places hold survivors (the pattern), and what values stand
 * there. All from a counter-based generator, so that element i depends on the
 * seed and on i alone and every machine makes the same bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_DATA_H
#define WINNOW_TESTS_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "oracle.h"

enum pattern_kind {
    PATTERN_UNIFORM = 0, /* elements are independent */
    PATTERN_RUNS = 1,    /* runs of `run` elements are */
    PATTERN_PREFIX = 2,  /* all survivors first */
    PATTERN_ALTERNATE = 3,
    PATTERN_ALL = 4,
    PATTERN_NONE = 5,
    PATTERN_PATCHES = 6 /* each `run` elements with a fraction of their own, and
                           runs of their own */
};

struct pattern {
    const char *name;
    enum pattern_kind kind;
    uint64_t run;
    double fraction; /* of survivors */
};

#define PATTERNS 10
extern const struct pattern patterns[PATTERNS];
const struct pattern *pattern_named(const char *name);

/* A hash of a counter; the finaliser of splitmix64. */
static inline uint64_t data_random(uint64_t seed, uint64_t counter) {
    uint64_t x = (counter + 1) * UINT64_C(0x9e3779b97f4a7c15) +
                 seed * UINT64_C(0xd1342543de82ef95);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/*
 * Fill n elements of the rule's type so that the rule keeps those places that
 * the pattern says. Survivors and others alike are drawn from the type's
 * special values, from the neighbours of the rule's operands and from random
 * bits. A rule that keeps everything, or nothing, gets what there is.
 */
void data_fill(const struct rule *rule, const struct pattern *pattern,
               uint64_t seed, uint64_t n, void *to);

#endif
