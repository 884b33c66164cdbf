/*
 * Checks of memory that the CUDA backend makes before a call is enqueued.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend.h"
#include "launch.h"
#include "core/status.h"

winnow_status winnow__cuda_supports(const winnow__query *query) {
    if (query->launch.strategy == WINNOW_HOST)
        return winnow__unsupported(
            "strategy host needs a WINNOW_DEVICE_HOST context");
    return WINNOW_OK;
}

static const char asking_of_pointers[] = "asking about a pointer";

/* Questions about memory. "No" is a normal answer; `status` is set if there was
 * no memory to ask. */
typedef struct asking {
    const winnow__cuda_context *context;
    winnow_status status;
} asking;

static bool answers(asking *ask, CUresult result) {
    return winnow__driver_answers(result, asking_of_pointers, &ask->status);
}

/* How many bytes, from `start` on, belong to one allocation that kernels of the
 * current context can reach? */
static uint64_t piece(asking *ask, CUdeviceptr start) {
    CUdeviceptr base = 0;
    size_t bytes = 0;
    if (!answers(ask, ask->context->driver.address_range(&base, &bytes, start)))
        return 0;
    return bytes - (start - base);
}

/* The same for one byte, by another query, for memory whose allocations the
 * driver does not know. */
static bool reaches_byte(asking *ask, CUdeviceptr byte) {
    CUdeviceptr reached = 0;
    return answers(ask,
                   ask->context->driver.pointer_attribute(
                       &reached, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, byte)) &&
           reached == byte;
}

static bool is_mapped(asking *ask, CUdeviceptr byte) {
    const winnow__driver *const driver = &ask->context->driver;
    CUmemGenericAllocationHandle handle;
    if (!answers(ask, driver->mapping_retain(&handle, (void *)(uintptr_t)byte)))
        return false;
    driver->mapping_release(handle);
    return true;
}

static bool is_host(asking *ask, CUdeviceptr byte) {
    unsigned type = 0;
    return answers(ask, ask->context->driver.pointer_attribute(
                            &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, byte)) &&
           type == CU_MEMORYTYPE_HOST;
}

/* Can adjacent memory be part of the range? Mapped memory (cuMemMap) and registered
 * host memory may consist of pieces; an allocation is always one piece. */
static bool may_go_on(asking *ask, CUdeviceptr byte) {
    return is_mapped(ask, byte) || is_host(ask, byte);
}

/* Is it pageable host memory that the device can access? */
static bool is_plain(asking *ask, CUdeviceptr byte) {
    struct cudaPointerAttributes attributes;
    return ask->context->pageable &&
           winnow__cuda_answers(
               cudaPointerGetAttributes(&attributes, (void *)(uintptr_t)byte),
               asking_of_pointers, &ask->status) &&
           attributes.type == cudaMemoryTypeUnregistered;
}

/* Does memory in several pieces reach this byte? Only its two ends are checked.
 * If the driver does not know the pieces, they may be of any kind. */
static bool goes_on(asking *ask, CUdeviceptr start, CUdeviceptr last,
                    bool known) {
    if (reaches_byte(ask, last))
        return !known || (may_go_on(ask, start) && may_go_on(ask, last));
    return is_host(ask, start) && is_plain(ask, last);
}

static winnow_status explain_start(const winnow__cuda_context *context,
                                   const winnow__range *range) {
    struct cudaPointerAttributes attributes;
    cudaError_t error = cudaPointerGetAttributes(&attributes, range->start);
    if (error != cudaSuccess)
        return winnow__cuda_status(error, asking_of_pointers);
    if (attributes.type != cudaMemoryTypeUnregistered)
        return winnow__refuse(
            "%s (%p) is memory that device %d cannot reach at that address",
            winnow__name_of(range).text, range->start, context->device);
    if (context->pageable)
        return WINNOW_OK;
    return winnow__refuse("%s (%p) is plain host memory, or none at all: "
                          "device %d needs device, managed or pinned memory",
                          winnow__name_of(range).text, range->start,
                          context->device);
}

static winnow_status explain_end(const winnow__range *range, uint64_t there) {
    if (there == 0)
        return winnow__refuse(
            "%s (%p) and %llu bytes run past the end of its memory",
            winnow__name_of(range).text, range->start,
            (unsigned long long)range->bytes);
    return winnow__refuse(
        "%s (%p) and %llu bytes run past the end of its memory: there are %llu",
        winnow__name_of(range).text, range->start,
        (unsigned long long)range->bytes, (unsigned long long)there);
}

/* Usually all of it is one allocation, which takes one query. */
static winnow_status check_reach(const winnow__call *call,
                                 const winnow__range *range) {
    asking ask = {.context = winnow__cuda(call->query.context)};
    const CUdeviceptr start = (CUdeviceptr)range->start;
    const CUdeviceptr last = start + range->bytes - 1;
    const uint64_t there = piece(&ask, start);
    if (there >= range->bytes)
        return WINNOW_OK;
    const bool begins = there != 0 || reaches_byte(&ask, start);
    const bool is_right =
        begins ? goes_on(&ask, start, last, there != 0)
               : winnow__is_allocated_in_graph(call, range, &ask.status);
    if (is_right || ask.status != WINNOW_OK)
        return ask.status;
    return begins ? explain_end(range, there)
                  : explain_start(ask.context, range);
}

winnow_status winnow__cuda_reaches(const winnow__call *call,
                                   const winnow__range ranges[], int number) {
    for (int i = 0; i < number; i++)
        if (ranges[i].start != NULL && ranges[i].bytes != 0)
            WINNOW__TRY(check_reach(call, &ranges[i]));
    return WINNOW_OK;
}
