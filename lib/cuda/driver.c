/*
 * Functions of the CUDA driver, looked up by name. libwinnow is not linked with
 * the driver, so that it can be loaded on machines without one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "context.h"
#include "core/status.h"

#include <stddef.h>
#include <string.h>

static cudaError_t find(const char *name, void **found_p,
                        enum cudaDriverEntryPointQueryResult *result_p) {
#if CUDART_VERSION >= 12050
    return cudaGetDriverEntryPointByVersion(name, found_p, 12000,
                                            cudaEnableDefault, result_p);
#else
    return cudaGetDriverEntryPoint(name, found_p, cudaEnableDefault, result_p);
#endif
}

winnow_status winnow__find_driver(winnow__driver *driver) {
    static const struct {
        const char *name;
        size_t place;
    } functions[] = {
        {"cuDeviceGet", offsetof(winnow__driver, device_get)},
        {"cuDeviceGetName", offsetof(winnow__driver, device_name)},
        {"cuDevicePrimaryCtxRetain", offsetof(winnow__driver, primary_retain)},
        {"cuDevicePrimaryCtxRelease",
         offsetof(winnow__driver, primary_release)},
        {"cuCtxGetCurrent", offsetof(winnow__driver, get_current)},
        {"cuCtxGetDevice", offsetof(winnow__driver, current_device)},
        {"cuCtxPushCurrent", offsetof(winnow__driver, push_current)},
        {"cuCtxPopCurrent", offsetof(winnow__driver, pop_current)},
        {"cuMemGetAddressRange", offsetof(winnow__driver, address_range)},
        {"cuPointerGetAttribute", offsetof(winnow__driver, pointer_attribute)},
        {"cuMemRetainAllocationHandle",
         offsetof(winnow__driver, mapping_retain)},
        {"cuMemRelease", offsetof(winnow__driver, mapping_release)},
        {"cuStreamIsCapturing", offsetof(winnow__driver, stream_is_capturing)},
        {"cuStreamGetId", offsetof(winnow__driver, stream_id)},
        {"cuLibraryLoadData", offsetof(winnow__driver, load_library)},
        {"cuLibraryUnload", offsetof(winnow__driver, unload_library)},
        {"cuLibraryGetKernel", offsetof(winnow__driver, library_kernel)},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *found = NULL;
        enum cudaDriverEntryPointQueryResult result;
        cudaError_t error = find(functions[i].name, &found, &result);
        if (error != cudaSuccess)
            return winnow__cuda_status(error,
                                       "asking the driver for a function");
        if (result != cudaDriverEntryPointSuccess || found == NULL)
            return winnow__fail(WINNOW_ERR_NO_DEVICE,
                                "the CUDA driver is too old: it has no %s",
                                functions[i].name);
        /* As with dlsym(), an object pointer holds the function's address. */
        memcpy((char *)driver + functions[i].place, &found, sizeof found);
    }
    return WINNOW_OK;
}
