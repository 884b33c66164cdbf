/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/context.h"
#include "core/status.h"
#include "host/task.h"

#ifdef WINNOW_CUDA
#include "auto/profile.h"
#include "copy/copy.h"
#include "cuda/backend.h"

/* The operations that profiles may have entries for. */
static const winnow__strategies *const tuned[] = {
    &winnow__copy_if_strategies, &winnow__copy_index_if_strategies, NULL};
#endif

winnow_status winnow_context_create(winnow_context **context_p, int device) {
    WINNOW__TRY(winnow__need(context_p, "context_p"));
    if (device == WINNOW_DEVICE_HOST)
        return winnow__host_create(context_p);
    if (device < 0)
        return winnow__fail(WINNOW_ERR_NO_DEVICE,
                            "device %d is neither an ordinal nor "
                            "WINNOW_DEVICE_HOST",
                            device);
#ifdef WINNOW_CUDA
    winnow_context *context;
    WINNOW__TRY(winnow__cuda_create(&context, device));
    winnow_status status = winnow__load_tuning(context, tuned);
    if (status == WINNOW_OK)
        *context_p = context;
    else
        winnow_context_destroy(context);
    return status;
#else
    return winnow__fail(WINNOW_ERR_NO_DEVICE,
                        "device %d: this libwinnow was built without CUDA, and "
                        "has the host alone",
                        device);
#endif
}

winnow_status winnow_context_set_threads(winnow_context *context,
                                         unsigned threads) {
    WINNOW__TRY(winnow__need(context, "context"));
    if (context->backend->set_threads == NULL)
        return winnow__unsupported("the context is a device's: those of "
                                   "WINNOW_DEVICE_HOST have threads");
    context->backend->set_threads(context, threads);
    return WINNOW_OK;
}

winnow_status winnow_context_set_compile(winnow_context *context,
                                         winnow_compile compile) {
    WINNOW__TRY(winnow__need(context, "context"));
    if (compile != WINNOW_COMPILE_READY && compile != WINNOW_COMPILE_BEFORE)
        return winnow__refuse("compile %d is no winnow_compile", (int)compile);
    atomic_store_explicit(&context->compile, compile, memory_order_relaxed);
    return WINNOW_OK;
}

winnow_status winnow_context_tune(winnow_context *context, const char *path) {
    WINNOW__TRY(winnow__need(context, "context"));
#ifdef WINNOW_CUDA
    if (!context->backend->is_host)
        return winnow__tune(context, path);
#endif
    (void)path;
    return winnow__unsupported(
        "the context is of WINNOW_DEVICE_HOST, which has one "
        "strategy: those of CUDA devices have profiles");
}

void winnow_context_destroy(winnow_context *context) {
    if (context != NULL)
        context->backend->destroy(context);
}
