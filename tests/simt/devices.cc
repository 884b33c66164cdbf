/*
 * Devices, their contexts, parts of them, and the driver's functions by name.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "runtime.hpp"

#include <cstdio>
#include <cstring>

namespace simt {

namespace {

constexpr int MOST_DEVICES = 8;

bool is_device(int device) {
    return device >= 0 && device < simt_settings.devices;
}

} // namespace

CUctx_st *primary_context(int device) {
    static CUctx_st contexts[MOST_DEVICES];
    contexts[device].device = device;
    contexts[device].alive = true;
    return &contexts[device];
}

/* Of the calling thread, the one that is current last. */
std::vector<CUctx_st *> &current_contexts() {
    thread_local std::vector<CUctx_st *> contexts;
    return contexts;
}

/* The runtime takes the first device's, if there is none. */
int current_device() {
    if (current_contexts().empty())
        current_contexts().push_back(primary_context(0));
    return current_contexts().back()->device;
}

/* ------------------------------------------------------------ the driver's */

CUresult device_get(CUdevice *device_p, int ordinal) {
    SIMT_DRIVER_CALL(cuDeviceGet);
    if (!is_device(ordinal))
        return CUDA_ERROR_INVALID_DEVICE;
    *device_p = ordinal;
    return CUDA_SUCCESS;
}

CUresult device_name(char *name, int bytes, CUdevice) {
    SIMT_DRIVER_CALL(cuDeviceGetName);
    std::snprintf(name, static_cast<size_t>(bytes), "%s", simt_settings.name);
    return CUDA_SUCCESS;
}

CUresult primary_retain(CUcontext *context_p, CUdevice device) {
    SIMT_DRIVER_CALL(cuDevicePrimaryCtxRetain);
    *context_p = primary_context(device);
    return CUDA_SUCCESS;
}

CUresult primary_release(CUdevice) {
    SIMT_DRIVER_CALL(cuDevicePrimaryCtxRelease);
    return CUDA_SUCCESS;
}

CUresult get_current(CUcontext *context_p) {
    SIMT_DRIVER_CALL(cuCtxGetCurrent);
    *context_p =
        current_contexts().empty() ? nullptr : current_contexts().back();
    return CUDA_SUCCESS;
}

CUresult get_current_device(CUdevice *device_p) {
    SIMT_DRIVER_CALL(cuCtxGetDevice);
    if (current_contexts().empty())
        return CUDA_ERROR_INVALID_CONTEXT;
    *device_p = current_contexts().back()->device;
    return CUDA_SUCCESS;
}

CUresult push_current(CUcontext context) {
    SIMT_DRIVER_CALL(cuCtxPushCurrent);
    current_contexts().push_back(context);
    return CUDA_SUCCESS;
}

CUresult pop_current(CUcontext *context_p) {
    SIMT_DRIVER_CALL(cuCtxPopCurrent);
    if (current_contexts().empty())
        return CUDA_ERROR_INVALID_CONTEXT;
    *context_p = current_contexts().back();
    current_contexts().pop_back();
    return CUDA_SUCCESS;
}

/* ------------------------------------------------------- parts of a device */

CUresult get_resource(CUdevice, CUdevResource *resource, CUdevResourceType) {
    resource->type = CU_DEV_RESOURCE_TYPE_SM;
    resource->sm.smCount = static_cast<unsigned>(simt_settings.multiprocessors);
    return CUDA_SUCCESS;
}

CUresult split_resource(CUdevResource *parts, unsigned *number,
                        const CUdevResource *whole, CUdevResource *, unsigned,
                        unsigned least) {
    if (least > whole->sm.smCount)
        return CUDA_ERROR_INVALID_VALUE;
    *number = 1;
    parts[0] = *whole;
    parts[0].sm.smCount = least;
    return CUDA_SUCCESS;
}

CUresult describe_resource(CUdevResourceDesc *description,
                           CUdevResource *resource, unsigned) {
    *description = resource;
    return CUDA_SUCCESS;
}

CUresult create_part(CUgreenCtx *part, CUdevResourceDesc description,
                     CUdevice device, unsigned) {
    *part = new CUgreenCtx_st{{device, description->sm.smCount, true}};
    return CUDA_SUCCESS;
}

CUresult destroy_part(CUgreenCtx part) {
    delete part;
    return CUDA_SUCCESS;
}

CUresult part_context(CUcontext *context, CUgreenCtx part) {
    *context = &part->context;
    return CUDA_SUCCESS;
}

/* Elsewhere: */
CUresult part_stream(CUstream *, CUgreenCtx, unsigned, int);
CUresult stream_is_capturing(CUstream, CUstreamCaptureStatus *);
CUresult stream_id(CUstream, unsigned long long *);
CUresult load_library(CUlibrary *, const void *, CUjit_option *, void **,
                      unsigned, CUlibraryOption *, void **, unsigned);
CUresult unload_library(CUlibrary);
CUresult library_kernel(CUkernel *, CUlibrary, const char *);
CUresult granularity(size_t *, const CUmemAllocationProp *,
                     CUmemAllocationGranularity_flags);
CUresult reserve(CUdeviceptr *, size_t, size_t, CUdeviceptr,
                 unsigned long long);
CUresult release_address(CUdeviceptr, size_t);
CUresult create_piece(CUmemGenericAllocationHandle *, size_t,
                      const CUmemAllocationProp *, unsigned long long);
CUresult release_piece(CUmemGenericAllocationHandle);
CUresult map_piece(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle,
                   unsigned long long);
CUresult unmap_pieces(CUdeviceptr, size_t);
CUresult allow_pieces(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
CUresult address_range(CUdeviceptr *, size_t *, CUdeviceptr);
CUresult pointer_attribute(void *, CUpointer_attribute, CUdeviceptr);
CUresult mapping_retain(CUmemGenericAllocationHandle *, void *);

namespace {

template <class F>
void *address_of(F *function) {
    return reinterpret_cast<void *>(function);
}

void *find_function(const char *name) {
    if (simt_settings.lacks != nullptr &&
        std::strcmp(simt_settings.lacks, name) == 0)
        return nullptr;
    static const struct {
        const char *name;
        void *address;
    } functions[] = {
        {"cuDeviceGet", address_of(device_get)},
        {"cuDeviceGetName", address_of(device_name)},
        {"cuDevicePrimaryCtxRetain", address_of(primary_retain)},
        {"cuDevicePrimaryCtxRelease", address_of(primary_release)},
        {"cuCtxGetCurrent", address_of(get_current)},
        {"cuCtxGetDevice", address_of(get_current_device)},
        {"cuCtxPushCurrent", address_of(push_current)},
        {"cuCtxPopCurrent", address_of(pop_current)},
        {"cuMemGetAddressRange", address_of(address_range)},
        {"cuPointerGetAttribute", address_of(pointer_attribute)},
        {"cuMemRetainAllocationHandle", address_of(mapping_retain)},
        {"cuMemRelease", address_of(release_piece)},
        {"cuStreamIsCapturing", address_of(stream_is_capturing)},
        {"cuStreamGetId", address_of(stream_id)},
        {"cuLibraryLoadData", address_of(load_library)},
        {"cuLibraryUnload", address_of(unload_library)},
        {"cuLibraryGetKernel", address_of(library_kernel)},
        {"cuMemGetAllocationGranularity", address_of(granularity)},
        {"cuMemAddressReserve", address_of(reserve)},
        {"cuMemAddressFree", address_of(release_address)},
        {"cuMemCreate", address_of(create_piece)},
        {"cuMemMap", address_of(map_piece)},
        {"cuMemUnmap", address_of(unmap_pieces)},
        {"cuMemSetAccess", address_of(allow_pieces)},
        {"cuDeviceGetDevResource", address_of(get_resource)},
        {"cuDevSmResourceSplitByCount", address_of(split_resource)},
        {"cuDevResourceGenerateDesc", address_of(describe_resource)},
        {"cuGreenCtxCreate", address_of(create_part)},
        {"cuGreenCtxStreamCreate", address_of(part_stream)},
        {"cuGreenCtxDestroy", address_of(destroy_part)},
        {"cuCtxFromGreenCtx", address_of(part_context)},
    };
    for (const auto &function : functions)
        if (std::strcmp(function.name, name) == 0)
            return function.address;
    return nullptr;
}

} // namespace

} // namespace simt

using namespace simt;

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
    SIMT_CALL(cudaGetDeviceCount);
    *count = simt_settings.devices;
    return say(*count == 0 ? cudaErrorNoDevice : cudaSuccess);
}

cudaError_t cudaGetDevice(int *device) {
    SIMT_CALL(cudaGetDevice);
    *device = current_device();
    return say(cudaSuccess);
}

cudaError_t cudaSetDevice(int device) {
    SIMT_CALL(cudaSetDevice);
    if (!is_device(device))
        return say(cudaErrorInvalidDevice);
    current_device();
    current_contexts().back() = primary_context(device);
    return say(cudaSuccess);
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
    SIMT_CALL(cudaInitDevice);
    return say(is_device(device) ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    SIMT_CALL(cudaDeviceCanAccessPeer);
    if (!is_device(device) || !is_device(peer))
        return say(cudaErrorInvalidDevice);
    *can = simt_settings.peers && device != peer;
    return say(cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
    SIMT_CALL(cudaDeviceEnablePeerAccess);
    static bool enabled[MOST_DEVICES][MOST_DEVICES];
    const int device = current_device();
    if (!is_device(peer) || peer == device || !simt_settings.peers)
        return say(cudaErrorInvalidDevice);
    if (enabled[device][peer])
        return say(cudaErrorPeerAccessAlreadyEnabled);
    enabled[device][peer] = true;
    return say(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute,
                                   int device) {
    SIMT_CALL(cudaDeviceGetAttribute);
    if (!is_device(device))
        return say(cudaErrorInvalidDevice);
    switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
        *value = simt_settings.multiprocessors;
        break;
    case cudaDevAttrComputeCapabilityMajor:
        *value = simt_settings.major;
        break;
    case cudaDevAttrComputeCapabilityMinor:
        *value = simt_settings.minor;
        break;
    case cudaDevAttrPageableMemoryAccess:
        *value = simt_settings.pageable;
        break;
    case cudaDevAttrCooperativeLaunch:
        *value = simt_settings.cooperative;
        break;
    case cudaDevAttrL2CacheSize:
        *value = simt_settings.cache_bytes;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = simt_settings.shared_per_block;
        break;
    default:
        return say(cudaErrorInvalidValue);
    }
    return say(cudaSuccess);
}

cudaError_t
cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned,
                                 unsigned long long,
                                 enum cudaDriverEntryPointQueryResult *found) {
    SIMT_CALL(cudaGetDriverEntryPointByVersion);
    *function = find_function(name);
    *found = *function != nullptr ? cudaDriverEntryPointSuccess
                                  : cudaDriverEntryPointSymbolNotFound;
    return say(cudaSuccess);
}

} // extern "C"
