/*
 * reduce_if on the host: part by part, in the order of kernels/reduce/args.h,
 * by any number of threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "details.h"
#include "core/status.h"
#include "kernels/reduce/result.h"

enum {
    /* For fewer bytes it is not worth waking a second thread. */
    LEAST_BYTES_PER_THREAD = 1 << 20,
    /* The most places of a stripe that have a sum: with floats of 2 bytes. */
    MOST_SUMS = WINNOW__REDUCE_STRIPE_BYTES / 2
};

typedef struct job {
    const winnow__host_task *task;
    const winnow__reduce_loops *loops;
    winnow__reduce_given given;
    winnow__reduce_type type;
    winnow__reduce_cut cut;
    unsigned wanted, elements;
    winnow__turns turns;           /* of parts */
    winnow__reduce_totals *totals; /* for each part; `tile` in it is a stripe,
                                      named by its first element */
} job;

static uint64_t stripe_items(const job *j) {
    return WINNOW__REDUCE_STRIPE_BYTES >> j->type.log2_size;
}

static const unsigned char *element(const job *j, uint64_t i) {
    return (const unsigned char *)j->task->in + (i << j->type.log2_size);
}

double winnow__reduce_fold(double *sums, uint64_t number) {
    for (uint64_t half = number / 2; half != 0; half /= 2)
        for (uint64_t l = 0; l < half; l++)
            sums[l] += sums[l + half];
    return sums[0];
}

static uint64_t count(const job *j, uint64_t start, uint64_t n) {
    return j->task->predicate != NULL
               ? winnow__host_count_part(j->task, start, n)
               : n;
}

static winnow__reduce_totals reduce_stripe(const job *j, uint64_t start,
                                           uint64_t n, double *sums) {
    winnow__reduce_stripe found = {.sums = sums};
    winnow__reduce_totals totals = winnow__reduce_nothing();
    totals.count = count(j, start, n);
    if (totals.count == 0)
        return totals;
    if (j->wanted & WINNOW_REDUCE_SUM) {
        j->loops->sum[j->elements](&j->given, element(j, start), n, &found);
        totals.sum = found.sum_low + (found.sum_high << 32);
        totals.sum_high = (found.sum_high >> 32) + (totals.sum < found.sum_low);
    }
    if (j->given.ends[0] || j->given.ends[1])
        j->loops->ends[j->elements](&j->given, element(j, start), n, &found);
    for (int end = 0; end < 2; end++)
        if (j->given.ends[end]) {
            totals.rank[end] = found.rank[end];
            totals.tile[end] = start;
        }
    return totals;
}

static bool sums_floats(const job *j) {
    return j->type.is_float && (j->wanted & WINNOW_REDUCE_SUM);
}

static winnow__reduce_totals reduce_part(const job *j, uint32_t part,
                                         double *sums) {
    const uint64_t start = part * j->cut.part_items, stripe = stripe_items(j);
    const uint64_t left = j->task->n > start ? j->task->n - start : 0;
    const uint64_t n = left < j->cut.part_items ? left : j->cut.part_items;
    const bool floats = sums_floats(j);
    winnow__reduce_totals totals = winnow__reduce_nothing();
    if (floats)
        memset(sums, 0, stripe * sizeof *sums);
    for (uint64_t i = 0; i < n; i += stripe) {
        const winnow__reduce_totals some =
            reduce_stripe(j, start + i, n - i < stripe ? n - i : stripe, sums);
        winnow__reduce_merge(&totals, &some, !floats, 2);
    }
    if (floats)
        totals.sum = winnow__as_bits(winnow__reduce_fold(sums, stripe));
    return totals;
}

/* ---------------------------------------------------------------- threads */

static void reduce_parts(void *argument, unsigned char *buffer) {
    job *const j = argument;
    uint64_t part;
    while (winnow__take_turn(&j->turns, &part))
        j->totals[part] = reduce_part(j, part, (double *)(void *)buffer);
}

/* Reduce all parts, into j->totals. */
static void reduce_all_parts(job *j) {
    _Alignas(double) unsigned char buffer[MOST_SUMS * sizeof(double)];
    const uint64_t bytes = j->task->n << j->type.log2_size;
    const unsigned threads =
        winnow__team_threads(j->task->team, bytes / LEAST_BYTES_PER_THREAD);
    j->turns = winnow__begin_turns(j->cut.parts);
    winnow__team_work(j->task->team, threads, reduce_parts, j, buffer);
}

/* ----------------------------------------------------------------- result */

winnow__reduce_totals
winnow__reduce_merge_parts(const winnow__reduce_totals *part, uint32_t parts,
                           uint32_t apart, bool floats) {
    double sums[WINNOW__REDUCE_SUMS] = {0};
    winnow__reduce_totals totals = winnow__reduce_nothing();
    for (uint32_t i = 0; i < parts; i++, part += apart) {
        winnow__reduce_merge(&totals, part, !floats, 2);
        if (floats)
            sums[i % WINNOW__REDUCE_SUMS] += winnow__as_double(part->sum);
    }
    if (floats)
        totals.sum =
            winnow__as_bits(winnow__reduce_fold(sums, WINNOW__REDUCE_SUMS));
    return totals;
}

/* The first element of a stripe that has this rank. */
static uint64_t find_rank(const job *j, uint64_t start, int end,
                          uint64_t rank) {
    job one = *j;
    winnow__reduce_stripe found = {0};
    one.given.ends[1 - end] = false;
    for (uint64_t i = start;; i++) {
        if (count(j, i, 1) == 0)
            continue;
        j->loops->ends[j->elements](&one.given, element(j, i), 1, &found);
        if (found.rank[end] == rank)
            return i;
    }
}

static uint64_t find_index(const job *j, const winnow__reduce_totals *totals,
                           int end) {
    if (!j->given.ends[end] || !(j->wanted & WINNOW_REDUCE_INDEX))
        return 0;
    if (!winnow__reduce_found(&j->type, totals, end))
        return WINNOW_NO_INDEX;
    return find_rank(j, totals->tile[end], end, totals->rank[end]);
}

static winnow__reduce_cut cut_of(const winnow__query *query) {
    return winnow__reduce_cut_of(query->n, query->type->log2_size,
                                 WINNOW__REDUCE_PARTS);
}

size_t winnow__reduce_host_bytes(const winnow__query *query) {
    return cut_of(query).parts * sizeof(winnow__reduce_totals);
}

winnow_status winnow__reduce_on_host(const winnow__call *call,
                                     const winnow__host_task *task) {
    static const winnow__reduce_loops *const loops[WINNOW__HOST_ISAS] = {
        [WINNOW__HOST_PORTABLE] = &winnow__reduce_portable,
#ifdef WINNOW_X86
        [WINNOW__HOST_AVX2] = &winnow__reduce_avx2,
        [WINNOW__HOST_AVX512] = &winnow__reduce_avx512,
#endif
    };
    const winnow__reduce_details *const details = call->query.details;
    const winnow__reduce_type type = winnow__reduce_type_of(call->query.given);
    const unsigned wanted = details->wanted;
    job j = {.task = task,
             .loops = loops[task->loops->isa],
             .given = {.test = winnow__reduce_test(&call->query),
                       .order = type.order,
                       .ends = {(wanted & WINNOW_REDUCE_MINIMUM) != 0,
                                (wanted & WINNOW_REDUCE_MAXIMUM) != 0}},
             .type = type,
             .cut = cut_of(&call->query),
             .wanted = wanted,
             .elements = winnow__reduce_class(&type),
             .totals = task->memory};
    winnow_reduction *const result = call->out;
    reduce_all_parts(&j);
    const winnow__reduce_totals totals =
        winnow__reduce_merge_parts(j.totals, j.cut.parts, 1, sums_floats(&j));
    *result = winnow__reduce_result(&type, wanted, &totals);
    result->minimum_index = find_index(&j, &totals, 0);
    result->maximum_index = find_index(&j, &totals, 1);
    return WINNOW_OK;
}
