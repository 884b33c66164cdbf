/*
 * Can the communicator's device access the memory that a call names? This is
 * checked before anything is enqueued, at both ends of each array. Only the
 * device knows how long an input is, so only its beginning is checked.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

#include <stdio.h>

typedef struct range {
    const char *name;
    int column; /* of moves, or -1 */
    const void *start;
    uint64_t bytes; /* 0: unknown */
} range;

/* Memory allocated in a capture has no attributes before the graph runs. */
static winnow_status is_capturing(cudaStream_t stream, bool *is_p) {
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    WINNOW__TRY(WINNOW__NCCL_CUDA(cudaStreamIsCapturing(stream, &capture)));
    *is_p = capture != cudaStreamCaptureStatusNone;
    return WINNOW_OK;
}

/* The device that has a byte in its memory; the communicator's device if that
 * one can access it in another way; else -1. */
static winnow_status find_device(const winnow_nccl *nccl, uintptr_t byte,
                                 cudaStream_t stream, int *device_p) {
    struct cudaPointerAttributes found = {.device = -1};
    bool captured = false;
    WINNOW__TRY(WINNOW__NCCL_CUDA(
        cudaPointerGetAttributes(&found, (const void *)byte)));
    *device_p = nccl->device;
    if (found.type == cudaMemoryTypeDevice)
        *device_p = found.device;
    else if (found.type == cudaMemoryTypeUnregistered && !nccl->pageable) {
        WINNOW__TRY(is_capturing(stream, &captured));
        *device_p = captured ? nccl->device : -1;
    }
    return WINNOW_OK;
}

static winnow_status refuse(const winnow_nccl *nccl, const range *r,
                            bool is_end, int device) {
    char name[64];
    if (r->column < 0)
        snprintf(name, sizeof name, "%s", r->name);
    else
        snprintf(name, sizeof name, "moves[%d].%s", r->column, r->name);
    if (is_end)
        return winnow__ranks_refuse(
            "%s (%p) and %llu bytes run past the end of its memory", name,
            r->start, (unsigned long long)r->bytes);
    if (device >= 0)
        return winnow__ranks_refuse(
            "%s (%p) is memory of device %d: the communicator's device is %d",
            name, r->start, device, nccl->device);
    return winnow__ranks_refuse(
        "%s (%p) is plain host memory, or none at all: "
        "device %d needs device, managed or pinned memory",
        name, r->start, nccl->device);
}

static winnow_status check(const winnow_nccl *nccl, cudaStream_t stream,
                           const range *r) {
    const uintptr_t start = (uintptr_t)r->start;
    int device = -1;
    if (start == 0)
        return WINNOW_OK;
    winnow_status status = find_device(nccl, start, stream, &device);
    /* An input of no elements may begin at the end of its memory. */
    if (status == WINNOW_OK && device != nccl->device && r->bytes == 0) {
        int before = -1;
        status = find_device(nccl, start - 1, stream, &before);
        device = before == nccl->device ? before : device;
    }
    if (status != WINNOW_OK || device != nccl->device)
        return status != WINNOW_OK ? status : refuse(nccl, r, false, device);
    if (r->bytes > 1)
        status = find_device(nccl, start + r->bytes - 1, stream, &device);
    return status != WINNOW_OK || device == nccl->device
               ? status
               : refuse(nccl, r, true, device);
}

winnow_status winnow__nccl_reaches(const winnow_nccl *nccl, cudaStream_t stream,
                                   const char *name, const void *start,
                                   uint64_t bytes) {
    return check(nccl, stream, &(range){name, -1, start, bytes});
}

/* Peers check outputs on their own: they have to be in the library's memory. */
static winnow_status check_column(const winnow_nccl *nccl, cudaStream_t stream,
                                  const winnow_move *move, unsigned c,
                                  uint64_t capacity) {
    WINNOW__TRY(check(nccl, stream, &(range){"d_in", (int)c, move->d_in, 0}));
    if (capacity == 0 || nccl->way == WINNOW_NCCL_PEER)
        return WINNOW_OK;
    return check(
        nccl, stream,
        &(range){"d_out", (int)c, move->d_out, capacity * move->element_bytes});
}

winnow_status winnow__nccl_reaches_offer(const winnow_nccl *nccl,
                                         winnow__nccl_offer *offer,
                                         const winnow_move *moves,
                                         unsigned number, cudaStream_t stream) {
    const uint64_t word = sizeof(uint64_t);
    const uint64_t offsets = ((uint64_t)nccl->ranks + 1) * word;
    winnow_status status = winnow__nccl_reaches(nccl, stream, "d_from_offsets",
                                                offer->from_offsets, offsets);
    if (status == WINNOW_OK)
        status = winnow__nccl_reaches(nccl, stream, "d_n", offer->share, word);
    if (status != WINNOW_OK) {
        offer->from_offsets = offer->share = NULL; /* no rank may store there */
        return status;
    }
    status = winnow__nccl_reaches(nccl, stream, "d_count", offer->count, word);
    if (status == WINNOW_OK)
        status = winnow__nccl_reaches(nccl, stream, "d_offsets", offer->offsets,
                                      offsets);
    for (unsigned c = 0; c < number && status == WINNOW_OK; c++)
        status = check_column(nccl, stream, &moves[c], c, offer->capacity);
    return status;
}
