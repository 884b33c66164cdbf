/*
 * The CUDA backend: enqueue a checked call on its stream.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_backend.h"
#include "kernels/cub_scan.h"
#include "status.h"
#include "strategy.h"

#include <stdlib.h>
#include <string.h>

winnow_status winnow__cuda_status(cudaError_t error, const char *what) {
    if (error == cudaSuccess)
        return WINNOW_OK;
    /* The error is ours: it shall not turn up in the caller's next check. */
    cudaGetLastError();
    switch (error) {
    case cudaErrorMemoryAllocation:
        return winnow__fail(WINNOW_ERR_MEMORY, "%s: out of device memory",
                            what);
    default:
        return winnow__fail(WINNOW_ERR_CUDA, "%s: %s (%s)", what,
                            cudaGetErrorString(error), cudaGetErrorName(error));
    }
}

/* ----------------------------------------------------- the current device */

/* Make the context's device current; *previous_p is what to go back to. */
static winnow_status enter(const winnow_context *base, int *previous_p) {
    const winnow__cuda_context *context = (const winnow__cuda_context *)base;
    cudaError_t error = cudaGetDevice(previous_p);
    if (error == cudaSuccess && *previous_p != context->device)
        error = cudaSetDevice(context->device);
    return winnow__cuda_status(error, "making the device current");
}

static void leave(const winnow_context *base, int previous) {
    const winnow__cuda_context *context = (const winnow__cuda_context *)base;
    if (previous != context->device)
        cudaSetDevice(previous);
}

/* -------------------------------------------------------------- workspace */

/* What CUB needs, whichever of its variants a call turns out to use. */
static winnow_status cub_bytes(const winnow__call *call, size_t *bytes_p) {
    winnow__args args = {.n = call->n, .test = call->predicate->test};
    char apart; /* any address: in != out, and room for all, for one variant */
    size_t bytes[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        args.out = i == 0 ? NULL : &apart;
        args.capacity = call->n;
        cudaError_t error = winnow__cub_scan(call->predicate->type->log2_size,
                                             call->predicate->kind, &args, NULL,
                                             &bytes[i], call->stream);
        if (error != cudaSuccess)
            return winnow__cuda_status(error, "asking CUB for its workspace");
    }
    *bytes_p = bytes[0] > bytes[1] ? bytes[0] : bytes[1];
    return WINNOW_OK;
}

/* Can the strategy take that many elements in one launch? */
static winnow_status check_launch(const winnow__call *call) {
    const winnow__kernel *kernel =
        winnow__kernel_of(winnow__choose(call), call);
    if (call->operation != WINNOW__COPY_IF || kernel == NULL)
        return WINNOW_OK;
    return winnow__check_tiles(kernel, call->n, call->predicate->type->size);
}

/* One word per tile. The input may come to lie across one tile more. */
static size_t scan_bytes(const winnow__call *call) {
    const winnow__kernel *kernel = winnow__kernel_of(WINNOW_TILE_SCAN, call);
    return sizeof(unsigned long long) *
           (winnow__tiles(kernel, NULL, call->n, call->predicate->type->size) +
            1);
}

/* Bytes beyond the cursor, and how many of them have to be zero. */
static winnow_status rest_bytes(const winnow__call *call, size_t *bytes_p,
                                size_t *clear_p) {
    *bytes_p = *clear_p = 0;
    if (call->operation != WINNOW__COPY_IF || call->n == 0)
        return WINNOW_OK;
    switch (winnow__choose(call)) {
    case WINNOW_TILE_SCAN:
        *bytes_p = *clear_p = scan_bytes(call);
        return WINNOW_OK;
    case WINNOW_CUB_SCAN:
        return cub_bytes(call, bytes_p);
    default:
        return WINNOW_OK;
    }
}

static winnow_status workspace(const winnow__call *call, size_t *bytes_p) {
    int previous;
    winnow_status status = enter(call->context, &previous);
    if (status != WINNOW_OK)
        return status;
    size_t rest, clear;
    status = rest_bytes(call, &rest, &clear);
    leave(call->context, previous);
    if (status == WINNOW_OK)
        *bytes_p = WINNOW__CURSOR_BYTES + rest;
    return status;
}

/* ------------------------------------------------------------------ calls */

static winnow__args arguments(const winnow__call *call) {
    return (winnow__args){.in = call->in,
                          .n = call->n,
                          .out = call->out,
                          .capacity = call->capacity,
                          .count = (unsigned long long *)call->count,
                          .selectivity = call->estimate,
                          .chosen = call->options.d_strategy,
                          .test = call->predicate->test};
}

/* Nothing to do but to say so. */
static winnow_status run_empty(const winnow__call *call) {
    winnow__args args = arguments(call);
    args.strategy = winnow__choose(call);
    return winnow__launch(winnow__store_kernel(), 1, &args, call->stream);
}

static winnow_status run_cub(const winnow__call *call,
                             const winnow__workspace *memory, size_t bytes) {
    winnow__args args = arguments(call);
    cudaError_t error = winnow__cub_scan(call->predicate->type->log2_size,
                                         call->predicate->kind, &args,
                                         memory->rest, &bytes, call->stream);
    if (error != cudaSuccess || args.chosen == NULL)
        return winnow__cuda_status(error, "running cub::DeviceSelect");
    args.count = NULL;
    args.strategy = WINNOW_CUB_SCAN;
    return winnow__launch(winnow__store_kernel(), 1, &args, call->stream);
}

/* Blocks that look at the sample of an estimate. */
enum {
    ESTIMATE_BLOCKS = 32
};

static winnow_status run_estimate(const winnow__call *call,
                                  const winnow__args *args) {
    return winnow__launch(winnow__estimate_kernel(call->predicate),
                          ESTIMATE_BLOCKS, args, call->stream);
}

static winnow_status run_copy(const winnow__call *call,
                              const winnow__workspace *memory, size_t rest) {
    const winnow_strategy strategy = winnow__choose(call);
    if (strategy == WINNOW_CUB_SCAN)
        return run_cub(call, memory, rest);
    winnow__args args = arguments(call);
    args.cursor = memory->cursor;
    args.states = memory->rest;
    args.strategy = (int)strategy;
    if (strategy == WINNOW_TILE_SCAN)
        return winnow__launch_scan(call, memory->cleared, &args);
    return winnow__launch_tiles(call, strategy, memory->cleared, &args);
}

/* Blocks of a kernel that goes through many tiles: enough to fill the device.
 */
enum {
    BLOCKS_PER_MULTIPROCESSOR = 8
};

static winnow_status run_with(const winnow__call *call,
                              const winnow__workspace *memory, size_t rest) {
    const winnow__cuda_context *context =
        (const winnow__cuda_context *)call->context;
    winnow__args args = arguments(call);
    args.cursor = memory->cursor;
    switch (call->operation) {
    case WINNOW__COPY_IF:
        return run_copy(call, memory, rest);
    case WINNOW__COUNT_IF:
        return winnow__launch(winnow__count_kernel(call->predicate),
                              BLOCKS_PER_MULTIPROCESSOR *
                                  context->multiprocessors,
                              &args, call->stream);
    case WINNOW__ESTIMATE:
        return run_estimate(call, &args);
    }
    return winnow__fail(WINNOW_ERR_UNSUPPORTED, "unknown operation");
}

static winnow_status run_in_workspace(const winnow__call *call) {
    size_t rest, clear;
    winnow__workspace memory;
    winnow_status status = check_launch(call);
    if (status == WINNOW_OK)
        status = rest_bytes(call, &rest, &clear);
    if (status == WINNOW_OK)
        status = winnow__workspace_take(call, rest, clear, &memory);
    if (status != WINNOW_OK)
        return status;
    status = run_with(call, &memory, rest);
    const winnow_status given = winnow__workspace_give(call, &memory);
    return status != WINNOW_OK ? status : given;
}

/* Small enough for one cluster, which meets in its own shared memory? */
static winnow_status small_blocks(const winnow__call *call,
                                  unsigned *blocks_p) {
    const winnow_strategy strategy = winnow__choose(call);
    *blocks_p = 0;
    if (call->operation != WINNOW__COPY_IF ||
        (strategy != WINNOW_TILE_AGGREGATED && strategy != WINNOW_TILE_SCAN))
        return WINNOW_OK;
    return winnow__cluster_blocks(call, blocks_p);
}

static winnow_status run_small(const winnow__call *call, unsigned blocks) {
    winnow__args args = arguments(call);
    args.strategy = (int)winnow__choose(call);
    return winnow__launch_cluster(call, blocks, &args);
}

static winnow_status run(const winnow__call *call) {
    int previous;
    unsigned blocks;
    winnow_status status = enter(call->context, &previous);
    if (status != WINNOW_OK)
        return status;
    if (call->n == 0)
        status = run_empty(call);
    else if ((status = small_blocks(call, &blocks)) == WINNOW_OK)
        status = blocks != 0 ? run_small(call, blocks) : run_in_workspace(call);
    leave(call->context, previous);
    return status;
}

/* ----------------------------------------------------------------- checks */

static winnow_status supports(const winnow__call *call) {
    if (call->options.strategy == WINNOW_HOST)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "strategy host needs a WINNOW_HOST context");
    return WINNOW_OK;
}

/* Why can the device not reach this memory? Or can it, after all? */
static winnow_status explain(const winnow__cuda_context *context,
                             const winnow__range *range) {
    struct cudaPointerAttributes attributes;
    cudaError_t error = cudaPointerGetAttributes(&attributes, range->start);
    if (error != cudaSuccess)
        return winnow__cuda_status(error, "asking about a pointer");
    if (attributes.type == cudaMemoryTypeUnregistered)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "%s (%p) is plain host memory: device %d needs "
                            "device, managed or pinned memory",
                            range->name, range->start, context->device);
    if (attributes.devicePointer != range->start)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "%s (%p) is memory that device %d cannot reach "
                            "at that address",
                            range->name, range->start, context->device);
    return WINNOW_OK;
}

/*
 * The driver's question for one attribute takes a fraction of the runtime's
 * for all of them, and every call asks about three pointers or more.
 */
static winnow_status reaches(const winnow_context *base,
                             const winnow__range ranges[], int number) {
    const winnow__cuda_context *context = (const winnow__cuda_context *)base;
    int previous;
    winnow_status status = enter(base, &previous);
    if (status != WINNOW_OK)
        return status;
    for (int i = 0; i < number && status == WINNOW_OK; i++) {
        const CUdeviceptr start = (CUdeviceptr)ranges[i].start;
        CUdeviceptr reached = 0;
        if (start == 0 || ranges[i].bytes == 0)
            continue;
        if (context->pointer_attribute(&reached,
                                       CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                       start) != CUDA_SUCCESS ||
            reached != start)
            status = explain(context, &ranges[i]);
    }
    leave(base, previous);
    return status;
}

/* --------------------------------------------------------------- contexts */

static void destroy(winnow_context *base) {
    winnow__cuda_context *context = (winnow__cuda_context *)base;
    int previous;
    if (enter(base, &previous) == WINNOW_OK) {
        winnow__memory_destroy(context);
        leave(base, previous);
    }
    free(context);
}

static const winnow__backend backend = {supports, workspace, reaches, run,
                                        destroy};

static winnow_status check_device(int device) {
    int devices;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess) {
        cudaGetLastError(); /* it is not an error of the caller's */
        return winnow__fail(WINNOW_ERR_NO_DEVICE, "no CUDA device: %s (%s)",
                            cudaGetErrorString(error), cudaGetErrorName(error));
    }
    if (device >= devices)
        return winnow__fail(WINNOW_ERR_NO_DEVICE,
                            "device %d does not exist: there %s %d", device,
                            devices == 1 ? "is" : "are", devices);
    return WINNOW_OK;
}

/* What the launches need to know of the device. */
static winnow_status ask_device(winnow__cuda_context *context) {
    int multiprocessors = 0, shared_bytes = 0, clusters = 0, major = 0;
    const struct {
        enum cudaDeviceAttr attribute;
        int *value;
    } questions[] = {
        {cudaDevAttrMultiProcessorCount, &multiprocessors},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, &shared_bytes},
        {cudaDevAttrClusterLaunch, &clusters},
        {cudaDevAttrComputeCapabilityMajor, &major},
    };
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        cudaError_t error = cudaDeviceGetAttribute(
            questions[i].value, questions[i].attribute, context->device);
        if (error != cudaSuccess)
            return winnow__cuda_status(error, "asking about the device");
    }
    context->multiprocessors = (unsigned)multiprocessors;
    context->shared_bytes = (size_t)shared_bytes;
    context->clusters = clusters != 0;
    context->overlap = major >= 9;
    return WINNOW_OK;
}

static winnow_status find_driver_function(winnow__cuda_context *context) {
    void *found = NULL;
    enum cudaDriverEntryPointQueryResult result;
    cudaError_t error = cudaGetDriverEntryPointByVersion(
        "cuPointerGetAttribute", &found, 12000, cudaEnableDefault, &result);
    if (error != cudaSuccess)
        return winnow__cuda_status(error, "asking the driver for a function");
    if (result != cudaDriverEntryPointSuccess || found == NULL)
        return winnow__fail(WINNOW_ERR_NO_DEVICE,
                            "device %d: the driver is too old",
                            context->device);
    /* As with dlsym(): a function's address in an object pointer. */
    memcpy(&context->pointer_attribute, &found, sizeof found);
    return WINNOW_OK;
}

static winnow_status check_kernels(const winnow__cuda_context *context) {
    struct cudaFuncAttributes attributes;
    cudaError_t error =
        cudaFuncGetAttributes(&attributes, winnow__store_kernel()->function);
    if (error == cudaSuccess)
        return WINNOW_OK;
    cudaGetLastError();
    return winnow__fail(WINNOW_ERR_NO_DEVICE,
                        "device %d: this libwinnow has no kernels for it: "
                        "%s (%s)",
                        context->device, cudaGetErrorString(error),
                        cudaGetErrorName(error));
}

/* The context's device is current. */
static winnow_status set_up(winnow__cuda_context *context) {
    winnow_status status = ask_device(context);
    if (status == WINNOW_OK)
        status = find_driver_function(context);
    if (status == WINNOW_OK)
        status = check_kernels(context);
    if (status == WINNOW_OK)
        status = winnow__memory_create(context);
    return status;
}

winnow_status winnow__cuda_create(winnow_context **context_p, int device) {
    winnow_status status = check_device(device);
    if (status != WINNOW_OK)
        return status;
    winnow__cuda_context *context = calloc(1, sizeof *context);
    if (context == NULL)
        return winnow__fail(WINNOW_ERR_MEMORY, "no host memory for a context");
    context->base.backend = &backend;
    context->device = device;
    int previous;
    status = enter(&context->base, &previous);
    if (status == WINNOW_OK) {
        status = set_up(context);
        leave(&context->base, previous);
    }
    if (status == WINNOW_OK)
        *context_p = &context->base;
    else
        free(context);
    return status;
}
