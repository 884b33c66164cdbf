/*
 * Calls that are captured into a graph.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_backend.h"

#include <stdlib.h>

winnow_status winnow__is_captured(const winnow__call *call, bool *captured_p) {
    const winnow__cuda_context *context =
        (const winnow__cuda_context *)call->context;
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult result =
        context->driver.stream_is_capturing(call->stream, &capture);
    *captured_p = capture != CU_STREAM_CAPTURE_STATUS_NONE;
    return winnow__driver_status(result,
                                 "asking whether the stream is captured");
}

/* The graph that the stream is captured into; NULL if it is not. */
static cudaError_t find_graph(cudaStream_t stream, cudaGraph_t *graph_p) {
    enum cudaStreamCaptureStatus status;
    *graph_p = NULL;
#if CUDART_VERSION >= 13000
    return cudaStreamGetCaptureInfo(stream, &status, NULL, graph_p, NULL, NULL,
                                    NULL);
#else
    return cudaStreamGetCaptureInfo_v2(stream, &status, NULL, graph_p, NULL,
                                       NULL);
#endif
}

static bool allocates(cudaGraphNode_t node, const winnow__range *range) {
    const uintptr_t start = (uintptr_t)range->start;
    struct cudaMemAllocNodeParams memory;
    enum cudaGraphNodeType type;
    if (cudaGraphNodeGetType(node, &type) != cudaSuccess ||
        type != cudaGraphNodeTypeMemAlloc ||
        cudaGraphMemAllocNodeGetParams(node, &memory) != cudaSuccess)
        return false;
    const uintptr_t base = (uintptr_t)memory.dptr;
    return base <= start && start - base <= memory.bytesize &&
           range->bytes <= memory.bytesize - (start - base);
}

static bool any_allocates(cudaGraph_t graph, const winnow__range *range) {
    size_t number = 0;
    if (cudaGraphGetNodes(graph, NULL, &number) != cudaSuccess || number == 0)
        return false;
    cudaGraphNode_t *nodes = malloc(number * sizeof *nodes);
    bool found = false;
    if (nodes != NULL &&
        cudaGraphGetNodes(graph, nodes, &number) == cudaSuccess)
        for (size_t i = 0; i < number && !found; i++)
            found = allocates(nodes[i], range);
    free(nodes);
    return found;
}

bool winnow__is_allocated_in_graph(const winnow__call *call,
                                   const winnow__range *range) {
    cudaGraph_t graph;
    const bool found = find_graph(call->stream, &graph) == cudaSuccess &&
                       graph != NULL && any_allocates(graph, range);
    if (!found)
        cudaGetLastError(); /* it is not an error of the caller's */
    return found;
}
