/*
 * The CUDA backend's context and the pieces it is made of.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CUDA_BACKEND_H
#define WINNOW_LIB_CUDA_BACKEND_H

#include "context.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>

/* What a cursor takes of a workspace; keeps what follows it aligned. */
#define WINNOW__CURSOR_BYTES 256

typedef struct winnow__ready_memory winnow__ready_memory;

/* The kernels whose resident blocks are counted, to ask the device once. */
enum {
    WINNOW__RESIDENT_KERNELS = 19
};

/* Tiles of rows are of three kinds: 1024, 2048 and 4096 elements. */
enum {
    WINNOW__ROW_KINDS = 3
};

/*
 * The most input that is cut into tiles of each kind, for one size of elements;
 * what lies above is cut into large ones. In elements where the tiles are of
 * rows (kernels/row.cuh); in bytes elsewhere.
 */
typedef struct winnow__limits {
    uint64_t alone; /* as far as one tile goes */
    uint64_t aggregated_cluster, scan_cluster;
    uint64_t aggregated_rows[WINNOW__ROW_KINDS];
    uint64_t resident_rows[WINNOW__ROW_KINDS];
    uint64_t aggregated_small, aggregated_medium;
    uint64_t resident_small, resident_large;
    uint64_t scan_small;
    uint64_t count_small, count_medium;
} winnow__limits;

/*
 * Functions of the driver's: those that the runtime has not, and those that
 * take a fraction of the runtime's time, for every call.
 */
typedef struct winnow__driver {
    CUresult (*device_get)(CUdevice *, int);
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
    unsigned multiprocessors;
    size_t shared_bytes; /* the most that a block can have */
    winnow__limits limits[WINNOW__SIZES];
    bool overlap;      /* has programmatic dependent launch */
    bool clusters;     /* has clusters of blocks */
    bool cooperative;  /* can be asked to run all blocks together */
    bool pageable;     /* reaches the host's memory as it is */
    unsigned patience; /* told.cuh: looks before a block gives up; 0: never */
    /* What the device said of a kernel; 0 before it was asked. */
    atomic_uint resident[WINNOW__RESIDENT_KERNELS][WINNOW__SIZES]
                        [WINNOW__TEST_KINDS];
    cudaMemPool_t pool;
    winnow__ready_memory *ready;
} winnow__cuda_context;

/* ---- cuda_status.c */

/* Turn an error of the runtime's, or of the driver's, into a status; `what`
 * says what was being done. */
winnow_status winnow__cuda_status(cudaError_t error, const char *what);
winnow_status winnow__driver_status(CUresult result, const char *what);

/* ---- cuda_enter.c */

/* Make the context's device current in this thread, until winnow__leave(). */
winnow_status winnow__enter(const winnow_context *base, bool *entered_p);
void winnow__leave(const winnow_context *base, bool entered);

/* ---- cuda_driver.c */

winnow_status winnow__find_driver(winnow__driver *driver);

/* ---- cuda_check.c, cuda_run.c: what context.h says of a backend */

winnow_status winnow__cuda_supports(const winnow__call *call);
winnow_status winnow__cuda_workspace(const winnow__call *call, size_t *bytes_p);
winnow_status winnow__cuda_run(const winnow__call *call,
                               const winnow__range ranges[], int number);

/* Can the device, which is current, reach this memory of a call's, from its
 * start to its end? */
winnow_status winnow__cuda_reaches(const winnow__call *call,
                                   const winnow__range ranges[], int number);

/* ---- cuda_capture.c */

winnow_status winnow__is_captured(const winnow__call *call, bool *captured_p);

/* Does the graph that the call is captured into allocate this memory? It is
 * known to nobody then before the graph runs. */
bool winnow__is_allocated_in_graph(const winnow__call *call,
                                   const winnow__range *range);

/* ---- cuda_limits.c */

/* Set all but scan_small, which follows from the kernels. */
void winnow__set_limits(int major, unsigned multiprocessors,
                        winnow__limits limits[WINNOW__SIZES]);

/* ---- cuda_choose.c: AUTO */

/* The strategy that a call runs: the one asked for, or AUTO's choice. */
winnow_strategy winnow__choose(const winnow__call *call);

/* ---- cuda_plan.c: which kernel, in how many blocks, with what memory */

/* How the blocks of a kernel share the tiles. */
typedef enum winnow__form {
    WINNOW__BY_CUB,     /* CUB's business */
    WINNOW__EACH,       /* a block for each tile */
    WINNOW__CLUSTER,    /* the same, all of them one cluster */
    WINNOW__TOGETHER,   /* the same, all of them resident together */
    WINNOW__PERSISTENT, /* as many blocks as are resident go through them */
} winnow__form;

typedef struct winnow__plan {
    winnow_strategy strategy;
    winnow__form form;
    const winnow__kernel *kernel; /* NULL for CUB's */
    unsigned blocks;
    bool overlaps; /* the kernel waits by itself for those before it */
    bool early;    /* the next one had better begin soon */
    /* Memory, at most one kind of which a plan has beside the cursor. */
    bool cursor;
    unsigned patience; /* where there are groups, see told.cuh; 0 in place:
                          a block never gives up */
    size_t groups;     /* bytes: tile_resident.cu's, kept from call to call */
    size_t cleared;    /* bytes, zero before the launch */
    size_t other;      /* bytes */
} winnow__plan;

/* What a plan may count on. */
typedef struct winnow__means {
    bool together; /* that the blocks of small inputs meet */
    bool ready;    /* that there is memory which needs no clearing */
    size_t given;  /* that so many bytes beside a cursor are enough; or 0 */
} winnow__means;

/* call->in may be NULL, for the largest that the call may need. */
winnow_status winnow__plan_call(const winnow__call *call, winnow__means means,
                                winnow__plan *plan_p);

/* Set the limits of TILE_SCAN's small tiles, which follow from what the context
 * knows of its device. */
void winnow__set_scan_small(winnow__cuda_context *context);

/* ---- cuda_cub.c: what a kernel of CUB's needs, and running it */

/* Does CUB take so many elements? */
winnow_status winnow__check_cub(const winnow__call *call);
winnow_status winnow__cub_bytes(const winnow__call *call, size_t *bytes_p);
winnow_status winnow__launch_cub(const winnow__call *call,
                                 const winnow__args *args, void *memory,
                                 size_t bytes);

/* ---- cuda_launch.c
 *
 * *refused_p: the blocks cannot run together where the stream runs, which may
 * be a part of the device, and nothing was enqueued; no detail is told, since
 * another plan may do.
 */

winnow_status winnow__launch(const winnow__kernel *kernel, unsigned blocks,
                             const winnow__args *args, cudaStream_t stream);
winnow_status winnow__launch_plan(const winnow__call *call,
                                  const winnow__plan *plan,
                                  const winnow__args *args, bool *refused_p);

/* ---- cuda_memory.c: the memory a call works in */

typedef struct winnow__workspace {
    winnow__cursor *cursor; /* all zero when the call's first kernel starts */
    void *rest;   /* the memory that the plan has beside it; 256-aligned */
    bool cleared; /* the last thing enqueued is the kernel that clears it */
    void *pooled; /* NULL, or what goes back to the pool */
    pthread_mutex_t *lock; /* NULL, or what is held until all is enqueued */
} winnow__workspace;

winnow_status winnow__memory_create(winnow__cuda_context *context);
/* there: the device is current, and the device's part can be freed, too. */
void winnow__memory_destroy(winnow__cuda_context *context, bool there);

/*
 * Take what a plan needs from what the context keeps ready, the caller's
 * workspace, or the context's pool. What it enqueues comes before the call's
 * first kernel.
 */
winnow_status winnow__workspace_take(const winnow__call *call,
                                     const winnow__plan *plan, bool captured,
                                     winnow__workspace *workspace_p);
/* Give it back, after everything that uses it was enqueued. */
winnow_status winnow__workspace_give(const winnow__call *call,
                                     winnow__workspace *workspace);

/* ---- cuda_ready.c: memory that needs no clearing */

typedef struct winnow__ready {
    winnow__cursor *cursor;
    void *groups;          /* of WINNOW__MOST_RESIDENT blocks */
    pthread_mutex_t *lock; /* NULL, or to be held while a call is enqueued */
} winnow__ready;

winnow_status winnow__ready_create(winnow__ready_memory **memory_p);
void winnow__ready_destroy(winnow__ready_memory *memory, bool there);

/* Is there any for such a call, while the parts last? */
bool winnow__ready_serves(const winnow__call *call, bool captured);

/* *ready_p is all zero where there is none, or none left. */
winnow_status winnow__ready_take(winnow__ready_memory *memory,
                                 const winnow__call *call, bool captured,
                                 winnow__ready *ready_p);

#endif
