/*
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "details.h"
#include "core/context.h"
#include "core/status.h"

#include <string.h>

int winnow__sum_of(const winnow__type_info *type) {
    if (type->infinity != 0)
        return type->size == 4 ? WINNOW__SUM_FLOAT32 : WINNOW__SUM_FLOAT64;
    return type->size == 4 ? WINNOW__SUM_UINT32 : WINNOW__SUM_UINT64;
}

/* ----------------------------------------------------------------- options */

/* The rules of winnow_options: a later program's structure may be longer. */
static winnow_status take_options(const winnow_accumulate_options *from,
                                  winnow_accumulate_options *to) {
    enum {
        MOST = 4096
    };
    *to = (winnow_accumulate_options)WINNOW_ACCUMULATE_OPTIONS_INIT;
    if (from == NULL)
        return WINNOW_OK;
    if (from->size < sizeof *to || from->size > MOST ||
        from->size % _Alignof(winnow_accumulate_options) != 0)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "options->size is %zu, which is the size of no "
                            "winnow_accumulate_options: start from "
                            "WINNOW_ACCUMULATE_OPTIONS_INIT",
                            from->size);
    for (size_t i = sizeof *to; i < from->size; i++)
        if (((const unsigned char *)from)[i] != 0)
            return winnow__fail(WINNOW_ERR_ARGUMENT,
                                "options->size is %zu: this libwinnow knows "
                                "%zu, and what comes after is not 0",
                                from->size, sizeof *to);
    *to = *from;
    to->size = sizeof *to;
    return WINNOW_OK;
}

static winnow_status check_layout(const char *name, winnow_layout layout) {
    if ((int)layout < WINNOW_COLUMNS || (int)layout > WINNOW_INTERLEAVED)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "options->%s %d is no winnow_layout", name,
                            (int)layout);
    return WINNOW_OK;
}

static winnow_status check_options(const winnow_accumulate_options *options) {
    winnow_status status =
        check_layout("values_layout", options->values_layout);
    return status == WINNOW_OK ? check_layout("out_layout", options->out_layout)
                               : status;
}

/* ------------------------------------------------------------------ checks */

static bool is_summed(winnow_type type) {
    switch ((int)type) {
    case WINNOW_INT32:
    case WINNOW_INT64:
    case WINNOW_UINT32:
    case WINNOW_UINT64:
    case WINNOW_FLOAT32:
    case WINNOW_FLOAT64:
        return true;
    default:
        return false;
    }
}

static winnow_status check_types(const winnow__accumulation *a,
                                 winnow_type value_type) {
    if (a->key_type != WINNOW_UINT32 && a->key_type != WINNOW_UINT64)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "key_type %d is neither WINNOW_UINT32 nor "
                            "WINNOW_UINT64",
                            (int)a->key_type);
    if (!is_summed(value_type))
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

static winnow_status check_size(const winnow__accumulation *a, const char *name,
                                uint64_t items, winnow_layout layout) {
    const uint64_t bytes =
        (uint64_t)winnow__stride(a, layout) * a->value_type->size;
    if (items > UINTPTR_MAX / bytes)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "%s is %llu: so many times %llu bytes do not fit "
                            "in the address space",
                            name, (unsigned long long)items,
                            (unsigned long long)bytes);
    return WINNOW_OK;
}

static winnow_status check(winnow__query *query) {
    const winnow__accumulation *const a = query->details;
    winnow_status status = check_options(&a->options);
    if (status == WINNOW_OK)
        status = check_size(a, "n", query->n, a->options.values_layout);
    if (status == WINNOW_OK)
        status =
            check_size(a, "key_bound", a->key_bound, a->options.out_layout);
    query->type = winnow__type(a->key_type);
    return status;
}

/* ------------------------------------------------------------------ ranges */

#define NAMES(NAME)                                                            \
    {                                                                          \
        NAME "[0]", NAME "[1]", NAME "[2]", NAME "[3]", NAME "[4]",            \
            NAME "[5]", NAME "[6]", NAME "[7]", NAME "[8]", NAME "[9]",        \
            NAME "[10]", NAME "[11]", NAME "[12]", NAME "[13]", NAME "[14]",   \
            NAME "[15]"                                                        \
    }

static int columns(const winnow__accumulation *a, winnow_layout layout,
                   const char *const names[], const void *const *starts,
                   uint64_t items, const char *measure, bool written,
                   winnow__range *list) {
    const unsigned number = winnow__columns(a, layout);
    for (unsigned j = 0; j < number; j++)
        list[j] = (winnow__range){.name = names[j],
                                  .start = starts != NULL ? starts[j] : NULL,
                                  .bytes = items * winnow__stride(a, layout) *
                                           a->value_type->size,
                                  .alignment = a->value_type->size,
                                  .wanted = items != 0,
                                  .measure = measure,
                                  .written = written};
    return (int)number;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    static const char *const value_names[] = NAMES("d_values");
    static const char *const out_names[] = NAMES("d_out");
    const winnow__accumulation *const a = call->query.details;
    const winnow__accumulated *const memory = call->memory;
    const winnow_accumulate_options *const options = &a->options;
    int number = 0;
    list[number] = winnow__input_range(call);
    list[number++].name = "d_keys";
    number += columns(a, options->values_layout, value_names, memory->values,
                      call->query.n, "n", false, list + number);
    number += columns(a, options->out_layout, out_names,
                      (const void *const *)memory->out, a->key_bound,
                      "key_bound", true, list + number);
    list[number] = winnow__result_range("d_beyond", memory->beyond,
                                        sizeof *memory->beyond);
    list[number++].wanted = false;
    return number;
}

const winnow__operation winnow__accumulate_operation = {
    .without_predicate = true,
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
    return take_options(options, &a->options);
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
