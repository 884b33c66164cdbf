/*
 * Slots are few, so they are in a list. The list only grows, so that finding one needs
 * no lock.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "slot.h"
#include "core/status.h"

#include <stddef.h>
#include <stdlib.h>

struct winnow__slot_node {
    const winnow__slot_kind *kind;
    struct winnow__slot_node *next;
    _Alignas(max_align_t) unsigned char memory[];
};

/* The release in add() publishes a node after it is complete. */
static void *find(const winnow__slots *slots, const winnow__slot_kind *kind) {
    struct winnow__slot_node *node =
        atomic_load_explicit(&slots->first, memory_order_acquire);
    while (node != NULL && node->kind != kind)
        node = node->next;
    return node != NULL ? node->memory : NULL;
}

static winnow_status add(winnow__cuda_context *context,
                         const winnow__slot_kind *kind, void **slot_p) {
    struct winnow__slot_node *const node =
        calloc(1, sizeof *node + kind->bytes);
    if (node == NULL)
        return winnow__no_memory("a context");
    winnow_status status =
        kind->fill != NULL ? kind->fill(context, node->memory) : WINNOW_OK;
    if (status != WINNOW_OK) {
        free(node);
        return status;
    }
    node->kind = kind;
    node->next =
        atomic_load_explicit(&context->slots.first, memory_order_relaxed);
    atomic_store_explicit(&context->slots.first, node, memory_order_release);
    *slot_p = node->memory;
    return WINNOW_OK;
}

winnow_status winnow__slot(const winnow_context *base,
                           const winnow__slot_kind *kind, void **slot_p) {
    /* Every context comes from calloc(), so none is const. */
    winnow__cuda_context *const context =
        (winnow__cuda_context *)(uintptr_t)base;
    winnow_status status = WINNOW_OK;
    *slot_p = find(&context->slots, kind);
    if (*slot_p != NULL)
        return WINNOW_OK;
    pthread_mutex_lock(&context->slots.lock);
    *slot_p = find(&context->slots, kind);
    if (*slot_p == NULL)
        status = add(context, kind, slot_p);
    pthread_mutex_unlock(&context->slots.lock);
    return status;
}

void winnow__empty_slots_on_device(winnow__cuda_context *context) {
    for (struct winnow__slot_node *node = context->slots.first; node != NULL;
         node = node->next)
        if (node->kind->empty_on_device != NULL)
            node->kind->empty_on_device(node->memory);
}

void winnow__free_slots(winnow__cuda_context *context) {
    struct winnow__slot_node *node = context->slots.first;
    while (node != NULL) {
        struct winnow__slot_node *const next = node->next;
        if (node->kind->empty != NULL)
            node->kind->empty(node->memory);
        free(node);
        node = next;
    }
    pthread_mutex_destroy(&context->slots.lock);
}
