/*
 * Which kernel a call runs, in how many blocks, and what memory that takes:
 * every kernel of ours is found in one table.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_backend.h"
#include "status.h"

typedef const winnow__kernel kernels[WINNOW__SIZES][WINNOW__TEST_KINDS];

/* Defined by kernels/NAME.cu. */
extern kernels winnow__global_atomic;
extern kernels winnow__shared_atomic;
extern kernels winnow__warp_aggregated;
extern kernels winnow__warp_shared;
extern kernels winnow__tile_aggregated_words;
extern kernels winnow__tile_aggregated_small;
extern kernels winnow__tile_aggregated_medium;
extern kernels winnow__tile_aggregated_large;
extern kernels winnow__tile_resident_words;
extern kernels winnow__tile_resident_small;
extern kernels winnow__tile_scan_small;
extern kernels winnow__tile_scan_large;
extern kernels winnow__count;
extern kernels winnow__estimate;
extern const winnow__kernel winnow__store;

static const winnow__kernel *find(kernels *table,
                                  const winnow_predicate *predicate) {
    return &(*table)[predicate->type->log2_size][predicate->kind];
}

const winnow__kernel *winnow__count_kernel(const winnow_predicate *predicate) {
    return find(&winnow__count, predicate);
}

const winnow__kernel *
winnow__estimate_kernel(const winnow_predicate *predicate) {
    return find(&winnow__estimate, predicate);
}

const winnow__kernel *winnow__store_kernel(void) {
    return &winnow__store;
}

/* ------------------------------------------------------------------ tiles */

static uint64_t input_bytes(const winnow__call *call) {
    return call->n * call->predicate->type->size;
}

/*
 * Tiles are cut at aligned addresses (kernels/load.cuh), so there may be one
 * more than the input would fill. What depends on their number must not change
 * with the address: the workspace is asked for before there is one.
 */
static uint64_t count_tiles(const winnow__kernel *kernel,
                            const winnow__call *call) {
    const unsigned most_ahead =
        kernel->vector_bytes - call->predicate->type->size;
    const unsigned ahead =
        call->in == NULL
            ? most_ahead
            : (unsigned)((uintptr_t)call->in % kernel->vector_bytes);
    return (ahead + input_bytes(call) + kernel->tile_bytes - 1) /
           kernel->tile_bytes;
}

static uint64_t most_tiles(const winnow__kernel *kernel,
                           const winnow__call *call) {
    winnow__call anywhere = *call;
    anywhere.in = NULL;
    return count_tiles(kernel, &anywhere);
}

/* Can one launch of the kernel take that many elements? */
static winnow_status check_tiles(const winnow__kernel *kernel,
                                 const winnow__call *call) {
    const uint64_t limit = (UINT64_C(1) << (64 - WINNOW__SURVIVOR_BITS)) - 1;
    const uint64_t most_items = UINT64_C(1) << WINNOW__SURVIVOR_BITS;
    if (call->n >= most_items ||
        input_bytes(call) / kernel->tile_bytes + 2 > limit)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "n is %llu: this strategy takes fewer than 2^%d "
                            "elements in fewer than 2^%d tiles of %u bytes",
                            (unsigned long long)call->n, WINNOW__SURVIVOR_BITS,
                            64 - WINNOW__SURVIVOR_BITS, kernel->tile_bytes);
    return WINNOW_OK;
}

/*
 * How many blocks of a kernel fill a device. It is asked once for each kernel
 * of a context; two threads that ask at the same time get the same answer.
 */
static winnow_status resident_blocks(const winnow__call *call, kernels *table,
                                     unsigned *blocks_p) {
    kernels *const tables[WINNOW__RESIDENT_KERNELS] = {
        &winnow__tile_scan_large, &winnow__tile_scan_small,
        &winnow__tile_resident_small, &winnow__tile_resident_words};
    winnow__cuda_context *context = (winnow__cuda_context *)call->context;
    const winnow__kernel *kernel = find(table, call->predicate);
    unsigned place = 0;
    while (tables[place] != table)
        place++;
    atomic_uint *const known =
        &context->resident[place][call->predicate->type->log2_size]
                          [call->predicate->kind];
    *blocks_p = atomic_load_explicit(known, memory_order_relaxed);
    if (*blocks_p != 0)
        return WINNOW_OK;
    int each = 0;
    cudaError_t error = cudaFuncSetAttribute(
        kernel->function, cudaFuncAttributeMaxDynamicSharedMemorySize,
        (int)kernel->shared_bytes);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &each, kernel->function, (int)kernel->threads,
            kernel->shared_bytes);
    if (error != cudaSuccess)
        return winnow__cuda_status(error, "preparing a kernel");
    if (each == 0)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "device %d cannot hold a block of this strategy",
                            context->device);
    *blocks_p = (unsigned)each * context->multiprocessors;
    atomic_store_explicit(known, *blocks_p, memory_order_relaxed);
    return WINNOW_OK;
}

/* ------------------------------------------------------------------ plans */

static const winnow__limits *limits_of(const winnow__call *call) {
    return &((const winnow__cuda_context *)call->context)->limits;
}

/* A block for each tile. */
static winnow_status plan_each(const winnow__call *call, kernels *table,
                               winnow__plan *plan) {
    plan->form = WINNOW__EACH;
    plan->kernel = find(table, call->predicate);
    winnow_status status = check_tiles(plan->kernel, call);
    if (status == WINNOW_OK)
        plan->blocks = (unsigned)count_tiles(plan->kernel, call);
    return status;
}

/* TILE_AGGREGATED. A tile that is alone meets nobody. */
static winnow_status plan_aggregated(const winnow__call *call,
                                     winnow__plan *plan) {
    const winnow__limits *limits = limits_of(call);
    const uint64_t bytes = input_bytes(call);
    kernels *const table =
        bytes <= limits->aggregated_words[call->predicate->type->log2_size]
            ? &winnow__tile_aggregated_words
        : bytes <= limits->aggregated_small  ? &winnow__tile_aggregated_small
        : bytes <= limits->aggregated_medium ? &winnow__tile_aggregated_medium
                                             : &winnow__tile_aggregated_large;
    winnow_status status = plan_each(call, table, plan);
    plan->overlaps = true;
    plan->cursor = plan->blocks != 1;
    return status;
}

/* A single tile of words, which TILE_AGGREGATED too keeps in order. */
static bool is_single(const winnow__call *call) {
    const winnow__kernel *kernel =
        find(&winnow__tile_aggregated_words, call->predicate);
    return input_bytes(call) <= kernel->tile_bytes &&
           count_tiles(kernel, call) == 1;
}

static void plan_single(const winnow__call *call, winnow__plan *plan) {
    plan->form = WINNOW__EACH;
    plan->kernel = find(&winnow__tile_aggregated_words, call->predicate);
    plan->blocks = 1;
    plan->overlaps = true;
    plan->cursor = false;
}

/* TILE_SCAN in few tiles. *possible_p: can their blocks be resident together?
 */
static winnow_status plan_resident(const winnow__call *call, winnow__plan *plan,
                                   bool *possible_p) {
    const winnow__cuda_context *context =
        (const winnow__cuda_context *)call->context;
    const winnow__limits *limits = limits_of(call);
    const uint64_t bytes = input_bytes(call);
    *possible_p = false;
    if (bytes > limits->resident_small || !context->cooperative)
        return WINNOW_OK;
    kernels *const table =
        bytes <= limits->resident_words[call->predicate->type->log2_size]
            ? &winnow__tile_resident_words
            : &winnow__tile_resident_small;
    const winnow__kernel *kernel = find(table, call->predicate);
    const uint64_t tiles = most_tiles(kernel, call);
    unsigned most;
    winnow_status status = resident_blocks(call, table, &most);
    if (status != WINNOW_OK || tiles > most || tiles > WINNOW__MOST_RESIDENT)
        return status;
    *possible_p = true;
    plan->form = WINNOW__TOGETHER;
    plan->kernel = kernel;
    plan->blocks = (unsigned)count_tiles(kernel, call);
    plan->overlaps = true;
    plan->groups =
        (tiles + WINNOW__GROUP - 1) / WINNOW__GROUP * sizeof(winnow__group);
    return WINNOW_OK;
}

/* One word for each tile; what clears them stores two at a time. */
static size_t state_bytes(uint64_t tiles) {
    return (tiles + 1) / 2 * 2 * sizeof(unsigned long long);
}

/* TILE_SCAN in any number of tiles. */
static winnow_status plan_persistent(const winnow__call *call,
                                     winnow__plan *plan) {
    const unsigned size = call->predicate->type->log2_size;
    kernels *const table =
        input_bytes(call) <= limits_of(call)->scan_small[size]
            ? &winnow__tile_scan_small
            : &winnow__tile_scan_large;
    unsigned most = 0;
    plan->form = WINNOW__PERSISTENT;
    plan->kernel = find(table, call->predicate);
    winnow_status status = check_tiles(plan->kernel, call);
    if (status == WINNOW_OK)
        status = resident_blocks(call, table, &most);
    const uint64_t tiles = count_tiles(plan->kernel, call);
    plan->blocks = tiles < most ? (unsigned)tiles : most;
    plan->overlaps = true;
    plan->cleared = state_bytes(tiles);
    return status;
}

static winnow_status plan_scan(const winnow__call *call, winnow__plan *plan) {
    if (is_single(call)) {
        plan_single(call, plan);
        return WINNOW_OK;
    }
    bool possible = false;
    winnow_status status = WINNOW_OK;
    if (!plan->apart)
        status = plan_resident(call, plan, &possible);
    if (status != WINNOW_OK || possible)
        return status;
    return plan_persistent(call, plan);
}

winnow_status winnow__plan_copy(const winnow__call *call, bool apart,
                                winnow__plan *plan_p) {
    *plan_p = (winnow__plan){
        .strategy = winnow__choose(call), .apart = apart, .cursor = true};
    switch (plan_p->strategy) {
    case WINNOW_GLOBAL_ATOMIC:
        return plan_each(call, &winnow__global_atomic, plan_p);
    case WINNOW_SHARED_ATOMIC:
        return plan_each(call, &winnow__shared_atomic, plan_p);
    case WINNOW_WARP_AGGREGATED:
        return plan_each(call, &winnow__warp_aggregated, plan_p);
    case WINNOW_WARP_SHARED:
        return plan_each(call, &winnow__warp_shared, plan_p);
    case WINNOW_TILE_AGGREGATED:
        return plan_aggregated(call, plan_p);
    case WINNOW_TILE_SCAN:
        return plan_scan(call, plan_p);
    case WINNOW_CUB_SCAN:
        plan_p->form = WINNOW__BY_CUB;
        plan_p->cursor = false;
        return winnow__cub_bytes(call, &plan_p->other);
    default:
        return winnow__fail(WINNOW_ERR_UNSUPPORTED, "unknown strategy");
    }
}

/*
 * Large tiles are faster where they fill the device, as far as a block can have
 * the shared memory. With elements of one byte, whose tiles take long, they
 * have to fill it three times, or the last of them are waited for.
 */
void winnow__scan_small_limits(unsigned multiprocessors, size_t shared_bytes,
                               uint64_t limits[WINNOW__SIZES]) {
    enum {
        OTHER_SHARED = 1024, /* what the kernel has beside its stages */
        RESIDENT = 2         /* blocks of it on a multiprocessor */
    };
    static const unsigned times[WINNOW__SIZES] = {3, 1, 1, 1};
    for (int i = 0; i < WINNOW__SIZES; i++) {
        const winnow__kernel *large = &winnow__tile_scan_large[i][0];
        limits[i] = large->shared_bytes + OTHER_SHARED > shared_bytes
                        ? UINT64_MAX
                        : (uint64_t)times[i] * RESIDENT * multiprocessors *
                              large->tile_bytes;
    }
}
