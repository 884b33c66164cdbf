/*
 * Arrays that are packed by one selection: a record batch, or the elements of
 * its lists.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "check.h"
#include "device.h"

enum {
    WINNOW__ARROW_MOST_MOVES = 64, /* in one call */
    WINNOW__ARROW_MOST_ELEMENT = 4096
};

/* The elements of several arrays that share a selection. */
typedef struct winnow__arrow_level {
    winnow__arrow_place *place;
    bool gives; /* the input belongs to the call, which may move its arrays */
    uint64_t n;
    void *selection;  /* NULL if n is 0; in the call's memory */
    uint64_t count;   /* the number of elements that it keeps */
    unsigned moves_n; /* moves collected so far */
    winnow_move moves[WINNOW__ARROW_MOST_MOVES];
} winnow__arrow_level;

/* An array of a level: the input, from element `start` on, and the output. */
typedef struct winnow__arrow_item {
    const winnow__arrow_path *path;
    const struct ArrowSchema *schema;
    struct ArrowArray *in; /* only changed if level->gives */
    winnow__arrow_type type;
    uint64_t start; /* counted from the first element in the buffers */
    struct ArrowArray *out;
} winnow__arrow_item;

/* Allocate a selection of n elements; none if n is 0. */
winnow_status winnow__arrow_open_level(winnow__arrow_level *level,
                                       winnow__arrow_place *place, uint64_t n,
                                       size_t *selection_bytes_p);
/* Called after the selection was made: fetches its count. */
winnow_status winnow__arrow_count(winnow__arrow_level *level);
void winnow__arrow_close_level(winnow__arrow_level *level);

/* Pack elements start to start + n - 1 of an array that was checked. */
winnow_status winnow__arrow_pack(winnow__arrow_level *level,
                                 const winnow__arrow_path *path,
                                 const struct ArrowSchema *schema,
                                 struct ArrowArray *in, uint64_t start,
                                 struct ArrowArray *out);

/* ---- Called after the elements of fixed size were packed. */
typedef winnow_status winnow__arrow_packer(winnow__arrow_level *level,
                                           const winnow__arrow_item *item);

/* dictionary.c: check the indices, and copy a dictionary. */
winnow__arrow_packer winnow__arrow_dictionary;
/* Copy the children of a union with offsets. */
winnow__arrow_packer winnow__arrow_dense_union;
/* views.c: check views, and give the output buffers that it owns. */
winnow__arrow_packer winnow__arrow_views;
/* strings.c */
winnow__arrow_packer winnow__arrow_strings;
/* lists.c: lists with offsets, or of a fixed size. */
winnow__arrow_packer winnow__arrow_lists;
/* lists_device.c: lists that are not packed as elements. */
winnow__arrow_packer winnow__arrow_device_lists;

/* lists.c: bytes of a list of a fixed size that is packed as one element; 0 if
 * it is not. */
uint64_t winnow__arrow_list_bytes(const winnow__arrow_type *type,
                                  const struct ArrowSchema *schema,
                                  const struct ArrowArray *in);
/* Make the child arrays of such lists. *from_p: the elements of the input, from
 * list `start` on; *to_p: those of the output. */
winnow_status winnow__arrow_list_elements(winnow__arrow_level *level,
                                          const winnow__arrow_item *item,
                                          const void **from_p, void **to_p);

/* Is element i of an output on the host null? */
static inline bool winnow__arrow_is_null(const struct ArrowArray *out,
                                         uint64_t i) {
    const unsigned char *const valid = out->buffers[0];
    return valid != NULL && (valid[i / 8] >> i % 8 & 1) == 0;
}

/* ---- output.c: arrays that a filter gives to its caller. */
/* Make an array that has its release, and room for buffers, children and a
 * dictionary, but owns nothing yet. A child or dictionary that has its own
 * release when it is put into its place is released with the array. So an array
 * can be released at any time, even if it is incomplete. */
winnow_status winnow__arrow_make(winnow__arrow_place *place,
                                 struct ArrowArray *out, unsigned buffers,
                                 unsigned children, bool dictionary);

/* Give an array an uninitialized buffer of `bytes` bytes. The last 64 bytes,
 * including the padding, are 0. */
winnow_status winnow__arrow_buffer(winnow__arrow_place *place,
                                   struct ArrowArray *out, unsigned number,
                                   uint64_t bytes, void **buffer_p);
/* Free an array's buffer, on a device in the order of the call's stream. */
void winnow__arrow_drop_buffer(winnow__arrow_place *place,
                               struct ArrowArray *out, unsigned number);
/* Make places for `number` buffers of views, and for their sizes. The sizes are
 * always in host memory, since consumers read them to learn about the buffers. */
winnow_status winnow__arrow_view_buffers(struct ArrowArray *out,
                                         unsigned number, int64_t **sizes_p);
/* Move an input's array into an output. From now on the output owns the array,
 * and its buffers from number 2 on are the array's. */
winnow_status winnow__arrow_keep(struct ArrowArray *out,
                                 struct ArrowArray *kept);

/* Move an array to another place. */
void winnow__arrow_move(struct ArrowArray *from, struct ArrowArray *to);
