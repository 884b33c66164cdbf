/*
 * Can a device reach a range of memory? lib/cuda_check.c with memory that is
 * not at hand: a driver and a runtime of this file's.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#include <criterion/criterion.h>

#include "cuda_backend.h"

/* ------------------------------------------------ memory, by its addresses */

static const struct piece {
    uint64_t start, bytes;
    bool told;    /* by cuMemGetAddressRange */
    bool reached; /* by the device */
    enum {
        ALLOCATED,
        MAPPED,
        OF_THE_HOST
    } kind;
} pieces[] = {
    {0x10000, 0x1000, true, true, ALLOCATED}, /* and right behind it */
    {0x11000, 0x1000, true, true, ALLOCATED},
    {0x20000, 0x1000, true, true, MAPPED}, /* likewise, */
    {0x21000, 0x1000, true, true, MAPPED}, /* and */
    {0x22000, 0x1000, true, true, ALLOCATED},
    {0x30000, 0x1000, true, true, OF_THE_HOST}, /* and */
    {0x31000, 0x1000, true, true, OF_THE_HOST},
    {0x40000, 0x1000, false, true, ALLOCATED},
    {0x50000, 0x1000, false, false, ALLOCATED},
    {0x60000, 0x1000, true, true, MAPPED},      /* and nothing */
    {0x70000, 0x1000, true, true, OF_THE_HOST}, /* and plain memory */
};

static const struct piece *find(uint64_t address) {
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++)
        if (address - pieces[i].start < pieces[i].bytes)
            return &pieces[i];
    return NULL;
}

static CUresult address_range(CUdeviceptr *base, size_t *bytes,
                              CUdeviceptr address) {
    const struct piece *piece = find(address);

    if (piece == NULL || !piece->told)
        return CUDA_ERROR_NOT_FOUND;
    *base = piece->start;
    *bytes = piece->bytes;
    return CUDA_SUCCESS;
}

static CUresult pointer_attribute(void *answer, CUpointer_attribute attribute,
                                  CUdeviceptr address) {
    const struct piece *piece = find(address);
    unsigned type;

    if (piece == NULL || !piece->reached)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        memcpy(answer, &address, sizeof(address));
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        type = piece->kind == OF_THE_HOST ? CU_MEMORYTYPE_HOST
                                          : CU_MEMORYTYPE_DEVICE;
        memcpy(answer, &type, sizeof(type));
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

static int retained;

static CUresult mapping_retain(CUmemGenericAllocationHandle *handle,
                               void *address) {
    const struct piece *piece = find((uintptr_t)address);

    if (piece == NULL || piece->kind != MAPPED)
        return CUDA_ERROR_INVALID_VALUE;
    *handle = 7;
    retained++;
    return CUDA_SUCCESS;
}

static CUresult mapping_release(CUmemGenericAllocationHandle handle) {
    cr_assert_eq(handle, 7);
    retained--;
    return CUDA_SUCCESS;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *pointer) {
    attributes->type = find((uintptr_t)pointer) != NULL
                           ? cudaMemoryTypeDevice
                           : cudaMemoryTypeUnregistered;
    return cudaSuccess;
}

static winnow__cuda_context context = {
    .driver = {.address_range = address_range,
               .pointer_attribute = pointer_attribute,
               .mapping_retain = mapping_retain,
               .mapping_release = mapping_release}};

static const winnow__call call = {.context = &context.base};

/* From where on the call's graph allocates 0x1000 bytes. */
static uint64_t in_graph;

bool winnow__is_allocated_in_graph(const winnow__call *of,
                                   const winnow__range *range) {
    cr_assert_eq(of->context, call.context);
    return in_graph != 0 && (uintptr_t)range->start - in_graph <= 0x1000 &&
           range->bytes <= 0x1000 - ((uintptr_t)range->start - in_graph);
}

/* ------------------------------------------------------------------ tests */

static winnow_status ask(uint64_t start, uint64_t bytes) {
    const winnow__range ranges[] = {
        {"d_in", (const void *)(uintptr_t)0x10000, 16, 4, true},
        {"d_out", (const void *)(uintptr_t)start, bytes, 4, true},
        {"d_count", NULL, 8, 8, true}};

    return winnow__cuda_reaches(&call, ranges, 3);
}

static void expect(uint64_t start, uint64_t bytes, const char *detail) {
    const winnow_status status = ask(start, bytes);

    cr_assert_eq(retained, 0);
    if (detail == NULL) {
        cr_assert_eq(status, WINNOW_OK, "0x%llx, %llu: %s",
                     (unsigned long long)start, (unsigned long long)bytes,
                     winnow_last_error());
        return;
    }
    cr_assert_eq(status, WINNOW_ERR_ARGUMENT, "0x%llx, %llu",
                 (unsigned long long)start, (unsigned long long)bytes);
    cr_assert(strstr(winnow_last_error(), "d_out") &&
                  strstr(winnow_last_error(), detail),
              "%s", winnow_last_error());
}

Test(reach, one_piece) {
    expect(0x10000, 0x1000, NULL);
    expect(0x10ffc, 4, NULL);
    expect(0x10000, 0x1001, "there are 4096");
    expect(0x10ff0, 17, "there are 16");
    expect(0x10000, UINT64_C(1) << 40, "past the end");
}

Test(reach, pieces_side_by_side) {
    expect(0x20000, 0x2000, NULL);
    expect(0x20fff, 2, NULL);
    expect(0x20000, 0x2001, "past the end");
    expect(0x21ff0, 32, "there are 16");
    expect(0x30000, 0x2000, NULL);
    expect(0x30000, 0x2001, "past the end");
}

/* Nothing is known but that its ends can be reached. */
Test(reach, pieces_untold) {
    expect(0x40000, 0x1000, NULL);
    expect(0x40000, 0x1001, "past the end");
}

/* Where a device reaches plain memory, too, it goes on behind registered memory
 * of the host's, and behind no other. */
Test(reach, registered_in_part) {
    expect(0x70000, 0x1001, "there are 4096");
    context.pageable = true;
    expect(0x70000, 0x1001, NULL);
    expect(0x11000, 0x1001, "there are 4096");
    expect(0x21000, 0x1001, "there are 4096");
    expect(0x60000, 0x1001, "there are 4096");
    context.pageable = false;
}

/* What the call's graph allocates is there when it runs. */
Test(reach, allocated_in_graph) {
    in_graph = 0x90000;
    expect(0x90000, 0x1000, NULL);
    expect(0x90008, 0xff8, NULL);
    expect(0x90000, 0x1001, "none at all");
    in_graph = 0;
    expect(0x90000, 0x1000, "none at all");
}

Test(reach, out_of_reach) {
    expect(0x50000, 16, "cannot reach");
    expect(0x80000, 16, "plain host memory");
    expect(0x80000, 0, NULL);
    context.pageable = true;
    expect(0x80000, 16, NULL);
    expect(0x50000, 16, "cannot reach");
    context.pageable = false;
}
