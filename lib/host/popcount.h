/*
 * ones(), on CPUs that count bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

static unsigned ones(const uint32_t *words, unsigned n) {
    unsigned set = 0;
    for (unsigned i = 0; i < n; i += 2) {
        uint64_t two;
        memcpy(&two, words + i, sizeof two);
        set += (unsigned)_mm_popcnt_u64(two);
    }
    return set;
}
