/*
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "details.h"
#include "core/status.h"

enum {
    COLUMNS = WINNOW_PARTITION_MOST_COLUMNS,
    WIDEST = 16 /* bytes of an element */
};

static const winnow__partition *details(const winnow__query *query) {
    return query->details;
}

uint64_t winnow__partition_mask(const winnow__partition *partition) {
    return partition->bits == 0 || partition->bits >= 64
               ? UINT64_MAX
               : (UINT64_C(1) << partition->bits) - 1;
}

/* ----------------------------------------------------------------- checks */

static winnow_status check_field(const winnow__partition *p) {
    const unsigned width = 8 * (unsigned)winnow_type_size(p->key_type);
    if (p->shift >= width || p->bits > width - p->shift)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "shift is %u and bits is %u: a key has %u bits",
                            (unsigned)p->shift, (unsigned)p->bits, width);
    if (p->parts < 2 || p->parts > WINNOW_PARTITION_MOST_PARTS)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "parts is %u: wanted 2 to %u",
                            (unsigned)p->parts, WINNOW_PARTITION_MOST_PARTS);
    return WINNOW_OK;
}

static winnow_status check_columns(const winnow__partition *p) {
    if (p->column_count > COLUMNS)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "column_count is %u: wanted at most %d",
                            (unsigned)p->column_count, COLUMNS);
    if (p->column_count != 0 && p->columns == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "columns is NULL, and column_count is %u",
                            (unsigned)p->column_count);
    for (uint32_t c = 0; c < p->column_count; c++) {
        const size_t bytes = p->columns[c].element_bytes;
        if (bytes == 0 || bytes > WIDEST || (bytes & (bytes - 1)) != 0)
            return winnow__fail(WINNOW_ERR_ARGUMENT,
                                "columns[%u].element_bytes is %zu: wanted 1, "
                                "2, 4, 8 or 16",
                                (unsigned)c, bytes);
    }
    return WINNOW_OK;
}

static winnow_status check_options(const winnow__query *query) {
    const winnow_options *const options = &query->options;
    if (options->strategy != WINNOW_AUTO && options->strategy != WINNOW_HOST)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "options->strategy is %s: partition_by_key has "
                            "WINNOW_AUTO alone",
                            winnow_strategy_name(options->strategy));
    if (options->d_strategy != NULL)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "options->d_strategy is not NULL: "
                            "partition_by_key reports no strategy");
    if (options->capacity < query->n)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "options->capacity is %llu, and n is %llu: "
                            "partition_by_key cuts no output",
                            (unsigned long long)options->capacity,
                            (unsigned long long)query->n);
    return WINNOW_OK;
}

/* Room in the address space for all that a call reads, writes and keeps. */
static winnow_status check_size(const winnow__query *query) {
    const uint64_t most = UINTPTR_MAX / (2 * WIDEST * (COLUMNS + 1));
    if (query->n > most)
        return winnow__fail(
            WINNOW_ERR_ARGUMENT, "n is %llu: wanted at most %llu",
            (unsigned long long)query->n, (unsigned long long)most);
    return WINNOW_OK;
}

static winnow_status check(winnow__query *query) {
    const winnow__partition *const p = details(query);
    if (p->key_type != WINNOW_UINT32 && p->key_type != WINNOW_UINT64)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "key_type %d is neither WINNOW_UINT32 nor "
                            "WINNOW_UINT64",
                            (int)p->key_type);
    query->type = winnow__type(p->key_type);
    winnow_status status = check_field(p);
    if (status == WINNOW_OK)
        status = check_columns(p);
    if (status == WINNOW_OK)
        status = check_options(query);
    return status == WINNOW_OK ? check_size(query) : status;
}

/* ----------------------------------------------------------------- ranges */

static winnow__range column_range(const winnow__call *call, const char *name,
                                  const void *start, size_t element_bytes,
                                  bool written) {
    return (winnow__range){.name = name,
                           .start = start,
                           .bytes = call->query.n * element_bytes,
                           .alignment = (unsigned)element_bytes,
                           .wanted = call->query.n != 0,
                           .measure = "n",
                           .written = written};
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const winnow__partition *const p = details(&call->query);
    const winnow__partition_memory *const memory = call->memory;
    const unsigned key_bytes = call->query.type->size;
    int number = 0;
    list[number++] = column_range(call, "d_keys", call->in, key_bytes, false);
    list[number] =
        column_range(call, "d_keys_out", memory->keys_out, key_bytes, true);
    list[number++].wanted = false;
    for (uint32_t c = 0; c < p->column_count; c++) {
        const winnow_partition_column *const column = &p->columns[c];
        for (int out = 0; out < 2; out++) {
            list[number] = column_range(call, "columns",
                                        out ? column->d_out : column->d_in,
                                        column->element_bytes, out);
            list[number].number = c + 1;
            list[number++].member = out ? "d_out" : "d_in";
        }
    }
    list[number] = column_range(call, "d_offsets", memory->offsets,
                                sizeof *memory->offsets, true);
    list[number].bytes = (p->parts + UINT64_C(1)) * sizeof *memory->offsets;
    list[number].measure = "parts";
    list[number++].wanted = true;
    list[number] = column_range(call, "d_counts", memory->counts,
                                sizeof *memory->counts, true);
    list[number].bytes = p->parts * sizeof *memory->counts;
    list[number].measure = "parts";
    list[number++].wanted = false;
    return number;
}

static const winnow__operation operation = {
    .predicate = WINNOW__NO_PREDICATE,
    .check = check,
    .ranges = ranges,
    .run_on_host = winnow__host_partition,
    .plan = WINNOW__IF_CUDA(winnow__cuda_partition_plan),
    .enqueue = WINNOW__IF_CUDA(winnow__cuda_partition_enqueue),
};

/* -------------------------------------------------------------------- API */

winnow_status winnow_partition_by_key_workspace(
    winnow_context *context, winnow_type key_type, uint64_t n, uint32_t parts,
    const winnow_partition_column *columns, uint32_t column_count,
    const winnow_options *options, size_t *bytes_p) {
    const winnow__partition partition = {.key_type = key_type,
                                         .parts = parts,
                                         .columns = columns,
                                         .column_count = column_count};
    winnow__query query = {.operation = &operation,
                           .context = context,
                           .n = n,
                           .details = &partition};
    return winnow__query_workspace(&query, options, bytes_p);
}

winnow_status winnow_partition_by_key(
    winnow_context *context, winnow_type key_type, const void *d_keys,
    uint64_t n, uint32_t shift, uint32_t bits, uint32_t parts, void *d_keys_out,
    const winnow_partition_column *columns, uint32_t column_count,
    uint64_t *d_offsets, uint64_t *d_counts, const winnow_options *options,
    void *d_workspace, size_t workspace_bytes, winnow_stream stream) {
    const winnow__partition partition = {.key_type = key_type,
                                         .shift = shift,
                                         .bits = bits,
                                         .parts = parts,
                                         .columns = columns,
                                         .column_count = column_count};
    const winnow__partition_memory memory = {
        .keys_out = d_keys_out, .offsets = d_offsets, .counts = d_counts};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = &partition},
                         .in = d_keys,
                         .memory = &memory,
                         .workspace = d_workspace,
                         .workspace_bytes = workspace_bytes,
                         .stream = stream};
    return winnow__do(&call, options);
}
