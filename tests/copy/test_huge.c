/*
 * More elements than 31 and than 32 bits count.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "huge.h"
#include "oracle.h"
#include "reduced.h"
#include "strategies.h"
#include "suite.h"

/* Canary before the output; keeps it aligned. The poison behind it as well. */
#define GUARD 4096
#define POISON 0xdb

/* Device memory for one size, used by every strategy. */
struct huge {
    const struct backend *backend;
    uint64_t n;
    uint8_t *in;
    uint8_t *out;       /* GUARD bytes, n bytes, GUARD bytes */
    uint64_t *numbers;  /* results, and 256 bins from 16 on */
    uint64_t *offsets;  /* per chunk */
    uint8_t *keep;      /* per value */
    uint64_t bins[256]; /* of the input */
};
#define BINS_AT 16

static uint64_t number(const struct huge *huge, size_t at) {
    uint64_t value;

    backend_download(huge->backend, &value, huge->numbers + at, sizeof(value));
    return value;
}

static uint64_t bytes_needed(uint64_t n) {
    return 2 * n + 2 * GUARD + HUGE_CHUNKS(n) * 8 + 4096;
}

static void huge_open(struct huge *huge, const struct backend *backend,
                      uint64_t n) {
    *huge = (struct huge){.backend = backend, .n = n};
    huge->in = backend_alloc(backend, n);
    huge->out = backend_alloc(backend, n + 2 * GUARD);
    huge->numbers = backend_alloc(backend, (BINS_AT + 256) * 8);
    huge->offsets = backend_alloc(backend, HUGE_CHUNKS(n) * 8);
    huge->keep = backend_alloc(backend, 256);
    GPU_MUST(huge_fill(huge->in, n, backend->stream));
    GPU_MUST(
        huge_histogram(huge->in, n, huge->numbers + BINS_AT, backend->stream));
    backend_download(backend, huge->bins, huge->numbers + BINS_AT,
                     sizeof(huge->bins));
}

static void huge_close(struct huge *huge) {
    backend_free(huge->backend, huge->in);
    backend_free(huge->backend, huge->out);
    backend_free(huge->backend, huge->numbers);
    backend_free(huge->backend, huge->offsets);
    backend_free(huge->backend, huge->keep);
}

/* What the rule keeps, by value and in all. */
static uint64_t expect_bins(const struct huge *huge, const struct rule *rule,
                            uint64_t bins[256], uint8_t keep[256]) {
    uint64_t kept = 0;

    for (unsigned value = 0; value < 256; value++) {
        keep[value] = oracle_keeps(rule, value);
        bins[value] = keep[value] ? huge->bins[value] : 0;
        kept += bins[value];
    }
    return kept;
}

static uint64_t others(const struct huge *huge, const uint8_t *from,
                       uint64_t bytes) {
    GPU_MUST(huge_others(from, bytes, POISON, huge->numbers + 8,
                         huge->backend->stream));
    return number(huge, 8);
}

/* Where the survivors of each chunk belong, on the device. */
static void find_offsets(const struct huge *huge, const uint8_t keep[256]) {
    const uint64_t chunks = HUGE_CHUNKS(huge->n);
    uint64_t *offsets = must_alloc(chunks * sizeof(*offsets));
    uint64_t sum = 0;

    backend_upload(huge->backend, huge->keep, keep, 256);
    GPU_MUST(huge_chunk_counts(huge->in, huge->n, huge->keep, huge->offsets,
                               huge->backend->stream));
    backend_download(huge->backend, offsets, huge->offsets, chunks * 8);
    for (uint64_t i = 0; i < chunks; i++) {
        const uint64_t count = offsets[i];
        offsets[i] = sum;
        sum += count;
    }
    backend_upload(huge->backend, huge->offsets, offsets, chunks * 8);
    free(offsets);
}

/* CUB 2.8, which came with CUDA 12.9, was the first to take that many. */
static bool refused_by_cub(const struct huge *huge,
                           const struct strategy_row *row) {
    return CUDART_VERSION < 12090 && row->strategy == WINNOW_CUB_SCAN &&
           huge->n > INT32_MAX;
}

static void run_row(const struct huge *huge, const struct strategy_row *row) {
    const struct backend *backend = huge->backend;
    /* 3 of 256, or half of all. */
    const struct rule rule = {.type = WINNOW_UINT8,
                              .kind = RULE_COMPARE,
                              .compare = WINNOW_LT,
                              .low = row->slow ? 3 : 128};
    uint8_t *out = huge->out + GUARD;
    winnow_launch launch = {.size = sizeof(launch), .stream = backend->stream};
    uint64_t wanted[256], got[256], kept;
    winnow_predicate *predicate;
    winnow_status status;
    const char *error;
    uint8_t keep[256];
    char what[96];

    snprintf(what, sizeof(what), "uint8 x < %d, n %" PRIu64 ", %s %s",
             (int)rule.low, huge->n, winnow_strategy_name(row->strategy),
             winnow_order_name(row->order));
    kept = expect_bins(huge, &rule, wanted, keep);
    cr_assert_eq(rule_create(&rule, &predicate), WINNOW_OK);
    GPU_MUST(cudaMemsetAsync(huge->out, POISON, huge->n + 2 * GUARD,
                             backend->stream));
    launch.order = row->order;
    launch.strategy = row->strategy;
    status =
        winnow_copy_if(backend->context, predicate, WINNOW_UINT8, huge->in,
                       huge->n, out, WINNOW_NO_LIMIT, huge->numbers, &launch);
    winnow_predicate_destroy(predicate);
    if (refused_by_cub(huge, row)) {
        cr_assert_eq(status, WINNOW_ERR_UNSUPPORTED, "%s", what);
        return;
    }
    cr_assert_eq(status, WINNOW_OK, "%s: %s", what, winnow_last_error());
    error = backend_wait(backend);
    cr_assert_null(error, "%s: %s", what, error);

    cr_assert_eq(number(huge, 0), kept,
                 "%s: *d_count is %" PRIu64 ", wanted %" PRIu64, what,
                 number(huge, 0), kept);
    GPU_MUST(
        huge_histogram(out, kept, huge->numbers + BINS_AT, backend->stream));
    backend_download(backend, got, huge->numbers + BINS_AT, sizeof(got));
    cr_assert(memcmp(got, wanted, sizeof(got)) == 0,
              "%s: the output is not the survivors", what);
    cr_assert_eq(others(huge, huge->out, GUARD), 0,
                 "%s: bytes before the output were written", what);
    cr_assert_eq(others(huge, out + kept, huge->n - kept + GUARD), 0,
                 "%s: bytes after the survivors were written", what);
    if (row->stable) {
        find_offsets(huge, keep);
        GPU_MUST(huge_misplaced(huge->in, huge->n, huge->keep, huge->offsets,
                                out, huge->numbers + 8, backend->stream));
        cr_assert_eq(number(huge, 8), 0,
                     "%s: %" PRIu64 " survivors are out of order", what,
                     number(huge, 8));
    }
}

static void run_counts(const struct huge *huge) {
    const struct rule rule = {.type = WINNOW_UINT8,
                              .kind = RULE_COMPARE,
                              .compare = WINNOW_GE,
                              .low = 64};
    const struct backend *backend = huge->backend;
    double *d_selectivity = (double *)(huge->numbers + 1), selectivity;
    uint64_t wanted[256], kept;
    winnow_predicate *predicate;
    uint8_t keep[256];

    kept = expect_bins(huge, &rule, wanted, keep);
    cr_assert_eq(rule_create(&rule, &predicate), WINNOW_OK);
    cr_assert_eq(winnow_count_if(backend->context, predicate, WINNOW_UINT8,
                                 huge->in, huge->n, huge->numbers,
                                 WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(
        winnow_estimate_selectivity(backend->context, predicate, WINNOW_UINT8,
                                    huge->in, huge->n, d_selectivity,
                                    WINNOW_LAUNCH(.stream = backend->stream)),
        WINNOW_OK, "%s", winnow_last_error());
    winnow_predicate_destroy(predicate);
    cr_assert_null(backend_wait(backend));
    cr_assert_eq(number(huge, 0), kept, "count_if, n %" PRIu64, huge->n);
    backend_download(backend, &selectivity, d_selectivity, 8);
    cr_assert_float_eq(selectivity, 0.75, 0.01, "estimate %g, n %" PRIu64,
                       selectivity, huge->n);
}

static void run_size(const struct backend *backend, uint64_t full) {
    const uint64_t n = reduced_mode() ? full >> 16 : full;
    size_t available, total;
    struct huge huge;

    GPU_MUST(cudaMemGetInfo(&available, &total));
    /* What a strategy takes for itself besides. */
    if (bytes_needed(n) + (n >> 3) + (1 << 28) > available)
        cr_skip_test("%zu bytes of device memory are free, and n %" PRIu64
                     " needs %" PRIu64,
                     available, n, bytes_needed(n) + (n >> 3) + (1 << 28));
    huge_open(&huge, backend, n);
    FOR_EACH_STRATEGY(row, true)
    run_row(&huge, row);
    run_counts(&huge);
    huge_close(&huge);
}

GPU_TEST(huge, below_2_to_the_31) {
    run_size(backend, (UINT64_C(1) << 31) - 1);
}

GPU_TEST(huge, at_2_to_the_31) {
    run_size(backend, UINT64_C(1) << 31);
}

GPU_TEST(huge, above_2_to_the_32) {
    run_size(backend, (UINT64_C(1) << 32) + 7);
}
