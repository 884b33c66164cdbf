/*
 * winnow_unique and winnow_unique_by_key: one item of each run of equal keys,
 * packed.
 *
 * The heads of a large input, compared as bits, are packed in one pass, by
 * TILE_SCAN's kernel with the selector Heads, and marked where there are values
 * to be packed by a selection. All else goes by a selection alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "marked.h"
#include "core/status.h"
#include "select/unique.h"

#include <stdlib.h>

#ifdef WINNOW_CUDA
#include "cuda/memory.h"
#include "tile/plan.h"
#endif

/* The keys are a column; the second column is of values, or of no bytes. */
typedef struct details {
    winnow__unique unique;
    winnow__packed keys, values;
    bool is_column; /* the keys: heads of a column, of 1, 2, 4 or 8 bytes */
} details;

static const details *details_of(const winnow__query *query) {
    return query->details;
}

static winnow_status check(winnow__query *query) {
    const details *const d = details_of(query);
    winnow_status status = WINNOW_OK;
    if (d->values.element_bytes != 0)
        status = winnow__check_elements(query->n, d->values.element_bytes);
    return status == WINNOW_OK ? winnow__check_selection(query) : status;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const details *const d = details_of(&call->query);
    const uint64_t n = call->query.n;
    const bool by_key = d->values.element_bytes != 0;
    int number = 0;
    list[number++] =
        winnow__keys_range(by_key ? "d_keys" : "d_in", &d->unique, n);
    list[number++] =
        winnow__elements_range(by_key ? "d_keys_out" : "d_out", d->keys.out,
                               d->keys.capacity, d->keys.element_bytes, true);
    if (by_key) {
        list[number++] = winnow__elements_range("d_values", d->values.in, n,
                                                d->values.element_bytes, false);
        list[number++] = winnow__elements_range("d_values_out", d->values.out,
                                                d->values.capacity,
                                                d->values.element_bytes, true);
    }
    list[number] =
        winnow__result_range("d_count", d->keys.count, sizeof *d->keys.count);
    list[number++].wanted = false;
    list[number++] = winnow__some_range(d->unique.n);
    return number;
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const details *const d = details_of(&call->query);
    void *memory;
    winnow_status status = winnow__take_selection(task->n, &memory);
    if (status != WINNOW_OK)
        return status;
    const winnow__selection selection = winnow__selection_at(memory, task->n);
    winnow__select_unique_on_host(task, &d->unique, memory);
    if (d->values.element_bytes != 0)
        winnow__pack_one_on_host(task, &d->values, &selection);
    winnow__pack_one_on_host(task, &d->keys, &selection);
    free(memory);
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
/* Keys alone are packed. A query of their workspace does not know which way its
 * calls take. They need the most for a selection, which has more than 512 bytes
 * for 4096 keys, where a look-back has 8 for 6144 of 8 bytes. */
static winnow_status plan_keys(const winnow__query *query,
                               const winnow__constraints *constraints,
                               const winnow__input *input, winnow__plan *plan) {
    return input != NULL && winnow__is_one_pass(input, WINNOW__SHAPE_heads_scan)
               ? winnow__plan_look_back(input, constraints,
                                        WINNOW__SHAPE_heads_scan, plan)
               : winnow__plan_one_shot(query, constraints, plan);
}

/* The values have a selection in any case. */
static winnow_status plan_pairs(const winnow__query *query,
                                const winnow__constraints *constraints,
                                const winnow__input *input,
                                winnow__plan *plan) {
    const winnow__shape shape = WINNOW__SHAPE_heads_marks_scan;
    const bool is_packed =
        input != NULL && winnow__is_marked(input, constraints, shape);
    WINNOW__KEEP(plan, is_packed);
    return is_packed ? winnow__plan_marked(input, constraints, shape, plan)
                     : winnow__plan_one_shot(query, constraints, plan);
}

/* A query of their workspace does not know the size of keys. */
static winnow_status plan_any_pairs(const winnow__query *query,
                                    const winnow__constraints *constraints,
                                    winnow__plan *plan) {
    winnow_status status = winnow__plan_one_shot(query, constraints, plan);
    return status == WINNOW_OK
               ? winnow__plan_any_marked(query, constraints,
                                         WINNOW__SHAPE_heads_marks_scan, plan)
               : status;
}

static winnow_status plan(const winnow__query *query,
                          const winnow__constraints *constraints,
                          winnow__plan *plan_p) {
    const details *const d = details_of(query);
    winnow__input input;
    winnow_status status = WINNOW_OK;
    if (d->is_column)
        status = winnow__input_of_items(query, (unsigned)d->keys.element_bytes,
                                        &input);
    if (status != WINNOW_OK)
        return status;
    const winnow__input *const column = d->is_column ? &input : NULL;
    if (d->values.element_bytes == 0)
        return plan_keys(query, constraints, column, plan_p);
    return d->keys.element_bytes == 0
               ? plan_any_pairs(query, constraints, plan_p)
               : plan_pairs(query, constraints, column, plan_p);
}

static void set_results(const winnow__call *call, const winnow__plan *planned,
                        winnow__args *args) {
    const winnow__packed *const keys = &details_of(&call->query)->keys;
    (void)planned;
    args->sink.out = keys->out;
    args->sink.capacity = keys->capacity;
    args->sink.count = (unsigned long long *)keys->count;
}

static winnow_status make(const winnow__call *call,
                          const winnow__workspace *memory,
                          winnow__selection *selection_p) {
    const uint64_t n = call->query.n;
    *selection_p = winnow__selection_at(memory->rest, n);
    return winnow__select_unique_on_device(&details_of(&call->query)->unique, n,
                                           memory->rest, call->stream);
}

static winnow_status enqueue(const winnow__call *call,
                             const winnow__plan *planned,
                             const winnow__workspace *memory) {
    const details *const d = details_of(&call->query);
    const winnow_context *const context = call->query.context;
    bool is_packed;
    winnow__selection selection;
    WINNOW__RECALL(planned, &is_packed);
    winnow_status status =
        is_packed ? winnow__enqueue_marked(call, planned, memory, &selection)
                  : make(call, memory, &selection);
    if (status == WINNOW_OK && d->values.element_bytes != 0)
        status = winnow__pack_one_on_device(context, &d->values, &selection,
                                            call->stream);
    return status == WINNOW_OK && !is_packed
               ? winnow__pack_one_on_device(context, &d->keys, &selection,
                                            call->stream)
               : status;
}
#endif

static const winnow__operation operation = {
    .predicate = WINNOW__NO_PREDICATE,
    .check = check,
    .ranges = ranges,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(plan),
    .set_results = WINNOW__IF_CUDA(set_results),
    .enqueue = WINNOW__IF_CUDA(enqueue),
};

/* ---------------------------------------------------------------------- API */

static winnow_status describe(const winnow_keys *keys,
                              const winnow_unique_options *options, uint64_t n,
                              uint64_t capacity, void *d_keys_out,
                              uint64_t *d_count, const uint64_t *d_n,
                              details *d_p) {
    winnow_status status =
        winnow__take_unique(keys, options, d_n, n, &d_p->unique);
    d_p->keys = (winnow__packed){.in = keys->d_keys,
                                 .out = d_keys_out,
                                 .element_bytes = keys->key_bytes,
                                 .capacity = capacity < n ? capacity : n,
                                 .count = d_count};
    d_p->is_column = status == WINNOW_OK &&
                     winnow__is_heads_of_bits(&d_p->unique) &&
                     keys->key_bytes <= 8 &&
                     (keys->key_bytes & (keys->key_bytes - 1)) == 0 &&
                     (uintptr_t)keys->d_keys % keys->key_bytes == 0 &&
                     (uintptr_t)d_keys_out % keys->key_bytes == 0;
    return status;
}

static winnow_status run(winnow_context *context, uint64_t n, const details *d,
                         void *d_workspace, size_t workspace_bytes,
                         winnow_stream stream) {
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = d},
                         .in = d->keys.in,
                         .out = d->keys.out,
                         .workspace = d_workspace,
                         .workspace_bytes = workspace_bytes,
                         .stream = stream};
    return winnow__do(&call, NULL);
}

winnow_status winnow_unique_workspace(winnow_context *context, uint64_t n,
                                      size_t *bytes_p) {
    const details d = {.values = {.element_bytes = 0}};
    winnow__query query = {
        .operation = &operation, .context = context, .n = n, .details = &d};
    return winnow__query_workspace(&query, NULL, bytes_p);
}

winnow_status winnow_unique(winnow_context *context, const void *d_in,
                            uint64_t n, size_t element_bytes,
                            const winnow_unique_options *options, void *d_out,
                            uint64_t capacity, uint64_t *d_count,
                            void *d_workspace, size_t workspace_bytes,
                            const uint64_t *d_n, winnow_stream stream) {
    const winnow_keys keys = {.d_keys = d_in, .key_bytes = element_bytes};
    details d = {.values = {.element_bytes = 0}};
    winnow_status status =
        element_bytes == 0 || element_bytes > WINNOW__MOST_KEY_BYTES
            ? winnow__fail(WINNOW_ERR_ARGUMENT,
                           "element_bytes is %zu: wanted 1 "
                           "to %d",
                           element_bytes, WINNOW__MOST_KEY_BYTES)
            : describe(&keys, options, n, capacity, d_out, d_count, d_n, &d);
    return status == WINNOW_OK
               ? run(context, n, &d, d_workspace, workspace_bytes, stream)
               : status;
}

winnow_status winnow_unique_by_key_workspace(winnow_context *context,
                                             uint64_t n, size_t *bytes_p) {
    const details d = {.values = {.element_bytes = 1}};
    winnow__query query = {
        .operation = &operation, .context = context, .n = n, .details = &d};
    return winnow__query_workspace(&query, NULL, bytes_p);
}

winnow_status winnow_unique_by_key(winnow_context *context, const void *d_keys,
                                   size_t key_bytes, const void *d_values,
                                   size_t value_bytes, uint64_t n,
                                   const winnow_unique_options *options,
                                   void *d_keys_out, void *d_values_out,
                                   uint64_t capacity, uint64_t *d_count,
                                   void *d_workspace, size_t workspace_bytes,
                                   const uint64_t *d_n, winnow_stream stream) {
    const winnow_keys keys = {.d_keys = d_keys, .key_bytes = key_bytes};
    details d = {.values = {.in = d_values,
                            .out = d_values_out,
                            .element_bytes = value_bytes,
                            .capacity = capacity < n ? capacity : n}};
    if (value_bytes == 0 || value_bytes > WINNOW__MOST_ROW_BYTES)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "value_bytes is %zu: wanted 1 to %d", value_bytes,
                            WINNOW__MOST_ROW_BYTES);
    if (key_bytes == 0 || key_bytes > WINNOW__MOST_KEY_BYTES)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "key_bytes is %zu: wanted 1 to %d", key_bytes,
                            WINNOW__MOST_KEY_BYTES);
    winnow_status status =
        describe(&keys, options, n, capacity, d_keys_out, d_count, d_n, &d);
    return status == WINNOW_OK
               ? run(context, n, &d, d_workspace, workspace_bytes, stream)
               : status;
}
