/*
 * index32() and index64() of avx2.c for elements of BITS bits. Indices have
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
    const unsigned lanes = VECTOR * 8 / BITS;
    const unsigned per = lanes < PER ? lanes : PER;
    const vectors v = OF(spread)(test);
    const ELEMENT *from = in;
    INDEX_T *to = out;
    __m256i here = JOIN(_mm256_add, _epi, WIDTH)(JOIN(iota, _, WIDTH)(),
                                                 JOIN(set1, _, WIDTH)(first));
    for (uint64_t start = 0; start < n; start += lanes) {
        uint32_t kept = UINT32_MAX;
        __m256i x;
        _mm_prefetch((const char *)(from + start) + ahead, _MM_HINT_T0);
        if (n - start >= lanes)
            x = _mm256_loadu_si256(
                (const __m256i *)(const void *)(from + start));
        else
            x = OF(load_last)(from + start, n - start, &kept);
        kept &= OF(passes)(kind, &v, x);
        for (unsigned i = 0; i < lanes; i += per) {
            to = JOIN(store, _, WIDTH)(to, here, kept >> i & ((1u << per) - 1));
            here =
                JOIN(_mm256_add, _epi, WIDTH)(here, JOIN(set1, _, WIDTH)(per));
        }
    }
    return (uint64_t)(to - (INDEX_T *)out);
}

#undef WIDTH
#undef PER
