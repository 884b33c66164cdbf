/*
 * An array of any alignment as aligned vectors of 16 bytes. Only this file
 * knows about an array's head and tail.
 *
 * Vector 0 has the first element. A vector at an end may have bytes that are
 * not the array's. They are never read, since they may not be accessible.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ptx.cuh"

namespace winnow {

/* Elements in one 16-byte vector. */
template <class U>
constexpr unsigned int VECTOR_ITEMS = 16 / sizeof(U);

/* A bit for each of them. */
template <class U>
constexpr uint32_t ALL_ITEMS = (1u << VECTOR_ITEMS<U>)-1;

/* One element of a vector; the index is a constant after unrolling. */
template <class U>
__device__ __forceinline__ U item(const uint4 &v, unsigned int i) {
    const uint32_t words[4] = {v.x, v.y, v.z, v.w};
    if constexpr (sizeof(U) == 8)
        return static_cast<U>(words[2 * i + 1]) << 32 | words[2 * i];
    else
        return static_cast<U>(words[i * sizeof(U) / 4] >>
                              8 * (i * sizeof(U) % 4));
}

/* An element of 16 bytes is the whole vector. */
template <>
__device__ __forceinline__ uint4 item<uint4>(const uint4 &v, unsigned int) {
    return v;
}

/*
 * `number` elements of an array. The items of all vectors are numbered from the
 * beginning of vector 0: element i is item head + i. Index: an unsigned type,
 * of 32 bits if there are few elements.
 */
template <class U, class Index = uint64_t>
struct Vectors {
    static constexpr unsigned int EACH = VECTOR_ITEMS<U>;

    const uint4 *vectors;
    Index head;       /* items of vector 0 before the first element */
    Index begin, end; /* the items that may be read: from head on, or from 0 */

    /* `continues`: the array has a vector of items, or more, before `first`. */
    __device__ __forceinline__ Vectors(const void *first, Index number,
                                       bool continues = false) {
        const uintptr_t address = reinterpret_cast<uintptr_t>(first);
        vectors = reinterpret_cast<const uint4 *>(address & ~uintptr_t(15));
        head = static_cast<Index>(address % 16 / sizeof(U));
        begin = continues ? 0 : head;
        end = head + number;
    }

    /* Element number `element`. */
    __device__ __forceinline__ const U &operator[](Index element) const {
        return reinterpret_cast<const U *>(vectors)[head + element];
    }

    /* May all items of `number` vectors from v on be read? */
    __device__ __forceinline__ bool are_whole(Index v, Index number) const {
        return begin <= v * EACH && (v + number) * EACH <= end;
    }

    __device__ __forceinline__ bool is_whole(Index v) const {
        return are_whole(v, 1);
    }

    /* The items of a vector that may be read, as bits. */
    __device__ __forceinline__ uint32_t inside(Index v) const {
        const Index first = v * EACH, next = first + EACH;
        if (next <= begin || first >= end)
            return 0;
        uint32_t mask = ALL_ITEMS<U>;
        if (first < begin)
            mask &= ALL_ITEMS<U> << (begin - first);
        if (next > end)
            mask &= ALL_ITEMS<U> >> (next - end);
        return mask;
    }

    /* Load a vector. Items that may not be read are 0. */
    __device__ __forceinline__ uint4 load(Index v) const {
        return is_whole(v) ? __ldcs(vectors + v) : load_items(v, inside(v));
    }

    /*
     * Load NUMBER vectors, STRIDE apart, which may reach across an end. Items
     * that may not be read are 0. Whole vectors are loaded first, so that their
     * loads overlap.
     */
    template <unsigned int STRIDE, unsigned int NUMBER>
    __device__ __forceinline__ void load_edge(Index first,
                                              uint4 (&vector)[NUMBER]) const {
#pragma unroll
        for (unsigned int k = 0; k < NUMBER; k++) {
            vector[k] = make_uint4(0, 0, 0, 0);
            if (inside(first + k * STRIDE) == ALL_ITEMS<U>)
                vector[k] = __ldcs(vectors + first + k * STRIDE);
        }
        if constexpr (EACH != 1)
            load_ends<STRIDE>(first, vector);
    }

    /* Load these items of a vector; the others are 0. Words across an end are
     * loaded item by item, all others as words. All loads overlap. */
    __device__ __forceinline__ uint4 load_items(Index v, uint32_t mask) const {
        constexpr unsigned int PIECES = sizeof(U) < 4 ? 4 / sizeof(U) : 1;
        constexpr uint32_t WHOLE = (1u << PIECES) - 1;
        const uint32_t *const words =
            reinterpret_cast<const uint32_t *>(vectors + v);
        uint32_t word[4];
#pragma unroll
        for (unsigned int i = 0; i < 4; i++) {
            const uint32_t here = mask >> (i * 4 / sizeof(U)) & WHOLE;
            word[i] = 0;
            if (here == WHOLE) {
                word[i] = __ldcs(words + i);
            } else if (PIECES != 1) {
                const U *const items = reinterpret_cast<const U *>(words + i);
#pragma unroll
                for (unsigned int j = 0; j < PIECES; j++)
                    if (here >> j & 1)
                        word[i] |= static_cast<uint32_t>(__ldcs(items + j))
                                   << 8 * sizeof(U) * j;
            }
        }
        return make_uint4(word[0], word[1], word[2], word[3]);
    }

    /* The whole vectors are first_whole() to end_whole() - 1. */
    __device__ __forceinline__ Index first_whole() const {
        return begin != 0;
    }

    __device__ __forceinline__ Index end_whole() const {
        return end / EACH;
    }

    /* Call visit(i) for each element i that is not in a whole vector, with a
     * thread for each. There are fewer than two vectors of them. */
    template <class Visit>
    __device__ __forceinline__ void visit_ends(unsigned int thread,
                                               Visit visit) const {
        const Index low = min(first_whole() * EACH, end);
        const Index high = max(max(low, end_whole() * EACH), head);
        const Index i = begin + thread;
        const Index item = i < low ? i : high + (i - low);
        if (item < end)
            visit(item - head);
    }

  private:
    /* Load the vectors across an end. An array has at most two, so the loop is
     * not unrolled. */
    template <unsigned int STRIDE, unsigned int NUMBER>
    __device__ __forceinline__ void load_ends(Index first,
                                              uint4 (&vector)[NUMBER]) const {
#pragma unroll 1
        for (unsigned int k = 0; k < NUMBER; k++) {
            const uint32_t mask = inside(first + k * STRIDE);
            if (mask == 0 || mask == ALL_ITEMS<U>)
                continue;
            const uint4 end_vector = load_items(first + k * STRIDE, mask);
#pragma unroll
            for (unsigned int j = 0; j < NUMBER; j++)
                if (j == k)
                    vector[j] = end_vector;
        }
    }
};

} // namespace winnow
