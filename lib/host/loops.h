/*
 * The inner loops of the host backend, for elements of every size and every
 * kind of test. There is one set of loops for each instruction set.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "lookup.h"

/* Unroll the next loop, which has a small constant number of steps: shifts
 * become constant, and there is no counter. clang does so without a pragma. */
#if defined(__GNUC__) && !defined(__clang__)
#define WINNOW__UNROLL _Pragma("GCC unroll 16")
#else
#define WINNOW__UNROLL
#endif

/* The bytes after the survivors that pack() and index() may overwrite. */
enum {
    WINNOW__HOST_SLACK = 64
};

/* How many of in[0 .. n) pass. The loop may prefetch `ahead` bytes further on,
 * which may also belong to the input. */
typedef uint64_t winnow__host_count(const winnow__test *test, const void *in,
                                    uint64_t n, size_t ahead);
/* Pack the elements of in[0 .. n) that pass into out, in order, and return
 * their number. out does not overlap in. */
typedef uint64_t winnow__host_pack(const winnow__test *test, const void *in,
                                   uint64_t n, size_t ahead, void *out);

/* Pack the indices of the elements that pass, of 4 or 8 bytes each, in order,
 * and return their number. `first` is the index of in[0]. */
typedef uint64_t winnow__host_index(const winnow__test *test, const void *in,
                                    uint64_t n, size_t ahead, uint64_t first,
                                    void *out);

/* Set bit i if in[i] passes, else leave it, for in[0 .. n). `bits` has the
 * whole words that hold n bits, rounded up to two. */
typedef void winnow__host_bits(const winnow__test *test, const void *in,
                               uint64_t n, size_t ahead, uint32_t *words);

/* How many bits of words[0 .. n) are set; n is even. */
typedef unsigned winnow__host_ones(const uint32_t *words, unsigned n);

/* Pack the elements of in[0 .. n) whose bits are set in words, in order, and
 * return their number. The words are whole pairs; a bit that is set after the
 * last element's packs any value at the end. in needs no alignment. out is
 * aligned, does not overlap in, and has room for n elements, rounded up to a
 * multiple of 64. */
typedef uint64_t winnow__host_pack_words(const uint32_t *words, const void *in,
                                         uint64_t n, size_t ahead, void *out);

/* The same for the indices of set bits. `first` is the index of the first bit. */
typedef uint64_t winnow__host_index_words(const uint32_t *words, uint64_t n,
                                          uint64_t first, void *out);

/* Copy whole lines of 64 bytes past the caches. `to` is aligned to a line. */
typedef void winnow__host_stream_loop(void *to, const void *from, size_t bytes);
/* Loops of instructions that all CPUs have. */
winnow__host_stream_loop winnow__host_stream_lines;

/* The instruction sets for which there are loops. */
typedef enum winnow__host_isa {
    WINNOW__HOST_PORTABLE,
    WINNOW__HOST_AVX2,
    WINNOW__HOST_AVX512,
    WINNOW__HOST_ISAS
} winnow__host_isa;

enum {
    WINNOW__HOST_INDEX_SIZES = 2 /* 4 and 8 bytes */
};

typedef struct winnow__host_loops {
    const char *name;
    winnow__host_isa isa;
    bool (*usable)(void); /* does this CPU have it? */
    winnow__host_count *count[WINNOW__SIZES][WINNOW__TEST_KINDS];
    winnow__host_pack *pack[WINNOW__SIZES][WINNOW__TEST_KINDS];
    winnow__host_index
        *index[WINNOW__HOST_INDEX_SIZES][WINNOW__SIZES][WINNOW__TEST_KINDS];
    winnow__host_bits *bits[WINNOW__SIZES][WINNOW__TEST_KINDS];
    const winnow__look_ups *look_up;
    winnow__host_ones *ones;
    winnow__host_pack_words *pack_words[WINNOW__SIZES];
    winnow__host_index_words *index_words[WINNOW__HOST_INDEX_SIZES];
    winnow__host_stream_loop *stream_lines;
} winnow__host_loops;

extern const winnow__host_loops winnow__host_portable;
extern const winnow__host_loops winnow__host_avx2;
extern const winnow__host_loops winnow__host_avx512;

/* The fastest loops for this CPU, or those that WINNOW_HOST_ISA names. */
winnow_status winnow__host_loops_choose(const winnow__host_loops **loops_p);

/* The tables of `loops`, filled with functions of the including file. */
#define WINNOW__HOST_TABLE(NAME)                                               \
    {                                                                          \
        {NAME##_8_interval, NAME##_8_keyed, NAME##_8_bits},                    \
            {NAME##_16_interval, NAME##_16_keyed, NAME##_16_bits},             \
            {NAME##_32_interval, NAME##_32_keyed, NAME##_32_bits}, {           \
            NAME##_64_interval, NAME##_64_keyed, NAME##_64_bits                \
        }                                                                      \
    }

#define WINNOW__HOST_TABLES                                                    \
    .usable = usable, .ones = ones, .count = WINNOW__HOST_TABLE(count),        \
    .pack = WINNOW__HOST_TABLE(pack), .bits = WINNOW__HOST_TABLE(bits),        \
    .index = {WINNOW__HOST_TABLE(index32), WINNOW__HOST_TABLE(index64)},       \
    .pack_words = {pack_words_8, pack_words_16, pack_words_32, pack_words_64}, \
    .index_words = {index_words_32, index_words_64}

/* Make the tables' functions from count_BITS(), pack_BITS(), bits_BITS(),
 * index32_BITS() and index64_BITS(), which are inline and take the kind of test
 * as a constant. */
#define WINNOW__HOST_DEFINE_KIND(BITS, SUFFIX, KIND)                           \
    static uint64_t count_##BITS##_##SUFFIX(                                   \
        const winnow__test *test, const void *in, uint64_t n, size_t ahead) {  \
        return count_##BITS(KIND, test, in, n, ahead);                         \
    }                                                                          \
    static uint64_t pack_##BITS##_##SUFFIX(const winnow__test *test,           \
                                           const void *in, uint64_t n,         \
                                           size_t ahead, void *out) {          \
        return pack_##BITS(KIND, test, in, n, ahead, out);                     \
    }                                                                          \
    static void bits_##BITS##_##SUFFIX(const winnow__test *test,               \
                                       const void *in, uint64_t n,             \
                                       size_t ahead, uint32_t *words) {        \
        bits_##BITS(KIND, test, in, n, ahead, words);                          \
    }                                                                          \
    static uint64_t index32_##BITS##_##SUFFIX(                                 \
        const winnow__test *test, const void *in, uint64_t n, size_t ahead,    \
        uint64_t first, void *out) {                                           \
        return index32_##BITS(KIND, test, in, n, ahead, first, out);           \
    }                                                                          \
    static uint64_t index64_##BITS##_##SUFFIX(                                 \
        const winnow__test *test, const void *in, uint64_t n, size_t ahead,    \
        uint64_t first, void *out) {                                           \
        return index64_##BITS(KIND, test, in, n, ahead, first, out);           \
    }
#define WINNOW__HOST_DEFINE_KINDS(BITS)                                        \
    WINNOW__HOST_DEFINE_KIND(BITS, interval, WINNOW__INTERVAL)                 \
    WINNOW__HOST_DEFINE_KIND(BITS, keyed, WINNOW__KEYED)                       \
    WINNOW__HOST_DEFINE_KIND(BITS, bits, WINNOW__BITS)
