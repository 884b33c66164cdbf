/*
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "details.h"
#include "core/context.h"
#include "core/status.h"

int winnow__sum_of(const winnow__type_info *type) {
    const int narrow =
        type->infinity != 0 ? WINNOW__SUM_FLOAT32 : WINNOW__SUM_UINT32;
    return narrow + (type->size == 8);
}

/* Elements from an item to the next. */
static uint64_t stride(const winnow__accumulation *a, winnow_layout layout) {
    return layout == WINNOW_COLUMNS ? 1 : a->components;
}

winnow__accumulate_arrays
winnow__accumulate_arrays_of(const winnow__call *call) {
    const winnow__accumulation *const a = call->query.details;
    const winnow__accumulated *const memory = call->memory;
    const size_t size = a->value_type->size;
    winnow__accumulate_arrays arrays = {
        .value_stride = stride(a, a->options.values_layout),
        .out_stride = stride(a, a->options.out_layout)};
    for (unsigned j = 0; j < a->components; j++) {
        if (call->query.n != 0)
            arrays.values[j] = a->options.values_layout == WINNOW_COLUMNS
                                   ? memory->values[j]
                                   : (const char *)memory->values[0] + j * size;
        if (a->key_bound != 0)
            arrays.out[j] = a->options.out_layout == WINNOW_COLUMNS
                                ? memory->out[j]
                                : (char *)memory->out[0] + j * size;
    }
    return arrays;
}

/* ------------------------------------------------------------------ checks */

static winnow_status check_types(const winnow__accumulation *a,
                                 winnow_type value_type) {
    const winnow__type_info *const value = winnow__type(value_type);
    if (a->key_type != WINNOW_UINT32 && a->key_type != WINNOW_UINT64)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "key_type %d is neither WINNOW_UINT32 nor "
                            "WINNOW_UINT64",
                            (int)a->key_type);
    if (value == NULL || value->size < 4)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "value_type %d is not summed: wanted WINNOW_INT32, "
                            "WINNOW_INT64, WINNOW_UINT32, WINNOW_UINT64, "
                            "WINNOW_FLOAT32 or WINNOW_FLOAT64",
                            (int)value_type);
    if (a->components < 1 || a->components > WINNOW__MOST_COMPONENTS)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "components is %u: wanted 1 to %d", a->components,
                            WINNOW__MOST_COMPONENTS);
    return WINNOW_OK;
}

static winnow_status check_layout(const winnow__accumulation *a,
                                  winnow_layout layout, const char *name,
                                  uint64_t items, const char *measure) {
    if ((int)layout < WINNOW_COLUMNS || (int)layout > WINNOW_INTERLEAVED)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "options->%s %d is no winnow_layout", name,
                            (int)layout);
    const uint64_t bytes = stride(a, layout) * a->value_type->size;
    if (items > UINTPTR_MAX / bytes)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "%s is %llu: that many times %llu bytes do not fit "
                            "in the address space",
                            measure, (unsigned long long)items,
                            (unsigned long long)bytes);
    return WINNOW_OK;
}

static winnow_status check(winnow__query *query) {
    const winnow__accumulation *const a = query->details;
    query->type = winnow__type(a->key_type);
    winnow_status status = check_layout(a, a->options.values_layout,
                                        "values_layout", query->n, "n");
    return status == WINNOW_OK
               ? check_layout(a, a->options.out_layout, "out_layout",
                              a->key_bound, "key_bound")
               : status;
}

/* ------------------------------------------------------------------ ranges */

static int columns(const winnow__accumulation *a, const char *name,
                   winnow_layout layout, const void *const *starts,
                   uint64_t items, const char *measure, bool written,
                   winnow__range *list) {
    const unsigned number = layout == WINNOW_COLUMNS ? a->components : 1;
    for (unsigned j = 0; j < number; j++)
        list[j] = (winnow__range){.name = name,
                                  .number = j + 1,
                                  .start = starts != NULL ? starts[j] : NULL,
                                  .bytes = items * stride(a, layout) *
                                           a->value_type->size,
                                  .alignment = a->value_type->size,
                                  .wanted = items != 0,
                                  .measure = measure,
                                  .written = written};
    return (int)number;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const winnow__accumulation *const a = call->query.details;
    const winnow__accumulated *const memory = call->memory;
    int number = 0;
    list[number] = winnow__input_range(call);
    list[number++].name = "d_keys";
    number += columns(a, "d_values", a->options.values_layout, memory->values,
                      call->query.n, "n", false, list + number);
    number += columns(a, "d_out", a->options.out_layout,
                      (const void *const *)memory->out, a->key_bound,
                      "key_bound", true, list + number);
    list[number] = winnow__result_range("d_beyond", memory->beyond,
                                        sizeof *memory->beyond);
    list[number++].wanted = false;
    return number;
}

const winnow__operation winnow__accumulate_operation = {
    .predicate = WINNOW__NO_PREDICATE,
    .check = check,
    .ranges = ranges,
    .run_on_host = winnow__accumulate_on_host,
    .plan = WINNOW__IF_CUDA(winnow__accumulate_plan),
    .enqueue = WINNOW__IF_CUDA(winnow__accumulate_enqueue),
};

/* --------------------------------------------------------------------- API */

static winnow_status take(winnow__accumulation *a, winnow_type value_type,
                          const winnow_accumulate_options *options) {
    winnow_status status = check_types(a, value_type);
    if (status != WINNOW_OK)
        return status;
    a->value_type = winnow__type(value_type);
    a->options = (winnow_accumulate_options)WINNOW_ACCUMULATE_OPTIONS_INIT;
    return options == NULL
               ? WINNOW_OK
               : winnow__take_options("winnow_accumulate_options",
                                      "WINNOW_ACCUMULATE_OPTIONS_INIT",
                                      sizeof a->options, options, options->size,
                                      &a->options, sizeof a->options);
}

winnow_status winnow_accumulate_by_key_workspace(
    winnow_context *context, winnow_type key_type, uint64_t n,
    uint64_t key_bound, winnow_type value_type, unsigned components,
    const winnow_accumulate_options *options, size_t *bytes_p) {
    winnow__accumulation a = {
        .key_type = key_type, .key_bound = key_bound, .components = components};
    winnow__query query = {.operation = &winnow__accumulate_operation,
                           .context = context,
                           .n = n,
                           .details = &a};
    winnow_status status = take(&a, value_type, options);
    return status == WINNOW_OK ? winnow__query_workspace(&query, NULL, bytes_p)
                               : status;
}

winnow_status winnow_accumulate_by_key(
    winnow_context *context, winnow_type key_type, const void *d_keys,
    uint64_t n, uint64_t key_bound, winnow_type value_type, unsigned components,
    const void *const *d_values, void *const *d_out, uint64_t *d_beyond,
    const winnow_accumulate_options *options, void *d_workspace,
    size_t workspace_bytes, winnow_stream stream) {
    winnow__accumulation a = {
        .key_type = key_type, .key_bound = key_bound, .components = components};
    const winnow__accumulated memory = {
        .values = d_values, .out = d_out, .beyond = d_beyond};
    winnow__call call = {.query = {.operation = &winnow__accumulate_operation,
                                   .context = context,
                                   .n = n,
                                   .details = &a},
                         .in = d_keys,
                         .memory = &memory,
                         .workspace = d_workspace,
                         .workspace_bytes = workspace_bytes,
                         .stream = stream};
    winnow_status status = take(&a, value_type, options);
    if (status == WINNOW_OK && d_values == NULL && n != 0)
        status = winnow__fail(WINNOW_ERR_ARGUMENT, "d_values is NULL");
    if (status == WINNOW_OK && d_out == NULL && key_bound != 0)
        status = winnow__fail(WINNOW_ERR_ARGUMENT, "d_out is NULL");
    return status == WINNOW_OK ? winnow__do(&call, NULL) : status;
}
