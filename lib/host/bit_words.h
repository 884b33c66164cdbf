/*
 * The loops of bit_loops.h. The file that includes this one defines
 *   extract(x, mask)  the bits of x that the mask selects, packed from bit 0 on
 *   deposit(x, mask)  the low bits of x, at the places of the mask's bits
 *   ones(mask)        the number of bits in the mask
 * and, if several words together are faster, BLOCK (their number) and
 *   extract_block(x, masks)  the same as extract(), in place
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdbool.h>
#include <string.h>

static inline uint64_t pair_of(const uint32_t *words) {
    uint64_t pair; /* little-endian, as configure checks */
    memcpy(&pair, words, sizeof pair);
    return pair;
}

/* 64 bits from `first` on. `number` of them, 1 to 64, exist; the others have
 * any value. */
static inline uint64_t read_some(const unsigned char *start, uint64_t first,
                                 unsigned number) {
    const unsigned skip = first % 8;
    const unsigned bytes = (skip + number + 7) / 8; /* 9 at most */
    unsigned char near[16] = {0};
    uint64_t low;
    memcpy(near, start + first / 8, bytes);
    memcpy(&low, near, sizeof low);
    return skip == 0 ? low : low >> skip | (uint64_t)near[8] << (64 - skip);
}

/* 64 existing bits, from bit `skip` of a byte on. */
static inline uint64_t read_at(const unsigned char *byte, unsigned skip) {
    uint64_t low;
    memcpy(&low, byte, sizeof low);
    return skip == 0 ? low : low >> skip | (uint64_t)byte[8] << (64 - skip);
}

static inline uint64_t read_all(const unsigned char *start, uint64_t first) {
    return read_at(start + first / 8, first % 8);
}

/* The lowest `number` bits. */
static inline uint64_t low_bits(uint64_t number) {
    return number < 64 ? ((uint64_t)1 << number) - 1 : UINT64_MAX;
}

/* The output of packed bits. All words before `to` are written; `word` has the
 * next `used` bits, at most 63. */
typedef struct appender {
    uint64_t *to, word;
    unsigned used;
} appender;

/* No branch: whether a word is full cannot be predicted. Compilers would turn a
 * conditional expression into a branch here. */
static inline void append(appender *a, uint64_t bits, unsigned number) {
    const uint64_t low = a->word | bits << a->used;
    const uint64_t high = bits >> 1 >> (63 - a->used);
    const unsigned used = a->used + number;
    const uint64_t full = -(uint64_t)(used / 64); /* all bits, or none */
    *a->to = low;
    a->to += used / 64;
    a->word = low ^ ((low ^ high) & full);
    a->used = used % 64;
}

/* Loop over pairs of words whose bits all exist. `skip` is a constant if it is 0. */
static inline __attribute__((always_inline)) void
pack_pairs(appender *to, const uint32_t *keep, uint64_t flips,
           const unsigned char *byte, unsigned skip, uint64_t pairs) {
    appender a = *to;
#ifdef BLOCK
    for (; pairs >= BLOCK;
         pairs -= BLOCK, byte += 8 * BLOCK, keep += 2 * BLOCK) {
        uint64_t masks[BLOCK], bits[BLOCK], any = 0;
        for (unsigned i = 0; i < BLOCK; i++) {
            masks[i] = pair_of(keep + 2 * i) ^ flips;
            any |= masks[i];
        }
        if (any == 0)
            continue;
        for (unsigned i = 0; i < BLOCK; i++)
            bits[i] = read_at(byte + 8 * i, skip);
        extract_block(bits, masks);
        for (unsigned i = 0; i < BLOCK; i++)
            append(&a, bits[i], ones(masks[i]));
    }
#endif
    for (; pairs != 0; pairs--, byte += 8, keep += 2) {
        const uint64_t mask = pair_of(keep) ^ flips;
        append(&a, extract(read_at(byte, skip), mask), ones(mask));
    }
    *to = a;
}

#ifndef BLOCK
enum {
    JOINED = 4, /* pairs */
    APART = 252 /* pairs after four that have more than 64 bits */
};

/* Append JOINED pairs at once if they have at most 64 bits, as nearly always
 * when a fifth of all items is kept. Otherwise do nothing. */
static inline __attribute__((always_inline)) bool
pack_joined(appender *a, const uint32_t *keep, uint64_t flips,
            const unsigned char *byte, unsigned skip) {
    uint64_t joined = 0;
    unsigned all = 0;
#pragma GCC unroll 4
    for (unsigned i = 0; i < JOINED; i++) {
        const uint64_t mask = pair_of(keep + 2 * i) ^ flips;
        /* After 64 bits this adds none, or the result is not used. */
        joined |= extract(read_at(byte + 8 * i, skip), mask) << all % 64;
        all += ones(mask);
    }
    if (all > 64)
        return false;
    append(a, joined, all);
    return true;
}
#endif

static inline __attribute__((always_inline)) void
pack_all(appender *to, const uint32_t *keep, uint64_t flips,
         const unsigned char *byte, unsigned skip, uint64_t pairs) {
#ifndef BLOCK
    appender a = *to;
    while (pairs >= JOINED) {
        uint64_t done = JOINED;
        if (!pack_joined(&a, keep, flips, byte, skip)) {
            done = pairs < JOINED + APART ? pairs : JOINED + APART;
            pack_pairs(&a, keep, flips, byte, skip, done);
        }
        keep += 2 * done;
        byte += 8 * done;
        pairs -= done;
    }
    *to = a;
#endif
    pack_pairs(to, keep, flips, byte, skip, pairs);
}

static uint64_t pack(const uint32_t *keep, uint32_t flip,
                     const winnow__bit_source *in, unsigned at, uint64_t *out) {
    const uint64_t flips = (uint64_t)flip << 32 | flip;
    const unsigned char *const start = in->start;
    const unsigned char *const byte = start + in->first / 8;
    const unsigned skip = in->first % 8, left = in->number % 64;
    const uint64_t pairs = in->number / 64;
    appender a = {.to = out, .used = at};
    if (skip == 0)
        pack_all(&a, keep, flips, byte, 0, pairs);
    else
        pack_all(&a, keep, flips, byte, skip, pairs);
    if (left != 0) {
        const uint64_t mask =
            (pair_of(keep + 2 * pairs) ^ flips) & low_bits(left);
        append(&a,
               extract(read_some(start, in->first + 64 * pairs, left), mask),
               ones(mask));
    }
    *a.to = a.word;
    return (uint64_t)(a.to - out) * 64 + a.used - at;
}

static uint64_t spread(const uint32_t *keep, unsigned pairs,
                       const winnow__bit_source *in, uint64_t *kept,
                       uint64_t *values) {
    const unsigned char *const start = in->start;
    uint64_t first = in->first, left = in->number;
    for (unsigned i = 0; i < pairs; i++) {
        const uint64_t mask = pair_of(keep + 2 * i);
        const unsigned number = ones(mask);
        const unsigned there = number < left ? number : (unsigned)left;
        const uint64_t bits = left >= 64   ? read_all(start, first)
                              : there != 0 ? read_some(start, first, there)
                                           : 0;
        kept[i] = there == number ? mask : deposit(low_bits(there), mask);
        values[i] = deposit(bits, kept[i]);
        first += there;
        left -= there;
    }
    return in->number - left;
}
