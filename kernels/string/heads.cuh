/*
 * Loads the first 8 or 16 bytes of several strings of a thread together: these
 * and the length decide most tests. A string is left for later if a word would
 * extend beyond an end of the data, or if its offsets are wrong.
 *
 * No branches here: loads after a branch would wait for those before it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_STRING_HEADS_CUH
#define WINNOW_KERNELS_STRING_HEADS_CUH

#include "look.cuh"

namespace winnow::string {

/* 8 bytes, as two words. */
struct Two {
    uint32_t low, high;

    __device__ __forceinline__ Two(uint64_t x = 0)
        : low(static_cast<uint32_t>(x)), high(static_cast<uint32_t>(x >> 32)) {
    }

    __device__ __forceinline__ uint64_t number() const {
        return static_cast<uint64_t>(high) << 32 | low;
    }
};

/* A mask of the first bytes of 8. */
__device__ __forceinline__ uint64_t first_of_8(uint32_t bytes) {
    return bytes >= 8 ? ~uint64_t(0) : (uint64_t(1) << 8 * bytes) - 1;
}

/* The test, which is the same for all strings: does a string start or end with
 * a text that begins with these bytes? */
struct Question {
    Two first, second; /* the text's first 16 bytes */
    Two last;          /* the last 8 of its first 16 bytes */
    uint64_t lengths;  /* of the texts of a list */
    uint32_t bytes;    /* of the text */
    uint32_t least,
        span;      /* strings that pass have least to least + span bytes */
    bool ends;     /* the string ends with the text */
    bool contains; /* the text may be anywhere: no bytes are compared here */

    __device__ __forceinline__ Question(const winnow__pattern *pattern) {
        const uint64_t *const text = reinterpret_cast<const uint64_t *>(
            reinterpret_cast<const unsigned char *>(pattern) +
            uint64_t(8) * pattern->text.place);
        const uint32_t kind = pattern->kind == WINNOW__PATTERN_LIKE
                                  ? pattern->need
                                  : pattern->kind;
        contains = kind == WINNOW__PATTERN_CONTAINS;
        bytes = contains ? 0 : pattern->text.bytes;
        first = bytes > 0 ? text[0] : 0;
        second = bytes > 8 ? text[1] : 0;
        last = second;
        if (bytes > 8 && bytes < 16)
            last = first.number() >> 8 * (bytes - 8) | second.number()
                                                           << 8 * (16 - bytes);
        lengths = pattern->lengths;
        least = pattern->least;
        span = kind == WINNOW__PATTERN_EQUAL ? 0 : ~0u - least;
        ends = kind == WINNOW__PATTERN_ENDS;
    }
};

/* The first bytes of ROWS strings of a thread. */
template <winnow__string_kernel KERNEL, bool WIDE>
struct Heads {
    static constexpr unsigned int ROWS = WIDE ? 4 : 8;
    static constexpr uint32_t MOST = WIDE ? 16 : 8;
    static constexpr bool IS_LIST =
        KERNEL == WINNOW__STRING_FEW || KERNEL == WINNOW__STRING_TABLE;
    /* Are all of a string's bytes, up to MOST, compared with a text's? */
    static constexpr bool BY_LENGTH = KERNEL == WINNOW__STRING_ORDER || IS_LIST;

    /* `second` is used if WIDE. For a text: the last 8 of up to 16 bytes to
     * compare. For a table: the string's last 8. Else: the 8 after the
     * first. */
    Two first[ROWS], second[ROWS];
    uint32_t bytes[ROWS]; /* 2^32 - 1: that many, or more */
    uint32_t asked = 0;   /* rows that may pass, bytes loaded */
    uint32_t left = 0;    /* rows that may pass, bytes not loaded */

    __device__ __forceinline__ bool may_pass(const Question &question,
                                             uint32_t length) const {
        if constexpr (IS_LIST)
            return (question.lengths & winnow__string_length_bit(length)) != 0;
        return length - question.least <= question.span;
    }

    /* Put a string into row r. FEW leaves a string of more than MOST bytes. */
    __device__ __forceinline__ bool set(unsigned int r, uint32_t length,
                                        bool passes, bool here) {
        bytes[r] = length;
        const bool decides =
            here & (KERNEL != WINNOW__STRING_FEW | length <= MOST);
        asked |= static_cast<uint32_t>(passes & decides) << r;
        left |= static_cast<uint32_t>(passes & !decides) << r;
        return passes & decides;
    }
};

/* The data as words of 8 bytes, from the word of the block's first string on.
 * Offsets are relative to it. Strings between `low` and `high` are in whole
 * words. */
struct Words {
    const uint64_t *words;
    uint32_t skew, low, high;

    __device__ __forceinline__ Words(const winnow__string_column &column,
                                     uint64_t base) {
        const uintptr_t at = reinterpret_cast<uintptr_t>(column.data) + base;
        words = reinterpret_cast<const uint64_t *>(at & ~uintptr_t(7));
        skew = static_cast<uint32_t>(at % 8);
        low = skew > base ? 8 - skew : 0;
        /* There are no words if the base is behind the data. */
        const uint64_t whole =
            base > column.size ? 0 : (column.size - base + skew) / 8 * 8;
        high =
            whole < skew
                ? 0
                : static_cast<uint32_t>(min(whole - skew, uint64_t(INT32_MAX)));
        if (base > column.size)
            low = ~0u;
    }
};

/* The 8 bytes at a place; bytes from `wanted` > 0 on are unspecified. */
__device__ __forceinline__ Two load_8(const Words &data, uint32_t place,
                                      uint32_t wanted, bool loads) {
    const uint32_t at = place + data.skew, skew = at % 8;
    const uint64_t *const from = data.words + at / 8;
    uint64_t a = 0, b = 0;
    if (loads)
        a = __ldg(from);
    if (loads & (skew + wanted > 8))
        b = __ldg(from + 1);
    const Two x(a), y(b);
    const bool odd = skew >= 4;
    const uint32_t middle = odd ? y.low : x.high;
    Two made;
    made.low = __funnelshift_r(odd ? x.high : x.low, middle, 8 * skew);
    made.high = __funnelshift_r(middle, odd ? y.high : y.low, 8 * skew);
    return made;
}

/* Load a string with offsets into row r. */
template <winnow__string_kernel KERNEL, bool WIDE>
__device__ __forceinline__ void
load_head(const Question &question, const Words &data, uint32_t begin,
          uint32_t end, unsigned int r, Heads<KERNEL, WIDE> &heads) {
    const uint32_t bytes = end - begin;
    const bool here = (begin >= data.low) & (begin <= end) & (end <= data.high);
    const bool decides =
        heads.set(r, bytes, !here | heads.may_pass(question, bytes),
                  here & !question.contains);
    const uint32_t wanted =
        Heads<KERNEL, WIDE>::BY_LENGTH ? bytes : question.bytes;
    const uint32_t at = question.ends ? end - question.bytes : begin;
    heads.first[r] = load_8(data, at, min(wanted, 8u), decides & (wanted != 0));
    if constexpr (KERNEL == WINNOW__STRING_TABLE)
        heads.second[r] = load_8(data, end - 8, 8, decides & (bytes > 8));
    else if constexpr (!WIDE)
        heads.second[r] = 0;
    else if constexpr (Heads<KERNEL, WIDE>::BY_LENGTH)
        heads.second[r] =
            load_8(data, at + 8, min(wanted - 8, 8u), decides & (wanted > 8));
    else
        heads.second[r] = load_8(data, at + min(wanted, 16u) - 8, 8, decides);
}

/* Load the thread's strings of the block's `count` from `first` on. */
template <class OFFSET, winnow__string_kernel KERNEL, bool WIDE>
__device__ __forceinline__ void
load_heads(const Question &question, const winnow__string_column &column,
           uint64_t first, unsigned int count, Heads<KERNEL, WIDE> &heads) {
    constexpr unsigned int ROWS = Heads<KERNEL, WIDE>::ROWS;
    const OFFSET *const offsets =
        static_cast<const OFFSET *>(column.strings) + first;
    const OFFSET base = sizeof(OFFSET) == 4 ? 0 : __ldg(offsets);
    uint32_t begin[ROWS], end[ROWS];
#pragma unroll
    for (unsigned int r = 0; r < ROWS; r++) {
        const OFFSET *const from = offsets + threadIdx.x + r * THREADS;
        OFFSET low = base, high = base;
        if (threadIdx.x + r * THREADS < count) {
            low = __ldg(from);
            high = __ldg(from + 1);
        }
        begin[r] = static_cast<uint32_t>(low - base);
        end[r] = static_cast<uint32_t>(high - base);
        if constexpr (sizeof(OFFSET) == 8)
            if (((low - base) | (high - base)) > INT32_MAX)
                end[r] = ~0u;
    }
    const Words data(column, base);
#pragma unroll
    for (unsigned int r = 0; r < ROWS; r++)
        load_head(question, data, begin[r], end[r], r, heads);
}

/* 8 bytes from byte `from` of 12 on, padded with zeros. */
__device__ __forceinline__ Two from_12(const uint32_t (&word)[3],
                                       uint32_t from) {
    const uint32_t low = from < 4    ? word[0]
                         : from < 8  ? word[1]
                         : from < 12 ? word[2]
                                     : 0;
    const uint32_t middle = from < 4 ? word[1] : from < 8 ? word[2] : 0;
    Two made;
    made.low = __funnelshift_r(low, middle, 8 * (from % 4));
    made.high = __funnelshift_r(middle, from < 4 ? word[2] : 0, 8 * (from % 4));
    return made;
}

/* Load a view into row r. It contains up to 12 bytes. Of a longer string it
 * contains the first four; if these do not decide, the row is left. */
template <winnow__string_kernel KERNEL, bool WIDE>
__device__ __forceinline__ void
load_view(const Question &question, const winnow__string_column &column,
          const winnow__view *view, Two low, Two high, unsigned int r,
          Heads<KERNEL, WIDE> &heads) {
    constexpr bool IS_TABLE = KERNEL == WINNOW__STRING_TABLE;
    uint32_t bytes = low.low;
    const bool is_long = bytes > WINNOW__VIEW_INLINE;
    bool here = true;
    if (is_long) {
        if (winnow__string_of_view(&column, view).bytes == 0)
            bytes = 0;
        here = bytes == 0 || IS_TABLE ||
               (KERNEL != WINNOW__STRING_FEW && !question.contains &&
                !question.ends &&
                (question.bytes <= 4 || low.high != question.first.low));
    }
    const uint32_t word[3] = {low.high, is_long ? 0 : high.low,
                              is_long ? 0 : high.high};
    const uint32_t from =
        question.ends && !is_long ? bytes - question.bytes : 0;
    uint32_t second = 8;
    if (IS_TABLE)
        second = is_long ? 12 : max(bytes, 8u) - 8;
    else if (!Heads<KERNEL, WIDE>::BY_LENGTH && !question.contains)
        second = from + max(min(question.bytes, 16u), 8u) - 8;
    heads.first[r] = from_12(word, from);
    heads.second[r] = from_12(word, second);
    heads.set(r, bytes, heads.may_pass(question, bytes), here);
}

template <winnow__string_kernel KERNEL, bool WIDE>
__device__ __forceinline__ void
load_views(const Question &question, const winnow__string_column &column,
           uint64_t first, unsigned int count, Heads<KERNEL, WIDE> &heads) {
    constexpr unsigned int ROWS = Heads<KERNEL, WIDE>::ROWS;
    const winnow__view *const views =
        static_cast<const winnow__view *>(column.strings) + first + threadIdx.x;
    uint64_t low[ROWS], high[ROWS];
#pragma unroll
    for (unsigned int r = 0; r < ROWS; r++) {
        const auto *const words =
            reinterpret_cast<const uint64_t *>(views + r * THREADS);
        low[r] = high[r] = 0;
        if (threadIdx.x + r * THREADS < count) {
            low[r] = __ldg(words);
            high[r] = __ldg(words + 1);
        }
    }
#pragma unroll
    for (unsigned int r = 0; r < ROWS; r++)
        load_view(question, column, views + r * THREADS, low[r], high[r], r,
                  heads);
}

} // namespace winnow::string

#endif
