/*
 * partition_by_key: the type of a column's elements, which are moved as
 * unsigned integers of their size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/kernel.cuh"

namespace winnow::partition {

template <class T>
struct Element {
    using Type = T;
};

/* Call visit(Element<T>()), where T has `bytes` bytes: 1, 2, 4, 8 or 16. */
template <class Visit>
__device__ __forceinline__ void visit_width(uint64_t bytes, Visit visit) {
    switch (bytes) {
    case 1:
        visit(Element<uint8_t>());
        break;
    case 2:
        visit(Element<uint16_t>());
        break;
    case 4:
        visit(Element<uint32_t>());
        break;
    case 8:
        visit(Element<uint64_t>());
        break;
    default:
        visit(Element<uint4>());
    }
}

} // namespace winnow::partition
