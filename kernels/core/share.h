/*
 * Equal shares of items that stand in an order: plain C, the same on the host and
 * in kernels.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#include "both.h"

/* The number of items before a rank's share: each has total / ranks, and the
 * first total % ranks of them one more. */
WINNOW__BOTH uint64_t winnow__share(uint64_t total, unsigned int ranks,
                                    unsigned int rank) {
    const uint64_t each = total / ranks, more = total % ranks;
    return each * rank + (rank < more ? rank : more);
}

/* From `begin` on: a place among all, as one of those from begin to end. */
WINNOW__BOTH uint64_t winnow__within(uint64_t place, uint64_t begin,
                                     uint64_t end) {
    return place < begin ? 0 : (place < end ? place : end) - begin;
}
