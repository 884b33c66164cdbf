/*
 * What hashes over what a caller gives are made of: plain C, the same on the host
 * and on a device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "both.h"

#include <stdint.h>

/* Both halves of a product, one over the other. Where nobody knows the key, drawn
 * of all numbers, nobody can choose two x with the same result, nor with results
 * whose difference is known: a shifted product of a known factor has those. */
WINNOW__BOTH uint64_t winnow__hash_fold(uint64_t x, uint64_t key) {
#ifdef __CUDA_ARCH__
    return x * key ^ __umul64hi(x, key);
#else
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)x * key;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#endif
}
