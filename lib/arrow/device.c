/*
 * Memory of an output, on the host or on a device, and the events before and
 * after a filter on a device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "device.h"
#include "blocks.h"
#include "core/status.h"
#ifdef WINNOW_CUDA
#include "cuda/context.h"
#endif

#include <stdlib.h>
#include <string.h>

enum {
    ALIGNMENT = WINNOW__BLOCK_ALIGNMENT
};

static winnow_status no_memory(uint64_t bytes) {
    return winnow__fail(WINNOW_ERR_MEMORY, "no host memory for %llu bytes",
                        (unsigned long long)bytes);
}

#ifdef WINNOW_CUDA
struct winnow__arrow_owner {
    atomic_uint references;
    int device;
    cudaEvent_t written; /* recorded after the call's work */
};

static cudaStream_t stream_of(const winnow__arrow_place *place) {
    return place->launch.stream;
}

/* Make a device current; returns the previous one. */
static int enter(int device) {
    int current = device;
    cudaGetDevice(&current);
    if (current != device)
        cudaSetDevice(device);
    return current;
}

static void leave(int device, int before) {
    if (before != device)
        cudaSetDevice(before);
}

static winnow_status allocate_on_device(winnow__arrow_place *place,
                                        uint64_t bytes, void **memory_p) {
    return winnow__cuda_status(
        cudaMallocFromPoolAsync(memory_p, bytes,
                                winnow__cuda(place->context)->pool,
                                stream_of(place)),
        "allocating memory for a record batch");
}

static winnow_status copy_on_device(winnow__arrow_place *place, void *to,
                                    const void *from, uint64_t bytes) {
    return winnow__cuda_status(
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(place)),
        "copying a buffer");
}
#endif

winnow_status winnow__arrow_allocate(winnow__arrow_place *place, uint64_t bytes,
                                     void **memory_p) {
    if (bytes > (uint64_t)PTRDIFF_MAX - ALIGNMENT)
        return no_memory(bytes);
    const uint64_t whole =
        bytes == 0 ? ALIGNMENT
                   : (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (place->host) {
        char *const memory = winnow__block_allocate(whole);
        if (memory == NULL)
            return no_memory(bytes);
        memset(memory + whole - ALIGNMENT, 0, ALIGNMENT);
        *memory_p = memory;
        return WINNOW_OK;
    }
#ifdef WINNOW_CUDA
    void *memory;
    WINNOW__TRY(allocate_on_device(place, whole, &memory));
    winnow_status status =
        winnow__cuda_status(cudaMemsetAsync((char *)memory + whole - ALIGNMENT,
                                            0, ALIGNMENT, stream_of(place)),
                            "clearing the padding of a buffer");
    if (status != WINNOW_OK)
        winnow__arrow_give(place, memory);
    else
        *memory_p = memory;
    return status;
#else
    return WINNOW_ERR_NO_DEVICE;
#endif
}

winnow_status winnow__arrow_take(winnow__arrow_place *place, uint64_t bytes,
                                 void **memory_p) {
#ifdef WINNOW_CUDA
    if (!place->host)
        return allocate_on_device(place, bytes, memory_p);
#endif
    (void)place;
    *memory_p = winnow__block_allocate(bytes);
    return *memory_p == NULL ? no_memory(bytes) : WINNOW_OK;
}

void winnow__arrow_give(winnow__arrow_place *place, void *memory) {
#ifdef WINNOW_CUDA
    if (!place->host) {
        if (memory != NULL)
            cudaFreeAsync(memory, stream_of(place));
        return;
    }
#endif
    (void)place;
    winnow__block_free(memory);
}

winnow_status winnow__arrow_fetch(winnow__arrow_place *place, void *to,
                                  const void *from, uint64_t bytes) {
#ifdef WINNOW_CUDA
    if (!place->host) {
        WINNOW__TRY(copy_on_device(place, to, from, bytes));
        return winnow__cuda_status(cudaStreamSynchronize(stream_of(place)),
                                   "waiting for a number of rows");
    }
#endif
    (void)place;
    memcpy(to, from, (size_t)bytes);
    return WINNOW_OK;
}

winnow_status winnow__arrow_copy(winnow__arrow_place *place, void *to,
                                 const void *from, uint64_t bytes) {
    if (bytes == 0)
        return WINNOW_OK;
#ifdef WINNOW_CUDA
    if (!place->host)
        return copy_on_device(place, to, from, bytes);
#endif
    (void)place;
    memcpy(to, from, (size_t)bytes);
    return WINNOW_OK;
}

/* cudaFree() does not wait if the memory belongs to a pool. That is safe here:
 * the call wrote it, and whoever releases it no longer uses it. */
void winnow__arrow_free(winnow__arrow_owner *owner, void *memory) {
#ifdef WINNOW_CUDA
    if (owner != NULL && memory != NULL) {
        const int before = enter(owner->device);
        cudaEventSynchronize(owner->written);
        cudaFree(memory);
        leave(owner->device, before);
    }
    if (owner != NULL)
        return;
#endif
    (void)owner;
    winnow__block_free(memory);
}

winnow__arrow_owner *winnow__arrow_share(winnow__arrow_owner *owner) {
#ifdef WINNOW_CUDA
    if (owner != NULL)
        atomic_fetch_add_explicit(&owner->references, 1, memory_order_relaxed);
#endif
    return owner;
}

void winnow__arrow_leave(winnow__arrow_owner *owner) {
#ifdef WINNOW_CUDA
    if (owner == NULL || atomic_fetch_sub_explicit(&owner->references, 1,
                                                   memory_order_acq_rel) != 1)
        return;
    const int before = enter(owner->device);
    cudaEventDestroy(owner->written);
    leave(owner->device, before);
    free(owner);
#else
    (void)owner;
#endif
}

#ifdef WINNOW_CUDA
void winnow__arrow_cuda_wait(winnow__arrow_place *place) {
    cudaStreamSynchronize(stream_of(place));
}

/* ------------------------------------------------------------- its beginning */

static winnow_status check_device(const winnow__arrow_place *place,
                                  const struct ArrowDeviceArray *in) {
    const int device = winnow__cuda(place->context)->device;
    if (in->device_type == ARROW_DEVICE_CUDA && in->device_id != device)
        return winnow__refuse(
            "in->device_id is %lld, and the context is of device %d",
            (long long)in->device_id, device);
    return WINNOW_OK;
}

static winnow_status check_stream(const winnow__arrow_place *place) {
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
    WINNOW__TRY(winnow__driver_status(
        winnow__cuda(place->context)
            ->driver.stream_is_capturing(stream_of(place), &capture),
        "asking whether the stream is captured"));
    if (capture != CU_STREAM_CAPTURE_STATUS_NONE)
        return winnow__unsupported(
            "the stream is captured, and the call waits for "
            "the number of rows: use winnow_copy_where()");
    return WINNOW_OK;
}

static winnow_status make_owner(winnow__arrow_place *place) {
    winnow__arrow_owner *const owner = malloc(sizeof *owner);
    if (owner == NULL)
        return winnow__no_memory("a record batch");
    owner->device = winnow__cuda(place->context)->device;
    winnow_status status = winnow__cuda_status(
        cudaEventCreateWithFlags(&owner->written, cudaEventDisableTiming),
        "creating an event");
    if (status != WINNOW_OK) {
        free(owner);
        return status;
    }
    atomic_init(&owner->references, 1);
    place->owner = owner;
    return WINNOW_OK;
}

winnow_status winnow__arrow_cuda_open(winnow__arrow_place *place,
                                      const struct ArrowDeviceArray *in) {
    WINNOW__TRY(check_device(place, in));
    WINNOW__TRY(check_stream(place));
    if (in->sync_event != NULL)
        WINNOW__TRY(winnow__cuda_status(
            cudaStreamWaitEvent(stream_of(place),
                                *(cudaEvent_t *)in->sync_event, 0),
            "waiting for in->sync_event"));
    return make_owner(place);
}

winnow_status winnow__arrow_cuda_close(winnow__arrow_place *place,
                                       struct ArrowDeviceArray *out) {
    winnow__arrow_owner *const owner = place->owner;
    WINNOW__TRY(
        winnow__cuda_status(cudaEventRecord(owner->written, stream_of(place)),
                            "recording that a record batch is written"));
    out->device_type = ARROW_DEVICE_CUDA;
    out->device_id = owner->device;
    out->sync_event = &owner->written;
    return WINNOW_OK;
}

/* ----------------------------------------------------------------- of streams */

winnow_status winnow__arrow_cuda_make_work(winnow_context *context,
                                           winnow_stream *work_p) {
    const int device = winnow__cuda(context)->device;
    const int before = enter(device);
    cudaStream_t made;
    winnow_status status = winnow__cuda_status(
        cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking),
        "creating a stream for record batches");
    leave(device, before);
    if (status == WINNOW_OK)
        *work_p = made;
    return status;
}

winnow_status winnow__arrow_cuda_finish(winnow_stream work) {
    return winnow__cuda_status(cudaStreamSynchronize(work),
                               "waiting for a record batch");
}

void winnow__arrow_cuda_destroy_work(winnow_stream work) {
    cudaStreamDestroy(work);
}
#endif
