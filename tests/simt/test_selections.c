/*
 * Selections under many schedules of the CPU device, and the scan of many
 * tiles.
 *
 * WINNOW_SIMT_TRIALS says how many seeds are tried of each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "selected.h"
#include "selection.h"
#include "simt/simt.h"
#include "suite.h"

#define SEEDS 60
#define MOST 20000

static uint64_t draw(uint64_t seed, uint64_t which, uint64_t below) {
    return data_random(seed, which) % below;
}

static void fail(const struct report *report, uint64_t seed) {
    cr_assert_fail("WINNOW_SIMT_SEED=%llu: %s", (unsigned long long)seed,
                   report->text);
}

/* A seed's input: its length and its pattern. */
static uint64_t fill(uint64_t seed, uint8_t *keep) {
    static const uint64_t edges[] = {0,    1,    31,   33,   4095,
                                     4096, 4097, 8193, 12289};
    const uint64_t n =
        draw(seed, 0, 2) == 0 ? edges[draw(seed, 1, 9)] : draw(seed, 2, MOST);

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

/* The complement of the complement, in place, from a mask of bits. */
static bool run_masks(struct selected *selected, uint8_t *keep, uint64_t seed,
                      struct report *report) {
    const struct backend *const backend = selected->backend;
    const uint64_t n = fill(seed, keep), offset = draw(seed, 4, 40);
    const size_t bytes = (offset + n + 7) / 8;
    unsigned char *const bits = calloc(bytes + 1, 1);
    unsigned char *const d_bits = gpu_alloc(bytes);
    bool ok;

    for (uint64_t i = 0; i < n; i++)
        bits[(offset + i) / 8] |=
            (unsigned char)((keep[i] != 0) << (offset + i) % 8);
    backend_upload(backend, d_bits, bits, bytes);
    selected_prepare(selected, n);
    ok =
        winnow_select_flagged(backend->context, WINNOW_MASK_BITS, d_bits,
                              offset, n, selected->d_selection, selected->bytes,
                              NULL, backend->stream) == WINNOW_OK;
    for (int twice = 0; twice < 2; twice++)
        ok = ok &&
             winnow_selection_not(backend->context, selected->d_selection, n,
                                  selected->d_selection, selected->bytes,
                                  backend->stream) == WINNOW_OK;
    ok = ok && selected_check(selected, keep, report);
    gpu_free(d_bits);
    free(bits);
    return ok;
}

GPU_TEST(selections, masks) {
    run_seeds(backend, 9100, run_masks);
}

/* A column of any size of elements, the source and the sink in a row. */
static bool run_compact(struct selected *selected, uint8_t *keep, uint64_t seed,
                        struct report *report) {
    static const size_t sizes[] = {1, 2, 4, 8, 12, 16, 40};
    const struct backend *const backend = selected->backend;
    const uint64_t n = fill(seed, keep);
    const size_t size = sizes[draw(seed, 5, 7)];
    const size_t in_offset = draw(seed, 6, 16), out_offset = draw(seed, 7, 16);
    unsigned char *const in = must_alloc(n * size + 16);
    unsigned char *const out = must_alloc(n * size + 32);
    unsigned char *const d_in = gpu_alloc(n * size + 16);
    unsigned char *const d_out = gpu_alloc(n * size + 32);
    size_t at = out_offset;
    bool ok;

    for (size_t i = 0; i < n * size + 16; i++)
        in[i] = (unsigned char)data_random(seed, i);
    memset(out, 0x5a, n * size + 32);
    backend_upload(backend, d_in, in, n * size + 16);
    backend_upload(backend, d_out, out, n * size + 32);
    ok = selected_make(selected, keep, n, report) &&
         winnow_compact(backend->context, selected->d_selection,
                        d_in + in_offset, n, size, d_out + out_offset,
                        WINNOW_NO_LIMIT, NULL, NULL,
                        backend->stream) == WINNOW_OK;
    backend_download(backend, out, d_out, n * size + 32);
    for (uint64_t i = 0; i < n && ok; i++) {
        if (!keep[i])
            continue;
        ok = memcmp(out + at, in + in_offset + i * size, size) == 0;
        at += size;
    }
    ok = ok && out[at] == 0x5a && selected_apart(selected, report);
    gpu_free(d_in);
    gpu_free(d_out);
    free(in);
    free(out);
    return ok;
}

GPU_TEST(selections, compact) {
    run_seeds(backend, 9200, run_compact);
}

/* --------------------------------------------------------------- graphs */

/* Source and sink are captured once, and replayed on other data. */
GPU_TEST(selections, graph) {
    const uint64_t n = 9001;
    uint8_t *const keep = must_alloc(n);
    unsigned char *const d_flags = gpu_alloc(n);
    struct selected selected;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    selected_open(&selected, backend, n);
    selected_prepare(&selected, n);
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    cr_assert_eq(winnow_select_flagged(backend->context, WINNOW_MASK_BYTES,
                                       d_flags, 0, n, selected.d_selection,
                                       selected.bytes, NULL, backend->stream),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(winnow_selection_not(backend->context, selected.d_selection, n,
                                      selected.d_selection, selected.bytes,
                                      backend->stream),
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

/* ------------------------------------------------------------------- scan */

/* So many tiles, with counts of their own: all that the scan looks at. */
static void scan(const struct backend *backend, uint64_t tiles, uint64_t seed) {
    const size_t bytes = (tiles + 2) * sizeof(unsigned long long);
    const size_t count_bytes = (tiles + 8) * sizeof(uint16_t);
    unsigned long long *const before = must_alloc(bytes);
    uint16_t *const counts = must_alloc(count_bytes);
    const winnow__selection selection = {.before = gpu_alloc(bytes),
                                         .counts = gpu_alloc(count_bytes),
                                         .tiles = tiles};
    uint64_t wanted = 0;

    memset(before, 0x5a, bytes);
    for (uint64_t tile = 0; tile < tiles + 8; tile++)
        counts[tile] = (uint16_t)draw(seed, tile, 4097);
    gpu_copy(selection.before, before, bytes, backend->stream);
    gpu_copy(selection.counts, counts, count_bytes, backend->stream);
    cr_assert_eq(winnow__launch_scan(&selection, backend->stream), WINNOW_OK);
    gpu_copy(before, selection.before, bytes, backend->stream);
    for (uint64_t tile = 0; tile <= tiles; tile++) {
        cr_assert_eq(before[tile], wanted, "of %llu tiles, tile %llu",
                     (unsigned long long)tiles, (unsigned long long)tile);
        wanted += counts[tile];
    }
    cr_assert_eq(before[tiles + 1], 0x5a5a5a5a5a5a5a5aULL);
    gpu_free(selection.before);
    gpu_free(selection.counts);
    free(before);
    free(counts);
}

/* Around a thread's vector and a block's step; several blocks, and several
 * steps of each. */
GPU_TEST(selections, scan) {
    static const uint64_t tiles[] = {0,
                                     1,
                                     7,
                                     8,
                                     9,
                                     255,
                                     1000,
                                     WINNOW__SCAN_STEP - 1,
                                     WINNOW__SCAN_STEP,
                                     WINNOW__SCAN_STEP + 1,
                                     3 * WINNOW__SCAN_STEP + 11};

    for (size_t i = 0; i < sizeof(tiles) / sizeof(tiles[0]); i++)
        scan(backend, tiles[i], 9500 + i);
}

GPU_TEST(selections, scan_of_many_steps) {
    scan(backend, (WINNOW__SCAN_BLOCKS + 1) * WINNOW__SCAN_STEP + 5, 9600);
}
