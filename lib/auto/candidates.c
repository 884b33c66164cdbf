/*
 * Calls with several candidates. All candidates are enqueued, after a kernel that
 * chooses one of them by a sample of the input (kernels/auto/choose.cu).
 *
 * The candidates share the workspace, since only the chosen one uses it. But CUB's
 * kernels always run, so CUB's candidate has memory of its own and comes first: if
 * it was not chosen, it writes a count of 0, and the chosen one overwrites that.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "choice.h"
#include "cuda/launch.h"
#include "cuda/run.h"
#include "kernels/core/sample.h"

extern winnow__kernels winnow__choose_candidate;

static void raise_to(size_t *most, size_t bytes) {
    *most = bytes > *most ? bytes : *most;
}

static winnow_status plan_one(const winnow__query *query,
                              const winnow__constraints *constraints,
                              const winnow__candidate *candidate,
                              bool is_one_of_several, winnow__plan *plan_p) {
    const winnow__settled settled = {*candidate, is_one_of_several};
    winnow__constraints own = *constraints;
    own.settled = &settled;
    *plan_p = (winnow__plan){.cursor = true};
    return query->operation->strategies->plan(query, &own, plan_p);
}

/* There is memory for each plan, and for the plan that replaces it if the stream
 * refuses it. */
winnow_status winnow__plan_candidates(const winnow__query *query,
                                      const winnow__constraints *constraints,
                                      const winnow__choice *choice,
                                      winnow__candidate_plans *plans_p) {
    const winnow__candidate *const candidates = choice->candidates;
    winnow__plan *const memory = &plans_p->memory;
    *memory = (winnow__plan){.cursor = true};
    for (unsigned i = 0; i < choice->number; i++) {
        winnow__plan *const plan = &plans_p->plans[i];
        unsigned same = 0;
        while (candidates[same].strategy != candidates[i].strategy ||
               candidates[same].shape != candidates[i].shape)
            same++;
        plans_p->plan_of[i] = same;
        if (same != i)
            continue;
        WINNOW__TRY(plan_one(query, constraints, &candidates[i], true, plan));
        raise_to(&memory->groups, plan->groups);
        raise_to(&memory->cleared, plan->cleared);
        raise_to(&memory->cleared, plan->fallback);
        raise_to(&memory->other, plan->other);
    }
    return WINNOW_OK;
}

/* Enqueue the kernel that chooses a candidate, with a thread for each element of
 * the sample. It also stores the chosen strategy. */
static winnow_status enqueue_choice(const winnow__call *call,
                                    const winnow__choice *choice,
                                    const winnow__candidate_plans *plans,
                                    const winnow__args *args) {
    const uint64_t n = call->query.n, sample = winnow__sample_size(n);
    winnow__choice_args all = {.args = *args, .number = choice->number};
    for (unsigned i = 0; i < choice->number; i++) {
        /* The smallest number of survivors in the sample that is above the
         * range. */
        all.below[i] = (uint32_t)winnow__divide_up(
            choice->candidates[i].below * sample, WINNOW__FRACTION_ONE);
        all.strategy[i] = choice->candidates[i].strategy;
        all.candidate[i] = (uint8_t)(plans->plan_of[i] + 1);
    }
    const unsigned elements =
        winnow__sample_runs(n) * WINNOW__SAMPLE_RUN_LENGTH;
    const winnow_predicate *const predicate = call->query.predicate;
    winnow__plan plan = {.cursor = true};
    winnow__plan_sum(
        WINNOW__TILE_PER_BLOCK,
        &winnow__choose_candidate[predicate->type->log2_size][predicate->kind],
        winnow__divide_up(elements, WINNOW__ESTIMATE_THREADS), &plan);
    bool refused;
    return winnow__launch_plan(call, &plan, &all, &refused);
}

/* Enqueue a candidate; if its blocks do not fit on the stream, another plan of the
 * same candidate. */
static winnow_status enqueue_candidate(const winnow__call *call,
                                       const winnow__constraints *constraints,
                                       const winnow__candidate *candidate,
                                       const winnow__plan *plan,
                                       const winnow__workspace *memory,
                                       winnow__args args) {
    bool refused = false;
    const winnow_status status =
        winnow__run_plan(call, plan, memory, &args, &refused);
    if (!refused)
        return status;
    winnow__constraints apart = *constraints;
    winnow__plan other;
    apart.exchange = false;
    WINNOW__TRY(plan_one(&call->query, &apart, candidate, true, &other));
    return winnow__run_plan(call, &other, memory, &args, &refused);
}

static winnow_status enqueue_all(const winnow__call *call,
                                 const winnow__constraints *constraints,
                                 const winnow__choice *choice,
                                 const winnow__candidate_plans *plans,
                                 const winnow__workspace *memory) {
    winnow__args args = winnow__arguments_in(call, &plans->memory, memory);
    WINNOW__TRY(enqueue_choice(call, choice, plans, &args));
    args.chosen = NULL;
    args.after_clear = false;
    for (int foreign = 1; foreign >= 0; foreign--)
        for (unsigned i = 0; i < choice->number; i++) {
            const winnow__plan *const plan = &plans->plans[i];
            if (plans->plan_of[i] != i ||
                (plan->mode == WINNOW__FOREIGN) != foreign)
                continue;
            args.candidate = (uint8_t)(i + 1);
            WINNOW__TRY(enqueue_candidate(
                call, constraints, &choice->candidates[i], plan, memory, args));
        }
    return winnow__deliver_count(call, memory);
}

static winnow_status run_candidates(const winnow__call *call,
                                    const winnow__constraints *constraints,
                                    const winnow__choice *choice,
                                    bool captured) {
    winnow__candidate_plans plans;
    winnow__workspace memory;
    WINNOW__TRY(
        winnow__plan_candidates(&call->query, constraints, choice, &plans));
    WINNOW__TRY(winnow__check_workspace_bytes(
        call, winnow__needed_bytes(&plans.memory)));
    WINNOW__TRY(winnow__prepare_delivery(call, &plans.memory));
    WINNOW__TRY(winnow__workspace_take(call, &plans.memory, captured, &memory));
    const winnow_status status =
        enqueue_all(call, constraints, choice, &plans, &memory);
    winnow__workspace_give(call, &memory);
    return status;
}

/* In a query of the workspace nothing is settled: its workspace is large enough for
 * calls with any hint. */
winnow_status winnow__auto_plan(const winnow__query *query,
                                const winnow__constraints *constraints,
                                winnow__plan *plan) {
    winnow__query any_hint = *query;
    winnow__choice choice;
    winnow__candidate_plans plans;
    if (constraints->settled != NULL)
        return query->operation->strategies->plan(query, constraints, plan);
    any_hint.launch.selectivity = 0;
    WINNOW__TRY(winnow__choose(&any_hint, &choice));
    if (choice.number == 1 || query->n == 0)
        return plan_one(query, constraints, &choice.candidates[0], false, plan);
    WINNOW__TRY(winnow__plan_candidates(query, constraints, &choice, &plans));
    *plan = plans.memory;
    return WINNOW_OK;
}

winnow_status winnow__auto_run(const winnow__call *call,
                               const winnow__constraints *constraints,
                               bool captured) {
    winnow__constraints own = *constraints;
    winnow__choice choice;
    WINNOW__TRY(winnow__choose(&call->query, &choice));
    if (choice.number > 1 && call->query.n != 0)
        return run_candidates(call, constraints, &choice, captured);
    const winnow__settled settled = {choice.candidates[0], false};
    own.settled = &settled;
    return winnow__run_planned(call, &own, captured);
}
