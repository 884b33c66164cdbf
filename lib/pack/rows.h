/*
 * Elements of any size, moved by operations on selections.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "core/array.h"
#include "kernels/pack/args.h"
#include "selection/format.h"

/* WINNOW_OK if `bytes` is an allowed size, and n elements fit in the address
 * space. */
winnow_status winnow__check_elements(winnow__array_name name, uint64_t n,
                                     size_t bytes);
/* The same for an argument: contiguous elements, or bits. */
winnow_status winnow__check_dense_elements(const char *name,
                                           const winnow_in *in, uint64_t n);
/* The same for an output, which needs the type and size of an input that was
 * checked. */
winnow_status winnow__check_dense_output(const char *name,
                                         const winnow_out *out,
                                         const winnow_in *in, uint64_t number);
/* Bytes of an element; 0 for NULL. */
size_t winnow__bytes_of(const winnow_in *in);
/* The range of `number` elements, which may be unaligned. */
winnow__range winnow__elements_range(const char *name, const void *start,
                                     uint64_t number, size_t bytes,
                                     bool written);
/* The same for an argument: contiguous elements, or bits. */
winnow__range winnow__array_range(const char *name, const winnow_in *in,
                                  uint64_t number, bool written);

#ifdef WINNOW_CUDA
/* The kernel that moves elements between two addresses (kernels.h): a kernel of
 * columns or of rows, and log2 of the size of its pieces. */
typedef struct winnow__mover {
    bool is_column;
    unsigned log2_piece;
    unsigned tiles; /* tiles of a column that are staged together; 1 for rows */
    winnow__row_shape shape;
} winnow__mover;
winnow__row_shape winnow__shape_of(size_t bytes, unsigned log2_piece);
/* log2 of the rows of a tile that a block of a kernel of rows takes. */
unsigned winnow__log2_rows(size_t element_bytes);
winnow__mover winnow__choose_mover(const void *a, const void *b, size_t bytes);
static inline winnow__mover winnow__mover_of(const winnow_move *move) {
    return winnow__choose_mover(move->d_in, move->d_out, move->element_bytes);
}
#endif

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
