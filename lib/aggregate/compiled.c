/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "compiled.h"

#include "condition/compile/kernels.h"
#include "condition/compile/source.h"
#include "core/backend.h"
#include "core/round.h"
#include "core/status.h"
#include "cuda/launch.h"
#include "kernels/aggregate/args.h"
#include "condition/run/where_compiled.h"

#include <stdlib.h>

extern const winnow__kernel winnow__aggregate_finished;

/* What a kernel is compiled from. */
typedef struct reducing {
    const winnow__where *where; /* NULL: every item passes */
    winnow__bind_room room;
    winnow__bound bound;
    winnow__where_program none; /* in place of the condition's */
    winnow__read read;
    winnow__reduction reduction;
    winnow__to_compile what;
} reducing;

size_t winnow__compiled_words_bytes(const winnow__query *query) {
    return winnow__round_up(
        (size_t)winnow__aggregates_of(query)->number * WINNOW__REDUCE_WORDS *
            winnow__aggregate_cut(query).parts * sizeof(uint64_t),
        16);
}

/* Its memory is for end(). */
static winnow_status begin(const winnow__query *query, reducing *r) {
    const winnow__aggregates *const a = winnow__aggregates_of(query);
    r->where = winnow__where_of(query->source);
    r->room.allocated = NULL;
    r->none = (winnow__where_program){0};
    r->what = (winnow__to_compile){.program = &r->none};
    if (r->where != NULL) {
        void *memory;
        WINNOW__TRY(winnow__find_room(
            &r->room, winnow__bind_whole_bytes(r->where), &memory));
        winnow__bind_whole(r->where, memory, &r->bound);
        r->what = winnow__to_compile_bound(&r->bound);
    }
    winnow__find_read(a, &r->read);
    r->reduction = (winnow__reduction){.number = a->number,
                                       .read = r->read.values.tested->read,
                                       .read_column = r->read.values.column};
    for (unsigned i = 0; i < a->number; i++) {
        r->reduction.aggregate[i].expression = a->list[i].expression;
        r->reduction.aggregate[i].wanted = a->list[i].wanted;
        r->reduction.aggregate[i].type =
            winnow__aggregate_type(a->list[i].expression);
    }
    r->what.reduction = &r->reduction;
    return WINNOW_OK;
}

static void end(reducing *r) {
    free(r->room.allocated);
}

/* Is there a compiler, and a source that it takes? There may be no room. */
static bool may_compile(const winnow__query *query) {
    const winnow__where *const where = winnow__where_of(query->source);
    return winnow__can_compile() &&
           (query->source == NULL ||
            (where != NULL && !where->condition->has_sets));
}

static char *write_source(const void *what) {
    return winnow__write_source(what);
}

static winnow_status find_kernel(const winnow_context *context,
                                 const reducing *r, const char *may_not_compile,
                                 winnow__kernel *kernel) {
    const winnow__wanted_kernel wanted = {.name = "the reduction",
                                          .how = "make a plan of the call",
                                          .sum = winnow__sum_key(&r->what),
                                          .put_key = winnow__put_key,
                                          .write = write_source,
                                          .argument = &r->what,
                                          .threads = WINNOW__REDUCING_THREADS,
                                          .may_not_compile = may_not_compile};
    return winnow__kernel_of(context, &wanted, kernel);
}

/* What the interpreter does as well is no error. */
static winnow_status note_failure(const winnow_context *context,
                                  winnow_status status) {
    if (status == WINNOW_ERR_MEMORY || status == WINNOW_ERR_CUDA)
        return status;
    winnow__note(context, "a reduction is not compiled: %s",
                 winnow_last_error());
    return WINNOW_OK;
}

/* --------------------------------------------------------------------- plan */

static winnow_status prepare(const winnow__query *query) {
    reducing r;
    winnow__kernel kernel;
    winnow_status status = begin(query, &r);
    if (status == WINNOW_OK && winnow__is_compilable(&r.what)) {
        status = find_kernel(query->context, &r, NULL, &kernel);
        if (status != WINNOW_OK)
            status = note_failure(query->context, status);
    }
    end(&r);
    return status;
}

winnow_status winnow__prepare_reduction(const winnow__query *query) {
    const winnow__backend *const backend = query->context->backend;
    bool entered;
    if (!may_compile(query))
        return WINNOW_OK;
    winnow_status status = backend->enter(query->context, &entered);
    if (status == WINNOW_OK) {
        status = prepare(query);
        backend->leave(query->context, entered);
    }
    return status;
}

/* --------------------------------------------------------------------- call */

static winnow_status launch(const winnow__call *call, const reducing *r,
                            const winnow__kernel *kernel, uint64_t *words) {
    const winnow__query *const query = &call->query;
    const winnow__reduce_cut cut = winnow__aggregate_cut(query);
    _Alignas(16) unsigned char argument[WINNOW__MOST_ARGUMENT];
    winnow__compiled_args *const args = (winnow__compiled_args *)argument;
    winnow__aggregate_finish_args finish = {
        .cut = cut, .words = words, .results = call->out};
    *args = (winnow__compiled_args){
        .words = words,
        .items = (const unsigned long long *)query->launch.d_n,
        .n = query->n,
        .tiles = cut.part_tiles};
    winnow__write_argument(&r->what, args);
    for (unsigned i = 0; i < r->reduction.number; i++)
        finish.aggregate[i] = (winnow__aggregate_finish){
            .type = r->reduction.aggregate[i].type,
            .wanted = r->reduction.aggregate[i].wanted};
    WINNOW__TRY(winnow__launch(kernel, cut.parts, args, query->launch.stream));
    return winnow__launch_overlapping(call, &winnow__aggregate_finished,
                                      r->reduction.number, &finish);
}

/* The kernel of what is found to be compilable, and those that follow. */
static winnow_status find_all(const winnow__call *call, reducing *r,
                              const winnow__table_use *use,
                              winnow__kernel *kernel, bool *found_p) {
    const winnow_context *const context = call->query.context;
    winnow_status status = find_kernel(context, r, use->may_not_make, kernel);
    *found_p = status == WINNOW_OK;
    if (!*found_p)
        return note_failure(context, status);
    if (r->where != NULL)
        status = winnow__find_where_patterns(context, r->where->condition, use);
    if (status == WINNOW_OK)
        status = winnow__load(context, kernel);
    return status == WINNOW_OK
               ? winnow__load(context, &winnow__aggregate_finished)
               : status;
}

static winnow_status enqueue(const winnow__call *call, reducing *r, void *words,
                             void *memory, bool *is_enqueued_p) {
    winnow__table_use use = {0};
    winnow__kernel kernel;
    bool found = false;
    WINNOW__TRY(winnow__table_use_of(call, &use));
    WINNOW__TRY(find_all(call, r, &use, &kernel, &found));
    if (!found)
        return WINNOW_OK;
    *is_enqueued_p = true;
    if (r->where != NULL) {
        winnow__place_where_strings(&r->bound.program, memory, call->query.n);
        WINNOW__TRY(
            winnow__test_where_on_device(call, &r->bound, &use, memory));
    }
    return launch(call, r, &kernel, words);
}

winnow_status winnow__enqueue_reduction(const winnow__call *call, void *words,
                                        void *memory, bool *is_enqueued_p) {
    reducing r;
    *is_enqueued_p = false;
    if (!may_compile(&call->query))
        return WINNOW_OK;
    winnow_status status = begin(&call->query, &r);
    if (status == WINNOW_OK && winnow__is_compilable(&r.what))
        status = enqueue(call, &r, words, memory, is_enqueued_p);
    end(&r);
    return status;
}
