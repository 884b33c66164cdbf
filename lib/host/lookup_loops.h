/*
 * The loops that look up elements of BITS bits. The including file defines
 * word_bits(), word_slots() and word_buckets() for them, each for a word of 32
 * elements. No guard: this file is included once for each size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* For n elements: a word for each 32. */
#define LOOP(NAME)                                                             \
    static void OF(look_up_##NAME)(const winnow__lookup *lookup,               \
                                   const void *in, uint64_t n, size_t ahead,   \
                                   const uint32_t *wanted, uint32_t *words) {  \
        const winnow__lookup own = *lookup; /* which no store changes */       \
        const ELEMENT *from = in;                                              \
        const uint64_t whole = n / 32;                                         \
        for (uint64_t w = 0; w < whole; w++, from += 32) {                     \
            const uint32_t some = wanted != NULL ? wanted[w] : UINT32_MAX;     \
            for (unsigned i = 0; i < 32 * sizeof *from; i += 64)               \
                __builtin_prefetch((const char *)from + i + ahead);            \
            if (some != 0)                                                     \
                words[w] |= OF(word_##NAME)(&own, from, some);                 \
        }                                                                      \
        n %= 32;                                                               \
        if (n != 0) {                                                          \
            const uint32_t inside = (UINT32_C(1) << n) - 1;                    \
            const uint32_t some =                                              \
                wanted != NULL ? wanted[whole] & inside : inside;              \
            ELEMENT last[32] = {0};                                            \
            memcpy(last, from, n * sizeof *from);                              \
            words[whole] |= OF(word_##NAME)(&own, last, some) & inside;        \
        }                                                                      \
    }

LOOP(bits)
#if BITS >= 32
LOOP(slots)
LOOP(buckets)
#endif

#undef LOOP
#undef BITS
