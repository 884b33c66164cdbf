/*
 * Does the graph that a call is captured into allocate a range of memory? And
 * whose are the errors that CUDA holds meanwhile?
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <criterion/criterion.h>

#include "cuda/launch.h"

#include "backend.h"
#include "gpu.h"
#include "simt/simt.h"

/* -------------------------------------------------------------- the graph */

enum {
    BYTES = 0x1000, /* that each node allocates */
    NODES = 3
};

static struct backend backend;
static char *plain;        /* what a kernel of the graph reads */
static char *nodes[NODES]; /* what others allocate */

static void begin_capture(void) {
    GPU_MUST(
        cudaStreamBeginCapture(backend.stream, cudaStreamCaptureModeGlobal));
}

static void end_capture(void) {
    cudaGraph_t graph;

    GPU_MUST(cudaStreamEndCapture(backend.stream, &graph));
    GPU_MUST(cudaGraphDestroy(graph));
}

/* A kernel, and then some nodes that allocate. */
static void begin_graph(void) {
    const int32_t zero = 0;
    winnow_predicate *predicate;

    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_INT32, WINNOW_EQ, &zero),
        WINNOW_OK);
    begin_capture();
    cr_assert_eq(winnow_count_if(backend.context, predicate, WINNOW_INT32,
                                 plain, 4, (uint64_t *)(void *)(plain + 16),
                                 WINNOW_LAUNCH(.stream = backend.stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    for (int i = 0; i < NODES; i++)
        GPU_MUST(cudaMallocAsync((void **)&nodes[i], BYTES, backend.stream));
    winnow_predicate_destroy(predicate);
}

static void open_device(void) {
    backend_open_gpu(&backend);
    plain = gpu_alloc(BYTES);
}

static void close_device(void) {
    gpu_free(plain);
    backend_close(&backend);
}

/* ------------------------------------------------------------------ tests */

static bool ask(const char *start, uint64_t bytes) {
    const winnow__call call = {.query = {.context = backend.context,
                                         .launch = {.stream = backend.stream}}};
    const winnow__range range = {
        .name = "d_in", .start = start, .bytes = bytes, .alignment = 4};

    winnow_status status = WINNOW_OK;
    const bool is = winnow__is_allocated_in_graph(&call, &range, &status);
    cr_assert_eq(status, WINNOW_OK);
    return is;
}

/* The end of what is allocated, which may lie side by side. */
static const char *last_end(void) {
    const char *last = nodes[0];

    for (int i = 1; i < NODES; i++)
        last = nodes[i] > last ? nodes[i] : last;
    return last + BYTES;
}

/* When it is asked what a node allocates, CUDA fails. */
static void forget_node(unsigned node) {
    simt_fail("cudaGraphMemAllocNodeGetParams", cudaErrorInvalidValue, node);
}

/* Inside of what one node allocates, and not by a byte beyond. */
Test(capture, bounds) {
    open_device();
    begin_graph();
    cr_assert(ask(nodes[0], BYTES));
    cr_assert(ask(nodes[0] + 16, BYTES - 16));
    cr_assert(ask(nodes[2], 1));
    forget_node(1);
    cr_assert(ask(nodes[2], 1), "behind a node that is not known");
    cr_assert(ask(last_end(), 0), "nothing, at the end");
    cr_assert_not(ask(nodes[0], BYTES + 1));
    cr_assert_not(ask(nodes[0] + 16, BYTES - 15));
    cr_assert_not(ask(nodes[0] - 1, 2));
    cr_assert_not(ask(last_end(), 1));
    cr_assert_not(ask(nodes[0] + 16, UINT64_MAX));
    end_capture();
    close_device();
}

/* Nor is it asked what it allocates. */
Test(capture, kernels_allocate_nothing) {
    open_device();
    begin_graph();
    cr_assert_not(ask(plain, 16));
    cr_assert_eq(simt_calls("cudaGraphNodeGetType"), NODES + 1u);
    cr_assert_eq(simt_calls("cudaGraphMemAllocNodeGetParams"), (unsigned)NODES);
    end_capture();
    close_device();
}

Test(capture, not_captured) {
    open_device();
    begin_graph();
    end_capture();
    cr_assert_not(ask(nodes[0], 16));
    begin_graph();
    simt_fail("cudaStreamGetCaptureInfo", cudaErrorStreamCaptureImplicit, 0);
    cr_assert_not(ask(nodes[0], 16));
    cr_assert_eq(cudaGetLastError(), cudaSuccess,
                 "an error is left to the caller");
    cr_assert(ask(nodes[0], 16), "it is captured");
    end_capture();
    begin_capture();
    cr_assert_not(ask(nodes[0], 16), "an empty graph allocates nothing");
    end_capture();
    close_device();
}

/* What CUDA holds for the caller stays, whatever is found. */
static void expect_kept(const char *start, bool found) {
    cr_assert_eq(cudaSetDevice(-1), cudaErrorInvalidDevice);
    cr_assert_eq(ask(start, 16), found);
    cr_assert_eq(cudaGetLastError(), cudaErrorInvalidDevice,
                 "an error of the caller's is lost");
}

/* And what the library asked in vain does not. */
static void expect_none(const char *start) {
    cr_assert_not(ask(start, 16));
    cr_assert_eq(cudaGetLastError(), cudaSuccess,
                 "an error is left to the caller");
}

Test(capture, errors_of_the_caller) {
    open_device();
    begin_graph();
    expect_kept(plain, false);
    expect_kept(nodes[0], true);
    forget_node(1);
    expect_none(nodes[1]);
    simt_fail("cudaGraphNodeGetType", cudaErrorInvalidValue, 2);
    expect_none(nodes[1]);
    simt_fail("cudaGraphGetNodes", cudaErrorInvalidValue, 0);
    expect_none(nodes[1]);
    simt_fail("cudaGraphGetNodes", cudaErrorInvalidValue, 1);
    expect_none(nodes[1]);
    end_capture();
    expect_kept(nodes[0], false);
    close_device();
}
