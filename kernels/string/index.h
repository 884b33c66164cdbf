/*
 * An index of a dictionary, of any alignment: plain C, included by both sides.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_STRING_INDEX_H
#define WINNOW_KERNELS_STRING_INDEX_H

#include "kernels/core/both.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Load an index. A negative one becomes a number far beyond the last value. */
WINNOW__BOTH uint64_t winnow__load_index(const unsigned char *from,
                                         unsigned int log2_size,
                                         bool is_signed) {
    const unsigned int size = 1u << log2_size, unused = 64 - 8 * size;
    uint64_t index = 0;
#ifdef __cplusplus /* in a kernel, an aligned load is one instruction */
    if ((uintptr_t)from % size != 0)
        for (unsigned int i = 0; i < size; i++)
            index |= (uint64_t)from[i] << 8 * i;
    else if (size == 1)
        index = *from;
    else if (size == 2)
        index = *(const uint16_t *)from;
    else if (size == 4)
        index = *(const uint32_t *)from;
    else
        index = *(const uint64_t *)from;
#else
    memcpy(&index, from, size); /* little-endian */
#endif
    return is_signed ? (uint64_t)((int64_t)(index << unused) >> unused) : index;
}

#endif
