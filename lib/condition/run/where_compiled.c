/*
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "where_compiled.h"

#include "condition/compile/kernels.h"
#include "core/status.h"
#include "cuda/launch.h"
#include "condition/program/expression.h"
#include "select/kernels.h"
#include "where_values.h"

#include <stdlib.h>
#include <string.h>

/* The program is there, and the columns of it that are computed become known. */
static void find_computed(winnow__compiling *c) {
    for (unsigned i = 0; i < c->compiled.program.column_count; i++) {
        const winnow__part part = c->compiled.part[i];
        c->computed[i] = (winnow__computed){
            .expression = c->compiled.values.expression[part.tested],
            .is_validity = part.is_validity};
    }
    c->what = (winnow__to_compile){.program = &c->compiled.program,
                                   .computed = c->computed,
                                   .read = c->compiled.values.read,
                                   .read_column = c->compiled.values.column};
}

winnow_status winnow__begin_compiling(const winnow__where *where,
                                      winnow__compiling *c) {
    winnow_status status =
        winnow__where_compile_alone(where, true, &c->memory, &c->compiled);
    if (status == WINNOW_OK)
        find_computed(c);
    return status;
}

/* ------------------------------------------------------ without the columns */

/* A column as its leaf tells it. */
static winnow__where_column column_of(const winnow__node *leaf) {
    if (leaf->expression != NULL)
        return winnow__values_column(leaf->expression, false);
    if (leaf->kind == WINNOW__NODE_BIT || leaf->kind == WINNOW__NODE_STRING)
        return (winnow__where_column){.access = WINNOW__BY_BITS};
    return (winnow__where_column){.access = WINNOW__BY_VECTORS,
                                  .log2_size = leaf->type->log2_size};
}

static winnow_status compile_alone(const winnow_condition *condition,
                                   winnow__compiling *c) {
    winnow__tested tested = {0};
    winnow__nulls nulls = {0};
    winnow__add_tested(&tested, condition);
    c->memory = malloc(winnow__compile_bytes(condition, &tested));
    if (c->memory == NULL)
        return winnow__fail(WINNOW_ERR_MEMORY,
                            "no host memory for a condition's program");
    memset(nulls.elements, true, sizeof nulls.elements);
    winnow__place_compiled(condition, &tested, c->memory, &c->compiled);
    for (unsigned i = 0; i < tested.number; i++)
        c->compiled.values.expression[i] = tested.expression[i];
    winnow__compile(condition, &tested, &nulls, c->memory, &c->compiled);
    for (unsigned i = 0; i < c->compiled.program.column_count; i++) {
        const winnow__part part = c->compiled.part[i];
        winnow__where_column *const column = &c->compiled.program.columns[i];
        *column = (winnow__where_column){.access = WINNOW__BY_BITS};
        for (unsigned l = 0; l < condition->number && !part.is_validity; l++) {
            const winnow__node *const node = &condition->nodes[l];
            if (winnow__is_leaf(node) && node->kind != WINNOW__NODE_VALID &&
                winnow__place_of_tested(&tested, node) == part.tested)
                *column = column_of(node);
        }
    }
    find_computed(c);
    return WINNOW_OK;
}

static bool has_source(const winnow_condition *condition) {
    for (unsigned i = 0; i < condition->number; i++)
        if (winnow__is_leaf(&condition->nodes[i]) &&
            condition->nodes[i].expression != NULL &&
            condition->nodes[i].expression->source != NULL)
            return true;
    return false;
}

bool winnow__has_sets(const winnow_condition *condition) {
    for (unsigned i = 0; i < condition->number; i++)
        if (condition->nodes[i].kind == WINNOW__NODE_SET)
            return true;
    return false;
}

bool winnow__is_compiled(const winnow_condition *condition) {
    bool has_expression = false;
    if (winnow__has_sets(condition))
        return false;
    for (unsigned i = 0; i < condition->number; i++) {
        const winnow__node *const node = &condition->nodes[i];
        has_expression |= winnow__is_leaf(node) && node->expression != NULL;
    }
    return has_expression && (winnow__can_compile() || has_source(condition));
}

/* A condition that can be had in no other way has no room in a kernel. */
static winnow_status fail_large(const winnow_condition *condition) {
    return has_source(condition)
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
    unsigned char key[WINNOW__MOST_KEY];
    const winnow__wanted_kernel wanted = {
        .name = "the condition",
        .how = "call winnow_condition_prepare()",
        .key = key,
        .key_bytes = winnow__write_key(what, key),
        .write = write_source,
        .argument = what,
        .threads = WINNOW__SELECTION_THREADS,
        .may_not_compile = may_not_compile};
    return winnow__kernel_of(context, &wanted, kernel);
}

winnow_status winnow__prepare_compiled(const winnow_context *context,
                                       const winnow_condition *condition) {
    winnow__compiling c;
    winnow__kernel kernel;
    winnow_status status = compile_alone(condition, &c);
    if (status != WINNOW_OK)
        return status;
    status = winnow__is_compilable(&c.what)
                 ? find_kernel(context, &c.what, NULL, &kernel)
                 : fail_large(condition);
    free(c.memory);
    return status;
}

/* ------------------------------------------------------------------- a call */

static winnow_status enqueue(const winnow__call *call,
                             const winnow__where *where, winnow__compiling *c,
                             const winnow__table_use *use, void *selection,
                             void *memory, bool *is_enqueued_p) {
    const winnow_launch *const launched = &call->query.launch;
    const winnow__selection to = winnow__selection_at(selection, call->query.n);
    _Alignas(16) unsigned char argument[WINNOW__MOST_ARGUMENT];
    winnow__compiled_args *const args = (winnow__compiled_args *)argument;
    winnow__kernel kernel;
    winnow__place_where_strings(&c->compiled, memory, to.n);
    if (!winnow__is_compilable(&c->what))
        return fail_large(where->condition);
    winnow_status status =
        find_kernel(call->query.context, &c->what, use->may_not_make, &kernel);
    if (status == WINNOW_OK)
        status = winnow__load(call->query.context, &kernel);
    if (status != WINNOW_OK) {
        if (use->may_not_make != NULL || has_source(where->condition))
            return status;
        winnow__note(call->query.context, "a condition is not compiled: %s",
                     winnow_last_error());
        return WINNOW_OK;
    }
    *is_enqueued_p = true;
    *args = (winnow__compiled_args){
        .keep = to.keep,
        .counts = to.counts,
        .items = (const unsigned long long *)launched->d_n,
        .n = to.n,
        .tiles = to.tiles};
    winnow__write_argument(&c->what, args);
    status = winnow__test_where_on_device(call, &c->compiled, memory);
    return status == WINNOW_OK
               ? winnow__launch_source(&kernel, WINNOW__SOURCE_TILES, args, &to,
                                       launched->stream)
               : status;
}

winnow_status winnow__select_where_compiled(const winnow__call *call,
                                            const winnow__where *where,
                                            const winnow__table_use *use,
                                            void *selection, void *memory,
                                            bool *is_enqueued_p) {
    winnow__compiling c;
    *is_enqueued_p = false;
    winnow_status status = winnow__begin_compiling(where, &c);
    if (status != WINNOW_OK)
        return status;
    status = winnow__find_where_patterns(call->query.context, &c.compiled, use);
    if (status == WINNOW_OK)
        status =
            enqueue(call, where, &c, use, selection, memory, is_enqueued_p);
    free(c.memory);
    return status;
}
