/*
 * Memory of an output, on the host or on a device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "device.h"
#include "blocks.h"
#include "core/status.h"

#include <string.h>

enum {
    ALIGNMENT = WINNOW__BLOCK_ALIGNMENT
};

static winnow_status no_memory(uint64_t bytes) {
    return winnow__fail(WINNOW_ERR_MEMORY, "no host memory for %llu bytes",
                        (unsigned long long)bytes);
}

winnow_status winnow__arrow_allocate(winnow__arrow_place *place, uint64_t bytes,
                                     void **memory_p) {
    if (bytes > (uint64_t)PTRDIFF_MAX - ALIGNMENT)
        return no_memory(bytes);
    const uint64_t whole =
        bytes == 0 ? ALIGNMENT
                   : (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (place->host) {
        char *const memory = winnow__block_allocate(whole);
        if (memory == NULL)
            return no_memory(bytes);
        memset(memory + whole - ALIGNMENT, 0, ALIGNMENT);
        *memory_p = memory;
        return WINNOW_OK;
    }
#ifdef WINNOW_CUDA
    void *memory;
    WINNOW__TRY(winnow__arrow_cuda_allocate(place, whole, &memory));
    winnow_status status = winnow__arrow_cuda_clear(
        place, (char *)memory + whole - ALIGNMENT, ALIGNMENT);
    if (status != WINNOW_OK)
        winnow__arrow_cuda_give(place, memory);
    else
        *memory_p = memory;
    return status;
#else
    return WINNOW_ERR_NO_DEVICE;
#endif
}

winnow_status winnow__arrow_take(winnow__arrow_place *place, uint64_t bytes,
                                 void **memory_p) {
#ifdef WINNOW_CUDA
    if (!place->host)
        return winnow__arrow_cuda_allocate(place, bytes, memory_p);
#endif
    (void)place;
    *memory_p = winnow__block_allocate(bytes);
    return *memory_p == NULL ? no_memory(bytes) : WINNOW_OK;
}

void winnow__arrow_give(winnow__arrow_place *place, void *memory) {
#ifdef WINNOW_CUDA
    if (!place->host) {
        winnow__arrow_cuda_give(place, memory);
        return;
    }
#endif
    (void)place;
    winnow__block_free(memory);
}

winnow_status winnow__arrow_fetch(winnow__arrow_place *place, void *to,
                                  const void *from, uint64_t bytes) {
#ifdef WINNOW_CUDA
    if (!place->host)
        return winnow__arrow_cuda_fetch(place, to, from, bytes);
#endif
    (void)place;
    memcpy(to, from, (size_t)bytes);
    return WINNOW_OK;
}

winnow_status winnow__arrow_copy(winnow__arrow_place *place, void *to,
                                 const void *from, uint64_t bytes) {
    if (bytes == 0)
        return WINNOW_OK;
#ifdef WINNOW_CUDA
    if (!place->host)
        return winnow__arrow_cuda_copy(place, to, from, bytes);
#endif
    (void)place;
    memcpy(to, from, (size_t)bytes);
    return WINNOW_OK;
}

void winnow__arrow_free(winnow__arrow_owner *owner, void *memory) {
#ifdef WINNOW_CUDA
    if (owner != NULL) {
        winnow__arrow_cuda_free(owner, memory);
        return;
    }
#endif
    (void)owner;
    winnow__block_free(memory);
}

winnow__arrow_owner *winnow__arrow_share(winnow__arrow_owner *owner) {
#ifdef WINNOW_CUDA
    if (owner != NULL)
        return winnow__arrow_cuda_share(owner);
#endif
    return owner;
}

void winnow__arrow_leave(winnow__arrow_owner *owner) {
#ifdef WINNOW_CUDA
    if (owner != NULL)
        winnow__arrow_cuda_leave(owner);
#endif
    (void)owner;
}
