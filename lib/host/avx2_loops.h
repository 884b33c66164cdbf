/*
 * The loops of avx2.c for elements of BITS bits. No guard: avx2.c includes this
 * file once for each size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

INLINE vectors OF(spread)(const winnow__test *test) {
    return (vectors){OF(set1)(test->flip), OF(set1)(test->mask),
                     OF(set1)(test->low), OF(set1)(test->span)};
}

INLINE uint32_t OF(passes)(winnow__test_kind kind, const vectors *v,
                           __m256i x) {
    if (kind == WINNOW__KEYED) {
        const __m256i sign = EPI(_mm256_cmpgt)(_mm256_setzero_si256(), x);
        x = _mm256_xor_si256(x, _mm256_and_si256(sign, v->flip));
    } else if (kind == WINNOW__BITS) {
        x = _mm256_and_si256(x, v->mask);
    }
    return OF(mask)(OF(at_most)(EPI(_mm256_sub)(x, v->low), v->span));
}

/* The last n elements, at most a vector, and their mask. */
INLINE __m256i OF(load_last)(const ELEMENT *from, uint64_t n,
                             uint32_t *mask_p) {
    unsigned char last[VECTOR] = {0};
    if (n != 0) /* the memory may end here */
        memcpy(last, from, n * sizeof *from);
    *mask_p = (uint32_t)((UINT64_C(1) << n) - 1);
    return _mm256_loadu_si256((const __m256i *)(const void *)last);
}

INLINE uint64_t OF(count)(winnow__test_kind kind, const winnow__test *test,
                          const void *in, uint64_t n, size_t ahead) {
    const uint64_t lanes = VECTOR * 8 / BITS;
    const vectors v = OF(spread)(test);
    const ELEMENT *from = in;
    uint64_t kept = 0;
    uint32_t mask;
    for (; n >= lanes; n -= lanes, from += lanes) {
        _mm_prefetch((const char *)from + ahead, _MM_HINT_T0);
        const __m256i x =
            _mm256_loadu_si256((const __m256i *)(const void *)from);
        kept += (uint64_t)_mm_popcnt_u32(OF(passes)(kind, &v, x));
    }
    const __m256i x = OF(load_last)(from, n, &mask);
    mask &= OF(passes)(kind, &v, x);
    return kept + (uint64_t)_mm_popcnt_u32(mask);
}

INLINE uint64_t OF(pack)(winnow__test_kind kind, const winnow__test *test,
                         const void *in, uint64_t n, size_t ahead, void *out) {
    const uint64_t lanes = VECTOR * 8 / BITS;
    const vectors v = OF(spread)(test);
    const ELEMENT *from = in;
    ELEMENT *to = out;
    uint32_t mask;
    for (; n >= lanes; n -= lanes, from += lanes) {
        _mm_prefetch((const char *)from + ahead, _MM_HINT_T0);
        const __m256i x =
            _mm256_loadu_si256((const __m256i *)(const void *)from);
        to = OF(store)(to, x, OF(passes)(kind, &v, x));
    }
    const __m256i x = OF(load_last)(from, n, &mask);
    to = OF(store)(to, x, mask & OF(passes)(kind, &v, x));
    return (uint64_t)(to - (ELEMENT *)out);
}

INLINE void OF(bits)(winnow__test_kind kind, const winnow__test *test,
                     const void *in, uint64_t n, size_t ahead,
                     uint32_t *words) {
    const unsigned lanes = VECTOR * 8 / BITS;
    const vectors v = OF(spread)(test);
    const ELEMENT *from = in;
    for (; n >= 32; n -= 32, words++) {
        uint32_t word = 0;
        WINNOW__UNROLL
        for (unsigned i = 0; i < 32 * sizeof *from; i += LINE)
            _mm_prefetch((const char *)from + i + ahead, _MM_HINT_T0);
        WINNOW__UNROLL
        for (unsigned i = 0; i < 32; i += lanes, from += lanes) {
            const __m256i x =
                _mm256_loadu_si256((const __m256i *)(const void *)from);
            word |= OF(passes)(kind, &v, x) << i;
        }
        *words |= word;
    }
    for (unsigned i = 0; i < n; i += lanes, from += lanes) {
        const uint64_t left = n - i;
        uint32_t mask;
        const __m256i x =
            OF(load_last)(from, left < lanes ? left : lanes, &mask);
        *words |= (mask & OF(passes)(kind, &v, x)) << i;
    }
}

INLINE ELEMENT *OF(pack_word)(ELEMENT *to, const unsigned char *from,
                              uint64_t word) {
    const unsigned lanes = VECTOR * 8 / BITS;
    WINNOW__UNROLL
    for (unsigned i = 0; i < 64; i += lanes, word >>= lanes)
        to = OF(store)(
            to,
            _mm256_loadu_si256(
                (const __m256i *)(const void *)(from + i * sizeof *to)),
            (uint32_t)(word & ((UINT64_C(1) << lanes) - 1)));
    return to;
}
#include "words.h"

#define WIDTH 32
#define PER 8
#include "avx2_index.h"
#define WIDTH 64
#define PER 4
#include "avx2_index.h"

WINNOW__HOST_DEFINE_KINDS(BITS)

#undef BITS
