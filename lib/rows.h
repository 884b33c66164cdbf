/*
 * Elements of any size, which the operations on selections move.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_ROWS_H
#define WINNOW_LIB_ROWS_H

#include "selection.h"

/* Are elements of so many bytes offered, and n of them within the address
 * space? */
winnow_status winnow__check_elements(uint64_t n, size_t bytes);
/* `number` elements, which need no alignment. */
winnow__range winnow__elements_range(const char *name, const void *start,
                                     uint64_t number, size_t bytes,
                                     bool written);

/* The logarithm of the widest piece, of 16 bytes at most, that elements at both
 * places are made of. */
unsigned winnow__log2_piece(const void *a, const void *b, size_t bytes);
/* The shape of rows of such pieces. */
winnow__row_shape winnow__row_shape_of(size_t bytes, unsigned log2_piece);

/* Copy element `from` of in to element `to` of out. */
static inline void winnow__copy_element(void *out, uint64_t to, const void *in,
                                        uint64_t from, size_t bytes) {
    unsigned char *const a = (unsigned char *)out + to * bytes;
    const unsigned char *const b = (const unsigned char *)in + from * bytes;
    switch (bytes) {
    case 1:
        *a = *b;
        break;
    case 2:
        __builtin_memcpy(a, b, 2);
        break;
    case 4:
        __builtin_memcpy(a, b, 4);
        break;
    case 8:
        __builtin_memcpy(a, b, 8);
        break;
    default:
        __builtin_memcpy(a, b, bytes);
    }
}

#endif
