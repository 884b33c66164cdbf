/*
 * The CUDA backend: enqueue a checked call on its stream.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_backend.h"
#include "cuda_kernels.h"
#include "cuda_launch.h"
#include "cuda_memory.h"
#include "operation.h"

static size_t plan_bytes(const winnow__plan *plan) {
    return WINNOW__CURSOR_BYTES + plan->groups + plan->cleared + plan->other;
}

/* Enough for either plan, where there are two. */
static winnow_status workspace_bytes(const winnow__call *call,
                                     size_t *bytes_p) {
    winnow__means means = {.together = true, .ready = true};
    winnow__plan plan;
    winnow_status status = winnow__plan_call(call, means, &plan);
    if (status != WINNOW_OK)
        return status;
    *bytes_p = plan_bytes(&plan);
    if (plan.groups == 0 && plan.form != WINNOW__CLUSTER)
        return WINNOW_OK;
    means.together = false;
    status = winnow__plan_call(call, means, &plan);
    if (status == WINNOW_OK && plan_bytes(&plan) > *bytes_p)
        *bytes_p = plan_bytes(&plan);
    return status;
}

winnow_status winnow__cuda_workspace(const winnow__call *call,
                                     size_t *bytes_p) {
    winnow__call any = *call;
    any.in = NULL; /* wherever it lies */
    return workspace_bytes(&any, bytes_p);
}

static winnow__args arguments(const winnow__call *call) {
    winnow__args args = {.in = call->in,
                         .n = call->n,
                         .chosen = call->options.d_strategy,
                         .test = call->predicate->test};
    call->operation->set_results(call, &args);
    return args;
}

/* Nothing to do but to say so. */
static winnow_status run_empty(const winnow__call *call) {
    winnow__args args = arguments(call);
    args.strategy = (int)winnow__choose(call);
    return winnow__launch(&winnow__store, 1, &args, call->stream);
}

static winnow_status run_cub(const winnow__call *call, const winnow__plan *plan,
                             winnow__args *args) {
    winnow_status status =
        winnow__launch_cub(call, args, args->states, plan->other);
    if (status != WINNOW_OK || args->chosen == NULL)
        return status;
    args->count = NULL;
    return winnow__launch(&winnow__store, 1, args, call->stream);
}

static winnow_status run_with(const winnow__call *call,
                              const winnow__plan *plan,
                              const winnow__workspace *memory,
                              bool *refused_p) {
    winnow__args args = arguments(call);
    args.cursor = memory->cursor;
    args.states = memory->rest; /* or groups */
    args.strategy = (int)plan->strategy;
    args.after_clear = memory->cleared;
    args.blocks = plan->blocks;
    args.patience = plan->patience;
    args.early = plan->early;
    if (plan->form == WINNOW__BY_CUB)
        return run_cub(call, plan, &args);
    return winnow__launch_plan(call, plan, &args, refused_p);
}

static winnow_status attempt(const winnow__call *call, winnow__means means,
                             bool captured, bool *refused_p) {
    winnow__plan plan;
    winnow__workspace memory;
    *refused_p = false;
    winnow_status status = winnow__plan_call(call, means, &plan);
    if (status == WINNOW_OK)
        status = winnow__workspace_take(call, &plan, captured, &memory);
    if (status != WINNOW_OK)
        return status;
    status = run_with(call, &plan, &memory, refused_p);
    const winnow_status given = winnow__workspace_give(call, &memory);
    return status != WINNOW_OK ? status : given;
}

/* A stream may have a part of the device alone, which holds fewer blocks than
 * the whole of it. */
static winnow_status run_planned(const winnow__call *call) {
    bool captured, refused = false;
    winnow_status status = winnow__is_captured(call, &captured);
    winnow__means means = {.together = true,
                           .ready = winnow__ready_serves(call, captured)};
    if (call->workspace != NULL) /* which has been found large enough */
        means.given = call->workspace_bytes - WINNOW__CURSOR_BYTES;
    if (status == WINNOW_OK)
        status = attempt(call, means, captured, &refused);
    if (!refused)
        return status;
    means.together = false;
    return attempt(call, means, captured, &refused);
}

winnow_status winnow__cuda_run(const winnow__call *call) {
    return call->n == 0 ? run_empty(call) : run_planned(call);
}
