/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common.h"
#include "host.h"
#include "tile/plan.h"

static int ranges(const winnow__call *call, winnow__range *list) {
    list[0] = winnow__input_range(call);
    list[1] = winnow__result_range("d_count", call->count, sizeof *call->count);
    return 2;
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    *call->count = winnow__host_count_if(task);
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
/* For a large input use the best number of blocks. */
static winnow_status plan(const winnow__query *query,
                          const winnow__constraints *constraints,
                          winnow__plan *plan_p) {
    winnow__input input;
    WINNOW__TRY(winnow__input_of(query, &input));
    const uint64_t most =
        (uint64_t)WINNOW__COUNT_BLOCKS * input.context->multiprocessors;
    const winnow__kernel *kernel = winnow__find_kernel(
        winnow__choose_shape(&input, WINNOW__COUNTS), input.key);
    const uint64_t tiles = winnow__count_tiles(kernel, &input, constraints);
    if (tiles <= most)
        winnow__plan_sum(WINNOW__TILE_PER_BLOCK, kernel, tiles, plan_p);
    else
        winnow__plan_sum(WINNOW__PERSISTENT, kernel, most, plan_p);
    return WINNOW_OK;
}

static void set_results(const winnow__call *call, const winnow__plan *plan,
                        winnow__args *args) {
    (void)plan;
    args->sink.count = (unsigned long long *)call->count;
}
#endif

const winnow__operation winnow__count_if_operation = {
    .name = "count_if",
    .takes = WINNOW__TAKES_TYPE | WINNOW__TAKES_N,
    .ranges = ranges,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(plan),
    .set_results = WINNOW__IF_CUDA(set_results),
};

winnow_status winnow_count_if(winnow_context *context,
                              const winnow_predicate *predicate,
                              winnow_type type, const void *d_in, uint64_t n,
                              uint64_t *d_count, const winnow_launch *launch) {
    winnow__call call = {.query = {.operation = &winnow__count_if_operation,
                                   .context = context,
                                   .predicate = predicate,
                                   .given = type,
                                   .n = n},
                         .in = d_in,
                         .count = d_count};
    return winnow__do(&call, launch);
}
