/*
 * The memory of a call: memory that the context keeps ready (ready.c), if it
 * serves; otherwise the caller's workspace or, without one, the context's pool.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "memory.h"
#include "kernels/core/clear.h"

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
    return winnow__cuda_status(
        winnow__clear(memory, bytes, call->query.launch.stream),
        "clearing the workspace");
}

static winnow_status allocate(const winnow__call *call, size_t bytes,
                              winnow__workspace *workspace) {
    winnow__cuda_context *context = (winnow__cuda_context *)call->query.context;
    return winnow__cuda_status(
        cudaMallocFromPoolAsync(&workspace->pooled, bytes, context->pool,
                                call->query.launch.stream),
        "allocating a workspace");
}

/* Uninitialized memory from the caller or the pool. */
static winnow_status take_plain(const winnow__call *call, size_t bytes,
                                winnow__workspace *workspace, char **memory_p) {
    *memory_p = call->query.launch.d_workspace;
    if (call->query.launch.d_workspace != NULL || bytes == 0)
        return WINNOW_OK;
    WINNOW__TRY(allocate(call, bytes, workspace));
    *memory_p = workspace->pooled;
    return WINNOW_OK;
}

/* The cursor is in the workspace, and is cleared with it. */
static winnow_status take_all(const winnow__call *call,
                              const winnow__plan *plan,
                              winnow__workspace *workspace) {
    const size_t head = WINNOW__CURSOR_BYTES;
    const size_t cleared = head + plan->groups + plan->cleared;
    char *memory;
    if (!plan->cursor && plan->other == 0)
        return WINNOW_OK;
    WINNOW__TRY(take_plain(call, cleared + plan->other, workspace, &memory));
    workspace->cursor = (winnow__cursor *)memory;
    workspace->rest = memory + head;
    workspace->groups = workspace->rest;
    workspace->states = (unsigned long long *)(memory + head + plan->groups);
    workspace->other = memory + cleared;
    return clear(call, memory, plan->cursor ? cleared : 0, workspace);
}

/* The cursor and the groups' words are ready. */
static winnow_status take_beside(const winnow__call *call,
                                 const winnow__plan *plan,
                                 const winnow__ready *ready,
                                 winnow__workspace *workspace) {
    char *memory;
    workspace->cursor = ready->cursor;
    workspace->rest = ready->groups;
    workspace->groups = ready->groups;
    workspace->lock = ready->lock;
    if (ready->lock != NULL)
        pthread_mutex_lock(ready->lock);
    WINNOW__TRY(
        take_plain(call, plan->cleared + plan->other, workspace, &memory));
    if (plan->cleared + plan->other == 0)
        return WINNOW_OK;
    workspace->rest = memory;
    workspace->states = (unsigned long long *)memory;
    workspace->other = memory + plan->cleared;
    return clear(call, memory, plan->cleared, workspace);
}

winnow_status winnow__workspace_take(const winnow__call *call,
                                     const winnow__plan *plan, bool captured,
                                     winnow__workspace *workspace_p) {
    const winnow__cuda_context *context = winnow__cuda(call->query.context);
    winnow__ready ready = {0};
    *workspace_p = (winnow__workspace){0};
    winnow_status status = WINNOW_OK;
    if (plan->cursor)
        status = winnow__ready_take(context->ready, call, captured, &ready);
    if (status == WINNOW_OK)
        status = ready.cursor != NULL
                     ? take_beside(call, plan, &ready, workspace_p)
                     : take_all(call, plan, workspace_p);
    if (status != WINNOW_OK) /* give back a part of a workspace */
        winnow__workspace_give(call, workspace_p);
    return status;
}

void winnow__workspace_give(const winnow__call *call,
                            winnow__workspace *workspace) {
    if (workspace->lock != NULL)
        pthread_mutex_unlock(workspace->lock);
    if (workspace->pooled != NULL &&
        cudaFreeAsync(workspace->pooled, call->query.launch.stream) !=
            cudaSuccess)
        cudaGetLastError(); /* not an error of the caller's */
}
