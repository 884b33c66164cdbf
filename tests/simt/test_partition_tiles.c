/*
 * winnow_partition_by_key() where each warp's items go to one part, and
 * neighbouring warps' to others: all pieces of tiles that warps have, of both
 * orders and sizes of keys, divide the length of these runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "cuda/context.h"
#include "data.h"
#include "simt/simt.h"
#include "suite.h"

enum {
    N = 40960,
    RUN = 1536,
    BITS = 8,
    PARTS = 1 << BITS
};

static uint64_t key_at(size_t size, uint64_t i) {
    const uint64_t part = data_random(1, i / RUN) % PARTS;
    const uint64_t key = data_random(2, i) << BITS | part;
    return size == 4 ? (uint32_t)key : key;
}

static uint64_t load(const void *keys, size_t size, uint64_t i) {
    return size == 4 ? ((const uint32_t *)keys)[i]
                     : ((const uint64_t *)keys)[i];
}

static int compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* All keys part by part, in the input's order, or each part sorted. */
static void expect(size_t size, bool stable, uint64_t *keys) {
    uint64_t number = 0;
    for (unsigned part = 0; part < PARTS; part++) {
        const uint64_t first = number;
        for (uint64_t i = 0; i < N; i++)
            if (key_at(size, i) % PARTS == part)
                keys[number++] = key_at(size, i);
        if (!stable)
            qsort(keys + first, number - first, sizeof *keys, compare);
    }
}

/* What the call wrote, each part sorted where the order is open. */
static void sort_parts(uint64_t *keys, const uint64_t *offsets) {
    for (unsigned part = 0; part < PARTS; part++)
        qsort(keys + offsets[part], offsets[part + 1] - offsets[part],
              sizeof *keys, compare);
}

static void check(const struct backend *backend, size_t size, bool stable) {
    static uint64_t in[N], out[N], seen[N], wanted[N];
    uint64_t offsets[PARTS + 1];
    for (uint64_t i = 0; i < N; i++)
        if (size == 4)
            ((uint32_t *)(void *)in)[i] = (uint32_t)key_at(size, i);
        else
            in[i] = key_at(size, i);
    void *const d_in = backend_alloc(backend, N * size);
    void *const d_out = backend_alloc(backend, N * size);
    void *const d_offsets = backend_alloc(backend, sizeof offsets);
    backend_upload(backend, d_in, in, N * size);
    const winnow_in keys = {.type = size == 4 ? WINNOW_UINT32 : WINNOW_UINT64,
                            .d_base = d_in};
    const winnow_digit digit = {.bits = BITS};
    const winnow_move move = {
        .d_in = d_in, .d_out = d_out, .element_bytes = size};
    cr_assert_eq(
        winnow_partition_by_key(
            backend->context, &keys, N, &digit, &move, 1, d_offsets,
            WINNOW_LAUNCH(.stream = backend->stream,
                          .order = stable ? WINNOW_STABLE : WINNOW_UNORDERED)),
        WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    backend_download(backend, out, d_out, N * size);
    backend_download(backend, offsets, d_offsets, sizeof offsets);
    cr_assert_eq(offsets[PARTS], N);
    for (uint64_t i = 0; i < N; i++)
        seen[i] = load(out, size, i);
    if (!stable)
        sort_parts(seen, offsets);
    expect(size, stable, wanted);
    for (uint64_t i = 0; i < N; i++)
        cr_assert_eq(seen[i], wanted[i], "%s keys of %zu bytes, key %llu",
                     stable ? "stable" : "unordered", size,
                     (unsigned long long)i);
    backend_free(backend, d_offsets);
    backend_free(backend, d_out);
    backend_free(backend, d_in);
}

GPU_TEST(partition_tiles, runs_of_warps) {
    struct backend small;
    (void)backend;
    simt_settings.multiprocessors = 1;
    backend_open_gpu(&small);
    ((winnow__cuda_context *)small.context)->small_partitions = false;
    for (int i = 0; i < 4; i++)
        check(&small, i % 2 == 0 ? 4 : 8, i / 2 == 0);
    backend_close(&small);
}
