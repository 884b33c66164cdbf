/*
 * Calls that are captured into a graph.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "launch.h"
#include "core/status.h"

#include <stdlib.h>

winnow_status winnow__is_captured(const winnow__call *call, bool *captured_p) {
    const winnow__cuda_context *context = winnow__cuda(call->query.context);
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult result = context->driver.stream_is_capturing(
        call->query.launch.stream, &capture);
    *captured_p = capture != CU_STREAM_CAPTURE_STATUS_NONE;
    return winnow__driver_status(result,
                                 "asking whether the stream is captured");
}

static bool is_known(cudaError_t answer, winnow_status *status_p) {
    return winnow__cuda_answers(answer, "asking about a graph", status_p);
}

/* The graph that captures the stream; NULL if the stream is not captured. */
static cudaGraph_t find_graph(cudaStream_t stream, winnow_status *status_p) {
    enum cudaStreamCaptureStatus status;
    cudaGraph_t graph = NULL;
#if CUDART_VERSION >= 13000
    const cudaError_t answer = cudaStreamGetCaptureInfo(
        stream, &status, NULL, &graph, NULL, NULL, NULL);
#else
    const cudaError_t answer =
        cudaStreamGetCaptureInfo_v2(stream, &status, NULL, &graph, NULL, NULL);
#endif
    return is_known(answer, status_p) ? graph : NULL;
}

static bool allocates(cudaGraphNode_t node, const winnow__range *range,
                      winnow_status *status_p) {
    const uintptr_t start = (uintptr_t)range->start;
    struct cudaMemAllocNodeParams memory;
    enum cudaGraphNodeType type;
    if (!is_known(cudaGraphNodeGetType(node, &type), status_p) ||
        type != cudaGraphNodeTypeMemAlloc ||
        !is_known(cudaGraphMemAllocNodeGetParams(node, &memory), status_p))
        return false;
    const uintptr_t base = (uintptr_t)memory.dptr;
    return base <= start && start - base <= memory.bytesize &&
           range->bytes <= memory.bytesize - (start - base);
}

static bool any_allocates(cudaGraph_t graph, const winnow__range *range,
                          winnow_status *status_p) {
    size_t number = 0;
    if (!is_known(cudaGraphGetNodes(graph, NULL, &number), status_p) ||
        number == 0)
        return false;
    cudaGraphNode_t *nodes = malloc(number * sizeof *nodes);
    bool found = false;
    if (nodes == NULL)
        *status_p = winnow__no_memory("a graph");
    else if (is_known(cudaGraphGetNodes(graph, nodes, &number), status_p))
        for (size_t i = 0; i < number && !found; i++)
            found = allocates(nodes[i], range, status_p);
    free(nodes);
    return found;
}

bool winnow__is_allocated_in_graph(const winnow__call *call,
                                   const winnow__range *range,
                                   winnow_status *status_p) {
    const cudaGraph_t graph = find_graph(call->query.launch.stream, status_p);
    return graph != NULL && any_allocates(graph, range, status_p);
}
