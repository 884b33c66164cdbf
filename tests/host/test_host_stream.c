/*
 * Stores past the caches: from which size on, and that they copy. Copies that
 * stay in them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#include "host/task.h"
#include "suite.h"

#define MIB (UINT64_C(1) << 20)

Test(host_stream, from_which_size_on) {
    static const struct {
        uint64_t cache;
        unsigned cpus;
        uint64_t bytes;
    } cases[] = {
        {0, 1, 32 * MIB},          {0, 64, 32 * MIB},
        {8 * MIB, 1, 8 * MIB},     {32 * MIB, 2, 32 * MIB},
        {32 * MIB, 16, 32 * MIB},  {256 * MIB, 1, 256 * MIB},
        {256 * MIB, 2, 256 * MIB}, {256 * MIB, 128, 32 * MIB},
        {300 * MIB, 10, 60 * MIB},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_assert_eq(winnow__host_streamed_bytes(cases[i].cache, cases[i].cpus),
                     cases[i].bytes, "case %zu", i);
}

/* From and to every place in a line, with no line, some and a part of one. */
static void copy_all(const winnow__host_loops *loops) {
    enum {
        LINE = 64,
        LINES = 5,
        BYTES = LINES * LINE
    };
    static unsigned char from[BYTES];
    static _Alignas(LINE) unsigned char to[BYTES];

    for (unsigned i = 0; i < BYTES; i++)
        from[i] = (unsigned char)(i % 251);
    for (unsigned in = 0; in < LINE; in += 7)
        for (unsigned out = 0; out < LINE; out++)
            for (unsigned bytes = 0; bytes <= BYTES - LINE; bytes += 13) {
                memset(to, 255, BYTES);
                winnow__host_stream(loops, to + out, from + in, bytes);
                for (unsigned i = 0; i < BYTES; i++)
                    cr_assert_eq(to[i],
                                 i - out < bytes ? from[in + i - out] : 255,
                                 "%s: %u bytes from %u to %u: byte %u",
                                 loops->name, bytes, in, out, i);
            }
}

Test(host_stream, copies) {
    static const winnow__host_loops *const all[] = {
#ifdef WINNOW_X86
        &winnow__host_avx512,
        &winnow__host_avx2,
#endif
        &winnow__host_portable,
    };
    unsigned run = 0;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (!all[i]->usable())
            continue;
        run++;
        copy_all(all[i]);
    }
    cr_assert_geq(run, 1u);
}

/* To every place in a vector, of sizes around that where vectors begin. */
Test(host_copy, bytes) {
    enum {
        VECTOR = 16,
        LEAST = 2048,
        BYTES = LEAST + 300
    };
    static unsigned char from[BYTES + VECTOR], to[BYTES + 2 * VECTOR];
    static const unsigned sizes[] = {
        0, 1, 15, LEAST - 1, LEAST, LEAST + 1, LEAST + 63, LEAST + 130, BYTES};

    for (unsigned i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i % 251);
    for (unsigned in = 0; in < VECTOR; in += 3)
        for (unsigned out = 0; out < VECTOR; out++)
            for (unsigned k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
                memset(to, 255, sizeof to);
                winnow__host_copy_bytes(to + out, from + in, sizes[k]);
                for (unsigned i = 0; i < sizeof to; i++)
                    cr_assert_eq(to[i],
                                 i - out < sizes[k] ? from[in + i - out] : 255,
                                 "%u bytes from %u to %u: byte %u", sizes[k],
                                 in, out, i);
            }
}
