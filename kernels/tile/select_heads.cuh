/*
 * Heads: a selector of the first item of each run of equal items. Such an item,
 * a head, differs in some bit from the item before it.
 *
 * A vector is compared with itself, shifted up by one item; the item before the
 * vector is shifted in. Small elements are compared in words, as in
 * kernels/core/predicate.cuh.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/predicate.cuh"

namespace winnow::tile {

template <class U_>
class Heads {
  public:
    using U = U_;
    /* The item before a vector; a small one is at the top of a word. */
    using Before = std::conditional_t<sizeof(U) == 8, U, uint32_t>;

    __device__ __forceinline__ explicit Heads(const winnow__args &) {
    }

    __device__ __forceinline__ static Before widen(U item) {
        return static_cast<Before>(item) << 8 * (sizeof(Before) - sizeof(U));
    }

    /* The last item of a vector; for a small one, its whole word. */
    __device__ __forceinline__ static Before last_of(const uint4 &v) {
        if constexpr (sizeof(U) == 8)
            return item<U>(v, 1);
        else
            return v.w;
    }

    /* Bit i of the result is set if item i is a head. */
    __device__ __forceinline__ uint32_t operator()(Before before,
                                                   const uint4 &v) const {
        uint32_t keep = 0;
        if constexpr (sizeof(U) < 4) {
            const uint32_t words[5] = {before, v.x, v.y, v.z, v.w};
#pragma unroll
            for (int i = 4; i >= 1; i--)
                keep = __funnelshift_l(
                    gather_tops<U>(differing_tops(
                        words[i], __funnelshift_l(words[i - 1], words[i],
                                                  8 * sizeof(U)))),
                    keep, 4 / sizeof(U));
        } else {
#pragma unroll
            for (unsigned int i = 0; i < VECTOR_ITEMS<U>; i++)
                if (item<U>(v, i) != (i == 0 ? before : item<U>(v, i - 1)))
                    keep |= 1u << i;
        }
        return keep;
    }

  private:
    /* Sets the top bit of every element that differs; other bits are 0. */
    __device__ __forceinline__ static uint32_t differing_tops(uint32_t a,
                                                              uint32_t b) {
        constexpr uint32_t TOPS = sizeof(U) == 1 ? 0x80808080u : 0x80008000u;
        const uint32_t x = a ^ b;
        return (((x & ~TOPS) + ~TOPS) | x) & TOPS;
    }
};

} // namespace winnow::tile

namespace winnow {

template <class U>
constexpr bool LOOKS_BEFORE<tile::Heads<U>> = true;

} // namespace winnow
