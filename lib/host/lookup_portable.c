/*
 * Looks elements up, on any CPU.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lookup.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t bit_of(const uint32_t *table, uint64_t i) {
    return table[i >> 5] >> (i & 31) & 1;
}

/* The table has a bit for every pattern. */
#define DEFINE_NARROW(BITS)                                                    \
    INLINE uint32_t word_bits_##BITS(const winnow__lookup *lookup,             \
                                     const uint##BITS##_t *from,               \
                                     uint32_t wanted) {                        \
        uint32_t word = 0;                                                     \
        (void)wanted;                                                          \
        for (unsigned i = 0; i < 32; i++)                                      \
            word |= bit_of(lookup->table, from[i]) << i;                       \
        return word;                                                           \
    }
DEFINE_NARROW(8)
DEFINE_NARROW(16)

#define DEFINE_WIDE(BITS)                                                      \
    INLINE uint32_t word_bits_##BITS(const winnow__lookup *lookup,             \
                                     const uint##BITS##_t *from,               \
                                     uint32_t wanted) {                        \
        const uint##BITS##_t mask = (uint##BITS##_t)lookup->mask;              \
        const uint##BITS##_t low = (uint##BITS##_t)lookup->low;                \
        const uint##BITS##_t span = (uint##BITS##_t)lookup->span;              \
        uint32_t word = 0;                                                     \
        (void)wanted;                                                          \
        for (unsigned i = 0; i < 32; i++) {                                    \
            const uint##BITS##_t d = (from[i] & mask) - low;                   \
            const uint##BITS##_t inside = d <= span;                           \
            const uint##BITS##_t all = (uint##BITS##_t)0 - inside;             \
            word |= (bit_of(lookup->table, d & all) & (uint32_t)inside) << i;  \
        }                                                                      \
        return word;                                                           \
    }                                                                          \
                                                                               \
    INLINE uint32_t word_slots_##BITS(const winnow__lookup *lookup,            \
                                      const uint##BITS##_t *from,              \
                                      uint32_t wanted) {                       \
        const uint##BITS##_t *const table = lookup->table;                     \
        const uint##BITS##_t mask = (uint##BITS##_t)lookup->mask;              \
        uint32_t word = 0;                                                     \
        (void)wanted;                                                          \
        for (unsigned i = 0; i < 32; i++) {                                    \
            const uint##BITS##_t v = from[i] & mask;                           \
            word |= (uint32_t)(table[winnow__slot_of_##BITS(lookup, v)] == v)  \
                    << i;                                                      \
        }                                                                      \
        return word;                                                           \
    }                                                                          \
                                                                               \
    INLINE uint32_t in_bucket_##BITS(const uint##BITS##_t *bucket,             \
                                     uint##BITS##_t v) {                       \
        uint##BITS##_t found = 0;                                              \
        for (unsigned i = 0; i < WINNOW__BUCKET_BYTES / sizeof v; i++)         \
            found |= bucket[i] == v;                                           \
        return (uint32_t)found;                                                \
    }
DEFINE_WIDE(32)
DEFINE_WIDE(64)

#include "lookup_sizes.h"

const winnow__look_ups winnow__look_ups_portable = WINNOW__LOOK_UPS;
