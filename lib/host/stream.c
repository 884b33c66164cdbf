/*
 * Stores past the caches. SSE2 is part of x86-64; elsewhere it is memcpy().
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "task.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>

/* Whole lines alone: a part of one would be read first. */
void winnow__host_stream(void *to, const void *from, size_t bytes) {
    const size_t line = 64, vector = sizeof(__m128i);
    unsigned char *out = to;
    const unsigned char *in = from;
    size_t head = -(uintptr_t)to % line;
    if (head > bytes)
        head = bytes;
    memcpy(out, in, head);
    const size_t end = head + (bytes - head) / line * line;
    for (size_t at = head; at < end; at += vector)
        _mm_stream_si128(
            (__m128i *)(void *)(out + at),
            _mm_loadu_si128((const __m128i *)(const void *)(in + at)));
    memcpy(out + end, in + end, bytes - end);
    _mm_sfence(); /* orders these stores before later ones */
}
#else
void winnow__host_stream(void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
}
#endif
