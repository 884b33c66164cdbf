/*
 * The basis of hashes of the caller's data. Plain C, the same on the host and
 * on a device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "both.h"

#include <stdint.h>

/* The exclusive or of both halves of a product. The key is random and secret.
 * So nobody can choose two x that have the same result, or results with a known
 * difference. With a known key this would be possible. */
WINNOW__BOTH uint64_t winnow__hash_fold(uint64_t x, uint64_t key) {
#ifdef __CUDA_ARCH__
    return x * key ^ __umul64hi(x, key);
#else
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)x * key;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#endif
}
