/*
 * The CUDA backend: enqueue a checked call on its stream.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend.h"
#include "launch.h"
#include "run.h"
#include "core/operation.h"
#include "core/status.h"

#include <stdio.h>

winnow_status winnow__cuda_workspace(const winnow__query *query,
                                     size_t *bytes_p) {
    const winnow__constraints anywhere = {.exchange = true, .ready = true};
    winnow__plan plan;
    WINNOW__TRY(winnow__plan_query(query, &anywhere, &plan));
    *bytes_p = winnow__needed_bytes(&plan);
    return WINNOW_OK;
}

winnow__args winnow__arguments(const winnow__call *call,
                               const winnow__plan *plan) {
    winnow__args args = {
        .in = call->in,
        .n = call->query.n,
        .items = call->query.launch.d_n,
        .chosen = call->query.launch.d_strategy,
    };
    if (call->query.predicate != NULL)
        args.test = call->query.predicate->test;
    call->query.operation->set_results(call, plan, &args);
    return args;
}

/* Only report that there is nothing to do. */
static winnow_status run_empty(const winnow__call *call,
                               const winnow__plan *plan) {
    winnow__args args = winnow__arguments(call, plan);
    args.strategy = (int)plan->strategy;
    return winnow__launch(&winnow__store, 1, &args, call->query.launch.stream);
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

bool winnow__delivers(const winnow__query *query, const uint64_t *count) {
    const winnow_launch *const launch = &query->launch;
    return launch->d_position != NULL ||
           (launch->d_n != NULL && launch->d_n == count);
}

winnow__args winnow__arguments_in(const winnow__call *call,
                                  const winnow__plan *plan,
                                  const winnow__workspace *memory) {
    winnow__args args = winnow__arguments(call, plan);
    args.cursor = memory->cursor;
    args.after_clear = memory->cleared;
    if (winnow__delivers(&call->query, call->count))
        args.sink.count = &memory->cursor->count;
    return args;
}

winnow_status winnow__prepare_delivery(const winnow__call *call,
                                       winnow__plan *plan) {
    if (!winnow__delivers(&call->query, call->count))
        return WINNOW_OK;
    plan->cursor = true;
    return winnow__load(call->query.context, &winnow__deliver);
}

winnow_status winnow__deliver_count(const winnow__call *call,
                                    const winnow__workspace *memory) {
    if (!winnow__delivers(&call->query, call->count))
        return WINNOW_OK;
    const winnow__deliver_args args = {
        .total = &memory->cursor->count,
        .count = (unsigned long long *)call->count,
        .position = (unsigned long long *)call->query.launch.d_position,
        .capacity = call->query.capacity};
    return winnow__launch_overlapping(call, &winnow__deliver, 1, &args);
}

static winnow_status run_single(const winnow__call *call,
                                const winnow__plan *plan,
                                const winnow__workspace *memory,
                                bool *refused_p) {
    winnow__args args = winnow__arguments_in(call, plan, memory);
    WINNOW__TRY(winnow__run_plan(call, plan, memory, &args, refused_p));
    return winnow__deliver_count(call, memory);
}

static winnow_status run_planned(const winnow__call *call,
                                 const winnow__plan *plan, bool captured,
                                 bool *refused_p) {
    winnow__workspace memory;
    WINNOW__TRY(winnow__workspace_take(call, plan, captured, &memory));
    winnow_status status =
        plan->mode == WINNOW__SEVERAL
            ? call->query.operation->enqueue(call, plan, &memory)
            : run_single(call, plan, &memory, refused_p);
    winnow__workspace_give(call, &memory);
    return status;
}

/* Plan the call, check that the caller's workspace is large enough, and run it. */
static winnow_status attempt(const winnow__call *call,
                             const winnow__constraints *constraints,
                             bool captured, bool *refused_p) {
    winnow__plan plan;
    *refused_p = false;
    WINNOW__TRY(winnow__plan_query(&call->query, constraints, &plan));
    WINNOW__TRY(
        winnow__check_workspace_bytes(call, winnow__needed_bytes(&plan)));
    if (plan.mode != WINNOW__SEVERAL)
        WINNOW__TRY(winnow__prepare_delivery(call, &plan));
    return call->query.n == 0 && call->query.operation->enqueue == NULL
               ? run_empty(call, &plan)
               : run_planned(call, &plan, captured, refused_p);
}

/* A stream may have only a part of the device, where fewer blocks are resident
 * than on the whole device. Then another plan is tried, or the result is
 * WINNOW_ERR_UNSUPPORTED if the strategy has none. No second plan can be refused. */
winnow_status winnow__run_planned(const winnow__call *call,
                                  const winnow__constraints *constraints,
                                  bool captured) {
    winnow__constraints apart = *constraints;
    bool refused = false;
    const winnow_status status = attempt(call, constraints, captured, &refused);
    if (!refused)
        return status;
    apart.exchange = false;
    return attempt(call, &apart, captured, &refused);
}

/* A later launch failed. The error must say that results may have been written,
 * whatever the cause. */
static winnow_status fail_late(unsigned launches) {
    char why[256];
    snprintf(why, sizeof why, "%s", winnow_last_error());
    return winnow__fail(WINNOW_ERR_CUDA,
                        "%s; %u of the call's launches were enqueued before, "
                        "and may write to its outputs",
                        why, launches);
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
    winnow__reset_launches();
    status = (operation->run != NULL ? operation->run : winnow__run_planned)(
        call, &constraints, captured);
    return status == WINNOW_OK || winnow__launches() == 0
               ? status
               : fail_late(winnow__launches());
}
