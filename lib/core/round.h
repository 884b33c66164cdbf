/*
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CORE_ROUND_H
#define WINNOW_LIB_CORE_ROUND_H

#include <stdint.h>

/* Up to a multiple. */
static inline uint64_t winnow__round_up(uint64_t x, uint64_t multiple) {
    return (x + multiple - 1) / multiple * multiple;
}

#endif
