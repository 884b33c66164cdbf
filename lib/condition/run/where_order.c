/*
 * The host's sample: blocks of adjacent items, from a hashed place in each of
 * equal parts of the items (kernels/core/sample.h says why).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/round.h"
#include "where_strings.h"
#include "where_values.h"
#include "kernels/core/sample.h"
#include "kernels/select/order.h"

#include <string.h>

enum {
    BLOCK = 128, /* items */
    BLOCK_WORDS = BLOCK / 32,
    BLOCKS = WINNOW__ORDER_WORDS / BLOCK_WORDS,
    /* Testing fewer items takes less time than a few samples. */
    LEAST_ITEMS = 1 << 18,
    LINE = 64,
    STRING_PRICE = 32, /* of a string: its offsets and some of its bytes */
    VALUE_PRICE = 24   /* of a computed value: some elements */
};

/* On a device the launch that orders has to be a small part of the call. On an
 * H200 it takes 12 to 24 microseconds, and reading this much takes 130. */
#define LEAST_BYTES (UINT64_C(512) << 20)
_Static_assert(LEAST_BYTES / (8 * WINNOW__WHERE_COLUMNS) /
                       WINNOW__SELECTION_TILE * sizeof(uint64_t) >=
                   (1 + WINNOW__ORDER_OPS) * sizeof(uint16_t),
               "`before` of such a selection has room for the operations");

static bool is_large(const winnow__bound *bound, uint64_t n) {
    const winnow__where_program *const program = &bound->program;
    uint64_t bytes = 0; /* of an item */
    for (unsigned i = 0; i < program->column_count; i++)
        if (program->columns[i].access <= WINNOW__BY_BYTES)
            bytes += UINT64_C(1) << program->columns[i].log2_size;
    return bytes != 0 && program->column_count <= WINNOW__WHERE_COLUMNS &&
           program->tests <= WINNOW__WHERE_TESTS &&
           bound->made->sets <= WINNOW__WHERE_SETS && n >= LEAST_BYTES / bytes;
}

/* Do all leaves but the last only load bits? These cost next to nothing and
 * avoid loads of the last column, so there is no better order. */
static bool is_in_order(const winnow__where_program *program, bool on_host) {
    if (program->ops != program->leaves)
        return false; /* there are groups */
    for (unsigned i = 0; i + 1 < program->ops; i++) {
        const winnow__where_leaf *const leaf = &program->leaf[program->op[i]];
        const unsigned access = program->columns[leaf->column].access;
        if (access < WINNOW__BY_BITS || (on_host && access > WINNOW__BY_BITS))
            return false;
    }
    return true;
}

bool winnow__is_ordered(const winnow__bound *bound, uint64_t n, bool on_host) {
    const winnow__where_program *const program = &bound->program;
    return program->leaves > 1 && program->leaves <= WINNOW__ORDER_LEAVES &&
           program->nested <= WINNOW__WHERE_DEPTH && !bound->has_empty &&
           !is_in_order(program, on_host) &&
           (on_host ? n >= LEAST_ITEMS : is_large(bound, n));
}

/* The first item of a block. */
static uint64_t block_at(uint64_t n, unsigned block) {
    const uint64_t part = n / BLOCKS;
    return (block * part + winnow__mix(block) % (part - BLOCK + 1)) / BLOCK *
           BLOCK;
}

/* If elements are contiguous, a whole block is read for one live item. Other
 * elements are gathered one by one, with at most one cache line each. */
static winnow__order_price price_of(const winnow__where_column *column) {
    if (column->access == WINNOW__BY_BITS)
        return (winnow__order_price){.price = (float)BLOCK / 8,
                                     .log2_items = 7};
    if (column->access == WINNOW__BY_STRINGS)
        return (winnow__order_price){.price = STRING_PRICE};
    if (column->access == WINNOW__BY_VALUES)
        return (winnow__order_price){.price = BLOCK * VALUE_PRICE,
                                     .log2_items = 7};
    const int64_t stride = (int64_t)column->stride;
    const uint64_t bytes = stride < 0 ? -column->stride : column->stride;
    if (bytes == UINT64_C(1) << column->log2_size && stride > 0)
        return (winnow__order_price){.price = (float)(BLOCK * bytes),
                                     .log2_items = 7};
    return (winnow__order_price){.price =
                                     8 + (float)(bytes < LINE ? bytes : LINE)};
}

static void test_block(const winnow__host_task *task,
                       const winnow__bound *bound, unsigned leaf,
                       unsigned block, winnow__tile_values *values,
                       uint32_t *words) {
    const winnow__where_leaf *const l = &bound->program.leaf[leaf];
    const winnow__span span = {
        .first = block_at(task->n, block), .items = BLOCK, .all = task->n};
    memset(words, 0, BLOCK_WORDS * sizeof words[0]);
    winnow__test_leaf(task->loops, bound, l, &span, NULL, values, words);
    for (unsigned w = 0; l->negated && w < BLOCK_WORDS; w++)
        words[w] = ~words[w];
}

/* Blocks are far apart, so all are prefetched before the first is tested. */
static void fetch_blocks(const winnow__where_column *column, uint64_t n) {
    if (column->access > WINNOW__BY_BYTES)
        return; /* bits take few lines */
    const uint64_t stride = column->stride;
    const unsigned step = stride < LINE ? (unsigned)(LINE / stride) : 1;
    for (unsigned block = 0; block < BLOCKS; block++)
        for (unsigned i = 0; i < BLOCK; i += step)
            __builtin_prefetch(
                (const void *)((uintptr_t)column->first +
                               (block_at(n, block) + i) * stride));
}

typedef struct ordering {
    winnow__order_sample sample;
    uint16_t op[WINNOW__ORDER_OPS]; /* replaces the program's */
} ordering;

_Static_assert(_Alignof(ordering) <= 16, "as the memory is");

size_t winnow__order_host_bytes(uint64_t n) {
    return n >= LEAST_ITEMS ? winnow__round_up(sizeof(ordering), 16) : 0;
}

void winnow__order_on_host(const winnow__host_task *task, void *memory,
                           const winnow__values_room *room,
                           unsigned char *values, winnow__bound *bound) {
    winnow__where_program *const program = &bound->program;
    ordering *const made = memory;
    winnow__order_sample *const sample = &made->sample;
    winnow__tile_values tile;
    if (!winnow__is_ordered(bound, task->n, true))
        return;
    for (unsigned leaf = 0; leaf < program->leaves; leaf++)
        fetch_blocks(&program->columns[program->leaf[leaf].column], task->n);
    memset(sample->inside, 0xff, sizeof sample->inside);
    for (unsigned leaf = 0; leaf < program->leaves; leaf++) {
        const winnow__where_leaf *const l = &program->leaf[leaf];
        sample->price[leaf] = price_of(&program->columns[l->column]);
        sample->price[leaf].price *= winnow__order_work(l);
        for (unsigned block = 0; block < BLOCKS; block++) {
            winnow__no_values(room, values, &tile); /* its values are of another
                                                       block */
            test_block(task, bound, leaf, block, &tile,
                       sample->words[leaf] + BLOCK_WORDS * block);
        }
    }
    program->ops = (uint16_t)winnow__order_ops(sample, program->op,
                                               program->ops, made->op);
    program->op = made->op;
    program->depth = program->nested;
}
