/*
 * Explains what a call on a CUDA device would run, and why.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "copy.h"
#include "core/explain.h"
#include "cuda/run.h"

static void add_device(winnow__text *text, const winnow__query *query) {
    const winnow__device_identity *const device =
        &winnow__cuda(query->context)->identity;
    winnow__add_text(text,
                     "device: %s, compute capability %d.%d, %u "
                     "multiprocessors\n",
                     device->name, device->major, device->minor,
                     device->multiprocessors);
}

static void add_plan(winnow__text *text, const winnow__plan *plan) {
    winnow__add_text(text, "%s", winnow_strategy_name(plan->strategy));
    if (plan->mode == WINNOW__FOREIGN)
        winnow__add_text(text, ", CUB's kernels\n");
    else
        winnow__add_text(text, ", shape %s, %u %s\n",
                         winnow__shapes[plan->shape].name, plan->blocks,
                         plan->blocks == 1 ? "block" : "blocks");
}

static void add_why(winnow__text *text, const winnow__query *query,
                    const winnow__choice *choice) {
    if (query->launch.strategy != WINNOW_AUTO)
        winnow__add_text(text, "why: the launch names the strategy\n");
    else if (choice->number > 1)
        winnow__add_text(text,
                         "why: the profile has several for this n, and there "
                         "is no hint: a sample on the device decides, at every "
                         "run of the call\n");
    else if (choice->hinted)
        winnow__add_text(text,
                         "why: the profile has several for this n, and the "
                         "hint is %g\n",
                         query->launch.selectivity);
    else
        winnow__add_text(text,
                         "why: the profile has one for this n, whatever the "
                         "selectivity\n");
}

static winnow_status add_profile(winnow__text *text, const winnow__query *query,
                                 const winnow__choice *choice) {
    winnow__tuning *tuning;
    WINNOW__TRY(winnow__tuning_of(query->context, &tuning));
    if (choice->line != 0)
        winnow__add_text(text, "profile: %s, line %u\n", choice->source,
                         choice->line);
    else if (choice->source != NULL)
        winnow__add_text(text, "profile: %s\n", choice->source);
    if (tuning->refused[0] != '\0')
        winnow__add_text(text, "not loaded: %s\n", tuning->refused);
    return WINNOW_OK;
}

/* For a call with memory that needs no clearing; another call has one more launch. */
static void add_needs(winnow__text *text, const winnow__query *query,
                      unsigned launches, bool cub, const winnow__plan *plan) {
    launches += plan->cleared != 0 ? 1 : 0;
    launches += winnow__delivers(query, NULL) ? 1 : 0;
    winnow__add_text(text, "launches: %u%s\n", launches,
                     cub ? ", and CUB's" : "");
    winnow__add_text(text, "workspace: %zu bytes\n",
                     winnow__needed_bytes(plan));
}

static winnow_status explain_one(const winnow__query *query,
                                 const winnow__constraints *constraints,
                                 const winnow__choice *choice,
                                 winnow__text *text) {
    const winnow__settled settled = {choice->candidates[0], false};
    winnow__constraints own = *constraints;
    winnow__plan plan;
    own.settled = &settled;
    WINNOW__TRY(winnow__plan_query(query, &own, &plan));
    const bool cub = plan.mode == WINNOW__FOREIGN;
    winnow__add_text(text, "strategy: ");
    add_plan(text, &plan);
    add_needs(text, query, cub ? 0 : 1, cub, &plan);
    return WINNOW_OK;
}

static winnow_status explain_several(const winnow__query *query,
                                     const winnow__constraints *constraints,
                                     const winnow__choice *choice,
                                     winnow__text *text) {
    winnow__candidate_plans plans;
    WINNOW__TRY(winnow__plan_candidates(query, constraints, choice, &plans));
    unsigned launches = 1;
    bool cub = false;
    double from = 0;
    winnow__add_text(text, "strategy: by selectivity\n");
    for (unsigned i = 0; i < choice->number; i++) {
        const double below =
            choice->candidates[i].below / (double)WINNOW__FRACTION_ONE;
        winnow__add_text(text, "  from %.9g to %.9g: ", from, below);
        add_plan(text, &plans.plans[plans.plan_of[i]]);
        from = below;
    }
    for (unsigned i = 0; i < choice->number; i++)
        if (plans.plans[plans.plan_of[i]].mode == WINNOW__FOREIGN)
            cub = true;
        else if (plans.plan_of[i] == i)
            launches++;
    add_needs(text, query, launches, cub, &plans.memory);
    return WINNOW_OK;
}

/* The address of the input may change the number of blocks by one, and in place
 * all blocks have to be resident. So this describes a call whose memory is not
 * known yet. */
winnow_status winnow__copy_explain(const winnow__query *query,
                                   winnow__text *text,
                                   winnow_strategy *strategy_p) {
    const winnow__constraints anywhere = {.exchange = true, .ready = true};
    winnow__choice choice;
    WINNOW__TRY(winnow__choose(query, &choice));
    if (choice.number == 1)
        *strategy_p = choice.candidates[0].strategy;
    winnow__add_call(text, query);
    add_device(text, query);
    if (query->n == 0) {
        winnow__add_text(text,
                         "strategy: %s, with nothing to do\nlaunches: 1\n",
                         winnow_strategy_name(choice.candidates[0].strategy));
        return WINNOW_OK;
    }
    WINNOW__TRY(choice.number == 1
                    ? explain_one(query, &anywhere, &choice, text)
                    : explain_several(query, &anywhere, &choice, text));
    add_why(text, query, &choice);
    return add_profile(text, query, &choice);
}
