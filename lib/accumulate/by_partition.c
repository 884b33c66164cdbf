/*
 * Sums by key of very many keys: how the keys are partitioned before they are
 * added, with what memory; and the kernels for it.
 *
 * It is a partition_by_key into ranges of 2^shift keys. Its workspace has the
 * offsets of the parts, the keys, what goes with them, and the partition's own.
 * With the keys go their values. Interleaved values of several components are
 * no columns; there the items' numbers go with the keys, and the sums read the
 * values where they are.
 *
 * Keys beyond the bound fall into the last part, or into none, by partition's
 * rule; the sums count both.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "by_partition.h"
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "partition/details.h"

enum {
    /* What a range of keys takes of the L2 cache for its sums, at most, where
     * MOST_PARTS allow it: several are added to at a time. Not measured. */
    RANGES_IN_CACHE = 8,
    /* Fewer are hardly faster, as keys may be dropped:
     * kernels/partition/scatter.cu has the same kernel for up to 32 parts then.
     * More take two passes. */
    LEAST_PARTS = 16,
    MOST_PARTS = 256,
    ALIGNMENT = 256,
    /* Blocks that write numbers, for each multiprocessor. */
    NUMBER_BLOCKS = 8
};

_Static_assert((int)WINNOW__MOST_COMPONENTS <= WINNOW_PARTITION_MOST_COLUMNS,
               "a column for each component");

typedef struct shape {
    winnow__query query; /* of the partition; details: `partition` */
    winnow__plan plan;
    winnow__partition partition;
    winnow_partition_column columns[WINNOW_PARTITION_MOST_COLUMNS];
    bool numbered; /* columns[0] is the items' numbers */
    bool wide;     /* they are of 8 bytes, not 4 */
    /* Offsets in the workspace. */
    size_t offsets, keys, numbers, moved[WINNOW_PARTITION_MOST_COLUMNS], rest;
    size_t bytes;
} shape;

/* ------------------------------------------------------------------- plan */

/* Of a bound that is not 0. A key may be too narrow for it. */
static uint64_t last_key(const winnow__accumulation *a) {
    const uint64_t most =
        a->key_type == WINNOW_UINT32 ? UINT32_MAX : UINT64_MAX;
    return a->key_bound - 1 < most ? a->key_bound - 1 : most;
}

/* The largest ranges of which RANGES_IN_CACHE fit, within the limits of how
 * many they are. */
static void choose_ranges(const winnow__query *query, winnow__partition *p) {
    const winnow__accumulation *const a = query->details;
    const winnow__cuda_context *const context =
        (const winnow__cuda_context *)query->context;
    const uint64_t sums = (uint64_t)a->components * a->value_type->size;
    const uint64_t keys = context->cache_bytes / RANGES_IN_CACHE / sums;
    const uint64_t last = last_key(a);
    p->shift = 0;
    while (last >> p->shift >= MOST_PARTS ||
           (last >> p->shift >= LEAST_PARTS && UINT64_C(2) << p->shift <= keys))
        p->shift++;
    p->parts = (uint32_t)(last >> p->shift) + 1;
    if (p->parts < 2) /* the least there can be */
        p->parts = 2;
}

static void choose_columns(const winnow__query *query, shape *s) {
    const winnow__accumulation *const a = query->details;
    const winnow__cuda_context *const context =
        (const winnow__cuda_context *)query->context;
    s->numbered =
        a->components > 1 && a->options.values_layout == WINNOW_INTERLEAVED;
    s->wide = query->n > context->narrow_items;
    s->partition.columns = s->columns;
    s->partition.column_count = s->numbered ? 1 : a->components;
    for (uint32_t c = 0; c < s->partition.column_count; c++)
        s->columns[c].element_bytes = !s->numbered ? a->value_type->size
                                      : s->wide    ? 8
                                                   : 4;
}

static size_t reserve(shape *s, uint64_t bytes) {
    const size_t start = s->bytes;
    s->bytes += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return start;
}

static void lay_out(shape *s, size_t rest) {
    const uint64_t n = s->query.n;
    const uint64_t column = n * s->columns[0].element_bytes;
    s->bytes = 0;
    s->offsets = reserve(s, (s->partition.parts + 1) * sizeof(uint64_t));
    s->keys = reserve(s, n * s->query.type->size);
    for (uint32_t c = 0; c < s->partition.column_count; c++)
        s->moved[c] = reserve(s, column);
    if (s->numbered)
        s->numbers = reserve(s, column);
    s->rest = reserve(s, rest);
}

/* *s is not copied: its members point to each other. The partition's plan has
 * no memory but `other`; the cursor is the sums'. */
static winnow_status prepare(const winnow__query *query, shape *s) {
    const winnow__accumulation *const a = query->details;
    const winnow__constraints none = {0};
    *s = (shape){.query = {.operation = &winnow__partition_operation,
                           .context = query->context,
                           .n = query->n,
                           .options = WINNOW_OPTIONS_INIT,
                           .details = &s->partition},
                 /* Keys beyond the bound are dropped. */
                 .partition = {.key_type = a->key_type, .counted = true}};
    choose_ranges(query, &s->partition);
    choose_columns(query, s);
    winnow_status status = s->query.operation->check(&s->query);
    if (status == WINNOW_OK)
        status = s->query.operation->plan(&s->query, &none, &s->plan);
    if (status == WINNOW_OK)
        lay_out(s, s->plan.other);
    return status;
}

/* Without keys, or sums, there is nothing to bring together. */
static bool is_needed(const winnow__query *query) {
    const winnow__accumulation *const a = query->details;
    return query->n != 0 && a->key_bound != 0;
}

winnow_status winnow__accumulate_partition_plan(const winnow__query *query,
                                                size_t *bytes_p) {
    shape s;
    *bytes_p = 0;
    if (!is_needed(query))
        return WINNOW_OK;
    winnow_status status = prepare(query, &s);
    if (status == WINNOW_OK)
        *bytes_p = s.bytes;
    return status;
}

/* ---------------------------------------------------------------- enqueue */

static winnow_status enqueue_numbers(const winnow__call *call, const shape *s,
                                     char *memory) {
    const winnow__cuda_context *const context =
        (const winnow__cuda_context *)call->query.context;
    const winnow__kernel *const kernel = &winnow__accumulate_number[s->wide];
    const winnow__accumulate_number_args args = {.numbers = memory + s->numbers,
                                                 .n = s->query.n};
    const uint64_t wanted = s->query.n / kernel->threads + 1;
    const uint64_t most = (uint64_t)NUMBER_BLOCKS * context->multiprocessors;
    return winnow__launch_overlapping(
        call, kernel, (unsigned)(wanted < most ? wanted : most), &args);
}

static winnow_status enqueue_partition(const winnow__call *call, shape *s,
                                       char *memory) {
    const winnow__accumulation *const a = call->query.details;
    const winnow__accumulated *const arrays = call->memory;
    const winnow__workspace rest = {.rest = memory + s->rest,
                                    .other = memory + s->rest};
    const winnow__partition_memory results = {
        .keys_out = memory + s->keys,
        .offsets = (uint64_t *)(void *)(memory + s->offsets)};
    const winnow__call partition = {.query = s->query,
                                    .in = call->in,
                                    .memory = &results,
                                    .stream = call->stream};
    for (uint32_t c = 0; c < s->partition.column_count; c++) {
        s->columns[c].d_in =
            s->numbered ? memory + s->numbers
                        : winnow__component(a, a->options.values_layout,
                                            arrays->values, c);
        s->columns[c].d_out = memory + s->moved[c];
    }
    return s->query.operation->enqueue(&partition, &s->plan, &rest);
}

static void set_arguments(const shape *s, char *memory,
                          winnow__accumulate_args *args) {
    args->keys = memory + s->keys;
    args->present = (unsigned long long *)(void *)(memory + s->offsets) +
                    s->partition.parts;
    if (s->numbered) {
        args->items = memory + s->moved[0];
        args->wide_items = s->wide;
        return;
    }
    for (uint32_t c = 0; c < s->partition.column_count; c++) /* stride: 1 */
        args->values[c] = memory + s->moved[c];
}

winnow_status
winnow__accumulate_partition_enqueue(const winnow__call *call, void *memory,
                                     winnow__accumulate_args *args) {
    shape s;
    if (!is_needed(&call->query))
        return WINNOW_OK;
    winnow_status status = prepare(&call->query, &s);
    if (status == WINNOW_OK && s.numbered)
        status = enqueue_numbers(call, &s, memory);
    if (status == WINNOW_OK)
        status = enqueue_partition(call, &s, memory);
    if (status == WINNOW_OK)
        set_arguments(&s, memory, args);
    return status;
}
