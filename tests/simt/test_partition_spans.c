/*
 * winnow_partition_by_key() in two passes in order that are counted once, where
 * keys are dropped: the kernel for that has fewer blocks, so there are fewer
 * chunks and spans than the workspace has room for. It holds zeros, as rows of
 * an earlier call might.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>

#include "data.h"
#include "simt/simt.h"
#include "suite.h"

enum {
    /* A tile of the first pass for each of 12 blocks; there are 9. */
    N = 12 * 4096,
    BITS = 10,
    PARTS = 1000
};

/* Half of them have one part: so a segment has several chunks. */
static uint32_t key_at(uint64_t i) {
    const uint64_t random = data_random(3, i);
    const uint32_t part =
        random % 2 == 0 ? PARTS / 2 : (uint32_t)(random >> 1) % (1u << BITS);
    return (uint32_t)(random >> 32) << BITS | part;
}

/* All keys that have a part, part by part, in the input's order. */
static uint64_t expect(uint32_t *keys) {
    uint64_t number = 0;
    for (uint32_t part = 0; part < PARTS; part++)
        for (uint64_t i = 0; i < N; i++)
            if (key_at(i) % (1u << BITS) == part)
                keys[number++] = key_at(i);
    return number;
}

GPU_TEST(partition_spans, of_dropped_keys) {
    static uint32_t in[N], out[N], wanted[N];
    static uint64_t offsets[PARTS + 1];
    struct backend small;
    winnow_options options = WINNOW_OPTIONS_INIT;
    size_t bytes;
    (void)backend;
    options.order = WINNOW_STABLE;
    simt_settings.multiprocessors = 3;
    simt_settings.cache_bytes = 4096;
    backend_open_gpu(&small);
    for (uint64_t i = 0; i < N; i++)
        in[i] = key_at(i);
    cr_assert_eq(winnow_partition_by_key_workspace(small.context, WINNOW_UINT32,
                                                   N, PARTS, NULL, 0, &options,
                                                   &bytes),
                 WINNOW_OK);
    void *const zeros = calloc(bytes, 1);
    cr_assert_not_null(zeros);
    void *const d_workspace = backend_alloc(&small, bytes);
    void *const d_in = backend_alloc(&small, sizeof in);
    void *const d_out = backend_alloc(&small, sizeof out);
    void *const d_offsets = backend_alloc(&small, sizeof offsets);
    backend_upload(&small, d_workspace, zeros, bytes);
    backend_upload(&small, d_in, in, sizeof in);
    const uint64_t before = simt_updates();
    cr_assert_eq(winnow_partition_by_key(small.context, WINNOW_UINT32, d_in, N,
                                         0, BITS, PARTS, d_out, NULL, 0,
                                         d_offsets, NULL, &options, d_workspace,
                                         bytes, small.stream),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(&small));
    cr_assert_leq(simt_updates() - before, N, "counted twice");
    backend_download(&small, out, d_out, sizeof out);
    backend_download(&small, offsets, d_offsets, sizeof offsets);
    const uint64_t number = expect(wanted);
    cr_assert_eq(offsets[PARTS], number);
    for (uint64_t i = 0; i < number; i++)
        cr_assert_eq(out[i], wanted[i], "key %llu", (unsigned long long)i);
    backend_free(&small, d_offsets);
    backend_free(&small, d_out);
    backend_free(&small, d_in);
    backend_free(&small, d_workspace);
    free(zeros);
    backend_close(&small);
}
