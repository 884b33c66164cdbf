/*
 * Loads kernels before a call's first launch.
 *
 * CUDA loads a kernel at its first launch, which takes memory and may fail. A
 * call with several launches loads all of its kernels first: if that fails,
 * nothing has been written yet.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "launch.h"
#include "slot.h"

/* The kernels that a context has loaded: a hash table whose entries are written
 * once. A kernel that finds no room is loaded again at each call. */
enum {
    ENTRIES = 256,
    PROBES = 8
};

typedef struct loaded {
    _Atomic(const void *) functions[ENTRIES];
} loaded;

static const winnow__slot_kind loaded_kind = {.bytes = sizeof(loaded)};
/* Kernels whose dynamic shared memory was set. */
static const winnow__slot_kind allowed_kind = {.bytes = sizeof(loaded)};

static _Atomic(const void *) *entry(loaded *table, const void *function,
                                    unsigned probe) {
    const uintptr_t hash = (uintptr_t)function / 16;
    return &table->functions[(hash + hash / ENTRIES + probe) % ENTRIES];
}

static bool is_loaded(loaded *table, const void *function) {
    for (unsigned i = 0; i < PROBES; i++)
        if (atomic_load_explicit(entry(table, function, i),
                                 memory_order_relaxed) == function)
            return true;
    return false;
}

static void note(loaded *table, const void *function) {
    for (unsigned i = 0; i < PROBES; i++) {
        const void *free = NULL;
        if (atomic_compare_exchange_strong_explicit(
                entry(table, function, i), &free, function,
                memory_order_relaxed, memory_order_relaxed))
            return;
    }
}

winnow_status winnow__load(const winnow_context *context,
                           const winnow__kernel *kernel) {
    struct cudaFuncAttributes attributes;
    void *slot;
    WINNOW__TRY(winnow__slot(context, &loaded_kind, &slot));
    if (is_loaded(slot, kernel->function))
        return WINNOW_OK;
    WINNOW__TRY(winnow__cuda_status(
        cudaFuncGetAttributes(&attributes, kernel->function),
        "loading a kernel"));
    note(slot, kernel->function);
    return WINNOW_OK;
}

winnow_status winnow__allow_shared(const winnow__kernel *kernel,
                                   uint64_t bytes) {
    return winnow__cuda_status(
        cudaFuncSetAttribute(kernel->function,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)bytes),
        "preparing a kernel");
}

winnow_status winnow__allow_shared_once(const winnow_context *context,
                                        const winnow__kernel *kernel,
                                        uint64_t bytes) {
    struct cudaFuncAttributes attributes;
    void *slot;
    if (kernel->shared_bytes == 0)
        return WINNOW_OK;
    WINNOW__TRY(winnow__slot(context, &allowed_kind, &slot));
    if (is_loaded(slot, kernel->function))
        return WINNOW_OK;
    /* A kernel's static shared memory is added to it. */
    WINNOW__TRY(winnow__cuda_status(
        cudaFuncGetAttributes(&attributes, kernel->function),
        "preparing a kernel"));
    const uint64_t most =
        winnow__cuda(context)->shared_bytes - attributes.sharedSizeBytes;
    WINNOW__TRY(winnow__allow_shared(kernel, bytes < most ? bytes : most));
    note(slot, kernel->function);
    return WINNOW_OK;
}
