/*
 * The kernel that a call gets, and the memory that it takes, on devices that
 * are not at hand: cuda_plan.c and cuda_limits.c with tables of this file's,
 * and a device that says how many blocks it holds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#include <criterion/criterion.h>

#include "cuda_kernels.h"

/* ------------------------------------------------- the kernels' tables */

static const char a_kernel;

/* Shapes as those of kernels/: threads, bytes of a tile, at what multiples it
 * is cut, shared memory. */
#define KERNEL(THREADS, TILE, VECTOR, SHARED)                                  \
    {                                                                          \
        { &a_kernel, THREADS, TILE, VECTOR, SHARED }                           \
    }
#define STAGED(THREADS, TILE, SHARED)                                          \
    {                                                                          \
        KERNEL(THREADS, TILE, 16, SHARED), KERNEL(THREADS, TILE, 16, SHARED),  \
            KERNEL(THREADS, TILE, 16, SHARED),                                 \
            KERNEL(THREADS, TILE, 16, SHARED)                                  \
    }
#define ROWS_OF(THREADS, ITEMS)                                                \
    {                                                                          \
        KERNEL(THREADS, ITEMS, 1, 0), KERNEL(THREADS, 2 * ITEMS, 2, 0),        \
            KERNEL(THREADS, 4 * ITEMS, 4, 0), KERNEL(THREADS, 8 * ITEMS, 8, 0) \
    }
#define MANY_THREADS(NUMBER) ROWS_OF(512, 512 * NUMBER)
#define ROWS(NUMBER) ROWS_OF(256, 256 * NUMBER)

winnow__kernels winnow__global_atomic = STAGED(256, 8192, 0);
winnow__kernels winnow__shared_atomic = STAGED(256, 8192, 0);
winnow__kernels winnow__warp_aggregated = STAGED(256, 8192, 0);
winnow__kernels winnow__warp_shared = STAGED(256, 8192, 0);
winnow__kernels winnow__tile_alone_2 = MANY_THREADS(2);
winnow__kernels winnow__tile_alone_4 = MANY_THREADS(4);
winnow__kernels winnow__tile_aggregated_rows_2 = MANY_THREADS(2);
winnow__kernels winnow__tile_aggregated_rows_8 = ROWS(8);
winnow__kernels winnow__tile_aggregated_rows_16 = ROWS(16);
winnow__kernels winnow__tile_aggregated_small = STAGED(512, 16384, 0);
winnow__kernels winnow__tile_aggregated_medium = STAGED(256, 16384, 0);
winnow__kernels winnow__tile_aggregated_large = STAGED(384, 36864, 0);
winnow__kernels winnow__tile_cluster_2 = ROWS(2);
winnow__kernels winnow__tile_cluster_4 = ROWS(4);
winnow__kernels winnow__tile_cluster_8 = ROWS(8);
winnow__kernels winnow__tile_cluster_16 = ROWS(16);
winnow__kernels winnow__tile_cluster_quads = {KERNEL(256, 4096, 4, 0)};
winnow__kernels winnow__tile_cluster_quads_whole = {KERNEL(256, 4096, 4, 0)};
winnow__kernels winnow__tile_resident_rows_4 = ROWS(4);
winnow__kernels winnow__tile_resident_rows_8 = ROWS(8);
winnow__kernels winnow__tile_resident_rows_16 = ROWS(16);
winnow__kernels winnow__tile_resident_small = STAGED(512, 32768, 32768);
winnow__kernels winnow__tile_resident_large = STAGED(512, 65536, 65536);
winnow__kernels winnow__tile_scan_small = STAGED(288, 16384, 32768);
winnow__kernels winnow__tile_scan_large = STAGED(544, 49152, 98304);
winnow__kernels winnow__count_small = STAGED(256, 4096, 0);
winnow__kernels winnow__count_medium = STAGED(256, 16384, 0);
winnow__kernels winnow__count_large = STAGED(256, 32768, 0);
winnow__kernels winnow__estimate = STAGED(256, 0, 0);

/* ----------------------------------------------------------- the device */

static winnow__cuda_context context;
static unsigned most_threads; /* of a multiprocessor */
static unsigned questions;

/* What every kernel has beside its stages. */
#define STATIC_SHARED 96

/* As CUDA does: a kernel that no block can be had of is an error. */
winnow_status winnow__resident_blocks(const winnow__call *call,
                                      winnow__kernels *table,
                                      unsigned *blocks_p) {
    const winnow__kernel *kernel = winnow__find_kernel(table, call->predicate);

    questions++;
    if (kernel->shared_bytes + STATIC_SHARED > context.shared_bytes)
        return WINNOW_ERR_CUDA;
    *blocks_p = context.multiprocessors * (most_threads / kernel->threads);
    return WINNOW_OK;
}

winnow_status winnow__cluster_blocks(const winnow__call *call,
                                     winnow__kernels *table,
                                     unsigned *blocks_p) {
    (void)call;
    (void)table;
    *blocks_p = context.clusters ? 16 : 1;
    return WINNOW_OK;
}

winnow_status winnow__check_cub(const winnow__call *call) {
    return call->n > INT32_MAX ? WINNOW_ERR_UNSUPPORTED : WINNOW_OK;
}

winnow_status winnow__cub_bytes(const winnow__call *call, size_t *bytes_p) {
    (void)call;
    *bytes_p = 1;
    return WINNOW_OK;
}

static void open_device(int major, unsigned multiprocessors, unsigned threads,
                        size_t shared_bytes) {
    memset(&context, 0, sizeof(context));
    context.multiprocessors = multiprocessors;
    context.shared_bytes = shared_bytes;
    context.cooperative = true;
    context.clusters = context.overlap = major >= 9;
    context.patience = 100;
    most_threads = threads;
    questions = 0;
    winnow__set_limits(major, multiprocessors, context.limits);
    winnow__set_scan_small(&context);
}

static void open_h200(void) {
    open_device(9, 132, 2048, 232448);
}

/* -------------------------------------------------------------- the calls */

static const winnow__type_info types[WINNOW__SIZES] = {{"uint8", 1, 0, 0, 0},
                                                       {"uint16", 2, 1, 0, 0},
                                                       {"uint32", 4, 2, 0, 0},
                                                       {"uint64", 8, 3, 0, 0}};

enum place {
    UNKNOWN, /* where the workspace is asked for */
    APART,
    IN_PLACE,
    AT_ODD /* as APART, and d_in at an odd address */
};

static winnow_status plan_copy(const winnow__type_info *type, uint64_t n,
                               winnow_order order, enum place place,
                               winnow__plan *plan_p) {
    static uint64_t in, out;
    const winnow_predicate predicate = {type, WINNOW__INTERVAL, {0}};
    const winnow__means means = {.together = true, .ready = true};
    winnow__call call = {.operation = WINNOW__COPY_IF,
                         .context = &context.base,
                         .predicate = &predicate,
                         .n = n,
                         .capacity = n,
                         .options = WINNOW_OPTIONS_INIT};

    call.options.order = order;
    if (place != UNKNOWN) {
        call.in = (const char *)&in + (place == AT_ODD);
        call.out = place == IN_PLACE ? &in : &out;
    }
    return winnow__plan_call(&call, means, plan_p);
}

static winnow_status plan_scan(const winnow__type_info *type, uint64_t n,
                               enum place place, winnow__plan *plan_p) {
    return plan_copy(type, n, WINNOW_STABLE, place, plan_p);
}

/* Call visit for sizes up to 32 MiB, each size of elements, in and not in
 * place. */
static void for_each_call(void (*visit)(const winnow__type_info *type,
                                        uint64_t n, enum place place)) {
    for (int i = 0; i < WINNOW__SIZES; i++)
        for (uint64_t bytes = 1000; bytes < 32 << 20; bytes += bytes / 16)
            for (int place = UNKNOWN; place <= IN_PLACE; place++)
                visit(&types[i], bytes / types[i].size, (enum place)place);
}

/* --------------------------------------------------------------- the tests */

static void expect_plan(const winnow__type_info *type, uint64_t n,
                        enum place place) {
    winnow__plan plan;

    cr_assert_eq(plan_scan(type, n, place, &plan), WINNOW_OK, "%s, n %llu",
                 type->name, (unsigned long long)n);
    cr_assert_leq(plan.kernel->shared_bytes + STATIC_SHARED,
                  context.shared_bytes);
    cr_assert_gt(plan.blocks, 0u);
}

/* Devices of compute capability 7.5 have 64 KiB for a block, and some kernels
 * want more: others do it. */
Test(plan, little_shared_memory) {
    open_device(7, 40, 1024, 65536);
    for_each_call(expect_plan);
}

/* Where the blocks may count by themselves, and where they have to meet. */
static void expect_together(const winnow__type_info *type, uint64_t n,
                            enum place place) {
    winnow__plan plan;

    cr_assert_eq(plan_scan(type, n, place, &plan), WINNOW_OK);
    if (plan.groups == 0) {
        cr_assert_neq(plan.form, WINNOW__TOGETHER);
        return;
    }
    cr_assert_eq(plan.form == WINNOW__TOGETHER, place == IN_PLACE);
    cr_assert_eq(plan.patience, place == IN_PLACE ? 0u : 100u);
    cr_assert_leq(plan.blocks, (unsigned)WINNOW__MOST_RESIDENT);
    cr_assert_leq(n, UINT64_C(1) << WINNOW__TOLD_BITS);
    /* The contract: 16 bytes for each tile of some 32. */
    cr_assert_leq(plan.groups, 16 * ((plan.blocks + 1 + 31) / 32 * 32));
}

Test(plan, together_in_place_alone) {
    open_h200();
    for_each_call(expect_together);
}

static void expect_none_together(const winnow__type_info *type, uint64_t n,
                                 enum place place) {
    winnow__plan plan;

    cr_assert_eq(plan_scan(type, n, place, &plan), WINNOW_OK);
    cr_assert_neq(plan.form, WINNOW__TOGETHER);
    if (place == IN_PLACE)
        cr_assert_eq(plan.groups, 0);
}

Test(plan, no_cooperative_launches) {
    open_h200();
    context.cooperative = false;
    for_each_call(expect_none_together);
}

/* Where tiles of one kind are too many for the device, larger ones may do. */
Test(plan, larger_tiles_where_small_ones_do_not_fit) {
    winnow__plan plan;

    open_h200();
    cr_assert_eq(plan_scan(&types[2], 100000, APART, &plan), WINNOW_OK);
    cr_assert_eq(plan.kernel, &winnow__tile_resident_rows_4[2][0]);
    context.multiprocessors = 10; /* 80 blocks; there would be 98 */
    cr_assert_eq(plan_scan(&types[2], 100000, APART, &plan), WINNOW_OK);
    cr_assert_eq(plan.kernel, &winnow__tile_resident_rows_8[2][0]);
    context.multiprocessors = 1; /* 8 blocks, of no kind enough */
    cr_assert_eq(plan_scan(&types[2], 200000, APART, &plan), WINNOW_OK);
    cr_assert_eq(plan.form, WINNOW__PERSISTENT);
}

static void expect_cluster(const winnow__type_info *type, uint64_t n,
                           enum place place, const winnow__kernel *kernel) {
    winnow__plan plan;

    cr_assert_eq(plan_scan(type, n, place, &plan), WINNOW_OK);
    cr_assert_eq(plan.form, WINNOW__CLUSTER);
    cr_assert_eq(plan.kernel, kernel);
    cr_assert_eq(plan.blocks, (n * type->size + kernel->tile_bytes - 1) /
                                  kernel->tile_bytes);
    cr_assert(!plan.cursor && plan.groups == 0, "it needs no memory");
}

static void expect_alone(uint64_t n, const winnow__kernel *kernel) {
    winnow__plan plan;

    cr_assert_eq(plan_scan(&types[2], n, APART, &plan), WINNOW_OK);
    cr_assert_eq(plan.kernel, kernel, "n %llu", (unsigned long long)n);
    cr_assert_eq(plan.blocks, 1u);
}

/* The smallest tiles go half as far as a cluster has blocks. */
Test(plan, one_block_and_one_cluster) {
    open_h200();
    expect_alone(1, &winnow__tile_alone_2[2][0]);
    expect_alone(1024, &winnow__tile_alone_2[2][0]);
    expect_alone(1025, &winnow__tile_alone_4[2][0]);
    expect_alone(2048, &winnow__tile_alone_4[2][0]);
    expect_cluster(&types[2], 2049, APART, &winnow__tile_cluster_2[2][0]);
    expect_cluster(&types[2], 4096, APART, &winnow__tile_cluster_2[2][0]);
    expect_cluster(&types[2], 4097, APART, &winnow__tile_cluster_4[2][0]);
    expect_cluster(&types[2], 16384, APART, &winnow__tile_cluster_4[2][0]);
    expect_cluster(&types[2], 16385, APART, &winnow__tile_cluster_8[2][0]);
}

/* Bytes, where they are aligned to it, are taken by fours; wherever they lie,
 * no memory is needed. */
Test(plan, bytes_by_fours) {
    open_h200();
    expect_cluster(&types[0], 65536, APART,
                   &winnow__tile_cluster_quads_whole[0][0]);
    expect_cluster(&types[0], 65535, APART, &winnow__tile_cluster_quads[0][0]);
    expect_cluster(&types[0], 32769, IN_PLACE,
                   &winnow__tile_cluster_quads[0][0]);
    expect_cluster(&types[0], 32768, APART, &winnow__tile_cluster_8[0][0]);
    expect_cluster(&types[0], 65536, AT_ODD, &winnow__tile_cluster_16[0][0]);
    expect_cluster(&types[0], 40000, AT_ODD, &winnow__tile_cluster_16[0][0]);
    expect_cluster(&types[0], 65536, UNKNOWN, &winnow__tile_cluster_16[0][0]);
    expect_cluster(&types[1], 65536, APART, &winnow__tile_cluster_16[1][0]);
}

/* The workspace of an unordered call has one size: to tell it takes no device.
 */
Test(plan, unordered_queries_ask_nothing) {
    winnow__plan plan;

    open_h200();
    for (uint64_t n = 20000; n < 1 << 24; n *= 3) {
        cr_assert_eq(plan_copy(&types[2], n, WINNOW_UNORDERED, UNKNOWN, &plan),
                     WINNOW_OK);
        cr_assert_eq(questions, 0u);
    }
    cr_assert_eq(plan_copy(&types[2], 20000, WINNOW_UNORDERED, APART, &plan),
                 WINNOW_OK);
    cr_assert_eq(questions, 1u);
}

/* A release of CUB that takes an int: asked of it before anything else, and
 * whether the workspace has been found large enough or not. */
Test(plan, more_than_cub_takes) {
    const winnow_predicate predicate = {&types[0], WINNOW__INTERVAL, {0}};
    winnow__plan plan;

    open_h200();
    for (int beyond = 0; beyond <= 1; beyond++)
        for (size_t given = 0; given <= 4096; given += 4096) {
            const winnow__means means = {.ready = true, .given = given};
            winnow__call call = {.operation = WINNOW__COPY_IF,
                                 .context = &context.base,
                                 .predicate = &predicate,
                                 .n = (uint64_t)INT32_MAX + (uint64_t)beyond,
                                 .options = WINNOW_OPTIONS_INIT};

            call.options.strategy = WINNOW_CUB_SCAN;
            cr_assert_eq(winnow__plan_call(&call, means, &plan),
                         beyond ? WINNOW_ERR_UNSUPPORTED : WINNOW_OK);
        }
}
