/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_compiled.h"

#include "condition/compile/kernels.h"
#include "core/status.h"
#include "cuda/launch.h"
#include "condition/program/expression.h"
#include "select/kernels.h"
#include "where_values.h"

winnow__to_compile winnow__to_compile_of(const winnow_condition *condition) {
    return (winnow__to_compile){.program = &condition->programs[true]->code,
                                .tested = &condition->tested,
                                .sum = &condition->key};
}

winnow__to_compile winnow__to_compile_bound(const winnow__bound *bound) {
    return (winnow__to_compile){.program = &bound->program,
                                .tested = bound->values.tested,
                                .sum = &bound->where->condition->key,
                                .read_column = bound->values.column};
}

bool winnow__is_compiled(const winnow_condition *condition) {
    return condition->has_expressions && !condition->has_sets &&
           (winnow__can_compile() || condition->has_source);
}

/* A condition that can be had in no other way has no room in a kernel. */
static winnow_status fail_large(const winnow_condition *condition) {
    return condition->has_source
               ? winnow__fail(WINNOW_ERR_UNSUPPORTED,
                              "the condition has more columns, parameters or "
                              "tests than a kernel has room for")
               : WINNOW_OK;
}

/* ------------------------------------------------------------------ kernels */

static char *write_source(const void *what) {
    return winnow__write_source(what);
}

static winnow_status find_kernel(const winnow_context *context,
                                 const winnow__to_compile *what,
                                 const char *may_not_compile,
                                 winnow__kernel *kernel) {
    const winnow__wanted_kernel wanted = {.name = "the condition",
                                          .how =
                                              "call winnow_condition_prepare()",
                                          .sum = winnow__sum_key(what),
                                          .put_key = winnow__put_key,
                                          .write = write_source,
                                          .argument = what,
                                          .threads = WINNOW__SELECTION_THREADS,
                                          .may_not_compile = may_not_compile};
    return winnow__kernel_of(context, &wanted, kernel);
}

winnow_status winnow__prepare_compiled(const winnow_context *context,
                                       const winnow_condition *condition) {
    const winnow__to_compile what = winnow__to_compile_of(condition);
    winnow__kernel kernel;
    return winnow__is_compilable(&what)
               ? find_kernel(context, &what, NULL, &kernel)
               : fail_large(condition);
}

/* ------------------------------------------------------------------- a call */

/* What is there to be launched has been found. */
static winnow_status enqueue(const winnow__call *call, winnow__bound *bound,
                             const winnow__table_use *use,
                             const winnow__kernel *kernel, void *selection,
                             void *memory) {
    const winnow__selection to = winnow__selection_at(selection, call->query.n);
    const winnow__to_compile what = winnow__to_compile_bound(bound);
    _Alignas(16) unsigned char argument[WINNOW__MOST_ARGUMENT];
    winnow__compiled_args *const args = (winnow__compiled_args *)argument;
    winnow__place_where_strings(&bound->program, memory, to.n);
    *args = (winnow__compiled_args){
        .keep = to.keep,
        .counts = to.counts,
        .items = (const unsigned long long *)call->query.launch.d_n,
        .n = to.n,
        .tiles = to.tiles};
    winnow__write_argument(&what, args);
    WINNOW__TRY(winnow__test_where_on_device(call, bound, use, memory));
    return winnow__launch_source(kernel, WINNOW__SOURCE_TILES, args, &to,
                                 call->query.launch.stream);
}

winnow_status winnow__select_where_compiled(const winnow__call *call,
                                            const winnow__where *where,
                                            const winnow__table_use *use,
                                            void *room, void *selection,
                                            void *memory, bool *is_enqueued_p) {
    const winnow_context *const context = call->query.context;
    const winnow__to_compile what = winnow__to_compile_of(where->condition);
    winnow__kernel kernel;
    winnow__bound bound;
    *is_enqueued_p = false;
    WINNOW__TRY(winnow__find_where_patterns(context, where->condition, use));
    if (!winnow__is_compilable(&what))
        return fail_large(where->condition);
    winnow_status status =
        find_kernel(context, &what, use->may_not_make, &kernel);
    if (status == WINNOW_OK)
        status = winnow__load(context, &kernel);
    if (status != WINNOW_OK) {
        if (use->may_not_make != NULL || where->condition->has_source)
            return status;
        winnow__note(context, "a condition is not compiled: %s",
                     winnow_last_error());
        return WINNOW_OK;
    }
    *is_enqueued_p = true;
    winnow__bind_whole(where, room, &bound);
    return enqueue(call, &bound, use, &kernel, selection, memory);
}
