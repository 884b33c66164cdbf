/*
 * An index of a dictionary, of any alignment.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_STRING_INDEX_CUH
#define WINNOW_KERNELS_STRING_INDEX_CUH

#include "kernels/core/kernel.cuh"

#include <cstdint>

namespace winnow::string {

/* Below 0 it is above all others. */
__device__ __forceinline__ uint64_t load_index(const unsigned char *from,
                                               unsigned int log2_size,
                                               bool is_signed) {
    const unsigned int size = 1u << log2_size;
    uint64_t index = 0;
    if (reinterpret_cast<uintptr_t>(from) % size != 0)
        for (unsigned int i = 0; i < size; i++)
            index |= static_cast<uint64_t>(from[i]) << 8 * i;
    else if (size == 1)
        index = *from;
    else if (size == 2)
        index = *reinterpret_cast<const uint16_t *>(from);
    else if (size == 4)
        index = *reinterpret_cast<const uint32_t *>(from);
    else
        index = *reinterpret_cast<const uint64_t *>(from);
    const uint64_t sign = uint64_t(1) << (8 * size - 1);
    return is_signed && (index & sign) != 0 ? ~uint64_t(0) : index;
}

} // namespace winnow::string

#endif
