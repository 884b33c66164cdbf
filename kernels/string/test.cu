/*
 * Tests strings; the results are words of bits. Kernels that read the words are
 * launched after this one in the stream, which is the release and the acquire.
 *
 * A thread has one string in each of several rows; its neighbours have the next
 * strings, so a warp reads contiguous offsets and bytes. Length and first bytes
 * decide most strings (heads.cuh); look.cuh tests the rest.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heads.cuh"
#include "key.cuh"

namespace winnow::string {

/* ------------------------------------------------------------- one text */

/* The rows whose strings have the text, or the first bytes of a longer text. */
template <winnow__string_kernel KERNEL, bool WIDE>
__device__ __forceinline__ uint32_t has_text(const Question &question,
                                             const Heads<KERNEL, WIDE> &heads) {
    const Two mask(first_of_8(question.bytes));
    uint32_t equal = 0;
#pragma unroll
    for (unsigned int r = 0; r < Heads<KERNEL, WIDE>::ROWS; r++) {
        const Two a = heads.first[r], b = heads.second[r];
        uint32_t differ = ((a.low ^ question.first.low) & mask.low) |
                          ((a.high ^ question.first.high) & mask.high);
        if constexpr (WIDE)
            differ |=
                (b.low ^ question.last.low) | (b.high ^ question.last.high);
        equal |= static_cast<uint32_t>(differ == 0) << r;
    }
    return equal & heads.asked;
}

/* Replace the bytes behind the end of a string by zeros. */
template <winnow__string_kernel KERNEL, bool WIDE>
__device__ __forceinline__ void cut(Heads<KERNEL, WIDE> &heads) {
#pragma unroll
    for (unsigned int r = 0; r < Heads<KERNEL, WIDE>::ROWS; r++) {
        const uint32_t bytes = heads.bytes[r];
        heads.first[r] = heads.first[r].number() & first_of_8(bytes);
        if constexpr (WIDE)
            heads.second[r] = heads.second[r].number() &
                              first_of_8(bytes < 8 ? 0 : bytes - 8);
    }
}

/* Swap bytes, so that numbers compare in the order of their bytes. */
__device__ __forceinline__ uint64_t swap_two(Two x) {
    return static_cast<uint64_t>(swap_bytes(x.low)) << 32 | swap_bytes(x.high);
}

/* The rows whose strings are less than the text. Both are padded with zeros, so
 * the shorter one is less; if the padded bytes are equal, lengths decide. */
template <winnow__string_kernel KERNEL, bool WIDE>
__device__ __forceinline__ uint32_t is_less(const Question &question,
                                            bool or_equal,
                                            Heads<KERNEL, WIDE> &heads) {
    constexpr uint32_t MOST = Heads<KERNEL, WIDE>::MOST;
    const uint64_t text = swap_two(question.first);
    const uint64_t more = swap_two(question.second);
    cut(heads);
    uint32_t less = 0, equal = 0;
#pragma unroll
    for (unsigned int r = 0; r < Heads<KERNEL, WIDE>::ROWS; r++) {
        const uint32_t bytes = heads.bytes[r];
        const uint64_t x = swap_two(heads.first[r]);
        const uint64_t y = WIDE ? swap_two(heads.second[r]) : more;
        const bool is_equal = (x == text) & (y == more);
        const bool is_short = bytes < question.bytes + or_equal;
        less |= static_cast<uint32_t>((x < text) | ((x == text) & (y < more)) |
                                      (is_equal & is_short))
                << r;
        equal |= static_cast<uint32_t>(is_equal & (bytes > MOST)) << r;
    }
    if (question.bytes > MOST) {
        heads.left |= equal & heads.asked;
        less &= ~equal;
    }
    return less & heads.asked;
}

/* ---------------------------------------------------------------- lists */

/* The rows whose strings are in a list of a few texts: compares all. */
template <winnow__string_kernel KERNEL, bool WIDE>
__device__ __forceinline__ uint32_t is_among(const winnow__pattern *pattern,
                                             const Heads<KERNEL, WIDE> &heads) {
    const unsigned char *const block =
        reinterpret_cast<const unsigned char *>(pattern);
    const auto *const texts =
        reinterpret_cast<const winnow__pattern_text *>(block + pattern->others);
    uint32_t found = 0;
#pragma unroll 1
    for (uint32_t t = 0; t < pattern->number; t++) {
        const winnow__pattern_text text = texts[t];
        const auto *const words = reinterpret_cast<const uint64_t *>(
            block + uint64_t(8) * text.place);
        const Two first(text.bytes > 0 ? words[0] : 0);
        const Two second(text.bytes > 8 ? words[1] : 0);
#pragma unroll
        for (unsigned int r = 0; r < Heads<KERNEL, WIDE>::ROWS; r++) {
            const Two a = heads.first[r], b = heads.second[r];
            uint32_t differ = (heads.bytes[r] ^ text.bytes) |
                              (a.low ^ first.low) | (a.high ^ first.high);
            if constexpr (WIDE)
                differ |= (b.low ^ second.low) | (b.high ^ second.high);
            if (differ == 0)
                found |= 1u << r;
        }
    }
    return found & heads.asked;
}

/* The rows whose bit is set in the list's filter. Most strings that are not in
 * the list have a bit of 0. */
template <winnow__string_kernel KERNEL, bool WIDE>
__device__ __forceinline__ uint32_t
may_be_in(const winnow__pattern *pattern, const Heads<KERNEL, WIDE> &heads) {
    constexpr unsigned int ROWS = Heads<KERNEL, WIDE>::ROWS;
    const auto *const filter = reinterpret_cast<const uint32_t *>(
        reinterpret_cast<const unsigned char *>(pattern) + pattern->filter);
    uint32_t word[ROWS], found = 0;
    uint64_t place[ROWS];
#pragma unroll
    for (unsigned int r = 0; r < ROWS; r++) {
        const uint32_t bytes = heads.bytes[r];
        const uint64_t front = heads.first[r].number() & first_of_8(bytes);
        place[r] =
            winnow__filter_place(pattern, bytes, front,
                                 bytes > 8 ? heads.second[r].number() : front);
        word[r] = 0;
        if ((heads.asked >> r & 1) != 0)
            word[r] = filter[place[r] / 32];
    }
#pragma unroll
    for (unsigned int r = 0; r < ROWS; r++)
        found |= (word[r] >> place[r] % 32 & 1) << r;
    return found;
}

/* ------------------------------------------------------------- containing */

/* For views: the rows whose strings are in their views and contain the first
 * bytes, up to 4, of the text. */
template <winnow__string_kernel KERNEL, bool WIDE>
__device__ __forceinline__ uint32_t has_key(const winnow__pattern *pattern,
                                            const Heads<KERNEL, WIDE> &heads) {
    const Key key(pattern);
    uint32_t found = 0;
#pragma unroll
    for (unsigned int r = 0; r < Heads<KERNEL, WIDE>::ROWS; r++) {
        const uint32_t word[3] = {heads.first[r].low, heads.first[r].high,
                                  heads.second[r].low};
        const uint32_t places = four_bits(key.begins(word[0], word[1])) |
                                four_bits(key.begins(word[1], word[2])) << 4 |
                                four_bits(key.begins(word[2], 0)) << 8;
        /* The number of places where the text fits; 12 stands for all. */
        const uint32_t room = min(heads.bytes[r] - key.bytes + 1, 12u);
        found |= static_cast<uint32_t>((places & ((1u << room) - 1)) != 0) << r;
    }
    return found & heads.asked;
}

/* --------------------------------------------------------------- kernels */

/* The rows that pass. Others may be left undecided. */
template <winnow__string_kernel KERNEL, bool WIDE>
__device__ __forceinline__ uint32_t decide(const winnow__pattern *pattern,
                                           const Question &question,
                                           Heads<KERNEL, WIDE> &heads) {
    if constexpr (KERNEL == WINNOW__STRING_ORDER) {
        return is_less(question, pattern->kind == WINNOW__PATTERN_LESS_EQUAL,
                       heads);
    } else if constexpr (KERNEL == WINNOW__STRING_FEW) {
        cut(heads);
        return is_among(pattern, heads);
    } else if constexpr (KERNEL == WINNOW__STRING_TABLE) {
        heads.left |= may_be_in(pattern, heads);
        return 0;
    } else {
        const uint32_t passes = question.contains ? has_key(pattern, heads)
                                                  : has_text(question, heads);
        if (KERNEL == WINNOW__STRING_MATCH
                ? question.bytes <= Heads<KERNEL, WIDE>::MOST
                : KERNEL == WINNOW__STRING_CONTAIN && pattern->text.bytes <= 4)
            return passes;
        heads.left |= passes;
        return 0;
    }
}

template <winnow__string_kernel KERNEL, bool WIDE>
__global__ void __launch_bounds__(THREADS)
    test_strings(const __grid_constant__ winnow__test_strings_args args) {
    constexpr unsigned int ROWS = Heads<KERNEL, WIDE>::ROWS;
    const uint64_t n = items_of(args);
    const uint64_t first = static_cast<uint64_t>(blockIdx.x) * args.tile;
    if (first >= n)
        return;
    const unsigned int count = static_cast<unsigned int>(
        min(static_cast<uint64_t>(args.tile), n - first));
    const winnow__pattern *const pattern = pattern_of(args);
    const Question question(pattern);
    Heads<KERNEL, WIDE> heads;
    if (args.column.layout == WINNOW__STRING_OFFSETS_32)
        load_heads<uint32_t>(question, args.column, first, count, heads);
    else if (args.column.layout == WINNOW__STRING_OFFSETS_64)
        load_heads<uint64_t>(question, args.column, first, count, heads);
    else
        load_views(question, args.column, first, count, heads);
    const uint32_t passes = decide(pattern, question, heads);
    finish<KERNEL, ROWS, true>(args, pattern, first, count, passes, true,
                               heads.left);
}

} // namespace winnow::string

#define WINNOW__STRING_ENTRY(...)                                              \
    WINNOW__ENTRY(WINNOW__STRING_THREADS, 0, 0, 0,                             \
                  winnow::string::test_strings<__VA_ARGS__>)

/* The second kernels compare more than 8 bytes, where that matters. */
extern "C" const winnow__kernel
    winnow__test_strings_kernels[WINNOW__STRING_KERNELS][2];
const winnow__kernel winnow__test_strings_kernels[WINNOW__STRING_KERNELS][2] = {
    {WINNOW__STRING_ENTRY(WINNOW__STRING_MATCH, false),
     WINNOW__STRING_ENTRY(WINNOW__STRING_MATCH, true)},
    {WINNOW__STRING_ENTRY(WINNOW__STRING_ORDER, false),
     WINNOW__STRING_ENTRY(WINNOW__STRING_ORDER, true)},
    {WINNOW__STRING_ENTRY(WINNOW__STRING_CONTAIN, false)},
    {WINNOW__STRING_ENTRY(WINNOW__STRING_LIKE, false)},
    {WINNOW__STRING_ENTRY(WINNOW__STRING_FEW, false),
     WINNOW__STRING_ENTRY(WINNOW__STRING_FEW, true)},
    {WINNOW__STRING_ENTRY(WINNOW__STRING_TABLE, true)}};
