/*
 * Reductions and what they should find: one call of winnow_reduce_if() on
 * memory between canaries, held against arithmetic of the tests' own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_REDUCTIONS_H
#define WINNOW_TESTS_REDUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "backend.h"
#include "data.h"
#include "oracle.h"
#include "region.h"
#include "report.h"

#define REDUCE_ENDS (WINNOW_REDUCE_MINIMUM | WINNOW_REDUCE_MAXIMUM)
#define REDUCE_ALL                                                             \
    (WINNOW_REDUCE_COUNT | WINNOW_REDUCE_SUM | REDUCE_ENDS |                   \
     WINNOW_REDUCE_INDEX)

/* An input and its elements' values. */
struct reduction {
    const struct backend *backend;
    struct rule rule;
    bool every; /* no predicate: every element passes */
    uint64_t n;
    unsigned offset; /* elements before the input, in its memory */
    uint64_t parts;  /* the most that an input is cut into: 4096, or what the
                        call below says */
    uint64_t d_n;    /* *launch->d_n; UINT64_MAX: there is none */
    /* NULL: winnow_reduce_if(). */
    winnow_status (*call)(const struct reduction *reduction, uint64_t n,
                          unsigned wanted, winnow_reduction *d_result,
                          const winnow_launch *launch);
    winnow_predicate *predicate;
    struct region in, result, workspace;
    unsigned char *input; /* the host's copy */
};

/* `tame`: floats are finite, and their sums depend on the order. Else values
 * are those of data_fill(). */
void reduction_open(struct reduction *reduction, const struct backend *backend,
                    const struct rule *rule, bool every,
                    const struct pattern *pattern, bool tame, uint64_t seed,
                    uint64_t n, unsigned offset);
void reduction_close(struct reduction *reduction);

/* Of the first n elements, or d_n if that is less. */
winnow_reduction reduction_expected(const struct reduction *reduction,
                                    uint64_t n, unsigned wanted);
bool reduction_check(const struct reduction *reduction,
                     const winnow_reduction *seen, uint64_t n, unsigned wanted,
                     struct report *report);

/* Call it for the first n elements, wait, and check the result, what lies
 * around it, and that the input is as it was. `given`: with a workspace. */
bool reduction_run(struct reduction *reduction, uint64_t n, unsigned wanted,
                   bool given, struct report *report);

#endif
