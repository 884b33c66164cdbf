/*
 * winnow_partition_by_key() of arrays that are many times the L2 cache of a
 * GPU, which then does not count the parts first: each element is looked for in
 * the input, by a column that says where it was. Another column is a part of
 * that again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "suite.h"

#ifdef WINNOW_SIMT
#include "simt/simt.h"
#endif

enum kind {
    UNIFORM,
    SKEWED, /* a half of the keys in one part */
    SORTED,
    RUNS,  /* of some thousands of keys */
    TILES, /* parts of whole tiles, which begin inside of a group */
    KINDS
};

/* What the tiles of all kernels divide. */
enum {
    TILE = 18432,
    AHEAD = 3
};

struct call {
    winnow_type key_type;
    uint64_t n;
    unsigned bits;
    enum kind kind;
};

static uint64_t key_at(const struct call *call, uint64_t i) {
    const uint64_t random = data_random(1, i);
    const uint64_t mask = (UINT64_C(1) << call->bits) - 1;
    uint64_t part = random;
    switch (call->kind) {
    case SKEWED:
        part = random >> 40 & 1 ? random : 1;
        break;
    case SORTED:
        part = (i << call->bits) / call->n;
        break;
    case RUNS:
        part = data_random(2, i / 3000);
        break;
    case TILES:
        part = i < AHEAD ? 0 : 1 + (i - AHEAD) / TILE;
        break;
    default:
        break;
    }
    const uint64_t key = (random & ~mask) | (part & mask);
    return call->key_type == WINNOW_UINT32 ? (uint32_t)key : key;
}

static uint64_t load(const struct call *call, const void *keys, uint64_t i) {
    return call->key_type == WINNOW_UINT32 ? ((const uint32_t *)keys)[i]
                                           : ((const uint64_t *)keys)[i];
}

static void store(const struct call *call, void *keys, uint64_t i,
                  uint64_t key) {
    if (call->key_type == WINNOW_UINT32)
        ((uint32_t *)keys)[i] = (uint32_t)key;
    else
        ((uint64_t *)keys)[i] = key;
}

/* The arrays as they are read back: `items` says which item each element was.
 */
static void check(const struct call *call, const void *keys,
                  const uint32_t *items, const uint16_t *marks,
                  const uint64_t *offsets) {
    const uint64_t mask = (UINT64_C(1) << call->bits) - 1;
    unsigned char *const seen = calloc(call->n, 1);
    uint64_t part = 0;
    cr_assert_not_null(seen);
    cr_assert_eq(offsets[0], 0u);
    cr_assert_eq(offsets[mask + 1], call->n);
    for (uint64_t i = 0; i < call->n; i++) {
        while (i >= offsets[part + 1])
            part++;
        const uint64_t key = load(call, keys, i);
        if (items[i] >= call->n || seen[items[i]] ||
            key != key_at(call, items[i]) || (key & mask) != part ||
            marks[i] != (uint16_t)items[i])
            cr_assert_fail("%u bits, kind %d: element %llu is wrong",
                           call->bits, (int)call->kind, (unsigned long long)i);
        seen[items[i]] = 1;
    }
    free(seen);
}

static void run(const struct backend *backend, const struct call *call) {
    const size_t size = winnow_type_size(call->key_type);
    const size_t bytes = call->n * size, item_bytes = call->n * 4;
    const size_t mark_bytes = call->n * 2;
    const uint32_t parts = UINT32_C(1) << call->bits;
    const size_t offsets_bytes = (parts + 1) * sizeof(uint64_t);
    void *const keys = must_alloc(bytes);
    uint32_t *const items = must_alloc(item_bytes);
    uint16_t *const marks = must_alloc(mark_bytes);
    uint64_t *const offsets = must_alloc(offsets_bytes);
    const winnow_digit digit = {.bits = call->bits};
    for (uint64_t i = 0; i < call->n; i++) {
        store(call, keys, i, key_at(call, i));
        items[i] = (uint32_t)i;
        marks[i] = (uint16_t)i;
    }
    void *const d_keys = backend_alloc(backend, bytes);
    void *const d_out = backend_alloc(backend, bytes);
    void *const d_items = backend_alloc(backend, item_bytes);
    void *const d_marks = backend_alloc(backend, mark_bytes);
    const winnow_in in = {.type = call->key_type, .d_base = d_keys};
    const winnow_move moves[] = {
        {.d_in = d_items,
         .d_out = backend_alloc(backend, item_bytes),
         .element_bytes = 4},
        {.d_in = d_marks,
         .d_out = backend_alloc(backend, mark_bytes),
         .element_bytes = 2},
        {.d_in = d_keys, .d_out = d_out, .element_bytes = size}};
    uint64_t *const d_offsets = backend_alloc(backend, offsets_bytes);
    backend_upload(backend, d_keys, keys, bytes);
    backend_upload(backend, d_items, items, item_bytes);
    backend_upload(backend, d_marks, marks, mark_bytes);
    cr_assert_eq(winnow_partition_by_key(
                     backend->context, &in, call->n, &digit, moves, 3,
                     d_offsets, WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    backend_download(backend, keys, d_out, bytes);
    backend_download(backend, items, moves[0].d_out, item_bytes);
    backend_download(backend, marks, moves[1].d_out, mark_bytes);
    backend_download(backend, offsets, d_offsets, offsets_bytes);
    check(call, keys, items, marks, offsets);
    backend_free(backend, d_offsets);
    for (int c = 0; c < 2; c++)
        backend_free(backend, moves[c].d_out);
    backend_free(backend, d_marks);
    backend_free(backend, d_items);
    backend_free(backend, d_out);
    backend_free(backend, d_keys);
    free(offsets);
    free(marks);
    free(items);
    free(keys);
}

static void run_both(const struct backend *backend, uint64_t n, unsigned bits,
                     enum kind kind) {
    for (int i = 0; i < 2; i++) {
        const struct call call = {.key_type =
                                      i == 0 ? WINNOW_UINT32 : WINNOW_UINT64,
                                  .n = n,
                                  .bits = bits,
                                  .kind = kind};
        run(backend, &call);
    }
}

/* On the CPU device a small cache makes an array large. */
static struct backend open_small(const struct backend *backend) {
    struct backend small = *backend;
#ifdef WINNOW_SIMT
    if (backend->gpu) {
        simt_settings.cache_bytes = 4096;
        simt_settings.multiprocessors = 1;
        backend_open_gpu(&small);
    }
#endif
    return small;
}

static void close_small(const struct backend *backend, struct backend *small) {
#ifdef WINNOW_SIMT
    if (backend->gpu)
        backend_close(small);
#endif
    (void)backend;
    (void)small;
}

/* What a GPU does not count first: 268 MB of keys, or twice as many. */
static uint64_t large(const struct backend *backend, uint64_t on_cpus) {
#ifndef WINNOW_SIMT
    if (backend->gpu)
        return (UINT64_C(1) << 26) + 12345;
#endif
    (void)backend;
    return on_cpus;
}

BACKEND_TEST(partition_large, kinds) {
    struct backend small = open_small(backend);
    const uint64_t n = large(backend, 70001);
    const unsigned bits = n < 1 << 20 ? 3 : 8;
    run_both(&small, n, 1, UNIFORM);
    run_both(&small, n, bits, SKEWED);
    run_both(&small, n, bits, RUNS);
    run_both(&small, n, 2, SORTED);
    close_small(backend, &small);
}

/* In two passes the first one counts the parts for the second one. More parts
 * are counted before it. */
BACKEND_TEST(partition_large, LONG(two_passes)) {
    struct backend small = open_small(backend);
    const uint64_t n = large(backend, 270001);
    for (enum kind kind = UNIFORM; kind < KINDS; kind++) {
        run_both(&small, n, 9, kind);
        run_both(&small, large(backend, 60001), kind % 2 == 0 ? 16 : 14, kind);
    }
    close_small(backend, &small);
}

BACKEND_TEST(partition_large, parts_of_tiles) {
    struct backend small = open_small(backend);
    const uint64_t tiles = large(backend, 270001) / TILE + 1;
    run_both(&small, AHEAD + tiles * TILE, 9, TILES);
    run_both(&small, AHEAD + tiles * TILE, 12, TILES);
    run_both(&small, AHEAD + 3 * TILE, 14, TILES);
    close_small(backend, &small);
}
