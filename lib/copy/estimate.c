/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common.h"
#include "host.h"
#include "kernels/core/sample.h"
#include "tile/plan.h"

static double *result_of(const winnow__call *call) {
    return (double *)(uintptr_t)call->memory;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    list[0] = winnow__input_range(call);
    list[1] =
        winnow__result_range("d_selectivity", result_of(call), sizeof(double));
    return 2;
}

/* Takes the same sample as kernels/copy/estimate.cu. */
static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    uint64_t kept = 0, seen = 0;
    for (unsigned i = 0; i < winnow__sample_runs(task->n); i++) {
        const winnow__sample_run part = winnow__sample(task->n, i);
        kept += winnow__host_count_part(task, part.start, part.length);
        seen += part.length;
    }
    *result_of(call) = seen != 0 ? (double)kept / (double)seen : 0.0;
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
/* One thread for each element of the sample. */
static winnow_status plan(const winnow__query *query,
                          const winnow__constraints *constraints,
                          winnow__plan *plan_p) {
    const unsigned elements =
        winnow__sample_runs(query->n) * WINNOW__SAMPLE_RUN_LENGTH;
    winnow__input input;
    WINNOW__TRY(winnow__input_of(query, &input));
    (void)constraints;
    winnow__plan_sum(WINNOW__TILE_PER_BLOCK,
                     winnow__find_kernel(WINNOW__SHAPE_estimate, input.key),
                     (elements + WINNOW__ESTIMATE_THREADS - 1) /
                         WINNOW__ESTIMATE_THREADS,
                     plan_p);
    return WINNOW_OK;
}

static void set_results(const winnow__call *call, const winnow__plan *plan,
                        winnow__args *args) {
    (void)plan;
    args->estimate.selectivity = result_of(call);
}
#endif

const winnow__operation winnow__estimate_operation = {
    .name = "estimate_selectivity",
    .takes = WINNOW__TAKES_TYPE | WINNOW__TAKES_N,
    .ranges = ranges,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(plan),
    .set_results = WINNOW__IF_CUDA(set_results),
};

winnow_status winnow_estimate_selectivity(winnow_context *context,
                                          const winnow_predicate *predicate,
                                          winnow_type type, const void *d_in,
                                          uint64_t n, double *d_selectivity,
                                          const winnow_launch *launch) {
    winnow__call call = {.query = {.operation = &winnow__estimate_operation,
                                   .context = context,
                                   .predicate = predicate,
                                   .given = type,
                                   .n = n},
                         .in = d_in,
                         .memory = d_selectivity};
    return winnow__do(&call, launch);
}
