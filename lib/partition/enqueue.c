/*
 * partition_by_key on a GPU: its kernels (kernels/partition/args.h), in the
 * shape that lib/partition/plan.c chooses.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "plan.h"

#include "kernels/core/clear.h"

enum {
    COLUMNS = WINNOW__PARTITION_COLUMNS,
    /* Lanes of a warp: 2^5. */
    LANE_BITS = 5,
    /* Static shared memory of a block that scatters by tiles, at most. */
    STATIC_SHARED_BYTES = 256,
    OFFSETS_PER_BLOCK = 256,
    /* Blocks on a multiprocessor that take the sample, and that move displaced
     * items. */
    SAMPLE_BLOCKS = 2,
    REPAIR_BLOCKS = 2
};

typedef winnow__partition_shape shape;

static const winnow__partition *details(const winnow__query *query) {
    return query->details;
}

winnow_status
winnow__cuda_partition_plan(const winnow__query *query,
                            const winnow__constraints *constraints,
                            winnow__plan *plan) {
    (void)constraints;
    winnow__plan_several(winnow__partition_shape_of(query).bytes, plan);
    return WINNOW_OK;
}

/* The greatest value of a field that lies in a key. */
static uint64_t greatest_field(const winnow__call *call) {
    const winnow__partition *const p = details(&call->query);
    const unsigned width = 8 * call->query.type->size;
    return winnow__partition_mask(p) & UINT64_MAX >> (64 - width) >> p->shift;
}

/* May a key of the call's have no part? */
static bool drops(const winnow__call *call) {
    return greatest_field(call) >= details(&call->query)->parts;
}

/* The kernels take columns in the order of their widths. */
static void sort_columns(const winnow__partition *p, uint32_t order[COLUMNS]) {
    uint32_t number = 0;
    for (size_t width = 1; width <= 16; width *= 2)
        for (uint32_t c = 0; c < p->column_count; c++)
            if (p->columns[c].element_bytes == width)
                order[number++] = c;
}

/* As many counters of a digit as there is room for, but one for each lane. */
static uint32_t spread_of(unsigned bits) {
    uint32_t spread = 0;
    while (spread < LANE_BITS &&
           (UINT32_C(2) << (bits + spread)) <= WINNOW__PARTITION_BINS)
        spread++;
    return spread;
}

/* Where the pass's digit begins in a part. The lowest one comes first, but
 * where all parts are counted before two passes. */
static unsigned low_bit(const shape *s, unsigned pass) {
    unsigned bits = 0;
    if (s->by_parts.ahead)
        return pass == 0 ? s->bits[1] : 0;
    for (unsigned i = 0; i < pass; i++)
        bits += s->bits[i];
    return bits;
}

/* Of a pass over its digit. */
static winnow__partition_args arguments(const winnow__call *call,
                                        const shape *s, unsigned pass,
                                        char *memory) {
    const winnow__partition *const p = details(&call->query);
    const unsigned low = low_bit(s, pass);
    const uint64_t greatest = greatest_field(call) >> low;
    /* A digit above the key is 0. */
    const bool beyond = p->shift + low >= 8 * call->query.type->size;
    const uint32_t row = winnow__shape_digits(s, pass);
    return (winnow__partition_args){
        .n = call->query.n,
        .mask = winnow__partition_mask(p),
        .shift = p->shift,
        .parts = p->parts,
        .drops = pass == 0 && drops(call),
        .digit_shift = beyond ? 0 : p->shift + low,
        .digit_mask = beyond ? 0 : (uint32_t)greatest & (row - 1),
        .row = row,
        .chunks = s->chunks[pass],
        .few_chunks = s->few_chunks[pass],
        .blocks =
            (uint32_t)winnow__shape_resident(&call->query, s, pass, false),
        .tile_items = (uint32_t)s->tile_items[pass],
        .spread = spread_of(s->bits[pass]),
        .chunk_items = s->chunk_items,
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

/* What is known of parts, and what blocks exchange. */
static void set_parts(const winnow__call *call, const shape *s, char *memory,
                      winnow__partition_args *args) {
    const uint32_t parts = details(&call->query)->parts;
    if (!s->exact && s->passes == 2)
        return;
    args->part_items = (void *)(memory + s->by_parts.items);
    args->part_groups = (void *)(args->part_items + parts);
    args->part_rest = args->part_groups + parts;
    args->part_begins = (void *)(memory + s->by_parts.begins);
}

/* Of the first pass: where spare rows are. */
static void set_estimate(const winnow__call *call, const shape *s, char *memory,
                         winnow__partition_args *args) {
    const winnow__partition *const p = details(&call->query);
    const winnow__partition_by_estimate *const e = &s->estimate;
    uint32_t order[COLUMNS];
    if (!s->estimated || args->drops)
        return;
    sort_columns(p, order);
    args->estimate = (void *)(memory + e->exchange);
    args->spare_keys = memory + e->spare_keys;
    args->sampled_one_in = e->sampled_one_in;
    args->spare_left_over = (uint32_t)e->spare_left_over;
    args->spare_items = e->spare_items;
    args->group = e->group;
    args->key_bytes = call->query.type->size;
    for (uint32_t i = 0; i < p->column_count; i++)
        args->move[i].spare = memory + e->spare[order[i]];
}

/* The dynamic shared memory that any call of the kernel takes, at most. */
static uint64_t most_shared(const winnow__call *call, const shape *s,
                            unsigned pass, const winnow__kernel *kernel) {
    const winnow__cuda_context *const context =
        winnow__cuda(call->query.context);
    return winnow__shape_by_tiles(s, pass)
               ? context->shared_bytes - STATIC_SHARED_BYTES
               : kernel->shared_bytes +
                     s->tile_items[pass] * WINNOW__PARTITION_WIDTH;
}

/* CUDA has to be told of so much. It is the same for all calls of a kernel,
 * since those of other threads may be at it, too. */
static winnow_status allow_shared(const winnow__kernel *kernel,
                                  uint64_t bytes) {
    return winnow__cuda_status(
        cudaFuncSetAttribute(kernel->function,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)bytes),
        "preparing a kernel");
}

/* The same for all kernels of a call, before anything is enqueued. */
static winnow_status allow_all(const winnow__call *call, const shape *s) {
    const winnow__cuda_context *const context =
        winnow__cuda(call->query.context);
    const uint64_t most = context->shared_bytes - STATIC_SHARED_BYTES;
    winnow_status status = WINNOW_OK;
    for (unsigned i = 0; i < s->passes && status == WINNOW_OK; i++) {
        const winnow__kernel *const kernel =
            winnow__shape_scatter(s, i, i == 0 && drops(call));
        status = s->exact && (i == 1 || s->by_parts.ahead)
                     ? allow_shared(s->by_parts.kernel, most)
                     : allow_shared(kernel, most_shared(call, s, i, kernel));
    }
    if (status == WINNOW_OK && (s->by_parts.ahead || s->passes > 2))
        status =
            allow_shared(&winnow__partition_count_parts[s->wide_keys], most);
    else if (status == WINNOW_OK && s->exact)
        status =
            allow_shared(&winnow__partition_count[s->wide_keys],
                         WINNOW__PARTITION_COUNTED_PARTS * sizeof(uint32_t));
    return status == WINNOW_OK && s->estimated
               ? allow_shared(s->estimate.kernel, most)
               : status;
}

/* A block for each chunk, or as many as run together. */
static unsigned scatter_blocks(const winnow__call *call, const shape *s,
                               unsigned pass,
                               const winnow__partition_args *args) {
    const uint64_t blocks =
        winnow__shape_resident(&call->query, s, pass, args->drops != 0);
    return winnow__shape_by_tiles(s, pass) && blocks < args->chunks
               ? (unsigned)blocks
               : args->chunks;
}

/* The next columns that a launch moves, from `first` on: as many as it has room
 * for. */
static void set_batch(const winnow__partition_args *args, unsigned first,
                      unsigned most_bytes, winnow__partition_args *batch) {
    uint64_t bytes = 0;
    unsigned i = first;
    for (; i < args->moves && bytes + args->move[i].bytes <= most_bytes; i++) {
        batch->move[i - first] = args->move[i];
        bytes += args->move[i].bytes;
    }
    batch->moves = i - first;
}

/* The keys are written with the first columns. */
static winnow_status launch_scatter(const winnow__call *call, const shape *s,
                                    unsigned pass,
                                    const winnow__partition_args *args) {
    winnow__kernel kernel = *winnow__shape_scatter(s, pass, args->drops != 0);
    winnow__partition_args batch = *args;
    winnow_status status;
    unsigned first = 0;
    kernel.shared_bytes += winnow__shape_more_shared(s, pass);
    do {
        set_batch(args, first, s->batch_bytes[pass], &batch);
        status = winnow__launch_overlapping(
            call, &kernel, scatter_blocks(call, s, pass, args), &batch);
        first += batch.moves;
        batch.keys_out = NULL;
    } while (status == WINNOW_OK && first < args->moves);
    return status;
}

static winnow_status
launch_estimated_scatter(const winnow__call *call, const shape *s,
                         const winnow__partition_args *args) {
    winnow__kernel kernel = *s->estimate.kernel;
    winnow__partition_args tile_args = *args;
    tile_args.part_table = kernel.shared_bytes + s->by_parts.more_shared;
    kernel.shared_bytes += s->estimate.more_shared;
    tile_args.chunks = s->estimate.blocks;
    tile_args.tile_items = s->estimate.tile_items;
    tile_args.next_tile = &args->estimate->exchange.next_tile;
    return winnow__launch_overlapping(call, &kernel, tile_args.chunks,
                                      &tile_args);
}

/* Scatter by an estimate. The kernels that count digits follow. They end at
 * once unless the estimate was bad. */
static winnow_status launch_estimate(const winnow__call *call, const shape *s,
                                     const winnow__partition_args *args) {
    const unsigned multiprocessors = winnow__multiprocessors(&call->query);
    const unsigned blocks = REPAIR_BLOCKS * multiprocessors;
    winnow_status status = winnow__launch_overlapping(
        call, &winnow__partition_sample[s->wide_keys],
        SAMPLE_BLOCKS * multiprocessors, args);
    if (status == WINNOW_OK)
        status = launch_estimated_scatter(call, s, args);
    if (status == WINNOW_OK)
        status = winnow__launch_overlapping(call, &winnow__partition_collect,
                                            blocks, args);
    if (status == WINNOW_OK)
        status = winnow__launch_overlapping(
            call, &winnow__partition_restore[s->wide_keys], blocks, args);
    return status;
}

/* What is zero before the first kernel: the counts of parts, and the exchange
 * of an estimate behind them. */
static winnow_status clear(const winnow__call *call, const shape *s,
                           const winnow__partition_args *args) {
    const bool parts = args->part_items != NULL;
    void *const first = parts ? (void *)args->part_items : args->estimate;
    uint64_t bytes = parts ? s->by_parts.zero_bytes : 0;
    if (args->estimate != NULL)
        bytes += sizeof args->estimate->exchange;
    return bytes == 0
               ? WINNOW_OK
               : winnow__cuda_status(winnow__clear(first, bytes, call->stream),
                                     "launching a kernel");
}

/* Of a pass; of the first one the items of all parts, too, if the second one
 * needs these. */
static winnow_status launch_count(const winnow__call *call, const shape *s,
                                  const winnow__partition_args *args) {
    winnow__kernel kernel = winnow__partition_count[s->wide_keys];
    if (args->part_items != NULL)
        kernel.shared_bytes += s->by_parts.table_bytes;
    return winnow__launch_overlapping(call, &kernel, args->chunks, args);
}

/* From the items of all parts to where each begins. */
static winnow_status launch_sum_parts(const winnow__call *call,
                                      const winnow__partition_args *args) {
    return winnow__launch_overlapping(
        call, &winnow__partition_sum_parts,
        (args->parts - 1) / WINNOW__PARTITION_SUMMED_PARTS + 1, args);
}

static winnow_status launch_pass(const winnow__call *call, const shape *s,
                                 unsigned pass,
                                 const winnow__partition_args *args) {
    const unsigned scans = (args->row + WINNOW__PARTITION_SCAN_DIGITS - 1) /
                           WINNOW__PARTITION_SCAN_DIGITS;
    winnow_status status = WINNOW_OK;
    if (args->estimate != NULL)
        status = launch_estimate(call, s, args);
    if (status == WINNOW_OK)
        status = launch_count(call, s, args);
    if (status == WINNOW_OK)
        status = winnow__launch_overlapping(call, &winnow__partition_scan,
                                            scans, args);
    return status == WINNOW_OK ? launch_scatter(call, s, pass, args) : status;
}

static winnow_status enqueue_one(const winnow__call *call, const shape *s,
                                 char *memory) {
    const winnow__partition_memory *const results = call->memory;
    winnow__partition_args args = arguments(call, s, 0, memory);
    args.digits = details(&call->query)->parts;
    args.offsets = (unsigned long long *)results->offsets;
    set_columns(call, s, NULL, NULL, &args);
    set_estimate(call, s, memory, &args);
    const winnow_status status = clear(call, s, &args);
    return status == WINNOW_OK ? launch_pass(call, s, 0, &args) : status;
}

/* The first pass, over the lower digit. */
static winnow_status enqueue_first(const winnow__call *call, const shape *s,
                                   char *memory) {
    const winnow__partition_memory *const results = call->memory;
    winnow__partition_args args = arguments(call, s, 0, memory);
    args.digits = args.row;
    args.offsets = (unsigned long long *)(void *)(memory + s->offsets[0]);
    args.part_offsets = (unsigned long long *)results->offsets;
    args.parts_of_digit = winnow__shape_digits(s, 1);
    set_columns(call, s, NULL, memory, &args);
    set_estimate(call, s, memory, &args);
    set_parts(call, s, memory, &args);
    const winnow_status status = clear(call, s, &args);
    return status == WINNOW_OK ? launch_pass(call, s, 0, &args) : status;
}

/* As many blocks as run together, or fewer: of the second pass the host does
 * not know how many chunks there are. */
static winnow_status launch_exact(const winnow__call *call, const shape *s,
                                  const winnow__partition_args *args) {
    winnow__kernel kernel = *s->by_parts.kernel;
    const unsigned most =
        WINNOW__PARTITION_TILE_BLOCKS * winnow__multiprocessors(&call->query);
    kernel.shared_bytes += s->by_parts.more_shared;
    return winnow__launch_overlapping(
        call, &kernel, args->chunks < most ? args->chunks : most, args);
}

/* Count the items of all parts, and sum up where each begins. */
static winnow_status launch_count_parts(const winnow__call *call,
                                        const shape *s,
                                        const winnow__partition_args *args) {
    const winnow__partition_by_parts *const b = &s->by_parts;
    winnow__kernel kernel = winnow__partition_count_parts[s->wide_keys];
    winnow__partition_args count_args = *args;
    winnow_status status;
    kernel.shared_bytes += b->table_bytes;
    count_args.slice = b->slice;
    count_args.chunks = b->count_chunks;
    count_args.chunk_items = b->count_chunk_items;
    status = winnow__launch_overlapping(
        call, &kernel,
        b->count_chunks * (unsigned)winnow__divide_up(args->parts, b->slice),
        &count_args);
    return status == WINNOW_OK ? launch_sum_parts(call, args) : status;
}

/* The first pass where all parts are counted before it, over the upper digit:
 * the parts of a digit are a region. */
static winnow_status enqueue_upper(const winnow__call *call, const shape *s,
                                   char *memory) {
    const winnow__partition_memory *const results = call->memory;
    winnow__partition_args args = arguments(call, s, 0, memory);
    winnow_status status;
    args.offsets = (unsigned long long *)(void *)(memory + s->offsets[0]);
    args.part_offsets = (unsigned long long *)results->offsets;
    args.parts_of_digit = winnow__shape_digits(s, 1);
    set_columns(call, s, NULL, memory, &args);
    set_parts(call, s, memory, &args);
    status = clear(call, s, &args);
    if (status == WINNOW_OK)
        status = launch_count_parts(call, s, &args);
    /* What blocks exchange of digits lies behind that of parts. */
    args.part_groups = args.part_rest + args.parts;
    args.part_rest = args.part_groups + WINNOW__PARTITION_DIGITS;
    args.part_begins = args.offsets;
    args.parts = args.row;
    args.parts_of_digit = 1;
    args.chunks = s->by_parts.blocks;
    args.tile_items = s->by_parts.tile_items;
    args.next_tile = args.part_rest + WINNOW__PARTITION_DIGITS;
    return status == WINNOW_OK ? launch_exact(call, s, &args) : status;
}

/* The second pass where the items of parts are not known. */
static winnow_status launch_counted(const winnow__call *call, const shape *s,
                                    const winnow__partition_args *args) {
    const winnow_status status = launch_pass(call, s, 1, args);
    return status == WINNOW_OK
               ? winnow__launch_overlapping(call, &winnow__partition_offsets,
                                            args->parts / OFFSETS_PER_BLOCK + 1,
                                            args)
               : status;
}

static winnow_status enqueue_second(const winnow__call *call, const shape *s,
                                    char *memory) {
    const winnow__partition *const p = details(&call->query);
    const winnow__partition_memory *const results = call->memory;
    winnow__partition_args args = arguments(call, s, 1, memory);
    args.digits = ((p->parts - 1) >> s->bits[0]) + 1;
    args.segments = winnow__shape_digits(s, 0);
    args.parts_of_digit = s->by_parts.ahead ? 1 : args.segments;
    args.parts_of_segment = s->by_parts.ahead ? args.row : 1;
    args.segment_offsets =
        (unsigned long long *)(void *)(memory + s->offsets[0]);
    args.first_chunk = (uint32_t *)(void *)(memory + s->first_chunk);
    args.offsets = (unsigned long long *)(void *)(memory + s->offsets[1]);
    args.part_offsets = (unsigned long long *)results->offsets;
    set_columns(call, s, memory, NULL, &args);
    set_parts(call, s, memory, &args);
    if (s->by_parts.ahead)
        args.part_items = NULL; /* they have been summed up */
    const winnow_status status =
        winnow__launch_overlapping(call, &winnow__partition_cut, 1, &args);
    if (status != WINNOW_OK)
        return status;
    return s->exact ? launch_exact(call, s, &args)
                    : launch_counted(call, s, &args);
}

/* Three passes and more, lowest digit first: each one's digits are the segments
 * of the next one, and the parts are counted before all. */
static winnow_status enqueue_many(const winnow__call *call, const shape *s,
                                  char *memory) {
    const winnow__partition_memory *const results = call->memory;
    winnow_status status = WINNOW_OK;
    for (unsigned i = 0; i < s->passes && status == WINNOW_OK; i++) {
        winnow__partition_args args = arguments(call, s, i, memory);
        char *const rows[] = {memory, memory + s->second_rows};
        args.digits = args.row;
        args.offsets = (unsigned long long *)(void *)(memory + s->offsets[i]);
        args.part_offsets = (unsigned long long *)results->offsets;
        args.parts_of_digit = args.row;
        set_columns(call, s, i == 0 ? NULL : rows[(i - 1) % 2],
                    i == s->passes - 1 ? NULL : rows[i % 2], &args);
        if (i == 0) {
            set_parts(call, s, memory, &args);
            status = clear(call, s, &args);
            if (status == WINNOW_OK)
                status = launch_count_parts(call, s, &args);
            args.part_items = NULL; /* they have been summed up */
        } else {
            args.segments = winnow__shape_digits(s, i - 1);
            args.segment_offsets =
                (unsigned long long *)(void *)(memory + s->offsets[i - 1]);
            args.first_chunk = (uint32_t *)(void *)(memory + s->first_chunk);
            status = winnow__launch_overlapping(call, &winnow__partition_cut, 1,
                                                &args);
        }
        if (status == WINNOW_OK)
            status = launch_pass(call, s, i, &args);
    }
    return status;
}

static winnow_status enqueue_counts(const winnow__call *call, const shape *s,
                                    char *memory) {
    const winnow__partition *const p = details(&call->query);
    const winnow__partition_memory *const results = call->memory;
    winnow__partition_args args = arguments(call, s, 0, memory);
    args.part_offsets = (unsigned long long *)results->offsets;
    args.part_counts = (unsigned long long *)results->counts;
    return winnow__launch_overlapping(call, &winnow__partition_counts,
                                      p->parts / OFFSETS_PER_BLOCK + 1, &args);
}

winnow_status winnow__cuda_partition_enqueue(const winnow__call *call,
                                             const winnow__plan *plan,
                                             const winnow__workspace *memory) {
    shape s = winnow__partition_shape_of(&call->query);
    const winnow__partition_memory *const results = call->memory;
    winnow_status status;
    (void)plan;
    /* Into no more chunks than there is memory for: that is laid out for any
     * field. */
    if (drops(call))
        winnow__shape_drop(&call->query, &s);
    status = allow_all(call, &s);
    if (status != WINNOW_OK)
        return status;
    if (s.passes == 1) {
        status = enqueue_one(call, &s, memory->rest);
    } else if (s.passes > 2) {
        status = enqueue_many(call, &s, memory->rest);
    } else {
        status = s.by_parts.ahead ? enqueue_upper(call, &s, memory->rest)
                                  : enqueue_first(call, &s, memory->rest);
        if (status == WINNOW_OK)
            status = enqueue_second(call, &s, memory->rest);
    }
    return status == WINNOW_OK && results->counts != NULL
               ? enqueue_counts(call, &s, memory->rest)
               : status;
}
