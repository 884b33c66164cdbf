/*
 * A thread's totals of a tile of elements of 1 or 2 bytes. A word has four or
 * two elements, and takes a few instructions, as many as element by element
 * takes for each. Only floats are added to sums one by one.
 *
 * Sums of integers are dot products with ones. The minimum of bytes is found by
 * instructions on pairs of 16 bits, whose upper bytes decide whatever the lower
 * bytes are. So the odd bytes of a word are compared in place, and the even
 * ones after a shift by 8 bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "element.cuh"

namespace winnow::reduce {

/* The lowest rank of the elements of some words. */
template <class U>
class PackedLeast {
    static constexpr bool BYTES = sizeof(U) == 1;

  public:
    __device__ __forceinline__ void clear() {
        odd_ = even_ = UINT32_MAX;
    }

    __device__ __forceinline__ void add(uint32_t word) {
        odd_ = __vminu2(odd_, word);
        if constexpr (BYTES)
            even_ = __vminu2(even_, word << 8);
    }

    __device__ __forceinline__ uint32_t least() const {
        const uint32_t all = BYTES ? __vminu2(odd_, even_) : odd_;
        return min(all & 0xffff, all >> 16) >> (BYTES ? 8 : 0);
    }

  private:
    uint32_t odd_, even_; /* even_ is for bytes only */
};

/* The ranks of a word's elements (args.h), and those from the other end. */
template <class E, int ENDS>
class PackedRanks {
    using U = typename E::U;

  public:
    __device__
        __forceinline__ explicit PackedRanks(const winnow__reduce_args &args)
        : bias_(spread<U>(E::IS_FLOAT ? -args.type.order.bias
                                      : args.type.order.bias)),
          flip_(is_maximum<ENDS>(args) ? UINT32_MAX : 0),
          more_(ENDS == 2 || is_maximum<ENDS>(args)
                    ? spread<U>(args.type.order.last + 1)
                    : 0) {
    }

    __device__ __forceinline__ uint32_t operator()(uint32_t word) const {
        if constexpr (E::IS_FLOAT)
            return add_packed<U>(word ^ (copies_of_tops<U>(word) & 0x7fff7fff),
                                 bias_);
        else
            return word ^ bias_;
    }

    /* The ranks for the first or the second end that is wanted. */
    __device__ __forceinline__ uint32_t from_end(int end,
                                                 uint32_t ranks) const {
        if (ENDS == 2 && end == 0)
            return ranks;
        const uint32_t flipped = ranks ^ (ENDS == 2 ? UINT32_MAX : flip_);
        return E::IS_FLOAT ? add_packed<U>(flipped, more_) : flipped;
    }

  private:
    const uint32_t bias_, flip_, more_;
};

/* ENDS: as in ElementTile. */
template <class E, bool SUM, int ENDS>
class PackedTile {
    using U = typename E::U;
    static_assert(sizeof(U) <= 2, "a word holds several elements");
    static constexpr unsigned int EACH = 4 / sizeof(U);
    static constexpr int RANKS = ENDS != 0 ? ENDS : 1;

  public:
    template <winnow__test_kind KIND>
    using Test = PackedPredicate<U, KIND>;

    __device__
        __forceinline__ explicit PackedTile(const winnow__reduce_args &args)
        : ranks_of_(args) {
    }

    __device__ __forceinline__ void begin() {
        count_ = WINNOW__REDUCE_STRIPES * VECTOR_ITEMS<U>;
        sum_ = 0;
#pragma unroll
        for (int e = 0; e < RANKS; e++)
            least_[e].clear();
    }

    /* Adds a vector; the bits of `inside` say which items are in the part. */
    template <class Passes>
    __device__ __forceinline__ void add(const uint4 &vector, uint32_t inside,
                                        const Passes &passes,
                                        ThreadSum<E> &sum) {
        const uint32_t words[4] = {vector.x, vector.y, vector.z, vector.w};
#pragma unroll
        for (unsigned int i = 0; i < 4; i++) {
            uint32_t tops = passes.failing_tops(words[i]);
            if (inside != ALL_ITEMS<U>)
                tops |= ~spread_to_tops<U>(inside >> i * EACH);
            add_word(words[i], copies_of_tops<U>(tops), i * EACH, sum);
        }
    }

    __device__ __forceinline__ void end(ThreadSum<E> &sum) {
        if constexpr (SUM && !E::IS_FLOAT)
            sum.low += sum_;
    }

    __device__ __forceinline__ uint32_t count() const {
        return count_;
    }

    /* Valid if the count is not 0. */
    __device__ __forceinline__ uint32_t rank(int end) const {
        return least_[end].least();
    }

  private:
    /* `failing` has ones in each element that does not pass; `first` is the
     * number of the word's first item in the vector. */
    __device__ __forceinline__ void add_word(uint32_t word, uint32_t failing,
                                             unsigned int first,
                                             ThreadSum<E> &sum) {
        const uint32_t ranks = ranks_of_(word);
        count_ = less(failing, count_);
        if constexpr (SUM && E::IS_FLOAT) {
            /* An element that does not pass adds +0. */
            sum.add(first, static_cast<U>(word & ~failing));
            sum.add(first + 1, static_cast<U>((word & ~failing) >> 16));
        } else if constexpr (SUM) {
            sum_ = sum_of(ranks & ~failing, sum_);
        }
#pragma unroll
        for (int e = 0; e < ENDS; e++)
            least_[e].add(ranks_of_.from_end(e, ranks) | failing);
    }

    __device__ __forceinline__ static uint32_t sum_of(uint32_t word,
                                                      uint32_t more) {
        return EACH == 4 ? __dp4a(word, 0x01010101u, more)
                         : __dp2a_lo(word, 0x00000101u, more);
    }

    /* As signed integers, elements that do not pass are -1, others 0. */
    __device__ __forceinline__ static uint32_t less(uint32_t failing,
                                                    uint32_t count) {
        const int x = static_cast<int>(failing), y = static_cast<int>(count);
        return static_cast<uint32_t>(EACH == 4 ? __dp4a(x, 0x01010101, y)
                                               : __dp2a_lo(x, 0x00000101, y));
    }

    const PackedRanks<E, ENDS> ranks_of_;
    uint32_t count_; /* the thread's elements of a tile that pass */
    uint32_t sum_;   /* of integers; a tile's sum fits in 32 bits */
    PackedLeast<U> least_[RANKS];
};

} // namespace winnow::reduce
