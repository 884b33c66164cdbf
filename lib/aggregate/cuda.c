/*
 * reduce_where on a device: by a compiled kernel (compiled.c). Otherwise the
 * keep bits are made in the workspace; then a kernel for each aggregate
 * computes its values and adds them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "details.h"

#include "core/round.h"
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "cuda/run.h"
#include "kernels/aggregate/args.h"
#include "kernels/core/clear.h"
#include "reduce/details.h"

#include <string.h>

extern const winnow__kernel winnow__aggregate;

/* The workspace: the condition's memory and the lengths of strings; for
 * interpreted aggregates the words that parts exchange and the selection; or,
 * in the same place, the words of all aggregates of a compiled kernel. */
typedef struct layout {
    size_t where, lengths, words, selection, compiled; /* bytes */
} layout;

static size_t bytes_of(const layout *of) {
    const size_t interpreted = of->words + of->selection;
    return of->where + of->lengths +
           (interpreted > of->compiled ? interpreted : of->compiled);
}

static layout lay_out(const winnow__query *query) {
    const winnow__aggregates *const a = winnow__aggregates_of(query);
    const winnow__reduce_cut cut = winnow__aggregate_cut(query);
    layout made = {
        .where = winnow__source_device_bytes(query),
        .words = cut.parts == 1
                     ? 0
                     : winnow__round_up((size_t)WINNOW__REDUCE_WORDS *
                                            cut.parts * sizeof(uint64_t),
                                        16),
        .lengths = winnow__lengths_bytes(a->read.tested, a->read.columns),
        .compiled = winnow__compiled_words_bytes(query)};
    if (query->source != NULL)
        made.selection =
            winnow__round_up(winnow__selection_needed(query->n), 16);
    return made;
}

size_t winnow__reduce_where_device_bytes(const winnow__query *query) {
    const layout of = lay_out(query);
    return bytes_of(&of);
}

/* Are values needed, or does it suffice to know which are null? */
static bool needs_values(const winnow__aggregate_args *args) {
    return !winnow__reduce_counts_only(args->reduce.wanted) ||
           winnow__values_make_nulls(&args->program, args->columns);
}

static winnow_status launch(const winnow__call *call,
                            const winnow__where_values *values, unsigned number,
                            winnow__reduce_args reduce, const uint32_t *keep) {
    const winnow__aggregates *const a = winnow__aggregates_of(&call->query);
    const winnow_aggregate *const aggregate = &a->list[number];
    winnow__kernel kernel = winnow__aggregate;
    winnow__aggregate_args args = {.keep = keep, .reduce = reduce};
    args.reduce.type = winnow__aggregate_type(a, number);
    args.reduce.wanted = aggregate->wanted;
    if (aggregate->expression != NULL) {
        args.program = aggregate->expression->program;
        winnow__aggregate_columns(values, aggregate, args.columns);
    }
    if (!needs_values(&args))
        args.program.steps = args.program.registers = 0;
    kernel.shared_bytes =
        args.program.registers * WINNOW__AGGREGATE_REGISTER_BYTES;
    WINNOW__TRY(winnow__allow_shared_once(
        call->query.context, &kernel,
        WINNOW__MOST_REGISTERS * WINNOW__AGGREGATE_REGISTER_BYTES));
    return winnow__launch(&kernel, args.reduce.cut.parts, &args,
                          call->query.launch.stream);
}

static winnow_status interpret(const winnow__call *call, const layout *of,
                               const winnow__workspace *memory) {
    const winnow__aggregates *const a = winnow__aggregates_of(&call->query);
    unsigned char *const where = memory->other;
    unsigned char *const lengths = where + of->where;
    unsigned char *const words = lengths + of->lengths;
    unsigned char *const selection = words + of->words;
    winnow_reduction *const results = call->out;
    winnow__reduce_args reduce = {.n = call->query.n,
                                  .items = call->query.launch.d_n,
                                  .cut = winnow__aggregate_cut(&call->query),
                                  .words = (uint64_t *)(void *)words,
                                  .cursor = memory->cursor};
    winnow__read read;
    winnow_status status = WINNOW_OK;
    /* If this makes tables, nothing was enqueued before it. */
    if (call->query.source != NULL)
        status = winnow__source_on_device(call, selection, where);
    /* A compiled kernel needs no cursor, so the plan has none. */
    if (status == WINNOW_OK && reduce.cut.parts != 1)
        status = winnow__cuda_status(winnow__clear(memory->cursor,
                                                   WINNOW__CURSOR_BYTES,
                                                   call->query.launch.stream),
                                     "clearing the workspace");
    winnow__find_read(a, &read);
    if (status == WINNOW_OK)
        status = winnow__find_lengths_on_device(call, &read.values, lengths);
    for (unsigned i = 0; i < a->number && status == WINNOW_OK; i++) {
        reduce.result = &results[i < a->results ? i : a->lower[i]];
        status =
            launch(call, &read.values, i, reduce,
                   call->query.source != NULL
                       ? winnow__selection_at(selection, call->query.n).keep
                       : NULL);
    }
    return status;
}

winnow_status winnow__reduce_where_enqueue(const winnow__call *call,
                                           const winnow__plan *plan,
                                           const winnow__workspace *memory) {
    const layout of = lay_out(&call->query);
    unsigned char *const where = memory->other;
    bool is_enqueued = false;
    (void)plan;
    WINNOW__TRY(winnow__enqueue_reduction(call, where + of.where + of.lengths,
                                          where, &is_enqueued));
    return !is_enqueued ? interpret(call, &of, memory) : WINNOW_OK;
}
