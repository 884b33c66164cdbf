/*
 * Arrays that are packed with one selection: a record batch, or the elements of
 * its lists.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "check.h"
#include "device.h"

enum {
    WINNOW__ARROW_MOST_MOVES = 64, /* of one call */
    WINNOW__ARROW_MOST_ELEMENT = 4096
};

/* Elements of several arrays that share a selection. */
typedef struct winnow__arrow_level {
    winnow__arrow_place *place;
    bool gives; /* the input is the call's: its arrays may be moved */
    uint64_t n;
    void *selection;  /* NULL where n is 0; the call's memory, */
    uint64_t count;   /* and how many elements it keeps */
    unsigned moves_n; /* those that are collected */
    winnow_move moves[WINNOW__ARROW_MOST_MOVES];
} winnow__arrow_level;

/* An array of a level: the input, from element `start` on, and its output. */
typedef struct winnow__arrow_item {
    const winnow__arrow_path *path;
    const struct ArrowSchema *schema;
    struct ArrowArray *in; /* changed where the level gives alone */
    winnow__arrow_type type;
    uint64_t start; /* from the first element that the buffers have */
    struct ArrowArray *out;
} winnow__arrow_item;

/* Make room for a selection of n elements; n of 0 needs none. */
winnow_status winnow__arrow_open_level(winnow__arrow_level *level,
                                       winnow__arrow_place *place, uint64_t n,
                                       size_t *selection_bytes_p);
/* The selection is made: fetch the count of it. */
winnow_status winnow__arrow_count(winnow__arrow_level *level);
void winnow__arrow_close_level(winnow__arrow_level *level);

/* Pack an array that is checked, elements start to start + n - 1 of it. */
winnow_status winnow__arrow_pack(winnow__arrow_level *level,
                                 const winnow__arrow_path *path,
                                 const struct ArrowSchema *schema,
                                 struct ArrowArray *in, uint64_t start,
                                 struct ArrowArray *out);

/* ---- What comes when the elements of fixed size are packed. */
typedef winnow_status winnow__arrow_packer(winnow__arrow_level *level,
                                           const winnow__arrow_item *item);

/* dictionary.c: check indices, and copy a dictionary. */
winnow__arrow_packer winnow__arrow_dictionary;
/* Copy the children of a union with offsets. */
winnow__arrow_packer winnow__arrow_dense_union;
/* views.c: check views, and give them buffers that the output owns. */
winnow__arrow_packer winnow__arrow_views;
/* strings.c */
winnow__arrow_packer winnow__arrow_strings;
/* lists.c: of offsets, or of a fixed size. */
winnow__arrow_packer winnow__arrow_lists;
/* lists_device.c: those that are not packed as elements. */
winnow__arrow_packer winnow__arrow_device_lists;

/* lists.c: bytes of a list of fixed size that is packed as one element; 0: it
 * is not. */
uint64_t winnow__arrow_list_bytes(const winnow__arrow_type *type,
                                  const struct ArrowSchema *schema,
                                  const struct ArrowArray *in);
/* Make the arrays inside of such lists, of `lists` lists, and say where the
 * elements are: in the input, from list `start` on, and in the output. */
winnow_status winnow__arrow_list_elements(winnow__arrow_level *level,
                                          const winnow__arrow_item *item,
                                          const void **from_p, void **to_p);

/* Is element i of an output on the host null? */
static inline bool winnow__arrow_is_null(const struct ArrowArray *out,
                                         uint64_t i) {
    const unsigned char *const valid = out->buffers[0];
    return valid != NULL && (valid[i / 8] >> i % 8 & 1) == 0;
}

/* ---- output.c: the arrays that a filter hands to its caller: memory, and
 * its release. */
/*
 * Make an array of zeros that owns nothing yet, with room for buffers, children
 * and a dictionary, and with its release. Each array that is put in a place of
 * its own, and has its release, is released with it. So an array may be released
 * at any time, also half done.
 */
winnow_status winnow__arrow_make(winnow__arrow_place *place,
                                 struct ArrowArray *out, unsigned buffers,
                                 unsigned children, bool dictionary);

/* Give an array a buffer of `bytes` bytes and of any contents, of which the last
 * 64, in the padding, too, are 0. */
winnow_status winnow__arrow_buffer(winnow__arrow_place *place,
                                   struct ArrowArray *out, unsigned number,
                                   uint64_t bytes, void **buffer_p);
/* Free a buffer of an array, on the host or in the order of the call's stream. */
void winnow__arrow_drop_buffer(winnow__arrow_place *place,
                               struct ArrowArray *out, unsigned number);
/* Make places for `number` buffers of views' bytes, and behind them their sizes.
 * These are in memory of the host, wherever the array is: consumers read them
 * to know the buffers. */
winnow_status winnow__arrow_view_buffers(struct ArrowArray *out,
                                         unsigned number, int64_t **sizes_p);
/* Move an input's array into an output, whose buffers from number 2 on it owns
 * from here on, and become the output's. */
winnow_status winnow__arrow_keep(struct ArrowArray *out,
                                 struct ArrowArray *kept);

/* Move it to another place. */
void winnow__arrow_move(struct ArrowArray *from, struct ArrowArray *to);
