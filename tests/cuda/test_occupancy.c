/*
 * What the library makes of a device that cannot run all the blocks together
 * that another one can, since no machine has every device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#include <criterion/criterion.h>

#include "tile/shapes.h"
#include "cuda/launch.h"

#include "cut.h"
#include "gpu.h"
#include "simt/simt.h"

/* ------------------------------------------------------------- the device */

static struct backend backend;
static winnow_predicate *predicate; /* x >= 0 */
static winnow__call call;

/* The caller's device is another one. */
static void open_device(void) {
    const int32_t zero = 0;

    backend_open_gpu(&backend);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_INT32, WINNOW_GE, &zero),
        WINNOW_OK);
    call = (winnow__call){.query = {.context = backend.context,
                                    .predicate = predicate,
                                    .type = predicate->type,
                                    .launch = {.stream = backend.stream}}};
    GPU_MUST(cudaSetDevice(1));
}

static void close_device(void) {
    int device;

    GPU_MUST(cudaGetDevice(&device));
    cr_assert_eq(device, 1, "the device was left current");
    GPU_MUST(cudaSetDevice(0));
    winnow_predicate_destroy(predicate);
    backend_close(&backend);
}

static winnow__input input_of_call(void) {
    winnow__input input;

    cr_assert_eq(winnow__input_of(&call.query, &input), WINNOW_OK);
    return input;
}

static unsigned ask_cluster(void) {
    const winnow__input input = input_of_call();
    const void *const before = gpu_current_context();
    unsigned blocks;

    cr_assert_eq(
        winnow__cluster_blocks(&input, WINNOW__SHAPE_cluster_16, &blocks),
        WINNOW_OK);
    cr_assert_eq(gpu_current_context(), before, "the device was left current");
    cr_assert_eq(cudaGetLastError(), cudaSuccess,
                 "an error is left to the caller");
    return blocks;
}

/* How often the device was asked. */
static unsigned questions(void) {
    return simt_calls("cudaOccupancyMaxActiveClusters");
}

/* ------------------------------------------------------------------ tests */

Test(occupancy, largest_cluster) {
    static const int sizes[] = {16, 8, 4, 2, 1};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        unsigned blocks;

        simt_settings.most_cluster = sizes[i];
        open_device();
        blocks = ask_cluster();
        cr_assert_eq(blocks, (unsigned)sizes[i], "%u blocks, not %d", blocks,
                     sizes[i]);
        cr_assert_eq(simt_device("cudaOccupancyMaxActiveClusters"), 0);
        cr_assert_eq(simt_device("cudaFuncSetAttribute"), 0);
        close_device();
    }
}

/* Room for one is enough. */
Test(occupancy, one_cluster) {
    open_device();
    simt_settings.threads =
        (int)winnow__find_kernel(WINNOW__SHAPE_cluster_16, input_of_call().key)
            ->threads;
    simt_settings.multiprocessors = 16;
    cr_assert_eq(ask_cluster(), 16u);
    close_device();
}

static unsigned ask_where_none_are_allowed(void) {
    unsigned blocks;

    open_device();
    simt_fail("cudaFuncSetAttribute", cudaErrorInvalidValue, 0);
    blocks = ask_cluster();
    close_device();
    return blocks;
}

/* More than 8 blocks cannot be allowed; or need not, since they are. */
Test(occupancy, no_larger_clusters) {
    cr_assert_eq(ask_where_none_are_allowed(), 8u);
    open_device();
    cr_assert_eq(ask_cluster(), 16u);
    close_device();
    cr_assert_eq(ask_where_none_are_allowed(), 16u);
}

/* Nor have the kernels been compiled for any. */
Test(occupancy, no_clusters) {
    simt_settings.ptx_version = 80;
    open_device();
    cr_assert_eq(ask_cluster(), 1u);
    cr_assert_eq(questions(), 0u);
    close_device();
}

Test(occupancy, asked_once) {
    open_device();
    cr_assert_eq(ask_cluster(), 16u);
    simt_settings.most_cluster = 8;
    cr_assert_eq(ask_cluster(), 16u);
    cr_assert_eq(questions(), 1u);
    close_device();
}

Test(occupancy, blocks_of_the_device) {
    const winnow__kernel *kernel;
    const void *before;
    winnow__input input;
    unsigned blocks;

    simt_settings.multiprocessors = 10;
    open_device();
    input = input_of_call();
    kernel = winnow__find_kernel(WINNOW__SHAPE_one_wave_small, input.key);
    simt_settings.threads = (int)(2 * kernel->threads + 1);
    before = gpu_current_context();
    cr_assert_eq(
        winnow__resident_blocks(&input, WINNOW__SHAPE_one_wave_small, &blocks),
        WINNOW_OK);
    cr_assert_eq(blocks, 20u);
    cr_assert_eq(simt_device("cudaOccupancyMaxActiveBlocksPerMultiprocessor"),
                 0);
    cr_assert_eq(gpu_current_context(), before, "the device was left current");
    close_device();
}

/* A block that no multiprocessor can hold is said to be. */
Test(occupancy, no_room_for_a_block) {
    winnow__input input;
    unsigned blocks;

    open_device();
    input = input_of_call();
    simt_settings.threads = 64;
    cr_assert_eq(
        winnow__resident_blocks(&input, WINNOW__SHAPE_one_wave_small, &blocks),
        WINNOW_ERR_UNSUPPORTED);
    simt_settings.threads = 2048;
    cr_assert_eq(
        winnow__resident_blocks(&input, WINNOW__SHAPE_one_wave_small, &blocks),
        WINNOW_OK, "it is asked again");
    close_device();
}

/* ----------------------------------------------------------- refused launches
 */

enum {
    BLOCKS = 16
};

/* Zeros, all of which are kept, and what a launch that succeeds writes. */
static struct {
    int32_t *in, *out;
    unsigned long long *count;
    winnow__cursor *cursor;
    uint64_t n;
} memory;

static const winnow__kernel *find_kernel(winnow__launch_mode mode) {
    return winnow__find_kernel(mode == WINNOW__CLUSTER
                                   ? WINNOW__SHAPE_cluster_16
                                   : WINNOW__SHAPE_global_atomic,
                               input_of_call().key);
}

static void open_memory(winnow__launch_mode mode) {
    const size_t bytes = (size_t)BLOCKS * find_kernel(mode)->tile_bytes;

    GPU_MUST(cudaSetDevice(0));
    memory.n = bytes / sizeof(int32_t);
    memory.in = gpu_alloc(bytes);
    memory.out = gpu_alloc(bytes);
    memory.count = gpu_alloc(sizeof(*memory.count));
    memory.cursor = gpu_alloc(sizeof(*memory.cursor));
    GPU_MUST(cudaMemset(memory.in, 0, bytes));
    GPU_MUST(cudaMemset(memory.count, 0, sizeof(*memory.count)));
    GPU_MUST(cudaMemset(memory.cursor, 0, sizeof(*memory.cursor)));
    GPU_MUST(cudaDeviceSynchronize());
}

static void close_memory(void) {
    gpu_free(memory.in);
    gpu_free(memory.out);
    gpu_free(memory.count);
    gpu_free(memory.cursor);
    GPU_MUST(cudaSetDevice(1));
}

/* What the launch says, and how many were counted. */
static winnow_status launch(winnow__launch_mode mode, cudaError_t error,
                            bool *refused_p, uint64_t *count_p) {
    const winnow__plan plan = {.mode = mode,
                               .kernel = find_kernel(mode),
                               .blocks = BLOCKS,
                               .overlaps = true};
    unsigned long long count;
    winnow_status status;
    winnow__args args;
    unsigned before;

    open_memory(mode);
    args = (winnow__args){.test = predicate->test,
                          .in = memory.in,
                          .n = memory.n,
                          .cursor = memory.cursor,
                          .sink = {.out = memory.out,
                                   .capacity = memory.n,
                                   .count = memory.count},
                          .blocks = BLOCKS};
    if (error != cudaSuccess)
        simt_fail("cudaLaunchKernelExC", error, 0);
    before = simt_calls("cudaLaunchKernelExC");
    status = winnow__launch_plan(&call, &plan, &args, refused_p);
    cr_assert_eq(simt_calls("cudaLaunchKernelExC"), before + 1);
    cr_assert_eq(cudaGetLastError(), cudaSuccess,
                 "an error is left to the caller");
    gpu_copy(&count, memory.count, sizeof(count), backend.stream);
    *count_p = count;
    close_memory();
    return status;
}

static void expect_launch(winnow__launch_mode mode) {
    uint64_t count;
    bool refused;

    cr_assert_eq(launch(mode, cudaSuccess, &refused, &count), WINNOW_OK);
    cr_assert_not(refused);
    cr_assert_eq(count, memory.n);
}

static void expect_refusal(winnow__launch_mode mode, cudaError_t error) {
    uint64_t count;
    bool refused;

    cr_assert_neq(launch(mode, error, &refused, &count), WINNOW_OK);
    cr_assert(refused, "error %d", (int)error);
    cr_assert_eq(count, 0u);
}

static void expect_error(winnow__launch_mode mode, cudaError_t error) {
    uint64_t count;
    bool refused;

    cr_assert_eq(launch(mode, error, &refused, &count), WINNOW_ERR_CUDA);
    cr_assert_not(refused, "error %d", (int)error);
    cr_assert_not_null(strstr(winnow_last_error(), cudaGetErrorName(error)),
                       "%s", winnow_last_error());
    cr_assert_eq(count, 0u);
}

/* Devices differ in what they call a cluster that does not fit. */
Test(occupancy, refused_cluster) {
    open_device();
    cr_assert_eq(ask_cluster(), 16u);
    expect_refusal(WINNOW__CLUSTER, cudaErrorInvalidClusterSize);
    expect_refusal(WINNOW__CLUSTER, cudaErrorInvalidConfiguration);
    expect_refusal(WINNOW__CLUSTER, cudaErrorLaunchOutOfResources);
    expect_launch(WINNOW__CLUSTER);
    close_device();
}

Test(occupancy, refused_grid) {
    open_device();
    expect_refusal(WINNOW__COOPERATIVE, cudaErrorCooperativeLaunchTooLarge);
    expect_error(WINNOW__COOPERATIVE, cudaErrorLaunchOutOfResources);
    expect_error(WINNOW__TILE_PER_BLOCK, cudaErrorLaunchOutOfResources);
    expect_error(WINNOW__TILE_PER_BLOCK, cudaErrorCooperativeLaunchTooLarge);
    expect_launch(WINNOW__COOPERATIVE);
    expect_launch(WINNOW__TILE_PER_BLOCK);
    close_device();
}

/* As the CPU device itself refuses them. */
Test(occupancy, refused_by_the_device) {
    uint64_t count;
    bool refused;

    open_device();
    cr_assert_eq(ask_cluster(), 16u);
    simt_settings.most_cluster = 8;
    cr_assert_neq(launch(WINNOW__CLUSTER, cudaSuccess, &refused, &count),
                  WINNOW_OK);
    cr_assert(refused);
    simt_settings.multiprocessors = 1;
    cr_assert_neq(launch(WINNOW__COOPERATIVE, cudaSuccess, &refused, &count),
                  WINNOW_OK);
    cr_assert(refused);
    close_device();
}

/* ------------------------------------------------------------------ limits */

/* A device, or a part of one, with half the multiprocessors to fill takes half
 * as much for small; what one block or one cluster does stays as it is. */
Test(occupancy, limits_of_a_smaller_device) {
    static uint64_t whole[WINNOW__SHAPE_COUNT][WINNOW__SIZES];
    static uint64_t half[WINNOW__SHAPE_COUNT][WINNOW__SIZES];

    winnow__set_limits(132, whole);
    winnow__set_limits(66, half);
    for (int shape = 0; shape < WINNOW__SHAPE_COUNT; shape++)
        for (int size = 0; size < WINNOW__SIZES; size++)
            cr_assert_eq((winnow__shapes[shape].unit == WINNOW__ITEMS ? 1 : 2) *
                             half[shape][size],
                         whole[shape][size], "%s", winnow__shapes[shape].name);
}

/* The shapes of a ladder go from the smallest limit to none, and one block or
 * one cluster as far as it goes. Where there is a limit there is a kernel. */
Test(occupancy, ladders) {
    for (int shape = 0; shape < WINNOW__SHAPE_COUNT; shape++) {
        const winnow__shape_info *const info = &winnow__shapes[shape];

        for (int size = 0; size < WINNOW__SIZES; size++) {
            const winnow__kernel *kernel = &(*info->kernels)[size][0];
            const uint64_t items = kernel->tile_bytes / (UINT64_C(1) << size);

            cr_assert_eq(kernel->function != NULL, info->limits[size] != 0,
                         "%s", info->name);
            if (info->ladder == WINNOW__SINGLE_BLOCK ||
                info->ladder == WINNOW__INDEX_SINGLE_BLOCK)
                cr_assert_eq(info->limits[size], items, "%s", info->name);
            if (info->ladder == WINNOW__ONE_CLUSTER ||
                info->ladder == WINNOW__INDEX_CLUSTER)
                cr_assert_leq(info->limits[size], WINNOW__MOST_CLUSTER * items,
                              "%s", info->name);
            if (shape != 0 && info[-1].ladder == info->ladder &&
                info->unit == info[-1].unit && info->limits[size] != 0)
                cr_assert_geq(info->limits[size], info[-1].limits[size], "%s",
                              info->name);
        }
    }
}
