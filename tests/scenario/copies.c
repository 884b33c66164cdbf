/*
 * Calls that take a predicate.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "scenario.h"

#include <math.h>

static winnow_status copy_if(struct scenario *s) {
    return winnow_copy_if(s->backend.context, s->predicate, WINNOW_INT32,
                          s->in->x, s->n, s->out->x, WINNOW_NO_LIMIT,
                          &s->out->count, &s->launch);
}

static winnow_status copy_stable(struct scenario *s) {
    winnow_launch launch = s->launch;
    launch.order = WINNOW_STABLE;
    return winnow_copy_if(s->backend.context, s->predicate, WINNOW_INT32,
                          s->in->x, s->n, s->out->x, WINNOW_NO_LIMIT,
                          &s->out->count, &launch);
}

static void check_copy(struct scenario *s) {
    scenario_check_count(s, s->out->count);
    scenario_check_packed(s, s->in->x, s->out->x, sizeof s->in->x[0]);
}

/* In any order: the sums are those of what is kept. */
static void check_unordered(struct scenario *s) {
    int64_t wanted = 0, sum = 0;
    scenario_check_count(s, s->out->count);
    for (uint64_t k = 0; k < s->kept; k++) {
        wanted += s->in->x[s->kept_at[k]];
        sum += s->out->x[k];
    }
    if (sum != wanted)
        scenario_wrong(s, "what is kept is not what passes");
}

static winnow_status copy_index_if(struct scenario *s) {
    winnow_launch launch = s->launch;
    launch.order = WINNOW_STABLE;
    return winnow_copy_index_if(s->backend.context, s->predicate, WINNOW_INT32,
                                s->in->x, s->n, WINNOW_UINT32, s->out->keys,
                                WINNOW_NO_LIMIT, &s->out->count, &launch);
}

static void check_index(struct scenario *s) {
    scenario_check_count(s, s->out->count);
    for (uint64_t k = 0; k < s->kept; k++)
        if (s->out->keys[k] != s->kept_at[k])
            scenario_wrong(s, "index %llu is wrong", (unsigned long long)k);
}

static winnow_status count_if(struct scenario *s) {
    return winnow_count_if(s->backend.context, s->predicate, WINNOW_INT32,
                           s->in->x, s->n, &s->out->count, &s->launch);
}

static void check_count(struct scenario *s) {
    scenario_check_count(s, s->out->count);
}

static winnow_status estimate(struct scenario *s) {
    return winnow_estimate_selectivity(s->backend.context, s->predicate,
                                       WINNOW_INT32, s->in->x, s->n,
                                       &s->out->selectivity, &s->launch);
}

static void check_estimate(struct scenario *s) {
    if (fabs(s->out->selectivity - (double)s->kept / (double)s->n) > 1e-6)
        scenario_wrong(s, "the estimate is wrong");
}

static winnow_status reduce_if(struct scenario *s) {
    return winnow_reduce_if(s->backend.context, s->predicate, WINNOW_INT32,
                            s->in->x, s->n,
                            WINNOW_REDUCE_SUM | WINNOW_REDUCE_PARTIAL,
                            &s->out->reduction, &s->launch);
}

static void check_sum(struct scenario *s) {
    winnow_reduction merged;
    int64_t wanted = 0;
    for (uint64_t k = 0; k < s->kept; k++)
        wanted += s->in->x[s->kept_at[k]];
    scenario_check_count(s, s->out->reduction.count);
    /* The upper half of a sum of few 32-bit integers is that of its sign. */
    if (s->out->reduction.sum.int64 != wanted ||
        s->out->reduction.overflow != (wanted < 0 ? UINT64_MAX : 0))
        scenario_wrong(s, "the sum is wrong");
    if (winnow_reduction_merge(WINNOW_INT32, &s->out->reduction, NULL, 1,
                               WINNOW_REDUCE_SUM, &merged) != WINNOW_OK ||
        merged.sum.int64 != wanted || merged.overflow != 0 ||
        merged.count != s->kept)
        scenario_wrong(s, "what was merged is wrong");
}

static winnow_status partition_if(struct scenario *s) {
    return winnow_partition_if(s->backend.context, s->predicate, WINNOW_INT32,
                               s->in->x, s->n, s->out->x, s->out->rest,
                               s->out->counts, &s->launch);
}

static void check_partition(struct scenario *s) {
    uint64_t rejects = 0;
    scenario_check_count(s, s->out->counts[0]);
    scenario_check_packed(s, s->in->x, s->out->x, sizeof s->in->x[0]);
    for (uint64_t i = 0; i < s->n; i++)
        if (!s->in->keep[i] && s->out->rest[rejects++] != s->in->x[i])
            scenario_wrong(s, "reject %llu is wrong",
                           (unsigned long long)rejects);
    if (s->out->counts[1] != rejects)
        scenario_wrong(s, "the count of the others is wrong");
}

static winnow_status copy_columns_if(struct scenario *s) {
    const winnow_in key = {.type = WINNOW_INT32, .d_base = s->in->x};
    const winnow_move moves[] = {
        {.d_in = s->in->x, .d_out = s->out->x, .element_bytes = 4},
        {.d_in = s->in->runs, .d_out = s->out->keys, .element_bytes = 4}};
    return winnow_copy_columns_if(s->backend.context, s->predicate, &key, s->n,
                                  moves, 2, s->n, &s->out->count, &s->launch);
}

static winnow_status copy_flagged(struct scenario *s) {
    const winnow_mask mask = {WINNOW_MASK_BYTES, s->in->keep, 0};
    const winnow_move moves[] = {
        {.d_in = s->in->x, .d_out = s->out->x, .element_bytes = 4},
        {.d_in = s->in->runs, .d_out = s->out->keys, .element_bytes = 4}};
    return winnow_copy_flagged(s->backend.context, &mask, s->n, moves, 2, s->n,
                               &s->out->count, &s->launch);
}

static void check_columns(struct scenario *s) {
    check_copy(s);
    scenario_check_packed(s, s->in->runs, s->out->keys, sizeof s->in->runs[0]);
}

static winnow_status segmented(struct scenario *s) {
    const winnow_segments segments = {.type = WINNOW_UINT32,
                                      .count = SCENARIO_SEGMENTS,
                                      .d_offsets = s->in->segment_offsets,
                                      .d_counts = s->out->segment_counts,
                                      .d_out_offsets = s->out->segment_offsets};
    return winnow_segmented_copy_if(
        s->backend.context, s->predicate, WINNOW_INT32, s->in->x, s->n,
        &segments, s->out->x, WINNOW_NO_LIMIT, &s->out->count, &s->launch);
}

static void check_segmented(struct scenario *s) {
    uint32_t before = 0;
    check_copy(s);
    for (int k = 0; k < SCENARIO_SEGMENTS; k++) {
        uint32_t count = 0;
        for (uint32_t i = s->in->segment_offsets[k];
             i < s->in->segment_offsets[k + 1]; i++)
            count += s->in->keep[i];
        if (s->out->segment_counts[k] != count ||
            s->out->segment_offsets[k] != before)
            scenario_wrong(s, "segment %d is wrong", k);
        before += count;
    }
    if (s->out->segment_offsets[SCENARIO_SEGMENTS] != before)
        scenario_wrong(s, "the last offset is wrong");
}

const struct scenario_step scenario_copies[] = {{.name = "copy_if",
                                                 .call = copy_if,
                                                 .check = check_unordered,
                                                 .captured = true},
                                                {.name = "copy_if, stable",
                                                 .call = copy_stable,
                                                 .check = check_copy,
                                                 .captured = true},
                                                {.name = "copy_index_if",
                                                 .call = copy_index_if,
                                                 .check = check_index,
                                                 .captured = true},
                                                {.name = "count_if",
                                                 .call = count_if,
                                                 .check = check_count,
                                                 .captured = true},
                                                {.name = "estimate_selectivity",
                                                 .call = estimate,
                                                 .check = check_estimate,
                                                 .captured = true},
                                                {.name = "reduce_if",
                                                 .call = reduce_if,
                                                 .check = check_sum,
                                                 .captured = true},
                                                {.name = "partition_if",
                                                 .call = partition_if,
                                                 .check = check_partition,
                                                 .captured = true},
                                                {.name = "copy_columns_if",
                                                 .call = copy_columns_if,
                                                 .check = check_columns,
                                                 .captured = true},
                                                {.name = "copy_flagged",
                                                 .call = copy_flagged,
                                                 .check = check_columns,
                                                 .captured = true},
                                                {.name = "segmented_copy_if",
                                                 .call = segmented,
                                                 .check = check_segmented,
                                                 .captured = true},
                                                {0}};
