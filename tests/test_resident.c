/*
 * What the library makes of a device that cannot run all the blocks together
 * that another one can: cuda_resident.c, cuda_launch.c and cuda_limits.c over a
 * CUDA runtime of this file's, since no machine has every device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#include <criterion/criterion.h>

#include "cuda_kernels.h"
#include "no_runtime.h"

/* ------------------------------------------------- the kernels' tables */

static const char a_kernel;
#define TABLE                                                                  \
    {                                                                          \
        [2] = { [WINNOW__INTERVAL] = {&a_kernel, 256, 4096, 4, 0} }            \
    }

winnow__kernels winnow__tile_cluster_2 = TABLE;
winnow__kernels winnow__tile_cluster_4 = TABLE;
winnow__kernels winnow__tile_cluster_8 = TABLE;
winnow__kernels winnow__tile_cluster_16 = TABLE;
winnow__kernels winnow__tile_cluster_quads = TABLE;
winnow__kernels winnow__tile_cluster_quads_whole = TABLE;
winnow__kernels winnow__tile_aggregated_rows_2 = TABLE;
winnow__kernels winnow__tile_aggregated_rows_8 = TABLE;
winnow__kernels winnow__tile_aggregated_rows_16 = TABLE;
winnow__kernels winnow__tile_aggregated_small = TABLE;
winnow__kernels winnow__tile_aggregated_medium = TABLE;
winnow__kernels winnow__tile_aggregated_large = TABLE;
winnow__kernels winnow__tile_resident_rows_4 = TABLE;
winnow__kernels winnow__tile_resident_rows_8 = TABLE;
winnow__kernels winnow__tile_resident_rows_16 = TABLE;
winnow__kernels winnow__tile_resident_small = TABLE;
winnow__kernels winnow__tile_resident_large = TABLE;
winnow__kernels winnow__tile_scan_small = TABLE;
winnow__kernels winnow__tile_scan_large = TABLE;

/* --------------------------------------------------- the CUDA runtime */

static struct {
    unsigned most;         /* blocks of a cluster; more are an error */
    bool knows_attributes; /* of functions */
    cudaError_t launch;    /* what it says of a launch */
    unsigned questions, launches;
    bool current;
} device;

winnow_status winnow__enter(const winnow_context *base, bool *entered_p) {
    (void)base;
    *entered_p = device.current = true;
    return WINNOW_OK;
}

void winnow__leave(const winnow_context *base, bool entered) {
    (void)base;
    device.current = !entered;
}

cudaError_t cudaFuncSetAttribute(const void *function,
                                 enum cudaFuncAttribute attribute, int value) {
    (void)function;
    (void)attribute;
    (void)value;
    return no_runtime_say(device.knows_attributes ? cudaSuccess
                                                  : cudaErrorInvalidValue);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          const void *function,
                                                          int threads,
                                                          size_t shared) {
    (void)function;
    (void)threads;
    (void)shared;
    cr_assert(device.current);
    *blocks = 2;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config) {
    (void)function;
    cr_assert(device.current);
    device.questions++;
    if (config->attrs[0].val.clusterDim.x > device.most)
        return no_runtime_say(cudaErrorInvalidClusterSize);
    *clusters = 1;
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                const void *function, void **arguments) {
    (void)config;
    (void)function;
    (void)arguments;
    device.launches++;
    return no_runtime_say(device.launch);
}

/* ------------------------------------------------------------- tests */

static const winnow__type_info type = {"int32", 4, 2, 1, 0};
static const winnow_predicate predicate = {&type, WINNOW__INTERVAL, {0}};
static winnow__cuda_context context;
static const winnow__call call = {.context = &context.base,
                                  .predicate = &predicate};

static void open_device(unsigned most, bool knows_attributes) {
    memset(&context, 0, sizeof(context));
    context.multiprocessors = 10;
    context.clusters = context.cooperative = context.overlap = true;
    memset(&device, 0, sizeof(device));
    no_runtime_last = cudaSuccess;
    device.most = most;
    device.knows_attributes = knows_attributes;
}

static void expect_cluster(unsigned wanted) {
    unsigned blocks;

    cr_assert_eq(
        winnow__cluster_blocks(&call, &winnow__tile_cluster_16, &blocks),
        WINNOW_OK);
    cr_assert_eq(blocks, wanted, "%u blocks, not %u", blocks, wanted);
    cr_assert_not(device.current, "the device was left current");
    cr_assert_eq(no_runtime_last, cudaSuccess,
                 "an error is left to the caller");
}

Test(resident, largest_cluster) {
    static const unsigned sizes[] = {16, 8, 4, 2, 1};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        open_device(sizes[i], true);
        expect_cluster(sizes[i]);
    }
    open_device(8, false); /* and may not be asked for more */
    expect_cluster(8);
}

Test(resident, no_clusters) {
    open_device(16, true);
    context.clusters = false;
    expect_cluster(1);
    cr_assert_eq(device.questions, 0);
}

Test(resident, asked_once) {
    open_device(16, true);
    expect_cluster(16);
    device.most = 8;
    expect_cluster(16);
    cr_assert_eq(device.questions, 1);
}

Test(resident, blocks_of_the_device) {
    unsigned blocks;

    open_device(16, true);
    cr_assert_eq(
        winnow__resident_blocks(&call, &winnow__tile_resident_small, &blocks),
        WINNOW_OK);
    cr_assert_eq(blocks, 20);
    cr_assert_not(device.current, "the device was left current");
}

static winnow_status launch(winnow__form form, cudaError_t error,
                            bool *refused_p) {
    const winnow__plan plan = {.form = form,
                               .kernel = &winnow__tile_cluster_16[2][0],
                               .blocks = 16,
                               .overlaps = true};
    const winnow__args args = {.n = 0};

    open_device(16, true);
    device.launch = error;
    const winnow_status status =
        winnow__launch_plan(&call, &plan, &args, refused_p);
    cr_assert_eq(device.launches, 1);
    cr_assert_eq(no_runtime_last, cudaSuccess,
                 "an error is left to the caller");
    return status;
}

/* Devices differ in what they call a cluster that does not fit. */
Test(resident, refused_cluster) {
    static const cudaError_t errors[] = {cudaErrorInvalidClusterSize,
                                         cudaErrorInvalidConfiguration,
                                         cudaErrorLaunchOutOfResources};
    bool refused;

    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        cr_assert_neq(launch(WINNOW__CLUSTER, errors[i], &refused), WINNOW_OK);
        cr_assert(refused, "error %d", (int)errors[i]);
    }
    cr_assert_eq(launch(WINNOW__CLUSTER, cudaSuccess, &refused), WINNOW_OK);
    cr_assert_not(refused);
}

Test(resident, refused_grid) {
    bool refused;

    cr_assert_neq(
        launch(WINNOW__TOGETHER, cudaErrorCooperativeLaunchTooLarge, &refused),
        WINNOW_OK);
    cr_assert(refused);
    cr_assert_eq(
        launch(WINNOW__TOGETHER, cudaErrorLaunchOutOfResources, &refused),
        WINNOW_ERR_CUDA);
    cr_assert_not(refused);
    cr_assert_eq(launch(WINNOW__EACH, cudaErrorLaunchOutOfResources, &refused),
                 WINNOW_ERR_CUDA);
    cr_assert_not(refused);
}

/* A device, or a part of one, with half the multiprocessors to fill takes half
 * as much for small; what one block or one cluster does stays as it is. */
static void expect_half(int major) {
    winnow__limits whole[WINNOW__SIZES], half[WINNOW__SIZES];

    memset(whole, 0, sizeof(whole));
    memset(half, 0, sizeof(half));
    winnow__set_limits(9, 132, whole);
    winnow__set_limits(major, 66, half);
    for (int i = 0; i < WINNOW__SIZES; i++) {
        const winnow__limits *of = &half[i];

        cr_assert_eq(of->alone, whole[i].alone);
        cr_assert_eq(of->aggregated_cluster, whole[i].aggregated_cluster);
        cr_assert_eq(of->scan_cluster, whole[i].scan_cluster);
        for (int k = 0; k < WINNOW__ROW_KINDS; k++) {
            cr_assert_eq(2 * of->aggregated_rows[k],
                         whole[i].aggregated_rows[k]);
            cr_assert_eq(2 * of->resident_rows[k], whole[i].resident_rows[k]);
        }
        cr_assert_eq(2 * of->aggregated_small, whole[i].aggregated_small);
        cr_assert_eq(2 * of->aggregated_medium, whole[i].aggregated_medium);
        cr_assert_eq(2 * of->resident_small, whole[i].resident_small);
        cr_assert_eq(2 * of->resident_large, whole[i].resident_large);
        cr_assert_eq(2 * of->count_small, whole[i].count_small);
        cr_assert_eq(2 * of->count_medium, whole[i].count_medium);
        cr_assert_gt(of->count_medium, of->count_small);
    }
}

Test(resident, limits_of_a_smaller_device) {
    expect_half(9);
}

Test(resident, limits_of_an_unknown_device) {
    expect_half(8);
}
