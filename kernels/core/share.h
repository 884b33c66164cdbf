/*
 * Equal shares of items, in order. Plain C, the same on the host and in
 * kernels.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#include "both.h"

/* The number of items before a rank's share. A rank has total / ranks items,
 * and one more if it is less than total % ranks. */
WINNOW__BOTH uint64_t winnow__share(uint64_t total, unsigned int ranks,
                                    unsigned int rank) {
    const uint64_t each = total / ranks, more = total % ranks;
    return each * rank + (rank < more ? rank : more);
}

/* Convert a place to a distance from `begin`, clamped to 0 to end - begin. */
WINNOW__BOTH uint64_t winnow__within(uint64_t place, uint64_t begin,
                                     uint64_t end) {
    return place < begin ? 0 : (place < end ? place : end) - begin;
}
