/*
 * What memory arrays are in, and memory of the library's own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <winnow.h>

#include <stdbool.h>

typedef struct winnow__mpi_memory {
    bool is_cuda;   /* CUDA knows it: a device's, managed, or pinned */
    bool is_device; /* a device's, or managed */
    int device;
} winnow__mpi_memory;

/* Of an address; NULL is of plain memory. */
winnow_status winnow__mpi_find_memory(const void *memory,
                                      winnow__mpi_memory *about_p);
/* Memory for work on arrays that lie as `about` says; on_host: the host reaches
 * it, too. NULL for 0 bytes. */
winnow_status winnow__mpi_alloc(const winnow__mpi_memory *about, bool on_host,
                                size_t bytes, void **memory_p);
void winnow__mpi_free(const winnow__mpi_memory *about, bool on_host,
                      void *memory);
/* Copy when all work on the default stream is done; wait for it. */
winnow_status winnow__mpi_copy(const winnow__mpi_memory *about, void *to,
                               const void *from, size_t bytes);
/* The same, which winnow__mpi_await_copies() waits for. */
winnow_status winnow__mpi_start_copy(const winnow__mpi_memory *about, void *to,
                                     const void *from, size_t bytes);
winnow_status winnow__mpi_await_copies(const winnow__mpi_memory *about);
/* Does MPI take addresses of a device's memory? */
bool winnow__mpi_is_cuda_aware(void);
