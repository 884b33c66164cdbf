/*
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

/* Round up to a multiple. */
static inline uint64_t winnow__round_up(uint64_t x, uint64_t multiple) {
    return (x + multiple - 1) / multiple * multiple;
}

/* Divide and round up: tiles of items, blocks of tiles. */
static inline uint64_t winnow__divide_up(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}
