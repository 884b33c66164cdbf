/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "details.h"
#include "condition/compile/kernels.h"
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
    winnow__where_program none; /* used if there is no condition */
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

/* end() frees its memory. */
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
        r->reduction.aggregate[i].type = winnow__aggregate_type(a, i);
    }
    r->what.reduction = &r->reduction;
    r->what.is_of_others = query->source != NULL && r->where == NULL;
    return WINNOW_OK;
}

static void end(reducing *r) {
    free(r->room.allocated);
}

/* --------------------------------------------------------------------- plan */

winnow_status winnow__explain_reduction(const winnow__query *query,
                                        struct winnow__text *text,
                                        bool *is_compiled_p) {
    reducing r;
    winnow__choice choice;
    winnow_status status = begin(query, &r);
    if (status == WINNOW_OK)
        status = winnow__explain_choice(query->context, &r.what, text, &choice);
    end(&r);
    *is_compiled_p = status == WINNOW_OK && choice.kernel.function != NULL;
    return status;
}

/* --------------------------------------------------------------------- call */

static winnow_status launch(const winnow__call *call, const reducing *r,
                            const winnow__kernel *kernel, uint64_t *words) {
    const winnow__query *const query = &call->query;
    const winnow__aggregates *const a = winnow__aggregates_of(query);
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
            .wanted = r->reduction.aggregate[i].wanted,
            .upper = i < a->results ? a->upper[i] : 0};
    WINNOW__TRY(winnow__launch(kernel, cut.parts, args, query->launch.stream));
    return winnow__launch_overlapping(call, &winnow__aggregate_finished,
                                      a->results, &finish);
}

/* Enqueue the chosen kernel and what it needs. */
static winnow_status enqueue(const winnow__call *call, reducing *r,
                             const winnow__table_use *use,
                             const winnow__kernel *kernel, void *words,
                             void *memory) {
    const winnow_context *const context = call->query.context;
    WINNOW__TRY(winnow__load(context, &winnow__aggregate_finished));
    if (r->where != NULL) {
        WINNOW__TRY(
            winnow__find_where_patterns(context, r->where->condition, use));
        winnow__place_where_strings(&r->bound.program, memory, call->query.n);
        WINNOW__TRY(winnow__test_where_on_device(call, &r->bound, use, memory));
    }
    return launch(call, r, kernel, words);
}

winnow_status winnow__enqueue_reduction(const winnow__call *call, void *words,
                                        void *memory, bool *is_enqueued_p) {
    reducing r;
    winnow__choice choice;
    winnow__table_use use = {0};
    *is_enqueued_p = false;
    WINNOW__TRY(winnow__table_use_of(call, &use));
    winnow_status status = begin(&call->query, &r);
    if (status == WINNOW_OK)
        status = winnow__choose_code(call->query.context, &r.what, false,
                                     use.may_not_make, &choice);
    *is_enqueued_p = status == WINNOW_OK && choice.kernel.function != NULL;
    if (*is_enqueued_p)
        status = enqueue(call, &r, &use, &choice.kernel, words, memory);
    end(&r);
    return status;
}
