/*
 * reduce_if: count, sum, minimum and maximum, all of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "reduce.h"

#include "util.h"

#include <math.h>
#include <stdlib.h>

#define WANTED                                                                 \
    (WINNOW_REDUCE_COUNT | WINNOW_REDUCE_SUM | WINNOW_REDUCE_MINIMUM |         \
     WINNOW_REDUCE_MAXIMUM)

winnow_status bench_reduce(const bench_contender *c,
                           const winnow_launch *launch) {
    const bench_run *run = c->run;
    return winnow_reduce_if(run->context, c->cell->predicate, c->cell->type,
                            run->d_in, c->cell->n, WANTED,
                            (winnow_reduction *)(void *)run->d_count, launch);
}

/* By the host backend, whose answer the tests compare with an oracle's. */
static winnow_reduction expected_of(const bench_contender *c) {
    const size_t bytes = (size_t)c->cell->n * c->cell->data.size;
    winnow_reduction result = {0};
    winnow_context *host = NULL;
    void *const in = bench_alloc(bytes);
    c->run->platform.fetch(in, c->run->d_in, bytes);
    bench_check(winnow_context_create(&host, WINNOW_DEVICE_HOST),
                "winnow_context_create");
    bench_check(winnow_reduce_if(host, c->cell->predicate, c->cell->type, in,
                                 c->cell->n, WANTED, &result, NULL),
                "winnow_reduce_if on the host");
    winnow_context_destroy(host);
    free(in);
    return result;
}

static bool is_close(double a, double b) {
    return (isnan(a) && isnan(b)) || a == b ||
           fabs(a - b) <= 1e-3 * (fabs(a) + fabs(b));
}

bool bench_reduction_is_right(const bench_contender *c) {
    const winnow_reduction expected = expected_of(c);
    winnow_reduction seen = {0};
    if (c->count_on_host) {
        seen.count = c->host_reduced.count;
        seen.sum = c->host_reduced.sum;
    } else {
        c->run->platform.fetch(&seen, c->run->d_count, sizeof seen);
    }
    if (c->peer == NULL && (seen.minimum.uint64 != expected.minimum.uint64 ||
                            seen.maximum.uint64 != expected.maximum.uint64))
        return false;
    return c->cell->type < WINNOW_FLOAT16
               ? seen.sum.uint64 == expected.sum.uint64
               : is_close(seen.sum.float64, expected.sum.float64);
}
