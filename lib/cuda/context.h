/*
 * The context of a CUDA device, and how its device is asked.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CUDA_CONTEXT_H
#define WINNOW_LIB_CUDA_CONTEXT_H

#include "core/context.h"
#include "shapes.h"
#include "auto/profile.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdatomic.h>

typedef struct winnow__ready_memory winnow__ready_memory;

/*
 * Functions of the driver's: those that the runtime has not, and those that
 * take a fraction of the runtime's time, for every call.
 */
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
} winnow__driver;

typedef struct winnow__cuda_context {
    winnow_context base;
    int device;
    winnow__driver driver;
    CUdevice handle;   /* the device, */
    CUcontext primary; /* and its primary context */
    winnow__device_identity identity;
    unsigned multiprocessors;
    size_t shared_bytes; /* the most that a block can have */
    size_t cache_bytes;  /* of the L2 cache */
    /* The most input that takes a shape: in items or in bytes, as its unit
     * says.
     */
    uint64_t limits[WINNOW__SHAPE_COUNT][WINNOW__SIZES];
    bool overlap;          /* has programmatic dependent launch */
    bool clusters;         /* has clusters of blocks */
    bool cooperative;      /* can be asked to run all blocks together */
    bool pageable;         /* reaches the host's memory as it is */
    uint32_t reduce_parts; /* the most parts of a reduction's input */
    uint64_t narrow_items; /* whose numbers fit in 4 bytes; tests set less */
    /* Of a sink of selections, before a block takes more tiles; the same. */
    uint64_t sink_blocks;
    unsigned spin_limit; /* loads before a block falls back; 0: no limit */
    /* What the device said of a kernel; 0 before it was asked. */
    atomic_uint resident[WINNOW__SHAPE_COUNT][WINNOW__SIZES]
                        [WINNOW__TEST_KINDS];
    cudaMemPool_t pool;
    winnow__ready_memory *ready;
    winnow__tuning tuning;
} winnow__cuda_context;

/* ---- status.c */

/* Turn an error of the runtime's, or of the driver's, into a status; `what`
 * says what was being done. */
winnow_status winnow__cuda_status(cudaError_t error, const char *what);
winnow_status winnow__driver_status(CUresult result, const char *what);

/* ---- enter.c */

/* Make the context's device current in this thread, until winnow__leave(). */
winnow_status winnow__enter(const winnow_context *base, bool *entered_p);
void winnow__leave(const winnow_context *base, bool entered);

/* ---- driver.c */

winnow_status winnow__find_driver(winnow__driver *driver);

#endif
