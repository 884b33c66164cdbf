/*
 * winnow_copy_flagged, winnow_copy_columns_if and winnow_copy_records_if: a
 * source and the sink of columns in one call, with the selection in the
 * workspace. On a device, small records (records.c) and columns of which
 * the key is one (keyed_columns.c) go in one pass instead.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "pack/columns.h"
#include "select/source.h"
#include "core/status.h"

#include <stdlib.h>

#ifdef WINNOW_CUDA
#include "keyed_columns.h"
#include "cuda/memory.h"
#include "records.h"
#endif

typedef enum kind {
    BY_MASK,
    BY_KEY,  /* a predicate on a column */
    BY_FIELD /* a predicate on a field of the one column */
} kind;

typedef struct details {
    kind kind;
    bool is_query; /* of the workspace: without a predicate or pointers */
    winnow__columns columns;
    const uint64_t *d_n;
    /* BY_KEY */
    const void *key;
    /* BY_MASK */
    winnow_mask mask;
    const void *d_mask;
    uint64_t offset;
    /* BY_FIELD: in bytes, from the beginning of a record */
    size_t field;
} details;

static const details *details_of(const winnow__query *query) {
    return query->details;
}

static winnow__source source_of(const winnow__call *call) {
    const details *const d = details_of(&call->query);
    if (d->kind == BY_MASK)
        return winnow__source_of_mask(d->mask, d->d_mask, d->offset, d->d_n);
    if (d->kind == BY_KEY)
        return winnow__source_of(call->query.predicate, call->in, d->d_n);
    winnow__source source =
        winnow__source_of(call->query.predicate,
                          (const unsigned char *)call->in + d->field, d->d_n);
    source.stride = (unsigned)d->columns.list[0].element_bytes;
    return source;
}

/* ------------------------------------------------------------------ checks */

static winnow_status check_field(const details *d,
                                 const winnow_predicate *predicate) {
    const size_t bytes = d->columns.list[0].element_bytes;
    const size_t size = predicate->type->size;
    if (d->field > bytes || size > bytes - d->field)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "field_offset is %zu: a %s there ends behind the "
                            "record, which has %zu bytes",
                            d->field, predicate->type->name, bytes);
    return WINNOW_OK;
}

static winnow_status check_condition(const winnow__query *query) {
    const details *const d = details_of(query);
    if (d->is_query)
        return WINNOW_OK;
    if (d->kind == BY_MASK)
        return winnow__check_mask(d->mask, d->d_mask, d->offset);
    if (query->predicate == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "predicate is NULL");
    return d->kind == BY_FIELD ? check_field(d, query->predicate) : WINNOW_OK;
}

static winnow_status check(winnow__query *query) {
    winnow_status status =
        winnow__check_columns(&details_of(query)->columns, query->n);
    if (status == WINNOW_OK)
        status = check_condition(query);
    return status == WINNOW_OK ? winnow__check_selection(query) : status;
}

/* ------------------------------------------------------------------ ranges */

/* The key is read before anything is written: it may be a column that is packed
 * in place. */
static winnow__range key_range(const winnow__call *call) {
    const winnow__columns *const columns = &details_of(&call->query)->columns;
    winnow__range range = winnow__input_range(call);
    range.name = "d_key";
    for (unsigned c = 0; c < columns->number; c++)
        if (columns->list[c].d_in == call->in &&
            columns->list[c].d_out == call->in)
            range.in_place = c + 1;
    return range;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const details *const d = details_of(&call->query);
    const uint64_t n = call->query.n;
    int number = 0;
    if (d->kind == BY_MASK)
        list[number++] = winnow__mask_range(d->mask, d->d_mask, d->offset, n);
    if (d->kind == BY_KEY)
        list[number++] = key_range(call);
    number +=
        winnow__columns_ranges(&d->columns, n, call->count, list + number);
    list[number++] = winnow__items_range(d->d_n);
    return number;
}

/* ---------------------------------------------------------------- the work */

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const winnow__source source = source_of(call);
    void *const selection = malloc(winnow__selection_needed(task->n));
    if (selection == NULL)
        return winnow__fail(WINNOW_ERR_MEMORY,
                            "no host memory for a selection");
    const winnow__selection from = winnow__selection_at(selection, task->n);
    winnow__make_on_host(task, &source, selection);
    winnow__pack_on_host(task, &details_of(&call->query)->columns, &from,
                         call->count);
    free(selection);
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
static winnow__records records_of(const winnow__query *query) {
    const details *const d = details_of(query);
    const winnow_compact_column *const column = &d->columns.list[0];
    return (winnow__records){.in = column->d_in,
                             .out = column->d_out,
                             .bytes = column->element_bytes,
                             .field = d->field,
                             .capacity = d->columns.capacity};
}

/* May it go in one pass over the input? */
static bool may_be_one_pass(const winnow__query *query) {
    const details *const d = details_of(query);
    return !d->is_query && d->d_n == NULL && d->columns.position == NULL;
}

/* The selection, and behind it what packing needs. */
static winnow_status plan_selection(const winnow__query *query,
                                    winnow__plan *plan_p) {
    winnow__plan_several(
        winnow__selection_needed(query->n) +
            winnow__columns_bytes(&details_of(query)->columns, query->n),
        plan_p);
    return WINNOW_OK;
}

/* One pass over records. */
static winnow_status plan_records(const winnow__query *query,
                                  const winnow__constraints *constraints,
                                  winnow__plan *plan_p, bool *possible_p) {
    const winnow__records records = records_of(query);
    winnow__input input;
    winnow_status status =
        winnow__find_records_scan(query, &records, &input, possible_p);
    return status == WINNOW_OK && *possible_p
               ? winnow__plan_look_back(&input, constraints,
                                        WINNOW__SHAPE_records_scan, plan_p)
               : status;
}

/* One pass over the key, which is one of the columns; its number is kept. */
static winnow_status plan_keyed(const winnow__query *query,
                                const winnow__constraints *constraints,
                                winnow__plan *plan_p, bool *possible_p) {
    const details *const d = details_of(query);
    const unsigned key =
        winnow__find_key(&d->columns, d->key, query->type->size);
    winnow__input input;
    winnow_status status = winnow__input_of(query, &input);
    *possible_p =
        status == WINNOW_OK && key != d->columns.number &&
        winnow__is_marked(&input, constraints, WINNOW__SHAPE_marks_scan);
    if (!*possible_p)
        return status;
    WINNOW__KEEP(plan_p, key);
    return winnow__plan_marked(&input, constraints, WINNOW__SHAPE_marks_scan,
                               plan_p);
}

/*
 * A query of the workspace does not know which way its calls take. For records
 * they need the most for a selection, which has more than 512 bytes for 4096
 * records, where a look-back has 8 for 768 of 64 bytes.
 */
static winnow_status plan(const winnow__query *query,
                          const winnow__constraints *constraints,
                          winnow__plan *plan_p) {
    const details *const d = details_of(query);
    bool planned = false;
    winnow_status status = WINNOW_OK;
    WINNOW__KEEP(plan_p, d->columns.number);
    if (d->kind == BY_FIELD && may_be_one_pass(query))
        status = plan_records(query, constraints, plan_p, &planned);
    else if (d->kind == BY_KEY && may_be_one_pass(query))
        status = plan_keyed(query, constraints, plan_p, &planned);
    if (status != WINNOW_OK || planned)
        return status;
    status = plan_selection(query, plan_p);
    return status == WINNOW_OK && d->is_query && !d->columns.is_single
               ? winnow__plan_any_marked(query, constraints,
                                         WINNOW__SHAPE_marks_scan, plan_p)
               : status;
}

static void set_results(const winnow__call *call, const winnow__plan *planned,
                        winnow__args *args) {
    const details *const d = details_of(&call->query);
    const winnow__records records = records_of(&call->query);
    const uint64_t capacity = d->columns.capacity, n = call->query.n;
    unsigned key;
    args->sink.count = (unsigned long long *)call->count;
    if (d->kind == BY_FIELD) {
        winnow__set_records(&call->query, &records, args);
        return;
    }
    WINNOW__RECALL(planned, &key);
    args->sink.out = d->columns.list[key].d_out;
    args->sink.capacity = capacity < n ? capacity : n;
}

static winnow_status enqueue_selection(const winnow__call *call,
                                       const winnow__workspace *memory) {
    const uint64_t n = call->query.n;
    const winnow__source source = source_of(call);
    const winnow__selection from = winnow__selection_at(memory->rest, n);
    winnow_status status =
        winnow__make_on_device(&source, n, memory->rest, call->stream);
    return status == WINNOW_OK
               ? winnow__pack_on_device(call->query.context,
                                        &details_of(&call->query)->columns,
                                        &from, call->count,
                                        (unsigned char *)memory->rest +
                                            winnow__selection_needed(n),
                                        call->stream)
               : status;
}

static winnow_status enqueue(const winnow__call *call,
                             const winnow__plan *planned,
                             const winnow__workspace *memory) {
    const details *const d = details_of(&call->query);
    unsigned key;
    WINNOW__RECALL(planned, &key);
    return key != d->columns.number
               ? winnow__enqueue_keyed_columns(call, planned, memory,
                                               &d->columns, key)
               : enqueue_selection(call, memory);
}
#endif

static const winnow__operation operation = {
    .predicate = WINNOW__OPTIONAL_PREDICATE,
    .check = check,
    .ranges = ranges,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(plan),
    .set_results = WINNOW__IF_CUDA(set_results),
    .enqueue = WINNOW__IF_CUDA(enqueue),
};

/* ------------------------------------------------------------------- calls */

static winnow_status ask(winnow_context *context, uint64_t n,
                         const winnow_compact_column *list, unsigned number,
                         bool is_single, size_t *bytes_p) {
    const details d = {.is_query = true,
                       .columns = {.list = list,
                                   .number = number,
                                   .is_single = is_single,
                                   .may_be_in_place = true,
                                   .capacity = n}};
    winnow__query query = {
        .operation = &operation, .context = context, .n = n, .details = &d};
    return winnow__query_workspace(&query, NULL, bytes_p);
}

/* Of one array, which may be packed in place. */
static winnow_status ask_for_array(winnow_context *context, uint64_t n,
                                   size_t element_bytes, size_t *bytes_p) {
    const winnow_compact_column column = {.element_bytes = element_bytes};
    return ask(context, n, &column, 1, true, bytes_p);
}

winnow_status winnow_copy_flagged_workspace(winnow_context *context, uint64_t n,
                                            size_t element_bytes,
                                            size_t *bytes_p) {
    return ask_for_array(context, n, element_bytes, bytes_p);
}

winnow_status winnow_copy_records_if_workspace(winnow_context *context,
                                               uint64_t n, size_t record_bytes,
                                               size_t *bytes_p) {
    return ask_for_array(context, n, record_bytes, bytes_p);
}

winnow_status
winnow_copy_columns_if_workspace(winnow_context *context, uint64_t n,
                                 const winnow_compact_column *columns,
                                 unsigned number, size_t *bytes_p) {
    return ask(context, n, columns, number, false, bytes_p);
}

winnow_status winnow_copy_flagged(winnow_context *context, winnow_mask mask,
                                  const void *d_mask, uint64_t offset,
                                  const void *d_in, uint64_t n,
                                  size_t element_bytes, void *d_out,
                                  uint64_t capacity, uint64_t *d_position,
                                  uint64_t *d_count, const uint64_t *d_n,
                                  void *d_workspace, size_t workspace_bytes,
                                  winnow_stream stream) {
    const winnow_compact_column column = {d_in, d_out, element_bytes};
    const details d = {.kind = BY_MASK,
                       .columns = {.list = &column,
                                   .number = 1,
                                   .is_single = true,
                                   .may_be_in_place = true,
                                   .capacity = capacity,
                                   .position = d_position},
                       .d_n = d_n,
                       .mask = mask,
                       .d_mask = d_mask,
                       .offset = offset};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = &d},
                         .in = d_in,
                         .count = d_count,
                         .workspace = d_workspace,
                         .workspace_bytes = workspace_bytes,
                         .stream = stream};
    return winnow__do(&call, NULL);
}

winnow_status winnow_copy_columns_if(
    winnow_context *context, const winnow_predicate *predicate,
    const void *d_key, uint64_t n, const winnow_compact_column *columns,
    unsigned number, uint64_t capacity, uint64_t *d_position, uint64_t *d_count,
    const uint64_t *d_n, void *d_workspace, size_t workspace_bytes,
    winnow_stream stream) {
    const details d = {.kind = BY_KEY,
                       .columns = {.list = columns,
                                   .number = number,
                                   .may_be_in_place = true,
                                   .capacity = capacity,
                                   .position = d_position},
                       .d_n = d_n,
                       .key = d_key};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .predicate = predicate,
                                   .n = n,
                                   .details = &d},
                         .in = d_key,
                         .count = d_count,
                         .workspace = d_workspace,
                         .workspace_bytes = workspace_bytes,
                         .stream = stream};
    return winnow__do(&call, NULL);
}

winnow_status winnow_copy_records_if(
    winnow_context *context, const winnow_predicate *predicate,
    size_t field_offset, const void *d_in, uint64_t n, size_t record_bytes,
    void *d_out, uint64_t capacity, uint64_t *d_position, uint64_t *d_count,
    const uint64_t *d_n, void *d_workspace, size_t workspace_bytes,
    winnow_stream stream) {
    const winnow_compact_column column = {d_in, d_out, record_bytes};
    const details d = {.kind = BY_FIELD,
                       .columns = {.list = &column,
                                   .number = 1,
                                   .is_single = true,
                                   .may_be_in_place = true,
                                   .capacity = capacity,
                                   .position = d_position},
                       .d_n = d_n,
                       .field = field_offset};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .predicate = predicate,
                                   .n = n,
                                   .details = &d},
                         .in = d_in,
                         .count = d_count,
                         .workspace = d_workspace,
                         .workspace_bytes = workspace_bytes,
                         .stream = stream};
    return winnow__do(&call, NULL);
}
