/*
 * Selections under many schedules of the CPU device.
 *
 * WINNOW_SIMT_TRIALS says how many seeds are tried of each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "calls/memory.h"
#include "cuda/launch.h"
#include "tests/pack/bit_columns.h"
#include "cut.h"
#include "gpu.h"
#include "out_like.h"
#include "selected.h"
#include "simt/simt.h"
#include "suite.h"

#define SEEDS 60
#define MOST 36000

static uint64_t draw(uint64_t seed, uint64_t which, uint64_t below) {
    return data_random(seed, which) % below;
}

static void fail(const struct report *report, uint64_t seed) {
    cr_assert_fail("WINNOW_SIMT_SEED=%llu: %s", (unsigned long long)seed,
                   report->text);
}

/* A seed's input: its length and its pattern. */
static uint64_t fill(uint64_t seed, uint8_t *keep) {
    static const uint64_t edges[] = {0,    1,    31,    33,    4095, 4096,
                                     4097, 8193, 12289, 32768, 32769};
    const uint64_t n =
        draw(seed, 0, 2) == 0 ? edges[draw(seed, 1, 11)] : draw(seed, 2, MOST);

    selected_fill(&patterns[draw(seed, 3, PATTERNS)], seed, n, keep);
    return n;
}

static void run_seeds(const struct backend *backend, uint64_t first,
                      bool (*run)(struct selected *selected, uint8_t *keep,
                                  uint64_t seed, struct report *report)) {
    const unsigned seeds = simt_trials(SEEDS);
    uint8_t *const keep = must_alloc(MOST);
    struct selected selected;

    first = simt_first_seed(first);
    selected_open(&selected, backend, MOST);
    for (unsigned i = 0; i < seeds; i++) {
        struct report report = {{0}};

        simt_seed(first + i);
        simt_pattern(~(first + i));
        /* Blocks of sinks have 1 tile, or up to 8. */
        cut_sink_blocks(backend, (first + i) % 3 == 0 ? 40 : 1);
        if (!run(&selected, keep, first + i, &report))
            fail(&report, first + i);
    }
    selected_close(&selected);
    free(keep);
}

static bool run_select_if(struct selected *selected, uint8_t *keep,
                          uint64_t seed, struct report *report) {
    const uint64_t n = fill(seed, keep);

    return selected_make(selected, keep, n, report) &&
           selected_check(selected, keep, report);
}

GPU_TEST(selections, select_if) {
    run_seeds(backend, 9000, run_select_if);
}

/* Made, and turned into its opposite in place. */
static void make_in_launches(struct selected *selected, uint64_t tiles,
                             uint64_t seed, unsigned launches) {
    const uint64_t n = tiles * 4096 - draw(seed, 0, 4096);
    const struct backend *const backend = selected->backend;
    uint8_t *const keep = must_alloc(n);
    struct report report = {{0}};

    simt_seed(seed);
    selected_fill(&patterns[draw(seed, 3, PATTERNS)], seed, n, keep);
    if (!selected_make(selected, keep, n, &report))
        fail(&report, seed);
    cr_assert_eq(winnow__launches(), launches, "%llu tiles",
                 (unsigned long long)tiles);
    if (!selected_check(selected, keep, &report))
        fail(&report, seed);
    for (uint64_t i = 0; i < n; i++)
        keep[i] = !keep[i];
    cr_assert_eq(winnow_selection_not(backend->context, selected->d_selection,
                                      n, selected->d_selection, selected->bytes,
                                      WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(winnow__launches(), launches);
    if (!selected_check(selected, keep, &report))
        fail(&report, seed);
    free(keep);
}

/* Few tiles take one launch: those of a block, or of a cluster, where the device
 * has one of as many blocks. */
Test(selections, few_tiles) {
    static const struct {
        int ptx_version, most_cluster; /* of the device */
        uint64_t few;
    } devices[] = {{80, 16, 8}, {90, 0, 8}, {90, 4, 32}, {90, 16, 64}};

    for (size_t d = 0; d < sizeof(devices) / sizeof(devices[0]); d++) {
        const uint64_t few = devices[d].few, tiles[] = {1, few, few + 1};
        struct backend backend;
        struct selected selected;

        simt_settings.ptx_version = devices[d].ptx_version;
        simt_settings.most_cluster = devices[d].most_cluster;
        backend_open_gpu(&backend);
        selected_open(&selected, &backend, 65 * 4096);
        for (size_t i = 0; i < sizeof(tiles) / sizeof(tiles[0]); i++)
            make_in_launches(&selected, tiles[i], 9050 + 10 * d + i,
                             tiles[i] <= few ? 1 : 2);
        selected_close(&selected);
        backend_close(&backend);
    }
}

/* Each call of the table, now and then of fewer items than n. */
GPU_TEST(selections, calls) {
    const unsigned seeds = simt_trials(SEEDS) / 4 + 1;
    const uint64_t first = simt_first_seed(9100);
    uint8_t *const keep = must_alloc(MOST);
    struct call_memory memory;

    calls_open(&memory, backend, MOST);
    FOR_EACH_CALL(call) {
        for (uint64_t seed = first; seed < first + seeds; seed++) {
            const uint64_t n = fill(seed, keep);
            const struct arguments a = calls_draw(&memory, call, n, seed);
            const winnow_launch launch = {
                .size = sizeof(launch),
                .stream = backend->stream,
                .order = WINNOW_STABLE,
                .d_n = draw(seed, 5, 2) == 0 ? memory.d_n : NULL};
            struct report report = {{0}};

            calls_set(&memory, memory.d_n, draw(seed, 6, n + 2));
            calls_prepare(&memory);
            simt_seed(seed);
            simt_pattern(~seed);
            cut_sink_blocks(backend, seed % 3 == 0 ? 40 : 1);
            cr_assert_eq(call->run(&a, &launch), WINNOW_OK, "%s: %s",
                         call->name, winnow_last_error());
            if (!calls_check(&memory, call, &a, &launch, false, &report))
                fail(&report, seed);
        }
    }
    calls_close(&memory);
    free(keep);
}

/* Columns in place: blocks wait for each other. Some have many pieces, some
 * few. */
static bool run_in_place(struct selected *selected, uint8_t *keep,
                         uint64_t seed, struct report *report) {
    static const size_t sizes[] = {1, 4, 12, 64, 100, 512};
    const struct backend *const backend = selected->backend;
    const unsigned number = 1 + (unsigned)draw(seed, 5, 3);
    const uint64_t n = fill(seed, keep) % 9001;
    winnow_move columns[3] = {{0}};
    unsigned char *in[3], *seen;
    bool ok = selected_make(selected, keep, n, report);

    for (unsigned c = 0; c < number; c++) {
        const size_t size = sizes[draw(seed, 6 + c, n < 1000 ? 6 : 4)];

        in[c] = must_alloc(n * size + 1);
        for (size_t i = 0; i < n * size; i++)
            in[c][i] = (unsigned char)data_random(seed + c, i);
        columns[c].d_out = gpu_alloc(n * size + 1);
        columns[c].d_in = columns[c].d_out;
        columns[c].element_bytes = size;
        backend_upload(backend, columns[c].d_out, in[c], n * size);
    }
    ok = ok && winnow_compact_columns(
                   backend->context, selected->d_selection, n, columns, number,
                   WINNOW_NO_LIMIT, NULL,
                   WINNOW_LAUNCH(.stream = backend->stream)) == WINNOW_OK;
    for (unsigned c = 0; c < number; c++) {
        const size_t size = columns[c].element_bytes;
        uint64_t at = 0;

        seen = must_alloc(n * size + 1);
        backend_download(backend, seen, columns[c].d_out, n * size);
        for (uint64_t i = 0; i < n && ok; i++)
            if (keep[i])
                ok = memcmp(seen + at++ * size, in[c] + i * size, size) == 0;
        ok = ok &&
             memcmp(seen + at * size, in[c] + at * size, (n - at) * size) == 0;
        gpu_free(columns[c].d_out);
        free(in[c]);
        free(seen);
    }
    return ok;
}

GPU_TEST(selections, in_place) {
    run_seeds(backend, 9760, run_in_place);
}

/* Columns of bits, packed, split or expanded. */
static bool run_bits(struct selected *selected, uint8_t *keep, uint64_t seed,
                     struct report *report) {
    const struct bit_call call = bit_call_random(seed, MOST);

    selected_fill(&patterns[draw(seed, 3, PATTERNS)], seed, call.n, keep);
    return bit_call_run(selected, &call, keep, report);
}

GPU_TEST(selections, bits) {
    run_seeds(backend, 9800, run_bits);
}

/* Records by a field of 4 bytes, of which there are fewer than n; appended. */
static bool run_records(struct selected *selected, uint8_t *keep, uint64_t seed,
                        struct report *report) {
    static const size_t sizes[] = {4, 12, 32, 41};
    const struct backend *const backend = selected->backend;
    const uint64_t n = fill(seed, keep), there = draw(seed, 5, n + 1);
    const size_t size = sizes[draw(seed, 6, 4)], all = n * size + 64;
    const size_t field = draw(seed, 7, size - 3);
    const uint64_t before = draw(seed, 8, 5), room = n + before;
    const uint64_t numbers[2] = {there, before};
    const uint32_t zero = 0;
    unsigned char *const in = must_alloc(all);
    unsigned char *const out = must_alloc(all + 5 * size);
    unsigned char *const d_in = gpu_alloc(all);
    unsigned char *const d_out = gpu_alloc(all + 5 * size);
    uint64_t *const d_numbers = gpu_alloc(sizeof(numbers));
    uint64_t at = before, seen[2];
    winnow_predicate *predicate;
    bool ok = true;

    (void)report;
    for (size_t i = 0; i < all; i++)
        in[i] = (unsigned char)data_random(seed, i);
    for (uint64_t i = 0; i < n; i++)
        memset(in + i * size + field, keep[i] ? 7 : 0, 4);
    if (winnow_predicate_compare(&predicate, WINNOW_UINT32, WINNOW_NE, &zero) !=
        WINNOW_OK)
        abort();
    backend_upload(backend, d_in, in, all);
    backend_upload(backend, d_numbers, numbers, sizeof(numbers));
    ok =
        winnow_copy_columns_if(
            backend->context, predicate,
            &(winnow_in){.type = WINNOW_UINT32,
                         .d_base = d_in + field,
                         .stride_bytes = (int64_t)size},
            n,
            &(winnow_move){.d_in = d_in, .d_out = d_out, .element_bytes = size},
            1, room, NULL,
            WINNOW_LAUNCH(.stream = backend->stream, .d_n = d_numbers,
                          .d_position = d_numbers + 1)) == WINNOW_OK;
    backend_download(backend, out, d_out, all + 5 * size);
    backend_download(backend, seen, d_numbers, sizeof(seen));
    for (uint64_t i = 0; i < there && ok; i++)
        if (keep[i])
            ok = memcmp(out + at++ * size, in + i * size, size) == 0;
    ok = ok && seen[1] == at;
    winnow_predicate_destroy(predicate);
    gpu_free(d_numbers);
    gpu_free(d_in);
    gpu_free(d_out);
    free(in);
    free(out);
    return ok;
}

GPU_TEST(selections, records) {
    run_seeds(backend, 9780, run_records);
}

/* --------------------------------------------------------------- graphs */

/* Source and sink are captured once, and replayed on other data. */
GPU_TEST(selections, graph) {
    const uint64_t n = 40001; /* a cluster */
    uint8_t *const keep = must_alloc(n);
    unsigned char *const d_flags = gpu_alloc(n);
    struct selected selected;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    selected_open(&selected, backend, n);
    selected_prepare(&selected, n);
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    cr_assert_eq(
        winnow_select_flagged(
            backend->context,
            &(winnow_mask){.kind = WINNOW_MASK_BYTES, .d_flags = d_flags}, n,
            selected.d_selection, selected.bytes,
            WINNOW_LAUNCH(.stream = backend->stream)),
        WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(winnow_selection_not(backend->context, selected.d_selection, n,
                                      selected.d_selection, selected.bytes,
                                      WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (unsigned i = 0; i < 3; i++) {
        selected_fill(&patterns[i], 9300 + i, n, keep);
        backend_upload(backend, d_flags, keep, n);
        GPU_MUST(cudaGraphLaunch(exec, backend->stream));
        for (uint64_t j = 0; j < n; j++)
            keep[j] = !keep[j];
        MUST(selected_check(&selected, keep, report));
    }
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
    selected_close(&selected);
    gpu_free(d_flags);
    free(keep);
}

/* Two filters in a graph: the second one has its number of items from the
 * first, and appends. Each replay has other data, and goes on where the one
 * before it ended. */
GPU_TEST(selections, graph_of_two_filters) {
    enum {
        N = 9001,
        ROOM = 3 * N
    };
    const uint32_t below = 700, above = 100;
    uint32_t *const x = must_alloc(N * 4), *const z = must_alloc(ROOM * 4);
    uint32_t *const d_x = gpu_alloc(N * 4), *const d_y = gpu_alloc(N * 4);
    uint32_t *const d_z = gpu_alloc(ROOM * 4);
    uint64_t *const d_numbers = gpu_alloc(16);
    const uint64_t zeros[2] = {0, 0};
    winnow_predicate *is_below, *is_above;
    struct selected selected;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    uint64_t at = 0, seen[2];

    cr_assert(winnow_predicate_compare(&is_below, WINNOW_UINT32, WINNOW_LT,
                                       &below) == WINNOW_OK &&
              winnow_predicate_compare(&is_above, WINNOW_UINT32, WINNOW_GT,
                                       &above) == WINNOW_OK);
    selected_open(&selected, backend, N);
    selected_prepare(&selected, N);
    backend_upload(backend, d_numbers, zeros, sizeof(zeros));
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    cr_assert(winnow_select_if(backend->context, is_below, WINNOW_UINT32, d_x,
                               N, selected.d_selection, selected.bytes,
                               WINNOW_LAUNCH(.stream = backend->stream)) ==
                      WINNOW_OK &&
                  winnow_compact(backend->context, selected.d_selection, d_x, N,
                                 4, d_y, N, d_numbers,
                                 WINNOW_LAUNCH(.stream = backend->stream)) ==
                      WINNOW_OK &&
                  winnow_select_if(backend->context, is_above, WINNOW_UINT32,
                                   d_y, N, selected.d_selection, selected.bytes,
                                   WINNOW_LAUNCH(.stream = backend->stream,
                                                 .d_n = d_numbers)) ==
                      WINNOW_OK &&
                  winnow_compact(backend->context, selected.d_selection, d_y, N,
                                 4, d_z, ROOM, NULL,
                                 WINNOW_LAUNCH(.stream = backend->stream,
                                               .d_position = d_numbers + 1)) ==
                      WINNOW_OK,
              "%s", winnow_last_error());
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (unsigned replay = 0; replay < 3; replay++) {
        const uint64_t first = at;

        for (unsigned i = 0; i < N; i++)
            x[i] = (uint32_t)(data_random(9800 + replay, i) % 1000);
        backend_upload(backend, d_x, x, N * 4);
        GPU_MUST(cudaGraphLaunch(exec, backend->stream));
        backend_download(backend, z, d_z, ROOM * 4);
        for (unsigned i = 0; i < N; i++)
            if (x[i] < below && x[i] > above)
                cr_assert_eq(z[at++], x[i], "replay %u, item %u", replay, i);
        backend_download(backend, seen, d_numbers, sizeof(seen));
        cr_assert_eq(seen[1], at);
        cr_assert_gt(at, first);
    }
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
    winnow_predicate_destroy(is_below);
    winnow_predicate_destroy(is_above);
    selected_close(&selected);
    gpu_free(d_x);
    gpu_free(d_y);
    gpu_free(d_z);
    gpu_free(d_numbers);
    free(x);
    free(z);
}

/* One call of each kind, captured with the context's memory and replayed. */
GPU_TEST(selections, graph_of_one_calls) {
    const uint64_t n = 9001;
    const uint32_t limit = 500;
    uint32_t *const x = must_alloc(n * 4), *const seen = must_alloc(n * 4);
    uint32_t *const d_x = gpu_alloc(n * 4), *const d_out = gpu_alloc(n * 4);
    uint32_t *const d_moved = gpu_alloc(n * 4);
    const winnow_move column = {
        .d_in = d_moved, .d_out = d_moved, .element_bytes = 4};
    winnow_predicate *is_below;
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    cr_assert_eq(
        winnow_predicate_compare(&is_below, WINNOW_UINT32, WINNOW_LT, &limit),
        WINNOW_OK);
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    cr_assert(winnow_partition_if(backend->context, is_below, WINNOW_UINT32,
                                  d_x, n, d_out, NULL, NULL,
                                  WINNOW_LAUNCH(.stream = backend->stream)) ==
                      WINNOW_OK &&
                  winnow_copy_columns_if(
                      backend->context, is_below,
                      &(winnow_in){.type = WINNOW_UINT32, .d_base = d_x}, n,
                      &column, 1, WINNOW_NO_LIMIT, NULL,
                      WINNOW_LAUNCH(.stream = backend->stream)) == WINNOW_OK,
              "%s", winnow_last_error());
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (unsigned replay = 0; replay < 3; replay++) {
        uint64_t at = 0, kept = 0;

        for (uint64_t i = 0; i < n; i++) {
            x[i] = (uint32_t)(data_random(9850 + replay, i) % 1000);
            kept += x[i] < limit;
        }
        backend_upload(backend, d_x, x, n * 4);
        backend_upload(backend, d_moved, x, n * 4);
        GPU_MUST(cudaGraphLaunch(exec, backend->stream));
        backend_download(backend, seen, d_out, n * 4);
        for (int round = 0; round < 2; round++)
            for (uint64_t i = 0; i < n; i++)
                if ((x[i] < limit) == (round == 0))
                    cr_assert_eq(seen[at++], x[i]);
        backend_download(backend, seen, d_moved, n * 4);
        at = 0;
        for (uint64_t i = 0; i < n; i++)
            if (x[i] < limit)
                cr_assert_eq(seen[at++], x[i]);
        cr_assert_eq(at, kept);
    }
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
    winnow_predicate_destroy(is_below);
    gpu_free(d_x);
    gpu_free(d_out);
    gpu_free(d_moved);
    free(x);
    free(seen);
}
