/*
 * Selectors: which items of a tile pass? The selector Compare is a normalised
 * test (args.h), for every predicate. There is a kernel for each kind of test
 * and each element size. If the test takes little of a kernel's time, there is
 * only one, for ANY kind, which does the work of all kinds.
 *
 * Elements of 4 and 8 bytes are tested one by one. Elements of 1 or 2 bytes are
 * tested four or two at a time in a register. At the memory's bandwidth there
 * is time for about seven instructions per byte. Tests of single bytes need
 * more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"
#include "vectors.cuh"

#include <type_traits>

namespace winnow {

/* Not a kind of test of its own: any of them. */
constexpr winnow__test_kind ANY = WINNOW__TEST_KINDS;

template <winnow__test_kind KIND>
constexpr bool HAS_KEY = KIND == WINNOW__KEYED || KIND == ANY;
template <winnow__test_kind KIND>
constexpr bool HAS_MASK = KIND == WINNOW__BITS || KIND == ANY;

/* The lowest bits and the top bits of the small elements of a word. */
template <class U>
constexpr uint32_t ONES = sizeof(U) == 1 ? 0x01010101 : 0x00010001;
template <class U>
constexpr uint32_t TOPS = ONES<U> << (8 * sizeof(U) - 1);

/* A word of copies of an element. */
template <class U>
__device__ __forceinline__ uint32_t spread(uint64_t element) {
    return static_cast<U>(element) * ONES<U>;
}

/* Move the top bits of a word's small elements to the word's upper end. */
template <class U>
__device__ __forceinline__ uint32_t gather_tops(uint32_t tops) {
    static_assert(sizeof(U) <= 2, "a word holds several elements");
    return tops * (sizeof(U) == 1 ? 0x00204081u : 0x00008001u);
}

/* The reverse: bit i becomes the top bit of the word's element i. */
template <class U>
__device__ __forceinline__ uint32_t spread_to_tops(uint32_t bits) {
    static_assert(sizeof(U) <= 2, "a word holds several elements");
    return sizeof(U) == 1 ? (bits & 0xf) * 0x10204080u & 0x80808080u
                          : (bits & 0x3) * 0x40008000u & 0x80008000u;
}

/* Add the elements of two words. Each sum wraps around. */
template <class U>
__device__ __forceinline__ uint32_t add_packed(uint32_t x, uint32_t y) {
    return ((x & ~TOPS<U>)+(y & ~TOPS<U>)) ^ ((x ^ y) & TOPS<U>);
}

/* Set all bits of each element to its top bit. */
template <class U>
__device__ __forceinline__ uint32_t copies_of_tops(uint32_t word) {
    return permute(word, 0, sizeof(U) == 1 ? 0xba98 : 0xbb99);
}

/* Does a selector also look at the item before an item? Then it gets a vector
 * and the item before the vector (kernels/tile/select_heads.cuh). */
template <class Select>
constexpr bool LOOKS_BEFORE = false;

/* U: the unsigned integer of the element's size. */
template <class U, winnow__test_kind KIND>
class Predicate {
  public:
    __host__
        __device__ __forceinline__ explicit Predicate(const winnow__test &test)
        : flip_(static_cast<U>(test.flip)), mask_(static_cast<U>(test.mask)),
          low_(static_cast<U>(test.low)), span_(static_cast<U>(test.span)) {
    }

    __host__ __device__ __forceinline__ bool operator()(U x) const {
        if constexpr (HAS_KEY<KIND> && sizeof(U) > 1) { /* no byte needs it */
            using Signed = std::make_signed_t<U>;
            const U sign =
                static_cast<U>(static_cast<Signed>(x) >> (8 * sizeof(U) - 1));
            x = static_cast<U>(x ^ (sign & flip_));
        }
        if constexpr (HAS_MASK<KIND>)
            x = static_cast<U>(x & mask_);
        return static_cast<U>(x - low_) <= span_;
    }

  private:
    U flip_, mask_, low_, span_;
};

/* Tests a vector; bit i of the result is set if item i passes. */
template <class U, winnow__test_kind KIND>
class VectorPredicate {
  public:
    __device__
        __forceinline__ explicit VectorPredicate(const winnow__test &test)
        : passes_(test) {
    }

    __device__ __forceinline__ uint32_t operator()(const uint4 &v) const {
        uint32_t keep = 0;
#pragma unroll
        for (unsigned int i = 0; i < VECTOR_ITEMS<U>; i++)
            if (passes_(item<U>(v, i)))
                keep |= 1u << i;
        return keep;
    }

  private:
    Predicate<U, KIND> passes_;
};

/*
 * Tests elements that are packed in words. Sums omit each element's top bit, so
 * that no carry leaves an element. The top bit of a sum is the exclusive or of
 * both top bits and the carry into them; the carry out is their majority. x -
 * low is computed as x + (2^width - low). Then 2^width - 1 - span is added.
 * This addition carries if x - low > span, so the test fails.
 */
template <class U, winnow__test_kind KIND>
class PackedPredicate {
    static_assert(sizeof(U) <= 2, "a word holds several elements");
    static constexpr uint32_t ONES = winnow::ONES<U>, TOPS = winnow::TOPS<U>;

  public:
    __device__
        __forceinline__ explicit PackedPredicate(const winnow__test &test)
        : flip_(spread<U>(test.flip)), mask_(spread<U>(test.mask)),
          minus_low_(spread<U>(-test.low)), beyond_(spread<U>(~test.span)) {
    }

    __device__ __forceinline__ uint32_t operator()(const uint4 &v) const {
        const uint32_t words[4] = {v.x, v.y, v.z, v.w};
        uint32_t keep = 0;
#pragma unroll
        for (int i = 3; i >= 0; i--)
            keep = __funnelshift_l(gather_tops<U>(passing_tops(words[i])), keep,
                                   4 / sizeof(U));
        return keep;
    }

    /* Sets the top bit of every element that passes; all other bits are 0. */
    __device__ __forceinline__ uint32_t passing_tops(uint32_t x) const {
        return ~failing_tops(x) & TOPS;
    }

    /* The same for elements that fail; bits below the top bits have no
     * meaning. */
    __device__ __forceinline__ uint32_t failing_tops(uint32_t x) const {
        if constexpr (HAS_KEY<KIND> && sizeof(U) > 1) {
            /* A keyed test's flip is all bits but the sign. */
            const uint32_t flip =
                ((x & TOPS) >> (8 * sizeof(U) - 1)) * (TOPS / ONES - 1);
            x ^= KIND == ANY ? flip & flip_ : flip;
        }
        if constexpr (HAS_MASK<KIND>)
            x &= mask_;
        const uint32_t sum = (x & ~TOPS) + (minus_low_ & ~TOPS);
        const uint32_t top =
            sum ^ x ^ minus_low_; /* at TOPS: of the difference */
        const uint32_t over = (sum & ~TOPS) + (beyond_ & ~TOPS);
        return (top & beyond_) | (top & over) | (beyond_ & over);
    }

  private:
    uint32_t flip_, mask_, minus_low_, beyond_;
};

template <winnow__test_kind KIND>
class VectorPredicate<uint8_t, KIND> : public PackedPredicate<uint8_t, KIND> {
    using PackedPredicate<uint8_t, KIND>::PackedPredicate;
};

template <winnow__test_kind KIND>
class VectorPredicate<uint16_t, KIND> : public PackedPredicate<uint16_t, KIND> {
    using PackedPredicate<uint16_t, KIND>::PackedPredicate;
};

/* Both forms of the test: of one item, and of a vector. */
template <class U_, winnow__test_kind KIND_>
class Compare {
  public:
    using U = U_;
    static constexpr winnow__test_kind KIND = KIND_;

    __device__ __forceinline__ bool operator()(U x) const {
        return item_(x);
    }

    __device__ __forceinline__ uint32_t operator()(const uint4 &v) const {
        return vector_(v);
    }

  private:
    template <class Select>
    friend __device__ Select selector_of(const winnow__args &args);

    __device__ __forceinline__ explicit Compare(const winnow__args &args)
        : item_(args.test), vector_(args.test) {
    }

    Predicate<U, KIND> item_;
    VectorPredicate<U, KIND> vector_;
};

/* The selector of a call. All kernels get it from this function. */
template <class Select>
__device__ __forceinline__ Select selector_of(const winnow__args &args) {
    return Select(args);
}

/* Call visit(constant); the type of `constant` has the kind of the test as its
 * `value`. KEYS: may the test need a key? */
template <class U, bool KEYS, class Visit>
__device__ __forceinline__ void visit_kind_of(const winnow__test &test,
                                              Visit visit) {
    using Kind = winnow__test_kind;
    if constexpr (KEYS && sizeof(U) > 1) {
        if (static_cast<U>(test.flip) != 0) {
            visit(std::integral_constant<Kind, WINNOW__KEYED>());
            return;
        }
    }
    if (static_cast<U>(~test.mask) != 0)
        visit(std::integral_constant<Kind, WINNOW__BITS>());
    else
        visit(std::integral_constant<Kind, WINNOW__INTERVAL>());
}

/*
 * Call visit(selector) with a selector for the kind of the test. In a kernel
 * for ANY kind, a branch that all threads take the same way costs less than the
 * work of all kinds for many items.
 */
template <class Select, class Visit>
__device__ __forceinline__ void visit_kind(const winnow__args &args,
                                           Visit visit) {
    using U = typename Select::U;
    if constexpr (Select::KIND != ANY)
        visit(selector_of<Select>(args));
    else
        visit_kind_of<U, true>(args.test, [&](auto kind) {
            visit(selector_of<Compare<U, decltype(kind)::value>>(args));
        });
}

} // namespace winnow
