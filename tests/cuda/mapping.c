/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "mapping.h"

#include <stdio.h>
#include <stdlib.h>

#include <cuda.h>

#include "gpu.h"

static void must(CUresult result, const char *call) {
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", call, (int)result);
    abort();
}

/* All of them or none. */
static struct {
    CUresult (*granularity)(size_t *, const CUmemAllocationProp *,
                            CUmemAllocationGranularity_flags);
    CUresult (*reserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr,
                        unsigned long long);
    CUresult (*release_address)(CUdeviceptr, size_t);
    CUresult (*create)(CUmemGenericAllocationHandle *, size_t,
                       const CUmemAllocationProp *, unsigned long long);
    CUresult (*release)(CUmemGenericAllocationHandle);
    CUresult (*map)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle,
                    unsigned long long);
    CUresult (*unmap)(CUdeviceptr, size_t);
    CUresult (*allow)(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
} driver;

static bool find_driver(void) {
    const struct gpu_function wanted[] = {
        {"cuMemGetAllocationGranularity", (void **)&driver.granularity},
        {"cuMemAddressReserve", (void **)&driver.reserve},
        {"cuMemAddressFree", (void **)&driver.release_address},
        {"cuMemCreate", (void **)&driver.create},
        {"cuMemRelease", (void **)&driver.release},
        {"cuMemMap", (void **)&driver.map},
        {"cuMemUnmap", (void **)&driver.unmap},
        {"cuMemSetAccess", (void **)&driver.allow},
    };

    return GPU_FIND(wanted, 12000);
}

static void map_piece(CUdeviceptr start, size_t bytes,
                      const CUmemAllocationProp *kind) {
    CUmemGenericAllocationHandle piece;

    must(driver.create(&piece, bytes, kind, 0), "cuMemCreate");
    must(driver.map(start, bytes, 0, piece, 0), "cuMemMap");
    must(driver.release(piece), "cuMemRelease"); /* when it is unmapped */
}

bool mapping_open(struct mapping *mapping, unsigned pieces, bool allowed) {
    const CUmemLocation here = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    const CUmemAllocationProp kind = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = here};
    const CUmemAccessDesc access = {
        .location = here, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr start;
    size_t each;

    if (!find_driver() ||
        driver.granularity(&each, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM) !=
            CUDA_SUCCESS)
        return false;
    /* An address more than is used. */
    must(driver.reserve(&start, each * (pieces + 1), 0, 0, 0),
         "cuMemAddressReserve");
    for (unsigned i = 0; i < pieces; i++)
        map_piece(start + i * each, each, &kind);
    if (allowed)
        must(driver.allow(start, each * pieces, &access, 1), "cuMemSetAccess");
    *mapping = (struct mapping){(void *)start, each * pieces, pieces};
    return true;
}

void mapping_close(struct mapping *mapping) {
    const size_t each = mapping->bytes / mapping->pieces;
    const CUdeviceptr start = (CUdeviceptr)mapping->start;

    GPU_MUST(cudaDeviceSynchronize());
    must(driver.unmap(start, mapping->bytes), "cuMemUnmap");
    must(driver.release_address(start, each * (mapping->pieces + 1)),
         "cuMemAddressFree");
}
