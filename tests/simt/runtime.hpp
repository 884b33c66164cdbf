/*
 * The CUDA runtime of the CPU device: what streams are made of.
 *
 * Nothing runs in the background: work is carried out inside of the calls that wait for
 * it, some of it inside of others, as chance has it. So a host with one thread
 * gets the same run from the same seed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_RUNTIME_HPP
#define WINNOW_TESTS_SIMT_RUNTIME_HPP

#include "machine.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace simt {

/* ------------------------------------------------------------------- calls */

/* Held by every call of CUDA's. */
class Lock {
  public:
    Lock();
    ~Lock();
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;
};

/* Let others call for a moment. */
void pause_call();

/* A call of a function: 0, or the error that a test wants it to have. */
int called(const char *function);

/* What a function of the runtime returns: an error is the last one then. */
cudaError_t say(cudaError_t error);

/* At the beginning of every function. */
#define SIMT_CALL(NAME)                                                        \
    const simt::Lock lock;                                                     \
    if (const int injected = simt::called(#NAME))                              \
    return simt::say(static_cast<cudaError_t>(injected))
#define SIMT_DRIVER_CALL(NAME)                                                 \
    const simt::Lock lock;                                                     \
    if (const int injected = simt::called(#NAME))                              \
    return static_cast<CUresult>(injected)

/* -------------------------------------------------------------------- work */

/* What can be enqueued, and captured. */
struct Work {
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    std::function<void()> act; /* copies and the like, all at once */
    Launch launch;
    bool overlaps = false; /* may begin while the kernel before it runs */
    cudaHostFn_t host = nullptr;
    void *argument = nullptr;
    size_t bytes = 0; /* that it allocates, */
    void *memory = nullptr;
};

enum Progress {
    QUEUED,
    RUNNING,
    DONE
};

struct Node {
    Work work;
    Progress progress = QUEUED;
    std::vector<std::shared_ptr<Node>> before; /* that it comes after */
    order::Point queued = nullptr, end = nullptr;
    uint64_t era = 0; /* of its points: see forget_points() */
    std::unique_ptr<Grid> grid;
    std::thread host;
    std::atomic<bool> host_done{false};
};

using NodePointer = std::shared_ptr<Node>;

NodePointer enqueue(Work work, std::vector<NodePointer> before);

/* Do some of what can be done. False: nothing can. */
bool progress();
/* Perhaps some of it, inside of a call that waits for nothing. */
void progress_by_chance();
void wait_until(const std::function<bool()> &is_so, const char *what);
void wait_for(const NodePointer &node);
void wait_for_all();

/* --------------------------------------------------------------- allocations
 */

enum MemoryKind {
    DEVICE_MEMORY,
    MANAGED_MEMORY,
    PINNED_MEMORY,
    REGISTERED_MEMORY,
    MAPPED_MEMORY
};

struct Allocation {
    uintptr_t start;
    size_t bytes;
    MemoryKind kind;
    int device;
    bool allowed;                        /* the device reaches it */
    CUmemGenericAllocationHandle handle; /* of MAPPED_MEMORY */
    bool placed = false;                 /* in memory of the test's */
};

/* Memory with what uninitialised memory holds; NULL: there is none. */
void *allocate(size_t bytes);
/* Fails if something was written behind it. */
void release(void *memory, size_t bytes);
void know(const Allocation &allocation);
void forget(const void *start);
/* The allocation that an address lies in, or NULL. */
const Allocation *find_allocation(uintptr_t address);

} // namespace simt

/* ------------------------------------------------------------------- handles
 */

struct CUctx_st {
    int device;
    unsigned multiprocessors; /* 0: all */
    bool alive;
};

struct CUgreenCtx_st {
    CUctx_st context;
};

struct CUgraphNode_st {
    simt::Work work;
    std::vector<CUgraphNode_st *> before;
};

struct CUgraph_st {
    std::vector<std::shared_ptr<CUgraphNode_st>> nodes;
};

struct CUgraphExec_st {
    std::vector<std::shared_ptr<CUgraphNode_st>> nodes;
};

struct CUstream_st {
    unsigned long long id;
    bool blocking;
    int device;
    unsigned multiprocessors;
    simt::NodePointer last;
    std::shared_ptr<CUgraph_st> graph; /* that it is captured into */
    bool is_origin;                    /* of the capture */
    cudaStreamCaptureMode mode;        /* likewise */
    std::vector<CUgraphNode_st *> leaves;
};

struct CUevent_st {
    simt::NodePointer node;
    std::shared_ptr<CUgraph_st> graph;
    std::vector<CUgraphNode_st *> leaves;
};

namespace simt {

int current_device();
CUctx_st *primary_context(int device);
std::vector<CUctx_st *> &current_contexts();

/* NULL and other special handles are streams, too. */
CUstream_st &find_stream(cudaStream_t stream);
/* Does a capture forbid calls that might be meant for it? In the global mode it
 * does so in all threads but those of the relaxed mode. */
bool is_capture_global();
void enqueue_on(CUstream_st &stream, Work work);
/* For the work of its streams; that of other devices may go on. */
void wait_for_device(int device);
void leave_behind(const CUstream_st &stream);

} // namespace simt

#endif
