/*
 * The loops of avx512.c for elements of BITS bits; MASK is the type of a
 * vector's mask. No guard: this file is included once for each size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

INLINE vectors OF(spread)(const winnow__test *test) {
    return (vectors){EPI(_mm512_set1)((ELEMENT)test->flip),
                     EPI(_mm512_set1)((ELEMENT)test->mask),
                     EPI(_mm512_set1)((ELEMENT)test->low),
                     EPI(_mm512_set1)((ELEMENT)test->span)};
}

INLINE MASK OF(passes)(winnow__test_kind kind, const vectors *v, __m512i x) {
    if (kind == WINNOW__KEYED) {
        const __m512i sign =
            EPI(_mm512_movm)(JOIN(_mm512_movepi, BITS, _mask)(x));
        x = _mm512_xor_si512(x, _mm512_and_si512(sign, v->flip));
    } else if (kind == WINNOW__BITS) {
        x = _mm512_and_si512(x, v->mask);
    }
    return JOIN(_mm512_cmple_epu, BITS, _mask)(EPI(_mm512_sub)(x, v->low),
                                               v->span);
}

INLINE uint64_t OF(count)(winnow__test_kind kind, const winnow__test *test,
                          const void *in, uint64_t n, size_t ahead) {
    const uint64_t lanes = 512 / BITS;
    const vectors v = OF(spread)(test);
    const ELEMENT *from = in;
    uint64_t kept = 0;
    for (; n >= lanes; n -= lanes, from += lanes) {
        _mm_prefetch((const char *)from + ahead, _MM_HINT_T0);
        const __m512i x = _mm512_loadu_si512(from);
        kept += (uint64_t)_mm_popcnt_u64(OF(passes)(kind, &v, x));
    }
    if (n != 0) {
        const MASK last = (MASK)((UINT64_C(1) << n) - 1);
        const __m512i x = EPI(_mm512_maskz_loadu)(last, from);
        kept += (uint64_t)_mm_popcnt_u64(OF(passes)(kind, &v, x) & last);
    }
    return kept;
}

INLINE ELEMENT *OF(store)(ELEMENT *to, __m512i x, MASK kept) {
    _mm512_storeu_si512(to, EPI(_mm512_maskz_compress)(kept, x));
    return to + _mm_popcnt_u64(kept);
}

INLINE uint64_t OF(pack)(winnow__test_kind kind, const winnow__test *test,
                         const void *in, uint64_t n, size_t ahead, void *out) {
    const uint64_t lanes = 512 / BITS;
    const vectors v = OF(spread)(test);
    const ELEMENT *from = in;
    ELEMENT *to = out;
    for (; n >= lanes; n -= lanes, from += lanes) {
        _mm_prefetch((const char *)from + ahead, _MM_HINT_T0);
        const __m512i x = _mm512_loadu_si512(from);
        to = OF(store)(to, x, OF(passes)(kind, &v, x));
    }
    if (n != 0) {
        const MASK last = (MASK)((UINT64_C(1) << n) - 1);
        const __m512i x = EPI(_mm512_maskz_loadu)(last, from);
        to = OF(store)(to, x, OF(passes)(kind, &v, x) & last);
    }
    return (uint64_t)(to - (ELEMENT *)out);
}

INLINE void OF(set_bits)(unsigned char *to, MASK kept) {
    MASK set;
    __builtin_memcpy(&set, to, sizeof set);
    set |= kept;
    __builtin_memcpy(to, &set, sizeof set);
}

/* 64 items at a time, since each word is read and written. One vector at a time
 * takes up to a sixth longer if the input comes from memory. */
INLINE void OF(bits)(winnow__test_kind kind, const winnow__test *test,
                     const void *in, uint64_t n, size_t ahead,
                     uint32_t *words) {
    const unsigned lanes = 512 / BITS;
    const vectors v = OF(spread)(test);
    const ELEMENT *from = in;
    unsigned char *to = (unsigned char *)words;
    for (; n >= 64; n -= 64, to += sizeof(uint64_t)) {
        uint64_t kept = 0, word;
        WINNOW__UNROLL
        for (unsigned i = 0; i < 64; i += lanes, from += lanes) {
            _mm_prefetch((const char *)from + ahead, _MM_HINT_T0);
            kept |= (uint64_t)OF(passes)(kind, &v, _mm512_loadu_si512(from))
                    << i;
        }
        __builtin_memcpy(&word, to, sizeof word);
        word |= kept;
        __builtin_memcpy(to, &word, sizeof word);
    }
    for (; n != 0; n -= n < lanes ? n : lanes, from += lanes) {
        const MASK there =
            (MASK)(n < lanes ? (UINT64_C(1) << n) - 1 : UINT64_MAX);
        const __m512i x = EPI(_mm512_maskz_loadu)(there, from);
        OF(set_bits)(to, OF(passes)(kind, &v, x) & there);
        to += sizeof(MASK);
    }
}

INLINE ELEMENT *OF(pack_word)(ELEMENT *to, const unsigned char *from,
                              uint64_t word) {
    const unsigned lanes = 512 / BITS;
    WINNOW__UNROLL
    for (unsigned i = 0; i < 64; i += lanes)
        to = OF(store)(to, _mm512_loadu_si512(from + i * sizeof *to),
                       (MASK)(word >> i));
    return to;
}
#include "words.h"

#define WIDTH 32
#define PER 16
#include "avx512_index.h"
#define WIDTH 64
#define PER 8
#include "avx512_index.h"

WINNOW__HOST_DEFINE_KINDS(BITS)

#undef BITS
#undef MASK
