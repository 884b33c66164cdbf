/*
 * Strings behind offsets, all of a span: lengths are compared first, then bytes.
 * What is to be contained is looked for in the bytes of all strings at once. An
 * order, and a list, look at 8 bytes of each string, so that most are decided
 * without a branch.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "loops.h"

#include "filter.h"
#include "match.h"
#include "words.h"

enum {
    LINE = 64,      /* bytes */
    TOGETHER = 1024 /* bytes of 32 strings */
};

/* 2 at most, which are far apart and so fetched one by one. Without a call, which a
 * count of bits is on some CPUs. */
INLINE bool are_few(uint32_t word) {
    word &= word - 1;
    return (word & (word - 1)) == 0;
}

/* How the bytes of a text are compared, by their number. */
typedef enum width {
    NONE,    /* 0 */
    ONE,     /* 1 */
    TWO,     /* 2 and 3, by two loads that overlap; and so on */
    FOUR,    /* to 8 */
    EIGHT,   /* to 16 */
    SIXTEEN, /* and more */
    WIDTHS
} width;

static width width_of(uint32_t bytes) {
    return bytes == 0    ? NONE
           : bytes == 1  ? ONE
           : bytes < 4   ? TWO
           : bytes < 8   ? FOUR
           : bytes <= 16 ? EIGHT
                         : SIXTEEN;
}

/* A text as two numbers that may overlap. */
typedef struct two {
    uint64_t first, last;
} two;

INLINE two load_two(width w, const unsigned char *from, uint64_t bytes) {
    switch (w) {
    case NONE:
        return (two){0, 0};
    case ONE:
        return (two){*from, 0};
    case TWO:
        return (two){winnow__load_16(from), winnow__load_16(from + bytes - 2)};
    case FOUR:
        return (two){winnow__load_32(from), winnow__load_32(from + bytes - 4)};
    case EIGHT:
        return (two){winnow__load_64(from), winnow__load_64(from + bytes - 8)};
    default:
        return (two){winnow__load_64(from), winnow__load_64(from + 8)};
    }
}

INLINE bool same(width w, const unsigned char *a, const two *text,
                 const unsigned char *b, uint64_t bytes) {
    const two x = load_two(w, a, bytes);
    return ((x.first ^ text->first) | (x.last ^ text->last)) == 0 &&
           (w != SIXTEEN || memcmp(a + 16, b + 16, bytes - 16) == 0);
}

#ifdef __SSE2__
INLINE __m128i load_four(const uint32_t *from) {
    return _mm_loadu_si128((const __m128i *)(const void *)from);
}
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define OF(name) JOIN(name, BITS)
#define OFFSET JOIN(JOIN(uint, BITS), _t)

#define BITS 32
#include "offsets_loops.h"
#undef BITS
#define BITS 64
#include "offsets_loops.h"
#undef BITS
