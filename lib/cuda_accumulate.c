/*
 * Sums by key on a GPU: which way, in how many blocks, with how much shared
 * memory; and its launch.
 *
 * The limits here have not been measured.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "accumulate.h"
#include "cuda_launch.h"
#include "cuda_memory.h"
#include "status.h"

enum {
    WARPS = WINNOW__ACCUMULATE_THREADS / 32,
    /* Copies of the sums that are wanted in shared memory, each a warp's: fewer
     * leave memory idle, more leave fewer slots to each. With several
     * components a warp has more under way. */
    COPIES_WANTED = 8,
    COPIES_OF_SEVERAL = 4,
    /* And at least so many where there is a slot for each key. */
    LEAST_OF_SEVERAL = 2,
    /* Slots come in rows of a warp's lanes, which also keeps all aligned. */
    LANES = 32,
    /* Items of a block for each key, from which on sums in shared memory are
     * worth it whatever the keys: adding them up at the end takes an atomic for
     * each key and block. */
    ITEMS_PER_KEY = 4,
    /* Fewer tiles of a block are not worth a look at a sample. */
    TILES_FOR_SAMPLE = 4
};

typedef struct sums {
    unsigned copies;
    uint32_t slots; /* 0: there is no room */
    bool direct;
} sums;

static bool is_narrow(const winnow__accumulation *a) {
    return a->key_bound <= UINT32_MAX;
}

static uint64_t round_up(uint64_t x, uint64_t to) {
    return (x + to - 1) / to * to;
}

/* The shared memory that a block may use for sums, so that
 * WINNOW__ACCUMULATE_BLOCKS of them are resident together. */
static size_t shared_budget(const winnow__query *query) {
    const winnow__cuda_context *const context =
        (const winnow__cuda_context *)query->context;
    const size_t each = context->shared_bytes / WINNOW__ACCUMULATE_BLOCKS;
    return each > WINNOW__ACCUMULATE_STATIC ? each - WINNOW__ACCUMULATE_STATIC
                                            : 0;
}

/* A slot for each key, in as many copies as there are warps for or room; or a
 * cache in a few copies. */
static sums lay_out(const winnow__query *query) {
    const winnow__accumulation *const a = query->details;
    const bool several = a->components > 1;
    const size_t budget = shared_budget(query);
    const uint64_t value = (uint64_t)a->components * a->value_type->size;
    const unsigned least = several ? LEAST_OF_SEVERAL : COPIES_WANTED;
    if (a->key_bound <= budget / value / least) {
        const uint64_t slots = round_up(a->key_bound + 1, LANES);
        const uint64_t room = budget / (slots * value);
        if (room >= least)
            return (sums){.copies = room < WARPS ? (unsigned)room : WARPS,
                          .slots = (uint32_t)slots,
                          .direct = true};
    }
    const unsigned copies = several ? COPIES_OF_SEVERAL : COPIES_WANTED;
    const uint64_t tag = is_narrow(a) ? 4 : 8;
    return (sums){
        .copies = copies,
        .slots = (uint32_t)(budget / ((value + tag) * copies) / LANES * LANES)};
}

static size_t shared_bytes(const winnow__query *query, const sums *s) {
    const winnow__accumulation *const a = query->details;
    const size_t tag = s->direct ? 0 : is_narrow(a) ? 4 : 8;
    return (size_t)s->copies * s->slots *
           ((size_t)a->components * a->value_type->size + tag);
}

static uint64_t count_tiles(const winnow__query *query) {
    return query->n / WINNOW__ACCUMULATE_TILE +
           (query->n % WINNOW__ACCUMULATE_TILE != 0);
}

/* Of a block, where as many blocks share them as are resident. */
static uint64_t tiles_of_block(const winnow__query *query) {
    const winnow__cuda_context *const context =
        (const winnow__cuda_context *)query->context;
    const uint64_t most =
        (uint64_t)WINNOW__ACCUMULATE_BLOCKS * context->multiprocessors;
    const uint64_t tiles = count_tiles(query);
    return tiles == 0 ? 1 : (tiles + most - 1) / most;
}

/* AUTO stays so where blocks are to look at their keys. */
static winnow_accumulate_way choose(const winnow__query *query, const sums *s) {
    const winnow__accumulation *const a = query->details;
    const uint64_t tiles = tiles_of_block(query);
    if (a->options.way != WINNOW_ACCUMULATE_AUTO)
        return a->options.way;
    if (s->direct &&
        tiles * WINNOW__ACCUMULATE_TILE / ITEMS_PER_KEY >= a->key_bound)
        return WINNOW_ACCUMULATE_SHARED;
    return tiles < TILES_FOR_SAMPLE ? WINNOW_ACCUMULATE_WARP
                                    : WINNOW_ACCUMULATE_AUTO;
}

winnow_status winnow__accumulate_plan(const winnow__query *query,
                                      const winnow__constraints *constraints,
                                      winnow__plan *plan_p) {
    const winnow__accumulation *const a = query->details;
    (void)constraints;
    if (a->options.way == WINNOW_ACCUMULATE_SHARED && lay_out(query).slots == 0)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "the device has no shared memory for the sums of "
                            "WINNOW_ACCUMULATE_SHARED");
    winnow__plan_several(0, plan_p);
    plan_p->cursor = true;
    return WINNOW_OK;
}

static winnow__accumulate_args arguments(const winnow__call *call) {
    const winnow__accumulation *const a = call->query.details;
    const winnow__accumulated *const memory = call->memory;
    const winnow_accumulate_options *const options = &a->options;
    winnow__accumulate_args args = {
        .keys = call->in,
        .n = call->query.n,
        .key_bound = a->key_bound,
        .value_stride = winnow__stride(a, options->values_layout),
        .out_stride = winnow__stride(a, options->out_layout),
        .beyond = (unsigned long long *)memory->beyond,
        .chosen = options->d_way,
        .tiles = tiles_of_block(&call->query),
        .components = a->components,
        .wide = a->key_type == WINNOW_UINT64};
    for (unsigned j = 0; j < a->components; j++) {
        if (call->query.n != 0)
            args.values[j] =
                winnow__component(a, options->values_layout, memory->values, j);
        if (a->key_bound != 0)
            args.out[j] = (void *)(uintptr_t)winnow__component(
                a, options->out_layout, (const void *const *)memory->out, j);
    }
    return args;
}

/* CUDA has to be told of so much. It is the same for all calls, since those of
 * other threads may be at it, too. */
static winnow_status allow_shared(const winnow__query *query,
                                  const winnow__kernel *kernel) {
    return winnow__cuda_status(
        cudaFuncSetAttribute(kernel->function,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)shared_budget(query)),
        "preparing a kernel");
}

winnow_status winnow__accumulate_enqueue(const winnow__call *call,
                                         const winnow__plan *plan,
                                         const winnow__workspace *memory) {
    const winnow__query *const query = &call->query;
    const winnow__accumulation *const a = query->details;
    const sums s = lay_out(query);
    const winnow_accumulate_way way = choose(query, &s);
    winnow__kernel kernel =
        winnow__accumulate[winnow__sum_of(a->value_type)][is_narrow(a) ? 0 : 1];
    winnow__accumulate_args args = arguments(call);
    winnow_status status = WINNOW_OK;
    (void)plan;
    args.cursor = memory->cursor;
    args.way = (int32_t)way;
    if (way == WINNOW_ACCUMULATE_SHARED || way == WINNOW_ACCUMULATE_AUTO) {
        args.slots = s.slots;
        args.copies = s.copies;
        args.direct = s.direct;
        kernel.shared_bytes = (unsigned)shared_bytes(query, &s);
        status = allow_shared(query, &kernel);
    }
    const uint64_t tiles = count_tiles(query);
    const uint64_t blocks =
        tiles == 0 ? 1 : (tiles + args.tiles - 1) / args.tiles;
    return status == WINNOW_OK
               ? winnow__launch(&kernel, (unsigned)blocks, &args, call->stream)
               : status;
}
