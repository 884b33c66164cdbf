/*
 * index32() and index64() of avx512.c for elements of BITS bits. Indices have
 * WIDTH bits; a vector has PER of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* Store a vector of indices for each PER lanes of the mask. */
INLINE uint64_t OF(JOIN(index, WIDTH, ))(winnow__test_kind kind,
                                         const winnow__test *test,
                                         const void *in, uint64_t n,
                                         size_t ahead, uint64_t first,
                                         void *out) {
    const unsigned lanes = 512 / BITS;
    const unsigned per = lanes < PER ? lanes : PER;
    const vectors v = OF(spread)(test);
    const ELEMENT *from = in;
    INDEX_T *to = out;
    __m512i indices = JOIN(_mm512_add, _epi, WIDTH)(
        JOIN(iota, _, WIDTH)(), JOIN(_mm512_set1, _epi, WIDTH)((INDEX_T)first));
    for (uint64_t start = 0; start < n; start += lanes) {
        const uint64_t left = n - start;
        MASK kept = left < lanes ? (MASK)((UINT64_C(1) << left) - 1)
                                 : (MASK)~UINT64_C(0);
        _mm_prefetch((const char *)(from + start) + ahead, _MM_HINT_T0);
        const __m512i x = EPI(_mm512_maskz_loadu)(kept, from + start);
        kept &= OF(passes)(kind, &v, x);
        for (unsigned i = 0; i < lanes; i += per) {
            const uint64_t mask =
                (uint64_t)kept >> i & ((UINT64_C(1) << per) - 1);
            _mm512_storeu_si512(to, JOIN(_mm512_maskz_compress, _epi, WIDTH)(
                                        (JOIN(__mmask, PER, ))mask, indices));
            to += _mm_popcnt_u64(mask);
            indices = JOIN(_mm512_add, _epi, WIDTH)(
                indices, JOIN(_mm512_set1, _epi, WIDTH)((INDEX_T)per));
        }
    }
    return (uint64_t)(to - (INDEX_T *)out);
}

#undef WIDTH
#undef PER
