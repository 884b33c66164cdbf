/*
 * Does the graph that a call is captured into allocate a range of memory?
 * lib/cuda_capture.c with a graph, and a runtime, of this file's.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <criterion/criterion.h>

#include "cuda_backend.h"
#include "no_runtime.h"

/* -------------------------------------------------------------- the graph */

static struct node {
    enum cudaGraphNodeType type;
    uintptr_t start;
    size_t bytes;
    cudaError_t told; /* when it is asked what it allocates */
} nodes[] = {
    {cudaGraphNodeTypeKernel, 0x10000, 0x1000, cudaSuccess},
    {cudaGraphNodeTypeMemAlloc, 0x20000, 0x1000, cudaSuccess},
    {cudaGraphNodeTypeMemAlloc, 0x30000, 0x1000, cudaErrorInvalidValue},
    {cudaGraphNodeTypeMemAlloc, 0x40000, 0x1000, cudaSuccess},
};

#define NODES (sizeof(nodes) / sizeof(nodes[0]))

static bool is_capturing;
static cudaError_t answer; /* to whether the stream is captured */

static cudaError_t tell_graph(enum cudaStreamCaptureStatus *status,
                              cudaGraph_t *graph) {
    *status = is_capturing ? cudaStreamCaptureStatusActive
                           : cudaStreamCaptureStatusNone;
    if (is_capturing && answer == cudaSuccess)
        *graph = (cudaGraph_t)nodes;
    return no_runtime_say(answer);
}

#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                     enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edges,
                                     size_t *number) {
    (void)stream, (void)id, (void)dependencies, (void)edges, (void)number;
    return tell_graph(status, graph);
}
#else
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                        enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id,
                                        cudaGraph_t *graph,
                                        const cudaGraphNode_t **dependencies,
                                        size_t *number) {
    (void)stream, (void)id, (void)dependencies, (void)number;
    return tell_graph(status, graph);
}
#endif

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *handles,
                              size_t *number) {
    cr_assert_eq((struct node *)graph, nodes);
    if (handles != NULL)
        for (size_t i = 0; i < *number; i++)
            handles[i] = (cudaGraphNode_t)&nodes[i];
    *number = NODES;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle,
                                 enum cudaGraphNodeType *type) {
    *type = ((const struct node *)handle)->type;
    return cudaSuccess;
}

cudaError_t
cudaGraphMemAllocNodeGetParams(cudaGraphNode_t handle,
                               struct cudaMemAllocNodeParams *memory) {
    const struct node *node = (const struct node *)handle;

    cr_assert_eq(node->type, cudaGraphNodeTypeMemAlloc);
    memory->dptr = (void *)node->start;
    memory->bytesize = node->bytes;
    return no_runtime_say(node->told);
}

/* ------------------------------------------------------------------ tests */

static bool ask(uintptr_t start, uint64_t bytes) {
    static winnow__cuda_context context;
    const winnow__call call = {.context = &context.base};
    const winnow__range range = {"d_in", (const void *)start, bytes, 4, true};

    return winnow__is_allocated_in_graph(&call, &range);
}

/* Inside of what one node allocates, and not by a byte beyond. */
Test(capture, bounds) {
    is_capturing = true;
    cr_assert(ask(0x20000, 0x1000));
    cr_assert(ask(0x20010, 0xff0));
    cr_assert(ask(0x40000, 1));
    cr_assert(ask(0x21000, 0), "nothing, at the end");
    cr_assert_not(ask(0x20000, 0x1001));
    cr_assert_not(ask(0x20010, 0xff1));
    cr_assert_not(ask(0x1ffff, 2));
    cr_assert_not(ask(0x21000, 1));
    cr_assert_not(ask(0x20010, UINT64_MAX));
    cr_assert_not(ask(0x10000, 16), "a kernel allocates nothing");
}

Test(capture, not_captured) {
    cr_assert_not(ask(0x20000, 16));
    is_capturing = true;
    answer = cudaErrorStreamCaptureImplicit;
    cr_assert_not(ask(0x20000, 16));
    cr_assert_eq(no_runtime_last, cudaSuccess,
                 "an error is left to the caller");
}

/* What CUDA holds for the caller stays, whatever is found; what the library
 * asked in vain does not. */
Test(capture, errors_of_the_caller) {
    is_capturing = true;
    nodes[2].told = cudaSuccess;
    no_runtime_last = cudaErrorInvalidDevice;
    cr_assert_not(ask(0x50000, 16));
    cr_assert_eq(no_runtime_last, cudaErrorInvalidDevice);
    cr_assert(ask(0x20000, 16));
    cr_assert_eq(no_runtime_last, cudaErrorInvalidDevice);
    is_capturing = false;
    cr_assert_not(ask(0x20000, 16));
    cr_assert_eq(no_runtime_last, cudaErrorInvalidDevice);
    is_capturing = true;
    no_runtime_last = cudaSuccess;
    nodes[2].told = cudaErrorInvalidValue;
    cr_assert_not(ask(0x30000, 16));
    cr_assert_eq(no_runtime_last, cudaSuccess,
                 "an error is left to the caller");
}
