/*
 * Elements of any size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "rows.h"
#include "bits.h"
#include "core/status.h"

/* --------------------------------------------------------------------- bits */

static winnow_mask mask_of(const void *base, uint64_t offset) {
    return (winnow_mask){
        .kind = WINNOW_MASK_BITS, .d_flags = base, .offset = offset};
}

winnow__range winnow__bits_range(const char *name, const void *base,
                                 uint64_t offset, uint64_t n, bool written) {
    const winnow_mask mask = mask_of(base, offset);
    winnow__range range = winnow__mask_range(name, &mask, n);
    range.written = written;
    return range;
}

winnow_status winnow__check_bits(const char *prefix, const void *base,
                                 uint64_t offset, uint64_t n) {
    const winnow_mask mask = mask_of(base, offset);
    return winnow__check_flags(prefix, &mask, n);
}

winnow_status winnow__check_elements(winnow__array_name name, uint64_t n,
                                     size_t bytes) {
    if (bytes == 0 || bytes > WINNOW__MOST_ROW_BYTES)
        return winnow__refuse("%selement_bytes is %zu: wanted 1 to %d",
                              winnow__before_member(name).text, bytes,
                              WINNOW__MOST_ROW_BYTES);
    if (n > UINTPTR_MAX / bytes)
        return winnow__refuse("n is %llu: that many elements of %zu bytes do "
                              "not fit in the address space",
                              (unsigned long long)n, bytes);
    return WINNOW_OK;
}

static winnow_status check_bits(winnow__array_name name, const winnow_in *in,
                                uint64_t n) {
    WINNOW__TRY(winnow__check_in_of_bits(name, in));
    return winnow__check_bits(winnow__before_member(name).text, in->d_base,
                              in->offset, n);
}

winnow_status winnow__check_dense_elements(const char *name,
                                           const winnow_in *in, uint64_t n) {
    const winnow__array_name array = {.name = name};
    if (in != NULL && in->type == WINNOW_BIT)
        return check_bits(array, in, n);
    WINNOW__TRY(winnow__check_in(array, in));
    WINNOW__TRY(winnow__check_dense(array, in));
    return winnow__check_elements(array, n, winnow__bytes_of(in));
}

winnow_status winnow__check_dense_output(const char *name,
                                         const winnow_out *out,
                                         const winnow_in *in, uint64_t number) {
    const winnow__array_name array = {.name = name};
    if (out == NULL)
        return winnow__refuse("%s is NULL", name);
    const winnow_in seen = winnow__as_in(out);
    WINNOW__TRY(winnow__check_dense_elements(name, &seen, number));
    if (out->type != in->type)
        return winnow__refuse("%stype is %s: wanted %s, as of the input",
                              winnow__before_member(array).text,
                              winnow_type_name(out->type),
                              winnow_type_name(in->type));
    if (winnow__bytes_of(&seen) != winnow__bytes_of(in))
        return winnow__refuse(
            "%selement_bytes is %zu: wanted %zu, as of the input",
            winnow__before_member(array).text, winnow__bytes_of(&seen),
            winnow__bytes_of(in));
    return WINNOW_OK;
}

size_t winnow__bytes_of(const winnow_in *in) {
    return in != NULL ? winnow__element_bytes(in->type, in->element_bytes) : 0;
}

winnow__range winnow__elements_range(const char *name, const void *start,
                                     uint64_t number, size_t bytes,
                                     bool written) {
    return (winnow__range){.name = name,
                           .start = start,
                           .bytes = number * bytes,
                           .alignment = 1,
                           .wanted = number != 0,
                           .measure = "n",
                           .written = written};
}

winnow__range winnow__array_range(const char *name, const winnow_in *in,
                                  uint64_t number, bool written) {
    return in->type == WINNOW_BIT
               ? winnow__bits_range(name, in->d_base, in->offset, number,
                                    written)
               : winnow__elements_range(name, in->d_base, number,
                                        winnow__bytes_of(in), written);
}

#ifdef WINNOW_CUDA
/* log2 of the largest piece, of at most 16 bytes, that divides the element and
 * both addresses. */
static unsigned choose_piece(const void *a, const void *b, size_t bytes) {
    const uintptr_t all = (uintptr_t)a | (uintptr_t)b | bytes | 16;
    return (unsigned)__builtin_ctzll(all);
}

winnow__row_shape winnow__shape_of(size_t bytes, unsigned log2_piece) {
    const unsigned width = (unsigned)(bytes >> log2_piece);
    return (winnow__row_shape){.width = width,
                               .reciprocal = (UINT64_C(1) << 36) / width + 1};
}

unsigned winnow__log2_rows(size_t element_bytes) {
    unsigned log2 = 0;
    while (2u << log2 <= WINNOW__SELECTION_TILE &&
           element_bytes << (log2 + 1) <= WINNOW__ROWS_BYTES)
        log2++;
    return log2;
}

winnow__mover winnow__choose_mover(const void *a, const void *b, size_t bytes) {
    static const unsigned tiles[WINNOW__SIZES] = {
        WINNOW__COMPACT_TILES_1, WINNOW__COMPACT_TILES_2,
        WINNOW__COMPACT_TILES_4, WINNOW__COMPACT_TILES_8};
    const unsigned log2 = choose_piece(a, b, bytes);
    const bool is_column = log2 < WINNOW__SIZES && bytes == (size_t)1 << log2;
    return (winnow__mover){.is_column = is_column,
                           .log2_piece = log2,
                           .tiles = is_column ? tiles[log2] : 1,
                           .shape = winnow__shape_of(bytes, log2)};
}
#endif
