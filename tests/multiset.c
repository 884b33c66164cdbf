/*
 * Results without an order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "multiset.h"

#include <stdlib.h>

#include "element.h"
#include "report.h"

/* Radix sort, least significant byte first: a pass per byte of the type. */
uint64_t *multiset_sort(winnow_type type, const void *elements, uint64_t n) {
    const size_t size = element_size(type);
    const unsigned char *from = elements;
    uint64_t *keys = must_alloc(n * sizeof(*keys));
    uint64_t *other = must_alloc(n * sizeof(*other));

    for (uint64_t i = 0; i < n; i++)
        keys[i] = element_load(type, from + i * size);
    for (unsigned shift = 0; shift < 8 * size; shift += 8) {
        uint64_t starts[256] = {0}, sum = 0, *swap;

        for (uint64_t i = 0; i < n; i++)
            starts[keys[i] >> shift & 255]++;
        for (int digit = 0; digit < 256; digit++) {
            const uint64_t count = starts[digit];
            starts[digit] = sum;
            sum += count;
        }
        for (uint64_t i = 0; i < n; i++)
            other[starts[keys[i] >> shift & 255]++] = keys[i];
        swap = keys;
        keys = other;
        other = swap;
    }
    free(other);
    return keys;
}

bool multiset_contains(const uint64_t *whole, uint64_t whole_n,
                       const uint64_t *part, uint64_t part_n) {
    uint64_t w = 0;

    for (uint64_t p = 0; p < part_n; p++, w++) {
        while (w < whole_n && whole[w] < part[p])
            w++;
        if (w == whole_n || whole[w] != part[p])
            return false;
    }
    return true;
}
