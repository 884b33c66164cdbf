/*
 * Selector: which items of a tile pass? Compare is one: a normalised test
 * (args.h), which serves every predicate. A kernel is built for each kind of it
 * and each element size; where the test is not what takes the time, for ANY
 * kind, which does the work of all.
 *
 * Elements of 4 and 8 bytes are tested one by one. Elements of 1 and 2 bytes
 * are tested four and two to a register: at the speed of memory there is time
 * for some seven instructions per byte, and a byte at a time would take more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"
#include "vectors.cuh"

#include <type_traits>

namespace winnow {

/* Not a kind of test: whichever it is. */
constexpr winnow__test_kind ANY = WINNOW__TEST_KINDS;

template <winnow__test_kind KIND>
constexpr bool HAS_KEY = KIND == WINNOW__KEYED || KIND == ANY;
template <winnow__test_kind KIND>
constexpr bool HAS_MASK = KIND == WINNOW__BITS || KIND == ANY;

/* Of a word of small elements: the lowest bit of each, and the top one. */
template <class U>
constexpr uint32_t ONES = sizeof(U) == 1 ? 0x01010101 : 0x00010001;
template <class U>
constexpr uint32_t TOPS = ONES<U> << (8 * sizeof(U) - 1);

/* An element, as often as a word has room for it. */
template <class U>
__device__ __forceinline__ uint32_t spread(uint64_t element) {
    return static_cast<U>(element) * ONES<U>;
}

/* Moves the top bits of a word's small elements together, at its upper end. */
template <class U>
__device__ __forceinline__ uint32_t gather_tops(uint32_t tops) {
    static_assert(sizeof(U) <= 2, "a word holds several elements");
    return tops * (sizeof(U) == 1 ? 0x00204081u : 0x00008001u);
}

/* The other way: of a word's small elements, each one's bit becomes its top
 * bit. */
template <class U>
__device__ __forceinline__ uint32_t spread_to_tops(uint32_t bits) {
    static_assert(sizeof(U) <= 2, "a word holds several elements");
    return sizeof(U) == 1 ? (bits & 0xf) * 0x10204080u & 0x80808080u
                          : (bits & 0x3) * 0x40008000u & 0x80008000u;
}

/* The sums of two words' elements, each of which wraps around. */
template <class U>
__device__ __forceinline__ uint32_t add_packed(uint32_t x, uint32_t y) {
    return ((x & ~TOPS<U>)+(y & ~TOPS<U>)) ^ ((x ^ y) & TOPS<U>);
}

/* Each element's bits become copies of its top one. */
template <class U>
__device__ __forceinline__ uint32_t copies_of_tops(uint32_t word) {
    return permute(word, 0, sizeof(U) == 1 ? 0xba98 : 0xbb99);
}

/* Does a selector look at an item's neighbour, too? Then it has a vector and
 * the item before it (kernels/tile/select_heads.cuh). */
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
 * Elements packed in words. Sums are made on all bits but each element's top
 * one, so that no carry leaves an element; the top bit of a sum is the
 * exclusive or of three, and the carry out of it their majority. The test
 * x - low <= span becomes: adding 2^width - low gives the difference, and
 * adding 2^width - 1 - span to that carries exactly when the test fails.
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

    /* The top bit of every element that passes; zero elsewhere. */
    __device__ __forceinline__ uint32_t passing_tops(uint32_t x) const {
        return ~failing_tops(x) & TOPS;
    }

    /* The top bit of every element that fails; anything elsewhere. */
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
            sum ^ x ^ minus_low_; /* the difference's, at TOPS */
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

/* The selector of a call: every kernel has it from here. */
template <class Select>
__device__ __forceinline__ Select selector_of(const winnow__args &args) {
    return Select(args);
}

/* Call visit(constant) with the kind of the test, as a type's `value`. KEYS:
 * may it need a key? */
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
 * Call visit(selector), with a selector of the kind that the test is. Where one
 * kernel serves any kind, a branch that all threads take alike costs less than
 * to do the work of all kinds for many items.
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
