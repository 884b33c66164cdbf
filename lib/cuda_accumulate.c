/*
 * Sums by key on a GPU: which way, in how many blocks, with how much shared
 * memory; and its launch.
 *
 * bench/KEYED.md has what decided the limits; most have not been measured.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "accumulate.h"
#include "accumulate_partition.h"
#include "cuda_launch.h"
#include "cuda_memory.h"
#include "status.h"

enum {
    WARPS = WINNOW__ACCUMULATE_THREADS / 32,
    /* Copies of a cache of sums in shared memory, each a warp's: fewer leave
     * memory idle, more leave fewer slots to each. With several components a
     * warp has more under way. */
    CACHES = 8,
    CACHES_OF_SEVERAL = 4,
    /* Slots come in rows of a warp's lanes, which also keeps all aligned. */
    LANES = 32,
    /* Items of a block for each key, from which on sums in shared memory are
     * worth it whatever the keys: adding them up at the end takes an atomic for
     * each key and block. */
    ITEMS_PER_KEY = 3,
    /* Components that are summed up at a time, at least, if there is no room
     * for the sums of all: keys are read again for each few. */
    LEAST_COMPONENTS = 2,
    /* Fewer tiles of a block are not worth a look at a sample. */
    TILES_FOR_SAMPLE = 4,
    /* Of partitioned keys: the sums that all blocks add to at a time are to
     * take one in so many bytes of the L2 cache. */
    SHARE_OF_CACHE = 4,
    /* What a block then takes at a time: a sample is 512 keys. */
    LEAST_TILES_IN_TURN = 2,
    MOST_TILES_IN_TURN = 64
};

/* The sums of a block, in shared memory: winnow__accumulate_args. */
typedef struct sums {
    unsigned copies;
    uint32_t slots; /* 0: there is no room */
    bool direct, common;
    unsigned blocks;     /* on a multiprocessor */
    unsigned components; /* of a launch; the next one has others */
    unsigned beside;     /* components that it adds to global memory */
} sums;

static bool is_narrow(const winnow__accumulation *a) {
    return a->key_bound <= UINT32_MAX;
}

#include <stdlib.h>
static int X(const char *name, int usual) {
    const char *const text = getenv(name);
    return text != NULL ? atoi(text) : usual;
}

static uint64_t round_up(uint64_t x, uint64_t to) {
    return (x + to - 1) / to * to;
}

/* The shared memory that a block may use for sums, so that so many blocks are
 * resident together. */
static size_t shared_budget(const winnow__query *query, unsigned blocks) {
    const winnow__cuda_context *const context =
        (const winnow__cuda_context *)query->context;
    const size_t each = context->shared_bytes / blocks;
    return each > WINNOW__ACCUMULATE_STATIC ? each - WINNOW__ACCUMULATE_STATIC
                                            : 0;
}

static uint64_t count_tiles(const winnow__query *query) {
    return query->n / WINNOW__ACCUMULATE_TILE +
           (query->n % WINNOW__ACCUMULATE_TILE != 0);
}

static uint64_t count_resident(const winnow__query *query, unsigned blocks) {
    const winnow__cuda_context *const context =
        (const winnow__cuda_context *)query->context;
    return (uint64_t)blocks * context->multiprocessors;
}

/* Of a block, where as many blocks share them as are resident. */
static uint64_t tiles_of_block(const winnow__query *query, unsigned blocks) {
    const uint64_t most = count_resident(query, blocks);
    const uint64_t tiles = count_tiles(query);
    return tiles == 0 ? 1 : (tiles + most - 1) / most;
}

/* Are sums in shared memory, with a slot for each key, of use whatever the
 * keys? */
static bool is_worth(const winnow__query *query, unsigned blocks) {
    const winnow__accumulation *const a = query->details;
    return tiles_of_block(query, blocks) * WINNOW__ACCUMULATE_TILE /
               ITEMS_PER_KEY >=
           a->key_bound;
}

/* A slot for each key, if there is room. A copy for each warp, as hot keys
 * would make warps wait for each other; but not of integers, as GPUs add these
 * to shared memory without a loop. */
static sums lay_out_direct(const winnow__query *query, unsigned blocks,
                           unsigned components) {
    const winnow__accumulation *const a = query->details;
    const uint64_t value = (uint64_t)components * a->value_type->size;
    const size_t budget = shared_budget(query, blocks);
    if (a->key_bound > budget / value)
        return (sums){.slots = 0};
    const uint64_t slots = round_up(a->key_bound + 1, LANES);
    const uint64_t room = budget / (slots * value);
    const bool common =
        room < WARPS || winnow__sum_of(a->value_type) == WINNOW__SUM_UINT32;
    return (sums){.copies = common ? 1 : WARPS,
                  .slots = room == 0 ? 0 : (uint32_t)slots,
                  .direct = true,
                  .common = common,
                  .blocks = blocks,
                  .components = components};
}

/* The same with all of a multiprocessor's memory for a block, in the fewest
 * launches for whose components there is room, about as many in each. In one,
 * if keys were partitioned: more have not been measured. */
static sums lay_out_alone(const winnow__query *query) {
    const winnow__accumulation *const a = query->details;
    sums s = lay_out_direct(query, 1, a->components);
    if (a->options.way == WINNOW_ACCUMULATE_PARTITION)
        return s;
    for (unsigned launches = 2; s.slots == 0; launches++) {
        const unsigned each = (a->components + launches - 1) / launches;
        if (each < LEAST_COMPONENTS)
            break;
        s = lay_out_direct(query, 1, each);
    }
    if (s.slots == 0 && a->components > 1 && X("WINNOW_X_BESIDE", 2) >= 0) {
        const unsigned most = 1 + (unsigned)X("WINNOW_X_BESIDE", 2);
        const unsigned launches = (a->components + most - 1) / most;
        s = lay_out_direct(query, 1, 1);
        s.beside = (a->components + launches - 1) / launches - 1;
    }
    return s;
}

/* Else with a block alone on a multiprocessor, if that is sure to be of use; or
 * a cache in a few copies. */
static sums lay_out(const winnow__query *query) {
    const winnow__accumulation *const a = query->details;
    const unsigned blocks = WINNOW__ACCUMULATE_BLOCKS;
    sums s = lay_out_direct(query, blocks, a->components);
    if (s.slots == 0 && is_worth(query, 1))
        s = lay_out_alone(query);
    if (s.slots != 0)
        return s;
    const unsigned copies = a->components > 1 ? CACHES_OF_SEVERAL : CACHES;
    const size_t slot =
        (size_t)a->components * a->value_type->size + (is_narrow(a) ? 4 : 8);
    return (sums){.copies = copies,
                  .slots = (uint32_t)(shared_budget(query, blocks) /
                                      (slot * copies) / LANES * LANES),
                  .blocks = blocks,
                  .components = a->components};
}

static size_t shared_bytes(const winnow__query *query, const sums *s) {
    const winnow__accumulation *const a = query->details;
    const size_t tag = s->direct ? 0 : is_narrow(a) ? 4 : 8;
    return (size_t)s->copies * s->slots *
           ((size_t)s->components * a->value_type->size + tag);
}

/*
 * What a block takes at a time of partitioned keys. All blocks work on
 * neighbouring tiles then: where keys are uniform, these have as large a part
 * of the sums as of the items.
 */
static uint64_t tiles_in_turn(const winnow__query *query, unsigned blocks) {
    const winnow__accumulation *const a = query->details;
    const winnow__cuda_context *const context =
        (const winnow__cuda_context *)query->context;
    const double bytes =
        ((double)a->key_bound + 1) * a->components * a->value_type->size;
    const double share = (double)context->cache_bytes / SHARE_OF_CACHE / bytes;
    const double tiles = (double)query->n / WINNOW__ACCUMULATE_TILE;
    const double each = tiles * share / (double)count_resident(query, blocks);
    const uint64_t own = tiles_of_block(query, blocks);
    const uint64_t most = own < MOST_TILES_IN_TURN ? own : MOST_TILES_IN_TURN;
    const uint64_t least =
        own < LEAST_TILES_IN_TURN ? own : LEAST_TILES_IN_TURN;
    if (each >= (double)most)
        return most;
    return each < (double)least ? least : (uint64_t)each;
}

/* AUTO stays so where blocks are to look at their keys. With a common copy of
 * the sums it matters whether equal keys are neighbours. */
static winnow_accumulate_way choose(const winnow__query *query, const sums *s) {
    const winnow__accumulation *const a = query->details;
    if (a->options.way == WINNOW_ACCUMULATE_PARTITION)
        return WINNOW_ACCUMULATE_AUTO;
    if (a->options.way != WINNOW_ACCUMULATE_AUTO)
        return a->options.way;
    if (s->direct && !s->common && is_worth(query, s->blocks))
        return WINNOW_ACCUMULATE_SHARED;
    return tiles_of_block(query, s->blocks) < TILES_FOR_SAMPLE
               ? WINNOW_ACCUMULATE_WARP
               : WINNOW_ACCUMULATE_AUTO;
}

winnow_status winnow__accumulate_plan(const winnow__query *query,
                                      const winnow__constraints *constraints,
                                      winnow__plan *plan_p) {
    const winnow__accumulation *const a = query->details;
    size_t bytes = 0;
    winnow_status status = WINNOW_OK;
    (void)constraints;
    if (a->options.way == WINNOW_ACCUMULATE_SHARED && lay_out(query).slots == 0)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "the device has no shared memory for the sums of "
                            "WINNOW_ACCUMULATE_SHARED");
    if (a->options.way == WINNOW_ACCUMULATE_PARTITION)
        status = winnow__accumulate_partition_plan(query, &bytes);
    winnow__plan_several(bytes, plan_p);
    plan_p->cursor = true;
    return status;
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
        .components = a->components,
        .all = a->components,
        .first = true,
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
                             (int)shared_budget(query, 1)),
        "preparing a kernel");
}

/* The call's own keys, which neighbouring tiles of a block have; or the
 * partitioned ones. */
static winnow_status set_input(const winnow__call *call,
                               const winnow__workspace *memory, unsigned blocks,
                               winnow__accumulate_args *args) {
    const winnow__accumulation *const a = call->query.details;
    args->tiles = tiles_of_block(&call->query, blocks);
    if (a->options.way != WINNOW_ACCUMULATE_PARTITION)
        return WINNOW_OK;
    args->tiles = tiles_in_turn(&call->query, blocks);
    args->in_turn = true;
    args->reported = WINNOW_ACCUMULATE_PARTITION;
    return winnow__accumulate_partition_enqueue(call, memory->rest, args);
}

static winnow_status launch(const winnow__call *call, winnow__kernel *kernel,
                            unsigned blocks,
                            const winnow__accumulate_args *args) {
    const uint64_t most = count_resident(&call->query, blocks);
    const uint64_t tiles = count_tiles(&call->query);
    const uint64_t wanted =
        tiles == 0 ? 1 : (tiles + args->tiles - 1) / args->tiles;
    return winnow__launch(kernel, (unsigned)(wanted < most ? wanted : most),
                          args, call->stream);
}

static void is_later(winnow__accumulate_args *args) {
    args->first = false;
    args->beyond = NULL;
    args->chosen = NULL;
}

/* The components in turn. The first launch says what was beyond the bound, and
 * which way it took. Where keys come in runs it adds all components to global
 * memory, so that keys are read once. */
static winnow_status launch_components(const winnow__call *call,
                                       winnow__kernel *kernel, const sums *s,
                                       const winnow__accumulate_args *args) {
    winnow_status status = WINNOW_OK;
    for (unsigned first = 0; first < args->all && status == WINNOW_OK;
         first += s->components + s->beside) {
        winnow__accumulate_args some = *args;
        const unsigned left = args->all - first;
        some.components = left < s->components ? left : s->components;
        some.beside =
            left - some.components < s->beside ? left - some.components
                                               : s->beside;
        for (unsigned j = 0; j < left; j++) {
            some.values[j] = args->values[first + j];
            some.out[j] = args->out[first + j];
        }
        if (first != 0)
            is_later(&some);
        status = launch(call, kernel, s->blocks, &some);
    }
    return status;
}

static winnow_status launch_windows(const winnow__call *call,
                                    winnow__kernel *kernel, unsigned blocks,
                                    unsigned windows,
                                    const winnow__accumulate_args *args) {
    const uint64_t each = (args->key_bound + windows - 1) / windows;
    winnow_status status = WINNOW_OK;
    for (uint64_t first = 0; first < args->key_bound && status == WINNOW_OK;
         first += each) {
        winnow__accumulate_args some = *args;
        const uint64_t left = args->key_bound - first;
        some.window_first = first;
        some.window_keys = left < each ? left : each;
        if (first != 0)
            is_later(&some);
        status = launch(call, kernel, blocks, &some);
    }
    return status;
}

winnow_status winnow__accumulate_enqueue(const winnow__call *call,
                                         const winnow__plan *plan,
                                         const winnow__workspace *memory) {
    const winnow__query *const query = &call->query;
    const winnow__accumulation *const a = query->details;
    const sums s = lay_out(query);
    const winnow_accumulate_way way = choose(query, &s);
    const bool shares =
        way == WINNOW_ACCUMULATE_SHARED || way == WINNOW_ACCUMULATE_AUTO;
    const unsigned blocks = shares ? s.blocks : WINNOW__ACCUMULATE_BLOCKS;
    winnow__kernel kernel =
        winnow__accumulate[winnow__sum_of(a->value_type)][is_narrow(a) ? 0 : 1];
    winnow__accumulate_args args = arguments(call);
    winnow_status status = WINNOW_OK;
    (void)plan;
    args.cursor = memory->cursor;
    args.way = (int32_t)way;
    if (shares) {
        args.slots = s.slots;
        args.copies = s.copies;
        args.direct = s.direct;
        args.common = s.common;
        args.worth = s.direct && is_worth(query, blocks);
        kernel.shared_bytes = (unsigned)shared_bytes(query, &s);
        /* As many threads in any case. */
        kernel.threads *= WINNOW__ACCUMULATE_BLOCKS / s.blocks;
        status = allow_shared(query, &kernel);
    }
    if (status == WINNOW_OK)
        status = set_input(call, memory, blocks, &args);
    if (status != WINNOW_OK)
        return status;
    if (shares && s.direct)
        return launch_components(call, &kernel, &s, &args);
    const unsigned windows = way == WINNOW_ACCUMULATE_AUTO && a->options.way == way ? (unsigned)X("WINNOW_X_WINDOWS", 1) : 1;
    return windows > 1 ? launch_windows(call, &kernel, blocks, windows, &args) : launch(call, &kernel, blocks, &args);
}
