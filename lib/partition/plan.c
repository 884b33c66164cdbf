/*
 * partition_by_key on a GPU: how many passes, in which chunks, with what
 * memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "plan.h"
#include "cuda/launch.h"

typedef winnow__partition_shape shape;

enum {
    /* The bits of a digit, at most; and where a block has no room for more. */
    DIGIT_BITS = 8,
    LEAST_DIGIT_BITS = 5,
    /* Chunks of a block, where segments differ in length. */
    CHUNKS_OF_BLOCK = 8,
    /* Static shared memory of a block that scatters, and what the system
     * reserves, at most. */
    OTHER_SHARED_BYTES = 1280,
    ALIGNMENT = 256,
    /* By an estimate: the keys are so many times the L2 cache, at least, or
     * they are not read from memory twice when they are counted. */
    CACHES_TO_ESTIMATE = 4,
    /* An estimate needs this many sampled items for each square of the number
     * of digits: of uniform keys a 26th is displaced then. It takes twice as
     * many where one key in LEAST_SAMPLED_ONE_IN gives them. */
    ITEMS_TO_ESTIMATE = 64,
    ITEMS_WANTED = 128,
    /* One item in so many has a spare row. */
    ITEMS_PER_SPARE_ROW = 8,
    /* Where keys may be dropped what counts the first pass's digits counts the
     * items of up to so many parts, too. */
    PARTS_BESIDE_DIGITS = 4096,
    /* One of so many keys is sampled: 64, or 32 or 16 where there are many
     * digits. */
    MOST_SAMPLED_ONE_IN = 64,
    LEAST_SAMPLED_ONE_IN = 16
};

/* The kernels count a chunk in 32 bits. */
static const uint64_t most_chunk = UINT64_C(1) << 31;

static const winnow__partition *details(const winnow__query *query) {
    return query->details;
}

uint32_t winnow__shape_digits(const shape *s, unsigned pass) {
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
bool winnow__shape_by_tiles(const shape *s, unsigned pass) {
    return in_any_order(s, pass) ||
           s->bits[pass] > WINNOW__PARTITION_CHUNK_BITS;
}

const winnow__kernel *winnow__shape_scatter(const shape *s, unsigned pass,
                                            bool drops) {
    const bool keys = s->wide_keys, columns = s->has_columns;
    if (in_any_order(s, pass))
        return &winnow__partition_scatter_any[keys][drops][columns];
    return &winnow__partition_scatter[keys][drops][class_of(s->bits[pass])]
                                     [columns];
}

/* The kernel of tiles in order that takes the most shared memory: of digits of
 * 8 bits. */
static const winnow__kernel *tiles_of(const shape *s, bool columns) {
    return &winnow__partition_scatter[s->wide_keys][true]
                                     [WINNOW__PARTITION_CLASSES - 1][columns];
}

/* Shared memory beside the kernel's: to stage a column, or to hold what is left
 * of all of them. */
unsigned winnow__shape_more_shared(const shape *s, unsigned pass) {
    if (!winnow__shape_by_tiles(s, pass))
        return (unsigned)s->tile_items[pass] * s->column_bytes;
    return WINNOW__PARTITION_COLUMN_SLOTS * s->batch_bytes[pass];
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
static void choose_passes(const winnow__query *query, unsigned most, shape *s) {
    unsigned bits = bits_of(details(query)->parts);
    s->passes = (unsigned)winnow__divide_up(bits, most);
    for (unsigned i = 0; i < s->passes; i++) {
        s->bits[i] = bits / (s->passes - i);
        if (s->passes == 2 && i == 0 && !s->any_order && most == DIGIT_BITS &&
            bits - s->bits[i] == 5)
            s->bits[i]--;
        bits -= s->bits[i];
    }
}

/* Blocks of a kernel for which a multiprocessor has shared memory. */
static unsigned room_for(const winnow__query *query,
                         const winnow__kernel *kernel, unsigned more_bytes) {
    const winnow__cuda_context *const context = winnow__cuda(query->context);
    return (unsigned)(context->shared_bytes /
                      (kernel->shared_bytes + more_bytes + OTHER_SHARED_BYTES));
}

unsigned winnow__multiprocessors(const winnow__query *query) {
    return winnow__cuda(query->context)->multiprocessors;
}

/* Blocks of a kernel that the device runs together: so many on a
 * multiprocessor, if there is room for them. */
static uint64_t resident(const winnow__query *query,
                         const winnow__kernel *kernel, unsigned more_bytes,
                         unsigned most) {
    const unsigned room = room_for(query, kernel, more_bytes);
    const uint64_t each = room < most && room != 0 ? room : most;
    return each * winnow__multiprocessors(query);
}

/* Blocks of a pass that the device runs together. */
uint64_t winnow__shape_resident(const winnow__query *query, const shape *s,
                                unsigned pass, bool drops) {
    const unsigned most = winnow__shape_by_tiles(s, pass)
                              ? WINNOW__PARTITION_TILE_BLOCKS
                              : WINNOW__PARTITION_BLOCKS(
                                    query->type->size, drops || s->has_columns);
    return resident(query, winnow__shape_scatter(s, pass, drops),
                    winnow__shape_more_shared(s, pass), most);
}

/* Into one chunk for each block that runs. A chunk costs groups that are not
 * full at its beginning and its end. */
static void cut_first(const winnow__query *query, bool drops, shape *s) {
    const uint64_t most = most_chunk / s->tile_items[0];
    const uint64_t tiles = winnow__divide_up(query->n, s->tile_items[0]);
    uint64_t each =
        winnow__divide_up(tiles, winnow__shape_resident(query, s, 0, drops));
    if (each == 0)
        each = 1;
    if (each > most)
        each = most;
    s->chunk_items = each * s->tile_items[0];
    s->chunks[0] = tiles == 0 ? 1 : (unsigned)winnow__divide_up(tiles, each);
}

/* A later pass: more chunks than segments, and many for each block where the
 * segments differ much (kernels/partition/count.cu). Each chunk has a tile. */
static void cut_segments(const winnow__query *query, unsigned pass, shape *s) {
    const uint64_t most = most_chunk / s->tile_items[pass];
    const uint64_t tiles = winnow__divide_up(query->n, s->tile_items[pass]);
    uint64_t few = winnow__shape_resident(query, s, pass, false);
    while (few <= WINNOW__PARTITION_SEGMENTS)
        few *= 2;
    uint64_t many = CHUNKS_OF_BLOCK * few + WINNOW__PARTITION_SEGMENTS;
    if (many > tiles + WINNOW__PARTITION_SEGMENTS)
        many = tiles + WINNOW__PARTITION_SEGMENTS;
    if (few < WINNOW__PARTITION_SEGMENTS + tiles / most + 1)
        few = WINNOW__PARTITION_SEGMENTS + tiles / most + 1;
    /* A segment's parts are neighbours then. Chunks are half as long, so that
     * half as many segments are under way: less of the L2 cache holds lines
     * that are written in part. */
    if (s->by_parts.ahead)
        few *= 2;
    s->few_chunks[pass] = (unsigned)few;
    s->chunks[pass] = (unsigned)(few > many ? few : many);
}

/* --------------------------------------------------------- any order */

/* So many items each; one at least. */
static unsigned chunks_of(uint64_t n, uint64_t chunk_items) {
    return n == 0 ? 1 : (unsigned)winnow__divide_up(n, chunk_items);
}

/* Where blocks reserve groups: those that run together take one tile after the
 * other. Each leaves items over. */
static unsigned blocks_for(const winnow__query *query,
                           const winnow__kernel *kernel, unsigned more_shared,
                           unsigned *tile_items) {
    const uint64_t blocks =
        resident(query, kernel, more_shared, WINNOW__PARTITION_TILE_BLOCKS);
    uint64_t tiles;
    *tile_items = kernel->tile_bytes / kernel->vector_bytes;
    tiles = chunks_of(query->n, *tile_items);
    return (unsigned)(tiles < blocks ? tiles : blocks);
}

static void cut_estimated(const winnow__query *query, const shape *s,
                          winnow__partition_by_estimate *e) {
    e->blocks = blocks_for(query, e->kernel, e->more_shared, &e->tile_items);
    e->spare_left_over =
        (uint64_t)e->blocks * winnow__shape_digits(s, 0) * e->group;
    e->spare_items = query->n / ITEMS_PER_SPARE_ROW / e->group * e->group;
}

static unsigned group_of(const winnow__query *query, const shape *s) {
    return WINNOW__PARTITION_GROUP(query->type->size, s->has_columns);
}

/* Blocks reserve groups by 32-bit numbers. */
static bool reserves(const winnow__query *query, const shape *s) {
    return s->any_order && query->n / group_of(query, s) <= UINT32_MAX / 2;
}

static void choose_estimate(const winnow__query *query, shape *s) {
    const winnow__cuda_context *const context = winnow__cuda(query->context);
    const uint64_t digits = winnow__shape_digits(s, 0);
    winnow__partition_by_estimate e = {
        .kernel =
            &winnow__partition_scatter_estimated[s->wide_keys][s->has_columns],
        .more_shared = WINNOW__PARTITION_COLUMN_SLOTS * s->row_bytes,
        .group = group_of(query, s),
        .sampled_one_in = MOST_SAMPLED_ONE_IN};
    if (!reserves(query, s) || details(query)->counted ||
        query->n * query->type->size / CACHES_TO_ESTIMATE <
            context->cache_bytes)
        return;
    while (e.sampled_one_in > LEAST_SAMPLED_ONE_IN &&
           query->n / e.sampled_one_in / ITEMS_WANTED < digits * digits)
        e.sampled_one_in /= 2;
    if (query->n / e.sampled_one_in / ITEMS_TO_ESTIMATE < digits * digits)
        return;
    cut_estimated(query, s, &e);
    s->estimated = e.spare_left_over <= e.spare_items;
    s->estimate = e;
}

/* Has a scatter by an estimate room in shared memory for a counter of each
 * part? */
static bool counts_as_it_scatters(const winnow__query *query, const shape *s,
                                  unsigned table_bytes) {
    const winnow__partition_by_estimate *const e = &s->estimate;
    /* The counters are of 32 bits, and a block may take any tiles. */
    return s->estimated && query->n <= UINT32_MAX &&
           details(query)->parts <= WINNOW__PARTITION_COUNTED_PARTS &&
           room_for(query, e->kernel, e->more_shared + table_bytes) >=
               WINNOW__PARTITION_TILE_BLOCKS;
}

/* As few slices of the parts as fit into shared memory. The blocks that count
 * the slices of a chunk run together, as about all blocks do. */
static void cut_ahead(const winnow__query *query, const shape *s,
                      winnow__partition_by_parts *b) {
    const uint32_t parts = details(query)->parts;
    const winnow__kernel *const count =
        &winnow__partition_count_parts[s->wide_keys];
    uint64_t blocks, slices = 0;
    do {
        slices++;
        b->slice = (uint32_t)winnow__divide_up(parts, slices);
        b->table_bytes = b->slice * sizeof(uint32_t);
    } while (room_for(query, count, b->table_bytes) == 0);
    blocks =
        resident(query, count, b->table_bytes, WINNOW__PARTITION_PARTS_BLOCKS);
    b->count_chunk_items =
        winnow__divide_up(query->n, winnow__divide_up(blocks, slices));
    if (b->count_chunk_items < WINNOW__PARTITION_PARTS_THREADS)
        b->count_chunk_items = WINNOW__PARTITION_PARTS_THREADS;
    if (b->count_chunk_items > most_chunk)
        b->count_chunk_items = most_chunk;
    b->count_chunks = chunks_of(query->n, b->count_chunk_items);
}

/* Where are all parts counted? In any order of two passes, since both reserve
 * places of parts then; of three and more, since no table says where parts
 * begin. */
static void choose_exact(const winnow__query *query, shape *s) {
    const uint64_t parts = details(query)->parts;
    winnow__partition_by_parts b = {
        .kernel =
            &winnow__partition_scatter_exact[s->wide_keys][s->has_columns],
        .more_shared = WINNOW__PARTITION_COLUMN_SLOTS * s->row_bytes,
        .table_bytes = (unsigned)(parts * sizeof(uint32_t))};
    if (s->passes > 2)
        cut_ahead(query, s, &s->by_parts);
    if (s->passes != 2 || !reserves(query, s))
        return;
    if (counts_as_it_scatters(query, s, b.table_bytes)) {
        s->estimate.more_shared += b.table_bytes;
    } else {
        s->estimated = false;
        b.ahead = true;
        cut_ahead(query, s, &b);
        b.blocks = blocks_for(query, b.kernel, b.more_shared, &b.tile_items);
    }
    s->exact = true;
    s->by_parts = b;
}

static uint64_t align(uint64_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t reserve(shape *s, uint64_t bytes) {
    const size_t start = s->bytes;
    s->bytes += align(bytes);
    return start;
}

static uint64_t table_row_bytes(const shape *s, unsigned pass) {
    return winnow__shape_digits(s, pass) * sizeof(uint64_t);
}

static uint64_t table_bytes(const shape *s) {
    uint64_t most = 0;
    /* The second pass needs no table where all parts are known. Where parts are
     * counted ahead a call whose keys may be dropped needs one. */
    const unsigned passes = s->exact && !s->by_parts.ahead ? 1 : s->passes;
    for (unsigned i = 0; i < passes; i++)
        if (s->chunks[i] * table_row_bytes(s, i) > most)
            most = s->chunks[i] * table_row_bytes(s, i);
    return most;
}

static void lay_out(const winnow__query *query, shape *s) {
    const winnow__partition *const p = details(query);
    s->bytes = 0;
    s->table = reserve(s, table_bytes(s));
    s->totals = reserve(s, table_row_bytes(s, s->passes - 1));
    if (s->exact || s->passes > 2) {
        winnow__partition_by_parts *const b = &s->by_parts;
        /* Two counters of each digit, and that of tiles. */
        const uint64_t digit_bytes =
            (WINNOW__PARTITION_DIGITS * 2 + 1) * sizeof(uint32_t);
        b->begins = reserve(s, (p->parts + 1) * sizeof(uint64_t));
        b->zero_bytes = align(p->parts * 2 * sizeof(uint64_t) +
                              (b->ahead ? digit_bytes : 0));
        b->items = reserve(s, b->zero_bytes);
    }
    if (s->estimated) {
        winnow__partition_by_estimate *const e = &s->estimate;
        const uint64_t rows = e->spare_left_over + e->spare_items;
        e->exchange = reserve(s, sizeof(winnow__partition_estimate));
        e->spare_keys = reserve(s, rows * query->type->size);
        for (uint32_t c = 0; c < p->column_count; c++)
            e->spare[c] = reserve(s, rows * p->columns[c].element_bytes);
    }
    if (s->passes == 1)
        return;
    for (unsigned i = 0; i < s->passes; i++)
        s->offsets[i] = reserve(s, table_row_bytes(s, i) + sizeof(uint64_t));
    /* The number of chunks, and their size, come last. */
    s->first_chunk =
        reserve(s, (WINNOW__PARTITION_SEGMENTS + 2) * sizeof(uint32_t));
    s->keys = reserve(s, query->n * query->type->size);
    for (uint32_t c = 0; c < p->column_count; c++)
        s->columns[c] = reserve(s, query->n * p->columns[c].element_bytes);
    s->second_rows = s->bytes - s->keys;
    if (s->passes > 2)
        reserve(s, s->second_rows);
}

/* The bytes of the columns of a launch by a kernel of tiles: those whose held
 * elements leave room for as many blocks as the widest column alone. 0: there
 * is no room for that. */
static unsigned batch_bytes(const winnow__query *query, const shape *s,
                            const winnow__kernel *kernel) {
    const winnow__cuda_context *const context =
        (const winnow__cuda_context *)query->context;
    const unsigned least = (unsigned)widest(query);
    unsigned blocks =
        room_for(query, kernel, WINNOW__PARTITION_COLUMN_SLOTS * least);
    if (blocks == 0)
        return 0;
    if (blocks > WINNOW__PARTITION_TILE_BLOCKS)
        blocks = WINNOW__PARTITION_TILE_BLOCKS;
    const size_t room = (context->shared_bytes / blocks - kernel->shared_bytes -
                         OTHER_SHARED_BYTES) /
                        WINNOW__PARTITION_COLUMN_SLOTS;
    return room < s->row_bytes ? (unsigned)room : s->row_bytes;
}

/* Has a block room for digits of 8 bits, however it takes them? */
static bool has_room(const winnow__query *query, const shape *s) {
    const unsigned slots =
        WINNOW__PARTITION_COLUMN_SLOTS * (unsigned)widest(query);
    return room_for(query,
                    s->has_columns
                        ? tiles_of(s, true)
                        : &winnow__partition_scatter_any[s->wide_keys][0][0],
                    slots) != 0;
}

/* Several launches for a pass put items into the same places in order alone. */
static bool is_one_batch(const winnow__query *query, const shape *s) {
    return !s->has_columns ||
           batch_bytes(query, s,
                       &winnow__partition_scatter_any[s->wide_keys][0][1]) ==
               s->row_bytes;
}

winnow__partition_shape winnow__partition_shape_of(const winnow__query *query) {
    shape s = {.wide_keys = query->type->size == 8};
    unsigned bits;
    s.has_columns = details(query)->column_count != 0;
    s.column_bytes = column_bytes(query);
    s.row_bytes = row_bytes(query);
    bits = has_room(query, &s) ? DIGIT_BITS : LEAST_DIGIT_BITS;
    /* What is in the input's order is in any order, too. */
    s.any_order = query->options.order == WINNOW_UNORDERED &&
                  bits == DIGIT_BITS && is_one_batch(query, &s);
    choose_passes(query, bits, &s);
    for (unsigned i = 0; i < s.passes; i++) {
        const winnow__kernel *const kernel =
            winnow__shape_scatter(&s, i, false);
        s.tile_items[i] = kernel->tile_bytes / kernel->vector_bytes;
        s.batch_bytes[i] = winnow__shape_by_tiles(&s, i) && !s.any_order
                               ? batch_bytes(query, &s, tiles_of(&s, true))
                               : s.row_bytes;
    }
    cut_first(query, false, &s);
    choose_estimate(query, &s);
    choose_exact(query, &s);
    for (unsigned i = 1; i < s.passes; i++)
        cut_segments(query, i, &s);
    lay_out(query, &s);
    return s;
}

void winnow__shape_drop(const winnow__query *query, shape *s) {
    winnow__partition_by_parts *const b = &s->by_parts;
    const uint32_t parts = details(query)->parts;
    if (b->ahead) {
        b->ahead = false;
        b->table_bytes = (unsigned)(parts * sizeof(uint32_t));
        s->exact = parts <= PARTS_BESIDE_DIGITS;
        cut_segments(query, 1, s);
    }
    cut_first(query, true, s);
}
