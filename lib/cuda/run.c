/*
 * The CUDA backend: enqueue a checked call on its stream.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend.h"
#include "launch.h"
#include "run.h"
#include "core/operation.h"

winnow_status winnow__cuda_workspace(const winnow__query *query,
                                     size_t *bytes_p) {
    const winnow__constraints anywhere = {.exchange = true, .ready = true};
    winnow__plan plan;
    winnow_status status = winnow__plan_query(query, &anywhere, &plan);
    if (status == WINNOW_OK)
        *bytes_p = winnow__needed_bytes(&plan);
    return status;
}

winnow__args winnow__arguments(const winnow__call *call,
                               const winnow__plan *plan) {
    winnow__args args = {
        .in = call->in,
        .n = call->query.n,
        .chosen = call->query.options.d_strategy,
    };
    if (call->query.predicate != NULL)
        args.test = call->query.predicate->test;
    call->query.operation->set_results(call, plan, &args);
    return args;
}

/* Nothing to do but to say so. */
static winnow_status run_empty(const winnow__call *call,
                               const winnow__plan *plan) {
    winnow__args args = winnow__arguments(call, plan);
    args.strategy = (int)plan->strategy;
    return winnow__launch(&winnow__store, 1, &args, call->stream);
}

winnow_status winnow__run_plan(const winnow__call *call,
                               const winnow__plan *plan,
                               const winnow__workspace *memory,
                               winnow__args *args, bool *refused_p) {
    if (plan->groups != 0)
        args->one_wave.groups = memory->groups;
    args->look_back.states = memory->states;
    args->software.slots = memory->states;
    args->strategy = (int)plan->strategy;
    args->blocks = plan->blocks;
    args->one_wave.spin_limit = plan->spin_limit;
    args->trigger_early = plan->trigger_early;
    return plan->mode == WINNOW__FOREIGN
               ? call->query.operation->launch_foreign(call, plan, memory, args)
               : winnow__launch_plan(call, plan, args, refused_p);
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
winnow_status winnow__run_planned(const winnow__call *call,
                                  const winnow__constraints *constraints,
                                  bool captured) {
    winnow__constraints apart = *constraints;
    bool refused = false;
    winnow_status status = attempt(call, constraints, captured, &refused);
    if (!refused)
        return status;
    apart.exchange = false;
    return attempt(call, &apart, captured, &refused);
}

winnow_status winnow__cuda_run(const winnow__call *call) {
    const winnow__operation *const operation = call->query.operation;
    bool captured;
    winnow_status status = winnow__is_captured(call, &captured);
    const winnow__constraints constraints = {
        .exchange = true,
        .ready = winnow__ready_serves(call, captured),
        .located = true,
        .in = (uintptr_t)call->in,
        .in_place = call->in != NULL && call->in == call->out};
    if (status != WINNOW_OK)
        return status;
    return (operation->run != NULL ? operation->run : winnow__run_planned)(
        call, &constraints, captured);
}
