/*
 * Operations in one pass over a large input, under many schedules of the CPU
 * device, and in a graph: runs of equal keys, segments, records and columns by
 * a key.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "cut.h"
#include "gpu.h"
#include "tests/one_call/keyed_columns.h"
#include "tests/one_call/records.h"
#include "tests/one_call/runs.h"
#include "tests/one_call/segmented.h"
#include "simt/simt.h"
#include "suite.h"

#define SEEDS 40
#define CALLS 2

static const uint64_t sizes[] = {1, 255, 4097, 12289, 25000, 41000};

static struct runs_call draw_runs(uint64_t seed) {
    struct runs_call call =
        runs_draw(seed, sizes[data_random(seed, 31) % 6], 1u << seed % 4,
                  data_random(seed, 32) % 2 * 8);

    if (data_random(seed, 33) % 2 == 0)
        call.in_ahead = 0;
    call.limited = data_random(seed, 34) % 3 == 0;
    call.same_word = call.limited && data_random(seed, 35) % 2 == 0;
    call.placed = data_random(seed, 36) % 3 == 0;
    if (call.placed && call.capacity > call.n)
        call.capacity = call.n;
    return call;
}

/* Two calls that nobody waits for between. */
GPU_TEST(unique, schedules) {
    const uint64_t first = simt_first_seed(10100);

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned i = 0; i < simt_trials(SEEDS); i++) {
        struct runs runs[CALLS];

        simt_seed(first + i);
        simt_pattern(~(first + i));
        for (unsigned c = 0; c < CALLS; c++) {
            const struct runs_call call = draw_runs(first + i + c);

            runs_open(&runs[c], backend, &call);
        }
        for (unsigned c = 0; c < CALLS; c++)
            cr_assert_eq(runs_enqueue(&runs[c]), WINNOW_OK, "%s",
                         winnow_last_error());
        for (unsigned c = 0; c < CALLS; c++)
            MUST(runs_close(&runs[c], report));
    }
}

GPU_TEST(segmented, schedules) {
    static const winnow_type types[] = {WINNOW_INT8, WINNOW_UINT16,
                                        WINNOW_FLOAT32, WINNOW_INT64};
    const uint64_t first = simt_first_seed(10200);

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned i = 0; i < simt_trials(SEEDS); i++) {
        const uint64_t seed = first + i;
        const struct segmented_call call = segmented_draw(
            seed, sizes[data_random(seed, 31) % 6], types[seed % 4]);

        simt_seed(seed);
        simt_pattern(~seed);
        MUST(segmented_run(backend, &call, report));
    }
}

/* Captured with the context's memory, and replayed. */
GPU_TEST(unique, graph) {
    struct runs_call call = runs_draw(10300, 30000, 4, 8);
    struct report text = {{0}};
    struct runs runs;
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    call.in_ahead = 0;
    runs_open(&runs, backend, &call);
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    cr_assert_eq(runs_enqueue(&runs), WINNOW_OK, "%s", winnow_last_error());
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (unsigned replay = 0; replay < 3; replay++)
        GPU_MUST(cudaGraphLaunch(exec, backend->stream));
    cr_assert(runs_close(&runs, &text), "%s", text.text);
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
}

/* ----------------------------------------------------------------- records */

/* Around the tiles, of 49152 bytes, of all three sizes. */
static struct records_call draw_records(uint64_t seed) {
    static const uint64_t bytes[] = {64, 3072, 49152, 98368, 200000, 330000};
    const size_t size = (size_t)16 << data_random(seed, 31) % 3;

    struct records_call call =
        records_draw(seed, bytes[data_random(seed, 32) % 6] / size, size);

    call.limited = data_random(seed, 33) % 3 == 0;
    call.same_word = call.limited && data_random(seed, 34) % 2 == 0;
    return call;
}

/* Two calls that nobody waits for between, some of them in place. */
GPU_TEST(records, schedules) {
    const uint64_t first = simt_first_seed(10400);

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned i = 0; i < simt_trials(2 * SEEDS); i++) {
        struct records records[CALLS];

        simt_seed(first + i);
        simt_pattern(~(first + i));
        for (unsigned c = 0; c < CALLS; c++) {
            const struct records_call call = draw_records(first + i + c);

            records_open(&records[c], backend, &call);
        }
        for (unsigned c = 0; c < CALLS; c++)
            cr_assert_eq(records_enqueue(&records[c]), WINNOW_OK, "%s",
                         winnow_last_error());
        for (unsigned c = 0; c < CALLS; c++)
            MUST(records_close(&records[c], report));
    }
}

/* Captured with the context's memory, and replayed. */
GPU_TEST(records, graph) {
    struct records_call call = records_draw(10600, 9000, 32);
    struct report text = {{0}};
    struct records records;
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    call.in_place = false;
    records_open(&records, backend, &call);
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    cr_assert_eq(records_enqueue(&records), WINNOW_OK, "%s",
                 winnow_last_error());
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (unsigned replay = 0; replay < 3; replay++)
        GPU_MUST(cudaGraphLaunch(exec, backend->stream));
    cr_assert(records_close(&records, &text), "%s", text.text);
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
}

/* ----------------------------------------------------------------- columns */

static struct keyed_columns_call draw_keyed(uint64_t seed) {
    static const winnow_type types[] = {WINNOW_INT8, WINNOW_BFLOAT16,
                                        WINNOW_FLOAT32, WINNOW_UINT64};
    static const uint64_t keyed_sizes[] = {1,     255,   4096,  6145,
                                           12289, 24576, 41000, 50000};

    return keyed_columns_draw(seed, keyed_sizes[data_random(seed, 31) % 8],
                              types[data_random(seed, 32) % 4]);
}

/* Two calls that nobody waits for between. */
GPU_TEST(keyed_columns, schedules) {
    const uint64_t first = simt_first_seed(10700);

    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (unsigned i = 0; i < simt_trials(2 * SEEDS); i++) {
        struct keyed_columns columns[CALLS];

        simt_seed(first + i);
        simt_pattern(~(first + i));
        for (unsigned c = 0; c < CALLS; c++) {
            const struct keyed_columns_call call = draw_keyed(first + i + c);

            keyed_columns_open(&columns[c], backend, &call);
        }
        for (unsigned c = 0; c < CALLS; c++)
            cr_assert_eq(keyed_columns_enqueue(&columns[c]), WINNOW_OK, "%s",
                         winnow_last_error());
        for (unsigned c = 0; c < CALLS; c++)
            MUST(keyed_columns_close(&columns[c], report));
    }
}

/* Captured with the context's memory and with the caller's, and replayed. */
GPU_TEST(keyed_columns, graph) {
    cut_into(backend, WINNOW__SHAPE_tile_scan_large);
    for (int asks = 0; asks < 2; asks++) {
        struct keyed_columns_call call =
            keyed_columns_draw(10900, 30000, WINNOW_INT32);
        struct report text = {{0}};
        struct keyed_columns columns;
        cudaGraphExec_t exec;
        cudaGraph_t graph;

        call.asks = asks != 0;
        call.number = 3;
        call.columns[0] = (struct keyed_column){.bytes = 8};
        call.columns[1] = (struct keyed_column){.bytes = 4, .is_key = true};
        call.columns[2] = (struct keyed_column){.bytes = 5};
        keyed_columns_open(&columns, backend, &call);
        GPU_MUST(cudaStreamBeginCapture(backend->stream,
                                        cudaStreamCaptureModeGlobal));
        cr_assert_eq(keyed_columns_enqueue(&columns), WINNOW_OK, "%s",
                     winnow_last_error());
        GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
        GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
        for (unsigned replay = 0; replay < 3; replay++)
            GPU_MUST(cudaGraphLaunch(exec, backend->stream));
        cr_assert(keyed_columns_close(&columns, &text), "%s", text.text);
        GPU_MUST(cudaGraphExecDestroy(exec));
        GPU_MUST(cudaGraphDestroy(graph));
    }
}
