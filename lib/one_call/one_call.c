/*
 * A source and a sink in one call, with the selection in the workspace. On a
 * device some go in one pass instead (one_pass.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "one_call.h"
#include "core/array.h"
#include "core/round.h"
#include "core/status.h"
#include "select/source.h"

#ifdef WINNOW_CUDA
#include "cuda/memory.h"
#include "cuda/run.h"
#include "one_pass.h"
#endif

/* ------------------------------------------------------------------ checks */

static winnow_status check_key(const winnow__query *query) {
    const winnow__array_name name = {"key", 0};
    const winnow_in *const key = winnow__one_call_of(query)->key;
    winnow_status status = winnow__check_in(name, key);
    if (status == WINNOW_OK && winnow__type(key->type) != query->type)
        status = winnow__fail(WINNOW_ERR_ARGUMENT,
                              "key->type is %s, and the predicate is of %s",
                              winnow_type_name(key->type), query->type->name);
    return status == WINNOW_OK ? winnow__check_extent(name, key, query->n)
                               : status;
}

/* Runs are taken, and checked, before. */
static winnow_status check_origin(const winnow__query *query) {
    const winnow__one_call *const d = winnow__one_call_of(query);
    switch (d->origin) {
    case WINNOW__FROM_KEY:
        return check_key(query);
    case WINNOW__FROM_MASK:
        return winnow__check_mask(d->mask, query->n);
    case WINNOW__FROM_CONDITION:
        return winnow__check_where(query, &d->where);
    default:
        return WINNOW_OK;
    }
}

winnow_status winnow__check_one_call(winnow__query *query) {
    const winnow__one_call *const d = winnow__one_call_of(query);
    winnow_status status = check_origin(query);
    if (status == WINNOW_OK && d->split == NULL)
        status = winnow__check_columns(&d->columns, query);
    if (status == WINNOW_OK && d->is_array && d->split == NULL)
        status = winnow__check_segments(d->segments);
    return status == WINNOW_OK ? winnow__check_selection(query) : status;
}

winnow_status winnow__explain_one_call(const winnow__query *query,
                                       struct winnow__text *text,
                                       winnow_strategy *strategy_p) {
    const winnow__one_call *const d = winnow__one_call_of(query);
    (void)strategy_p; /* it has none */
    if (d->origin == WINNOW__FROM_CONDITION)
        return winnow__explain_where(&d->where, query, text);
    return WINNOW_OK;
}

/* ------------------------------------------------------------------ ranges */

static winnow__range key_range(const winnow__one_call *d, uint64_t n) {
    const winnow__array_name name = {d->is_array ? "d_in" : "key->d_base", 0};
    const size_t bytes =
        winnow__element_bytes(d->key->type, d->key->element_bytes);
    winnow__range range = winnow__in_range(name, d->key, n);
    if (winnow__stride_of(d->key) == (int64_t)bytes)
        range.alignment = (unsigned)bytes;
    return range;
}

/* What a key or a condition reads is read before anything is written: it may
 * lie in a column that is packed in place, whose range then stands for it. */
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

static int origin_ranges(const winnow__call *call, winnow__range *list) {
    const winnow__one_call *const d = winnow__one_call_of(&call->query);
    const uint64_t n = call->query.n;
    int number = 1;
    if (d->origin == WINNOW__FROM_MASK)
        list[0] = winnow__mask_range("mask->d_flags", d->mask, n);
    else if (d->origin == WINNOW__FROM_RUNS)
        list[0] = winnow__keys_range(&d->unique, n);
    else if (d->origin == WINNOW__FROM_KEY)
        list[0] = key_range(d, n);
    else
        number = winnow__where_ranges(&d->where, n, list);
    if (d->origin == WINNOW__FROM_KEY || d->origin == WINNOW__FROM_CONDITION)
        for (int i = 0; i < number; i++)
            allow_in_place(&d->columns, n, &list[i]);
    return number;
}

static int split_ranges(const winnow__call *call, winnow__range *list) {
    const winnow__split *const s = winnow__one_call_of(&call->query)->split;
    const uint64_t n = call->query.n;
    list[0] =
        winnow__elements_range("d_out", s->kept, n, s->element_bytes, true);
    list[1] = winnow__elements_range("d_rejected", s->rejected, n,
                                     s->element_bytes, true);
    list[1].wanted = false;
    list[2] = winnow__counts_range(s->counts);
    return 3;
}

int winnow__one_call_ranges(const winnow__call *call, winnow__range *list) {
    const winnow__one_call *const d = winnow__one_call_of(&call->query);
    int number = origin_ranges(call, list);
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
    const unsigned origin = d->origin == WINNOW__FROM_CONDITION
                                ? winnow__where_most_ranges(&d->where)
                                : 1;
    const unsigned packed = d->split != NULL ? 3 : 2 * d->columns.number + 1;
    return origin + packed + (d->segments != NULL ? 3 : 0);
}

/* --------------------------------------------------------- source and sink */

static winnow__source source_of(const winnow__call *call) {
    const winnow__one_call *const d = winnow__one_call_of(&call->query);
    const uint64_t *const d_n = call->query.launch.d_n;
    if (d->origin == WINNOW__FROM_MASK)
        return winnow__source_of_mask(d->mask, d_n);
    winnow__source source =
        winnow__source_of(call->query.predicate, d->key->d_base, d_n);
    if (winnow__stride_of(d->key) != (int64_t)call->query.type->size)
        source.stride = winnow__stride_of(d->key);
    return source;
}

static winnow__split split_of(const winnow__call *call) {
    winnow__split split = *winnow__one_call_of(&call->query)->split;
    split.d_n = call->query.launch.d_n;
    return split;
}

/* ----------------------------------------------------------------- the host */

/* The selection, and what packing by it needs; in whole vectors. */
static size_t packing_bytes(const winnow__query *query) {
    return winnow__round_up(
        winnow__selection_needed(query->n) +
            winnow__bits_in_place_bytes(&winnow__one_call_of(query)->columns,
                                        query->n),
        16);
}

size_t winnow__one_call_host_bytes(const winnow__query *query) {
    const winnow__one_call *const d = winnow__one_call_of(query);
    return packing_bytes(query) +
           (d->origin == WINNOW__FROM_CONDITION
                ? winnow__where_host_bytes(&d->where, query->n)
                : 0);
}

/* Behind what packing needs. */
static void *where_memory(const winnow__call *call,
                          const winnow__host_task *task) {
    return (unsigned char *)task->memory + packing_bytes(&call->query);
}

static void make_on_host(const winnow__call *call,
                         const winnow__host_task *task,
                         const winnow__host_sink *sink) {
    const winnow__one_call *const d = winnow__one_call_of(&call->query);
    if (d->origin == WINNOW__FROM_RUNS) {
        winnow__select_unique_on_host(task, &d->unique, task->memory, sink);
    } else if (d->origin == WINNOW__FROM_CONDITION) {
        winnow__select_where_on_host(task, &d->where, task->memory,
                                     where_memory(call, task), sink);
    } else {
        const winnow__source source = source_of(call);
        winnow__make_on_host(task, &source, task->memory, sink);
    }
}

winnow_status winnow__one_call_on_host(const winnow__call *call,
                                       const winnow__host_task *task) {
    const winnow__one_call *const d = winnow__one_call_of(&call->query);
    const winnow__selection from =
        winnow__selection_at(task->memory, task->bound);
    if (d->split != NULL) {
        const winnow__split split = split_of(call);
        make_on_host(call, task, NULL);
        winnow__split_on_host(task, &split, &from);
        return WINNOW_OK;
    }
    winnow__host_packing packing =
        winnow__begin_packing(task, call, &d->columns, &from,
                              (unsigned char *)task->memory +
                                  winnow__selection_needed(call->query.n));
    const winnow__host_sink sink = {winnow__pack_tiles, &packing};
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

/* The selection, behind it what packing needs, then what the condition does. */
static void plan_selection(const winnow__query *query, winnow__plan *plan) {
    const winnow__one_call *const d = winnow__one_call_of(query);
    const winnow__way by_selection = {.kind = WINNOW__BY_SELECTION};
    size_t bytes = packing_on_device(query);
    if (d->origin == WINNOW__FROM_CONDITION)
        bytes += winnow__where_device_bytes(&d->where, query->n);
    WINNOW__KEEP(plan, by_selection);
    winnow__plan_several(bytes, plan);
}

winnow_status winnow__plan_one_call(const winnow__query *query,
                                    const winnow__constraints *constraints,
                                    winnow__plan *plan) {
    bool planned;
    winnow_status status =
        winnow__plan_one_pass(query, constraints, plan, &planned);
    if (status == WINNOW_OK && !planned)
        plan_selection(query, plan);
    return status;
}

void winnow__set_one_call(const winnow__call *call, const winnow__plan *plan,
                          winnow__args *args) {
    winnow__way way;
    WINNOW__RECALL(plan, &way);
    winnow__set_one_pass(call, &way, args);
}

static winnow_status make_on_device(const winnow__call *call, void *selection) {
    const winnow__one_call *const d = winnow__one_call_of(&call->query);
    const winnow_launch *const launch = &call->query.launch;
    const uint64_t n = call->query.n;
    if (d->origin == WINNOW__FROM_RUNS)
        return winnow__select_unique_on_device(&d->unique, n, launch->d_n,
                                               selection, launch->stream);
    if (d->origin == WINNOW__FROM_CONDITION)
        return winnow__select_where_on_device(
            call, &d->where, selection,
            (unsigned char *)selection + packing_on_device(&call->query));
    const winnow__source source = source_of(call);
    return winnow__make_on_device(&source, n, selection, launch->stream);
}

/* Pack what is not packed yet. */
static winnow_status pack(const winnow__call *call, const winnow__way *way,
                          const winnow__selection *from, void *memory) {
    const winnow__one_call *const d = winnow__one_call_of(&call->query);
    winnow_move list[WINNOW__MOST_COLUMNS];
    winnow__columns rest = d->columns;
    rest.list = list;
    rest.number = 0;
    for (unsigned c = 0; c < d->columns.number; c++)
        if (way->kind == WINNOW__BY_SELECTION || c != way->key)
            list[rest.number++] = d->columns.list[c];
    return winnow__pack_on_device(call, &rest, from, memory);
}

/* Memory that is taken for a captured call is part of the graph, also after an
 * error: so a captured call looks for tables before. */
winnow_status winnow__run_one_call(const winnow__call *call,
                                   const winnow__constraints *constraints,
                                   bool captured) {
    const winnow__one_call *const d = winnow__one_call_of(&call->query);
    winnow_status status = WINNOW_OK;
    if (captured && d->origin == WINNOW__FROM_CONDITION)
        status = winnow__make_where_tables(call, &d->where);
    return status == WINNOW_OK
               ? winnow__run_planned(call, constraints, captured)
               : status;
}

winnow_status winnow__enqueue_one_call(const winnow__call *call,
                                       const winnow__plan *plan,
                                       const winnow__workspace *memory) {
    const winnow__one_call *const d = winnow__one_call_of(&call->query);
    const uint64_t n = call->query.n;
    const winnow__selection from = winnow__selection_at(memory->other, n);
    winnow__way way;
    WINNOW__RECALL(plan, &way);
    winnow_status status =
        winnow__prepare_sinks(call->query.context, &d->columns);
    if (status == WINNOW_OK)
        status = way.kind == WINNOW__BY_SELECTION
                     ? make_on_device(call, memory->other)
                     : winnow__enqueue_marked(call, plan, memory, &from);
    if (status == WINNOW_OK && d->segments != NULL)
        status = winnow__segments_on_device(d->segments, &from,
                                            call->query.launch.stream);
    if (status == WINNOW_OK && d->split != NULL) {
        const winnow__split split = split_of(call);
        return winnow__split_on_device(call->query.context, &split, &from,
                                       call->query.launch.stream);
    }
    return status == WINNOW_OK ? pack(call, &way, &from,
                                      (unsigned char *)memory->other +
                                          winnow__selection_needed(n))
                               : status;
}
#endif
