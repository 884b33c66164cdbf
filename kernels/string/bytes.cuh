/*
 * Reads the bytes of a string as words, at any place. If a word contains bytes
 * that may not be read, its other bytes are loaded one by one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_STRING_BYTES_CUH
#define WINNOW_KERNELS_STRING_BYTES_CUH

#include "args.h"

#include "kernels/core/warp.cuh"

#include <cstdint>

namespace winnow::string {

/* A mask of the first bytes of a word. */
__device__ __forceinline__ uint32_t first_bytes(uint64_t bytes) {
    return bytes >= 4 ? ~0u : (1u << 8 * static_cast<unsigned int>(bytes)) - 1;
}

/* Swap bytes, so that words compare in the order of their bytes. */
__device__ __forceinline__ uint32_t swap_bytes(uint32_t x) {
    return __byte_perm(x, 0, 0x0123);
}

/* A string, and the range of bytes that may be read around it. */
struct Bytes {
    const unsigned char *begin;
    uint64_t bytes;
    const unsigned char *low, *high;

    __device__ __forceinline__ uint32_t
    aligned_word(const unsigned char *at) const {
        if (at >= low && at + 4 <= high)
            return *reinterpret_cast<const uint32_t *>(at);
        uint32_t word = 0;
#pragma unroll
        for (unsigned int i = 0; i < 4; i++)
            if (at + i >= low && at + i < high)
                word |= static_cast<uint32_t>(at[i]) << 8 * i;
        return word;
    }
};

/* Reads four bytes at a time, from a byte of the string on. Bytes that may not
 * be read are 0; other bytes behind the string are unspecified. */
class Reader {
  public:
    __device__ __forceinline__ Reader(const Bytes &s, uint64_t from)
        : s_(s), shift_(8 * (reinterpret_cast<uintptr_t>(s.begin + from) % 4)),
          at_(reinterpret_cast<const unsigned char *>(
              reinterpret_cast<uintptr_t>(s.begin + from) & ~uintptr_t(3))),
          word_(s.aligned_word(at_)) {
    }

    /* The caller uses the first `wanted` bytes: the next word is loaded only if
     * they are in it. */
    __device__ __forceinline__ uint32_t next(uint64_t wanted = 4) {
        const uint32_t low = word_;
        at_ += 4;
        word_ = wanted > 4 - shift_ / 8 ? s_.aligned_word(at_) : 0;
        return shift_ == 0 ? low : __funnelshift_r(low, word_, shift_);
    }

  private:
    const Bytes &s_;
    unsigned int shift_;
    const unsigned char *at_;
    uint32_t word_;
};

__device__ __forceinline__ Bytes
load_string(const winnow__string_column &column, uint64_t i) {
    const winnow__string s = winnow__string_at(&column, i);
    Bytes made{s.begin, s.bytes, s.begin, s.begin + s.bytes};
    /* Neighbours' bytes may be read, too, so few words are loaded by bytes. */
    if (column.layout != WINNOW__STRING_VIEWS) {
        made.low = static_cast<const unsigned char *>(column.data);
        made.high = made.low + column.size;
    }
    return made;
}

/* ------------------------------------------------------------- comparisons */

__device__ __forceinline__ const uint32_t *
words_of(const unsigned char *block, const winnow__pattern_text *text) {
    return reinterpret_cast<const uint32_t *>(block +
                                              uint64_t(8) * text->place);
}

/* Does the string have these bytes at i? It has that many bytes from i on. */
__device__ __forceinline__ bool is_at(const Bytes &s, uint64_t i,
                                      const uint32_t *text, uint64_t bytes) {
    if (bytes == 0)
        return true;
    Reader reader(s, i);
    for (;; text++, bytes -= 4) {
        const uint32_t differ = reader.next(bytes) ^ *text;
        if ((differ & first_bytes(bytes)) != 0)
            return false;
        if (bytes <= 4)
            return true;
    }
}

/* Less than 0, 0, or greater than 0: a is less than b, equal, or greater. */
__device__ __forceinline__ int order(const Bytes &a, const Bytes &b) {
    uint64_t left = a.bytes < b.bytes ? a.bytes : b.bytes;
    if (left != 0) {
        Reader read_a(a, 0), read_b(b, 0);
        for (;; left -= 4) {
            const uint32_t mask = first_bytes(left);
            const uint32_t word_a = swap_bytes(read_a.next(left) & mask);
            const uint32_t word_b = swap_bytes(read_b.next(left) & mask);
            if (word_a != word_b)
                return word_a < word_b ? -1 : 1;
            if (left <= 4)
                break;
        }
    }
    return a.bytes < b.bytes ? -1 : a.bytes > b.bytes;
}

__device__ __forceinline__ uint64_t hash(const Bytes &s,
                                         const uint64_t (&seed)[2]) {
    uint64_t hash = winnow__string_hash_begin(seed, s.bytes);
    if (s.bytes != 0) {
        Reader reader(s, 0);
        for (uint64_t left = s.bytes;;) {
            uint64_t word = reader.next(left) & first_bytes(left);
            if (left > 4)
                word |= static_cast<uint64_t>(reader.next(left - 4) &
                                              first_bytes(left - 4))
                        << 32;
            hash = winnow__string_hash_word(seed, hash, word);
            if (left <= 8)
                break;
            left -= 8;
        }
    }
    return hash;
}

/* ----------------------------------------------------------------- finding */

/* The macros by which two_way.h and like.h read a string. */
#define WINNOW__LIKE_FUNCTION __device__ inline
#define WINNOW__LIKE_STRING const Bytes &
#define WINNOW__LIKE_BYTE(s, i) (s).begin[i]
#define WINNOW__LIKE_NONE (~uint64_t(0))
#include "two_way.h"

constexpr uint64_t NONE = WINNOW__LIKE_NONE;

/* Find a text in linear time, after too many failed comparisons. Not inlined,
 * to save the callers registers; a template, for several files. */
template <class Word>
__device__ __noinline__ uint64_t find_in_time(const Bytes &s, uint64_t i,
                                              uint64_t end, const Word *text,
                                              uint64_t bytes) {
    return winnow__two_way(
        s, i, end, reinterpret_cast<const unsigned char *>(text), bytes);
}

/* Does the text, of at least 1 byte, begin at byte j of the eight bytes at `at`
 * of the string? `last` is the last place where it fits. The bytes of a failed
 * comparison are subtracted from the patience. */
__device__ __forceinline__ bool
begins(const Bytes &s, uint64_t at, unsigned int j, uint32_t low, uint32_t high,
       const uint32_t *text, uint64_t bytes, uint64_t last, int64_t &patience) {
    const uint32_t word = j == 0 ? low : __funnelshift_r(low, high, 8 * j);
    if (((word ^ *text) & first_bytes(bytes)) != 0 || at + j > last)
        return false;
    if (bytes <= 4 || is_at(s, at + j + 4, text + 1, bytes - 4))
        return true;
    patience -= static_cast<int64_t>(bytes);
    return false;
}

/* Where the text first begins, from i on and ending by `end`, or NONE. */
__device__ __forceinline__ uint64_t find(const Bytes &s, uint64_t i,
                                         uint64_t end, const uint32_t *text,
                                         uint64_t bytes) {
    if (end < i || end - i < bytes)
        return NONE;
    const uint64_t last = end - bytes;
    Reader reader(s, i);
    uint32_t low = reader.next(end - i);
    int64_t patience = WINNOW__FIND_PATIENCE;
    for (;;) {
        const uint32_t high = end - i > 4 ? reader.next(end - i - 4) : 0;
#pragma unroll
        for (unsigned int j = 0; j < 4; j++)
            if (begins(s, i, j, low, high, text, bytes, last, patience))
                return i + j;
        i += 4;
        if (i > last)
            return NONE;
        if (patience < 0)
            return find_in_time(s, i, end, text, bytes);
        patience += 4 * WINNOW__FIND_WORTH;
        low = high;
    }
}

/* The same, by all lanes of a warp together, for one string. */
__device__ __forceinline__ uint64_t find_together(const Bytes &s, uint64_t i,
                                                  uint64_t end,
                                                  const uint32_t *text,
                                                  uint64_t bytes) {
    if (end < i || end - i < bytes)
        return NONE;
    const uint64_t last = end - bytes;
    int64_t patience = WINNOW__FIND_PATIENCE; /* of this lane */
    for (; i <= last; i += 4 * WARP) {
        const uint64_t mine = i + 4 * lane_id();
        unsigned int place = 4;
        if (mine <= last) {
            Reader reader(s, mine);
            const uint32_t low = reader.next(end - mine);
            const uint32_t high =
                end - mine > 4 ? reader.next(end - mine - 4) : 0;
#pragma unroll
            for (unsigned int j = 4; j-- > 0;)
                if (begins(s, mine, j, low, high, text, bytes, last, patience))
                    place = j;
        }
        const uint32_t found = __ballot_sync(ALL_LANES, place != 4);
        if (found != 0) {
            const unsigned int lane = __ffs(static_cast<int>(found)) - 1;
            return i + 4 * lane + __shfl_sync(ALL_LANES, place, lane);
        }
        /* Then all lanes compute the same in linear time. */
        if (__any_sync(ALL_LANES, patience < 0))
            return find_in_time(s, i + 4 * WARP, end, text, bytes);
        patience += 4 * WINNOW__FIND_WORTH;
    }
    return NONE;
}

} // namespace winnow::string

#endif
