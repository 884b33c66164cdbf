/*
 * Comparing bytes, and finding bytes among others. Nothing outside of them is read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_STRING_FIND_H
#define WINNOW_LIB_STRING_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static inline uint64_t winnow__load_64(const unsigned char *from) {
    uint64_t x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline uint32_t winnow__load_32(const unsigned char *from) {
    uint32_t x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline uint32_t winnow__load_16(const unsigned char *from) {
    uint16_t x;
    memcpy(&x, from, sizeof x);
    return x;
}

/* Loads at most 8 bytes, the first one lowest, with zeros above. */
static inline uint64_t winnow__load_few(const unsigned char *from,
                                        uint64_t bytes) {
    if (bytes >= 4)
        return winnow__load_32(from) |
               (uint64_t)winnow__load_32(from + bytes - 4) << 8 * (bytes - 4);
    if (bytes >= 2)
        return winnow__load_16(from) | winnow__load_16(from + bytes - 2)
                                           << 8 * (bytes - 2);
    return bytes != 0 ? *from : 0;
}

/* A mask of the first `bytes` of 8 bytes. It is a table: compilers turn a shift into
 * a branch, which is mispredicted as often as lengths differ. */
static inline uint64_t winnow__first_bytes(uint64_t bytes) {
#define FIRST(n) (~UINT64_C(0) >> (64 - 8 * (n)))
    static const uint64_t first[] = {0,        FIRST(1), FIRST(2),
                                     FIRST(3), FIRST(4), FIRST(5),
                                     FIRST(6), FIRST(7), FIRST(8)};
#undef FIRST
    return first[bytes < 8 ? bytes : 8];
}

/* Are these bytes equal? Up to 16 bytes are compared by two loads that overlap. */
static inline __attribute__((always_inline)) bool
winnow__same(const unsigned char *a, const unsigned char *b, uint64_t bytes) {
    if (bytes >= 8) {
        const uint64_t end = bytes <= 16 ? bytes - 8 : 8;
        const uint64_t differ =
            (winnow__load_64(a) ^ winnow__load_64(b)) |
            (winnow__load_64(a + end) ^ winnow__load_64(b + end));
        return differ == 0 &&
               (bytes <= 16 || memcmp(a + 16, b + 16, bytes - 16) == 0);
    }
    if (bytes >= 4)
        return ((winnow__load_32(a) ^ winnow__load_32(b)) |
                (winnow__load_32(a + bytes - 4) ^
                 winnow__load_32(b + bytes - 4))) == 0;
    if (bytes >= 2)
        return ((winnow__load_16(a) ^ winnow__load_16(b)) |
                (winnow__load_16(a + bytes - 2) ^
                 winnow__load_16(b + bytes - 2))) == 0;
    return bytes == 0 || *a == *b;
}

/* The bytes by which a text is found: its first, its last, and one between. */
typedef struct winnow__needle {
    const unsigned char *text;
    uint64_t bytes; /* at least 1 */
#ifdef __SSE2__
    __m128i first, middle, last;
#endif
} winnow__needle;

static inline winnow__needle winnow__needle_of(const unsigned char *text,
                                               uint64_t bytes) {
    return (winnow__needle){
        .text = text,
        .bytes = bytes,
#ifdef __SSE2__
        .first = _mm_set1_epi8((char)text[0]),
        .middle = _mm_set1_epi8((char)text[bytes / 2]),
        .last = _mm_set1_epi8((char)text[bytes - 1]),
#endif
    };
}

enum {
    WINNOW__FIND_STEP = 16, /* places that are tested together */
    WINNOW__LINE = 64,
    /* How far ahead bytes that are read in order are prefetched: beyond the page,
     * where the hardware stops (bench/HOST.md). */
    WINNOW__STRING_AHEAD = 8192
};

#ifdef __SSE2__
static inline __m128i winnow__equal_16(const unsigned char *s, __m128i bytes) {
    return _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)s),
                          bytes);
}

/* All bits of a byte are set if the text may begin there; for 16 places. */
static inline __m128i winnow__begins_16(const winnow__needle *needle,
                                        const unsigned char *s) {
    const __m128i ends =
        _mm_and_si128(winnow__equal_16(s, needle->first),
                      winnow__equal_16(s + needle->bytes - 1, needle->last));
    return _mm_and_si128(
        ends, winnow__equal_16(s + needle->bytes / 2, needle->middle));
}

/* At which of 16 places may the text begin? */
static inline unsigned winnow__may_begin(const winnow__needle *needle,
                                         const unsigned char *s) {
    return (unsigned)_mm_movemask_epi8(winnow__begins_16(needle, s));
}

/* Skip the lines, from s on, in which the text begins nowhere. `end` is after the
 * last place. */
static inline const unsigned char *
winnow__skip_lines(const winnow__needle *needle, const unsigned char *s,
                   const unsigned char *end) {
    for (; end - s >= WINNOW__LINE; s += WINNOW__LINE) {
        const __m128i some =
            _mm_or_si128(_mm_or_si128(winnow__begins_16(needle, s),
                                      winnow__begins_16(needle, s + 16)),
                         _mm_or_si128(winnow__begins_16(needle, s + 32),
                                      winnow__begins_16(needle, s + 48)));
        __builtin_prefetch(s + WINNOW__STRING_AHEAD);
        if (_mm_movemask_epi8(some) != 0)
            break;
    }
    return s;
}
#endif

/* How kernels/string reads a string on the host. */
#define WINNOW__LIKE_FUNCTION static inline
#define WINNOW__LIKE_STRING const unsigned char *
#define WINNOW__LIKE_BYTE(s, i) (s)[i]
#define WINNOW__LIKE_NONE (~(uint64_t)0)
#include "kernels/string/two_way.h"

/* The same, for a search that has compared too many bytes in vain. */
static inline const unsigned char *
winnow__find_in_time(const winnow__needle *needle, const unsigned char *s,
                     uint64_t bytes) {
    const uint64_t at =
        winnow__two_way(s, 0, bytes, needle->text, needle->bytes);
    return at != WINNOW__LIKE_NONE ? s + at : NULL;
}

/* The first place in `may` (bit 0: s) where the text begins, or NULL. Adds the bytes
 * that are compared in vain to *spent. */
static inline const unsigned char *
winnow__find_among(const winnow__needle *needle, const unsigned char *s,
                   unsigned may, uint64_t *spent) {
    for (; may != 0; may &= may - 1) {
        const unsigned char *const at = s + __builtin_ctz(may);
        if (winnow__same(at, needle->text, needle->bytes))
            return at;
        *spent += needle->bytes;
    }
    return NULL;
}

/* The first place of the text in s[0 .. bytes), or NULL. */
static inline const unsigned char *
winnow__find_needle(const winnow__needle *needle, const unsigned char *s,
                    uint64_t bytes) {
    if (bytes < needle->bytes)
        return NULL;
    const unsigned char *const begin = s, *const behind = s + bytes;
    const unsigned char *const end = behind - needle->bytes + 1, *found;
    uint64_t spent = 0;
    unsigned may;
#ifdef __SSE2__
    while (end - s >= WINNOW__FIND_STEP) {
        may = winnow__may_begin(needle, s);
        s += WINNOW__FIND_STEP;
        if (may == 0) {
            s = winnow__skip_lines(needle, s, end);
            continue;
        }
        found = winnow__find_among(needle, s - WINNOW__FIND_STEP, may, &spent);
        if (found != NULL)
            return found;
        if (spent >
            WINNOW__FIND_PATIENCE + WINNOW__FIND_WORTH * (uint64_t)(s - begin))
            return winnow__find_in_time(needle, s, (uint64_t)(behind - s));
    }
    /* Test the last 16 places; some of them were tested before. */
    if (s < end && end - begin >= WINNOW__FIND_STEP) {
        s = end - WINNOW__FIND_STEP;
        may = winnow__may_begin(needle, s);
        return winnow__find_among(needle, s, may, &spent);
    }
#endif
    for (; s < end; s++) {
        may = *s == *needle->text;
        found = winnow__find_among(needle, s, may, &spent);
        if (found != NULL)
            return found;
        if (spent >
            WINNOW__FIND_PATIENCE + WINNOW__FIND_WORTH * (uint64_t)(s - begin))
            return winnow__find_in_time(needle, s, (uint64_t)(behind - s));
    }
    return NULL;
}

static inline const unsigned char *winnow__find(const unsigned char *s,
                                                uint64_t bytes,
                                                const unsigned char *text,
                                                uint64_t text_bytes) {
    if (text_bytes == 0)
        return s;
    if (bytes < text_bytes)
        return NULL;
    const winnow__needle needle = winnow__needle_of(text, text_bytes);
    return winnow__find_needle(&needle, s, bytes);
}

#endif
