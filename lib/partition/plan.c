/*
 * partition_by_key on a GPU: the number of passes, their chunks, and their
 * memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "plan.h"
#include "core/round.h"
#include "cuda/launch.h"

typedef winnow__partition_plan plan;

enum {
    /* The most bits of a digit; and the bits if a block has no room for more. */
    DIGIT_BITS = 8,
    LEAST_DIGIT_BITS = 5,
    /* Chunks for each block if segments differ in length. */
    CHUNKS_OF_BLOCK = 8,
    /* The most static shared memory of a block that scatters, and the system's. */
    OTHER_SHARED_BYTES = 1280,
    ALIGNMENT = 256
};

/* The kernels count a chunk's items in 32 bits. */
static const uint64_t most_chunk = UINT64_C(1) << 31;

unsigned winnow__partition_room(const winnow__query *query,
                                const winnow__kernel *kernel) {
    return (unsigned)(winnow__cuda(query->context)->shared_bytes /
                      (kernel->shared_bytes + OTHER_SHARED_BYTES));
}

unsigned winnow__partition_resident(const winnow__query *query,
                                    const winnow__kernel *kernel,
                                    unsigned most) {
    const unsigned room = winnow__partition_room(query, kernel);
    const unsigned each = room < most && room != 0 ? room : most;
    return each * winnow__cuda(query->context)->multiprocessors;
}

static unsigned smaller(uint64_t a, uint64_t b) {
    return (unsigned)(a < b ? a : b);
}

/* ------------------------------------------------------------------ columns */

/* The width of the widest column, and of all together. */
static unsigned widest(const winnow__query *query) {
    const winnow__partition *const details = winnow__partition_of(query);
    size_t width = 0;
    for (uint32_t c = 0; c < details->column_count; c++)
        if (details->columns[c]->element_bytes > width)
            width = details->columns[c]->element_bytes;
    return (unsigned)width;
}

static unsigned row_bytes_of(const winnow__query *query) {
    const winnow__partition *const details = winnow__partition_of(query);
    size_t bytes = 0;
    for (uint32_t c = 0; c < details->column_count; c++)
        bytes += details->columns[c]->element_bytes;
    return (unsigned)bytes;
}

/* The kernel that uses the most shared memory, for digits of `bits` bits. */
static winnow__kernel largest(const plan *p, unsigned bits, bool any_order,
                              unsigned row_bytes) {
    return winnow__partition_scatter_kernel(p, bits, any_order, true,
                                            WINNOW__PARTITION_OWN, row_bytes);
}

/* The number of its blocks on a multiprocessor; 0: there is no room for one. */
static unsigned blocks_of(const winnow__query *query, const plan *p,
                          unsigned bits, bool any_order, unsigned row_bytes) {
    const winnow__kernel kernel = largest(p, bits, any_order, row_bytes);
    return smaller(winnow__partition_room(query, &kernel),
                   WINNOW__PARTITION_TILE_BLOCKS);
}

/* The bytes of columns in a launch, such that as many blocks are resident as
 * with the widest column alone. */
static unsigned batch_bytes(const winnow__query *query, const plan *p,
                            unsigned bits, bool any_order) {
    const unsigned blocks = blocks_of(query, p, bits, any_order, widest(query));
    unsigned bytes = row_bytes_of(query);
    while (bytes > widest(query) &&
           blocks_of(query, p, bits, any_order, bytes) < blocks)
        bytes--;
    return bytes;
}

/* ------------------------------------------------------------------- passes */

static unsigned bits_of(uint32_t parts) {
    unsigned bits = 1;
    while ((parts - 1) >> bits != 0)
        bits++;
    return bits;
}

/* Digits have about equally many bits, since a pass with fewer bits is faster.
 * In order, 4 and 6 bits are faster than 5 and 5, and 3 and 6 than 4 and 5. */
static void choose_passes(const winnow__query *query, unsigned most, plan *p) {
    unsigned bits = bits_of(winnow__partition_of(query)->parts);
    p->passes = (unsigned)winnow__divide_up(bits, most);
    for (unsigned i = 0; i < p->passes; i++) {
        p->bits[i] = bits / (p->passes - i);
        if (p->passes == 2 && i == 0 && !p->any_order && most == DIGIT_BITS &&
            bits - p->bits[i] == 5)
            p->bits[i]--;
        bits -= p->bits[i];
    }
}

/* The number of blocks that scatter at the same time. */
static unsigned scatter_blocks(const winnow__query *query, const plan *p) {
    const winnow__kernel kernel =
        largest(p, p->bits[p->passes - 1], p->any_order, p->batch_bytes);
    return winnow__partition_resident(query, &kernel,
                                      WINNOW__PARTITION_TILE_BLOCKS);
}

/* One chunk for each block that runs. Each chunk has incomplete sectors at its
 * beginning and its end, which cost time. */
static void cut_first(const winnow__query *query, plan *p) {
    const uint64_t tiles = winnow__divide_up(query->n, p->tile_items);
    const uint64_t blocks = scatter_blocks(query, p);
    uint64_t each =
        smaller(winnow__divide_up(tiles, blocks), most_chunk / p->tile_items);
    if (each == 0)
        each = 1;
    p->chunk_items = each * p->tile_items;
    p->chunks[0] = tiles == 0 ? 1 : (unsigned)winnow__divide_up(tiles, each);
}

/* A later pass: more chunks than segments, and many for each block if segments
 * differ much (kernels/partition/count.cu). Each chunk has a tile. */
static void cut_segments(const winnow__query *query, unsigned pass, plan *p) {
    const uint64_t most = most_chunk / p->tile_items;
    const uint64_t tiles = winnow__divide_up(query->n, p->tile_items);
    uint64_t few = scatter_blocks(query, p);
    while (few <= WINNOW__PARTITION_SEGMENTS)
        few *= 2;
    const uint64_t many = smaller(CHUNKS_OF_BLOCK * few, tiles) +
                          (uint64_t)WINNOW__PARTITION_SEGMENTS;
    if (few < WINNOW__PARTITION_SEGMENTS + tiles / most + 1)
        few = WINNOW__PARTITION_SEGMENTS + tiles / most + 1;
    /* A segment's parts are adjacent then. Chunks are half as long, so that
     * half as many segments are in flight: the L2 cache has fewer partial
     * lines. */
    if (p->exact)
        few *= 2;
    p->few_chunks[pass] = (unsigned)few;
    p->chunks[pass] = (unsigned)(few > many ? few : many);
}

/* -------------------------------------------------------------------- parts */

/* The fewest slices of the parts that each fit into shared memory. Blocks that
 * count the slices of a chunk run at about the same time. */
static void plan_part_counts(const winnow__query *query, plan *p) {
    const uint32_t parts = winnow__partition_of(query)->parts;
    winnow__kernel count = winnow__partition_count_parts[p->wide_keys];
    uint64_t blocks, slices = 0;
    do {
        slices++;
        p->slice = (uint32_t)winnow__divide_up(parts, slices);
        count.shared_bytes = p->slice * (unsigned)sizeof(uint32_t);
    } while (winnow__partition_room(query, &count) == 0);
    blocks = winnow__partition_resident(query, &count,
                                        WINNOW__PARTITION_PARTS_BLOCKS);
    p->count_chunk_items =
        winnow__divide_up(query->n, winnow__divide_up(blocks, slices));
    if (p->count_chunk_items < WINNOW__PARTITION_PARTS_THREADS)
        p->count_chunk_items = WINNOW__PARTITION_PARTS_THREADS;
    if (p->count_chunk_items > most_chunk)
        p->count_chunk_items = most_chunk;
    p->count_chunks =
        (uint32_t)winnow__divide_up(query->n, p->count_chunk_items);
    if (p->count_chunks == 0)
        p->count_chunks = 1;
}

/* Blocks that reserve sectors number them in 32 bits. */
static bool can_reserve(const winnow__query *query, const plan *p) {
    return p->any_order && query->n / WINNOW__PARTITION_SECTOR(
                                          query->type->size, p->has_columns) <=
                               UINT32_MAX / 2;
}

static void plan_exact(const winnow__query *query, plan *p) {
    const winnow__kernel kernel = winnow__partition_scatter_kernel(
        p, p->bits[0], true, true, WINNOW__PARTITION_EXACT, p->batch_bytes);
    const uint64_t tiles = winnow__divide_up(query->n, p->tile_items);
    p->exact = true;
    p->exact_blocks =
        smaller(tiles == 0 ? 1 : tiles,
                winnow__partition_resident(query, &kernel,
                                           WINNOW__PARTITION_TILE_BLOCKS));
}

/* ------------------------------------------------------------------- memory */

static size_t reserve(plan *p, uint64_t bytes) {
    const size_t start = p->bytes;
    p->bytes += winnow__round_up(bytes, ALIGNMENT);
    return start;
}

static uint64_t line_bytes(const plan *p, unsigned pass) {
    return winnow__partition_digits(p, pass) * sizeof(uint64_t);
}

/* Bytes for the passes that count digits. */
static uint64_t table_bytes(const plan *p) {
    const unsigned passes = !p->exact ? p->passes : p->estimated ? 1 : 0;
    uint64_t most = 0;
    for (unsigned i = 0; i < passes; i++)
        if (p->chunks[i] * line_bytes(p, i) > most)
            most = p->chunks[i] * line_bytes(p, i);
    return most;
}

/* Counts of parts, two counters for each part and each digit, and one of tiles. */
static void lay_out_parts(uint32_t parts, plan *p) {
    p->zero_bytes = winnow__round_up(parts * 2 * sizeof(uint64_t) +
                                         (WINNOW__PARTITION_DIGITS * 2 + 1) *
                                             sizeof(uint32_t),
                                     ALIGNMENT);
    p->part_items = reserve(p, p->zero_bytes);
}

static void lay_out_estimate(const winnow__query *query, plan *p) {
    const winnow__partition *const details = winnow__partition_of(query);
    winnow__partition_estimate_plan *const e = &p->estimate;
    const uint64_t items = e->spare_left_over + e->spare_items;
    e->exchange = reserve(p, sizeof(winnow__partition_estimate));
    e->spare_keys = reserve(p, items * query->type->size);
    for (uint32_t c = 0; c < details->column_count; c++)
        e->spare[c] = reserve(p, items * details->columns[c]->element_bytes);
}

static void lay_out(const winnow__query *query, plan *p) {
    const winnow__partition *const details = winnow__partition_of(query);
    p->table = reserve(p, table_bytes(p));
    p->totals = reserve(p, line_bytes(p, p->passes - 1));
    if (p->exact || p->passes > 2)
        lay_out_parts(details->parts, p);
    if (p->estimated)
        lay_out_estimate(query, p);
    if (p->passes == 1)
        return;
    for (unsigned i = 0; i < p->passes; i++)
        p->offsets[i] = reserve(p, line_bytes(p, i) + sizeof(uint64_t));
    /* The number of chunks, and their size, come last. */
    p->first_chunk =
        reserve(p, (WINNOW__PARTITION_SEGMENTS + 2) * sizeof(uint32_t));
    p->keys = reserve(p, query->n * query->type->size);
    for (uint32_t c = 0; c < details->column_count; c++)
        p->columns[c] =
            reserve(p, query->n * details->columns[c]->element_bytes);
    p->second_rows = p->bytes - p->keys;
    if (p->passes > 2)
        reserve(p, p->second_rows);
}

winnow__partition_plan winnow__partition_make_plan(const winnow__query *query) {
    const unsigned row_bytes = row_bytes_of(query);
    plan p = {.wide_keys = query->type->size == 8,
              .has_columns = row_bytes != 0};
    const bool has_room =
        blocks_of(query, &p, DIGIT_BITS, false, widest(query)) != 0;
    const unsigned bits = has_room ? DIGIT_BITS : LEAST_DIGIT_BITS;
    /* The input's order is valid as any order, too. In several launches of a
     * pass, only kernels that keep the order put items into the same places. */
    p.any_order = query->launch.order == WINNOW_UNORDERED && has_room &&
                  blocks_of(query, &p, DIGIT_BITS, true, row_bytes) != 0 &&
                  batch_bytes(query, &p, DIGIT_BITS, true) == row_bytes;
    p.batch_bytes = batch_bytes(query, &p, bits, p.any_order);
    const winnow__kernel kernel = largest(&p, bits, p.any_order, 0);
    p.tile_items = kernel.tile_bytes / kernel.vector_bytes;
    choose_passes(query, bits, &p);
    cut_first(query, &p);
    if (can_reserve(query, &p)) {
        winnow__partition_plan_estimate(query, &p);
        if (p.passes == 2)
            plan_exact(query, &p);
    }
    if (p.exact || p.passes > 2)
        plan_part_counts(query, &p);
    for (unsigned i = 1; i < p.passes; i++)
        cut_segments(query, i, &p);
    lay_out(query, &p);
    return p;
}
