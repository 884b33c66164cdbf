/*
 * partition_by_key beside CUB's radix sort over the same bits: keys alone, and
 * with a column of 4 bytes. The field is the keys' lowest bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "contender.h"

#include "keys.h"
#include "peer.h"
#include "util.h"

#include <stdio.h>
#include <stdlib.h>

/* One point: an input, a number of parts, and who partitions. */
typedef struct point {
    bench_run *run;
    const bench_cell *cell;
    const bench_key_pattern *pattern;
    unsigned bits;
    bool pairs;
    winnow_order order;
    const bench_peer *peer; /* NULL: ours */
    void *d_column, *d_column_out;
    uint64_t *d_offsets;
    size_t workspace_bytes;
} point;

static winnow_status call(const void *state, const winnow_launch *launch) {
    const point *const p = state;
    const bench_run *const run = p->run;
    const winnow_in keys = {.type = p->cell->type, .d_base = run->d_in};
    const winnow_digit digit = {.bits = p->bits};
    const winnow_move moves[] = {
        {.d_in = run->d_in,
         .d_out = run->d_out,
         .element_bytes = winnow_type_size(p->cell->type)},
        {.d_in = p->d_column,
         .d_out = p->d_column_out,
         .element_bytes = sizeof(uint32_t)}};
    return winnow_partition_by_key(run->context, &keys, p->cell->n, &digit,
                                   moves, p->pairs ? 2 : 1, p->d_offsets,
                                   launch);
}

static void sort(point *p, void *d_temp, winnow_stream stream) {
    p->peer->sort(p->cell->type, p->bits, d_temp, &p->workspace_bytes,
                  p->run->d_in, p->run->d_out, p->pairs ? p->d_column : NULL,
                  p->d_column_out, p->cell->n, stream);
}

static void run_point(void *state, winnow_stream stream) {
    point *const p = state;
    winnow_launch launch = {.size = sizeof launch, .order = p->order};
    if (p->peer != NULL) {
        sort(p, p->run->d_workspace, stream);
        return;
    }
    launch.workspace_bytes = p->workspace_bytes;
    launch.d_workspace = p->workspace_bytes != 0 ? p->run->d_workspace : NULL;
    bench_enqueue(call, "winnow_partition_by_key", p, launch, stream);
}

static void reserve_workspace(point *p) {
    const winnow_launch launch = {.size = sizeof launch, .order = p->order};
    winnow_plan plan;
    if (p->peer != NULL) {
        sort(p, NULL, p->run->platform.stream);
    } else {
        bench_check(bench_plan(call, p, launch, &plan),
                    "a plan of winnow_partition_by_key");
        p->workspace_bytes = plan.workspace_bytes;
    }
    bench_run_reserve_workspace(p->run, p->workspace_bytes);
}

/* ------------------------------------------------------------------ result */

/* Are the keys of each part where the offsets say? Of CUB's, which gives none:
 * do the fields ascend? */
static bool is_in_order(const point *p, const uint64_t *offsets) {
    const uint64_t n = p->cell->n;
    const uint32_t size = (uint32_t)winnow_type_size(p->cell->type);
    const uint64_t mask = (UINT64_C(1) << p->bits) - 1;
    void *const keys = bench_alloc(n * size);
    bool right = true;
    uint64_t last = 0;
    p->run->platform.fetch(keys, p->run->d_out, n * size);
    for (uint64_t i = 0; i < n && right; i++) {
        const uint64_t part = bench_load(keys, size, i) & mask;
        right = part >= last && (offsets == NULL ||
                                 (offsets[part] <= i && i < offsets[part + 1]));
        last = part;
    }
    free(keys);
    return right;
}

/* And are they all there, and the column's elements? */
static bool check(const point *p, const bench_job *job) {
    const bench_platform *const platform = &p->run->platform;
    const uint64_t n = p->cell->n;
    const uint32_t size = (uint32_t)winnow_type_size(p->cell->type);
    const size_t bytes = ((UINT64_C(1) << p->bits) + 1) * sizeof(uint64_t);
    uint64_t *const offsets = bench_alloc(bytes);
    platform->poison(p->run->d_out, n * size);
    platform->poison(p->d_column_out, n * sizeof(uint32_t));
    job->run(job->state, platform->stream);
    platform->synchronize();
    platform->fetch(offsets, p->d_offsets, bytes);
    const bool right =
        is_in_order(p, p->peer == NULL ? offsets : NULL) &&
        platform->sum(p->run->d_out, size, n) ==
            platform->sum(p->run->d_in, size, n) &&
        (!p->pairs || platform->sum(p->d_column_out, sizeof(uint32_t), n) ==
                          platform->sum(p->d_column, sizeof(uint32_t), n));
    free(offsets);
    return right;
}

/* --------------------------------------------------------------------- rows */

/* What has to be moved: all in, and all out. */
static uint64_t bytes_of(const point *p) {
    return 2 * p->cell->n *
           (winnow_type_size(p->cell->type) + (p->pairs ? 4 : 0));
}

static double measure(point *p, const bench_baseline *baseline, double cub_s) {
    bench_run *const run = p->run;
    const bench_job plain = {run_point, p, 1};
    bench_times times;
    char op[48];
    reserve_workspace(p);
    bench_job job = bench_launched(run, p->cell, &plain);
    const bool right = check(p, &job);
    bench_measure(&run->platform, &job, 1, p->cell->cold, run->options.seconds,
                  BENCH_FEWEST_RUNS, &times);
    bench_launched_release(run, p->cell, &job);
    snprintf(op, sizeof op, "partition_by_key:%u%s", 1u << p->bits,
             p->pairs ? ":column" : "");
    const bench_row row = {
        .op = op,
        .order = winnow_order_name(p->order),
        .strategy = p->peer == NULL ? "auto" : NULL,
        .peer = p->peer != NULL ? p->peer->name() : NULL,
        .type = p->cell->type,
        .n = p->cell->n,
        .selectivity = 1,
        .pattern = p->pattern->name,
        .kept = p->cell->n,
        .bytes = bytes_of(p),
        .cache = p->cell->cold ? "cold" : "warm",
        .launch = bench_launch_name(p->cell->launch),
        .workspace = p->peer == NULL ? "caller" : NULL,
        .hint = -1,
        .times = times,
        .copy_s = baseline->copy_s,
        .copy_fraction = baseline->copy_s / times.midmean,
        .empty_s = baseline->empty_s,
        .clock_s = baseline->clock_s,
        .cub_s = cub_s,
        .right = right,
    };
    bench_report_row(&run->report, &row);
    return times.midmean;
}

static void visit_point(point *p) {
    const unsigned peers = p->run->options.peers;
    const bench_peer *const cub =
        peers & BENCH_PEER_CUB ? bench_peer_find(BENCH_PEER_CUB) : NULL;
    const bench_baseline baseline =
        bench_baseline_of(p->run, p->cell, bytes_of(p));
    double cub_s = -1;
    p->order = WINNOW_STABLE;
    if (cub != NULL && p->run->platform.ordinal != WINNOW_DEVICE_HOST) {
        p->peer = cub;
        cub_s = measure(p, &baseline, -1);
        p->peer = NULL;
    }
    if (p->run->options.orders & BENCH_STABLE)
        measure(p, &baseline, cub_s);
    p->order = WINNOW_UNORDERED;
    if (p->run->options.orders & BENCH_UNORDERED)
        measure(p, &baseline, cub_s);
}

/* -------------------------------------------------------------------- data */

/* The copy that calls are compared with moves a column, too: arrays of twice
 * the length have room for that. */
static void reserve_arrays(bench_run *run, const bench_cell *cell) {
    bench_cell longer = *cell;
    longer.n *= 2;
    bench_run_reserve_arrays(run, &longer, 1);
    bench_run_take_arrays(run, 0);
}

/* Random keys have other bits above the field, all others none. */
static void fill_keys(const point *p) {
    const bench_platform *const platform = &p->run->platform;
    const uint64_t n = p->cell->n;
    const bool wide = winnow_type_size(p->cell->type) == sizeof(uint64_t);
    if (p->pattern->shape == BENCH_KEYS_HASHED && p->pattern->run == 1) {
        platform->generate(&p->cell->data, p->run->d_in);
        return;
    }
    uint32_t *const keys = bench_alloc(n * sizeof *keys);
    bench_fill_keys(p->pattern, UINT64_C(1) << p->bits, keys, n);
    if (wide) {
        uint64_t *const wide_keys = bench_alloc(n * sizeof *wide_keys);
        for (uint64_t i = 0; i < n; i++)
            wide_keys[i] = keys[i];
        platform->store(p->run->d_in, wide_keys, n * sizeof *wide_keys);
        free(wide_keys);
    } else {
        platform->store(p->run->d_in, keys, n * sizeof *keys);
    }
    free(keys);
}

static unsigned bits_of(uint64_t parts) {
    unsigned bits = 0;
    while (UINT64_C(1) << bits < parts)
        bits++;
    if (parts != UINT64_C(1) << bits || bits < 1 || bits > 16)
        bench_fail("partition_by_key: --keys takes powers of two, 2 to 65536");
    return bits;
}

/* -------------------------------------------------------------------- grid */

static void visit_parts(point *p) {
    const bench_options *const o = &p->run->options;
    for (unsigned d = 0; d < o->key_pattern_count; d++)
        for (unsigned k = 0; k < o->key_count; k++) {
            p->pattern = &o->key_patterns[d];
            p->bits = bits_of(o->keys[k]);
            fill_keys(p);
            for (int pairs = 0; pairs < 2; pairs++) {
                p->pairs = pairs;
                visit_point(p);
            }
        }
}

static void visit(bench_run *run, const bench_cell *cell, void *user) {
    const bench_platform *const platform = &run->platform;
    const size_t bytes = cell->n * sizeof(uint32_t);
    bench_data data;
    (void)user;
    bench_data_init(&data, WINNOW_UINT32, cell->n, cell->selectivity,
                    cell->pattern);
    if (cell->type != WINNOW_UINT32 && cell->type != WINNOW_UINT64)
        bench_fail("partition_by_key takes uint32 and uint64");
    if (cell->launch != BENCH_PLAIN && cell->launch != BENCH_GRAPH)
        bench_fail("partition_by_key is measured with --launch plain or graph");
    point p = {.run = run,
               .cell = cell,
               .d_column = platform->alloc(bytes),
               .d_column_out = platform->alloc(bytes),
               .d_offsets = platform->alloc((WINNOW_PARTITION_MOST_PARTS + 1) *
                                            sizeof(uint64_t))};
    platform->generate(&data, p.d_column);
    reserve_arrays(run, cell);
    visit_parts(&p);
    platform->release(p.d_offsets);
    platform->release(p.d_column_out);
    platform->release(p.d_column);
}

void bench_run_partition(bench_run *run) {
    bench_run_each_cell(run, visit, NULL);
}
