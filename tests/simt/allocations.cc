/*
 * Memory of each kind, and what can be asked about a pointer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "runtime.hpp"

#include <cstdlib>
#include <cstring>
#include <set>
#include <sys/mman.h>
#include <utility>

namespace simt {

namespace {

std::map<uintptr_t, Allocation> &allocations() {
    static auto *const all = new std::map<uintptr_t, Allocation>;
    return *all;
}

} // namespace

namespace {

/* Behind every allocation, where no sanitizer watches: nobody writes there. */
#ifdef SIMT_ADDRESSES
constexpr size_t RED_BYTES = 0;
#else
constexpr size_t RED_BYTES = 512;
#endif
constexpr unsigned char RED = 0x5c;

} // namespace

void *allocate(size_t bytes) {
    constexpr size_t ALIGNMENT = 256, MOST = size_t(1) << 34;
    void *memory = nullptr;
    if (bytes > MOST || posix_memalign(&memory, ALIGNMENT,
                                       std::max<size_t>(bytes + RED_BYTES, 1)))
        return nullptr;
    make_uninitialised(memory, std::min(bytes, size_t(1) << 20));
    std::memset(static_cast<unsigned char *>(memory) + bytes, RED, RED_BYTES);
    return memory;
}

void release(void *memory, size_t bytes) {
    const auto *const red = static_cast<unsigned char *>(memory) + bytes;
    for (size_t i = 0; i < RED_BYTES; i++)
        if (red[i] != RED)
            fail("byte %zu of memory that ends at %zu was written to",
                 bytes + i, bytes);
    std::free(memory);
}

void know(const Allocation &allocation) {
    allocations()[allocation.start] = allocation;
}

void forget(const void *start) {
    allocations().erase(reinterpret_cast<uintptr_t>(start));
}

const Allocation *find_allocation(uintptr_t address) {
    auto found = allocations().upper_bound(address);
    if (found == allocations().begin())
        return nullptr;
    const Allocation &before = std::prev(found)->second;
    return address - before.start < before.bytes ? &before : nullptr;
}

namespace {

void *next_place; /* NULL: anywhere */

cudaError_t take(void **memory_p, size_t bytes, MemoryKind kind) {
    if (bytes == 0) {
        *memory_p = nullptr;
        return say(cudaSuccess);
    }
    if (is_capture_global())
        return say(cudaErrorStreamCaptureUnsupported);
    const bool placed = next_place != nullptr;
    void *const memory =
        placed ? std::exchange(next_place, nullptr) : allocate(bytes);
    if (memory == nullptr)
        return say(cudaErrorMemoryAllocation);
    know({reinterpret_cast<uintptr_t>(memory), bytes, kind, current_device(),
          true, 0, placed});
    *memory_p = memory;
    return say(cudaSuccess);
}

/* Memory of other processes that is open. They have the same addresses here. */
std::multiset<void *> &open_handles() {
    static auto *const all = new std::multiset<void *>;
    return *all;
}

/* The allocation of that kind which begins there. */
const Allocation *find_start(const void *memory, bool host) {
    const auto start = reinterpret_cast<uintptr_t>(memory);
    const Allocation *const a = find_allocation(start);
    const bool fits =
        a != nullptr && a->start == start && a->kind != REGISTERED_MEMORY &&
        a->kind != MAPPED_MEMORY && host == (a->kind == PINNED_MEMORY);
    return fits ? a : nullptr;
}

cudaError_t give(void *memory, bool host) {
    if (memory == nullptr)
        return say(cudaSuccess);
    if (is_capture_global())
        return say(cudaErrorStreamCaptureUnsupported);
    const Allocation *const a = find_start(memory, host);
    if (a == nullptr)
        return say(cudaErrorInvalidValue);
    if (open_handles().count(memory) != 0)
        fail("memory is freed that another process has open");
    const bool placed = a->placed;
    const size_t bytes = a->bytes;
    wait_for_device(a->device);
    forget(memory);
    if (!placed)
        release(memory, bytes);
    return say(cudaSuccess);
}

} // namespace

/* ----------------------------------------------------------- mapped memory */

namespace {

constexpr size_t PIECE = 64 << 10;

struct Handle {
    size_t bytes;
    int uses;
};

std::map<CUmemGenericAllocationHandle, Handle> &handles() {
    static auto *const all = new std::map<CUmemGenericAllocationHandle, Handle>;
    return *all;
}

} // namespace

CUresult granularity(size_t *bytes_p, const CUmemAllocationProp *,
                     CUmemAllocationGranularity_flags) {
    *bytes_p = PIECE;
    return CUDA_SUCCESS;
}

CUresult reserve(CUdeviceptr *start_p, size_t bytes, size_t, CUdeviceptr,
                 unsigned long long) {
    void *const memory =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *start_p = reinterpret_cast<CUdeviceptr>(memory);
    return memory == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult release_address(CUdeviceptr start, size_t bytes) {
    munmap(reinterpret_cast<void *>(start), bytes);
    return CUDA_SUCCESS;
}

CUresult create_piece(CUmemGenericAllocationHandle *handle_p, size_t bytes,
                      const CUmemAllocationProp *, unsigned long long) {
    static CUmemGenericAllocationHandle last;
    handles()[++last] = {bytes, 1};
    *handle_p = last;
    return CUDA_SUCCESS;
}

CUresult release_piece(CUmemGenericAllocationHandle handle) {
    SIMT_DRIVER_CALL(cuMemRelease);
    const auto found = handles().find(handle);
    if (found == handles().end())
        return CUDA_ERROR_INVALID_VALUE;
    if (--found->second.uses == 0)
        handles().erase(found);
    return CUDA_SUCCESS;
}

CUresult map_piece(CUdeviceptr start, size_t bytes, size_t,
                   CUmemGenericAllocationHandle handle, unsigned long long) {
    mprotect(reinterpret_cast<void *>(start), bytes, PROT_READ | PROT_WRITE);
    handles()[handle].uses++;
    know({start, bytes, MAPPED_MEMORY, 0, false, handle});
    return CUDA_SUCCESS;
}

CUresult unmap_pieces(CUdeviceptr start, size_t bytes) {
    while (const Allocation *piece = find_allocation(start)) {
        if (bytes == 0 || piece->kind != MAPPED_MEMORY)
            break;
        const size_t each = piece->bytes;
        release_piece(piece->handle);
        forget(reinterpret_cast<void *>(start));
        start += each;
        bytes -= each;
    }
    return CUDA_SUCCESS;
}

CUresult allow_pieces(CUdeviceptr start, size_t bytes, const CUmemAccessDesc *,
                      size_t) {
    for (CUdeviceptr at = start; at < start + bytes; at += PIECE)
        if (const Allocation *piece = find_allocation(at)) {
            Allocation allowed = *piece;
            allowed.allowed = true;
            know(allowed);
        }
    return CUDA_SUCCESS;
}

/* ------------------------------------------------------------------ questions
 */

CUresult address_range(CUdeviceptr *start_p, size_t *bytes_p,
                       CUdeviceptr address) {
    SIMT_DRIVER_CALL(cuMemGetAddressRange);
    const Allocation *const a = find_allocation(address);
    if (a == nullptr || !a->allowed)
        return CUDA_ERROR_NOT_FOUND;
    *start_p = a->start;
    *bytes_p = a->bytes;
    return CUDA_SUCCESS;
}

CUresult pointer_attribute(void *value, CUpointer_attribute attribute,
                           CUdeviceptr address) {
    SIMT_DRIVER_CALL(cuPointerGetAttribute);
    const Allocation *const a = find_allocation(address);
    if (a == nullptr || !a->allowed)
        return CUDA_ERROR_INVALID_VALUE;
    if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER)
        *static_cast<CUdeviceptr *>(value) = address;
    else
        *static_cast<unsigned *>(value) =
            a->kind == PINNED_MEMORY || a->kind == REGISTERED_MEMORY
                ? CU_MEMORYTYPE_HOST
                : CU_MEMORYTYPE_DEVICE;
    return CUDA_SUCCESS;
}

CUresult mapping_retain(CUmemGenericAllocationHandle *handle_p, void *address) {
    SIMT_DRIVER_CALL(cuMemRetainAllocationHandle);
    const Allocation *const a =
        find_allocation(reinterpret_cast<uintptr_t>(address));
    if (a == nullptr || a->kind != MAPPED_MEMORY)
        return CUDA_ERROR_INVALID_VALUE;
    handles()[a->handle].uses++;
    *handle_p = a->handle;
    return CUDA_SUCCESS;
}

} // namespace simt

using namespace simt;

void simt_place(void *memory) {
    const Lock lock;
    next_place = memory;
}

unsigned simt_pieces(void) {
    const Lock lock;
    return static_cast<unsigned>(handles().size());
}

extern "C" {

cudaError_t cudaMalloc(void **memory, size_t bytes) {
    SIMT_CALL(cudaMalloc);
    return take(memory, bytes, DEVICE_MEMORY);
}

cudaError_t cudaFree(void *memory) {
    SIMT_CALL(cudaFree);
    return give(memory, false);
}

cudaError_t cudaMallocHost(void **memory, size_t bytes) {
    SIMT_CALL(cudaMallocHost);
    return take(memory, bytes, PINNED_MEMORY);
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned) {
    SIMT_CALL(cudaHostAlloc);
    return take(memory, bytes, PINNED_MEMORY);
}

cudaError_t cudaFreeHost(void *memory) {
    SIMT_CALL(cudaFreeHost);
    return give(memory, true);
}

cudaError_t cudaMallocManaged(void **memory, size_t bytes, unsigned) {
    SIMT_CALL(cudaMallocManaged);
    return take(memory, bytes, MANAGED_MEMORY);
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned) {
    SIMT_CALL(cudaHostRegister);
    const auto start = reinterpret_cast<uintptr_t>(memory);
    if (find_allocation(start) != nullptr)
        return say(cudaErrorHostMemoryAlreadyRegistered);
    know({start, bytes, REGISTERED_MEMORY, current_device(), true, 0});
    return say(cudaSuccess);
}

cudaError_t cudaHostUnregister(void *memory) {
    const simt::Lock lock;
    const Allocation *const a =
        find_allocation(reinterpret_cast<uintptr_t>(memory));
    const bool is_known = a != nullptr && a->kind == REGISTERED_MEMORY;
    if (is_known) { /* even if the call is to fail */
        wait_for_all();
        forget(memory);
    }
    if (const int injected = simt::called("cudaHostUnregister"))
        return simt::say(static_cast<cudaError_t>(injected));
    return say(is_known ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaMemGetInfo(size_t *unused, size_t *all) {
    SIMT_CALL(cudaMemGetInfo);
    *unused = *all = size_t(1) << 30;
    return say(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *memory) {
    SIMT_CALL(cudaPointerGetAttributes);
    const Allocation *const a =
        find_allocation(reinterpret_cast<uintptr_t>(memory));
    *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, nullptr};
    if (a == nullptr)
        return say(cudaSuccess);
    attributes->type =
        a->kind == MANAGED_MEMORY ? cudaMemoryTypeManaged
        : a->kind == PINNED_MEMORY || a->kind == REGISTERED_MEMORY
            ? cudaMemoryTypeHost
            : cudaMemoryTypeDevice;
    attributes->device = a->device;
    attributes->devicePointer = const_cast<void *>(memory);
    return say(cudaSuccess);
}

/* ---------------------------------------------------------- other processes */

unsigned simt_open_handles(void) {
    const Lock lock;
    return static_cast<unsigned>(open_handles().size());
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *memory) {
    SIMT_CALL(cudaIpcGetMemHandle);
    if (find_start(memory, false) == nullptr)
        return say(cudaErrorInvalidValue);
    std::memcpy(handle->reserved, &memory, sizeof memory);
    return say(cudaSuccess);
}

cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle,
                                 unsigned) {
    SIMT_CALL(cudaIpcOpenMemHandle);
    std::memcpy(memory, handle.reserved, sizeof *memory);
    if (find_start(*memory, false) == nullptr)
        return say(cudaErrorInvalidValue);
    open_handles().insert(*memory);
    return say(cudaSuccess);
}

cudaError_t cudaIpcCloseMemHandle(void *memory) {
    SIMT_CALL(cudaIpcCloseMemHandle);
    const auto found = open_handles().find(memory);
    if (found == open_handles().end())
        return say(cudaErrorInvalidValue);
    open_handles().erase(found);
    return say(cudaSuccess);
}

/* --------------------------------------------------------------------- pools
 */

struct CUmemPoolHandle_st {
    int device;
};

static int pool_device = -1; /* of the last one */

int simt_pool_device(void) {
    const Lock lock;
    return pool_device;
}

/* Those that there are. */
static std::set<cudaMemPool_t> &pools() {
    static auto *const all = new std::set<cudaMemPool_t>;
    return *all;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool,
                              const struct cudaMemPoolProps *properties) {
    SIMT_CALL(cudaMemPoolCreate);
    *pool = new CUmemPoolHandle_st{properties->location.id};
    pool_device = properties->location.id;
    pools().insert(*pool);
    return say(cudaSuccess);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, enum cudaMemPoolAttr,
                                    void *) {
    SIMT_CALL(cudaMemPoolSetAttribute);
    return say(cudaSuccess);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    SIMT_CALL(cudaMemPoolDestroy);
    if (pools().erase(pool) == 0)
        return say(cudaErrorInvalidValue);
    delete pool;
    return say(cudaSuccess);
}

/* In a graph, memory is there while the graph runs, and its address before. */
static cudaError_t take_in_order(void **memory_p, size_t bytes,
                                 cudaStream_t handle) {
    CUstream_st &stream = find_stream(handle);
    void *const memory = allocate(bytes);
    if (memory == nullptr)
        return say(cudaErrorMemoryAllocation);
    const Allocation allocation = {reinterpret_cast<uintptr_t>(memory),
                                   bytes,
                                   DEVICE_MEMORY,
                                   stream.device,
                                   true,
                                   0};
    *memory_p = memory;
    if (!stream.graph) {
        know(allocation);
        return say(cudaSuccess);
    }
    Work work;
    work.type = cudaGraphNodeTypeMemAlloc;
    work.bytes = bytes;
    work.memory = memory;
    const std::shared_ptr<void> owner(
        memory, [bytes](void *owned) { release(owned, bytes); });
    work.act = [allocation, owner] {
        const order::Outside outside;
        know(allocation);
    };
    enqueue_on(stream, work);
    return say(cudaSuccess);
}

cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream) {
    SIMT_CALL(cudaMallocAsync);
    return take_in_order(memory, bytes, stream);
}

cudaError_t cudaMallocFromPoolAsync(void **memory, size_t bytes,
                                    cudaMemPool_t pool, cudaStream_t stream) {
    SIMT_CALL(cudaMallocFromPoolAsync);
    if (pools().count(pool) == 0)
        return say(cudaErrorInvalidValue);
    return take_in_order(memory, bytes, stream);
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t handle) {
    SIMT_CALL(cudaFreeAsync);
    CUstream_st &stream = find_stream(handle);
    const bool captured = stream.graph != nullptr;
    Work work;
    work.type = cudaGraphNodeTypeMemFree;
    work.act = [memory, captured] {
        size_t bytes;
        {
            const order::Outside outside;
            bytes = find_allocation(reinterpret_cast<uintptr_t>(memory))->bytes;
            forget(memory);
        }
        if (!captured)
            release(memory, bytes);
    };
    enqueue_on(stream, work);
    return say(cudaSuccess);
}

/* -------------------------------------------------------------------- copies
 */

static void enqueue_copy(void *to, const void *from, size_t bytes,
                         cudaStream_t stream) {
    Work work;
    work.type = cudaGraphNodeTypeMemcpy;
    work.act = [=] { std::memmove(to, from, bytes); };
    enqueue_on(find_stream(stream), work);
}

static void enqueue_fill(void *memory, int value, size_t bytes,
                         cudaStream_t stream) {
    Work work;
    work.type = cudaGraphNodeTypeMemset;
    work.act = [=] { std::memset(memory, value, bytes); };
    enqueue_on(find_stream(stream), work);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       enum cudaMemcpyKind) {
    SIMT_CALL(cudaMemcpy);
    enqueue_copy(to, from, bytes, nullptr);
    wait_for(find_stream(nullptr).last);
    return say(cudaSuccess);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            enum cudaMemcpyKind, cudaStream_t stream) {
    SIMT_CALL(cudaMemcpyAsync);
    enqueue_copy(to, from, bytes, stream);
    progress_by_chance();
    return say(cudaSuccess);
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes) {
    SIMT_CALL(cudaMemset);
    enqueue_fill(memory, value, bytes, nullptr);
    return say(cudaSuccess);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes,
                            cudaStream_t stream) {
    SIMT_CALL(cudaMemsetAsync);
    enqueue_fill(memory, value, bytes, stream);
    progress_by_chance();
    return say(cudaSuccess);
}

} // extern "C"
