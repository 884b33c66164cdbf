/*
 * The memory that a call works in: what the context keeps ready (cuda_ready.c)
 * where that serves, else the caller's workspace, else the context's pool.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_memory.h"
#include "kernels/clear.h"

winnow_status winnow__memory_create(winnow__cuda_context *context) {
    const struct cudaMemPoolProps properties = {
        .allocType = cudaMemAllocationTypePinned,
        .location = {.type = cudaMemLocationTypeDevice, .id = context->device}};
    cudaError_t error = cudaMemPoolCreate(&context->pool, &properties);
    if (error != cudaSuccess)
        return winnow__cuda_status(error, "creating a memory pool");
    /* Keep freed workspaces for the next call. */
    uint64_t keep = UINT64_MAX;
    winnow_status status = winnow__cuda_status(
        cudaMemPoolSetAttribute(context->pool, cudaMemPoolAttrReleaseThreshold,
                                &keep),
        "setting up a memory pool");
    if (status == WINNOW_OK)
        status = winnow__ready_create(&context->ready);
    if (status != WINNOW_OK)
        cudaMemPoolDestroy(context->pool);
    return status;
}

void winnow__memory_destroy(winnow__cuda_context *context, bool there) {
    winnow__ready_destroy(context->ready, there);
    if (there)
        cudaMemPoolDestroy(context->pool);
}

static winnow_status clear(const winnow__call *call, void *memory, size_t bytes,
                           winnow__workspace *workspace) {
    if (bytes == 0)
        return WINNOW_OK;
    workspace->cleared = true;
    return winnow__cuda_status(winnow__clear(memory, bytes, call->stream),
                               "clearing the workspace");
}

static winnow_status allocate(const winnow__call *call, size_t bytes,
                              winnow__workspace *workspace) {
    winnow__cuda_context *context = (winnow__cuda_context *)call->query.context;
    return winnow__cuda_status(cudaMallocFromPoolAsync(&workspace->pooled,
                                                       bytes, context->pool,
                                                       call->stream),
                               "allocating a workspace");
}

/* Memory of any contents, a cursor first. */
static winnow_status take_plain(const winnow__call *call,
                                const winnow__plan *plan, size_t head,
                                winnow__workspace *workspace) {
    const size_t rest = plan->groups + plan->cleared + plan->other;
    char *memory = call->workspace;
    winnow_status status = WINNOW_OK;
    if (memory == NULL && head + rest != 0) {
        status = allocate(call, head + rest, workspace);
        memory = workspace->pooled;
    }
    workspace->rest = memory + head;
    return status;
}

/* The cursor is part of the workspace, and has to be cleared with it. */
static winnow_status take_all(const winnow__call *call,
                              const winnow__plan *plan,
                              winnow__workspace *workspace) {
    const size_t head = WINNOW__CURSOR_BYTES;
    if (!plan->cursor && plan->other == 0)
        return WINNOW_OK;
    winnow_status status = take_plain(call, plan, head, workspace);
    if (status != WINNOW_OK)
        return status;
    char *const start = (char *)workspace->rest - head;
    workspace->cursor = (winnow__cursor *)start;
    if (!plan->cursor)
        return WINNOW_OK;
    return clear(call, start, head + plan->groups + plan->cleared, workspace);
}

/* The cursor is ready, and with it the groups' words. */
static winnow_status take_beside(const winnow__call *call,
                                 const winnow__plan *plan,
                                 const winnow__ready *ready,
                                 winnow__workspace *workspace) {
    winnow_status status = WINNOW_OK;
    workspace->cursor = ready->cursor;
    workspace->rest = ready->groups;
    workspace->lock = ready->lock;
    if (ready->lock != NULL)
        pthread_mutex_lock(ready->lock);
    if (plan->cleared + plan->other != 0) {
        status = take_plain(call, plan, 0, workspace);
        if (status == WINNOW_OK)
            status = clear(call, workspace->rest, plan->cleared, workspace);
    }
    return status;
}

winnow_status winnow__workspace_take(const winnow__call *call,
                                     const winnow__plan *plan, bool captured,
                                     winnow__workspace *workspace_p) {
    const winnow__cuda_context *context =
        (const winnow__cuda_context *)call->query.context;
    winnow__ready ready = {0};
    *workspace_p = (winnow__workspace){0};
    winnow_status status = WINNOW_OK;
    if (plan->cursor)
        status = winnow__ready_take(context->ready, call, captured, &ready);
    if (status == WINNOW_OK)
        status = ready.cursor != NULL
                     ? take_beside(call, plan, &ready, workspace_p)
                     : take_all(call, plan, workspace_p);
    if (status != WINNOW_OK) /* half a workspace is none */
        winnow__workspace_give(call, workspace_p);
    return status;
}

winnow_status winnow__workspace_give(const winnow__call *call,
                                     winnow__workspace *workspace) {
    if (workspace->lock != NULL)
        pthread_mutex_unlock(workspace->lock);
    if (workspace->pooled == NULL)
        return WINNOW_OK;
    return winnow__cuda_status(cudaFreeAsync(workspace->pooled, call->stream),
                               "freeing a workspace");
}
