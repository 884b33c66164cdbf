/*
 * Arrays for the caller. Each owns its buffers and its children's structs, so
 * that a child can be moved out and released separately.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack.h"
#include "blocks.h"
#include "core/status.h"

#include <stdlib.h>
#include <string.h>

/* private_data points to this. */
typedef struct node {
    winnow__arrow_owner *owner;
    const void **buffers;
    int64_t owned;          /* the first `owned` buffers are the array's */
    int64_t *sizes;         /* NULL, or the last buffer of an array of
                                     views */
    struct ArrowArray kept; /* owns the other buffers, if not released */
    struct ArrowArray dictionary; /* used if the array has one */
    struct ArrowArray **pointers; /* the addresses of the children */
    struct ArrowArray children[];
} node;

static void release_if_there(struct ArrowArray *array) {
    if (array != NULL && array->release != NULL)
        array->release(array);
}

static void release(struct ArrowArray *array) {
    node *const own = array->private_data;
    for (int64_t i = 0; i < own->owned; i++)
        winnow__arrow_free(own->owner, (void *)(uintptr_t)own->buffers[i]);
    for (int64_t i = 0; i < array->n_children; i++)
        release_if_there(array->children[i]);
    release_if_there(array->dictionary);
    release_if_there(&own->kept);
    winnow__arrow_leave(own->owner);
    winnow__block_free(own->sizes);
    free(own->pointers);
    free(own->buffers);
    free(own);
    array->release = NULL;
}

static winnow_status no_memory(void) {
    return winnow__no_memory("an array");
}

winnow_status winnow__arrow_make(winnow__arrow_place *place,
                                 struct ArrowArray *out, unsigned buffers,
                                 unsigned children, bool dictionary) {
    node *const own =
        calloc(1, sizeof *own + (size_t)children * sizeof own->children[0]);
    if (own != NULL) {
        /* One more of each, so that no size is 0. */
        own->buffers = calloc(buffers + 1, sizeof *own->buffers);
        own->pointers = calloc((size_t)children + 1, sizeof *own->pointers);
    }
    if (own == NULL || own->buffers == NULL || own->pointers == NULL) {
        if (own != NULL) {
            free(own->pointers);
            free(own->buffers);
        }
        free(own);
        return no_memory();
    }
    for (unsigned i = 0; i < children; i++)
        own->pointers[i] = &own->children[i];
    own->owned = buffers;
    own->owner = winnow__arrow_share(place->owner);
    *out =
        (struct ArrowArray){.n_buffers = buffers,
                            .n_children = children,
                            .buffers = own->buffers,
                            .children = children == 0 ? NULL : own->pointers,
                            .dictionary = dictionary ? &own->dictionary : NULL,
                            .release = release,
                            .private_data = own};
    return WINNOW_OK;
}

winnow_status winnow__arrow_buffer(winnow__arrow_place *place,
                                   struct ArrowArray *out, unsigned number,
                                   uint64_t bytes, void **buffer_p) {
    WINNOW__TRY(winnow__arrow_allocate(place, bytes, buffer_p));
    out->buffers[number] = *buffer_p;
    return WINNOW_OK;
}

void winnow__arrow_drop_buffer(winnow__arrow_place *place,
                               struct ArrowArray *out, unsigned number) {
    winnow__arrow_give(place, (void *)(uintptr_t)out->buffers[number]);
    out->buffers[number] = NULL;
}

/* Make room for `buffers` buffers. New ones are NULL. */
static winnow_status more_buffers(struct ArrowArray *out, unsigned buffers) {
    node *const own = out->private_data;
    const void **const grown =
        realloc(own->buffers, (size_t)buffers * sizeof *grown);
    if (grown == NULL)
        return no_memory();
    for (unsigned i = (unsigned)out->n_buffers; i < buffers; i++)
        grown[i] = NULL;
    own->buffers = grown;
    own->owned = buffers;
    out->buffers = grown;
    out->n_buffers = buffers;
    return WINNOW_OK;
}

winnow_status winnow__arrow_view_buffers(struct ArrowArray *out,
                                         unsigned number, int64_t **sizes_p) {
    node *const own = out->private_data;
    WINNOW__TRY(more_buffers(out, number + 3));
    own->owned = (int64_t)number + 2;
    const uint64_t bytes =
        (number / (WINNOW__BLOCK_ALIGNMENT / sizeof *own->sizes) + 1) *
        WINNOW__BLOCK_ALIGNMENT;
    own->sizes = winnow__block_allocate(bytes);
    if (own->sizes == NULL)
        return no_memory();
    memset(own->sizes, 0, (size_t)bytes);
    own->buffers[number + 2] = own->sizes;
    *sizes_p = own->sizes;
    return WINNOW_OK;
}

winnow_status winnow__arrow_keep(struct ArrowArray *out,
                                 struct ArrowArray *kept) {
    node *const own = out->private_data;
    WINNOW__TRY(more_buffers(out, (unsigned)kept->n_buffers));
    own->owned = 2;
    for (int64_t i = 2; i < kept->n_buffers; i++)
        own->buffers[i] = kept->buffers[i];
    winnow__arrow_move(kept, &own->kept);
    return WINNOW_OK;
}

void winnow__arrow_move(struct ArrowArray *from, struct ArrowArray *to) {
    memcpy(to, from, sizeof *to);
    from->release = NULL;
}
