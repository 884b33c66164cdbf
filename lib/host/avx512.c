/*
 * The host backend's loops with AVX-512: the compress instruction packs a
 * vector's survivors. They go to memory as a whole vector, which the next one
 * overwrites from the first place that is free: the form of the instruction
 * that stores is many times slower on some CPUs.
 *
 * Elements of 1 and 2 bytes need VBMI2. A vector with no lane is not loaded,
 * though its mask would forbid any fault: at the edge of a page that is not
 * there it takes 200 ns.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "loops.h"

#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))

/* A vector of indices for each PER lanes of the mask. */
#define DEFINE_INDEX(WIDTH, PER, BITS, MASK)                                   \
    INLINE uint64_t index##WIDTH##_##BITS(                                     \
        winnow__test_kind kind, const winnow__test *test, const void *in,      \
        uint64_t n, size_t ahead, uint64_t first, void *out) {                 \
        const unsigned lanes = 512 / BITS;                                     \
        const unsigned per = lanes < PER ? lanes : PER;                        \
        const vectors_##BITS v = spread_##BITS(test);                          \
        const int##BITS##_t *from = in;                                        \
        int##WIDTH##_t *to = out;                                              \
        __m512i indices = _mm512_add_epi##WIDTH(                               \
            iota_##WIDTH(), _mm512_set1_epi##WIDTH((int##WIDTH##_t)first));    \
        for (uint64_t start = 0; start < n; start += lanes) {                  \
            const uint64_t left = n - start;                                   \
            MASK kept = left < lanes ? (MASK)((UINT64_C(1) << left) - 1)       \
                                     : (MASK)~UINT64_C(0);                     \
            _mm_prefetch((const char *)(from + start) + ahead, _MM_HINT_T0);   \
            const __m512i x =                                                  \
                _mm512_maskz_loadu_epi##BITS(kept, from + start);              \
            kept &= passes_##BITS(kind, &v, x);                                \
            for (unsigned i = 0; i < lanes; i += per) {                        \
                const uint64_t mask =                                          \
                    (uint64_t)kept >> i & ((UINT64_C(1) << per) - 1);          \
                _mm512_storeu_si512(to, _mm512_maskz_compress_epi##WIDTH(      \
                                            (__mmask##PER)mask, indices));     \
                to += _mm_popcnt_u64(mask);                                    \
                indices = _mm512_add_epi##WIDTH(                               \
                    indices, _mm512_set1_epi##WIDTH((int##WIDTH##_t)per));     \
            }                                                                  \
        }                                                                      \
        return (uint64_t)(to - (int##WIDTH##_t *)out);                         \
    }

INLINE __m512i iota_32(void) {
    return _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
                            0);
}

INLINE __m512i iota_64(void) {
    return _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
}

#define DEFINE_LOOPS(BITS, MASK)                                               \
    typedef struct vectors_##BITS {                                            \
        __m512i flip, mask, low, span;                                         \
    } vectors_##BITS;                                                          \
                                                                               \
    INLINE vectors_##BITS spread_##BITS(const winnow__test *test) {            \
        return (vectors_##BITS){                                               \
            _mm512_set1_epi##BITS((int##BITS##_t)test->flip),                  \
            _mm512_set1_epi##BITS((int##BITS##_t)test->mask),                  \
            _mm512_set1_epi##BITS((int##BITS##_t)test->low),                   \
            _mm512_set1_epi##BITS((int##BITS##_t)test->span)};                 \
    }                                                                          \
                                                                               \
    INLINE MASK passes_##BITS(winnow__test_kind kind, const vectors_##BITS *v, \
                              __m512i x) {                                     \
        if (kind == WINNOW__KEYED) {                                           \
            const __m512i sign =                                               \
                _mm512_movm_epi##BITS(_mm512_movepi##BITS##_mask(x));          \
            x = _mm512_xor_si512(x, _mm512_and_si512(sign, v->flip));          \
        } else if (kind == WINNOW__BITS) {                                     \
            x = _mm512_and_si512(x, v->mask);                                  \
        }                                                                      \
        return _mm512_cmple_epu##BITS##_mask(_mm512_sub_epi##BITS(x, v->low),  \
                                             v->span);                         \
    }                                                                          \
                                                                               \
    INLINE uint64_t count_##BITS(winnow__test_kind kind,                       \
                                 const winnow__test *test, const void *in,     \
                                 uint64_t n, size_t ahead) {                   \
        const uint64_t lanes = 512 / BITS;                                     \
        const vectors_##BITS v = spread_##BITS(test);                          \
        const int##BITS##_t *from = in;                                        \
        uint64_t kept = 0;                                                     \
        for (; n >= lanes; n -= lanes, from += lanes) {                        \
            _mm_prefetch((const char *)from + ahead, _MM_HINT_T0);             \
            const __m512i x = _mm512_loadu_si512(from);                        \
            kept += (uint64_t)_mm_popcnt_u64(passes_##BITS(kind, &v, x));      \
        }                                                                      \
        if (n != 0) {                                                          \
            const MASK last = (MASK)((UINT64_C(1) << n) - 1);                  \
            const __m512i x = _mm512_maskz_loadu_epi##BITS(last, from);        \
            kept +=                                                            \
                (uint64_t)_mm_popcnt_u64(passes_##BITS(kind, &v, x) & last);   \
        }                                                                      \
        return kept;                                                           \
    }                                                                          \
                                                                               \
    INLINE uint64_t pack_##BITS(winnow__test_kind kind,                        \
                                const winnow__test *test, const void *in,      \
                                uint64_t n, size_t ahead, void *out) {         \
        const uint64_t lanes = 512 / BITS;                                     \
        const vectors_##BITS v = spread_##BITS(test);                          \
        const int##BITS##_t *from = in;                                        \
        int##BITS##_t *to = out;                                               \
        for (; n >= lanes; n -= lanes, from += lanes) {                        \
            _mm_prefetch((const char *)from + ahead, _MM_HINT_T0);             \
            const __m512i x = _mm512_loadu_si512(from);                        \
            const MASK kept = passes_##BITS(kind, &v, x);                      \
            _mm512_storeu_si512(to, _mm512_maskz_compress_epi##BITS(kept, x)); \
            to += _mm_popcnt_u64(kept);                                        \
        }                                                                      \
        if (n != 0) {                                                          \
            const MASK last = (MASK)((UINT64_C(1) << n) - 1);                  \
            const __m512i x = _mm512_maskz_loadu_epi##BITS(last, from);        \
            const MASK kept = passes_##BITS(kind, &v, x) & last;               \
            _mm512_storeu_si512(to, _mm512_maskz_compress_epi##BITS(kept, x)); \
            to += _mm_popcnt_u64(kept);                                        \
        }                                                                      \
        return (uint64_t)(to - (int##BITS##_t *)out);                          \
    }                                                                          \
                                                                               \
    INLINE void bits_##BITS(winnow__test_kind kind, const winnow__test *test,  \
                            const void *in, uint64_t n, uint32_t *words) {     \
        const uint64_t lanes = 512 / BITS;                                     \
        const vectors_##BITS v = spread_##BITS(test);                          \
        const int##BITS##_t *from = in;                                        \
        unsigned char *const to = (unsigned char *)words;                      \
        for (uint64_t start = 0; start < n; start += lanes) {                  \
            const uint64_t left = n - start;                                   \
            MASK kept = left < lanes ? (MASK)((UINT64_C(1) << left) - 1)       \
                                     : (MASK)~UINT64_C(0);                     \
            const __m512i x =                                                  \
                _mm512_maskz_loadu_epi##BITS(kept, from + start);              \
            kept &= passes_##BITS(kind, &v, x);                                \
            __builtin_memcpy(to + start / 8, &kept, sizeof kept);              \
        }                                                                      \
    }                                                                          \
                                                                               \
    DEFINE_INDEX(32, 16, BITS, MASK)                                           \
    DEFINE_INDEX(64, 8, BITS, MASK)                                            \
    WINNOW__HOST_DEFINE_KINDS(BITS)

DEFINE_LOOPS(8, __mmask64)
DEFINE_LOOPS(16, __mmask32)
DEFINE_LOOPS(32, __mmask16)
DEFINE_LOOPS(64, __mmask8)

static bool usable(void) {
    return __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("popcnt");
}

const winnow__host_loops winnow__host_avx512 = {
    .name = "avx512",
    .isa = WINNOW__HOST_AVX512,
    .usable = usable,
    .count = WINNOW__HOST_TABLE(count),
    .pack = WINNOW__HOST_TABLE(pack),
    .index = {WINNOW__HOST_TABLE(index32), WINNOW__HOST_TABLE(index64)},
    .bits = WINNOW__HOST_TABLE(bits),
};
