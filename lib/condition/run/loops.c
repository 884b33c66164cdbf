/*
 * The loops of evaluate.h, which compilers vectorize: plain C, compiled for
 * each instruction set, which defines the name of its table, LOOPS.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate.h"

#include "narrow.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif
#include <string.h>

#define C_INT8 int8_t
#define C_INT16 int16_t
#define C_INT32 int32_t
#define C_UINT8 uint8_t
#define C_UINT16 uint16_t
#define C_UINT32 uint32_t
#define C_INT64 int64_t
#define C_UINT64 uint64_t
#define C_FLOAT32 float
#define C_FLOAT64 double
#define C_BOOL uint32_t /* words of bits */

/* -------------------------------------------------------------------- loads */

#define GATHER(BITS)                                                           \
    static void gather_##BITS(void *to, const unsigned char *first,            \
                              uint64_t stride, unsigned n) {                   \
        uint##BITS##_t *const out = to;                                        \
        if (stride == sizeof out[0])                                           \
            memcpy(to, first, n * sizeof out[0]);                              \
        else                                                                   \
            for (unsigned i = 0; i < n; i++)                                   \
                memcpy(&out[i], (const void *)((uintptr_t)first + i * stride), \
                       sizeof out[0]);                                         \
    }
GATHER(8)
GATHER(16)
GATHER(32)
GATHER(64)
#undef GATHER

#define LOAD_HALF(TYPE, BITS)                                                  \
    static void loop_LOAD_##TYPE(void *to, const unsigned char *first,         \
                                 uint64_t stride, unsigned n) {                \
        for (unsigned i = 0; i < n; i++) {                                     \
            uint16_t element;                                                  \
            memcpy(&element, (const void *)((uintptr_t)first + i * stride),    \
                   sizeof element);                                            \
            const uint32_t bits = BITS;                                        \
            memcpy((float *)to + i, &bits, sizeof bits);                       \
        }                                                                      \
    }
LOAD_HALF(FLOAT16, winnow__bits_of_float16(element))
LOAD_HALF(BFLOAT16, (uint32_t)element << 16)
#undef LOAD_HALF

/* From elements of 128 bits: values of 64 bits, and upper halves. */
static void loop_LOAD_INT128(void *to, const unsigned char *first,
                             uint64_t stride, unsigned n) {
    uint64_t halves[2];
    for (unsigned i = 0; i < n; i++) {
        memcpy(halves, (const void *)((uintptr_t)first + i * stride),
               sizeof halves);
        ((int64_t *)to)[i] =
            winnow__narrow_of_wide(halves[0], (int64_t)halves[1]);
    }
}

static void loop_LOAD_UPPER(void *to, const unsigned char *first,
                            uint64_t stride, unsigned n) {
    gather_64(to, first + 8, stride, n);
}

/* --------------------------------------------------------------------- bits */

#ifdef __AVX2__
static uint32_t pack_word(const uint8_t *bytes) {
    const __m256i x = _mm256_loadu_si256((const __m256i *)bytes);
    return (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(x, 7));
}
#else
static uint32_t pack_word(const uint8_t *bytes) {
    uint32_t word = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t eight; /* each byte becomes one bit of the highest byte */
        memcpy(&eight, bytes + 8 * i, sizeof eight);
        word |= (uint32_t)(eight * UINT64_C(0x0102040810204080) >> 56) << 8 * i;
    }
    return word;
}
#endif

static void pack(const uint8_t *bytes, unsigned n, uint32_t *words) {
    for (unsigned w = 0; 32 * w < n; w++)
        words[w] = pack_word(bytes + 32 * w);
}

/* --------------------------------------------------------------- operations */

#define CONVERSION(NAME, FROM, TO)                                             \
    static inline C_##TO winnow__do_##NAME(C_##FROM a) {                       \
        return (C_##TO)a;                                                      \
    }
WINNOW__HOST_CONVERSIONS(CONVERSION)
#undef CONVERSION

/* Read value i. */
#define READ_INT8(FROM, I) (FROM)[I]
#define READ_UINT8(FROM, I) (FROM)[I]
#define READ_INT16(FROM, I) (FROM)[I]
#define READ_UINT16(FROM, I) (FROM)[I]
#define READ_INT32(FROM, I) (FROM)[I]
#define READ_UINT32(FROM, I) (FROM)[I]
#define READ_INT64(FROM, I) (FROM)[I]
#define READ_UINT64(FROM, I) (FROM)[I]
#define READ_FLOAT32(FROM, I) (FROM)[I]
#define READ_FLOAT64(FROM, I) (FROM)[I]
#define READ_BOOL(FROM, I) ((FROM)[(I) / 32] >> (I) % 32 & 1)

#define LOOP(NAME)                                                             \
    static void loop_##NAME(void *to, const void *a, const void *b,            \
                            unsigned constants, uint8_t *nulls, unsigned n)

#define UNARY_LOOP(NAME, A, RESULT, ...)                                       \
    LOOP(NAME) {                                                               \
        const C_##A *restrict const in = a;                                    \
        C_##RESULT *restrict const out = to;                                   \
        (void)b, (void)constants, (void)nulls;                                 \
        __VA_ARGS__                                                            \
        for (unsigned i = 0; i < n; i++)                                       \
            out[i] = winnow__do_##NAME(READ_##A(in, i));                       \
    }
#define UNARY(NAME, A, RESULT) UNARY_LOOP(NAME, A, RESULT)
#define UNARY_NULL(NAME, A, RESULT)                                            \
    UNARY_LOOP(NAME, A, RESULT,                                                \
               for (unsigned i = 0; i < n; i++) nulls[i] |=                    \
               winnow__null_##NAME(in[i]);)
WINNOW__UNARY_OPERATIONS(UNARY)
WINNOW__UNARY_NULL_OPERATIONS(UNARY_NULL)
WINNOW__HOST_CONVERSIONS(UNARY)
WINNOW__HOST_UNARY_OPERATIONS(UNARY)

/* ALL: the loop over X and Y, one of which may be a constant. */
#define BINARY_LOOP(NAME, A, B, OUT, ALL)                                      \
    LOOP(NAME) {                                                               \
        const C_##A *restrict const left = a;                                  \
        const C_##B *restrict const right = b;                                 \
        OUT *restrict const out = to;                                          \
        (void)nulls;                                                           \
        if (constants == WINNOW__LOOP_A_CONSTANT) {                            \
            const C_##A x = *left;                                             \
            ALL(NAME, x, (right + first)[i])                                   \
        } else if (constants == WINNOW__LOOP_B_CONSTANT) {                     \
            const C_##B y = *right;                                            \
            ALL(NAME, (left + first)[i], y)                                    \
        } else {                                                               \
            ALL(NAME, (left + first)[i], (right + first)[i])                   \
        }                                                                      \
    }
#define EACH(...)                                                              \
    const unsigned first = 0;                                                  \
    for (unsigned i = 0; i < n; i++)                                           \
        __VA_ARGS__;
#define PLAIN(NAME, X, Y) EACH(out[i] = winnow__do_##NAME(X, Y))
#define WITH_NULL(NAME, X, Y)                                                  \
    EACH(out[i] = winnow__do_##NAME(X, Y),                                     \
         nulls[i] |= winnow__null_##NAME(X, Y))
#define BINARY(NAME, A, B, RESULT) BINARY_LOOP(NAME, A, B, C_##RESULT, PLAIN)
#define BINARY_NULL(NAME, A, B, RESULT)                                        \
    BINARY_LOOP(NAME, A, B, C_##RESULT, WITH_NULL)
WINNOW__BINARY_OPERATIONS(BINARY)
WINNOW__BINARY_NULL_OPERATIONS(BINARY_NULL)
WINNOW__HOST_BINARY_OPERATIONS(BINARY)

/* Compare some items at a time into bytes: a loop of a constant length is
 * vectorized. */
#define COMPARE_ALL(NAME, X, Y)                                                \
    for (unsigned first = 0; first < n; first += SOME) {                       \
        const unsigned some = n - first < SOME ? n - first : SOME;             \
        uint8_t bytes[SOME];                                                   \
        if (some < SOME) /* pack() needs whole words of 0 and 1 */             \
            memset(bytes, 0, sizeof bytes);                                    \
        for (unsigned i = 0; i < some; i++)                                    \
            bytes[i] = winnow__do_##NAME(X, Y);                                \
        pack(bytes, some, out + first / 32);                                   \
    }
enum {
    SOME = 256 /* whole words */
};
#define COMPARISON(NAME, A, B, RESULT)                                         \
    BINARY_LOOP(NAME, A, B, uint32_t, COMPARE_ALL)
WINNOW__COMPARISONS(COMPARISON)
WINNOW__HOST_COMPARISONS(COMPARISON)

#define QUOTIENT(NAME, A, B, RESULT)                                           \
    LOOP(NAME) {                                                               \
        const C_##A *restrict const in = a;                                    \
        C_##RESULT *restrict const out = to;                                   \
        uint64_t by[3];                                                        \
        (void)constants, (void)nulls;                                          \
        memcpy(by, b, sizeof by);                                              \
        for (unsigned i = 0; i < n; i++)                                       \
            out[i] = winnow__do_##NAME(in[i], by);                             \
    }
WINNOW__QUOTIENTS(QUOTIENT)

#define LOAD_ENTRY(NAME, C, RESULT)                                            \
    [WINNOW__##NAME] = sizeof(C) == 1   ? gather_8                             \
                       : sizeof(C) == 2 ? gather_16                            \
                       : sizeof(C) == 4 ? gather_32                            \
                                        : gather_64,
#define ENTRY(NAME, ...) [WINNOW__##NAME] = loop_##NAME,
#define HOST_ENTRY(NAME, ...) [WINNOW__HOST_##NAME] = loop_##NAME,
const winnow__value_loops LOOPS = {
    .load = {WINNOW__LOADS(LOAD_ENTRY) ENTRY(LOAD_FLOAT16) ENTRY(LOAD_BFLOAT16)
                 ENTRY(LOAD_INT128) ENTRY(LOAD_UPPER)[WINNOW__LOAD_LOWER] =
                     gather_64},
    .operation = {WINNOW__UNARY_OPERATIONS(ENTRY) WINNOW__UNARY_NULL_OPERATIONS(
        ENTRY) WINNOW__BINARY_OPERATIONS(ENTRY) WINNOW__COMPARISONS(ENTRY)
                      WINNOW__BINARY_NULL_OPERATIONS(ENTRY)
                          WINNOW__HOST_CONVERSIONS(HOST_ENTRY)
                              WINNOW__HOST_UNARY_OPERATIONS(HOST_ENTRY)
                                  WINNOW__HOST_BINARY_OPERATIONS(HOST_ENTRY)
                                      WINNOW__HOST_COMPARISONS(HOST_ENTRY)
                                          WINNOW__QUOTIENTS(ENTRY)},
    .pack = pack,
};
