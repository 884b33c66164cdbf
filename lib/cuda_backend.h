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

/* Streams that keep a cursor ready at the same time; see cuda_memory.c. */
enum {
    WINNOW__READY_CURSORS = 64
};

typedef struct winnow__ready_cursor {
    pthread_mutex_t lock;      /* held while a call is enqueued */
    unsigned long long stream; /* the stream's id; CUDA never uses one twice */
    winnow__cursor *cursor;    /* on the device; all zero between calls */
} winnow__ready_cursor;

typedef struct winnow__cuda_context {
    winnow_context base;
    int device;
    unsigned multiprocessors;
    /* The driver's cuPointerGetAttribute: libwinnow links no driver. */
    CUresult (*pointer_attribute)(void *, CUpointer_attribute, CUdeviceptr);
    size_t shared_bytes; /* the most that a block can have */
    bool clusters;       /* has thread block clusters */
    bool overlap;        /* has programmatic dependent launch */
    /* What the device said of a kernel; 0 before it was asked. */
    atomic_uint scan_blocks[2][WINNOW__SIZES][WINNOW__TEST_KINDS];
    atomic_uint cluster_blocks[WINNOW__SIZES][WINNOW__TEST_KINDS];
    cudaMemPool_t pool;
    void *cursors; /* the device memory of all ready cursors */
    pthread_mutex_t lock;
    int ready_number;
    winnow__ready_cursor ready[WINNOW__READY_CURSORS];
} winnow__cuda_context;

/* ---- cuda_backend.c */

/* Turn a CUDA error into a status; `what` says what was being done. */
winnow_status winnow__cuda_status(cudaError_t error, const char *what);

/* ---- cuda_memory.c: the memory a call works in */

typedef struct winnow__workspace {
    winnow__cursor *cursor; /* all zero when the call's first kernel starts */
    void *rest;             /* as many bytes as were asked for; 256-aligned */
    winnow__ready_cursor *ready; /* NULL, or the owner of the cursor */
    void *pooled;                /* NULL, or what goes back to the pool */
    bool cleared; /* the last thing enqueued is the kernel that clears it */
} winnow__workspace;

winnow_status winnow__memory_create(winnow__cuda_context *context);
void winnow__memory_destroy(winnow__cuda_context *context);

/*
 * Take a cursor and rest_bytes from the caller's workspace, or else from the
 * context; clear the first clear_bytes of the rest. What it enqueues comes
 * before the call's first kernel.
 */
winnow_status winnow__workspace_take(const winnow__call *call,
                                     size_t rest_bytes, size_t clear_bytes,
                                     winnow__workspace *workspace_p);
/* Give it back, after everything that uses it was enqueued. */
winnow_status winnow__workspace_give(const winnow__call *call,
                                     winnow__workspace *workspace);

/* ---- cuda_choose.c: AUTO */

/* The strategy that a call runs: the one asked for, or AUTO's choice. */
winnow_strategy winnow__choose(const winnow__call *call);

/* ---- cuda_launch.c: kernels by strategy, element size and kind of test */

/* The kernel of a strategy of ours; NULL for one that is not. */
const winnow__kernel *winnow__kernel_of(winnow_strategy strategy,
                                        const winnow__call *call);
const winnow__kernel *winnow__count_kernel(const winnow_predicate *predicate);
const winnow__kernel *
winnow__estimate_kernel(const winnow_predicate *predicate);
const winnow__kernel *winnow__store_kernel(void);

/* The tiles of an input. */
uint64_t winnow__tiles(const winnow__kernel *kernel, const void *in, uint64_t n,
                       unsigned size);
/* Can one launch of the kernel take n elements? */
winnow_status winnow__check_tiles(const winnow__kernel *kernel, uint64_t n,
                                  unsigned size);
/*
 * One block per tile of the input. With overlap, the launch need not wait for
 * the kernel before it, which must be the one that clears the workspace.
 */
winnow_status winnow__launch_tiles(const winnow__call *call,
                                   winnow_strategy strategy, bool overlap,
                                   const winnow__args *args);
/* TILE_SCAN: as many blocks as the device holds. */
winnow_status winnow__launch_scan(const winnow__call *call, bool overlap,
                                  const winnow__args *args);
/*
 * Small inputs of TILE_AGGREGATED and TILE_SCAN: one cluster, no workspace.
 * *blocks_p is 0 where that is not to be had.
 */
winnow_status winnow__cluster_blocks(const winnow__call *call,
                                     unsigned *blocks_p);
winnow_status winnow__launch_cluster(const winnow__call *call, unsigned blocks,
                                     const winnow__args *args);
winnow_status winnow__launch(const winnow__kernel *kernel, unsigned blocks,
                             const winnow__args *args, cudaStream_t stream);

#endif
