/*
 * Columns of bits, which selections pack and expand.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "core/round.h"
#include "kernels/pack/args.h"
#include "selection/format.h"

/* Bits, beginning at bit `skip`, 0 to 7, of a byte. */
typedef struct winnow__bits {
    unsigned char *start; /* for an input only read */
    unsigned skip;
} winnow__bits;

/* The bits from number `offset` of `base` on. */
static inline winnow__bits winnow__bits_at(const void *base, uint64_t offset) {
    return (winnow__bits){(unsigned char *)(uintptr_t)base + offset / 8,
                          (unsigned)(offset % 8)};
}

static inline winnow__bits winnow__bits_from(winnow__bits bits,
                                             uint64_t number) {
    return winnow__bits_at(bits.start, bits.skip + number);
}

/* Bytes of memory for n bits that begin at any bit of a vector of 16 bytes. A
 * multiple of 16. */
static inline uint64_t winnow__packed_bits_bytes(uint64_t n) {
    return winnow__round_up(n / 8 + 16 + 2, 16);
}

/* The range of n bits, which winnow__check_bits() has checked. */
winnow__range winnow__bits_range(const char *name, const void *base,
                                 uint64_t offset, uint64_t n, bool written);
/* Do n bits lie in the address space? The argument is named `prefix`offset. */
winnow_status winnow__check_bits(const char *prefix, const void *base,
                                 uint64_t offset, uint64_t n);

/* ---- bits_host.c */

/* Pack the bits of the items that are kept, or, if `rejects`, of the others. At
 * most `room` bits. */
typedef struct winnow__bit_packing {
    winnow__bits in, out;
    uint64_t room;
    bool rejects;
} winnow__bit_packing;
/* Pack some tiles in this thread. Their keep bits and counts have to be
 * written, and `before` of the first. */
void winnow__host_pack_bits_of_tiles(const winnow__host_task *task,
                                     const winnow__selection *from,
                                     const winnow__bit_packing *packing,
                                     uint64_t first, uint64_t end);
void winnow__host_pack_bits_of(const winnow__host_task *task,
                               const winnow__selection *from,
                               const winnow__bit_packing *packing);
/* Copy bits; both places begin at the same bit of a byte. */
void winnow__host_copy_bits(const winnow__host_task *task, winnow__bits in,
                            winnow__bits out, uint64_t number);

/* What happens to the bits of items that are not kept. */
typedef enum winnow__bit_fill {
    WINNOW__FILL_NONE,
    WINNOW__FILL_ZEROS,
    WINNOW__FILL_ONES
} winnow__bit_fill;
typedef struct winnow__bit_spread {
    winnow__bits in, out;
    uint64_t available; /* number of bits in `in` */
    winnow__bit_fill fill;
} winnow__bit_spread;
void winnow__host_spread_bits_of(const winnow__host_task *task,
                                 const winnow__selection *from,
                                 const winnow__bit_spread *spread);

/* ---- bits_cuda.c */
winnow_status winnow__spread_bits_on_device(const winnow__bit_spread *spread,
                                            const winnow__selection *from,
                                            const uint64_t *d_n,
                                            winnow_stream stream);
