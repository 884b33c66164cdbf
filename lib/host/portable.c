/*
 * The host backend's loops for any CPU. First a block of elements is tested, in
 * loops that the compiler vectorizes. Then the survivors are packed without a
 * branch on the data: every element is written to the next free place, which
 * advances only for survivors.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "loops.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum {
    BLOCK = 128 /* elements: their number fits into one byte */
};

#define DEFINE_TEST(BITS)                                                      \
    INLINE uint##BITS##_t passes_##BITS(                                       \
        winnow__test_kind kind, const winnow__test *test, uint##BITS##_t x) {  \
        if (kind == WINNOW__KEYED) {                                           \
            const uint##BITS##_t sign = (uint##BITS##_t)(-(x >> (BITS - 1)));  \
            x = (uint##BITS##_t)(x ^ (sign & (uint##BITS##_t)test->flip));     \
        } else if (kind == WINNOW__BITS) {                                     \
            x = (uint##BITS##_t)(x & (uint##BITS##_t)test->mask);              \
        }                                                                      \
        return (uint##BITS##_t)(x - (uint##BITS##_t)test->low) <=              \
               (uint##BITS##_t)test->span;                                     \
    }

/* One element after another. */
#define DEFINE_SCALAR(COUNT, PACK, BITS)                                       \
    INLINE uint64_t COUNT(winnow__test_kind kind, const winnow__test *test,    \
                          const void *in, uint64_t n, size_t ahead) {          \
        const uint##BITS##_t *from = in;                                       \
        uint64_t kept = 0;                                                     \
        (void)ahead; /* left to the CPU */                                     \
        for (uint64_t i = 0; i < n; i++)                                       \
            kept += passes_##BITS(kind, test, from[i]);                        \
        return kept;                                                           \
    }                                                                          \
                                                                               \
    INLINE uint64_t PACK(winnow__test_kind kind, const winnow__test *test,     \
                         const void *in, uint64_t n, size_t ahead,             \
                         void *out) {                                          \
        const winnow__test own = *test; /* which no store changes */           \
        const uint##BITS##_t *from = in;                                       \
        uint##BITS##_t *const to = out;                                        \
        uint64_t kept = 0;                                                     \
        (void)ahead;                                                           \
        for (uint64_t i = 0; i < n; i++) {                                     \
            to[kept] = from[i];                                                \
            kept += passes_##BITS(kind, &own, from[i]);                        \
        }                                                                      \
        return kept;                                                           \
    }

#define DEFINE_BLOCKS(BITS)                                                    \
    DEFINE_SCALAR(count_rest_##BITS, pack_rest_##BITS, BITS)                   \
                                                                               \
    INLINE uint64_t count_##BITS(winnow__test_kind kind,                       \
                                 const winnow__test *test, const void *in,     \
                                 uint64_t n, size_t ahead) {                   \
        const uint##BITS##_t *from = in;                                       \
        uint64_t kept = 0;                                                     \
        for (; n >= BLOCK; n -= BLOCK, from += BLOCK) {                        \
            uint##BITS##_t some = 0;                                           \
            for (unsigned i = 0; i < BLOCK; i++)                               \
                some = (uint##BITS##_t)(some +                                 \
                                        passes_##BITS(kind, test, from[i]));   \
            kept += some;                                                      \
        }                                                                      \
        return kept + count_rest_##BITS(kind, test, from, n, ahead);           \
    }                                                                          \
                                                                               \
    INLINE uint64_t pack_##BITS(winnow__test_kind kind,                        \
                                const winnow__test *test, const void *in,      \
                                uint64_t n, size_t ahead, void *out) {         \
        const winnow__test own = *test;                                        \
        const uint##BITS##_t *from = in;                                       \
        uint##BITS##_t *const to = out;                                        \
        uint##BITS##_t keep[BLOCK];                                            \
        uint64_t kept = 0;                                                     \
        for (; n >= BLOCK; n -= BLOCK, from += BLOCK) {                        \
            for (unsigned i = 0; i < BLOCK; i++)                               \
                keep[i] = passes_##BITS(kind, &own, from[i]);                  \
            for (unsigned i = 0; i < BLOCK; i++) {                             \
                to[kept] = from[i];                                            \
                kept += keep[i];                                               \
            }                                                                  \
        }                                                                      \
        return kept + pack_rest_##BITS(kind, &own, from, n, ahead, to + kept); \
    }

/* Indices: the loop tests a block at a time, as above. */
#define DEFINE_INDEX(WIDTH, BITS)                                              \
    INLINE uint64_t index##WIDTH##_##BITS(                                     \
        winnow__test_kind kind, const winnow__test *test, const void *in,      \
        uint64_t n, size_t ahead, uint64_t first, void *out) {                 \
        const winnow__test own = *test;                                        \
        const uint##BITS##_t *from = in;                                       \
        uint##WIDTH##_t *const to = out;                                       \
        uint##BITS##_t keep[BLOCK];                                            \
        uint64_t kept = 0;                                                     \
        (void)ahead;                                                           \
        for (uint64_t start = 0; start < n; start += BLOCK) {                  \
            const uint64_t left = n - start;                                   \
            const unsigned some = left < BLOCK ? (unsigned)left : BLOCK;       \
            for (unsigned i = 0; i < some; i++)                                \
                keep[i] = passes_##BITS(kind, &own, from[start + i]);          \
            for (unsigned i = 0; i < some; i++) {                              \
                to[kept] = (uint##WIDTH##_t)(first + start + i);               \
                kept += keep[i];                                               \
            }                                                                  \
        }                                                                      \
        return kept;                                                           \
    }
#define DEFINE_INDICES(BITS) DEFINE_INDEX(32, BITS) DEFINE_INDEX(64, BITS)

/* Turn eight bytes of 0 or 1 into bits. The multiplication moves each into the
 * highest byte, and no two collide. */
INLINE uint32_t eight_bits(const uint8_t *bytes) {
    uint64_t eight; /* little-endian, as configure checks */
    memcpy(&eight, bytes, sizeof eight);
    return (uint32_t)(eight * UINT64_C(0x0102040810204080) >> 56);
}

/* Bits: the same, a word at a time. */
#define DEFINE_BITS(BITS)                                                      \
    INLINE void bits_##BITS(winnow__test_kind kind, const winnow__test *test,  \
                            const void *in, uint64_t n, size_t ahead,          \
                            uint32_t *words) {                                 \
        const winnow__test own = *test;                                        \
        const uint##BITS##_t *from = in;                                       \
        (void)ahead;                                                           \
        for (; n != 0; from += 32, words++) {                                  \
            uint8_t keep[32] = {0};                                            \
            if (n >= 32)                                                       \
                for (unsigned i = 0; i < 32; i++)                              \
                    keep[i] = (uint8_t)passes_##BITS(kind, &own, from[i]);     \
            else                                                               \
                for (unsigned i = 0; i < n; i++)                               \
                    keep[i] = (uint8_t)passes_##BITS(kind, &own, from[i]);     \
            *words |= eight_bits(keep) | eight_bits(keep + 8) << 8 |           \
                      eight_bits(keep + 16) << 16 |                            \
                      eight_bits(keep + 24) << 24;                             \
            n -= n < 32 ? n : 32;                                              \
        }                                                                      \
    }

static unsigned ones(const uint32_t *words, unsigned n) {
    unsigned set = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t x = words[i];
        x -= x >> 1 & 0x55555555;
        x = (x & 0x33333333) + (x >> 2 & 0x33333333);
        x = (x + (x >> 4)) & 0x0f0f0f0f;
        x += x >> 8;
        x += x >> 16;
        set += x & 0x3f;
    }
    return set;
}

DEFINE_TEST(8)
DEFINE_TEST(16)
DEFINE_TEST(32)
DEFINE_TEST(64)
DEFINE_BLOCKS(8)
DEFINE_BLOCKS(16)
DEFINE_BLOCKS(32)
/* SSE2 cannot compare 64 bits, so its vectors gain nothing here. */
DEFINE_SCALAR(count_scalar_64, pack_64, 64)

/* Floats from a negative to a positive bound need no float comparison. As bits
 * they are [0, positive] and [sign, negative]. x minus the first value after
 * its half has the sign bit set if x is in range. */
INLINE uint64_t is_around_zero_64(uint64_t after_positive,
                                  uint64_t after_negative, uint64_t x) {
    const uint64_t above_zero = ~x & (x - after_positive);
    const uint64_t below_zero = x & (x - after_negative);
    return (above_zero | below_zero) >> 63;
}

INLINE uint64_t count_around_zero_64(uint64_t positive, uint64_t negative,
                                     const uint64_t *from, uint64_t n,
                                     size_t ahead) {
    const unsigned line = 64 / sizeof *from;
    uint64_t kept = 0;
    positive++;
    negative++;
    for (; n >= BLOCK; n -= BLOCK, from += BLOCK) {
        for (unsigned i = 0; i < BLOCK; i += line)
            __builtin_prefetch((const char *)(from + i) + ahead);
        for (unsigned i = 0; i < BLOCK; i++)
            kept += is_around_zero_64(positive, negative, from[i]);
    }
    for (uint64_t i = 0; i < n; i++)
        kept += is_around_zero_64(positive, negative, from[i]);
    return kept;
}

INLINE uint64_t count_64(winnow__test_kind kind, const winnow__test *test,
                         const void *in, uint64_t n, size_t ahead) {
    const uint64_t sign = (uint64_t)1 << 63;
    const uint64_t low = test->low, high = test->low + test->span;
    if (kind == WINNOW__KEYED && low >= sign && high < sign)
        return count_around_zero_64(high, low ^ test->flip, in, n, ahead);
    return count_scalar_64(kind, test, in, n, ahead);
}
DEFINE_BITS(8)
DEFINE_BITS(16)
DEFINE_BITS(32)
DEFINE_BITS(64)
DEFINE_INDICES(8)
DEFINE_INDICES(16)
DEFINE_INDICES(32)
DEFINE_INDICES(64)
WINNOW__HOST_DEFINE_KINDS(8)
WINNOW__HOST_DEFINE_KINDS(16)
WINNOW__HOST_DEFINE_KINDS(32)
WINNOW__HOST_DEFINE_KINDS(64)

/* The same for the items that a selection's words keep. */
#define DEFINE_WORD(BITS)                                                      \
    INLINE uint##BITS##_t *pack_word_##BITS(                                   \
        uint##BITS##_t *to, const unsigned char *from, uint64_t word) {        \
        for (unsigned i = 0; i < 64; i++) {                                    \
            memcpy(to, from + i * sizeof *to, sizeof *to);                     \
            to += word >> i & 1;                                               \
        }                                                                      \
        return to;                                                             \
    }
DEFINE_WORD(8)
DEFINE_WORD(16)
DEFINE_WORD(32)
DEFINE_WORD(64)

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define OF(name) JOIN(name, _, BITS)
#define ELEMENT JOIN(uint, BITS, _t)
#define BITS 8
#include "words.h"
#undef BITS
#define BITS 16
#include "words.h"
#undef BITS
#define BITS 32
#include "words.h"
#undef BITS
#define BITS 64
#include "words.h"

static bool usable(void) {
    return true;
}

const winnow__host_loops winnow__host_portable = {
    .name = "portable",
    .isa = WINNOW__HOST_PORTABLE,
    .look_up = &winnow__look_ups_portable,
    .stream_lines = winnow__host_stream_lines,
    WINNOW__HOST_TABLES,
};
