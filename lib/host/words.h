/*
 * pack_words(), and index_words() if an element is as wide as an index. The
 * including file defines pack_word() for elements of BITS bits. No guard: this
 * file is included once for each size.
 *
 * pack_word(to, from, word) packs those of 64 elements whose bits are set, and
 * returns their end. It writes nothing behind to[63]. ones() counts bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef FEW_OF_WORD
#define FEW_OF_WORD 16 /* bits of a word that are listed one by one */
#endif

static uint64_t OF(pack_words)(const uint32_t *words, const void *in,
                               uint64_t n, size_t ahead, void *out) {
    const unsigned char *from = in; /* needs no alignment */
    ELEMENT *to = out;
    for (; n >= 64; n -= 64, words += 2, from += 64 * sizeof *to) {
        const uint64_t word = (uint64_t)words[1] << 32 | words[0];
        WINNOW__UNROLL
        for (unsigned i = 0; i < 64 * sizeof *to; i += 64)
            __builtin_prefetch(from + i + ahead);
        if (word == UINT64_MAX) {
            memcpy(to, from, 64 * sizeof *to);
            to += 64;
        } else if (word != 0) {
            to = OF(pack_word)(to, from, word);
        }
    }
    if (n != 0) {
        ELEMENT last[64] = {0};
        memcpy(last, from, n * sizeof *to);
        to = OF(pack_word)(to, (const unsigned char *)last,
                           (uint64_t)words[1] << 32 | words[0]);
    }
    return (uint64_t)(to - (ELEMENT *)out);
}

#if BITS >= 32
/* Write the indices of the lowest four set bits; if there are fewer, the rest
 * have any value. The number of steps is constant, since a branch on the number
 * of bits could not be predicted. Returns the other bits. */
INLINE uint64_t OF(index_four)(uint64_t bits, ELEMENT first, ELEMENT *to) {
    WINNOW__UNROLL
    for (unsigned i = 0; i < 4; i++) {
        to[i] = first + (ELEMENT)__builtin_ctzll(bits | (uint64_t)1 << 63);
        bits &= bits - 1;
    }
    return bits;
}

static uint64_t OF(index_words)(const uint32_t *words, uint64_t n,
                                uint64_t first, void *out) {
    ELEMENT *to = out;
    for (uint64_t start = 0; start < n; start += 64, words += 2) {
        const uint64_t word = (uint64_t)words[1] << 32 | words[0];
        const ELEMENT number = (ELEMENT)(first + start);
        const unsigned kept = ones(words, 2);
        ELEMENT numbers[64];
        if (kept <= FEW_OF_WORD) {
            uint64_t bits = OF(index_four)(word, number, to);
            for (unsigned i = 4; i < kept; i += 4)
                bits = OF(index_four)(bits, number, to + i);
            to += kept;
            continue;
        }
        for (unsigned i = 0; i < 64; i++)
            numbers[i] = number + i;
        to = OF(pack_word)(to, (const unsigned char *)numbers, word);
    }
    return (uint64_t)(to - (ELEMENT *)out);
}
#endif
