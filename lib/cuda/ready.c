/*
 * Memory that a context keeps ready, so that a call need not clear any: all
 * zero at first, and every kernel leaves it ready for the next.
 *
 * Each stream that a context sees gets its own part. Work on one stream runs in
 * order, so one part per stream is enough. A call that enqueues several kernels
 * holds the part's lock, so that no other thread's come between.
 *
 * A graph may be launched on any stream. Captured calls are kept apart by their
 * workspaces, since two calls in flight may not share one: each captured
 * workspace gets its own part. (Returning a part with its graph, by a user
 * object of the graph, made every launch of the graph 1 us slower.) Captured
 * calls without a workspace, and those that find no part left, clear their
 * memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "memory.h"
#include "core/status.h"

#include <stdlib.h>

enum {
    STREAMS = 64,
    WORKSPACES = 192,
    PARTS = STREAMS + WORKSPACES,
    PART_BYTES =
        WINNOW__CURSOR_BYTES + WINNOW__MOST_GROUPS * sizeof(winnow__group)
};

struct winnow__ready_memory {
    char *device; /* PARTS times PART_BYTES */
    pthread_mutex_t lock;
    int streams, workspaces;            /* numbers of those that have a part */
    unsigned long long stream[STREAMS]; /* ids; CUDA never reuses one */
    pthread_mutex_t stream_lock[STREAMS];
    unsigned long long workspace[WORKSPACES]; /* addresses */
};

/* Clear, and wait, on a new stream: the legacy stream is refused while others are
 * captured, and streams that do not wait for it would not see the zeros. */
static cudaError_t clear_now(void *memory, size_t bytes) {
    cudaStream_t stream;
    cudaError_t error =
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error != cudaSuccess)
        return error;
    error = cudaMemsetAsync(memory, 0, bytes, stream);
    const cudaError_t waited = cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    return error == cudaSuccess ? waited : error;
}

winnow_status winnow__ready_create(winnow__ready_memory **memory_p) {
    winnow__ready_memory *memory = calloc(1, sizeof *memory);
    if (memory == NULL)
        return winnow__no_memory("a context");
    cudaError_t error =
        cudaMalloc((void **)&memory->device, (size_t)PARTS * PART_BYTES);
    if (error == cudaSuccess) {
        error = clear_now(memory->device, (size_t)PARTS * PART_BYTES);
        if (error != cudaSuccess)
            cudaFree(memory->device);
    }
    if (error != cudaSuccess) {
        free(memory);
        return winnow__cuda_status(error, "allocating a context's memory");
    }
    pthread_mutex_init(&memory->lock, NULL);
    for (int i = 0; i < STREAMS; i++)
        pthread_mutex_init(&memory->stream_lock[i], NULL);
    *memory_p = memory;
    return WINNOW_OK;
}

void winnow__ready_destroy(winnow__ready_memory *memory, bool there) {
    for (int i = 0; i < STREAMS; i++)
        pthread_mutex_destroy(&memory->stream_lock[i]);
    pthread_mutex_destroy(&memory->lock);
    if (there)
        cudaFree(memory->device);
    free(memory);
}

/* The index of an owner among the `number` known ones. An unknown owner is
 * added if there is room; if not, the result is `room`. */
static int find_or_add(unsigned long long owner, unsigned long long owners[],
                       int *number, int room) {
    int i = 0;
    while (i < *number && owners[i] != owner)
        i++;
    if (i == *number && i < room) {
        owners[i] = owner;
        ++*number;
    }
    return i;
}

static int part_of_stream(winnow__ready_memory *memory,
                          unsigned long long stream) {
    const int index =
        find_or_add(stream, memory->stream, &memory->streams, STREAMS);
    return index == STREAMS ? PARTS : index;
}

static int part_of_workspace(winnow__ready_memory *memory,
                             const void *workspace) {
    return STREAMS + find_or_add((uintptr_t)workspace, memory->workspace,
                                 &memory->workspaces, WORKSPACES);
}

static const winnow__driver *driver(const winnow__call *call) {
    return &winnow__cuda(call->query.context)->driver;
}

bool winnow__ready_serves(const winnow__call *call, bool captured) {
    return !captured || call->query.launch.d_workspace != NULL;
}

winnow_status winnow__ready_take(winnow__ready_memory *memory,
                                 const winnow__call *call, bool captured,
                                 winnow__ready *ready_p) {
    unsigned long long stream = 0;
    *ready_p = (winnow__ready){0};
    if (!winnow__ready_serves(call, captured))
        return WINNOW_OK;
    if (!captured)
        WINNOW__TRY(winnow__driver_status(
            driver(call)->stream_id(call->query.launch.stream, &stream),
            "asking which stream it is"));
    pthread_mutex_lock(&memory->lock);
    const int part =
        captured ? part_of_workspace(memory, call->query.launch.d_workspace)
                 : part_of_stream(memory, stream);
    pthread_mutex_unlock(&memory->lock);
    if (part == PARTS)
        return WINNOW_OK;
    char *const start = memory->device + (size_t)part * PART_BYTES;
    *ready_p =
        (winnow__ready){.cursor = (winnow__cursor *)start,
                        .groups = start + WINNOW__CURSOR_BYTES,
                        .lock = captured ? NULL : &memory->stream_lock[part]};
    return WINNOW_OK;
}
