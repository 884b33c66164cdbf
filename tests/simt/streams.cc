/*
 * Streams, events, graphs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "runtime.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace simt {

namespace {

std::set<CUstream_st *> &streams() {
    static auto *const all = new std::set<CUstream_st *>;
    return *all;
}

/* What a stream was about when it was destroyed, which its device still does. */
struct Last {
    int device;
    NodePointer node;
};

std::vector<Last> &left_behind() {
    static auto *const all = new std::vector<Last>;
    return *all;
}

CUstream_st *make_stream(bool blocking, int device, unsigned multiprocessors) {
    static unsigned long long id;
    CUstream_st *const stream =
        new CUstream_st{++id,    blocking, device, multiprocessors,
                        nullptr, nullptr,  false,  cudaStreamCaptureModeGlobal,
                        {}};
    streams().insert(stream);
    return stream;
}

/* The stream that is NULL, of each device. */
std::map<int, CUstream_st *> &legacy_streams() {
    static auto *const all = new std::map<int, CUstream_st *>;
    return *all;
}

CUstream_st &legacy_stream(int device) {
    CUstream_st *&stream = legacy_streams()[device];
    if (stream == nullptr)
        stream = make_stream(true, device, 0);
    return *stream;
}

/* The calling thread's own, which others wait for as for any. */
CUstream_st &thread_stream() {
    thread_local std::map<int, CUstream_st *> own;
    CUstream_st *&stream = own[current_device()];
    if (stream == nullptr || streams().count(stream) == 0)
        stream = make_stream(true, current_device(), 0);
    return *stream;
}

void enqueue_captured(CUstream_st &stream, Work work) {
    const auto node = std::make_shared<CUgraphNode_st>();
    node->work = std::move(work);
    node->before = stream.leaves;
    stream.graph->nodes.push_back(node);
    stream.leaves = {node.get()};
}

} // namespace

CUstream_st &find_stream(cudaStream_t stream) {
    if (stream == nullptr || stream == cudaStreamLegacy)
        return legacy_stream(current_device());
    if (stream == cudaStreamPerThread)
        return thread_stream();
    if (streams().count(stream) == 0)
        fail("%p is no stream", static_cast<void *>(stream));
    return *stream;
}

void enqueue_on(CUstream_st &stream, Work work) {
    if (stream.graph) {
        enqueue_captured(stream, std::move(work));
        return;
    }
    std::vector<NodePointer> before = {stream.last};
    CUstream_st &legacy = legacy_stream(stream.device);
    if (&stream == &legacy) {
        for (const CUstream_st *other : streams())
            if (other != &stream && other->blocking &&
                other->device == stream.device)
                before.push_back(other->last);
    } else if (stream.blocking) {
        before.push_back(legacy.last);
    }
    stream.last = enqueue(std::move(work), std::move(before));
}

void wait_for_device(int device) {
    const std::set<CUstream_st *> all = streams();
    for (CUstream_st *stream : all)
        if (streams().count(stream) != 0 && stream->device == device)
            wait_for(stream->last);
    const std::vector<Last> behind = left_behind();
    for (const Last &last : behind)
        if (last.device == device)
            wait_for(last.node);
}

/* Of a stream that is destroyed. */
void leave_behind(const CUstream_st &stream) {
    std::vector<Last> &all = left_behind();
    all.erase(std::remove_if(
                  all.begin(), all.end(),
                  [](const Last &last) { return last.node->progress == DONE; }),
              all.end());
    if (stream.last && stream.last->progress != DONE)
        all.push_back({stream.device, stream.last});
}

CUresult part_stream(CUstream *stream_p, CUgreenCtx part, unsigned flags, int) {
    const Lock lock;
    *stream_p =
        make_stream((flags & CU_STREAM_NON_BLOCKING) == 0, part->context.device,
                    part->context.multiprocessors);
    return CUDA_SUCCESS;
}

CUresult stream_is_capturing(CUstream handle, CUstreamCaptureStatus *status) {
    SIMT_DRIVER_CALL(cuStreamIsCapturing);
    *status = find_stream(handle).graph ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                        : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}

CUresult stream_id(CUstream handle, unsigned long long *id) {
    SIMT_DRIVER_CALL(cuStreamGetId);
    *id = find_stream(handle).id;
    return CUDA_SUCCESS;
}

} // namespace simt

using namespace simt;

static thread_local cudaStreamCaptureMode thread_mode =
    cudaStreamCaptureModeGlobal;

bool simt::is_capture_global() {
    if (thread_mode == cudaStreamCaptureModeRelaxed)
        return false;
    for (const CUstream_st *stream : streams())
        if (stream->graph && stream->is_origin &&
            stream->mode == cudaStreamCaptureModeGlobal)
            return true;
    return false;
}

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    SIMT_CALL(cudaStreamCreateWithFlags);
    const int device = current_device();
    *stream = make_stream((flags & cudaStreamNonBlocking) == 0, device,
                          current_contexts().back()->multiprocessors);
    return say(cudaSuccess);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    SIMT_CALL(cudaStreamDestroy);
    leave_behind(find_stream(stream));
    streams().erase(stream);
    delete stream;
    return say(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    SIMT_CALL(cudaStreamSynchronize);
    CUstream_st &stream = find_stream(handle);
    if (stream.graph)
        return say(cudaErrorStreamCaptureUnsupported);
    wait_for(stream.last);
    return say(cudaSuccess);
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
    SIMT_CALL(cudaStreamQuery);
    CUstream_st &stream = find_stream(handle);
    for (int i = 0; i < 64; i++)
        progress();
    if (stream.last && stream.last->progress != DONE)
        return say(cudaErrorNotReady);
    wait_for(stream.last); /* so that the host has what it did */
    return say(cudaSuccess);
}

cudaError_t cudaDeviceSynchronize(void) {
    SIMT_CALL(cudaDeviceSynchronize);
    wait_for_all();
    return say(cudaSuccess);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                               void *argument) {
    SIMT_CALL(cudaLaunchHostFunc);
    Work work;
    work.type = cudaGraphNodeTypeHost;
    work.host = function;
    work.argument = argument;
    enqueue_on(find_stream(stream), work);
    return say(cudaSuccess);
}

/* -------------------------------------------------------------------- events
 */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
    SIMT_CALL(cudaEventCreateWithFlags);
    *event = new CUevent_st;
    return say(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
    SIMT_CALL(cudaEventRecord);
    CUstream_st &stream = find_stream(handle);
    event->graph = stream.graph;
    event->leaves = stream.leaves;
    event->node = stream.last;
    return say(cudaSuccess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event,
                                unsigned) {
    SIMT_CALL(cudaStreamWaitEvent);
    CUstream_st &stream = find_stream(handle);
    if (event->graph) { /* it is captured from now on, too */
        if (stream.graph && stream.graph != event->graph)
            return say(cudaErrorStreamCaptureUnsupported);
        stream.graph = event->graph;
        stream.leaves.insert(stream.leaves.end(), event->leaves.begin(),
                             event->leaves.end());
        return say(cudaSuccess);
    }
    if (event->node)
        stream.last = enqueue(Work(), {stream.last, event->node});
    return say(cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    SIMT_CALL(cudaEventSynchronize);
    wait_for(event->node);
    return say(cudaSuccess);
}

/* The event is gone where an error is returned, too: it may be another call's.
 */
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    SIMT_CALL(cudaEventDestroy);
    return say(cudaSuccess);
}

/* -------------------------------------------------------------------- graphs
 */

cudaError_t
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    SIMT_CALL(cudaThreadExchangeStreamCaptureMode);
    std::swap(*mode, thread_mode);
    return say(cudaSuccess);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle,
                                   enum cudaStreamCaptureMode mode) {
    SIMT_CALL(cudaStreamBeginCapture);
    CUstream_st &stream = find_stream(handle);
    if (stream.graph)
        return say(cudaErrorStreamCaptureUnsupported);
    stream.graph = std::make_shared<CUgraph_st>();
    stream.is_origin = true;
    stream.mode = mode;
    stream.leaves.clear();
    return say(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
    SIMT_CALL(cudaStreamEndCapture);
    CUstream_st &stream = find_stream(handle);
    *graph = nullptr;
    if (!stream.graph || !stream.is_origin)
        return say(cudaErrorStreamCaptureUnsupported);
    const std::shared_ptr<CUgraph_st> captured = stream.graph;
    bool joined = true;
    for (CUstream_st *other : streams()) {
        if (other->graph != captured)
            continue;
        /* Its last node has to come before the origin's. */
        std::set<CUgraphNode_st *> seen;
        std::vector<CUgraphNode_st *> open = stream.leaves;
        while (!open.empty()) {
            CUgraphNode_st *const node = open.back();
            open.pop_back();
            if (seen.insert(node).second)
                open.insert(open.end(), node->before.begin(),
                            node->before.end());
        }
        for (CUgraphNode_st *leaf : other->leaves)
            joined &= seen.count(leaf) != 0;
    }
    for (CUstream_st *other : streams())
        if (other->graph == captured) {
            other->graph = nullptr;
            other->is_origin = false;
            other->leaves.clear();
        }
    if (!joined)
        return say(cudaErrorStreamCaptureUnjoined);
    *graph = new CUgraph_st(*captured);
    return say(cudaSuccess);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle,
                                  enum cudaStreamCaptureStatus *status) {
    SIMT_CALL(cudaStreamIsCapturing);
    *status = find_stream(handle).graph ? cudaStreamCaptureStatusActive
                                        : cudaStreamCaptureStatusNone;
    return say(cudaSuccess);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle,
                                     enum cudaStreamCaptureStatus *status,
                                     unsigned long long *, cudaGraph_t *graph,
                                     const cudaGraphNode_t **,
                                     const cudaGraphEdgeData **, size_t *) {
    SIMT_CALL(cudaStreamGetCaptureInfo);
    const CUstream_st &stream = find_stream(handle);
    *status = stream.graph ? cudaStreamCaptureStatusActive
                           : cudaStreamCaptureStatusNone;
    if (graph != nullptr && stream.graph)
        *graph = stream.graph.get();
    return say(cudaSuccess);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                              size_t *number) {
    SIMT_CALL(cudaGraphGetNodes);
    if (nodes != nullptr)
        for (size_t i = 0; i < *number && i < graph->nodes.size(); i++)
            nodes[i] = graph->nodes[i].get();
    *number = graph->nodes.size();
    return say(cudaSuccess);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node,
                                 enum cudaGraphNodeType *type) {
    SIMT_CALL(cudaGraphNodeGetType);
    *type = node->work.type;
    return say(cudaSuccess);
}

cudaError_t
cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                               struct cudaMemAllocNodeParams *memory) {
    SIMT_CALL(cudaGraphMemAllocNodeGetParams);
    if (node->work.type != cudaGraphNodeTypeMemAlloc)
        return say(cudaErrorInvalidValue);
    memory->bytesize = node->work.bytes;
    memory->dptr = node->work.memory;
    return say(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long) {
    SIMT_CALL(cudaGraphInstantiate);
    *exec = new CUgraphExec_st{graph->nodes};
    return say(cudaSuccess);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec,
                                          cudaGraph_t graph,
                                          unsigned long long flags) {
    return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
    SIMT_CALL(cudaGraphLaunch);
    CUstream_st &stream = find_stream(handle);
    std::map<const CUgraphNode_st *, NodePointer> launched;
    std::vector<NodePointer> ends = {stream.last};
    for (const std::shared_ptr<CUgraphNode_st> &node : exec->nodes) {
        std::vector<NodePointer> before;
        for (const CUgraphNode_st *other : node->before)
            before.push_back(launched[other]);
        if (before.empty()) {
            before.push_back(stream.last);
            if (stream.blocking)
                before.push_back(legacy_stream(stream.device).last);
        }
        Work work = node->work;
        /* What comes before a graph is no kernel that it may overlap. */
        work.overlaps &= !node->before.empty();
        launched[node.get()] = enqueue(std::move(work), std::move(before));
        ends.push_back(launched[node.get()]);
    }
    stream.last = enqueue(Work(), std::move(ends));
    progress_by_chance();
    return say(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    SIMT_CALL(cudaGraphExecDestroy);
    const order::Outside outside; /* nobody else looks at it */
    delete exec;
    return say(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    SIMT_CALL(cudaGraphDestroy);
    const order::Outside outside; /* nobody else looks at it */
    delete graph;
    return say(cudaSuccess);
}

} // extern "C"
