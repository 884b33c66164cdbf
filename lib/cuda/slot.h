/*
 * What rooms above this one keep in a context: each has a slot of its own, by
 * the address of its kind.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#ifdef WINNOW_CUDA

#include "context.h"

typedef struct winnow__slot_kind {
    size_t bytes;
    /* Of memory that is all zero; NULL: it stays so. Where it fails, there is no
     * slot yet. */
    winnow_status (*fill)(const winnow__cuda_context *context, void *slot);
    /* Free what it holds on the device, which is current: before empty(), but
     * not where the device is gone. NULL: that is nothing. */
    void (*empty_on_device)(void *slot);
    /* Free what it holds; NULL: that is nothing. */
    void (*empty)(void *slot);
} winnow__slot_kind;

/* The context's slot of a kind, filled at the first call, by one thread. It
 * stays where it is as long as the context. */
winnow_status winnow__slot(const winnow_context *base,
                           const winnow__slot_kind *kind, void **slot_p);
void winnow__empty_slots_on_device(winnow__cuda_context *context);
void winnow__free_slots(winnow__cuda_context *context);

#endif
