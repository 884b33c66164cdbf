/*
 * DLPack 1.3: the structs by which array libraries share memory. They are
 * declared here, as the protocol defines them, since Debian has no package of
 * its header. tests/test_dlpack.py compares them with the protocol's header.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_DLPACK_H
#define WINNOW_PYTHON_DLPACK_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#ifndef DLPACK_DLPACK_H_

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 3
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1)

typedef struct {
    uint32_t major;
    uint32_t minor;
} DLPackVersion;

typedef enum {
    kDLCPU = 1,
    kDLCUDA = 2,
    kDLCUDAHost = 3,
    kDLCUDAManaged = 13
} DLDeviceType;

typedef struct {
    DLDeviceType device_type;
    int32_t device_id;
} DLDevice;

typedef enum {
    kDLInt = 0,
    kDLUInt = 1,
    kDLFloat = 2,
    kDLBfloat = 4,
    kDLComplex = 5,
    kDLBool = 6
} DLDataTypeCode;

typedef struct {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
} DLDataType;

typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides; /* in elements; before 1.2 NULL means contiguous */
    uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

typedef struct DLPackExchangeAPIHeader {
    DLPackVersion version;
    struct DLPackExchangeAPIHeader *prev_api;
} DLPackExchangeAPIHeader;

typedef struct DLPackExchangeAPI {
    DLPackExchangeAPIHeader header;
    int (*managed_tensor_allocator)(DLTensor *prototype,
                                    DLManagedTensorVersioned **out,
                                    void *error_ctx,
                                    void (*set_error)(void *error_ctx,
                                                      const char *kind,
                                                      const char *message));
    int (*managed_tensor_from_py_object_no_sync)(
        void *py_object, DLManagedTensorVersioned **out);
    int (*managed_tensor_to_py_object_no_sync)(DLManagedTensorVersioned *tensor,
                                               void **out_py_object);
    int (*dltensor_from_py_object_no_sync)(void *py_object, DLTensor *out);
    int (*current_work_stream)(DLDeviceType device_type, int32_t device_id,
                               void **out_current_stream);
} DLPackExchangeAPI;

#endif /* DLPACK_DLPACK_H_ */

static_assert(sizeof(DLDataType) == 4, "DLPack");
static_assert(sizeof(DLDevice) == 8, "DLPack");
static_assert(sizeof(DLTensor) == 48, "DLPack");
static_assert(offsetof(DLTensor, dtype) == 20, "DLPack");
static_assert(offsetof(DLTensor, shape) == 24, "DLPack");
static_assert(offsetof(DLTensor, strides) == 32, "DLPack");
static_assert(offsetof(DLTensor, byte_offset) == 40, "DLPack");
static_assert(sizeof(DLManagedTensor) == 64, "DLPack");
static_assert(sizeof(DLManagedTensorVersioned) == 80, "DLPack");
static_assert(offsetof(DLManagedTensorVersioned, flags) == 24, "DLPack");
static_assert(offsetof(DLManagedTensorVersioned, dl_tensor) == 32, "DLPack");
static_assert(sizeof(DLPackExchangeAPI) == 56, "DLPack");
static_assert(offsetof(DLPackExchangeAPI, current_work_stream) == 48, "DLPack");

#endif
