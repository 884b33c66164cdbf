/*
 * The loops have no branch on the data: a survivor's place is the number of
 * survivors before it, and every element is written there, to be overwritten
 * by the next one if it did not pass. That writes one place too many, so they
 * pack into a small buffer in the first-level cache, which is then copied.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host_select.h"

#include <string.h>

/* Elements per turn of the buffer: 16 KiB of the widest type. */
enum {
    BLOCK = 2048
};

#define DEFINE_LOOPS(BITS)                                                     \
    static inline int passes_##BITS(winnow__test test, uint##BITS##_t x) {     \
        const uint##BITS##_t sign = (uint##BITS##_t)(-(x >> (BITS - 1)));      \
        const uint##BITS##_t key =                                             \
            (uint##BITS##_t)(x ^ (sign & (uint##BITS##_t)test.flip));          \
        const uint##BITS##_t away = (uint##BITS##_t)(                          \
            (key & (uint##BITS##_t)test.mask) - (uint##BITS##_t)test.low);     \
        return away <= (uint##BITS##_t)test.span;                              \
    }                                                                          \
                                                                               \
    static uint64_t count_##BITS(winnow__test test, const void *in_bytes,      \
                                 uint64_t n) {                                 \
        const uint##BITS##_t *in = in_bytes;                                   \
        uint64_t count = 0;                                                    \
        for (uint64_t i = 0; i < n; i++)                                       \
            count += (uint64_t)passes_##BITS(test, in[i]);                     \
        return count;                                                          \
    }                                                                          \
                                                                               \
    static uint64_t pack_##BITS(winnow__test test, const void *in_bytes,       \
                                uint64_t n, void *out_bytes, uint64_t room) {  \
        const uint##BITS##_t *in = in_bytes;                                   \
        uint##BITS##_t *const start = out_bytes, *out = start;                 \
        uint##BITS##_t buffer[BLOCK];                                          \
        while (n != 0 && room != 0) {                                          \
            const uint64_t length = n < BLOCK ? n : BLOCK;                     \
            uint64_t kept = 0;                                                 \
            for (uint64_t i = 0; i < length; i++) {                            \
                buffer[kept] = in[i];                                          \
                kept += (uint64_t)passes_##BITS(test, in[i]);                  \
            }                                                                  \
            if (kept > room)                                                   \
                kept = room;                                                   \
            memcpy(out, buffer, kept * sizeof *out);                           \
            in += length;                                                      \
            n -= length;                                                       \
            out += kept;                                                       \
            room -= kept;                                                      \
        }                                                                      \
        return (uint64_t)(out - start);                                        \
    }

DEFINE_LOOPS(8)
DEFINE_LOOPS(16)
DEFINE_LOOPS(32)
DEFINE_LOOPS(64)

static const struct {
    uint64_t (*count)(winnow__test, const void *, uint64_t);
    uint64_t (*pack)(winnow__test, const void *, uint64_t, void *, uint64_t);
} loops[WINNOW__SIZES] = {
    {count_8, pack_8},
    {count_16, pack_16},
    {count_32, pack_32},
    {count_64, pack_64},
};

uint64_t winnow__host_count(const winnow_predicate *predicate, const void *in,
                            uint64_t n) {
    return loops[predicate->type->log2_size].count(predicate->test, in, n);
}

uint64_t winnow__host_pack(const winnow_predicate *predicate, const void *in,
                           uint64_t n, void *out, uint64_t room) {
    return loops[predicate->type->log2_size].pack(predicate->test, in, n, out,
                                                  room);
}
