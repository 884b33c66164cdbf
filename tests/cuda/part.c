/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "part.h"

#include <stdio.h>
#include <stdlib.h>

#include "gpu.h"

#if CUDART_VERSION >= 12050
#include <cudaTypedefs.h>

#define DRIVER_MUST(call)                                                      \
    do {                                                                       \
        const CUresult driver_result = (call);                                 \
        if (driver_result != CUDA_SUCCESS) {                                   \
            fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call,      \
                    (int)driver_result);                                       \
            abort();                                                           \
        }                                                                      \
    } while (0)

/* All of them or none. */
static struct {
    PFN_cuDeviceGet_v2000 device_get;
    PFN_cuDeviceGetDevResource_v12040 get;
    PFN_cuDevSmResourceSplitByCount_v12040 split;
    PFN_cuDevResourceGenerateDesc_v12040 describe;
    PFN_cuGreenCtxCreate_v12040 create;
    PFN_cuGreenCtxStreamCreate_v12050 stream;
    PFN_cuGreenCtxDestroy_v12040 destroy;
    PFN_cuCtxFromGreenCtx_v12040 plain;
    PFN_cuCtxPushCurrent_v4000 push;
    PFN_cuCtxPopCurrent_v4000 pop;
} driver;

static bool find_driver(void) {
    const struct gpu_function wanted[] = {
        {"cuDeviceGet", (void **)&driver.device_get},
        {"cuDeviceGetDevResource", (void **)&driver.get},
        {"cuDevSmResourceSplitByCount", (void **)&driver.split},
        {"cuDevResourceGenerateDesc", (void **)&driver.describe},
        {"cuGreenCtxCreate", (void **)&driver.create},
        {"cuGreenCtxStreamCreate", (void **)&driver.stream},
        {"cuGreenCtxDestroy", (void **)&driver.destroy},
        {"cuCtxFromGreenCtx", (void **)&driver.plain},
        {"cuCtxPushCurrent", (void **)&driver.push},
        {"cuCtxPopCurrent", (void **)&driver.pop},
    };

    return GPU_FIND(wanted, 12050);
}

bool part_open(struct part *part, unsigned multiprocessors) {
    unsigned groups = 1;
    CUdevice device;
    CUdevResource whole, some;
    CUdevResourceDesc description;
    CUgreenCtx context;
    CUstream stream;

    if (!find_driver())
        return false;
    DRIVER_MUST(driver.device_get(&device, 0));
    if (driver.get(device, &whole, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS)
        return false;
    if (driver.split(&some, &groups, &whole, NULL, 0, multiprocessors) !=
        CUDA_SUCCESS)
        return false;
    DRIVER_MUST(driver.describe(&description, &some, 1));
    DRIVER_MUST(driver.create(&context, description, device,
                              CU_GREEN_CTX_DEFAULT_STREAM));
    DRIVER_MUST(driver.stream(&stream, context, CU_STREAM_NON_BLOCKING, 0));
    part->stream = stream;
    part->multiprocessors = some.sm.smCount;
    part->context = context;
    return true;
}

void part_close(struct part *part) {
    gpu_stream_destroy(part->stream);
    DRIVER_MUST(driver.destroy(part->context));
}

void part_enter(const struct part *part) {
    CUcontext context;

    DRIVER_MUST(driver.plain(&context, part->context));
    DRIVER_MUST(driver.push(context));
}

void part_leave(void) {
    CUcontext context;

    DRIVER_MUST(driver.pop(&context));
}

#else /* an older toolkit's header knows of no parts */

bool part_open(struct part *part, unsigned multiprocessors) {
    (void)part;
    (void)multiprocessors;
    return false;
}

void part_close(struct part *part) {
    (void)part;
}

void part_enter(const struct part *part) {
    (void)part;
}

void part_leave(void) {
}

#endif
