/*
 * Non-temporal stores. SSE2 is part of x86-64; elsewhere memcpy() is used.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "task.h"

#include <string.h>

enum {
    LINE = 64
};

/* The size at which an input exceeds a CPU's part of the last cache. On an Intel
 * Xeon with 300 MiB for 16 CPUs and one thread, stores past the caches are faster
 * from 64 MiB of input on, and ordinary stores up to 32 MiB: so twice the part. */
uint64_t winnow__host_streamed_bytes(uint64_t cache, unsigned cpus) {
    const uint64_t least = UINT64_C(32) << 20;
    const uint64_t part = 2 * cache / cpus;
    const uint64_t bytes = part > least ? part : least;
    return cache != 0 && cache < bytes ? cache : bytes;
}

#ifdef __SSE2__
#include <emmintrin.h>

void winnow__host_stream_lines(void *to, const void *from, size_t bytes) {
    unsigned char *const out = to;
    const unsigned char *const in = from;
    for (size_t at = 0; at < bytes; at += sizeof(__m128i))
        _mm_stream_si128(
            (__m128i *)(void *)(out + at),
            _mm_loadu_si128((const __m128i *)(const void *)(in + at)));
    _mm_sfence(); /* orders these stores before later ones */
}
#else
void winnow__host_stream_lines(void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
}
#endif

/* Whole lines only: the CPU would first read a line that is stored in part. */
void winnow__host_stream(const winnow__host_loops *loops, void *to,
                         const void *from, size_t bytes) {
    unsigned char *const out = to;
    const unsigned char *const in = from;
    size_t head = -(uintptr_t)to % LINE;
    if (head > bytes)
        head = bytes;
    memcpy(out, in, head);
    const size_t end = head + (bytes - head) / LINE * LINE;
    loops->stream_lines(out + head, in + head, end - head);
    memcpy(out + end, in + end, bytes - end);
}
