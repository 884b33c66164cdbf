/*
 * The elements of a reduction: the rank of an element (args.h), what it adds to
 * a sum, and a thread's totals of a tile, element by element. packed.cuh has
 * tiles of elements of 1 and 2 bytes. Signed and unsigned integers of a size
 * are one class.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"
#include "kernels/core/predicate.cuh"

namespace winnow::reduce {

template <class U_>
struct Integer {
    using U = U_;
    static constexpr bool IS_FLOAT = false;

    __device__ __forceinline__ static U rank(U x, U bias) {
        return static_cast<U>(x ^ bias);
    }
};

template <class U_>
struct Float {
    using U = U_;
    static constexpr bool IS_FLOAT = true;

    __device__ __forceinline__ static U rank(U x, U bias) {
        constexpr U SIGN = static_cast<U>(U(1) << (8 * sizeof(U) - 1));
        using Signed = std::make_signed_t<U>;
        const U sign =
            static_cast<U>(static_cast<Signed>(x) >> (8 * sizeof(U) - 1));
        return static_cast<U>((x ^ (sign & static_cast<U>(~SIGN))) - bias);
    }
};

struct Float16 : Float<uint16_t> {
    __device__ __forceinline__ static double value(uint16_t x) {
        return half_to_float(x);
    }
};

struct Bfloat16 : Float<uint16_t> {
    __device__ __forceinline__ static double value(uint16_t x) {
        return __uint_as_float(static_cast<uint32_t>(x) << 16);
    }
};

struct Float32 : Float<uint32_t> {
    __device__ __forceinline__ static double value(uint32_t x) {
        return __uint_as_float(x);
    }
};

struct Float64 : Float<uint64_t> {
    __device__ __forceinline__ static double value(uint64_t x) {
        return __longlong_as_double(static_cast<long long>(x));
    }
};

/* Does the call want one end, the maximum? */
template <int ENDS>
__device__ __forceinline__ bool is_maximum(const winnow__reduce_args &args) {
    return ENDS == 1 && (args.wanted & WINNOW_REDUCE_MINIMUM) == 0;
}

/* The rank of x (end 0), or its rank from the other end (end 1). */
template <class E>
__device__ __forceinline__ typename E::U
rank_from(const winnow__reduce_order &order, int end, typename E::U x) {
    using U = typename E::U;
    const U rank = E::rank(x, static_cast<U>(order.bias));
    return end == 0 ? rank : static_cast<U>(static_cast<U>(order.last) - rank);
}

/*
 * A thread's sum over all its tiles. Floats have a sum for each item of a
 * vector. Integers have one sum of 128 bits; elements of at most 4 bytes need
 * only the lower 64.
 */
template <class E>
struct ThreadSum {
    using U = typename E::U;
    static constexpr unsigned int EACH = VECTOR_ITEMS<U>;

    double of_item[E::IS_FLOAT ? EACH : 1] = {};
    uint64_t low = 0, high = 0;

    /* Adds item i of a vector: a float, or the rank of an integer. */
    __device__ __forceinline__ void add(unsigned int i, U x) {
        if constexpr (E::IS_FLOAT) {
            of_item[i] += E::value(x);
        } else {
            low += x;
            if constexpr (sizeof(U) == 8)
                high += low < x;
        }
    }
};

/* ENDS is 0, 1 (the minimum or the maximum, as the call wants), or 2 (both). */
template <class E, bool SUM, int ENDS>
class ElementTile {
    using U = typename E::U;
    static_assert(sizeof(U) >= 4, "smaller ones are packed in words");
    static constexpr int RANKS = ENDS != 0 ? ENDS : 1;

  public:
    template <winnow__test_kind KIND>
    using Test = Predicate<U, KIND>;

    __device__
        __forceinline__ explicit ElementTile(const winnow__reduce_args &args)
        : bias_(static_cast<U>(args.type.order.bias)),
          last_(static_cast<U>(args.type.order.last)),
          is_maximum_(is_maximum<ENDS>(args)) {
    }

    __device__ __forceinline__ void begin() {
        count_ = 0;
#pragma unroll
        for (int e = 0; e < RANKS; e++)
            rank_[e] = ~U(0);
    }

    /* Adds a vector; the bits of `inside` say which items are in the part. */
    template <class Passes>
    __device__ __forceinline__ void add(const uint4 &vector, uint32_t inside,
                                        const Passes &passes,
                                        ThreadSum<E> &sum) {
#pragma unroll
        for (unsigned int i = 0; i < VECTOR_ITEMS<U>; i++) {
            const U x = item<U>(vector, i);
            add_item(i, x, (inside >> i & 1) != 0 && passes(x), sum);
        }
    }

    __device__ __forceinline__ void end(ThreadSum<E> &) {
    }

    __device__ __forceinline__ uint32_t count() const {
        return count_;
    }

    /* Valid if the count is not 0. */
    __device__ __forceinline__ U rank(int end) const {
        return rank_[end];
    }

  private:
    __device__ __forceinline__ void add_item(unsigned int i, U x, bool passes,
                                             ThreadSum<E> &sum) {
        const U rank = E::rank(x, bias_);
        count_ += passes;
        if constexpr (SUM)
            sum.add(i, passes ? (E::IS_FLOAT ? x : rank) : U(0));
        if constexpr (ENDS == 1)
            lower(0, is_maximum_ ? last_ - rank : rank, passes);
        if constexpr (ENDS == 2) {
            lower(0, rank, passes);
            lower(1, last_ - rank, passes);
        }
    }

    /* A NaN's rank is above last_. So is its rank from the other end, since
     * last_ - rank wraps around. */
    __device__ __forceinline__ void lower(int e, U rank, bool passes) {
        if (passes)
            rank_[e] = min(rank_[e], rank);
    }

    const U bias_;
    const U last_;
    const bool is_maximum_;
    uint32_t count_;
    U rank_[RANKS];
};

} // namespace winnow::reduce
