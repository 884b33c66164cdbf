/*
 * The host backend's loops with AVX2, which has no compress instruction. A
 * shuffle packs a vector's survivors; a table has its indices for every mask of
 * eight elements. The whole vector is stored, and the next one overwrites it
 * from the first free place on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "loops.h"

#include <immintrin.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum {
    VECTOR = 32, /* bytes of a vector */
    LINE = 64    /* bytes of a cache line */
};

/* For each mask: the indices of the bits that are set, a byte each, the lowest
 * first. The other bytes are 0. */
#define INDEX(mask, bit)                                                       \
    ((uint64_t)((mask) >> (bit)&1) * (bit)                                     \
     << 8 * __builtin_popcount((mask) & ((1u << (bit)) - 1)))
#define INDICES(mask)                                                          \
    INDEX(mask, 1) | INDEX(mask, 2) | INDEX(mask, 3) | INDEX(mask, 4) |        \
        INDEX(mask, 5) | INDEX(mask, 6) | INDEX(mask, 7)
#define INDICES_4(mask)                                                        \
    INDICES(mask), INDICES((mask) + 1), INDICES((mask) + 2), INDICES((mask) + 3)
#define INDICES_16(mask)                                                       \
    INDICES_4(mask), INDICES_4((mask) + 4), INDICES_4((mask) + 8),             \
        INDICES_4((mask) + 12)
#define INDICES_64(mask)                                                       \
    INDICES_16(mask), INDICES_16((mask) + 16), INDICES_16((mask) + 32),        \
        INDICES_16((mask) + 48)
static const uint64_t indices[256] = {INDICES_64(0u), INDICES_64(64u),
                                      INDICES_64(128u), INDICES_64(192u)};

/* Turn a mask of four elements into one of their eight halves. */
static const uint8_t halves[16] = {0x00, 0x03, 0x0c, 0x0f, 0x30, 0x33,
                                   0x3c, 0x3f, 0xc0, 0xc3, 0xcc, 0xcf,
                                   0xf0, 0xf3, 0xfc, 0xff};

INLINE __m128i load_indices(unsigned mask) {
    return _mm_loadl_epi64((const __m128i *)(const void *)&indices[mask]);
}

/* ------------------------------------------------------- unsigned a <= b */

INLINE __m256i at_most_8(__m256i a, __m256i b) {
    return _mm256_cmpeq_epi8(_mm256_min_epu8(a, b), a);
}

INLINE __m256i at_most_16(__m256i a, __m256i b) {
    return _mm256_cmpeq_epi16(_mm256_min_epu16(a, b), a);
}

INLINE __m256i at_most_32(__m256i a, __m256i b) {
    return _mm256_cmpeq_epi32(_mm256_min_epu32(a, b), a);
}

INLINE __m256i at_most_64(__m256i a, __m256i b) {
    const __m256i top = _mm256_set1_epi64x(INT64_MIN);
    const __m256i above =
        _mm256_cmpgt_epi64(_mm256_xor_si256(a, top), _mm256_xor_si256(b, top));
    return _mm256_xor_si256(above, _mm256_set1_epi64x(-1));
}

/* ------------------------------------- a bit for each lane, the first lowest
 */

INLINE uint32_t mask_8(__m256i passes) {
    return (uint32_t)_mm256_movemask_epi8(passes);
}

INLINE uint32_t mask_16(__m256i passes) {
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(
        _mm256_castsi256_si128(passes), _mm256_extracti128_si256(passes, 1)));
}

INLINE uint32_t mask_32(__m256i passes) {
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(passes));
}

INLINE uint32_t mask_64(__m256i passes) {
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(passes));
}

/* ------------------------ store the lanes of a mask, and return where they end
 */

/* Process eight bytes at a time, as the four of a vector. */
INLINE uint8_t *store_8(uint8_t *to, __m256i x, uint32_t mask) {
    const __m128i low = _mm256_castsi256_si128(x);
    const __m128i high = _mm256_extracti128_si256(x, 1);
    const __m128i eights[4] = {low, _mm_unpackhi_epi64(low, low), high,
                               _mm_unpackhi_epi64(high, high)};
    WINNOW__UNROLL
    for (unsigned i = 0; i < 4; i++) {
        const unsigned m = mask >> 8 * i & 0xff;
        _mm_storel_epi64((__m128i *)(void *)to,
                         _mm_shuffle_epi8(eights[i], load_indices(m)));
        to += _mm_popcnt_u32(m);
    }
    return to;
}

INLINE uint16_t *store_16(uint16_t *to, __m256i x, uint32_t mask) {
    const __m128i eights[2] = {_mm256_castsi256_si128(x),
                               _mm256_extracti128_si256(x, 1)};
    WINNOW__UNROLL
    for (unsigned i = 0; i < 2; i++) {
        const unsigned m = mask >> 8 * i & 0xff;
        const __m128i twice = _mm_slli_epi16(
            _mm_unpacklo_epi8(load_indices(m), load_indices(m)), 1);
        _mm_storeu_si128(
            (__m128i *)(void *)to,
            _mm_shuffle_epi8(eights[i],
                             _mm_or_si128(twice, _mm_set1_epi16(0x100))));
        to += _mm_popcnt_u32(m);
    }
    return to;
}

INLINE void store_words(void *to, __m256i x, uint32_t mask) {
    _mm256_storeu_si256(to, _mm256_permutevar8x32_epi32(
                                x, _mm256_cvtepu8_epi32(load_indices(mask))));
}

INLINE uint32_t *store_32(uint32_t *to, __m256i x, uint32_t mask) {
    store_words(to, x, mask);
    return to + _mm_popcnt_u32(mask);
}

INLINE uint64_t *store_64(uint64_t *to, __m256i x, uint32_t mask) {
    store_words(to, x, halves[mask]);
    return to + _mm_popcnt_u32(mask);
}

/* ------------------------------------------------------------------- loops */

#define set1_8(x) _mm256_set1_epi8((int8_t)(x))
#define set1_16(x) _mm256_set1_epi16((int16_t)(x))
#define set1_32(x) _mm256_set1_epi32((int32_t)(x))
#define set1_64(x) _mm256_set1_epi64x((int64_t)(x))

INLINE __m256i iota_32(void) {
    return _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
}

INLINE __m256i iota_64(void) {
    return _mm256_set_epi64x(3, 2, 1, 0);
}

typedef struct vectors {
    __m256i flip, mask, low, span;
} vectors;

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define OF(name) JOIN(name, _, BITS)
#define EPI(name) JOIN(name, _epi, BITS)
#define ELEMENT JOIN(uint, BITS, _t)
#define INDEX_T JOIN(uint, WIDTH, _t)

#include "popcount.h"

#define BITS 8
#include "avx2_loops.h"
#define BITS 16
#include "avx2_loops.h"
#define BITS 32
#include "avx2_loops.h"
#define BITS 64
#include "avx2_loops.h"

static bool usable(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
}

const winnow__host_loops winnow__host_avx2 = {
    .name = "avx2",
    .isa = WINNOW__HOST_AVX2,
    .look_up = &winnow__look_ups_avx2,
    .stream_lines = winnow__host_stream_lines,
    WINNOW__HOST_TABLES,
};
