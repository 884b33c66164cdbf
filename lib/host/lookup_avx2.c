/*
 * Looks elements up with AVX2. A permutation takes a value for each element
 * from a table in registers; bits and slots are gathered.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lookup.h"

#include <immintrin.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

INLINE __m256i load(const void *from) {
    return _mm256_loadu_si256((const __m256i *)from);
}

INLINE uint32_t mask_32(__m256i lanes) {
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(lanes));
}

INLINE uint32_t mask_64(__m256i lanes) {
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(lanes));
}

/* -------------------------------------------------------------------- bits */

/* The table has two registers; each contains one half of the bits twice. A shuffle by
 * bits 3 to 6 of x selects the byte, bit 7 selects the register, and bits 0 to 2 select
 * the bit. */
INLINE uint32_t word_bits_8(const winnow__lookup *lookup, const uint8_t *from,
                            uint32_t wanted) {
    const __m128i *const table = lookup->table;
    const __m256i low = _mm256_broadcastsi128_si256(_mm_load_si128(table));
    const __m256i high = _mm256_broadcastsi128_si256(_mm_load_si128(table + 1));
    const __m256i powers =
        _mm256_set1_epi64x((int64_t)UINT64_C(0x8040201008040201));
    const __m256i x = load(from);
    const __m256i byte =
        _mm256_and_si256(_mm256_srli_epi16(x, 3), _mm256_set1_epi8(15));
    const __m256i bits = _mm256_blendv_epi8(_mm256_shuffle_epi8(low, byte),
                                            _mm256_shuffle_epi8(high, byte), x);
    const __m256i bit =
        _mm256_shuffle_epi8(powers, _mm256_and_si256(x, _mm256_set1_epi8(7)));
    (void)wanted;
    return (uint32_t)_mm256_movemask_epi8(
        _mm256_cmpeq_epi8(_mm256_and_si256(bits, bit), bit));
}

/* Make bit d of the table the highest bit of its lane. */
INLINE __m256i top_bit_32(__m256i words, __m256i d) {
    return _mm256_sllv_epi32(words,
                             _mm256_andnot_si256(d, _mm256_set1_epi32(31)));
}

INLINE __m256i top_bit_64(__m256i words, __m256i d) {
    return _mm256_sllv_epi64(words,
                             _mm256_andnot_si256(d, _mm256_set1_epi64x(63)));
}

INLINE uint32_t word_bits_16(const winnow__lookup *lookup, const uint16_t *from,
                             uint32_t wanted) {
    uint32_t word = 0;
    (void)wanted;
    for (unsigned i = 0; i < 32; i += 8) {
        const __m256i x = _mm256_cvtepu16_epi32(
            _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
        const __m256i words =
            _mm256_i32gather_epi32(lookup->table, _mm256_srli_epi32(x, 5), 4);
        word |= mask_32(top_bit_32(words, x)) << i;
    }
    return word;
}

INLINE uint32_t word_bits_32(const winnow__lookup *lookup, const uint32_t *from,
                             uint32_t wanted) {
    const __m256i mask = _mm256_set1_epi32((int32_t)lookup->mask);
    const __m256i low = _mm256_set1_epi32((int32_t)lookup->low);
    const __m256i span = _mm256_set1_epi32((int32_t)lookup->span);
    uint32_t word = 0;
    (void)wanted;
    for (unsigned i = 0; i < 32; i += 8) {
        const __m256i d =
            _mm256_sub_epi32(_mm256_and_si256(load(from + i), mask), low);
        const __m256i inside = _mm256_cmpeq_epi32(_mm256_min_epu32(d, span), d);
        const __m256i words =
            _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), lookup->table,
                                        _mm256_srli_epi32(d, 5), inside, 4);
        word |= mask_32(top_bit_32(words, d)) << i;
    }
    return word;
}

INLINE uint32_t word_bits_64(const winnow__lookup *lookup, const uint64_t *from,
                             uint32_t wanted) {
    const __m256i top = _mm256_set1_epi64x(INT64_MIN);
    const __m256i mask = _mm256_set1_epi64x((int64_t)lookup->mask);
    const __m256i low = _mm256_set1_epi64x((int64_t)lookup->low);
    const __m256i span = _mm256_set1_epi64x((int64_t)lookup->span ^ INT64_MIN);
    uint32_t word = 0;
    (void)wanted;
    for (unsigned i = 0; i < 32; i += 4) {
        const __m256i d =
            _mm256_sub_epi64(_mm256_and_si256(load(from + i), mask), low);
        const __m256i outside =
            _mm256_cmpgt_epi64(_mm256_xor_si256(d, top), span);
        const __m256i words = _mm256_mask_i64gather_epi64(
            _mm256_setzero_si256(), lookup->table, _mm256_srli_epi64(d, 6),
            _mm256_xor_si256(outside, _mm256_set1_epi64x(-1)), 8);
        word |= mask_64(top_bit_64(words, d)) << i;
    }
    return word;
}

/* ------------------------------------------------------------------- slots */

INLINE uint32_t word_slots_32(const winnow__lookup *lookup,
                              const uint32_t *from, uint32_t wanted) {
    const __m256i few = load(lookup->table);
    const __m256i mask = _mm256_set1_epi32((int32_t)lookup->mask);
    const __m256i factor = _mm256_set1_epi32((int32_t)lookup->factor);
    const __m128i shift = _mm_cvtsi32_si128((int32_t)lookup->shift);
    const bool is_few = lookup->shift == 32 - WINNOW__LOG2_FEW_SLOTS;
    uint32_t word = 0;
    (void)wanted;
    for (unsigned i = 0; i < 32; i += 8) {
        const __m256i v = _mm256_and_si256(load(from + i), mask);
        const __m256i slot =
            _mm256_srl_epi32(_mm256_mullo_epi32(v, factor), shift);
        const __m256i there =
            is_few ? _mm256_permutevar8x32_epi32(few, slot)
                   : _mm256_i32gather_epi32(lookup->table, slot, 4);
        word |= mask_32(_mm256_cmpeq_epi32(there, v)) << i;
    }
    return word;
}

/* Few slots fit into two registers: one for the low halves of the values, one for the
 * high. */
INLINE uint32_t word_slots_64(const winnow__lookup *lookup,
                              const uint64_t *from, uint32_t wanted) {
    const __m256i halves = _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0);
    const __m256i first =
        _mm256_permutevar8x32_epi32(load(lookup->table), halves);
    const __m256i second = _mm256_permutevar8x32_epi32(
        load((const char *)lookup->table + 32), halves);
    const __m256i lows = _mm256_permute2x128_si256(first, second, 0x20);
    const __m256i highs = _mm256_permute2x128_si256(first, second, 0x31);
    const __m256i mask = _mm256_set1_epi64x((int64_t)lookup->mask);
    const __m256i factor = _mm256_set1_epi64x((int64_t)lookup->factor);
    const __m128i shift = _mm_cvtsi32_si128((int32_t)lookup->shift);
    const bool is_few = lookup->shift == 32 - WINNOW__LOG2_FEW_SLOTS;
    uint32_t word = 0;
    (void)wanted;
    for (unsigned i = 0; i < 32; i += 4) {
        const __m256i v = _mm256_and_si256(load(from + i), mask);
        const __m256i each = _mm256_mullo_epi32(v, factor);
        /* Only the low 32 of the 64 bits of the sum are used. */
        const __m256i slot = _mm256_srl_epi32(
            _mm256_add_epi32(each, _mm256_srli_epi64(each, 32)), shift);
        __m256i there;
        if (is_few) {
            const __m256i both = _mm256_shuffle_epi32(slot, 0xa0);
            there = _mm256_blend_epi32(_mm256_permutevar8x32_epi32(lows, both),
                                       _mm256_permutevar8x32_epi32(highs, both),
                                       0xaa);
        } else {
            const __m256i low =
                _mm256_blend_epi32(slot, _mm256_setzero_si256(), 0xaa);
            there = _mm256_i64gather_epi64(lookup->table, low, 8);
        }
        word |= mask_64(_mm256_cmpeq_epi64(there, v)) << i;
    }
    return word;
}

/* ----------------------------------------------------------------- buckets */

INLINE uint32_t in_bucket_32(const uint32_t *bucket, uint32_t v) {
    const __m256i equal =
        _mm256_cmpeq_epi32(load(bucket), _mm256_set1_epi32((int32_t)v));
    return !_mm256_testz_si256(equal, equal);
}

INLINE uint32_t in_bucket_64(const uint64_t *bucket, uint64_t v) {
    const __m256i equal =
        _mm256_cmpeq_epi64(load(bucket), _mm256_set1_epi64x((int64_t)v));
    return !_mm256_testz_si256(equal, equal);
}

#include "lookup_sizes.h"

const winnow__look_ups winnow__look_ups_avx2 = WINNOW__LOOK_UPS;
