/*
 * The strategies: which kernel packs the survivors, in how many blocks, and
 * what memory that takes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_kernels.h"
#include "cuda_plan.h"
#include "status.h"

/* Can one launch of the kernel take that many elements? */
static winnow_status check_tiles(const winnow__kernel *kernel,
                                 const winnow__call *call) {
    const uint64_t limit = (UINT64_C(1) << (64 - WINNOW__SURVIVOR_BITS)) - 1;
    const uint64_t most_items = UINT64_C(1) << WINNOW__SURVIVOR_BITS;
    if (call->n >= most_items ||
        winnow__input_bytes(call) / kernel->tile_bytes + 2 > limit)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "n is %llu: this strategy takes fewer than 2^%d "
                            "elements in fewer than 2^%d tiles of %u bytes",
                            (unsigned long long)call->n, WINNOW__SURVIVOR_BITS,
                            64 - WINNOW__SURVIVOR_BITS, kernel->tile_bytes);
    return WINNOW_OK;
}

/* Can a block have as much shared memory as the kernel's wants? */
static bool has_room(const winnow__cuda_context *context,
                     const winnow__kernel *kernel) {
    enum {
        OTHER_SHARED = 1024 /* what the kernel has beside its stages */
    };
    return kernel->shared_bytes + OTHER_SHARED <= context->shared_bytes;
}

static uint64_t most_tiles(const winnow__kernel *kernel,
                           const winnow__call *call) {
    winnow__call anywhere = *call;
    anywhere.in = NULL;
    return winnow__count_tiles(kernel, &anywhere);
}

/* The table of the fewest rows that go so far, NULL if none does. */
static winnow__kernels *choose_rows(winnow__kernels *const tables[],
                                    const uint64_t limits[], uint64_t n) {
    for (int i = 0; i < WINNOW__ROW_KINDS; i++)
        if (n <= limits[i])
            return tables[i];
    return NULL;
}

/* A block for each tile. */
static winnow_status plan_each(const winnow__call *call, winnow__kernels *table,
                               winnow__plan *plan) {
    plan->form = WINNOW__EACH;
    plan->kernel = winnow__find_kernel(table, call->predicate);
    winnow_status status = check_tiles(plan->kernel, call);
    if (status == WINNOW_OK)
        plan->blocks = (unsigned)winnow__count_tiles(plan->kernel, call);
    return status;
}

/* One tile, in either order. */
static bool plan_alone(const winnow__call *call, winnow__plan *plan) {
    winnow__kernels *const tables[] = {&winnow__tile_alone_2,
                                       &winnow__tile_alone_4};
    if (call->n > winnow__limits_of(call)->alone)
        return false;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const winnow__kernel *kernel =
            winnow__find_kernel(tables[i], call->predicate);
        if (winnow__count_tiles(kernel, call) == 1) {
            winnow__plan_blocks(WINNOW__EACH, kernel, 1, false, plan);
            return true;
        }
    }
    return false;
}

/* Bytes by fours; NULL for other elements. */
static winnow__kernels *choose_quads(const winnow__call *call) {
    if (call->predicate->type->size != 1)
        return NULL;
    const winnow__kernel *kernel =
        winnow__find_kernel(&winnow__tile_cluster_quads, call->predicate);
    return call->n % kernel->tile_bytes == 0 ? &winnow__tile_cluster_quads_whole
                                             : &winnow__tile_cluster_quads;
}

/* The blocks of one cluster, in order. *possible_p: is there such a cluster? */
static winnow_status plan_cluster(const winnow__call *call, winnow__plan *plan,
                                  bool *possible_p) {
    /* More than a few of the smallest tiles are slower than larger ones. */
    const struct {
        winnow__kernels *table;
        unsigned most_tiles;
    } kinds[] = {
        {&winnow__tile_cluster_2, WINNOW__MOST_CLUSTER / 2},
        {&winnow__tile_cluster_4, WINNOW__MOST_CLUSTER},
        {&winnow__tile_cluster_8, WINNOW__MOST_CLUSTER},
        {choose_quads(call), WINNOW__MOST_CLUSTER},
        {&winnow__tile_cluster_16, WINNOW__MOST_CLUSTER},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        winnow__kernels *const table = kinds[i].table;
        if (table == NULL)
            continue;
        const winnow__kernel *kernel =
            winnow__find_kernel(table, call->predicate);
        const uint64_t tiles = winnow__count_tiles(kernel, call);
        unsigned most;
        /* These tiles are cut where the array begins. */
        if (tiles > kinds[i].most_tiles ||
            (uintptr_t)call->in % kernel->vector_bytes != 0)
            continue;
        winnow_status status = winnow__cluster_blocks(call, table, &most);
        *possible_p = status == WINNOW_OK && tiles <= most;
        if (*possible_p)
            winnow__plan_blocks(WINNOW__CLUSTER, kernel, tiles, false, plan);
        if (status != WINNOW_OK || *possible_p)
            return status;
    }
    return WINNOW_OK;
}

/* One block or one cluster, which need no memory: up to `limit` elements, but
 * as far as it goes where other memory would have to be cleared first. */
static winnow_status plan_bare(const winnow__call *call, winnow__means means,
                               uint64_t limit, winnow__plan *plan,
                               bool *possible_p) {
    *possible_p = plan_alone(call, plan);
    if (*possible_p || !means.together || (means.ready && call->n > limit))
        return WINNOW_OK;
    return plan_cluster(call, plan, possible_p);
}

/*
 * Had the next kernel better begin while the tiles are counted, or later? It
 * then waits where there is room beside these blocks. Where there is room for
 * half of its blocks they would crowd some multiprocessors, and the others have
 * little to do: bench/NOTES.md has the times. Row tiles are so small that this
 * matters less than that they leave no room; then it comes in as they end.
 */
static bool begins_early(bool in_rows, uint64_t blocks, uint64_t most) {
    return in_rows ? 4 * blocks > 3 * most : 2 * blocks <= most;
}

/* Tiles of TILE_AGGREGATED's, which need a cursor. */
static winnow_status plan_tiles(const winnow__call *call,
                                winnow__kernels *table, bool in_rows,
                                winnow__plan *plan) {
    unsigned most = 0;
    winnow_status status = plan_each(call, table, plan);
    plan->overlaps = true;
    if (status != WINNOW_OK || call->in == NULL) /* nothing will be launched */
        return status;
    status = winnow__resident_blocks(call, table, &most);
    plan->early = begins_early(in_rows, plan->blocks, most);
    return status;
}

/* TILE_AGGREGATED. */
static winnow_status plan_aggregated(const winnow__call *call,
                                     winnow__means means, winnow__plan *plan) {
    winnow__kernels *const rows[] = {&winnow__tile_aggregated_rows_2,
                                     &winnow__tile_aggregated_rows_8,
                                     &winnow__tile_aggregated_rows_16};
    const winnow__limits *limits = winnow__limits_of(call);
    const uint64_t bytes = winnow__input_bytes(call);
    bool possible;
    winnow_status status =
        plan_bare(call, means, limits->aggregated_cluster, plan, &possible);
    if (status != WINNOW_OK || possible)
        return status;
    winnow__kernels *table =
        choose_rows(rows, limits->aggregated_rows, call->n);
    const bool in_rows = table != NULL;
    if (!in_rows)
        table = bytes <= limits->aggregated_small
                    ? &winnow__tile_aggregated_small
                : bytes <= limits->aggregated_medium
                    ? &winnow__tile_aggregated_medium
                    : &winnow__tile_aggregated_large;
    return plan_tiles(call, table, in_rows, plan);
}

/* Where there is no address yet, it is not. */
static bool is_in_place(const winnow__call *call) {
    return call->in != NULL && call->in == call->out;
}

/* TILE_SCAN in few tiles, whose blocks tell each other: in the first kind of
 * tiles that go so far and of which the device can hold as many. *possible_p:
 * is there one? */
static winnow_status plan_resident(const winnow__call *call, winnow__plan *plan,
                                   bool *possible_p) {
    const winnow__cuda_context *context =
        (const winnow__cuda_context *)call->context;
    const winnow__limits *limits = winnow__limits_of(call);
    const uint64_t n = call->n, bytes = winnow__input_bytes(call);
    const struct {
        winnow__kernels *table;
        bool goes_so_far;
    } kinds[] = {
        {&winnow__tile_resident_rows_4, n <= limits->resident_rows[0]},
        {&winnow__tile_resident_rows_8, n <= limits->resident_rows[1]},
        {&winnow__tile_resident_rows_16, n <= limits->resident_rows[2]},
        {&winnow__tile_resident_small, bytes <= limits->resident_small},
        {&winnow__tile_resident_large, bytes <= limits->resident_large},
    };
    const bool together = is_in_place(call);
    *possible_p = false;
    if (n > UINT64_C(1) << WINNOW__TOLD_BITS ||
        (together && !context->cooperative))
        return WINNOW_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!kinds[i].goes_so_far)
            continue;
        const winnow__kernel *kernel =
            winnow__find_kernel(kinds[i].table, call->predicate);
        const uint64_t tiles = most_tiles(kernel, call);
        unsigned most;
        if (!has_room(context, kernel))
            continue;
        winnow_status status =
            winnow__resident_blocks(call, kinds[i].table, &most);
        if (status != WINNOW_OK)
            return status;
        if (tiles > most || tiles > WINNOW__MOST_RESIDENT)
            continue;
        *possible_p = true;
        winnow__plan_blocks(together ? WINNOW__TOGETHER : WINNOW__EACH, kernel,
                            winnow__count_tiles(kernel, call),
                            true, /* the groups lie beside it */
                            plan);
        plan->early =
            i >= WINNOW__ROW_KINDS && begins_early(false, tiles, most);
        plan->patience = together ? 0 : context->patience;
        plan->groups =
            (tiles + WINNOW__GROUP - 1) / WINNOW__GROUP * sizeof(winnow__group);
        return WINNOW_OK;
    }
    return WINNOW_OK;
}

/* One word for each tile; what clears them stores two at a time. */
static size_t state_bytes(uint64_t tiles) {
    return (tiles + 1) / 2 * 2 * sizeof(unsigned long long);
}

/* TILE_SCAN in any number of tiles. */
static winnow_status plan_persistent(const winnow__call *call,
                                     winnow__plan *plan) {
    winnow__kernels *const table =
        winnow__input_bytes(call) <= winnow__limits_of(call)->scan_small
            ? &winnow__tile_scan_small
            : &winnow__tile_scan_large;
    unsigned most = 0;
    plan->form = WINNOW__PERSISTENT;
    plan->kernel = winnow__find_kernel(table, call->predicate);
    winnow_status status = check_tiles(plan->kernel, call);
    if (status == WINNOW_OK)
        status = winnow__resident_blocks(call, table, &most);
    const uint64_t tiles = winnow__count_tiles(plan->kernel, call);
    plan->blocks = tiles < most ? (unsigned)tiles : most;
    plan->overlaps = true;
    plan->cleared = state_bytes(tiles);
    return status;
}

static winnow_status plan_scan(const winnow__call *call, winnow__means means,
                               winnow__plan *plan) {
    bool possible;
    winnow_status status = plan_bare(
        call, means, winnow__limits_of(call)->scan_cluster, plan, &possible);
    if (status == WINNOW_OK && !possible && means.together)
        status = plan_resident(call, plan, &possible);
    if (status != WINNOW_OK || possible)
        return status;
    return plan_persistent(call, plan);
}

static winnow_status plan_cub(const winnow__call *call, winnow__means means,
                              winnow__plan *plan) {
    plan->form = WINNOW__BY_CUB;
    plan->cursor = false;
    plan->other = means.given;
    winnow_status status = winnow__check_cub(call);
    if (status == WINNOW_OK && means.given == 0)
        status = winnow__cub_bytes(call, &plan->other);
    return status;
}

winnow_status winnow__plan_compaction(const winnow__call *call,
                                      winnow__means means,
                                      winnow__plan *plan_p) {
    plan_p->strategy = winnow__choose(call);
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
        return plan_aggregated(call, means, plan_p);
    case WINNOW_TILE_SCAN:
        return plan_scan(call, means, plan_p);
    case WINNOW_CUB_SCAN:
        return plan_cub(call, means, plan_p);
    default:
        return winnow__fail(WINNOW_ERR_UNSUPPORTED, "unknown strategy");
    }
}

/*
 * Large tiles are faster where they fill the device, as far as a block can have
 * the shared memory. With elements of one byte, whose tiles take long, they
 * have to fill it three times, or the last of them are waited for.
 */
void winnow__set_scan_small(winnow__cuda_context *context) {
    enum {
        RESIDENT = 2 /* blocks of it on a multiprocessor */
    };
    static const unsigned times[WINNOW__SIZES] = {3, 1, 1, 1};
    for (int i = 0; i < WINNOW__SIZES; i++) {
        const winnow__kernel *large = &winnow__tile_scan_large[i][0];
        context->limits[i].scan_small = has_room(context, large)
                                            ? (uint64_t)times[i] * RESIDENT *
                                                  context->multiprocessors *
                                                  large->tile_bytes
                                            : UINT64_MAX;
    }
}
