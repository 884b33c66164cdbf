/*
 * winnow_accumulate_where: sums by key of the items that pass a condition.
 * Their keys and values are packed in the workspace, then added as in any call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "accumulate/details.h"
#include "core/status.h"
#include "pack/columns.h"
#include "condition/run/where.h"

#ifdef WINNOW_CUDA
#include "cuda/memory.h"
#include "cuda/run.h"
#endif

#include <string.h>

enum {
    MOST_MOVES = 1 + WINNOW__MOST_COMPONENTS /* the keys are the first move */
};

static const winnow__accumulation *details_of(const winnow__query *query) {
    return query->details;
}

/* ------------------------------------------------------------------ checks */

static winnow_status check(winnow__query *query) {
    WINNOW__TRY(winnow__check_source(query));
    return winnow__check_accumulation(query);
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const int number = winnow__accumulation_ranges(call, list);
    return number + winnow__source_ranges(call, list + number);
}

static unsigned most_ranges(const winnow__query *query) {
    return winnow__source_most_ranges(query) +
           2 * details_of(query)->components + 2;
}

/* ------------------------------------------------------------------ memory */

/* The workspace: the selection, the count of survivors, their keys and values,
 * and the source's memory. Each begins at a multiple of 16 bytes. */
typedef struct layout {
    size_t count, arrays, source; /* offsets */
    size_t keys, values;          /* bytes of each array */
} layout;

static layout lay_out(const winnow__query *query) {
    const winnow__accumulation *const a = details_of(query);
    const uint64_t n = query->n;
    layout made = {.count = winnow__round_up(winnow__selection_needed(n), 16),
                   .keys =
                       winnow__round_up(n * winnow_type_size(a->key_type), 16),
                   .values = winnow__round_up(n * a->value_type->size, 16)};
    made.arrays = made.count + 16;
    made.source = made.arrays + made.keys + a->components * made.values;
    return made;
}

/* The call that adds the packed values. */
typedef struct second {
    winnow__call call;
    winnow__accumulation a;
    winnow_in values[WINNOW__MOST_COMPONENTS];
    winnow_move moves[MOST_MOVES];
    winnow__columns columns;
} second;

static void be_second(const winnow__call *call, unsigned char *memory,
                      second *s) {
    const winnow__accumulation *const a = details_of(&call->query);
    const layout of = lay_out(&call->query);
    unsigned char *array = memory + of.arrays;
    s->moves[0] = (winnow_move){.d_in = call->in,
                                .d_out = array,
                                .element_bytes = winnow_type_size(a->key_type)};
    s->call = *call;
    s->call.in = array;
    s->call.count = (uint64_t *)(void *)(memory + of.count);
    s->call.query.details = &s->a;
    s->call.query.capacity = call->query.n;
    s->a = *a;
    s->a.values = s->values;
    array += of.keys;
    for (unsigned j = 0; j < a->components; j++, array += of.values) {
        s->moves[1 + j] = (winnow_move){.d_in = a->values[j].d_base,
                                        .d_out = array,
                                        .element_bytes = a->value_type->size};
        s->values[j] = (winnow_in){.type = a->values[j].type, .d_base = array};
    }
    s->columns =
        (winnow__columns){.list = s->moves, .number = 1 + a->components};
}

/* ---------------------------------------------------------------- the host */

static size_t host_bytes(const winnow__query *query) {
    return lay_out(query).source + winnow__source_host_bytes(query);
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    unsigned char *const memory = task->memory;
    const winnow__selection from = winnow__task_selection(task, memory);
    winnow__host_task adding = *task;
    second s;
    be_second(call, memory, &s);
    winnow__host_packing packing =
        winnow__begin_packing(task, &s.call, &s.columns, &from, NULL);
    const winnow__host_sink sink = {.pack = winnow__pack_tiles,
                                    .argument = &packing};
    winnow__source_on_host(call, task, memory,
                           memory + lay_out(&call->query).source, &sink);
    winnow__end_packing(&packing, &s.call);
    adding.in = s.call.in;
    adding.n = *s.call.count;
    return winnow__accumulate_on_host(&s.call, &adding);
}

/* ---------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
static winnow_status plan(const winnow__query *query,
                          const winnow__constraints *constraints,
                          winnow__plan *plan_p) {
    winnow_status status = winnow__accumulate_plan(query, constraints, plan_p);
    plan_p->other = lay_out(query).source + winnow__source_device_bytes(query);
    return status;
}

static winnow_status enqueue(const winnow__call *call, const winnow__plan *plan,
                             const winnow__workspace *memory) {
    unsigned char *const start = memory->other;
    const winnow__selection from = winnow__selection_at(start, call->query.n);
    second s;
    be_second(call, start, &s);
    WINNOW__TRY(winnow__prepare_sinks(call->query.context, &s.columns));
    WINNOW__TRY(winnow__source_on_device(call, start,
                                         start + lay_out(&call->query).source));
    WINNOW__TRY(winnow__pack_on_device(&s.call, &s.columns, &from, NULL));
    s.call.query.launch.d_n = s.call.count;
    return winnow__accumulate_enqueue(&s.call, plan, memory);
}
#endif

/* --------------------------------------------------------------------- API */

static const winnow__operation operation = {
    .name = "accumulate_where",
    .takes = WINNOW__TAKES_N,
    .predicate = WINNOW__NO_PREDICATE,
    .check = check,
    .ranges = ranges,
    .most_ranges = most_ranges,
    .explain = winnow__explain_source,
    .host_bytes = host_bytes,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(plan),
    .run = WINNOW__IF_CUDA(winnow__run_source),
    .enqueue = WINNOW__IF_CUDA(enqueue),
};

static winnow_status check_side_by_side(const winnow__accumulation *a) {
    for (unsigned j = 0; j < a->components; j++)
        WINNOW__TRY(winnow__check_dense(
            (winnow__array_name){.name = "values", .number = j + 1},
            &a->values[j]));
    return WINNOW_OK;
}

static winnow_status take(const winnow_accumulation *from,
                          winnow__accumulation *a) {
    WINNOW__TRY(winnow__need(from, "accumulation"));
    WINNOW__TRY(winnow__need(from->keys, "accumulation->keys"));
    for (unsigned r = 0; r < sizeof from->reserved / sizeof from->reserved[0];
         r++)
        if (from->reserved[r] != 0)
            return winnow__refuse("accumulation->reserved[%u] is not 0", r);
    a->key_bound = from->key_bound;
    a->components = from->components;
    a->values = from->values;
    a->sums = from->sums;
    WINNOW__TRY(winnow__take_accumulation(a, from->keys));
    return check_side_by_side(a);
}

winnow_status winnow_accumulate_where(winnow_context *context,
                                      const winnow_condition *condition,
                                      const winnow_in *columns,
                                      unsigned column_count, uint64_t n,
                                      const winnow_accumulation *accumulation,
                                      uint64_t *d_beyond,
                                      const winnow_launch *launch) {
    const winnow__where where = {.condition = condition,
                                 .columns = columns,
                                 .column_count = column_count};
    const winnow__source source = winnow__source_of_condition(&where);
    winnow__accumulation a = {.beyond = d_beyond};
    WINNOW__TRY(take(accumulation, &a));
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .source = &source,
                                   .details = &a},
                         .in = accumulation->keys->d_base};
    return winnow__do(&call, launch);
}
