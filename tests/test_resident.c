/*
 * What the library makes of a device that cannot run all the blocks together
 * that another one can, since no machine has every device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#include <criterion/criterion.h>

#include "cuda_kernels.h"
#include "cuda_launch.h"

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
    call = (winnow__call){.context = backend.context,
                          .predicate = predicate,
                          .stream = backend.stream};
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

static unsigned ask_cluster(void) {
    const void *const before = gpu_current_context();
    unsigned blocks;

    cr_assert_eq(
        winnow__cluster_blocks(&call, &winnow__tile_cluster_16, &blocks),
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

Test(resident, largest_cluster) {
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

static unsigned ask_where_none_are_allowed(void) {
    unsigned blocks;

    open_device();
    simt_fail("cudaFuncSetAttribute", cudaErrorInvalidValue, 0);
    blocks = ask_cluster();
    close_device();
    return blocks;
}

/* More than 8 blocks cannot be allowed; or need not, since they are. */
Test(resident, no_larger_clusters) {
    cr_assert_eq(ask_where_none_are_allowed(), 8u);
    open_device();
    cr_assert_eq(ask_cluster(), 16u);
    close_device();
    cr_assert_eq(ask_where_none_are_allowed(), 16u);
}

/* Nor have the kernels been compiled for any. */
Test(resident, no_clusters) {
    simt_settings.ptx_version = 80;
    open_device();
    cr_assert_eq(ask_cluster(), 1u);
    cr_assert_eq(questions(), 0u);
    close_device();
}

Test(resident, asked_once) {
    open_device();
    cr_assert_eq(ask_cluster(), 16u);
    simt_settings.most_cluster = 8;
    cr_assert_eq(ask_cluster(), 16u);
    cr_assert_eq(questions(), 1u);
    close_device();
}

Test(resident, blocks_of_the_device) {
    const winnow__kernel *kernel;
    const void *before;
    unsigned blocks;

    simt_settings.multiprocessors = 10;
    open_device();
    kernel = winnow__find_kernel(&winnow__tile_resident_small, predicate);
    simt_settings.threads = (int)(2 * kernel->threads + 1);
    before = gpu_current_context();
    cr_assert_eq(
        winnow__resident_blocks(&call, &winnow__tile_resident_small, &blocks),
        WINNOW_OK);
    cr_assert_eq(blocks, 20u);
    cr_assert_eq(simt_device("cudaOccupancyMaxActiveBlocksPerMultiprocessor"),
                 0);
    cr_assert_eq(gpu_current_context(), before, "the device was left current");
    close_device();
}

/* A block that no multiprocessor can hold is said to be. */
Test(resident, no_room_for_a_block) {
    unsigned blocks;

    open_device();
    simt_settings.threads = 64;
    cr_assert_eq(
        winnow__resident_blocks(&call, &winnow__tile_resident_small, &blocks),
        WINNOW_ERR_UNSUPPORTED);
    simt_settings.threads = 2048;
    cr_assert_eq(
        winnow__resident_blocks(&call, &winnow__tile_resident_small, &blocks),
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

static const winnow__kernel *find_kernel(winnow__form form) {
    return winnow__find_kernel(form == WINNOW__CLUSTER
                                   ? &winnow__tile_cluster_16
                                   : &winnow__global_atomic,
                               predicate);
}

static void open_memory(winnow__form form) {
    const size_t bytes = (size_t)BLOCKS * find_kernel(form)->tile_bytes;

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
static winnow_status launch(winnow__form form, cudaError_t error,
                            bool *refused_p, uint64_t *count_p) {
    const winnow__plan plan = {.form = form,
                               .kernel = find_kernel(form),
                               .blocks = BLOCKS,
                               .overlaps = true};
    unsigned long long count;
    winnow_status status;
    winnow__args args;
    unsigned before;

    open_memory(form);
    args = (winnow__args){.test = predicate->test,
                          .in = memory.in,
                          .n = memory.n,
                          .out = memory.out,
                          .capacity = memory.n,
                          .count = memory.count,
                          .cursor = memory.cursor,
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

static void expect_launch(winnow__form form) {
    uint64_t count;
    bool refused;

    cr_assert_eq(launch(form, cudaSuccess, &refused, &count), WINNOW_OK);
    cr_assert_not(refused);
    cr_assert_eq(count, memory.n);
}

static void expect_refusal(winnow__form form, cudaError_t error) {
    uint64_t count;
    bool refused;

    cr_assert_neq(launch(form, error, &refused, &count), WINNOW_OK);
    cr_assert(refused, "error %d", (int)error);
    cr_assert_eq(count, 0u);
}

static void expect_error(winnow__form form, cudaError_t error) {
    uint64_t count;
    bool refused;

    cr_assert_eq(launch(form, error, &refused, &count), WINNOW_ERR_CUDA);
    cr_assert_not(refused, "error %d", (int)error);
    cr_assert_not_null(strstr(winnow_last_error(), cudaGetErrorName(error)),
                       "%s", winnow_last_error());
    cr_assert_eq(count, 0u);
}

/* Devices differ in what they call a cluster that does not fit. */
Test(resident, refused_cluster) {
    open_device();
    cr_assert_eq(ask_cluster(), 16u);
    expect_refusal(WINNOW__CLUSTER, cudaErrorInvalidClusterSize);
    expect_refusal(WINNOW__CLUSTER, cudaErrorInvalidConfiguration);
    expect_refusal(WINNOW__CLUSTER, cudaErrorLaunchOutOfResources);
    expect_launch(WINNOW__CLUSTER);
    close_device();
}

Test(resident, refused_grid) {
    open_device();
    expect_refusal(WINNOW__TOGETHER, cudaErrorCooperativeLaunchTooLarge);
    expect_error(WINNOW__TOGETHER, cudaErrorLaunchOutOfResources);
    expect_error(WINNOW__EACH, cudaErrorLaunchOutOfResources);
    expect_error(WINNOW__EACH, cudaErrorCooperativeLaunchTooLarge);
    expect_launch(WINNOW__TOGETHER);
    expect_launch(WINNOW__EACH);
    close_device();
}

/* As the CPU device itself refuses them. */
Test(resident, refused_by_the_device) {
    uint64_t count;
    bool refused;

    open_device();
    cr_assert_eq(ask_cluster(), 16u);
    simt_settings.most_cluster = 8;
    cr_assert_neq(launch(WINNOW__CLUSTER, cudaSuccess, &refused, &count),
                  WINNOW_OK);
    cr_assert(refused);
    simt_settings.multiprocessors = 1;
    cr_assert_neq(launch(WINNOW__TOGETHER, cudaSuccess, &refused, &count),
                  WINNOW_OK);
    cr_assert(refused);
    close_device();
}

/* ------------------------------------------------------------------ limits */

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
