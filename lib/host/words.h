/*
 * pack_words(), and index_words() where an element is as wide as an index, of a
 * file that has pack_word() for elements of BITS bits. No guard: it is included
 * once for each size.
 *
 * pack_word(to, from, word) packs those of 64 elements whose bits are set, and
 * returns where they end. It writes nothing behind to[63].
 *
 * SPDX-License-Identifier: Apache-2.0
 */

static uint64_t OF(pack_words)(const uint32_t *words, const void *in,
                               uint64_t n, size_t ahead, void *out) {
    const unsigned char *from = in; /* of any alignment */
    ELEMENT *to = out;
    for (; n >= 64; n -= 64, words += 2, from += 64 * sizeof *to) {
        const uint64_t word = (uint64_t)words[1] << 32 | words[0];
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
static uint64_t OF(index_words)(const uint32_t *words, uint64_t n,
                                uint64_t first, void *out) {
    ELEMENT *to = out;
    for (uint64_t start = 0; start < n; start += 64, words += 2) {
        const uint64_t word = (uint64_t)words[1] << 32 | words[0];
        ELEMENT numbers[64];
        if (word == 0)
            continue;
        for (unsigned i = 0; i < 64; i++)
            numbers[i] = (ELEMENT)(first + start + i);
        to = OF(pack_word)(to, (const unsigned char *)numbers, word);
    }
    return (uint64_t)(to - (ELEMENT *)out);
}
#endif
