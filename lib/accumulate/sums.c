/*
 * Sums by key on a GPU: the layout of a block's shared memory.
 *
 * bench/KEYED.md explains the limits; some have not been measured.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "details.h"
#include "cuda/launch.h"

enum {
    /* With fewer tiles for each block, taking a sample does not pay off. */
    TILES_FOR_SAMPLE = 4,
    WARPS = WINNOW__ACCUMULATE_THREADS / 32,
    /* Copies of a cache of sums in shared memory, one for each warp. Fewer
     * would leave memory idle, and with more each has fewer slots. With several
     * components a warp has more accesses under way. */
    CACHES = 8,
    CACHES_OF_SEVERAL = 4,
    /* Slots come in rows of a warp's lanes, so that all of them are aligned. */
    LANES = 32,
    /* Items for each key and block from which on sums in shared memory pay off
     * for any keys: adding them up at the end takes an atomic operation for
     * each key and block. */
    ITEMS_PER_KEY = 3,
    /* The same for the sums of the first keys, when others are in global
     * memory. */
    ITEMS_PER_FRONT_KEY = 2,
    /* Components at a time, at least, if there is no room for all. Keys are
     * read again for each few; interleaved values, too, of all components. One
     * at a time is kernels/accumulate/front.cu's, in one launch. */
    LEAST_COMPONENTS = 2
};

bool winnow__keys_are_narrow(const winnow__accumulation *a) {
    return a->key_bound <= UINT32_MAX;
}

/* ------------------------------------------------------------------ blocks */

static uint64_t count_tiles(const winnow__query *query) {
    return winnow__divide_up(query->n, WINNOW__ACCUMULATE_TILE);
}

/* The number of tiles for each block, if `blocks` are resident on a multiprocessor. */
static uint64_t tiles_each(const winnow__query *query, unsigned blocks) {
    const winnow__cuda_context *const context = winnow__cuda(query->context);
    const uint64_t most = (uint64_t)blocks * context->multiprocessors;
    return query->n == 0 ? 1 : winnow__divide_up(count_tiles(query), most);
}

/* Do sums in shared memory, with a slot for each key, pay off for any keys? */
static bool are_worth(const winnow__query *query, unsigned blocks) {
    const winnow__accumulation *const a = query->details;
    return tiles_each(query, blocks) * WINNOW__ACCUMULATE_TILE /
               ITEMS_PER_KEY >=
           a->key_bound;
}

/* ------------------------------------------------------------------ memory */

size_t winnow__sums_budget(const winnow__query *query, unsigned blocks) {
    const winnow__cuda_context *const context = winnow__cuda(query->context);
    const size_t each = context->shared_bytes / blocks;
    return each > WINNOW__ACCUMULATE_STATIC ? each - WINNOW__ACCUMULATE_STATIC
                                            : 0;
}

/* Bytes of a slot in a cache, with its tag. */
static size_t cached_bytes(const winnow__accumulation *a) {
    return (size_t)a->components * a->sum_type->size +
           (winnow__keys_are_narrow(a) ? 4 : 8);
}

/* A slot for each key, if there is room. A copy for each warp, as hot keys
 * would make warps wait for each other; but not of integers, as GPUs add these
 * to shared memory without a loop. */
static winnow__sums lay_out_direct(const winnow__query *query, unsigned blocks,
                                   unsigned components) {
    const winnow__accumulation *const a = query->details;
    const uint64_t value = (uint64_t)components * a->sum_type->size;
    const size_t budget = winnow__sums_budget(query, blocks);
    if (a->key_bound > budget / value)
        return (winnow__sums){.slots = 0};
    const uint64_t slots = winnow__divide_up(a->key_bound + 1, LANES) * LANES;
    const uint64_t room = budget / (slots * value);
    const bool common =
        room < WARPS || winnow__sum_of(a->sum_type) == WINNOW__SUM_UINT32;
    return (winnow__sums){.copies = common ? 1 : WARPS,
                          .slots = room == 0 ? 0 : (uint32_t)slots,
                          .direct = true,
                          .common = common,
                          .blocks = blocks,
                          .components = components};
}

/* A slot for each key. A block has all of a multiprocessor's memory. There are
 * as few launches as possible, with about as many components in each. */
static winnow__sums lay_out_alone(const winnow__query *query) {
    const winnow__accumulation *const a = query->details;
    unsigned each = a->components;
    winnow__sums sums = lay_out_direct(query, 1, each);
    for (unsigned launches = 2; sums.slots == 0 && each > LEAST_COMPONENTS;
         launches++) {
        each = (unsigned)winnow__divide_up(a->components, launches);
        sums = lay_out_direct(query, 1, each);
    }
    return sums;
}

/* A cache in a few copies, in all memory of this many blocks. */
static winnow__sums lay_out_cache(const winnow__query *query, unsigned blocks) {
    const winnow__accumulation *const a = query->details;
    const unsigned copies = (a->components > 1 ? CACHES_OF_SEVERAL : CACHES) *
                            (WINNOW__ACCUMULATE_BLOCKS / blocks);
    const size_t slots =
        winnow__sums_budget(query, blocks) / (cached_bytes(a) * copies);
    return (winnow__sums){.copies = copies,
                          .slots = (uint32_t)(slots / LANES * LANES),
                          .blocks = blocks,
                          .components = a->components};
}

/* A cache for frequent keys; for others sums of the first keys, as many as
 * there are room and items for. None if these are too few, or interleaved
 * values would be read again for each component. */
static winnow__sums lay_out_front(const winnow__query *query) {
    const winnow__accumulation *const a = query->details;
    const uint64_t room = winnow__sums_budget(query, 1) / a->sum_type->size;
    const uint64_t enough =
        tiles_each(query, 1) * WINNOW__ACCUMULATE_TILE / ITEMS_PER_FRONT_KEY;
    const uint64_t most = (room < enough ? room : enough) / LANES * LANES;
    const uint64_t keys = most < a->key_bound ? most : a->key_bound;
    winnow__sums sums = lay_out_cache(query, 1);
    if ((a->components > 1 && a->value_stride != 1) ||
        keys * WINNOW__ACCUMULATE_FRONT_SHARE < a->key_bound)
        return (winnow__sums){.slots = 0};
    sums.front_keys = (uint32_t)keys;
    return sums;
}

/* A slot for each key, with a block alone on a multiprocessor if that is sure
 * to be of use; else one for each of the first keys, and a cache for frequent
 * ones; else a cache. */
static winnow__sums lay_out(const winnow__query *query) {
    const winnow__accumulation *const a = query->details;
    const unsigned blocks = WINNOW__ACCUMULATE_BLOCKS;
    winnow__sums sums = lay_out_direct(query, blocks, a->components);
    if (sums.slots == 0 && are_worth(query, 1))
        sums = lay_out_alone(query);
    if (sums.slots == 0)
        sums = lay_out_front(query);
    return sums.slots != 0 ? sums : lay_out_cache(query, blocks);
}

static winnow__way choose(const winnow__query *query, const winnow__sums *s) {
    const winnow__accumulation *const a = query->details;
    if (a->way != WINNOW__WAY_AUTO)
        return a->way;
    if (s->direct && !s->common && are_worth(query, s->blocks))
        return WINNOW__WAY_SHARED;
    return tiles_each(query, s->blocks) < TILES_FOR_SAMPLE ? WINNOW__WAY_WARP
                                                           : WINNOW__WAY_AUTO;
}

winnow__sums winnow__lay_out_sums(const winnow__query *query) {
    const winnow__accumulation *const a = query->details;
    winnow__sums s = lay_out(query);
    s.way = choose(query, &s);
    if (s.way != WINNOW__WAY_SHARED && s.way != WINNOW__WAY_AUTO)
        s = (winnow__sums){.way = s.way,
                           .blocks = WINNOW__ACCUMULATE_BLOCKS,
                           .components = a->components};
    s.tiles = tiles_each(query, s.blocks);
    s.grid = query->n == 0
                 ? 1
                 : (unsigned)winnow__divide_up(count_tiles(query), s.tiles);
    s.worth = s.direct && are_worth(query, s.blocks);
    s.bytes = (unsigned)(s.copies * s.slots *
                         (s.direct ? s.components * a->sum_type->size
                                   : cached_bytes(a)));
    return s;
}
