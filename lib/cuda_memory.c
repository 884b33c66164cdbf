/*
 * The memory that a call works in: the caller's, or else the context's.
 *
 * The context keeps, for each of the streams it sees, a cursor that is ready:
 * all zero, since every kernel leaves it so. Work on one stream runs in order,
 * so one cursor per stream is enough; a call that enqueues several kernels
 * holds the cursor's lock, so that no other thread's come between them. A call
 * that is being captured gets memory of its own, because a graph can be
 * launched on any stream; so do calls on more streams than have cursors.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_backend.h"
#include "kernels/clear.h"
#include "status.h"

#include <string.h>

winnow_status winnow__memory_create(winnow__cuda_context *context) {
    const size_t bytes = WINNOW__READY_CURSORS * WINNOW__CURSOR_BYTES;
    const struct cudaMemPoolProps properties = {
        .allocType = cudaMemAllocationTypePinned,
        .location = {.type = cudaMemLocationTypeDevice, .id = context->device}};
    cudaError_t error = cudaMemPoolCreate(&context->pool, &properties);
    if (error != cudaSuccess)
        return winnow__cuda_status(error, "creating a memory pool");
    /* Keep freed workspaces for the next call. */
    uint64_t keep = UINT64_MAX;
    error = cudaMemPoolSetAttribute(context->pool,
                                    cudaMemPoolAttrReleaseThreshold, &keep);
    if (error == cudaSuccess)
        error = cudaMalloc(&context->cursors, bytes);
    if (error == cudaSuccess) {
        error = cudaMemset(context->cursors, 0, bytes);
        if (error == cudaSuccess) /* other streams do not wait for the memset */
            error = cudaStreamSynchronize(NULL);
        if (error != cudaSuccess)
            cudaFree(context->cursors);
    }
    if (error != cudaSuccess) {
        cudaMemPoolDestroy(context->pool);
        return winnow__cuda_status(error, "allocating a context's memory");
    }
    pthread_mutex_init(&context->lock, NULL);
    context->ready_number = 0;
    for (int i = 0; i < WINNOW__READY_CURSORS; i++) {
        winnow__ready_cursor *ready = &context->ready[i];
        pthread_mutex_init(&ready->lock, NULL);
        ready->cursor = (winnow__cursor *)((char *)context->cursors +
                                           i * WINNOW__CURSOR_BYTES);
    }
    return WINNOW_OK;
}

void winnow__memory_destroy(winnow__cuda_context *context) {
    for (int i = 0; i < WINNOW__READY_CURSORS; i++)
        pthread_mutex_destroy(&context->ready[i].lock);
    pthread_mutex_destroy(&context->lock);
    cudaFree(context->cursors);
    cudaMemPoolDestroy(context->pool);
}

/* The stream's own cursor, or NULL when all are taken by other streams. */
static winnow__ready_cursor *ready_cursor(winnow__cuda_context *context,
                                          unsigned long long stream) {
    winnow__ready_cursor *found = NULL;
    pthread_mutex_lock(&context->lock);
    for (int i = 0; i < context->ready_number && found == NULL; i++)
        if (context->ready[i].stream == stream)
            found = &context->ready[i];
    if (found == NULL && context->ready_number < WINNOW__READY_CURSORS) {
        found = &context->ready[context->ready_number++];
        found->stream = stream;
    }
    pthread_mutex_unlock(&context->lock);
    return found;
}

static winnow_status clear(const winnow__call *call, void *memory, size_t bytes,
                           winnow__workspace *workspace) {
    workspace->cleared = true;
    return winnow__cuda_status(winnow__clear(memory, bytes, call->stream),
                               "clearing the workspace");
}

/* Make a place for a cursor out of memory with any contents. */
static winnow_status take_from(const winnow__call *call, void *memory,
                               size_t clear_bytes,
                               winnow__workspace *workspace) {
    workspace->cursor = memory;
    workspace->rest = (char *)memory + WINNOW__CURSOR_BYTES;
    return clear(call, memory, WINNOW__CURSOR_BYTES + clear_bytes, workspace);
}

static winnow_status take_pooled(const winnow__call *call, size_t bytes,
                                 void **memory_p) {
    winnow__cuda_context *context = (winnow__cuda_context *)call->context;
    return winnow__cuda_status(
        cudaMallocFromPoolAsync(memory_p, bytes, context->pool, call->stream),
        "allocating a workspace");
}

/* Half a workspace is none. */
static winnow_status give_on_failure(const winnow__call *call,
                                     winnow__workspace *workspace,
                                     winnow_status status) {
    if (status != WINNOW_OK && workspace->pooled != NULL)
        cudaFreeAsync(workspace->pooled, call->stream);
    return status;
}

winnow_status winnow__workspace_take(const winnow__call *call,
                                     size_t rest_bytes, size_t clear_bytes,
                                     winnow__workspace *workspace_p) {
    winnow__cuda_context *context = (winnow__cuda_context *)call->context;
    *workspace_p = (winnow__workspace){0};
    if (call->workspace != NULL)
        return take_from(call, call->workspace, clear_bytes, workspace_p);

    enum cudaStreamCaptureStatus capture;
    unsigned long long stream;
    cudaError_t error = cudaStreamIsCapturing(call->stream, &capture);
    if (error == cudaSuccess && capture == cudaStreamCaptureStatusNone)
        error = cudaStreamGetId(call->stream, &stream);
    if (error != cudaSuccess)
        return winnow__cuda_status(error, "asking about the stream");

    winnow__ready_cursor *ready = NULL;
    if (capture == cudaStreamCaptureStatusNone)
        ready = ready_cursor(context, stream);
    winnow_status status = WINNOW_OK;
    if (ready == NULL) {
        status = take_pooled(call, WINNOW__CURSOR_BYTES + rest_bytes,
                             &workspace_p->pooled);
        if (status == WINNOW_OK)
            status =
                take_from(call, workspace_p->pooled, clear_bytes, workspace_p);
        return status;
    }
    if (rest_bytes != 0) {
        status = take_pooled(call, rest_bytes, &workspace_p->pooled);
        workspace_p->rest = workspace_p->pooled;
        if (status == WINNOW_OK && clear_bytes != 0)
            status = clear(call, workspace_p->rest, clear_bytes, workspace_p);
    }
    if (status == WINNOW_OK) {
        pthread_mutex_lock(&ready->lock);
        workspace_p->ready = ready;
        workspace_p->cursor = ready->cursor;
    }
    return give_on_failure(call, workspace_p, status);
}

winnow_status winnow__workspace_give(const winnow__call *call,
                                     winnow__workspace *workspace) {
    if (workspace->ready != NULL)
        pthread_mutex_unlock(&workspace->ready->lock);
    if (workspace->pooled == NULL)
        return WINNOW_OK;
    return winnow__cuda_status(cudaFreeAsync(workspace->pooled, call->stream),
                               "freeing a workspace");
}
