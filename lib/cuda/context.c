/*
 * Contexts of the CUDA backend: creates and destroys them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend.h"
#include "launch.h"
#include "memory.h"
#include "slot.h"
#include "core/status.h"

#include <stdlib.h>

/* How often a block checks for missing counts before it stops waiting for them
 * (kernels/tile/count_exchange.cuh). Input in the device's memory needs far
 * fewer checks. Input in host memory comes over the bus, and counting it again
 * would take as long as waiting. */
enum {
    SPIN_LIMIT = 1 << 16
};

static void destroy(winnow_context *base) {
    winnow__cuda_context *context = (winnow__cuda_context *)base;
    bool entered;
    /* If the device cannot be made current, as after cudaDeviceReset(), its
     * memory is already freed. Only host memory is left to free. */
    const bool there = winnow__enter(base, &entered) == WINNOW_OK;
    if (there)
        winnow__empty_slots_on_device(context);
    winnow__memory_destroy(context, there);
    winnow__leave(base, entered);
    winnow__free_slots(context);
    free(context);
}

static const winnow__backend backend = {
    .supports = winnow__cuda_supports,
    .workspace = winnow__cuda_workspace,
    .enter = winnow__enter,
    .leave = winnow__leave,
    .reaches = winnow__cuda_reaches,
    .fetch = winnow__cuda_fetch,
    .run = winnow__cuda_run,
    .destroy = destroy,
};

static winnow_status check_device(int device) {
    int devices;
    cudaError_t error = cudaGetDeviceCount(&devices);
    winnow_status status = WINNOW_OK;
    if (!winnow__cuda_answers(error, "looking for devices", &status))
        return status != WINNOW_OK ? status
                                   : winnow__fail(WINNOW_ERR_NO_DEVICE,
                                                  "no CUDA device: %s (%s)",
                                                  cudaGetErrorString(error),
                                                  cudaGetErrorName(error));
    if (device >= devices)
        return winnow__fail(WINNOW_ERR_NO_DEVICE,
                            "device %d does not exist: there %s %d", device,
                            devices == 1 ? "is" : "are", devices);
    return WINNOW_OK;
}

/* Read the device's properties that launches need. */
static winnow_status ask_device(winnow__cuda_context *context) {
    int multiprocessors = 0, shared_bytes = 0, cooperative = 0;
    int pageable = 0, cache_bytes = 0;
    winnow__device_identity *const identity = &context->identity;
    const struct {
        enum cudaDeviceAttr attribute;
        int *value;
    } questions[] = {
        {cudaDevAttrMultiProcessorCount, &multiprocessors},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, &shared_bytes},
        {cudaDevAttrL2CacheSize, &cache_bytes},
        {cudaDevAttrCooperativeLaunch, &cooperative},
        {cudaDevAttrPageableMemoryAccess, &pageable},
        {cudaDevAttrComputeCapabilityMajor, &identity->major},
        {cudaDevAttrComputeCapabilityMinor, &identity->minor},
    };
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        cudaError_t error = cudaDeviceGetAttribute(
            questions[i].value, questions[i].attribute, context->device);
        if (error != cudaSuccess)
            return winnow__cuda_status(error, "asking about the device");
    }
    const CUresult named = context->driver.device_name(
        identity->name, sizeof identity->name, context->handle);
    if (named != CUDA_SUCCESS)
        return winnow__driver_status(named, "asking for the device's name");
    context->multiprocessors = (unsigned)multiprocessors;
    identity->multiprocessors = context->multiprocessors;
    context->shared_bytes = (size_t)shared_bytes;
    context->cache_bytes = (size_t)cache_bytes;
    context->cooperative = cooperative != 0;
    context->pageable = pageable != 0;
    context->small_partitions = true;
    context->spin_limit = SPIN_LIMIT;
    return WINNOW_OK;
}

/* Does the library have kernels for the device? A device of compute capability
 * 9.0 may run code compiled for older ones. That code does not wait for earlier
 * kernels and has no clusters (kernels/core/kernel.cuh,
 * kernels/tile/cluster_exchange.cuh). */
static winnow_status check_kernels(winnow__cuda_context *context) {
    struct cudaFuncAttributes attributes;
    cudaError_t error =
        cudaFuncGetAttributes(&attributes, winnow__store.function);
    winnow_status status = WINNOW_OK;
    if (winnow__cuda_answers(error, "loading a kernel", &status))
        context->overlap = context->clusters = attributes.ptxVersion >= 90;
    if (error == cudaSuccess || status != WINNOW_OK)
        return status;
    return winnow__fail(WINNOW_ERR_NO_DEVICE,
                        "device %d: this libwinnow has no kernels for it: "
                        "%s (%s)",
                        context->device, cudaGetErrorString(error),
                        cudaGetErrorName(error));
}

/* Get what a call needs to make the device current. The runtime holds the
 * primary context from now on, so the handle stays valid. */
static winnow_status find_device(winnow__cuda_context *context) {
    WINNOW__TRY(winnow__find_driver(&context->driver));
    WINNOW__TRY(winnow__cuda_status(cudaInitDevice(context->device, 0, 0),
                                    "starting the device"));
    const winnow__driver *const driver = &context->driver;
    CUresult result = driver->device_get(&context->handle, context->device);
    if (result == CUDA_SUCCESS)
        result = driver->primary_retain(&context->primary, context->handle);
    if (result == CUDA_SUCCESS)
        result = driver->primary_release(context->handle);
    return winnow__driver_status(result, "asking for the device's context");
}

/* The context's device has to be current. The relaxed mode is safe, because no
 * call here touches a stream that the caller may be capturing. */
static winnow_status set_up(winnow__cuda_context *context) {
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    WINNOW__TRY(winnow__cuda_status(cudaThreadExchangeStreamCaptureMode(&mode),
                                    "entering the relaxed mode of capturing"));
    winnow_status status = ask_device(context);
    if (status == WINNOW_OK)
        status = check_kernels(context);
    if (status == WINNOW_OK)
        status = winnow__memory_create(context);
    cudaThreadExchangeStreamCaptureMode(&mode);
    return status;
}

winnow_status winnow__cuda_create(winnow_context **context_p, int device) {
    WINNOW__TRY(check_device(device));
    winnow__cuda_context *context = calloc(1, sizeof *context);
    if (context == NULL)
        return winnow__no_memory("a context");
    context->base.backend = &backend;
    context->device = device;
    pthread_mutex_init(&context->slots.lock, NULL);
    bool entered;
    winnow_status status = find_device(context);
    if (status == WINNOW_OK)
        status = winnow__enter(&context->base, &entered);
    if (status == WINNOW_OK) {
        status = set_up(context);
        winnow__leave(&context->base, entered);
    }
    if (status == WINNOW_OK)
        *context_p = &context->base;
    else {
        winnow__free_slots(context);
        free(context);
    }
    return status;
}
