/*
 * partition_by_key on a GPU: how many passes, in which chunks, with what
 * memory; and its kernels (kernels/partition.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_launch.h"
#include "cuda_memory.h"
#include "partition.h"

#include "kernels/clear.h"
#include "kernels/partition.h"

enum {
    COLUMNS = WINNOW__PARTITION_COLUMNS,
    PASSES = 2,
    /* The bits of a digit, at most. */
    DIGIT_BITS = 8,
    /* Chunks of a block, where segments differ in length. */
    CHUNKS_OF_BLOCK = 8,
    /* Lanes of a warp: 2^5. */
    LANE_BITS = 5,
    /* Static shared memory of a block that scatters by tiles, at most. */
    STATIC_SHARED_BYTES = 256,
    /* Static shared memory of any block and what the system reserves, at most.
     */
    OTHER_SHARED_BYTES = 3072,
    ALIGNMENT = 256,
    OFFSETS_PER_BLOCK = 256,
    /* By an estimate: the keys are so many times the L2 cache, at least, or
     * they are not read from memory twice when they are counted. */
    CACHES_TO_ESTIMATE = 4,
    /* Sampled items for the square of the digits' number, at least: of uniform
     * keys a 26th is displaced then. One item in so many has a spare row. */
    ITEMS_TO_ESTIMATE = 64,
    ITEMS_PER_SPARE_ROW = 8,
    /* The sample has one of so many keys: fewer, or more where there are many
     * digits. */
    MOST_SAMPLED_ONE_IN = 64,
    LEAST_SAMPLED_ONE_IN = 16,
    /* Blocks on a multiprocessor that move them. */
    REPAIR_BLOCKS = 2
};

/* The kernels count a chunk in 32 bits. */
static const uint64_t most_chunk = UINT64_C(1) << 31;

static const winnow__partition *details(const winnow__query *query) {
    return query->details;
}

/* How a call is done: the same for all addresses and fields. */
typedef struct shape {
    unsigned passes;
    unsigned bits[PASSES]; /* of the digits, the lower one first */
    bool wide_keys;
    bool has_columns;
    bool small;         /* of tiles: the kernels for little shared memory */
    bool wide;          /* of tiles: no room to hold elements of all columns */
    bool any_order;     /* of tiles */
    unsigned row_bytes; /* of all columns */
    unsigned column_bytes; /* the widest element that is staged at a time */
    uint64_t tile_items[PASSES], chunk_items;
    unsigned chunks[PASSES]; /* of the second pass: at most, */
    unsigned few_chunks;     /* and at most if its segments are as long */
    /* Offsets in the workspace. */
    size_t table, totals, offsets[PASSES], first_chunk, keys, columns[COLUMNS];
    size_t bytes;
    /* The first pass by an estimate, if no key is dropped. */
    bool estimated;
    unsigned sampled_one_in;
    uint64_t estimated_chunk_items;
    unsigned estimated_chunks;
    uint64_t spare_left_over, spare_items;
    size_t estimate, spare_keys, spare[COLUMNS];
} shape;

static uint32_t digits_of(const shape *s, unsigned pass) {
    return UINT32_C(1) << s->bits[pass];
}

/* The class of digits that has room for so many bits. */
static unsigned class_of(unsigned bits) {
    static const unsigned most[WINNOW__PARTITION_CLASSES] = {1, 2, 4, 5, 6, 8};
    unsigned class = 0;
    while (most[class] < bits)
        class ++;
    return class;
}

/* Does scatter_tiles() take the pass in any order? */
static bool in_any_order(const shape *s, unsigned pass) {
    return s->any_order && s->bits[pass] >= WINNOW__PARTITION_ANY_BITS;
}

/* Does scatter_tiles() take the pass, or scatter()? */
static bool by_tiles(const shape *s, unsigned pass) {
    return in_any_order(s, pass) ||
           s->bits[pass] > WINNOW__PARTITION_CHUNK_BITS;
}

static const winnow__kernel *scatter_kernel(const shape *s, unsigned pass,
                                            bool drops) {
    const bool keys = s->wide_keys, columns = s->has_columns;
    if (by_tiles(s, pass) && s->small)
        return &winnow__partition_scatter_small[keys][drops][columns];
    if (by_tiles(s, pass) && s->wide)
        return &winnow__partition_scatter_wide[keys][drops];
    if (in_any_order(s, pass))
        return &winnow__partition_scatter_any[keys][drops][columns];
    return &winnow__partition_scatter[keys][drops][class_of(s->bits[pass])]
                                     [columns];
}

/* Shared memory beside the kernel's: to stage a column, or to hold what is left
 * of all of them. */
static unsigned more_shared(const shape *s, unsigned pass) {
    if (!by_tiles(s, pass))
        return (unsigned)s->tile_items[pass] * s->column_bytes;
    return s->small || s->wide ? 0
                               : WINNOW__PARTITION_COLUMN_SLOTS * s->row_bytes;
}

/* The widest column. */
static size_t widest(const winnow__query *query) {
    const winnow__partition *const p = details(query);
    size_t width = 0;
    for (uint32_t c = 0; c < p->column_count; c++)
        if (p->columns[c].element_bytes > width)
            width = p->columns[c].element_bytes;
    return width;
}

/* Elements of 16 bytes are staged in two parts. */
static unsigned column_bytes(const winnow__query *query) {
    const size_t width = widest(query);
    return width > WINNOW__PARTITION_WIDTH ? WINNOW__PARTITION_WIDTH
                                           : (unsigned)width;
}

/* Of all columns. */
static unsigned row_bytes(const winnow__query *query) {
    const winnow__partition *const p = details(query);
    size_t bytes = 0;
    for (uint32_t c = 0; c < p->column_count; c++)
        bytes += p->columns[c].element_bytes;
    return (unsigned)bytes;
}

/* ------------------------------------------------------------------- plan */

static unsigned bits_of(uint32_t parts) {
    unsigned bits = 1;
    while ((parts - 1) >> bits != 0)
        bits++;
    return bits;
}

/* Digits of about the same number of bits: each pass is the faster the fewer
 * it has. In order, 4 and 6 bits are faster than 5 and 5, and 3 and 6 than 4
 * and 5. */
static void choose_passes(const winnow__query *query, shape *s) {
    const unsigned bits = bits_of(details(query)->parts);
    s->passes = bits <= DIGIT_BITS ? 1 : 2;
    s->bits[0] = s->passes == 1 ? bits : bits / 2;
    if (s->passes == 2 && !s->any_order && bits - s->bits[0] == 5)
        s->bits[0]--;
    s->bits[1] = bits - s->bits[0];
}

/* Blocks of a kernel for which a multiprocessor has shared memory. */
static unsigned room_for(const winnow__query *query,
                         const winnow__kernel *kernel, unsigned more_bytes) {
    const winnow__cuda_context *const context =
        (const winnow__cuda_context *)query->context;
    return (unsigned)(context->shared_bytes /
                      (kernel->shared_bytes + more_bytes + OTHER_SHARED_BYTES));
}

static unsigned multiprocessors(const winnow__query *query) {
    return ((const winnow__cuda_context *)query->context)->multiprocessors;
}

/* Blocks of a pass that the device runs together. */
static uint64_t resident_blocks(const winnow__query *query, const shape *s,
                                unsigned pass, bool drops) {
    const unsigned room =
        room_for(query, scatter_kernel(s, pass, drops), more_shared(s, pass));
    const unsigned most =
        by_tiles(s, pass) ? WINNOW__PARTITION_TILE_BLOCKS
                          : WINNOW__PARTITION_BLOCKS(query->type->size,
                                                     drops || s->has_columns);
    const uint64_t each = room < most && room != 0 ? room : most;
    return each * multiprocessors(query);
}

/* Blocks that the device runs together while they count. */
static uint64_t counting_blocks(const winnow__query *query) {
    return (uint64_t)WINNOW__PARTITION_COUNT_BLOCKS * multiprocessors(query);
}

/* Chunks of the first pass: one for each block that runs. A chunk costs groups
 * that are not full at its beginning and its end. In order by tiles, one for
 * each block that counts was faster. */
static uint64_t first_chunks(const winnow__query *query, const shape *s,
                             bool drops) {
    return by_tiles(s, 0) && !in_any_order(s, 0)
               ? counting_blocks(query)
               : resident_blocks(query, s, 0, drops);
}

static void cut(const winnow__query *query, bool drops, shape *s) {
    const uint64_t most = most_chunk / s->tile_items[0];
    const uint64_t tiles = winnow__divide_up(query->n, s->tile_items[0]);
    uint64_t each = winnow__divide_up(tiles, first_chunks(query, s, drops));
    if (each == 0)
        each = 1;
    if (each > most)
        each = most;
    s->chunk_items = each * s->tile_items[0];
    s->chunks[0] = tiles == 0 ? 1 : (unsigned)winnow__divide_up(tiles, each);
}

/* The second pass: more chunks than segments, and many for each block where the
 * segments differ much (kernels/partition_count.cu). Each chunk has a tile. */
static void cut_segments(const winnow__query *query, shape *s) {
    const uint64_t most = most_chunk / s->tile_items[1];
    const uint64_t tiles = winnow__divide_up(query->n, s->tile_items[1]);
    uint64_t few = resident_blocks(query, s, 1, false);
    while (few <= WINNOW__PARTITION_SEGMENTS)
        few *= 2;
    uint64_t many = CHUNKS_OF_BLOCK * few + WINNOW__PARTITION_SEGMENTS;
    if (many > tiles + WINNOW__PARTITION_SEGMENTS)
        many = tiles + WINNOW__PARTITION_SEGMENTS;
    if (few < WINNOW__PARTITION_SEGMENTS + tiles / most + 1)
        few = WINNOW__PARTITION_SEGMENTS + tiles / most + 1;
    s->few_chunks = (unsigned)few;
    s->chunks[1] = (unsigned)(few > many ? few : many);
}

/* --------------------------------------------------------------- estimates */

static const winnow__kernel *estimated_kernel(const shape *s) {
    return &winnow__partition_scatter_estimated[s->wide_keys][s->has_columns];
}

static unsigned estimated_more_shared(const shape *s) {
    return WINNOW__PARTITION_COLUMN_SLOTS * s->row_bytes;
}

static unsigned group_of(const shape *s) {
    return !s->has_columns && s->wide_keys ? 4 : 8;
}

/* A chunk for each block that runs, as each leaves items over. */
static void cut_estimated(const winnow__query *query, shape *s) {
    const winnow__kernel *const kernel = estimated_kernel(s);
    const uint64_t tile = kernel->tile_bytes / kernel->vector_bytes;
    const uint64_t tiles = winnow__divide_up(query->n, tile);
    const unsigned room = room_for(query, kernel, estimated_more_shared(s));
    const unsigned each = room < WINNOW__PARTITION_TILE_BLOCKS
                              ? room
                              : WINNOW__PARTITION_TILE_BLOCKS;
    const uint64_t blocks = (uint64_t)each * multiprocessors(query);
    const uint64_t most = winnow__divide_up(tiles, blocks);
    s->estimated_chunk_items = most * tile;
    s->estimated_chunks = (unsigned)winnow__divide_up(tiles, most);
    s->spare_left_over =
        (uint64_t)s->estimated_chunks * digits_of(s, 0) * group_of(s);
    s->spare_items = query->n / ITEMS_PER_SPARE_ROW / group_of(s) * group_of(s);
}

/* Groups have 32-bit numbers. */
static void choose_estimate(const winnow__query *query, shape *s) {
    const winnow__cuda_context *const context =
        (const winnow__cuda_context *)query->context;
    const uint64_t digits = digits_of(s, 0);
    if (!s->any_order ||
        query->n * query->type->size / CACHES_TO_ESTIMATE <
            context->cache_bytes ||
        query->n / group_of(s) > UINT32_MAX / 2)
        return;
    s->sampled_one_in = MOST_SAMPLED_ONE_IN;
    while (s->sampled_one_in >= LEAST_SAMPLED_ONE_IN &&
           query->n / s->sampled_one_in / ITEMS_TO_ESTIMATE < digits * digits)
        s->sampled_one_in /= 2;
    if (s->sampled_one_in < LEAST_SAMPLED_ONE_IN)
        return;
    cut_estimated(query, s);
    s->estimated = s->spare_left_over <= s->spare_items;
}

static size_t reserve(shape *s, uint64_t bytes) {
    const size_t start = s->bytes;
    s->bytes += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return start;
}

static uint64_t table_row_bytes(const shape *s, unsigned pass) {
    return digits_of(s, pass) * sizeof(uint64_t);
}

static uint64_t table_bytes(const shape *s) {
    uint64_t most = 0;
    for (unsigned i = 0; i < s->passes; i++)
        if (s->chunks[i] * table_row_bytes(s, i) > most)
            most = s->chunks[i] * table_row_bytes(s, i);
    return most;
}

static void lay_out(const winnow__query *query, shape *s) {
    const winnow__partition *const p = details(query);
    s->bytes = 0;
    s->table = reserve(s, table_bytes(s));
    s->totals = reserve(s, table_row_bytes(s, s->passes - 1));
    if (s->estimated) {
        const uint64_t rows = s->spare_left_over + s->spare_items;
        s->estimate = reserve(s, sizeof(winnow__partition_estimate));
        s->spare_keys = reserve(s, rows * query->type->size);
        for (uint32_t c = 0; c < p->column_count; c++)
            s->spare[c] = reserve(s, rows * p->columns[c].element_bytes);
    }
    if (s->passes == 1)
        return;
    for (unsigned i = 0; i < PASSES; i++)
        s->offsets[i] = reserve(s, table_row_bytes(s, i) + sizeof(uint64_t));
    /* The number of chunks, and their size, come last. */
    s->first_chunk = reserve(s, (digits_of(s, 0) + 2) * sizeof(uint32_t));
    s->keys = reserve(s, query->n * query->type->size);
    for (uint32_t c = 0; c < p->column_count; c++)
        s->columns[c] = reserve(s, query->n * p->columns[c].element_bytes);
}

/* Has a block too little room for digits of 8 bits, however it takes them? */
static bool is_small(const winnow__query *query, const shape *s) {
    return room_for(
               query,
               s->has_columns
                   ? &winnow__partition_scatter_wide[s->wide_keys][false]
                   : &winnow__partition_scatter_any[s->wide_keys][false][false],
               0) == 0;
}

/* Are there fewer blocks where each holds elements of all columns than where
 * none does? */
static bool is_wide(const winnow__query *query, const shape *s) {
    const unsigned without = room_for(
        query, &winnow__partition_scatter_wide[s->wide_keys][false], 0);
    const unsigned with =
        room_for(query, &winnow__partition_scatter_any[s->wide_keys][false][1],
                 WINNOW__PARTITION_COLUMN_SLOTS * s->row_bytes);
    const unsigned least = without < WINNOW__PARTITION_TILE_BLOCKS
                               ? without
                               : WINNOW__PARTITION_TILE_BLOCKS;
    return s->has_columns && !s->small &&
           (with < least || widest(query) > WINNOW__PARTITION_STAGED_WIDTH);
}

static shape shape_of(const winnow__query *query) {
    shape s = {.wide_keys = query->type->size == 8};
    s.has_columns = details(query)->column_count != 0;
    s.column_bytes = column_bytes(query);
    s.row_bytes = row_bytes(query);
    s.small = is_small(query, &s);
    s.wide = is_wide(query, &s);
    /* What is in the input's order is in any order, too. */
    s.any_order =
        query->options.order == WINNOW_UNORDERED && !s.small && !s.wide;
    choose_passes(query, &s);
    for (unsigned i = 0; i < s.passes; i++) {
        const winnow__kernel *const kernel = scatter_kernel(&s, i, false);
        s.tile_items[i] = kernel->tile_bytes / kernel->vector_bytes;
    }
    cut(query, false, &s);
    if (s.passes == 2)
        cut_segments(query, &s);
    choose_estimate(query, &s);
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

/* A pass over the digit of so many bits from part bit `low` on. */
static winnow__partition_args arguments(const winnow__call *call,
                                        const shape *s, unsigned pass,
                                        char *memory) {
    const winnow__partition *const p = details(&call->query);
    const unsigned low = pass == 0 ? 0 : s->bits[0];
    const uint64_t greatest = greatest_field(call) >> low;
    /* A digit above the key is 0. */
    const bool beyond = p->shift + low >= 8 * call->query.type->size;
    const uint32_t row = digits_of(s, pass);
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
        .few_chunks = s->few_chunks,
        .blocks = (uint32_t)resident_blocks(&call->query, s, pass, false),
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

/* Of the first pass: where spare rows are. */
static void set_estimate(const winnow__call *call, const shape *s, char *memory,
                         winnow__partition_args *args) {
    const winnow__partition *const p = details(&call->query);
    uint32_t order[COLUMNS];
    if (!s->estimated || args->drops)
        return;
    sort_columns(p, order);
    args->estimate = (void *)(memory + s->estimate);
    args->spare_keys = memory + s->spare_keys;
    args->sampled_one_in = s->sampled_one_in;
    args->spare_left_over = (uint32_t)s->spare_left_over;
    args->spare_items = s->spare_items;
    args->group = group_of(s);
    args->key_bytes = call->query.type->size;
    for (uint32_t i = 0; i < p->column_count; i++)
        args->move[i].spare = memory + s->spare[order[i]];
}

/* The dynamic shared memory that any call of the kernel takes, at most. */
static uint64_t most_shared(const winnow__call *call, const shape *s,
                            unsigned pass, const winnow__kernel *kernel) {
    const winnow__cuda_context *const context =
        (const winnow__cuda_context *)call->query.context;
    return by_tiles(s, pass)
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

/* A block for each chunk, or as many as run together. */
static unsigned scatter_blocks(const winnow__call *call, const shape *s,
                               unsigned pass,
                               const winnow__partition_args *args) {
    const uint64_t blocks =
        resident_blocks(&call->query, s, pass, args->drops != 0);
    return by_tiles(s, pass) && blocks < args->chunks ? (unsigned)blocks
                                                      : args->chunks;
}

static winnow_status launch_scatter(const winnow__call *call, const shape *s,
                                    unsigned pass,
                                    const winnow__partition_args *args) {
    winnow__kernel kernel = *scatter_kernel(s, pass, args->drops != 0);
    const winnow_status status =
        allow_shared(&kernel, most_shared(call, s, pass, &kernel));
    kernel.shared_bytes += more_shared(s, pass);
    return status == WINNOW_OK
               ? winnow__launch(&kernel, scatter_blocks(call, s, pass, args),
                                args, call->stream)
               : status;
}

static winnow_status
launch_estimated_scatter(const winnow__call *call, const shape *s,
                         const winnow__partition_args *args) {
    const winnow__cuda_context *const context =
        (const winnow__cuda_context *)call->query.context;
    winnow__kernel kernel = *estimated_kernel(s);
    winnow__partition_args cut = *args;
    const winnow_status status =
        allow_shared(&kernel, context->shared_bytes - STATIC_SHARED_BYTES);
    kernel.shared_bytes += estimated_more_shared(s);
    cut.chunks = s->estimated_chunks;
    cut.chunk_items = s->estimated_chunk_items;
    return status == WINNOW_OK
               ? winnow__launch(&kernel, cut.chunks, &cut, call->stream)
               : status;
}

/* Scatter by an estimate. If it turns out to be bad, the kernels that count
 * digits follow, which otherwise end at once. */
static winnow_status launch_estimate(const winnow__call *call, const shape *s,
                                     const winnow__partition_args *args) {
    const unsigned blocks = REPAIR_BLOCKS * multiprocessors(&call->query);
    winnow_status status = winnow__cuda_status(
        winnow__clear(&args->estimate->exchange,
                      sizeof args->estimate->exchange, call->stream),
        "launching a kernel");
    if (status == WINNOW_OK)
        status = winnow__launch(&winnow__partition_sample[s->wide_keys],
                                (unsigned)counting_blocks(&call->query), args,
                                call->stream);
    if (status == WINNOW_OK)
        status = launch_estimated_scatter(call, s, args);
    if (status == WINNOW_OK)
        status = winnow__launch(&winnow__partition_collect, blocks, args,
                                call->stream);
    if (status == WINNOW_OK)
        status = winnow__launch(&winnow__partition_restore[s->wide_keys],
                                blocks, args, call->stream);
    return status;
}

static winnow_status launch_pass(const winnow__call *call, const shape *s,
                                 unsigned pass,
                                 const winnow__partition_args *args) {
    const unsigned scans = (args->row + WINNOW__PARTITION_SCAN_DIGITS - 1) /
                           WINNOW__PARTITION_SCAN_DIGITS;
    winnow_status status =
        args->estimate != NULL ? launch_estimate(call, s, args) : WINNOW_OK;
    if (status == WINNOW_OK)
        status = winnow__launch(&winnow__partition_count[s->wide_keys],
                                args->chunks, args, call->stream);
    if (status == WINNOW_OK)
        status =
            winnow__launch(&winnow__partition_scan, scans, args, call->stream);
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
    return launch_pass(call, s, 0, &args);
}

static winnow_status enqueue_low(const winnow__call *call, const shape *s,
                                 char *memory) {
    winnow__partition_args args = arguments(call, s, 0, memory);
    args.digits = args.row;
    args.offsets = (unsigned long long *)(void *)(memory + s->offsets[0]);
    set_columns(call, s, NULL, memory, &args);
    set_estimate(call, s, memory, &args);
    return launch_pass(call, s, 0, &args);
}

static winnow_status enqueue_high(const winnow__call *call, const shape *s,
                                  char *memory) {
    const winnow__partition *const p = details(&call->query);
    const winnow__partition_memory *const results = call->memory;
    winnow__partition_args args = arguments(call, s, 1, memory);
    args.digits = ((p->parts - 1) >> s->bits[0]) + 1;
    args.segments = digits_of(s, 0);
    args.segment_offsets =
        (unsigned long long *)(void *)(memory + s->offsets[0]);
    args.first_chunk = (uint32_t *)(void *)(memory + s->first_chunk);
    args.offsets = (unsigned long long *)(void *)(memory + s->offsets[1]);
    args.part_offsets = (unsigned long long *)results->offsets;
    set_columns(call, s, memory, NULL, &args);
    winnow_status status =
        winnow__launch(&winnow__partition_cut, 1, &args, call->stream);
    if (status == WINNOW_OK)
        status = launch_pass(call, s, 1, &args);
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
    winnow__partition_args args = arguments(call, s, 0, memory);
    args.part_offsets = (unsigned long long *)results->offsets;
    args.part_counts = (unsigned long long *)results->counts;
    return winnow__launch(&winnow__partition_counts,
                          p->parts / OFFSETS_PER_BLOCK + 1, &args,
                          call->stream);
}

winnow_status winnow__cuda_partition_enqueue(const winnow__call *call,
                                             const winnow__plan *plan,
                                             const winnow__workspace *memory) {
    shape s = shape_of(&call->query);
    const winnow__partition_memory *const results = call->memory;
    winnow_status status;
    (void)plan;
    /* Into no more chunks than there is memory for: that is laid out for any
     * field. */
    if (drops(call))
        cut(&call->query, true, &s);
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
