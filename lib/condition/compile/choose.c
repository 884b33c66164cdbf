/*
 * Does a call use code that was compiled for it, or an interpreter?
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"
#include "layout.h"

#include "core/explain.h"
#include "core/status.h"
#include "cuda/launch.h"

static bool reads_strings(const winnow__expression *expression) {
    if (expression->compares_strings)
        return true;
    for (unsigned i = 0; i < expression->program.steps; i++)
        if (expression->program.step[i].code == WINNOW__LOAD_LENGTH)
            return true;
    return false;
}

/* Can source be written for all of it, and does an argument have room for it? */
static bool is_compilable(const winnow__to_compile *what) {
    const winnow__layout of = winnow__argument_layout(what);
    for (unsigned c = 0; c < what->program->column_count; c++)
        if (winnow__is_first(what, c) &&
            reads_strings(winnow__computed(what, c)))
            return false;
    for (unsigned i = 0; what->reduction != NULL && i < what->reduction->number;
         i++) {
        const winnow__expression *const expression =
            what->reduction->aggregate[i].expression;
        if (expression != NULL && reads_strings(expression))
            return false;
    }
    return sizeof(winnow__compiled_args) +
               of.columns * sizeof(winnow__compiled_column) +
               (of.constants != 0 ? of.constants : 1) * sizeof(uint64_t) <=
           WINNOW__MOST_ARGUMENT;
}

/* The reason why a kernel is impossible; NULL: it may be possible. */
static const char *obstacle(const winnow__to_compile *what) {
    if (what->is_of_others)
        return "its items are not selected by a condition";
    if (what->condition != NULL && what->condition->has_sets)
        return "the condition has a set of values";
    return is_compilable(what)
               ? NULL
               : "it has more columns, parameters or tests than a kernel has "
                 "room for, or computes with strings";
}

static winnow_status fail_source(const winnow__choice *choice) {
    return choice->status != WINNOW_OK
               ? winnow__fail(choice->status, "%s", choice->why)
               : winnow__unsupported("the condition has CUDA C, which is never "
                                     "interpreted, and %s",
                                     choice->why);
}

static winnow_status fail_uncompiled(const winnow__to_compile *what,
                                     const char *why) {
    return winnow__unsupported(
        "the %s has to be compiled first, and %s: %s before",
        winnow__name_of_kind(what), why,
        what->reduction != NULL ? "make a plan of the call"
                                : "call winnow_condition_prepare()");
}

winnow_status winnow__choose_code(const winnow_context *context,
                                  const winnow__to_compile *what, bool prepares,
                                  const char *may_not, winnow__choice *choice) {
    /* A reduction of items that pass CUDA C may be interpreted. */
    const bool is_source =
        what->reduction == NULL && what->condition->has_source;
    const bool waits =
        is_source || prepares ||
        atomic_load_explicit(&context->compile, memory_order_relaxed) ==
            WINNOW_COMPILE_BEFORE;
    *choice = (winnow__choice){.status = WINNOW_OK};
    if (what->reduction == NULL && !what->condition->has_expressions)
        return WINNOW_OK;
    choice->why = obstacle(what);
    const bool may_be = choice->why == NULL;
    if (may_be)
        WINNOW__TRY(winnow__kernel_of(
            context, what,
            waits && may_not == NULL ? WINNOW__COMPILE : WINNOW__LOOK, choice));
    if (choice->kernel.function != NULL)
        return winnow__load(context, &choice->kernel);
    if (waits && may_be && may_not != NULL && choice->status == WINNOW_OK)
        return fail_uncompiled(what, may_not);
    return is_source ? fail_source(choice) : WINNOW_OK;
}

static winnow_status enter_and_choose(const winnow_context *context,
                                      const winnow__to_compile *what,
                                      winnow__choice *choice) {
    bool entered;
    WINNOW__TRY(context->backend->enter(context, &entered));
    const winnow_status status =
        winnow__choose_code(context, what, false, NULL, choice);
    context->backend->leave(context, entered);
    return status;
}

winnow_status winnow__explain_choice(const winnow_context *context,
                                     const winnow__to_compile *what,
                                     struct winnow__text *text,
                                     winnow__choice *choice) {
    WINNOW__TRY(enter_and_choose(context, what, choice));
    winnow__add_text(text, "%s: ", winnow__name_of_kind(what));
    if (choice->kernel.function != NULL)
        winnow__add_text(text, "compiled\n");
    else if (choice->why == NULL)
        winnow__add_text(text, "built in\n");
    else
        winnow__add_text(text, "interpreted, since %s\n", choice->why);
    return WINNOW_OK;
}
