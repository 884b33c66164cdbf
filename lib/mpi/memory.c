/*
 * Memory: pageable or, in a build with CUDA, from the CUDA runtime.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#ifdef WINNOW_CUDA
#include <cuda_runtime_api.h>
#endif

bool winnow__mpi_is_cuda_aware(void) {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support() == 1; /* Open MPI */
#elif defined(MPIX_GPU_SUPPORT_CUDA)
    int is_supported = 0; /* MPICH */
    return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &is_supported) ==
               MPI_SUCCESS &&
           is_supported != 0;
#else
    return false;
#endif
}

/* --------------------------------------------------------------------- CUDA */

#ifdef WINNOW_CUDA
static winnow_status cuda_status(cudaError_t error, const char *what) {
    if (error == cudaSuccess)
        return WINNOW_OK;
    return winnow__ranks_fail(error == cudaErrorMemoryAllocation
                                  ? WINNOW_ERR_MEMORY
                                  : WINNOW_ERR_CUDA,
                              "%s: %s", what, cudaGetErrorString(error));
}

static bool has_no_device(cudaError_t error) {
    return error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver;
}

/* Makes a device current. If it is already, cudaSetDevice() is not called: it
 * would create a context on a device that is not in use. */
static winnow_status enter(int device, int *before_p) {
    WINNOW__TRY(
        cuda_status(cudaGetDevice(before_p), "asking for the current device"));
    if (*before_p != device)
        WINNOW__TRY(
            cuda_status(cudaSetDevice(device), "making a device current"));
    return WINNOW_OK;
}

static winnow_status leave(int device, int before, winnow_status status) {
    if (before == device)
        return status;
    const winnow_status back = cuda_status(
        cudaSetDevice(before), "making the device before current again");
    return status == WINNOW_OK ? back : status;
}

static winnow_status alloc_cuda(const winnow__mpi_memory *about, bool on_host,
                                size_t bytes, void **memory_p) {
    int before = 0;
    WINNOW__TRY(enter(about->device, &before));
    winnow_status status = on_host || !about->is_device
                               ? cuda_status(cudaMallocHost(memory_p, bytes),
                                             "allocating pinned memory")
                               : cuda_status(cudaMalloc(memory_p, bytes),
                                             "allocating memory of the device");
    return leave(about->device, before, status);
}

static void free_cuda(const winnow__mpi_memory *about, bool on_host,
                      void *memory) {
    int before = 0;
    if (enter(about->device, &before) != WINNOW_OK)
        return;
    if (on_host || !about->is_device)
        cudaFreeHost(memory);
    else
        cudaFree(memory);
    (void)leave(about->device, before, WINNOW_OK);
}

static winnow_status start_cuda(const winnow__mpi_memory *about, void *to,
                                const void *from, size_t bytes) {
    int before = 0;
    WINNOW__TRY(enter(about->device, &before));
    winnow_status status = cuda_status(
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, 0), "copying");
    return leave(about->device, before, status);
}

static winnow_status await_cuda(const winnow__mpi_memory *about) {
    int before = 0;
    WINNOW__TRY(enter(about->device, &before));
    winnow_status status =
        cuda_status(cudaStreamSynchronize(0), "waiting for a copy");
    return leave(about->device, before, status);
}
#endif

/* -------------------------------------------------------------------- either */

winnow_status winnow__mpi_find_memory(const void *memory,
                                      winnow__mpi_memory *about_p) {
    *about_p = (winnow__mpi_memory){0};
#ifdef WINNOW_CUDA
    struct cudaPointerAttributes found;
    if (memory == NULL)
        return WINNOW_OK;
    const cudaError_t error = cudaPointerGetAttributes(&found, memory);
    if (has_no_device(error))
        return WINNOW_OK; /* without a device all memory is pageable */
    if (error != cudaSuccess)
        return cuda_status(error, "asking what memory an address is of");
    about_p->is_cuda = found.type != cudaMemoryTypeUnregistered;
    about_p->is_device = about_p->is_cuda && found.type != cudaMemoryTypeHost;
    about_p->device = about_p->is_cuda ? found.device : 0;
#else
    (void)memory;
#endif
    return WINNOW_OK;
}

winnow_status winnow__mpi_alloc(const winnow__mpi_memory *about, bool on_host,
                                size_t bytes, void **memory_p) {
    if (bytes == 0)
        return WINNOW_OK;
#ifdef WINNOW_CUDA
    if (about->is_cuda)
        return alloc_cuda(about, on_host, bytes, memory_p);
#endif
    (void)about, (void)on_host;
    *memory_p = malloc(bytes);
    return *memory_p != NULL
               ? WINNOW_OK
               : winnow__ranks_fail(WINNOW_ERR_MEMORY,
                                    "no memory for %zu bytes", bytes);
}

void winnow__mpi_free(const winnow__mpi_memory *about, bool on_host,
                      void *memory) {
    if (memory == NULL)
        return;
#ifdef WINNOW_CUDA
    if (about->is_cuda) {
        free_cuda(about, on_host, memory);
        return;
    }
#endif
    (void)about, (void)on_host;
    free(memory);
}

winnow_status winnow__mpi_start_copy(const winnow__mpi_memory *about, void *to,
                                     const void *from, size_t bytes) {
    if (bytes == 0)
        return WINNOW_OK;
#ifdef WINNOW_CUDA
    if (about->is_cuda)
        return start_cuda(about, to, from, bytes);
#endif
    (void)about;
    memcpy(to, from, bytes);
    return WINNOW_OK;
}

winnow_status winnow__mpi_await_copies(const winnow__mpi_memory *about) {
#ifdef WINNOW_CUDA
    if (about->is_cuda)
        return await_cuda(about);
#endif
    (void)about;
    return WINNOW_OK;
}

winnow_status winnow__mpi_copy(const winnow__mpi_memory *about, void *to,
                               const void *from, size_t bytes) {
    WINNOW__TRY(winnow__mpi_start_copy(about, to, from, bytes));
    return bytes != 0 ? winnow__mpi_await_copies(about) : WINNOW_OK;
}
