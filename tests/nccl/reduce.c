/*
 * Results of ranks, put together on each: the same bits as those that the host
 * makes of the partial results of all.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranked.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_ITEMS = 40, /* of a rank */
    ALL = WINNOW_REDUCE_COUNT | WINNOW_REDUCE_SUM | WINNOW_REDUCE_MINIMUM |
          WINNOW_REDUCE_MAXIMUM | WINNOW_REDUCE_INDEX
};

/* What is on the device. */
typedef struct on_device {
    winnow_reduction partial, result;
    uint64_t first;
    uint64_t behind; /* nobody writes to it */
} on_device;

/* A reduction on a rank, and what the host makes of it. */
typedef struct reduction {
    const ranked_exchange *e;
    winnow_context *context;
    winnow_type type;
    unsigned wanted;
    bool is_own;   /* the result takes the place of the partial */
    bool is_first; /* there is a number for the indices */
    on_device host, *d;
    winnow_reduction merged;
} reduction;

/* Rank `rank`'s items: bits at random; but numbers of 64 bits are of sizes that
 * differ much, so that the sums of floats depend on their order. */
static uint64_t make_items(const reduction *x, int ranks, int rank,
                           uint64_t run, uint64_t *items) {
    const uint64_t n =
        x->e->scale == 0
            ? 0
            : ranked_count(x->e, ranks, rank, ranks / 2) % MOST_ITEMS;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t bits =
            ranked_random(ranked_random(x->e->seed + run, i), (uint64_t)rank);
        const double value = (double)(int64_t)bits / (double)(1u << bits % 32);
        items[i] = bits;
        if (x->type == WINNOW_FLOAT64)
            memcpy(&items[i], &value, sizeof value);
    }
    return n;
}

/* Partial sums of decimals: there is no call that reduces elements of 128 bits. Of
 * so many bits that sums have 38 digits or more, and some are too many already. */
static winnow_reduction decimal_partial(const uint64_t *items, uint64_t n) {
    winnow_reduction partial = {.count = n};
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t upper =
            (uint64_t)((int64_t)items[i] >> (1 + items[i] % 7));
        partial.sum.uint64 += items[i];
        partial.overflow += upper + (partial.sum.uint64 < items[i]);
    }
    return partial;
}

/* Of a rank's items; of decimals the sum and the number. */
static winnow_status make_partial(const reduction *x, const uint64_t *items,
                                  uint64_t n, winnow_reduction *partial_p) {
    if (x->type != WINNOW_INT128)
        return winnow_reduce_if(x->context, NULL, x->type, items, n,
                                x->wanted | WINNOW_REDUCE_PARTIAL, partial_p,
                                NULL);
    *partial_p = decimal_partial(items, n);
    return WINNOW_OK;
}

/* Of run `run`: of all ranks, on each, so that each knows what has to come. */
static bool make_partials(const ranked_rank *r, reduction *x, uint64_t run) {
    const int ranks = r->all->ranks;
    uint64_t items[MOST_ITEMS], firsts[RANKED_MOST], first = 5 * run;
    winnow_reduction partials[RANKED_MOST];
    for (int q = 0; q < ranks; q++) {
        const uint64_t n = make_items(x, ranks, q, run, items);
        firsts[q] = x->is_first ? first : 0;
        first += n;
        if (make_partial(x, items, n, &partials[q]) != WINNOW_OK)
            return report_fail(r->report, "rank %d: %s", r->rank,
                               winnow_last_error());
    }
    if (winnow_reduction_merge(x->type, partials, firsts, (uint64_t)ranks,
                               x->wanted, &x->merged) != WINNOW_OK)
        return report_fail(r->report, "rank %d: %s", r->rank,
                           winnow_last_error());
    memset(&x->host, 0x5a, sizeof x->host);
    x->host.partial = partials[r->rank];
    x->host.first = firsts[r->rank];
    ranked_put(r, x->d, &x->host, sizeof x->host);
    return true;
}

static bool same(const void *a, const void *b, size_t bytes) {
    return memcmp(a, b, bytes) == 0;
}

/* The result is this, and what else is on the device is as it was. */
static bool check_result(const ranked_rank *r, const reduction *x,
                         const winnow_reduction *wanted) {
    on_device got;
    ranked_get(r, &got, x->d, sizeof got);
    const winnow_reduction *const result =
        x->is_own ? &got.partial : &got.result;
    if (!same(result, wanted, sizeof *result))
        return report_fail(
            r->report,
            "rank %d: %s, wanted 0x%x, wrong %d: count %llu, sum 0x%llx, mean "
            "%g, indices %lld and %lld, and not %llu, 0x%llx, %g, %lld and "
            "%lld",
            r->rank, winnow_type_name(x->type), x->wanted, (int)x->e->wrong,
            (unsigned long long)result->count,
            (unsigned long long)result->sum.uint64, result->mean,
            (long long)result->minimum_index, (long long)result->maximum_index,
            (unsigned long long)wanted->count,
            (unsigned long long)wanted->sum.uint64, wanted->mean,
            (long long)wanted->minimum_index, (long long)wanted->maximum_index);
    if (x->is_own)
        got.partial = x->host.partial;
    else
        got.result = x->host.result;
    return same(&got, &x->host, sizeof got) ||
           report_fail(r->report, "rank %d: more is written", r->rank);
}

static winnow_status call(ranked_rank *r, const void *argument,
                          const winnow_launch *launch) {
    const reduction *const x = argument;
    on_device *const d = x->d;
    return winnow_nccl_reduce(r->nccl, x->type, &d->partial,
                              x->is_first ? &d->first : NULL, x->wanted,
                              x->is_own ? &d->partial : &d->result, launch);
}

static bool expect(const ranked_rank *r, const reduction *x, const char *what,
                   winnow_status got, winnow_status wanted) {
    if (got == wanted && (got == WINNOW_OK || winnow_last_error()[0] != '\0'))
        return true;
    return report_fail(r->report, "rank %d, wrong %d: %s: %s instead of %s: %s",
                       r->rank, (int)x->e->wrong, what, winnow_status_name(got),
                       winnow_status_name(wanted), winnow_last_error());
}

static bool run_right(ranked_rank *r, reduction *x) {
    const winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    if (!make_partials(r, x, 0))
        return false;
    const winnow_status status = call(r, x, &launch);
    ranked_wait(r);
    return expect(r, x, "reduce", status, WINNOW_OK) &&
           expect(r, x, "later", winnow_nccl_async_error(r->nccl), WINNOW_OK) &&
           check_result(r, x, &x->merged);
}

/* -------------------------------------------------------------- mistakes */

/* What one rank does; *seen_p: its own call says so. */
static winnow_status call_wrongly(ranked_rank *r, const reduction *x,
                                  winnow_launch *launch, bool *seen_p) {
    static winnow_plan plan;
    on_device *const d = x->d;
    const winnow_reduction *partial = &d->partial;
    winnow_reduction *result = &d->result;
    winnow_type type = x->type;
    unsigned wanted = x->wanted;
    *seen_p = true;
    switch (x->e->wrong) {
    case RANKED_NULL_IN:
        partial = NULL;
        break;
    case RANKED_NULL_OUT:
        result = NULL;
        break;
    case RANKED_UNALIGNED:
        result = (winnow_reduction *)(void *)((unsigned char *)result + 4);
        break;
    case RANKED_BITS:
        type = WINNOW_BIT;
        break;
    case RANKED_DESCENDING:
        wanted |= WINNOW_REDUCE_PARTIAL;
        break;
    case RANKED_PLAIN:
        partial = ranked_plain();
        break;
    case RANKED_ELSEWHERE:
        result = r->elsewhere;
        break;
    case RANKED_PLANNED:
        launch->plan = &plan;
        break;
    case RANKED_OTHER_SIZE:
        type = WINNOW_UINT64;
        *seen_p = false;
        break;
    default:
        wanted = WINNOW_REDUCE_SUM;
        *seen_p = false;
    }
    return winnow_nccl_reduce(r->nccl, type, partial, NULL, wanted, result,
                              launch);
}

static bool run_wrong(ranked_rank *r, reduction *x) {
    winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    const bool mine = r->rank == x->e->wrong_rank;
    const winnow_status wanted = x->e->wrong == RANKED_PLANNED
                                     ? WINNOW_ERR_UNSUPPORTED
                                     : WINNOW_ERR_ARGUMENT;
    winnow_reduction ones;
    bool seen = false;
    x->type = WINNOW_INT64;
    x->wanted = ALL;
    if (!make_partials(r, x, 0))
        return false;
    memset(&ones, 0xff, sizeof ones);
    const winnow_status status =
        mine ? call_wrongly(r, x, &launch, &seen) : call(r, x, &launch);
    ranked_wait(r);
    return expect(r, x, "reduce", status, seen ? wanted : WINNOW_OK) &&
           expect(r, x, "later", winnow_nccl_async_error(r->nccl), wanted) &&
           expect(r, x, "twice", winnow_nccl_async_error(r->nccl), WINNOW_OK) &&
           check_result(r, x, seen ? &x->host.result : &ones);
}

/* -------------------------------------------------------------------- runs */

static bool open_reduction(const ranked_rank *r, reduction *x) {
    *x = (reduction){.e = r->argument, .type = WINNOW_FLOAT64, .wanted = ALL};
    if (winnow_context_create(&x->context, WINNOW_DEVICE_HOST) != WINNOW_OK)
        return report_fail(r->report, "rank %d: %s", r->rank,
                           winnow_last_error());
    x->d = ranked_alloc(r, sizeof *x->d);
    return true;
}

static void close_reduction(const ranked_rank *r, reduction *x) {
    ranked_free(r, x->d);
    winnow_context_destroy(x->context);
}

/* Of each type all that there is, or some of it. */
static bool run_types(ranked_rank *r, reduction *x) {
    static const unsigned some[] = {
        WINNOW_REDUCE_COUNT, WINNOW_REDUCE_SUM, WINNOW_REDUCE_MINIMUM,
        WINNOW_REDUCE_MAXIMUM | WINNOW_REDUCE_INDEX};
    bool passed = true;
    for (int type = WINNOW_INT8; type <= WINNOW_INT128 && passed; type++) {
        if (type == WINNOW_BIT)
            continue;
        const uint64_t drawn =
            ranked_random(x->e->seed + x->e->spread, (uint64_t)type);
        memcpy(&x->type, &type, sizeof type);
        x->wanted = type == WINNOW_INT128 ? WINNOW_REDUCE_SUM
                    : drawn >> 4 & 1      ? ALL
                                          : some[drawn % 4];
        x->is_own = drawn >> 2 & 1;
        x->is_first = drawn >> 3 & 1;
        passed = run_right(r, x);
    }
    return passed;
}

/* After a wrong call the same one, done right, has to work. */
bool ranked_check_reduce(ranked_rank *r) {
    reduction x;
    if (!open_reduction(r, &x))
        return false;
    const bool passed = x.e->wrong_rank < 0
                            ? run_types(r, &x)
                            : run_wrong(r, &x) && run_right(r, &x);
    close_reduction(r, &x);
    return passed;
}

/* The partials that a graph reads are those of its run. */
bool ranked_check_reduce_graph(ranked_rank *r) {
    reduction x;
    cudaGraphExec_t exec;
    if (!open_reduction(r, &x))
        return false;
    x.is_first = true;
    const winnow_status status = ranked_capture(r, call, &x, &exec);
    bool passed = expect(r, &x, "a capture", status, WINNOW_OK);
    for (uint64_t run = 0; run < 3 && passed; run++) {
        passed = make_partials(r, &x, run);
        if (!passed)
            break;
        ranked_replay(r, exec);
        passed = check_result(r, &x, &x.merged);
    }
    passed = passed && run_right(r, &x);
    if (status == WINNOW_OK)
        ranked_graph_free(exec);
    close_reduction(r, &x);
    return passed;
}
