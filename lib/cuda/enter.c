/*
 * Makes a context's device current, and restores the previous one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "context.h"

/* The runtime uses the driver's current context. That is usually the device's
 * primary context. It may also be another context of the same device, such as a
 * green context, or one of another device. A thread that has not used CUDA yet
 * has none. */
static bool is_current(const winnow__cuda_context *context) {
    const winnow__driver *const driver = &context->driver;
    CUcontext current = NULL;
    CUdevice device;
    if (driver->get_current(&current) != CUDA_SUCCESS || current == NULL)
        return false;
    return current == context->primary ||
           (driver->current_device(&device) == CUDA_SUCCESS &&
            device == context->handle);
}

winnow_status winnow__enter(const winnow_context *base, bool *entered_p) {
    const winnow__cuda_context *context = winnow__cuda(base);
    *entered_p = false;
    if (is_current(context))
        return WINNOW_OK;
    CUresult result = context->driver.push_current(context->primary);
    *entered_p = result == CUDA_SUCCESS;
    return winnow__driver_status(result, "making the device current");
}

void winnow__leave(const winnow_context *base, bool entered) {
    const winnow__cuda_context *context = winnow__cuda(base);
    CUcontext popped;
    if (entered)
        context->driver.pop_current(&popped);
}
