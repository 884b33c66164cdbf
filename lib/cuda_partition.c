/*
 * partition_by_key on a GPU: how many passes, in which chunks, with what
 * memory; and its kernels (kernels/partition.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_launch.h"
#include "cuda_memory.h"
#include "partition.h"

#include "kernels/partition.h"

enum {
    COLUMNS = WINNOW__PARTITION_COLUMNS,
    PASSES = 2,
    /* Chunks of one multiprocessor: blocks of which it holds two at a time. */
    CHUNKS = 4,
    /* The bits of a digit where there are two passes, at most. */
    TWO_PASS_BITS = 8,
    ALIGNMENT = 256,
    OFFSETS_PER_BLOCK = 256
};

/* The kernels count a chunk in 32 bits. */
static const uint64_t most_chunk = UINT64_C(1) << 31;

static const winnow__partition *details(const winnow__query *query) {
    return query->details;
}

/* How a call is done: the same for all addresses. */
typedef struct shape {
    unsigned passes;
    unsigned low_bits; /* of the first digit, where there are two */
    unsigned kind;     /* class of digits */
    bool wide_keys;
    uint64_t chunk_items;
    unsigned chunks[PASSES];
    /* Offsets in the workspace. */
    size_t table, totals, offsets[PASSES], first_chunk, keys, columns[COLUMNS];
    size_t bytes;
} shape;

static unsigned digits_of(const shape *s) {
    static const unsigned digits[WINNOW__PARTITION_CLASSES] = {16, 256, 1024};
    return digits[s->kind];
}

static const winnow__kernel *scatter_kernel(const shape *s) {
    return &winnow__partition_scatter[s->wide_keys][s->kind];
}

/* Of shared memory: what does not depend on the columns' widths. */
static unsigned fixed_bytes(const winnow__query *query, const shape *s) {
    return details(query)->column_count != 0
               ? winnow__partition_columns_bytes[s->wide_keys][s->kind]
               : scatter_kernel(s)->shared_bytes;
}

/* The buffer holds the keys of a tile at least. Wider columns are staged at
 * once if two blocks have room for that. */
static unsigned buffer_bytes(const winnow__query *query, const shape *s) {
    const winnow__cuda_context *const context =
        (const winnow__cuda_context *)query->context;
    const winnow__partition *const p = details(query);
    const winnow__kernel *const kernel = scatter_kernel(s);
    const unsigned items = kernel->tile_bytes / kernel->vector_bytes;
    unsigned width = kernel->vector_bytes;
    for (uint32_t c = 0; c < p->column_count; c++)
        if (p->columns[c].element_bytes > width)
            width = WINNOW__PARTITION_WIDTH;
    return fixed_bytes(query, s) + items * width <= context->shared_bytes / 2
               ? items * width
               : kernel->tile_bytes;
}

/* ------------------------------------------------------------------- plan */

static unsigned bits_of(uint32_t parts) {
    unsigned bits = 1;
    while ((parts - 1) >> bits != 0)
        bits++;
    return bits;
}

static void choose_passes(const winnow__query *query, shape *s) {
    const winnow__cuda_context *const context =
        (const winnow__cuda_context *)query->context;
    const unsigned bits = bits_of(details(query)->parts);
    s->passes = 1;
    s->kind = bits <= 4 ? 0 : bits <= 8 ? 1 : 2;
    if (s->kind < 2)
        return;
    if (UINT32_C(1) << bits <= WINNOW__PARTITION_MOST_DIGITS &&
        fixed_bytes(query, s) + scatter_kernel(s)->tile_bytes <=
            context->shared_bytes)
        return;
    s->passes = 2;
    s->kind = 1;
    s->low_bits = bits / 2;
    if (bits - s->low_bits > TWO_PASS_BITS)
        s->low_bits = bits - TWO_PASS_BITS;
}

static uint64_t divide_up(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}

static void cut(const winnow__query *query, shape *s) {
    const winnow__cuda_context *const context =
        (const winnow__cuda_context *)query->context;
    const winnow__kernel *const kernel = scatter_kernel(s);
    const uint64_t items = kernel->tile_bytes / kernel->vector_bytes;
    const uint64_t tiles = divide_up(query->n, items);
    uint64_t each =
        divide_up(tiles, (uint64_t)context->multiprocessors * CHUNKS);
    if (each == 0)
        each = 1;
    if (each > most_chunk / items)
        each = most_chunk / items;
    s->chunk_items = each * items;
    s->chunks[0] = tiles == 0 ? 1 : (unsigned)divide_up(tiles, each);
    /* Each segment's last chunk may be a short one. */
    s->chunks[1] = s->chunks[0] + (1u << s->low_bits);
}

static size_t reserve(shape *s, uint64_t bytes) {
    const size_t start = s->bytes;
    s->bytes += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return start;
}

static void lay_out(const winnow__query *query, shape *s) {
    const winnow__partition *const p = details(query);
    const uint64_t row = (uint64_t)digits_of(s) * sizeof(uint64_t);
    s->bytes = 0;
    s->table = reserve(s, s->chunks[s->passes - 1] * row);
    s->totals = reserve(s, row);
    if (s->passes == 1)
        return;
    for (unsigned i = 0; i < PASSES; i++)
        s->offsets[i] = reserve(s, row + sizeof(uint64_t));
    s->first_chunk =
        reserve(s, ((UINT64_C(1) << s->low_bits) + 1) * sizeof(uint32_t));
    s->keys = reserve(s, query->n * query->type->size);
    for (uint32_t c = 0; c < p->column_count; c++)
        s->columns[c] = reserve(s, query->n * p->columns[c].element_bytes);
}

static shape shape_of(const winnow__query *query) {
    shape s = {.wide_keys = query->type->size == 8};
    choose_passes(query, &s);
    cut(query, &s);
    lay_out(query, &s);
    return s;
}

winnow_status
winnow__cuda_partition_plan(const winnow__query *query,
                            const winnow__constraints *constraints,
                            winnow__plan *plan) {
    (void)constraints;
    winnow__plan_several(shape_of(query).bytes, plan);
    return WINNOW_OK;
}

/* ---------------------------------------------------------------- enqueue */

/* The kernels take columns in the order of their widths. */
static void sort_columns(const winnow__partition *p, uint32_t order[COLUMNS]) {
    uint32_t number = 0;
    for (size_t width = 1; width <= 16; width *= 2)
        for (uint32_t c = 0; c < p->column_count; c++)
            if (p->columns[c].element_bytes == width)
                order[number++] = c;
}

/* What all passes have in common. */
static winnow__partition_args arguments(const winnow__call *call,
                                        const shape *s, char *memory) {
    const winnow__partition *const p = details(&call->query);
    return (winnow__partition_args){
        .n = call->query.n,
        .mask = winnow__partition_mask(p),
        .shift = p->shift,
        .parts = p->parts,
        .chunk_items = s->chunk_items,
        .buffer_bytes = buffer_bytes(&call->query, s),
        .table = (unsigned long long *)(void *)(memory + s->table),
        .totals = (unsigned long long *)(void *)(memory + s->totals),
        .moves = p->column_count};
}

/* From the call's memory to `to`, or from `from` to the call's; NULL: the
 * call's. The workspace has columns of its own. */
static void set_columns(const winnow__call *call, const shape *s, char *from,
                        char *to, winnow__partition_args *args) {
    const winnow__partition *const p = details(&call->query);
    const winnow__partition_memory *const memory = call->memory;
    uint32_t order[COLUMNS];
    sort_columns(p, order);
    args->keys = from != NULL ? from + s->keys : call->in;
    args->keys_out = to != NULL ? to + s->keys : memory->keys_out;
    for (uint32_t i = 0; i < p->column_count; i++) {
        const winnow_partition_column *const column = &p->columns[order[i]];
        const size_t there = s->columns[order[i]];
        args->move[i] = (winnow__partition_move){
            .in = from != NULL ? from + there : column->d_in,
            .out = to != NULL ? to + there : column->d_out,
            .bytes = column->element_bytes};
    }
}

static winnow_status launch_scatter(const winnow__call *call, const shape *s,
                                    const winnow__partition_args *args) {
    winnow__kernel kernel = *scatter_kernel(s);
    kernel.shared_bytes = fixed_bytes(&call->query, s) + args->buffer_bytes;
    winnow_status status = winnow__cuda_status(
        cudaFuncSetAttribute(kernel.function,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)kernel.shared_bytes),
        "preparing a kernel");
    return status == WINNOW_OK
               ? winnow__launch(&kernel, args->chunks, args, call->stream)
               : status;
}

static winnow_status launch_pass(const winnow__call *call, const shape *s,
                                 const winnow__partition_args *args) {
    const unsigned scans = (digits_of(s) + WINNOW__PARTITION_SCAN_DIGITS - 1) /
                           WINNOW__PARTITION_SCAN_DIGITS;
    winnow_status status =
        winnow__launch(&winnow__partition_count[s->wide_keys][s->kind],
                       args->chunks, args, call->stream);
    if (status == WINNOW_OK)
        status = winnow__launch(&winnow__partition_scan[s->kind], scans, args,
                                call->stream);
    return status == WINNOW_OK ? launch_scatter(call, s, args) : status;
}

static winnow_status enqueue_one(const winnow__call *call, const shape *s,
                                 char *memory) {
    const winnow__partition *const p = details(&call->query);
    const winnow__partition_memory *const results = call->memory;
    winnow__partition_args args = arguments(call, s, memory);
    args.digit_mask = UINT32_MAX;
    args.digits = p->parts;
    args.chunks = s->chunks[0];
    args.offsets = (unsigned long long *)results->offsets;
    set_columns(call, s, NULL, NULL, &args);
    return launch_pass(call, s, &args);
}

static winnow_status enqueue_low(const winnow__call *call, const shape *s,
                                 char *memory) {
    winnow__partition_args args = arguments(call, s, memory);
    args.digits = 1u << s->low_bits;
    args.digit_mask = args.digits - 1;
    args.chunks = s->chunks[0];
    args.offsets = (unsigned long long *)(void *)(memory + s->offsets[0]);
    set_columns(call, s, NULL, memory, &args);
    return launch_pass(call, s, &args);
}

static winnow_status enqueue_high(const winnow__call *call, const shape *s,
                                  char *memory) {
    const winnow__partition *const p = details(&call->query);
    const winnow__partition_memory *const results = call->memory;
    winnow__partition_args args = arguments(call, s, memory);
    args.digits = ((p->parts - 1) >> s->low_bits) + 1;
    args.digit_shift = s->low_bits;
    args.digit_mask = UINT32_MAX;
    args.chunks = s->chunks[1];
    args.segments = 1u << s->low_bits;
    args.segment_offsets =
        (unsigned long long *)(void *)(memory + s->offsets[0]);
    args.first_chunk = (uint32_t *)(void *)(memory + s->first_chunk);
    args.offsets = (unsigned long long *)(void *)(memory + s->offsets[1]);
    args.part_offsets = (unsigned long long *)results->offsets;
    set_columns(call, s, memory, NULL, &args);
    winnow_status status =
        winnow__launch(&winnow__partition_cut, 1, &args, call->stream);
    if (status == WINNOW_OK)
        status = launch_pass(call, s, &args);
    if (status == WINNOW_OK)
        status = winnow__launch(&winnow__partition_offsets,
                                p->parts / OFFSETS_PER_BLOCK + 1, &args,
                                call->stream);
    return status;
}

static winnow_status enqueue_counts(const winnow__call *call, const shape *s,
                                    char *memory) {
    const winnow__partition *const p = details(&call->query);
    const winnow__partition_memory *const results = call->memory;
    winnow__partition_args args = arguments(call, s, memory);
    args.part_offsets = (unsigned long long *)results->offsets;
    args.part_counts = (unsigned long long *)results->counts;
    return winnow__launch(&winnow__partition_counts,
                          p->parts / OFFSETS_PER_BLOCK + 1, &args,
                          call->stream);
}

winnow_status winnow__cuda_partition_enqueue(const winnow__call *call,
                                             const winnow__plan *plan,
                                             const winnow__workspace *memory) {
    const shape s = shape_of(&call->query);
    const winnow__partition_memory *const results = call->memory;
    winnow_status status;
    (void)plan;
    if (s.passes == 1) {
        status = enqueue_one(call, &s, memory->rest);
    } else {
        status = enqueue_low(call, &s, memory->rest);
        if (status == WINNOW_OK)
            status = enqueue_high(call, &s, memory->rest);
    }
    return status == WINNOW_OK && results->counts != NULL
               ? enqueue_counts(call, &s, memory->rest)
               : status;
}
