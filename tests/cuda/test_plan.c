/*
 * The kernel that a call gets, and the memory that it takes, on devices that
 * are not at hand: the CPU device is made to say what they would.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <criterion/criterion.h>

#include "copy/common.h"
#include "tile/shapes.h"
#include "cuda/memory.h"
#include "cuda/plan.h"
#include "one_call/one_pass.h"
#include "core/operation.h"

#include "cut.h"
#include "simt/simt.h"

/* ----------------------------------------------------------- the device */

static struct backend backend;
static winnow__cuda_context *context;

/* What every kernel has beside its stages. */
#define STATIC_SHARED 96

static void open_device(int major, int multiprocessors, int threads,
                        int shared_bytes) {
    simt_settings.major = major;
    simt_settings.minor = 0;
    simt_settings.ptx_version = 10 * major;
    simt_settings.multiprocessors = multiprocessors;
    simt_settings.threads = threads;
    simt_settings.shared_per_block = shared_bytes;
    simt_settings.shared_bytes = shared_bytes + 1024; /* CUDA's own */
    simt_settings.most_cluster = major >= 9 ? 16 : 0;
    backend_open_gpu(&backend);
    context = cut_context(&backend);
}

static void close_device(void) {
    backend_close(&backend);
}

static void open_h200(void) {
    open_device(9, 132, 2048, 232448);
}

/* -------------------------------------------------------------- the calls */

static const winnow_type types[WINNOW__SIZES] = {WINNOW_UINT8, WINNOW_UINT16,
                                                 WINNOW_UINT32, WINNOW_UINT64};

enum place {
    UNKNOWN, /* where the workspace is asked for */
    APART,
    IN_PLACE,
    AT_ODD /* as APART, and d_in at an odd address */
};

static winnow_status plan_copy(winnow_type type, uint64_t n, winnow_order order,
                               enum place place, winnow__plan *plan_p) {
    const winnow_predicate predicate = {
        winnow__type(type), WINNOW__INTERVAL, {0}};
    const winnow__constraints constraints = {.exchange = true,
                                             .ready = true,
                                             .located = place != UNKNOWN,
                                             .in = place == AT_ODD ? 65537
                                                                   : 65536,
                                             .in_place = place == IN_PLACE};
    winnow__query query = {.operation = &winnow__copy_if_operation,
                           .context = backend.context,
                           .predicate = &predicate,
                           .type = predicate.type,
                           .n = n,
                           .launch = {.size = sizeof(winnow_launch)}};

    query.launch.order = order;
    return winnow__plan_query(&query, &constraints, plan_p);
}

static winnow_status plan_scan(winnow_type type, uint64_t n, enum place place,
                               winnow__plan *plan_p) {
    return plan_copy(type, n, WINNOW_STABLE, place, plan_p);
}

/* Call visit for sizes up to 32 MiB, each size of elements, in and not in
 * place. */
static void for_each_call(void (*visit)(winnow_type type, uint64_t n,
                                        enum place place)) {
    for (int i = 0; i < WINNOW__SIZES; i++)
        for (uint64_t bytes = 1000; bytes < 32 << 20; bytes += bytes / 16)
            for (int place = UNKNOWN; place <= IN_PLACE; place++)
                visit(types[i], bytes / winnow_type_size(types[i]),
                      (enum place)place);
}

/* --------------------------------------------------------------- the tests */

static void expect_plan(winnow_type type, uint64_t n, enum place place) {
    winnow__plan plan;

    cr_assert_eq(plan_scan(type, n, place, &plan), WINNOW_OK, "%s, n %llu",
                 winnow_type_name(type), (unsigned long long)n);
    cr_assert_leq(plan.kernel->shared_bytes + STATIC_SHARED,
                  context->shared_bytes);
    cr_assert_gt(plan.blocks, 0u);
}

/* Devices of compute capability 7.5 have 64 KiB for a block, and some kernels
 * want more: others do it. */
Test(plan, little_shared_memory) {
    open_device(7, 40, 1024, 65536);
    for_each_call(expect_plan);
    close_device();
}

/* Where each block may fall back on counting, and where all have to be
 * resident. */
static void expect_together(winnow_type type, uint64_t n, enum place place) {
    winnow__plan plan;

    cr_assert_eq(plan_scan(type, n, place, &plan), WINNOW_OK);
    if (plan.groups == 0) {
        cr_assert_neq(plan.mode, WINNOW__COOPERATIVE);
        return;
    }
    cr_assert_eq(plan.mode == WINNOW__COOPERATIVE, place == IN_PLACE);
    cr_assert_eq(plan.spin_limit, place == IN_PLACE ? 0u : context->spin_limit);
    cr_assert_leq(plan.blocks, (unsigned)WINNOW__MOST_ONE_WAVE);
    cr_assert_leq(n, UINT64_C(1) << WINNOW__EXCHANGE_BITS);
    /* The contract: 16 bytes for each tile of some 32. */
    cr_assert_leq(plan.groups, 16 * ((plan.blocks + 1 + 31) / 32 * 32));
}

Test(plan, cooperative_only_in_place) {
    open_h200();
    cr_assert_gt(context->spin_limit, 0u);
    for_each_call(expect_together);
    close_device();
}

static void expect_none_together(winnow_type type, uint64_t n,
                                 enum place place) {
    winnow__plan plan;

    cr_assert_eq(plan_scan(type, n, place, &plan), WINNOW_OK);
    cr_assert_neq(plan.mode, WINNOW__COOPERATIVE);
    if (place == IN_PLACE)
        cr_assert_eq(plan.groups, 0);
}

Test(plan, no_cooperative_launches) {
    simt_settings.cooperative = false;
    open_h200();
    for_each_call(expect_none_together);
    close_device();
}

/* So many multiprocessors, with as much for small as an H200 has. */
static void open_little_h200(int multiprocessors) {
    open_device(9, multiprocessors, 2048, 232448);
    winnow__set_limits(132, cut_shapes(&backend)->limits);
}

/* Where tiles of one kind are too many for the device, larger ones may do. */
Test(plan, larger_tiles_where_small_ones_do_not_fit) {
    winnow__plan plan;

    open_h200();
    cr_assert_eq(plan_scan(WINNOW_UINT32, 100000, APART, &plan), WINNOW_OK);
    cr_assert_eq(plan.kernel, &winnow__one_wave_striped_4[2][0]);
    close_device();
    open_little_h200(10); /* 80 blocks; there would be 98 */
    cr_assert_eq(plan_scan(WINNOW_UINT32, 100000, APART, &plan), WINNOW_OK);
    cr_assert_eq(plan.kernel, &winnow__one_wave_striped_8[2][0]);
    close_device();
    open_little_h200(1); /* 8 blocks, of no kind enough */
    cr_assert_eq(plan_scan(WINNOW_UINT32, 200000, APART, &plan), WINNOW_OK);
    cr_assert_eq(plan.mode, WINNOW__PERSISTENT);
    close_device();
}

/* Striped tiles of each shape go as far as their limit. */
Test(plan, striped_up_to_their_limits) {
    static const winnow__shape shapes[] = {
        WINNOW__SHAPE_tile_aggregated_striped_2,
        WINNOW__SHAPE_tile_aggregated_striped_8,
        WINNOW__SHAPE_tile_aggregated_striped_16};

    open_h200();
    for (int i = 0; i < 3; i++) {
        const uint64_t limit = cut_shapes(&backend)->limits[shapes[i]][1];
        winnow__plan plan;

        cr_assert_gt(limit, 0u);
        for (uint64_t n = limit; n <= limit + 1; n++) {
            cr_assert_eq(
                plan_copy(WINNOW_UINT16, n, WINNOW_UNORDERED, APART, &plan),
                WINNOW_OK);
            cr_assert_eq(plan.kernel ==
                             &(*winnow__shapes[shapes[i]].kernels)[1][0],
                         n == limit, "%s, n %llu",
                         winnow__shapes[shapes[i]].name, (unsigned long long)n);
        }
    }
    close_device();
}

static void expect_cluster(winnow_type type, uint64_t n, enum place place,
                           const winnow__kernel *kernel) {
    winnow__plan plan;

    cr_assert_eq(plan_scan(type, n, place, &plan), WINNOW_OK);
    cr_assert_eq(plan.mode, WINNOW__CLUSTER);
    cr_assert_eq(plan.kernel, kernel);
    cr_assert_eq(plan.blocks,
                 (n * winnow_type_size(type) + kernel->tile_bytes - 1) /
                     kernel->tile_bytes);
    cr_assert(!plan.cursor && plan.groups == 0, "it needs no memory");
}

static void expect_single_block(uint64_t n, const winnow__kernel *kernel) {
    winnow__plan plan;

    cr_assert_eq(plan_scan(WINNOW_UINT32, n, APART, &plan), WINNOW_OK);
    cr_assert_eq(plan.kernel, kernel, "n %llu", (unsigned long long)n);
    cr_assert_eq(plan.blocks, 1u);
}

Test(plan, one_block_and_one_cluster) {
    open_h200();
    expect_single_block(1, &winnow__single_block_2[2][0]);
    expect_single_block(1024, &winnow__single_block_2[2][0]);
    expect_single_block(1025, &winnow__single_block_4[2][0]);
    expect_single_block(2048, &winnow__single_block_4[2][0]);
    expect_cluster(WINNOW_UINT32, 2049, APART, &winnow__cluster_2[2][0]);
    expect_cluster(WINNOW_UINT32, 4096, APART, &winnow__cluster_2[2][0]);
    expect_cluster(WINNOW_UINT32, 4097, APART, &winnow__cluster_4[2][0]);
    expect_cluster(WINNOW_UINT32, 16384, APART, &winnow__cluster_4[2][0]);
    expect_cluster(WINNOW_UINT32, 16385, APART, &winnow__cluster_8[2][0]);
    expect_cluster(WINNOW_UINT32, 32769, APART, &winnow__cluster_16[2][0]);
    expect_cluster(WINNOW_UINT8, 65536, APART, &winnow__cluster_16[0][0]);
    expect_cluster(WINNOW_UINT8, 65535, AT_ODD, &winnow__cluster_16[0][0]);
    expect_cluster(WINNOW_UINT8, 65536, UNKNOWN, &winnow__cluster_16[0][0]);
    expect_cluster(WINNOW_UINT16, 65536, IN_PLACE, &winnow__cluster_16[1][0]);
    expect_cluster(WINNOW_UINT64, 32768, APART, &winnow__cluster_8[3][0]);
    close_device();
}

/* Records of 16 << log2 bytes, by a field of 4 of them. */
static winnow__query records_query(uint64_t n) {
    static winnow_predicate predicate = {.kind = WINNOW__INTERVAL};

    predicate.type = winnow__type(WINNOW_UINT32);
    return (winnow__query){.context = backend.context,
                           .predicate = &predicate,
                           .type = predicate.type,
                           .n = n};
}

static winnow__records records_of(unsigned log2) {
    return (winnow__records){.in = (const void *)(uintptr_t)65536,
                             .out = (void *)(uintptr_t)(1 << 20),
                             .bytes = (size_t)16 << log2,
                             .field = 12};
}

static bool is_records_scan(uint64_t n, unsigned log2) {
    const winnow__query query = records_query(n);
    const winnow__records records = records_of(log2);
    winnow__input input;
    bool possible;

    cr_assert_eq(winnow__find_records_scan(&query, &records, &input, &possible),
                 WINNOW_OK);
    return possible;
}

/* Which records go in one pass: more than fill the device with large tiles, and
 * no more than one launch takes; and by which kernel. */
Test(plan, records) {
    const winnow__constraints constraints = {.located = true, .in = 65536};
    const uint64_t filled = 2 * 132 * 49152;                /* bytes */
    const uint64_t most = ((UINT64_C(1) << 24) - 3) * 3072; /* vectors */

    open_h200();
    for (unsigned log2 = 0; log2 < 3; log2++) {
        const uint64_t n = filled >> (4 + log2);
        const winnow__query query = records_query(n + 1);
        const winnow__records records = records_of(log2);
        winnow__plan plan = {.cursor = true};
        winnow__input input;
        bool possible;

        cr_assert_not(is_records_scan(0, log2));
        cr_assert_not(is_records_scan(n, log2));
        cr_assert(is_records_scan(n + 1, log2));
        cr_assert(is_records_scan(most >> log2, log2));
        cr_assert_not(is_records_scan((most + 3072) >> log2, log2));
        cr_assert_eq(
            winnow__find_records_scan(&query, &records, &input, &possible),
            WINNOW_OK);
        cr_assert_eq(winnow__plan_look_back(&input, &constraints,
                                            WINNOW__SHAPE_records_scan, &plan),
                     WINNOW_OK);
        cr_assert_eq(plan.mode, WINNOW__PERSISTENT);
        cr_assert_eq(plan.shape, WINNOW__SHAPE_records_scan);
        cr_assert_eq(plan.kernel, &winnow__records_scan[log2][0]);
        cr_assert_eq(plan.blocks, 264u);
        cr_assert_eq(plan.cleared, 266 * sizeof(unsigned long long));
    }
    close_device();
}

/* How often the device was asked how many blocks it holds. */
static unsigned questions(void) {
    return simt_calls("cudaOccupancyMaxActiveBlocksPerMultiprocessor") +
           simt_calls("cudaOccupancyMaxActiveClusters");
}

/* The workspace of an unordered call has one size: no device is asked. */
Test(plan, unordered_queries_ask_nothing) {
    winnow__plan plan;

    open_h200();
    for (uint64_t n = 20000; n < 1 << 24; n *= 3) {
        cr_assert_eq(
            plan_copy(WINNOW_UINT32, n, WINNOW_UNORDERED, UNKNOWN, &plan),
            WINNOW_OK);
        cr_assert_eq(questions(), 0u);
    }
    cr_assert_eq(
        plan_copy(WINNOW_UINT32, 20000, WINNOW_UNORDERED, APART, &plan),
        WINNOW_OK);
    cr_assert_eq(questions(), 1u);
    close_device();
}

/* A release of CUB that takes an int. */
Test(plan, more_than_cub_takes) {
    const winnow__constraints constraints = {.ready = true};
    const winnow_predicate predicate = {
        winnow__type(WINNOW_UINT8), WINNOW__INTERVAL, {0}};
    winnow__plan plan;

    simt_settings.cub_items = INT32_MAX;
    open_h200();
    for (int beyond = 0; beyond <= 1; beyond++) {
        winnow__query query = {.operation = &winnow__copy_if_operation,
                               .context = backend.context,
                               .predicate = &predicate,
                               .type = predicate.type,
                               .n = (uint64_t)INT32_MAX + (uint64_t)beyond,
                               .launch = {.size = sizeof(winnow_launch)}};

        query.launch.strategy = WINNOW_CUB_SCAN;
        cr_assert_eq(winnow__plan_query(&query, &constraints, &plan),
                     beyond ? WINNOW_ERR_UNSUPPORTED : WINNOW_OK);
    }
    close_device();
}
