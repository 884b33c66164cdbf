/*
 * A piece of a column of elements of 1 to 8 bytes, as aligned vectors, whatever
 * the column's alignment. Only vectors that the column fills are loaded; what
 * is left at its ends are a few items, for the threads to load one each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PACK_COLUMN_CUH
#define WINNOW_KERNELS_PACK_COLUMN_CUH

#include "kernels/core/predicate.cuh"

namespace winnow {

/*
 * ITEMS items of a column, of which it has `items`. Item i of vector v is the
 * piece's item v * EACH + i - head.
 */
template <class U, unsigned int ITEMS>
struct Piece {
    static constexpr unsigned int EACH = VECTOR_ITEMS<U>;
    static constexpr unsigned int VECTORS = ITEMS / EACH;
    static_assert(ITEMS % EACH == 0, "whole vectors");

    const U *in;          /* item 0 */
    const uint4 *vectors; /* the aligned vector that it is in */
    unsigned int head;    /* items of that vector before it */
    unsigned int items;
    bool at_start; /* nothing of the column comes before it */

    __device__ __forceinline__ Piece(const void *column, uint64_t first,
                                     unsigned int items_)
        : in(static_cast<const U *>(column) + first), items(items_),
          at_start(first == 0) {
        const uintptr_t address = reinterpret_cast<uintptr_t>(in);
        vectors = reinterpret_cast<const uint4 *>(address & ~uintptr_t(15));
        head = address % 16 / sizeof(U);
    }

    /* The piece's item that is item 0 of a vector. */
    __device__ __forceinline__ int first_item(unsigned int v) const {
        return static_cast<int>(v * EACH) - static_cast<int>(head);
    }

    /* May the vector be loaded? */
    __device__ __forceinline__ bool is_whole(unsigned int v) const {
        return (v != 0 || head == 0 || !at_start) &&
               first_item(v) + static_cast<int>(EACH) <=
                   static_cast<int>(items);
    }

    /* Are the first VECTORS vectors whole? */
    __device__ __forceinline__ bool all_whole() const {
        return is_whole(0) && is_whole(VECTORS - 1);
    }

    /*
     * What no whole vector holds are the items [0, low) and [high, items),
     * fewer than two vectors'. visit(i) is called for each, by a thread each.
     */
    template <class Visit>
    __device__ __forceinline__ void visit_ends(unsigned int thread,
                                               Visit visit) const {
        const unsigned int ahead = at_start && head != 0 ? EACH - head : 0;
        const unsigned int low = min(ahead, items);
        const unsigned int end = (items + head) / EACH * EACH;
        const unsigned int high = max(low, end > head ? end - head : 0);
        const unsigned int i = thread < low ? thread : high + (thread - low);
        if (i < items)
            visit(i);
    }
};

} // namespace winnow

#endif
