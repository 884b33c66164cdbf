/*
 * Sums by key on a GPU: which way, and its launches.
 *
 * bench/KEYED.md has what decided the limits; some have not been measured.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "details.h"
#include "sums.h"
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "core/status.h"

enum {
    /* Fewer tiles of a block are not worth a look at a sample. */
    TILES_FOR_SAMPLE = 4,
    /* With fewer there is no launch for parts in runs: it costs 2 us where
     * there are none. */
    TILES_FOR_RUNS = 8,
    /* Sixteenths of the L2 cache. Sums that take more are added to in windows
     * of so many. */
    CACHE_FOR_ALL = 10,
    CACHE_FOR_WINDOW = 7,
    /* Keys and values are read again for each window. Fewer misses in the cache
     * pay for so many more bytes read of each item. */
    BYTES_FOR_WINDOWS = 96,
    /* A miss in the cache loads a sector of sums. With fewer than two items for
     * each sector hardly any is loaded twice. */
    SECTOR = 32,
    ITEMS_PER_SECTOR = 2
};

/* AUTO stays AUTO where blocks are to sample their keys. */
static winnow__way choose(const winnow__query *query, const winnow__sums *s) {
    const winnow__accumulation *const a = query->details;
    if (a->way != WINNOW__WAY_AUTO)
        return a->way;
    if (s->direct && !s->common && winnow__sums_are_worth(query, s->blocks))
        return WINNOW__WAY_SHARED;
    return winnow__accumulate_tiles_each(query, s->blocks) < TILES_FOR_SAMPLE
               ? WINNOW__WAY_WARP
               : WINNOW__WAY_AUTO;
}

winnow_status winnow__accumulate_plan(const winnow__query *query,
                                      const winnow__constraints *constraints,
                                      winnow__plan *plan_p) {
    const winnow__accumulation *const a = query->details;
    (void)constraints;
    if (a->way == WINNOW__WAY_SHARED && winnow__lay_out_sums(query).slots == 0)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "the device has no shared memory for the sums of "
                            "WINNOW__WAY_SHARED");
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
        .chosen = a->d_way,
        .components = a->components,
        .all = a->components,
        .first = true,
        .last = true,
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

/* Of one of the tables of details.h. */
static winnow__kernel find_kernel(const winnow__kernel (*table)[2],
                                  const winnow__accumulation *a) {
    return table[winnow__sum_of(a->value_type)]
                [winnow__keys_are_narrow(a) ? 0 : 1];
}

/* CUDA has to be told of so much. It is the same for all calls, since those of
 * other threads may be at it, too. */
static winnow_status allow_shared(const winnow__query *query,
                                  const winnow__kernel *kernel) {
    return winnow__cuda_status(
        cudaFuncSetAttribute(kernel->function,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)winnow__sums_budget(query, 1)),
        "preparing a kernel");
}

static winnow_status launch(const winnow__call *call,
                            const winnow__kernel *kernel, unsigned blocks,
                            const winnow__accumulate_args *args) {
    const uint64_t most = winnow__accumulate_resident(&call->query, blocks);
    const uint64_t tiles = winnow__accumulate_tiles(&call->query);
    const uint64_t wanted =
        tiles == 0 ? 1 : winnow__divide_up(tiles, args->tiles);
    return winnow__launch_overlapping(
        call, kernel, (unsigned)(wanted < most ? wanted : most), args);
}

/* The first launch reports the way, and counts the keys beyond the bound, but
 * for parts that it leaves to kernels/accumulate/front.cu. What it does not
 * leave to later ones it adds with all keys and all components. */
static void be_later(winnow__accumulate_args *args) {
    args->first = false;
    args->beyond = NULL;
    args->chosen = NULL;
}

/* A few components in each. */
static winnow_status launch_components(const winnow__call *call,
                                       winnow__kernel *kernel,
                                       const winnow__sums *s,
                                       const winnow__accumulate_args *args) {
    winnow_status status = WINNOW_OK;
    for (unsigned first = 0; first < args->all && status == WINNOW_OK;
         first += s->components) {
        winnow__accumulate_args some = *args;
        const unsigned left = args->all - first;
        some.components = left < s->components ? left : s->components;
        for (unsigned j = 0; j < left; j++) {
            some.values[j] = args->values[first + j];
            some.out[j] = args->out[first + j];
        }
        some.last = left <= s->components && s->front_keys == 0;
        if (first != 0)
            be_later(&some);
        status = launch(call, kernel, s->blocks, &some);
    }
    return status;
}

/* How many windows of sums are added to in turn, each in a launch of its own,
 * so that they stay in the L2 cache. */
static uint64_t count_windows(const winnow__query *query) {
    const winnow__accumulation *const a = query->details;
    const winnow__cuda_context *const context =
        (const winnow__cuda_context *)query->context;
    const double share = (double)context->cache_bytes / 16;
    const double each = (double)a->components * a->value_type->size;
    const double sums = (double)a->key_bound * each;
    const double item = (double)query->type->size + each;
    if (sums <= CACHE_FOR_ALL * share ||
        (double)query->n < ITEMS_PER_SECTOR * sums / SECTOR)
        return 1;
    const double more = sums / (CACHE_FOR_WINDOW * share);
    return more * item <= BYTES_FOR_WINDOWS ? (uint64_t)more + 1 : 1;
}

/* A window of keys in each. */
static winnow_status launch_windows(const winnow__call *call,
                                    winnow__kernel *kernel, unsigned blocks,
                                    uint64_t windows,
                                    const winnow__accumulate_args *args) {
    const uint64_t each = winnow__divide_up(args->key_bound, windows);
    winnow_status status = WINNOW_OK;
    for (uint64_t first = 0; first < args->key_bound && status == WINNOW_OK;
         first += each) {
        winnow__accumulate_args some = *args;
        const uint64_t left = args->key_bound - first;
        some.window_first = first;
        some.window_keys = left < each ? left : each;
        some.last = left <= each;
        if (first != 0)
            be_later(&some);
        status = launch(call, kernel, blocks, &some);
    }
    return status;
}

static winnow__kernel find_front(const winnow__query *query,
                                 const winnow__sums *s) {
    const winnow__accumulation *const a = query->details;
    winnow__kernel kernel = find_kernel(winnow__accumulate_front, a);
    kernel.shared_bytes = s->front_keys * (unsigned)a->value_type->size;
    return kernel;
}

/* What the first launch left to kernels/accumulate/front.cu or
 * kernels/accumulate/runs.cu. It has to have as many blocks as that one. */
static winnow_status launch_left(const winnow__call *call,
                                 const winnow__sums *s,
                                 const winnow__kernel *kernel,
                                 const winnow__accumulate_args *args) {
    winnow__accumulate_args rest = *args;
    be_later(&rest);
    /* The first launch has not counted in these parts. */
    rest.beyond = args->beyond;
    rest.components = s->components;
    return launch(call, kernel, s->blocks, &rest);
}

/* kernels/accumulate/runs.cu loads vectors of values, in the order of the keys.
 */
static bool can_take_runs(const winnow__accumulate_args *args) {
    return args->value_stride == 1;
}

static winnow__kernel find_runs(const winnow__query *query,
                                const winnow__sums *s) {
    winnow__kernel kernel =
        find_kernel(winnow__accumulate_runs, query->details);
    kernel.threads *= WINNOW__ACCUMULATE_BLOCKS / s->blocks;
    kernel.shared_bytes =
        s->direct ? (unsigned)winnow__sums_bytes(query, s) : 0;
    return kernel;
}

/* All parts, but for those in runs. */
static winnow_status launch_others(const winnow__call *call,
                                   winnow__kernel *kernel,
                                   const winnow__sums *s,
                                   const winnow__accumulate_args *args) {
    if (args->way == WINNOW__WAY_AUTO && !s->direct && s->front_keys == 0) {
        const uint64_t windows = count_windows(&call->query);
        if (windows > 1)
            return launch_windows(call, kernel, s->blocks, windows, args);
    }
    const winnow_status status = launch_components(call, kernel, s, args);
    const winnow__kernel front = find_front(&call->query, s);
    return status != WINNOW_OK || s->front_keys == 0
               ? status
               : launch_left(call, s, &front, args);
}

static winnow_status launch_all(const winnow__call *call,
                                winnow__kernel *kernel, const winnow__sums *s,
                                const winnow__accumulate_args *args) {
    const winnow_status status = launch_others(call, kernel, s, args);
    const winnow__kernel runs = find_runs(&call->query, s);
    return status != WINNOW_OK || !args->runs
               ? status
               : launch_left(call, s, &runs, args);
}

/* The sums in shared memory, and the kernels that have them. */
static winnow_status share_sums(const winnow__query *query,
                                const winnow__sums *s, winnow__kernel *kernel,
                                winnow__accumulate_args *args) {
    winnow_status status = WINNOW_OK;
    args->slots = s->slots;
    args->copies = s->copies;
    args->direct = s->direct;
    args->front_keys = s->front_keys;
    args->common = s->common;
    args->worth = s->direct && winnow__sums_are_worth(query, s->blocks);
    kernel->shared_bytes = (unsigned)winnow__sums_bytes(query, s);
    /* As many threads in any case. */
    kernel->threads *= WINNOW__ACCUMULATE_BLOCKS / s->blocks;
    status = allow_shared(query, kernel);
    if (status == WINNOW_OK && s->front_keys != 0) {
        const winnow__kernel front = find_front(query, s);
        status = allow_shared(query, &front);
    }
    if (status == WINNOW_OK && args->runs && s->direct) {
        const winnow__kernel runs = find_runs(query, s);
        status = allow_shared(query, &runs);
    }
    return status;
}

winnow_status winnow__accumulate_enqueue(const winnow__call *call,
                                         const winnow__plan *plan,
                                         const winnow__workspace *memory) {
    const winnow__query *const query = &call->query;
    const winnow__accumulation *const a = query->details;
    winnow__sums s = winnow__lay_out_sums(query);
    const winnow__way way = choose(query, &s);
    winnow__accumulate_args args = arguments(call);
    const bool all_runs = way == WINNOW__WAY_RUNS && can_take_runs(&args);
    winnow__kernel kernel =
        find_kernel(all_runs ? winnow__accumulate_runs : winnow__accumulate, a);
    winnow_status status = WINNOW_OK;
    (void)plan;
    args.cursor = memory->cursor;
    args.way = (int32_t)way;
    if (way == WINNOW__WAY_SHARED || way == WINNOW__WAY_AUTO) {
        args.runs =
            can_take_runs(&args) && (way == WINNOW__WAY_AUTO || s.direct) &&
            winnow__accumulate_tiles_each(query, s.blocks) >= TILES_FOR_RUNS;
        status = share_sums(query, &s, &kernel, &args);
    } else {
        s = (winnow__sums){.blocks = WINNOW__ACCUMULATE_BLOCKS,
                           .components = a->components};
    }
    args.tiles = winnow__accumulate_tiles_each(query, s.blocks);
    return status == WINNOW_OK ? launch_all(call, &kernel, &s, &args) : status;
}
