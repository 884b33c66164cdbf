/*
 * The context of a CUDA device, and queries of the device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "core/context.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>

typedef struct winnow__ready_memory winnow__ready_memory;

/* Functions of the driver. The runtime lacks some of them; the others are
 * called by every call, and are several times as fast as the runtime's. */
typedef struct winnow__driver {
    CUresult (*device_get)(CUdevice *, int);
    CUresult (*device_name)(char *, int, CUdevice);
    CUresult (*primary_retain)(CUcontext *, CUdevice);
    CUresult (*primary_release)(CUdevice);
    CUresult (*get_current)(CUcontext *);
    CUresult (*current_device)(CUdevice *);
    CUresult (*push_current)(CUcontext);
    CUresult (*pop_current)(CUcontext *);
    CUresult (*address_range)(CUdeviceptr *, size_t *, CUdeviceptr);
    CUresult (*pointer_attribute)(void *, CUpointer_attribute, CUdeviceptr);
    CUresult (*mapping_retain)(CUmemGenericAllocationHandle *, void *);
    CUresult (*mapping_release)(CUmemGenericAllocationHandle);
    CUresult (*stream_is_capturing)(CUstream, CUstreamCaptureStatus *);
    CUresult (*stream_id)(CUstream, unsigned long long *);
    CUresult (*load_library)(CUlibrary *, const void *, CUjit_option *, void **,
                             unsigned, CUlibraryOption *, void **, unsigned);
    CUresult (*unload_library)(CUlibrary);
    CUresult (*library_kernel)(CUkernel *, CUlibrary, const char *);
} winnow__driver;

/* The properties that tell devices apart. */
typedef struct winnow__device_identity {
    char name[128];
    int major, minor; /* compute capability */
    unsigned multiprocessors;
} winnow__device_identity;

/* Data that other rooms keep in a context: slot.h. */
typedef struct winnow__slots {
    _Atomic(struct winnow__slot_node *) first;
    pthread_mutex_t lock; /* held while a slot is added */
} winnow__slots;

typedef struct winnow__cuda_context {
    winnow_context base;
    int device;
    winnow__driver driver;
    CUdevice handle;   /* the device */
    CUcontext primary; /* its primary context */
    winnow__device_identity identity;
    unsigned multiprocessors;
    size_t shared_bytes; /* the most shared memory of a block */
    size_t cache_bytes;  /* of the L2 cache */
    bool overlap;        /* supports programmatic dependent launch */
    bool clusters;       /* supports clusters of blocks */
    bool cooperative;    /* supports cooperative launches */
    bool pageable;       /* can access pageable host memory */
    unsigned spin_limit; /* polls before a block falls back; 0: no limit */
    bool small_partitions;
    cudaMemPool_t pool;
    winnow__ready_memory *ready;
    winnow__slots slots;
} winnow__cuda_context;

/* The context of a query or a call, which has to be a CUDA context. */
static inline const winnow__cuda_context *
winnow__cuda(const winnow_context *context) {
    return (const winnow__cuda_context *)context;
}

/* ---- status.c */

/* Convert an error of the runtime or the driver into a status. `what` says what
 * the call was doing. */
winnow_status winnow__cuda_status(cudaError_t error, const char *what);
/* Copy between host and device memory, in any direction, and wait. The copy has
 * a stream of its own, which waits for no other. `what` is for the error's
 * detail. The thread must be in the relaxed capture mode. */
winnow_status winnow__cuda_copy(void *to, const void *from, size_t bytes,
                                const char *what);
winnow_status winnow__driver_status(CUresult result, const char *what);
/* True if a question to CUDA succeeded; an error means "no". But if memory ran
 * out, *status_p becomes WINNOW_ERR_MEMORY, with the detail set. */
bool winnow__cuda_answers(cudaError_t error, const char *what,
                          winnow_status *status_p);
bool winnow__driver_answers(CUresult result, const char *what,
                            winnow_status *status_p);

/* ---- enter.c */

/* Make the context's device current in this thread, until winnow__leave(). */
winnow_status winnow__enter(const winnow_context *base, bool *entered_p);
void winnow__leave(const winnow_context *base, bool entered);

/* ---- driver.c */

winnow_status winnow__find_driver(winnow__driver *driver);
