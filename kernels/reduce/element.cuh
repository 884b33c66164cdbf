/*
 * The elements of a reduction: how each is ranked (args.h), and what it adds
 * to a sum. Integers are one class for each size, signed or not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_REDUCE_ELEMENT_CUH
#define WINNOW_KERNELS_REDUCE_ELEMENT_CUH

#include "args.h"
#include "kernels/core/predicate.cuh"

#include <type_traits>

namespace winnow {

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

/* Is the maximum the one end that a call wants? */
template <int ENDS>
__device__ __forceinline__ bool is_maximum(const winnow__reduce_args &args) {
    return ENDS == 1 && (args.wanted & WINNOW_REDUCE_MINIMUM) == 0;
}

/* Which items of an array a predicate keeps, of any kind. */
template <class U>
__device__ __forceinline__ Predicate<U, ANY>
any_predicate(const winnow__reduce_args &args) {
    return Predicate<U, ANY>(args.test);
}

/* The rank that the least of is wanted: of end 0, or of end 1. */
template <class E>
__device__ __forceinline__ typename E::U
rank_from(const winnow__reduce_order &order, int end, typename E::U x) {
    using U = typename E::U;
    const U rank = E::rank(x, static_cast<U>(order.bias));
    return end == 0 ? rank : static_cast<U>(static_cast<U>(order.last) - rank);
}

} // namespace winnow

#endif
