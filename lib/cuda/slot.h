/*
 * Data that higher rooms keep in a context. Each kind of data has a slot, found
 * by the address of its kind.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#ifdef WINNOW_CUDA

#include "context.h"

typedef struct winnow__slot_kind {
    size_t bytes;
    /* Initialize a slot, which is all zero; NULL: it stays zero. After an error
     * there is no slot yet. */
    winnow_status (*fill)(const winnow__cuda_context *context, void *slot);
    /* Free the slot's device memory; the device is current. Called before
     * empty(), but not if the device is gone. NULL: nothing to free. */
    void (*empty_on_device)(void *slot);
    /* Free the rest; NULL: nothing to free. */
    void (*empty)(void *slot);
} winnow__slot_kind;

/* The context's slot of a kind. One thread fills it at the first call. Its
 * address is valid as long as the context. */
winnow_status winnow__slot(const winnow_context *base,
                           const winnow__slot_kind *kind, void **slot_p);
void winnow__empty_slots_on_device(winnow__cuda_context *context);
void winnow__free_slots(winnow__cuda_context *context);

#endif
