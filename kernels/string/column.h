/*
 * A column of strings: plain C, included by both sides. No byte outside of the
 * column's data is read, even if offsets or views are wrong: a larger offset
 * counts as the data's size; a string is empty if it ends before it begins, or
 * if its view names no buffer, or bytes beyond the end of its buffer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_STRING_COLUMN_H
#define WINNOW_KERNELS_STRING_COLUMN_H

#include "kernels/core/both.h"

#include <winnow.h>

typedef enum winnow__string_layout {
    WINNOW__STRING_OFFSETS_32 = 0,
    WINNOW__STRING_OFFSETS_64 = 1,
    WINNOW__STRING_VIEWS = 2
} winnow__string_layout;

typedef struct winnow__string_column {
    const void *strings; /* offsets, or views */
    const void *data;    /* the bytes, or the winnow_buffers */
    uint64_t size;       /* how many bytes, or buffers */
    uint32_t layout;
} winnow__string_column;

/* A view contains a string of up to WINNOW__VIEW_INLINE bytes, from byte 4 on.
 * Of a longer string it contains the first four bytes. */
enum {
    WINNOW__VIEW_INLINE = 12
};
typedef struct winnow__view {
    uint32_t bytes, prefix, buffer, offset;
} winnow__view;

typedef struct winnow__string {
    const unsigned char *begin;
    uint64_t bytes;
} winnow__string;

WINNOW__BOTH winnow__string winnow__string_between(
    const winnow__string_column *column, uint64_t begin, uint64_t end) {
    winnow__string s;
    begin = begin < column->size ? begin : column->size;
    end = end < column->size ? end : column->size;
    s.begin = (const unsigned char *)column->data + begin;
    s.bytes = end > begin ? end - begin : 0;
    return s;
}

WINNOW__BOTH winnow__string winnow__string_of_view(
    const winnow__string_column *column, const winnow__view *view) {
    winnow__string s;
    s.begin = (const unsigned char *)&view->prefix;
    s.bytes = view->bytes;
    if (view->bytes <= WINNOW__VIEW_INLINE)
        return s;
    s.bytes = 0;
    if (view->buffer < column->size) {
        const winnow_buffer *const buffer =
            (const winnow_buffer *)column->data + view->buffer;
        if ((uint64_t)view->offset + view->bytes <= buffer->bytes) {
            s.begin = (const unsigned char *)buffer->d_bytes + view->offset;
            s.bytes = view->bytes;
        }
    }
    return s;
}

WINNOW__BOTH winnow__string
winnow__string_at(const winnow__string_column *column, uint64_t i) {
    if (column->layout == WINNOW__STRING_OFFSETS_32) {
        const uint32_t *const offset = (const uint32_t *)column->strings + i;
        return winnow__string_between(column, offset[0], offset[1]);
    }
    if (column->layout == WINNOW__STRING_OFFSETS_64) {
        const uint64_t *const offset = (const uint64_t *)column->strings + i;
        return winnow__string_between(column, offset[0], offset[1]);
    }
    return winnow__string_of_view(column,
                                  (const winnow__view *)column->strings + i);
}

#endif
