/*
 * A fuzzer takes bytes, and tells of what is wrong by ending the program. What
 * finds the bytes is libFuzzer (tools/fuzz), or driver.c.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_FUZZ_H
#define WINNOW_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_MUST(what)                                                        \
    do {                                                                       \
        if (!(what)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
            abort();                                                           \
        }                                                                      \
    } while (0)

/* Bytes that are taken one after the other; zeros behind the last. */
struct fuzz_bytes {
    const uint8_t *at, *end;
};

static inline unsigned fuzz_byte(struct fuzz_bytes *bytes) {
    return bytes->at < bytes->end ? *bytes->at++ : 0;
}

static inline uint32_t fuzz_word(struct fuzz_bytes *bytes) {
    uint32_t word = 0;
    for (int i = 0; i < 4; i++)
        word = word << 8 | fuzz_byte(bytes);
    return word;
}

#endif
