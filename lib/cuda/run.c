/*
 * The CUDA backend: enqueue a checked call on its stream.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend.h"
#include "auto/candidates.h"
#include "shapes.h"
#include "launch.h"
#include "memory.h"
#include "core/operation.h"

winnow_status winnow__cuda_workspace(const winnow__query *query,
                                     size_t *bytes_p) {
    const winnow__constraints anywhere = {.exchange = true, .ready = true};
    /* A call has enough of it whatever its hint is. */
    const winnow__choice choice = winnow__choose_any(query);
    winnow__candidate_plans plans;
    winnow__plan plan;
    winnow_status status;
    if (choice.number == 1 || query->n == 0) {
        status = winnow__plan_query(query, &anywhere, &plan);
    } else {
        status = winnow__plan_candidates(query, &anywhere, &choice, &plans);
        plan = plans.memory;
    }
    if (status == WINNOW_OK)
        *bytes_p = winnow__needed_bytes(&plan);
    return status;
}

winnow__args winnow__arguments(const winnow__call *call,
                               const winnow__plan *plan) {
    winnow__args args = {.in = call->in,
                         .n = call->query.n,
                         .chosen = call->query.options.d_strategy,
                         .test = call->query.predicate->test};
    call->query.operation->set_results(call, plan, &args);
    return args;
}

/* Nothing to do but to say so. */
static winnow_status run_empty(const winnow__call *call,
                               const winnow__plan *plan) {
    winnow__args args = winnow__arguments(call, plan);
    const winnow__choice choice = winnow__choose(&call->query);
    args.strategy = (int)winnow__candidate_of(&choice, 0).strategy;
    return winnow__launch(&winnow__store, 1, &args, call->stream);
}

static winnow_status run_cub(const winnow__call *call, const winnow__plan *plan,
                             const winnow__workspace *memory,
                             winnow__args *args) {
    winnow_status status =
        winnow__launch_cub(call, args, memory->other, plan->other);
    if (status != WINNOW_OK || args->chosen == NULL)
        return status;
    args->sink.count = NULL;
    return winnow__launch(&winnow__store, 1, args, call->stream);
}

winnow_status winnow__run_plan(const winnow__call *call,
                               const winnow__plan *plan,
                               const winnow__workspace *memory,
                               winnow__args *args, bool *refused_p) {
    if (plan->groups != 0)
        args->groups = memory->groups;
    else
        args->states = memory->states;
    args->strategy = (int)plan->strategy;
    args->blocks = plan->blocks;
    args->spin_limit = plan->spin_limit;
    args->trigger_early = plan->trigger_early;
    if (plan->mode == WINNOW__BY_CUB)
        return run_cub(call, plan, memory, args);
    if (args->candidate != 0 && winnow__is_striped(plan->kernel, &call->query))
        args->n |= WINNOW__IS_CANDIDATE;
    const winnow_status status =
        winnow__launch_plan(call, plan, args, refused_p);
    args->n &= ~WINNOW__IS_CANDIDATE;
    return status;
}

static winnow_status run_single(const winnow__call *call,
                                const winnow__plan *plan,
                                const winnow__workspace *memory,
                                bool *refused_p) {
    winnow__args args = winnow__arguments(call, plan);
    args.cursor = memory->cursor;
    args.after_clear = memory->cleared;
    return winnow__run_plan(call, plan, memory, &args, refused_p);
}

static winnow_status run_planned(const winnow__call *call,
                                 const winnow__plan *plan, bool captured,
                                 bool *refused_p) {
    winnow__workspace memory;
    winnow_status status =
        winnow__workspace_take(call, plan, captured, &memory);
    if (status != WINNOW_OK)
        return status;
    status = plan->mode == WINNOW__SEVERAL
                 ? call->query.operation->enqueue(call, plan, &memory)
                 : run_single(call, plan, &memory, refused_p);
    const winnow_status given = winnow__workspace_give(call, &memory);
    return status != WINNOW_OK ? status : given;
}

/* Plan the call, see whether the caller's workspace is large enough, and run
 * it. */
static winnow_status attempt(const winnow__call *call,
                             const winnow__constraints *constraints,
                             bool captured, bool *refused_p) {
    winnow__plan plan;
    *refused_p = false;
    winnow_status status = winnow__plan_query(&call->query, constraints, &plan);
    if (status == WINNOW_OK)
        status =
            winnow__check_workspace_bytes(call, winnow__needed_bytes(&plan));
    if (status != WINNOW_OK)
        return status;
    return call->query.n == 0 && call->query.operation->enqueue == NULL
               ? run_empty(call, &plan)
               : run_planned(call, &plan, captured, refused_p);
}

/* A stream may have only a part of the device, which holds fewer blocks than
 * the whole of it: then there is another plan, or WINNOW_ERR_UNSUPPORTED where
 * a strategy has none. No plan of the second attempt can be refused. */
winnow_status winnow__cuda_run(const winnow__call *call) {
    bool captured, refused = false;
    winnow_status status = winnow__is_captured(call, &captured);
    winnow__constraints constraints = {
        .exchange = true,
        .ready = winnow__ready_serves(call, captured),
        .located = true,
        .in = (uintptr_t)call->in,
        .in_place = call->in != NULL && call->in == call->out};
    if (status != WINNOW_OK)
        return status;
    const winnow__choice choice = winnow__choose(&call->query);
    if (choice.number > 1 && call->query.n != 0)
        return winnow__run_candidates(call, &constraints, &choice, captured);
    constraints.candidate = choice.only;
    status = attempt(call, &constraints, captured, &refused);
    if (!refused)
        return status;
    constraints.exchange = false;
    return attempt(call, &constraints, captured, &refused);
}
