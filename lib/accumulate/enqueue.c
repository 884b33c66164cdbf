/*
 * Sums by key on a GPU: chooses a way, and its launches.
 *
 * bench/KEYED.md explains the limits; some have not been measured.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "details.h"
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "core/seed.h"
#include "core/status.h"

enum {
    /* With fewer tiles for each block, no kernel is launched for parts in runs:
     * it would take 2 us even if there were none. */
    TILES_FOR_RUNS = 8,
    /* Sixteenths of the L2 cache. If the sums need more than the first number,
     * they are added to in windows that need the second. */
    CACHE_FOR_ALL = 10,
    CACHE_FOR_WINDOW = 7,
    /* Each window reads keys and values again. Fewer cache misses compensate
     * for at most this many more bytes read for each item. */
    BYTES_FOR_WINDOWS = 96,
    /* A cache miss loads a sector of sums. With fewer than two items for each
     * sector, hardly any sector is loaded twice. */
    SECTOR = 32,
    ITEMS_PER_SECTOR = 2
};

winnow_status winnow__accumulate_plan(const winnow__query *query,
                                      const winnow__constraints *constraints,
                                      winnow__plan *plan_p) {
    const winnow__sums sums = winnow__lay_out_sums(query);
    (void)constraints;
    if (sums.way == WINNOW__WAY_SHARED && sums.slots == 0)
        return winnow__unsupported(
            "the device has no shared memory for the sums of "
            "WINNOW__WAY_SHARED");
    winnow__plan_several(0, plan_p);
    plan_p->cursor = true;
    return WINNOW_OK;
}

/* --------------------------------------------------------------- arguments */

/* The arguments if there is only one launch. */
static winnow__accumulate_args arguments(const winnow__call *call,
                                         const winnow__sums *s,
                                         winnow__cursor *cursor) {
    const winnow__accumulation *const a = call->query.details;
    const winnow__accumulate_arrays arrays = winnow__accumulate_arrays_of(call);
    const winnow__accumulate_args args = {
        .keys = call->in,
        .n = call->query.n,
        .items = (const unsigned long long *)call->query.launch.d_n,
        .key_bound = a->key_bound,
        .arrays = arrays,
        .cursor = cursor,
        .beyond = (unsigned long long *)a->beyond,
        .chosen = a->d_way,
        .tiles = s->tiles,
        .components = a->components,
        .all = a->components,
        .way = (int32_t)s->way,
        .slots = s->slots,
        .seed = (uint32_t)winnow__seed(0),
        .copies = s->copies,
        .front_keys = s->front_keys,
        .sign = a->value_type->is_signed ? UINT32_C(1) << 31 : 0,
        .narrow = a->value_type->size != a->sum_type->size,
        .wide = a->key_type == WINNOW_UINT64,
        .direct = s->direct,
        .common = s->common,
        .worth = s->worth,
        .first = true,
        .last = true,
        /* runs.cu loads vectors of values. */
        .runs = arrays.value_stride == 1 && s->tiles >= TILES_FOR_RUNS &&
                (s->way == WINNOW__WAY_AUTO || s->direct)};
    return args;
}

/* ----------------------------------------------------------------- kernels */

typedef struct kernels {
    winnow__kernel others, front, runs;
} kernels;

/* Find a kernel in a table of kernels/accumulate/args.h, for a block with this
 * much shared memory. All kernels are loaded before the first is launched. */
static winnow_status find_kernel(const winnow__query *query,
                                 const winnow__kernel (*table)[2], bool wanted,
                                 unsigned bytes, winnow__kernel *kernel_p) {
    const winnow__accumulation *const a = query->details;
    *kernel_p =
        table[winnow__sum_of(a->sum_type)][winnow__keys_are_narrow(a) ? 0 : 1];
    kernel_p->shared_bytes = bytes;
    if (!wanted)
        return WINNOW_OK;
    return bytes != 0
               ? winnow__allow_shared(kernel_p, winnow__sums_budget(query, 1))
               : winnow__load(query->context, kernel_p);
}

static winnow_status find_kernels(const winnow__query *query,
                                  const winnow__sums *s,
                                  const winnow__accumulate_args *args,
                                  kernels *k) {
    const winnow__accumulation *const a = query->details;
    const bool all_in_runs =
        s->way == WINNOW__WAY_RUNS && args->arrays.value_stride == 1;
    WINNOW__TRY(find_kernel(
        query, all_in_runs ? winnow__accumulate_runs : winnow__accumulate, true,
        s->bytes, &k->others));
    WINNOW__TRY(find_kernel(query, winnow__accumulate_front, s->front_keys != 0,
                            s->front_keys * (unsigned)a->sum_type->size,
                            &k->front));
    WINNOW__TRY(find_kernel(query, winnow__accumulate_runs, args->runs,
                            s->direct ? s->bytes : 0, &k->runs));
    /* The number of threads on a multiprocessor stays the same. */
    k->others.threads *= WINNOW__ACCUMULATE_BLOCKS / s->blocks;
    k->runs.threads *= WINNOW__ACCUMULATE_BLOCKS / s->blocks;
    return WINNOW_OK;
}

/* ---------------------------------------------------------------- launches */

/* The number of windows of sums. Each has a launch of its own, so that its sums
 * stay in the L2 cache. */
static uint64_t count_windows(const winnow__query *query,
                              const winnow__sums *s) {
    const winnow__accumulation *const a = query->details;
    const winnow__cuda_context *const context = winnow__cuda(query->context);
    const double share = (double)context->cache_bytes / 16;
    const double each = (double)a->components * a->sum_type->size;
    const double sums = (double)a->key_bound * each;
    const double item =
        (double)query->type->size + (double)a->components * a->value_type->size;
    if (s->way != WINNOW__WAY_AUTO || s->direct || s->front_keys != 0 ||
        sums <= CACHE_FOR_ALL * share ||
        (double)query->n < ITEMS_PER_SECTOR * sums / SECTOR)
        return 1;
    const double more = sums / (CACHE_FOR_WINDOW * share);
    return more * item <= BYTES_FOR_WINDOWS ? (uint64_t)more + 1 : 1;
}

/* The first launch reports the way, and counts the keys beyond the bound, but
 * for parts that it leaves to front.cu and runs.cu. What it does not leave to
 * later ones it adds with all keys and all components. */
static winnow__accumulate_args later(const winnow__accumulate_args *args,
                                     unsigned long long *beyond) {
    winnow__accumulate_args some = *args;
    some.first = false;
    some.beyond = beyond;
    some.chosen = NULL;
    return some;
}

static void take_components(winnow__accumulate_args *args, uint64_t first,
                            uint64_t components) {
    args->components = (uint32_t)components;
    for (uint64_t j = 0; j < args->all - first; j++) {
        args->arrays.values[j] = args->arrays.values[first + j];
        args->arrays.out[j] = args->arrays.out[first + j];
    }
}

/* Each launch has a window of keys, or a few components. */
static winnow_status launch_others(const winnow__call *call,
                                   const winnow__sums *s,
                                   const winnow__kernel *kernel,
                                   const winnow__accumulate_args *args) {
    const uint64_t windows = count_windows(&call->query, s);
    const uint64_t end = windows > 1 ? args->key_bound : args->all;
    const uint64_t each =
        windows > 1 ? winnow__divide_up(end, windows) : s->components;
    for (uint64_t first = 0; first < end; first += each) {
        winnow__accumulate_args some = first == 0 ? *args : later(args, NULL);
        const uint64_t left = end - first, here = left < each ? left : each;
        some.last = left <= each && s->front_keys == 0;
        if (windows > 1) {
            some.window_first = first;
            some.window_keys = here;
        } else {
            take_components(&some, first, here);
        }
        WINNOW__TRY(winnow__launch_overlapping(call, kernel, s->grid, &some));
    }
    return WINNOW_OK;
}

/* Launch kernels for the parts that the first launch left to front.cu or
 * runs.cu and has not counted. They need as many blocks as that launch had. */
static winnow_status launch_left(const winnow__call *call,
                                 const winnow__sums *s,
                                 const winnow__kernel *kernel,
                                 const winnow__accumulate_args *args) {
    winnow__accumulate_args rest = later(args, args->beyond);
    rest.components = s->components;
    return winnow__launch_overlapping(call, kernel, s->grid, &rest);
}

winnow_status winnow__accumulate_enqueue(const winnow__call *call,
                                         const winnow__plan *plan,
                                         const winnow__workspace *memory) {
    const winnow__sums s = winnow__lay_out_sums(&call->query);
    kernels k;
    const winnow__accumulate_args args = arguments(call, &s, memory->cursor);
    (void)plan;
    WINNOW__TRY(find_kernels(&call->query, &s, &args, &k));
    WINNOW__TRY(launch_others(call, &s, &k.others, &args));
    if (s.front_keys != 0)
        WINNOW__TRY(launch_left(call, &s, &k.front, &args));
    if (args.runs)
        WINNOW__TRY(launch_left(call, &s, &k.runs, &args));
    return WINNOW_OK;
}
