/*
 * Columns of bits: what calls say of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bits.h"

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
