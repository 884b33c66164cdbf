/*
 * partition_by_key and partition_blocks: the elements of an output.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"
#include "width.cuh"

namespace winnow::partition {

/* The element that fills gaps. */
template <class T>
__device__ __forceinline__ T fill_of(const winnow__partition_target &move) {
    if constexpr (sizeof(T) == 16)
        return make_uint4(uint32_t(move.fill[0]), uint32_t(move.fill[0] >> 32),
                          uint32_t(move.fill[1]), uint32_t(move.fill[1] >> 32));
    else
        return static_cast<T>(move.fill[0]);
}

template <class T>
__device__ __forceinline__ T element_of(const winnow__partition_target &move,
                                        uint64_t item) {
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8)
        if (move.in == nullptr)
            return static_cast<T>(item);
    return static_cast<const T *>(move.in)[item];
}

} // namespace winnow::partition
