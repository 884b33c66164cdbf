/*
 * A source and a sink in one call, with the selection in the workspace. On a
 * device some calls take one pass instead (one_pass.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_call.h"
#include "copy/host.h"
#include "core/status.h"
#include "cuda/memory.h"
#include "cuda/run.h"
#include "one_pass.h"

/* ------------------------------------------------------------------ checks */

winnow_status winnow__check_one_call(winnow__query *query) {
    const winnow__one_call *const d = winnow__one_call_of(query);
    WINNOW__TRY(winnow__check_source(query));
    if (d->split == NULL)
        WINNOW__TRY(winnow__check_columns(&d->columns, query));
    if (d->is_array && d->split == NULL)
        WINNOW__TRY(winnow__check_segments(d->segments));
    return WINNOW_OK;
}

/* ------------------------------------------------------------------ ranges */

/* The memory that is read to make the selection may lie in a column that is
 * packed in place. Then the column's range covers it. */
static void allow_in_place(const winnow__columns *columns, uint64_t n,
                           winnow__range *range) {
    const uintptr_t start = (uintptr_t)range->start;
    for (unsigned c = 0; c < columns->number; c++) {
        const winnow_move *const move = &columns->list[c];
        const winnow__range column = winnow__move_range("d_in", move, n, false);
        const uintptr_t first = (uintptr_t)column.start;
        if (winnow__is_in_place(move) && start >= first &&
            start - first <= column.bytes &&
            range->bytes <= column.bytes - (start - first))
            range->bytes = 0;
    }
}

static int source_ranges(const winnow__call *call, winnow__range *list) {
    const winnow__one_call *const d = winnow__one_call_of(&call->query);
    const int number = winnow__source_ranges(call, list);
    for (int i = 0; call->query.source->kind->may_be_packed && i < number; i++)
        allow_in_place(&d->columns, call->query.n, &list[i]);
    return number;
}

static int split_ranges(const winnow__call *call, winnow__range *list) {
    const winnow__split *const s = winnow__one_call_of(&call->query)->split;
    const uint64_t n = call->query.n;
    list[0] = winnow__elements_range("d_out", s->kept.d_base, n,
                                     s->element_bytes, true);
    list[1] = winnow__elements_range("d_rejected", s->rejected.d_base, n,
                                     s->element_bytes, true);
    list[1].wanted = false;
    list[2] = winnow__counts_range(s->counts);
    return 3;
}

int winnow__one_call_ranges(const winnow__call *call, winnow__range *list) {
    const winnow__one_call *const d = winnow__one_call_of(&call->query);
    int number = source_ranges(call, list);
    const int first = number;
    number += d->split != NULL
                  ? split_ranges(call, list + number)
                  : winnow__columns_ranges(&d->columns, call, list + number);
    for (int i = first; d->is_array && i < first + 2; i++)
        list[i].alignment = call->query.type->size;
    if (d->segments != NULL)
        number += winnow__segments_ranges(d->segments, list + number);
    return number;
}

unsigned winnow__one_call_most_ranges(const winnow__query *query) {
    const winnow__one_call *const d = winnow__one_call_of(query);
    const unsigned packed = d->split != NULL ? 3 : 2 * d->columns.number + 1;
    return winnow__source_most_ranges(query) + packed +
           (d->segments != NULL ? 3 : 0);
}

/* ----------------------------------------------------------------- the host */

/* Bytes for the selection and the memory for packing, a multiple of 16. */
static size_t packing_bytes(const winnow__query *query) {
    return winnow__round_up(
        winnow__selection_needed(query->n) +
            winnow__bits_in_place_bytes(&winnow__one_call_of(query)->columns,
                                        query->n),
        16);
}

size_t winnow__one_call_host_bytes(const winnow__query *query) {
    return packing_bytes(query) + winnow__source_host_bytes(query);
}

/* The source's memory follows the memory for packing. */
static void make_on_host(const winnow__call *call,
                         const winnow__host_task *task,
                         const winnow__host_sink *sink) {
    winnow__source_on_host(
        call, task, task->memory,
        (unsigned char *)task->memory + packing_bytes(&call->query), sink);
}

/* Packs the column if it is the only one and the predicate tests it. */
static bool copy_tested(void *argument, const winnow__host_task *task) {
    const winnow__host_packing *const packing = argument;
    const winnow_move *const move = packing->columns->list;
    const size_t bytes = task->predicate->type->size;
    if (packing->columns->number != 1 || move->d_in != task->in ||
        move->element_bytes != bytes || (uintptr_t)move->d_out % bytes != 0)
        return false;
    const winnow__host_copy copy = {.task = *task,
                                    .out = (unsigned char *)move->d_out +
                                           packing->start * bytes,
                                    .capacity = packing->room};
    packing->from->before[packing->from->tiles] = winnow__host_copy_if(&copy);
    return true;
}

winnow_status winnow__one_call_on_host(const winnow__call *call,
                                       const winnow__host_task *task) {
    const winnow__one_call *const d = winnow__one_call_of(&call->query);
    const winnow__selection from = winnow__task_selection(task, task->memory);
    if (d->split != NULL) {
        make_on_host(call, task, NULL);
        winnow__split_on_host(task, d->split, &from);
        return WINNOW_OK;
    }
    winnow__host_packing packing =
        winnow__begin_packing(task, call, &d->columns, &from,
                              (unsigned char *)task->memory +
                                  winnow__selection_needed(call->query.n));
    const winnow__host_sink sink = {.pack = winnow__pack_tiles,
                                    .argument = &packing,
                                    .copy = d->segments == NULL ? copy_tested
                                                                : NULL};
    make_on_host(call, task,
                 winnow__are_tiles_packed(&d->columns) ? &sink : NULL);
    if (d->segments != NULL)
        winnow__segments_on_host(task, d->segments, &from);
    winnow__end_packing(&packing, call);
    return WINNOW_OK;
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
static size_t packing_on_device(const winnow__query *query) {
    return winnow__round_up(
        winnow__selection_needed(query->n) +
            winnow__columns_bytes(&winnow__one_call_of(query)->columns,
                                  query->n),
        16);
}

/* The workspace has the selection, the memory for packing, and the source's. */
static void plan_selection(const winnow__query *query, winnow__plan *plan) {
    plan->one_pass.kind = WINNOW__BY_SELECTION;
    winnow__plan_several(
        packing_on_device(query) + winnow__source_device_bytes(query), plan);
}

winnow_status winnow__plan_one_call(const winnow__query *query,
                                    const winnow__constraints *constraints,
                                    winnow__plan *plan) {
    bool planned;
    WINNOW__TRY(winnow__plan_one_pass(query, constraints, plan, &planned));
    if (!planned)
        plan_selection(query, plan);
    return WINNOW_OK;
}

void winnow__set_one_call(const winnow__call *call, const winnow__plan *plan,
                          winnow__args *args) {
    winnow__set_one_pass(call, &plan->one_pass, args);
}

static winnow_status make_on_device(const winnow__call *call, void *selection) {
    return winnow__source_on_device(call, selection,
                                    (unsigned char *)selection +
                                        packing_on_device(&call->query));
}

/* Pack the columns that are not packed yet. */
static winnow_status pack_others(const winnow__call *call,
                                 const winnow__one_pass *pass,
                                 const winnow__selection *from, void *memory) {
    const winnow__one_call *const d = winnow__one_call_of(&call->query);
    winnow_move list[WINNOW__MOST_COLUMNS];
    winnow__columns rest = d->columns;
    rest.list = list;
    rest.number = 0;
    for (unsigned c = 0; c < d->columns.number; c++)
        if (pass->kind == WINNOW__BY_SELECTION || c != pass->key)
            list[rest.number++] = d->columns.list[c];
    return winnow__pack_on_device(call, &rest, from, memory);
}

winnow_status winnow__enqueue_one_call(const winnow__call *call,
                                       const winnow__plan *plan,
                                       const winnow__workspace *memory) {
    const winnow__one_call *const d = winnow__one_call_of(&call->query);
    const uint64_t n = call->query.n;
    const winnow__selection from = winnow__selection_at(memory->other, n);
    const winnow__one_pass *const pass = &plan->one_pass;
    WINNOW__TRY(winnow__prepare_sinks(call->query.context, &d->columns));
    WINNOW__TRY(pass->kind == WINNOW__BY_SELECTION
                    ? make_on_device(call, memory->other)
                    : winnow__enqueue_marked(call, plan, memory, &from));
    if (d->segments != NULL)
        WINNOW__TRY(winnow__segments_on_device(d->segments, &from,
                                               call->query.launch.stream));
    if (d->split != NULL)
        return winnow__split_on_device(call, d->split, &from);
    return pack_others(call, pass, &from,
                       (unsigned char *)memory->other +
                           winnow__selection_needed(n));
}
#endif
