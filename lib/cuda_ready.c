/*
 * Memory that a context keeps ready, so that a call need not clear any: all
 * zero at first, and every kernel leaves it fit for the next.
 *
 * Each stream that a context sees gets a part of its own. Work on one stream
 * runs in order, so one part per stream is enough; a call that enqueues several
 * kernels holds its lock, so that no other thread's come between them. A
 * captured call gets a part that goes with the graph, as long as there is one
 * of it; it has to have a workspace of the caller's, since that is what forbids
 * two graphs of one capture to run at the same time. Where the parts are used
 * up, calls clear their workspace.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_backend.h"
#include "status.h"

#include <stdlib.h>

enum {
    STREAMS = 64,
    CAPTURES = 64,
    PARTS = STREAMS + CAPTURES,
    PART_BYTES = WINNOW__CURSOR_BYTES +
                 WINNOW__MOST_RESIDENT * sizeof(unsigned long long)
};

/* A part that a graph may hold. */
typedef struct capture_part {
    winnow__ready_memory *memory;
    atomic_bool taken;
} capture_part;

struct winnow__ready_memory {
    char *device;     /* PARTS times PART_BYTES */
    atomic_int users; /* the context, and each part that a graph holds */
    pthread_mutex_t lock;
    int streams;
    unsigned long long stream[STREAMS]; /* ids; CUDA never uses one twice */
    pthread_mutex_t stream_lock[STREAMS];
    capture_part capture[CAPTURES];
};

winnow_status winnow__ready_create(winnow__ready_memory **memory_p) {
    winnow__ready_memory *memory = calloc(1, sizeof *memory);
    if (memory == NULL)
        return winnow__fail(WINNOW_ERR_MEMORY, "no host memory for a context");
    cudaError_t error =
        cudaMalloc((void **)&memory->device, (size_t)PARTS * PART_BYTES);
    if (error == cudaSuccess) {
        error = cudaMemset(memory->device, 0, (size_t)PARTS * PART_BYTES);
        if (error == cudaSuccess) /* other streams do not wait for the memset */
            error = cudaStreamSynchronize(NULL);
        if (error != cudaSuccess)
            cudaFree(memory->device);
    }
    if (error != cudaSuccess) {
        free(memory);
        return winnow__cuda_status(error, "allocating a context's memory");
    }
    atomic_init(&memory->users, 1);
    pthread_mutex_init(&memory->lock, NULL);
    for (int i = 0; i < STREAMS; i++)
        pthread_mutex_init(&memory->stream_lock[i], NULL);
    for (int i = 0; i < CAPTURES; i++)
        memory->capture[i].memory = memory;
    *memory_p = memory;
    return WINNOW_OK;
}

static void drop(winnow__ready_memory *memory) {
    if (atomic_fetch_sub(&memory->users, 1) != 1)
        return;
    for (int i = 0; i < STREAMS; i++)
        pthread_mutex_destroy(&memory->stream_lock[i]);
    pthread_mutex_destroy(&memory->lock);
    free(memory);
}

/* Graphs may outlive the context, though not be launched any more. */
void winnow__ready_destroy(winnow__ready_memory *memory) {
    cudaFree(memory->device);
    drop(memory);
}

static void hand_out(const winnow__ready_memory *memory, int part,
                     pthread_mutex_t *lock, winnow__ready *ready) {
    char *const start = memory->device + (size_t)part * PART_BYTES;
    *ready = (winnow__ready){.cursor = (winnow__cursor *)start,
                             .states = start + WINNOW__CURSOR_BYTES,
                             .lock = lock};
}

static void take_for_stream(winnow__ready_memory *memory,
                            unsigned long long stream, winnow__ready *ready) {
    int i = 0;
    pthread_mutex_lock(&memory->lock);
    while (i < memory->streams && memory->stream[i] != stream)
        i++;
    if (i == memory->streams && i < STREAMS)
        memory->stream[memory->streams++] = stream;
    pthread_mutex_unlock(&memory->lock);
    if (i < STREAMS)
        hand_out(memory, i, &memory->stream_lock[i], ready);
}

/* The last graph that had the part is gone. CUDA calls this: nothing of CUDA
 * may be called from here. */
static void CUDART_CB give_capture(void *user) {
    capture_part *part = user;
    winnow__ready_memory *memory = part->memory;
    atomic_store(&part->taken, false);
    drop(memory);
}

static winnow_status take_for_graph(winnow__ready_memory *memory,
                                    cudaGraph_t graph, winnow__ready *ready) {
    int i = 0;
    while (i < CAPTURES && atomic_exchange(&memory->capture[i].taken, true))
        i++;
    if (i == CAPTURES)
        return WINNOW_OK;
    cudaUserObject_t object;
    atomic_fetch_add(&memory->users, 1);
    cudaError_t error =
        cudaUserObjectCreate(&object, &memory->capture[i], give_capture, 1,
                             cudaUserObjectNoDestructorSync);
    if (error != cudaSuccess) {
        give_capture(&memory->capture[i]);
        return winnow__cuda_status(error, "keeping memory for a graph");
    }
    error =
        cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
    if (error != cudaSuccess) {
        cudaUserObjectRelease(object, 1);
        return winnow__cuda_status(error, "keeping memory for a graph");
    }
    hand_out(memory, STREAMS + i, NULL, ready);
    return WINNOW_OK;
}

winnow_status winnow__ready_take(winnow__ready_memory *memory,
                                 const winnow__call *call,
                                 winnow__ready *ready_p) {
    enum cudaStreamCaptureStatus capture;
    cudaGraph_t graph = NULL;
    unsigned long long stream = 0;
    *ready_p = (winnow__ready){0};
#if CUDART_VERSION >= 13000
    cudaError_t error = cudaStreamGetCaptureInfo(call->stream, &capture, NULL,
                                                 &graph, NULL, NULL, NULL);
#else
    cudaError_t error = cudaStreamGetCaptureInfo_v2(call->stream, &capture,
                                                    NULL, &graph, NULL, NULL);
#endif
    if (error == cudaSuccess && capture == cudaStreamCaptureStatusNone)
        error = cudaStreamGetId(call->stream, &stream);
    if (error != cudaSuccess)
        return winnow__cuda_status(error, "asking about the stream");
    if (capture == cudaStreamCaptureStatusNone)
        take_for_stream(memory, stream, ready_p);
    else if (capture == cudaStreamCaptureStatusActive &&
             call->workspace != NULL)
        return take_for_graph(memory, graph, ready_p);
    return WINNOW_OK;
}
