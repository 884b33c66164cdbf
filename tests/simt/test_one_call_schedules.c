/*
 * Runs of equal keys, expansion, segments and partitions into two arrays under
 * many schedules of the CPU device, and in a graph.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "cut.h"
#include "data.h"
#include "gpu.h"
#include "out_like.h"
#include "tests/one_call/parted.h"
#include "simt/simt.h"
#include "suite.h"

#define SEEDS 60
#define MOST 9001

/* One of everything: the last of each run, brought back to its place, and the
 * survivors of segments. */
struct all {
    unsigned char *d_keys, *d_packed, *d_back;
    uint64_t *d_offsets, *d_ranks, *d_count;
    void *d_selection;
    size_t bytes;
};

static void all_open(struct all *all) {
    cr_assert_eq(winnow_selection_bytes(MOST, &all->bytes), WINNOW_OK);
    all->d_keys = gpu_alloc(MOST * 8 + 16);
    all->d_packed = gpu_alloc(MOST * 8);
    all->d_back = gpu_alloc(MOST * 8);
    all->d_offsets = gpu_alloc((MOST + 1) * 8);
    all->d_ranks = gpu_alloc((MOST + 1) * 8);
    all->d_count = gpu_alloc(8);
    all->d_selection = gpu_alloc(all->bytes);
}

static void all_close(struct all *all) {
    gpu_free(all->d_keys);
    gpu_free(all->d_packed);
    gpu_free(all->d_back);
    gpu_free(all->d_offsets);
    gpu_free(all->d_ranks);
    gpu_free(all->d_count);
    gpu_free(all->d_selection);
}

static void enqueue(const struct backend *backend, struct all *all, uint64_t n,
                    size_t size, size_t offset) {
    static const unsigned char zero[8] = {0};
    const winnow_in keys = {.element_bytes = (uint32_t)size,
                            .d_base = all->d_keys + offset};
    const winnow_in packed = {.element_bytes = (uint32_t)size,
                              .d_base = all->d_packed};
    const winnow_move move = {
        .d_in = keys.d_base, .d_out = all->d_packed, .element_bytes = size};
    const winnow_unique_options options = {.size = sizeof(options),
                                           .keep = WINNOW_UNIQUE_LAST};
    const winnow_segments segments = {.type = WINNOW_UINT64,
                                      .count = n,
                                      .d_offsets = all->d_offsets,
                                      .d_out_offsets = all->d_ranks};
    const winnow_launch *const launch =
        WINNOW_LAUNCH(.stream = backend->stream);

    cr_assert_eq(winnow_select_unique(backend->context, &keys, n, &options,
                                      all->d_selection, all->bytes, launch),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(winnow_unique(backend->context, &keys, n, &options, &move, 1,
                               WINNOW_NO_LIMIT, all->d_count, launch),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(winnow_expand(backend->context, all->d_selection, &packed,
                               WINNOW_NO_LIMIT, n, zero,
                               OUT_LIKE(packed, all->d_back), launch),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(winnow_selection_segments(backend->context, all->d_selection,
                                           n, &segments, launch),
                 WINNOW_OK, "%s", winnow_last_error());
}

/* Keys of no 0, in runs; an offset at each item. */
static void fill(const struct backend *backend, const struct all *all,
                 unsigned char *keys, uint64_t n, size_t size, size_t offset,
                 uint64_t seed) {
    uint64_t *const offsets = must_alloc((MOST + 1) * 8);

    for (uint64_t i = 0; i < n; i++)
        if (i == 0 || data_random(seed, i) % (1 + seed % 5) == 0)
            memset(keys + i * size, 1 + (int)(data_random(seed + 1, i) % 3),
                   size);
        else
            memcpy(keys + i * size, keys + (i - 1) * size, size);
    for (uint64_t i = 0; i <= n; i++)
        offsets[i] = i;
    backend_upload(backend, all->d_keys + offset, keys, n * size);
    backend_upload(backend, all->d_offsets, offsets, (n + 1) * 8);
    free(offsets);
}

static void check(const struct backend *backend, const struct all *all,
                  const unsigned char *keys, uint64_t n, size_t size,
                  uint64_t seed) {
    unsigned char *const back = must_alloc(MOST * 8);
    uint64_t *const ranks = must_alloc((MOST + 1) * 8);
    uint64_t rank = 0, count;

    backend_download(backend, back, all->d_back, n * size);
    backend_download(backend, ranks, all->d_ranks, (n + 1) * 8);
    backend_download(backend, &count, all->d_count, 8);
    for (uint64_t i = 0; i < n; i++) {
        const bool kept =
            i + 1 == n ||
            memcmp(keys + i * size, keys + (i + 1) * size, size) != 0;
        static const unsigned char zero[8] = {0};

        cr_assert_eq(ranks[i], rank, "WINNOW_SIMT_SEED=%llu: rank of %llu",
                     (unsigned long long)seed, (unsigned long long)i);
        cr_assert_eq(
            memcmp(back + i * size, kept ? keys + i * size : zero, size), 0,
            "WINNOW_SIMT_SEED=%llu: item %llu", (unsigned long long)seed,
            (unsigned long long)i);
        rank += kept;
    }
    cr_assert(ranks[n] == rank && count == rank, "WINNOW_SIMT_SEED=%llu",
              (unsigned long long)seed);
    free(back);
    free(ranks);
}

GPU_TEST(runs, schedules) {
    static const uint64_t edges[] = {0, 1, 33, 4096, 4097};
    const uint64_t first = simt_first_seed(9700);
    unsigned char *const keys = must_alloc(MOST * 8);
    struct all all;

    all_open(&all);
    for (unsigned i = 0; i < simt_trials(SEEDS); i++) {
        const uint64_t seed = first + i;
        const uint64_t n =
            seed % 3 == 0 ? edges[seed / 3 % 5] : data_random(seed, 1) % MOST;
        const size_t size = (size_t)1 << seed % 4;
        const size_t offset = data_random(seed, 2) % 16 / size * size;

        simt_seed(seed);
        simt_pattern(~seed);
        fill(backend, &all, keys, n, size, offset, seed);
        enqueue(backend, &all, n, size, offset);
        check(backend, &all, keys, n, size, seed);
    }
    all_close(&all);
    free(keys);
}

/* Captured once, and replayed on other data. */
GPU_TEST(runs, graph) {
    unsigned char *const keys = must_alloc(MOST * 8);
    struct all all;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    all_open(&all);
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    enqueue(backend, &all, MOST, 4, 0);
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (uint64_t i = 0; i < 3; i++) {
        fill(backend, &all, keys, MOST, 4, 0, 9800 + i);
        GPU_MUST(cudaGraphLaunch(exec, backend->stream));
        check(backend, &all, keys, MOST, 4, 9800 + i);
    }
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
    all_close(&all);
    free(keys);
}

/* --------------------------------------------------- partitions, in one pass
 */

#define PARTITIONS 2

static struct parted_call draw_parted(uint64_t seed) {
    static const winnow_type types[] = {WINNOW_INT8, WINNOW_UINT16,
                                        WINNOW_FLOAT32, WINNOW_INT64};
    static const uint64_t sizes[] = {1, 255, 6144, 12289, 25000, 41000};
    const winnow_type type = types[seed % 4];
    struct rule rules[RULES_KINDS];
    struct parted_call call = {
        .pattern = &patterns[data_random(seed, 1) % PATTERNS],
        .seed = seed,
        .n = sizes[data_random(seed, 2) % 6],
        .in_ahead = (unsigned)(data_random(seed, 3) % 2),
        .kept_ahead = (unsigned)(data_random(seed, 4) % 2),
        .rejected_ahead = (unsigned)(data_random(seed, 5) % 2),
        .counted = data_random(seed, 6) % 4 != 0,
        .limited = data_random(seed, 8) % 3 == 0};

    rules_kinds(type, rules);
    call.rule = rules[data_random(seed, 7) % RULES_KINDS];
    return call;
}

/* Two calls that nobody waits for between. */
GPU_TEST(partition_if, schedules) {
    const uint64_t first = simt_first_seed(9900);

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned i = 0; i < simt_trials(SEEDS); i++) {
        struct parted parted[PARTITIONS];

        simt_seed(first + i);
        simt_pattern(~(first + i));
        for (unsigned p = 0; p < PARTITIONS; p++) {
            const struct parted_call call = draw_parted(first + i + p);

            parted_open(&parted[p], backend, &call);
        }
        for (unsigned p = 0; p < PARTITIONS; p++)
            cr_assert_eq(parted_enqueue(&parted[p]), WINNOW_OK,
                         "WINNOW_SIMT_SEED=%llu: %s",
                         (unsigned long long)(first + i), winnow_last_error());
        for (unsigned p = 0; p < PARTITIONS; p++)
            MUST(parted_close(&parted[p], report));
    }
}

/* Captured with the context's memory, and replayed. */
GPU_TEST(partition_if, graph) {
    struct parted_call call = draw_parted(9958);
    struct report text = {{0}};
    struct parted parted;
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    call.n = 30000;
    parted_open(&parted, backend, &call);
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    cr_assert_eq(parted_enqueue(&parted), WINNOW_OK, "%s", winnow_last_error());
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (unsigned replay = 0; replay < 3; replay++)
        GPU_MUST(cudaGraphLaunch(exec, backend->stream));
    cr_assert(parted_close(&parted, &text), "%s", text.text);
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
}
