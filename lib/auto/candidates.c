/*
 * Calls for which there are several candidates: all are enqueued, behind a
 * kernel that chooses one of them by a sample of the input
 * (kernels/auto/choose.cu).
 *
 * They share the workspace, since only the chosen one uses it; but CUB's
 * kernels run in any case, so what is CUB's is apart, and CUB comes first:
 * where it was not chosen it writes a count of 0, over which the chosen one
 * writes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "choice.h"
#include "cuda/launch.h"
#include "cuda/run.h"
#include "kernels/core/sample.h"

extern winnow__kernels winnow__choose_candidate;

static size_t greater(size_t a, size_t b) {
    return a > b ? a : b;
}

/* Make room for one more plan, and for the one that takes its place where it is
 * refused. */
static void add_memory(winnow__plan *memory, const winnow__plan *plan) {
    memory->groups = greater(memory->groups, plan->groups);
    memory->cleared =
        greater(memory->cleared, greater(plan->cleared, plan->fallback));
    memory->other = greater(memory->other, plan->other);
}

static bool is_same(const winnow__candidate *a, const winnow__candidate *b) {
    return a->strategy == b->strategy && a->shape == b->shape;
}

static winnow_status plan_one(const winnow__query *query,
                              const winnow__constraints *constraints,
                              const winnow__candidate *candidate,
                              bool is_one_of_several, winnow__plan *plan_p) {
    const winnow__settled settled = {*candidate, is_one_of_several};
    *plan_p = (winnow__plan){.cursor = true};
    return query->operation->strategies->plan(query, constraints, &settled,
                                              plan_p);
}

winnow_status winnow__plan_candidates(const winnow__query *query,
                                      const winnow__constraints *constraints,
                                      const winnow__choice *choice,
                                      winnow__candidate_plans *plans_p) {
    winnow_status status = WINNOW_OK;
    plans_p->number = 0;
    plans_p->memory = (winnow__plan){.cursor = true};
    for (unsigned i = 0; i < choice->number && status == WINNOW_OK; i++) {
        const winnow__candidate candidate = winnow__candidate_of(choice, i);
        unsigned plan = 0;
        while (plan < plans_p->number &&
               !is_same(&plans_p->candidates[plan], &candidate))
            plan++;
        plans_p->plan_of[i] = plan;
        if (plan < plans_p->number)
            continue;
        plans_p->candidates[plan] = candidate;
        plans_p->number++;
        status = plan_one(query, constraints, &candidate, true,
                          &plans_p->plans[plan]);
        if (status == WINNOW_OK)
            add_memory(&plans_p->memory, &plans_p->plans[plan]);
    }
    return status;
}

/* The fewest survivors of the sample that are past a range. */
static uint32_t end_of_range(uint32_t below, uint64_t sample) {
    return (uint32_t)((below * sample + WINNOW__WHOLE - 1) / WINNOW__WHOLE);
}

/* The kernel that chooses, a thread for each element of the sample. It says
 * which strategy runs. */
static winnow_status enqueue_choice(const winnow__call *call,
                                    const winnow__choice *choice,
                                    const winnow__candidate_plans *plans,
                                    const winnow__args *args) {
    const uint64_t n = call->query.n;
    winnow__choice_args all = {.args = *args,
                               .ranges = {.number = choice->number}};
    for (unsigned i = 0; i < choice->number; i++) {
        const winnow__candidate candidate = winnow__candidate_of(choice, i);
        all.ranges.below[i] =
            end_of_range(candidate.below, winnow__sample_size(n));
        all.ranges.strategy[i] = candidate.strategy;
        all.ranges.candidate[i] = (uint8_t)(plans->plan_of[i] + 1);
    }
    const unsigned elements =
        winnow__sample_runs(n) * WINNOW__SAMPLE_RUN_LENGTH;
    const winnow_predicate *const predicate = call->query.predicate;
    winnow__plan plan = {.cursor = true};
    winnow__plan_sum(
        WINNOW__TILE_PER_BLOCK,
        &winnow__choose_candidate[predicate->type->log2_size][predicate->kind],
        (elements + WINNOW__ESTIMATE_THREADS - 1) / WINNOW__ESTIMATE_THREADS,
        &plan);
    bool refused;
    return winnow__launch_plan(call, &plan, &all, &refused);
}

/* One candidate; where its blocks do not fit on the stream, what serves
 * instead. */
static winnow_status enqueue_candidate(const winnow__call *call,
                                       const winnow__constraints *constraints,
                                       const winnow__candidate_plans *plans,
                                       unsigned number,
                                       const winnow__workspace *memory,
                                       const winnow__args *args) {
    bool refused = false;
    winnow__args own = *args;
    own.candidate = (uint8_t)(number + 1);
    winnow_status status =
        winnow__run_plan(call, &plans->plans[number], memory, &own, &refused);
    if (!refused)
        return status;
    winnow__constraints apart = *constraints;
    winnow__plan plan;
    apart.exchange = false;
    status =
        plan_one(&call->query, &apart, &plans->candidates[number], true, &plan);
    return status == WINNOW_OK
               ? winnow__run_plan(call, &plan, memory, &own, &refused)
               : status;
}

static winnow_status enqueue_all(const winnow__call *call,
                                 const winnow__constraints *constraints,
                                 const winnow__choice *choice,
                                 const winnow__candidate_plans *plans,
                                 const winnow__workspace *memory) {
    winnow__args args = winnow__arguments(call, &plans->memory);
    args.cursor = memory->cursor;
    args.after_clear = memory->cleared;
    winnow_status status = enqueue_choice(call, choice, plans, &args);
    args.chosen = NULL;
    args.after_clear = false;
    for (int foreign = 1; foreign >= 0; foreign--)
        for (unsigned i = 0; i < plans->number && status == WINNOW_OK; i++)
            if ((plans->plans[i].mode == WINNOW__FOREIGN) == foreign)
                status = enqueue_candidate(call, constraints, plans, i, memory,
                                           &args);
    return status;
}

static winnow_status run_candidates(const winnow__call *call,
                                    const winnow__constraints *constraints,
                                    const winnow__choice *choice,
                                    bool captured) {
    winnow__candidate_plans plans;
    winnow__workspace memory;
    winnow_status status =
        winnow__plan_candidates(&call->query, constraints, choice, &plans);
    if (status == WINNOW_OK)
        status = winnow__check_workspace_bytes(
            call, winnow__needed_bytes(&plans.memory));
    if (status == WINNOW_OK)
        status = winnow__workspace_take(call, &plans.memory, captured, &memory);
    if (status != WINNOW_OK)
        return status;
    status = enqueue_all(call, constraints, choice, &plans, &memory);
    const winnow_status given = winnow__workspace_give(call, &memory);
    return status != WINNOW_OK ? status : given;
}

/* ------------------------------------------------------------- the operation
 */

/* A query of the workspace has not settled anything: its calls have enough of
 * it whatever their hint is. */
winnow_status winnow__auto_plan(const winnow__query *query,
                                const winnow__constraints *constraints,
                                winnow__plan *plan) {
    const winnow__settled *const settled = constraints->settled;
    winnow__choice choice;
    winnow__candidate_plans plans;
    if (settled != NULL)
        return query->operation->strategies->plan(query, constraints, settled,
                                                  plan);
    winnow_status status = winnow__choose_any(query, &choice);
    if (status != WINNOW_OK)
        return status;
    if (choice.number == 1 || query->n == 0)
        return plan_one(query, constraints, &choice.only, false, plan);
    status = winnow__plan_candidates(query, constraints, &choice, &plans);
    *plan = plans.memory;
    return status;
}

winnow_status winnow__auto_run(const winnow__call *call,
                               const winnow__constraints *constraints,
                               bool captured) {
    winnow__constraints own = *constraints;
    winnow__choice choice;
    winnow_status status = winnow__choose(&call->query, &choice);
    if (status != WINNOW_OK)
        return status;
    if (choice.number > 1 && call->query.n != 0)
        return run_candidates(call, constraints, &choice, captured);
    const winnow__settled settled = {choice.only, false};
    own.settled = &settled;
    return winnow__run_planned(call, &own, captured);
}
