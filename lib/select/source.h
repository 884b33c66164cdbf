/*
 * Sources of selections: what a selection is made from.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_SELECT_SOURCE_H
#define WINNOW_LIB_SELECT_SOURCE_H

#include "selection/format.h"

/* A column, a field of records, or a mask. */
typedef struct winnow__source {
    winnow__test test;  /* of elements */
    bool is_bits;       /* a mask of bits: there is no test */
    unsigned log2_size; /* of an element */
    const void *in;     /* the element of item 0, or the byte with its bit */
    int64_t stride;     /* of a field: from one to the next, in bytes; else 0 */
    unsigned skip;      /* of bits: which one of the byte is item 0's */
    const uint64_t *d_n; /* NULL, or how many items there are at most */
} winnow__source;

/* The elements of a column that pass; the items that are flagged in a mask, by
 * a byte or a bit each. */
winnow__source winnow__source_of(const winnow_predicate *predicate,
                                 const void *in, const uint64_t *d_n);
winnow__source winnow__source_of_mask(const winnow_mask *mask,
                                      const uint64_t *d_n);

/* Make the selection of task->bound items, for a sink or NULL
 * (winnow__host_make()). */
void winnow__make_on_host(const winnow__host_task *task,
                          const winnow__source *source, void *selection,
                          const winnow__host_sink *sink);
#ifdef WINNOW_CUDA
winnow_status winnow__make_on_device(const winnow__source *source, uint64_t n,
                                     void *selection, winnow_stream stream);
#endif

#endif
