/*
 * accumulate_by_key, over numbers of keys, how they are distributed, and
 * components.
 *
 * Keys and values are made on the host. Values are 1 and -1, so that floats are
 * exact; the check is a sum over all sums, each times a number of its own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run.h"

#include "keys.h"
#include "progress.h"
#include "util.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_COMPONENTS = 16,
    PIECE = 1 << 20 /* elements that are copied at a time */
};

/* A point of the grid. */
typedef struct point {
    bench_run *run;
    winnow_type type;
    uint64_t n, keys;
    const bench_key_pattern *pattern;
    unsigned components;

    uint32_t *host_keys;
    void *d_keys, *d_values, *d_out;
    uint64_t expected;
    /* Of a call. */
    size_t workspace_bytes;
} point;

/* -------------------------------------------------------------------- data */

static bool is_negative(uint64_t i, unsigned component) {
    return bench_random(2 + component, i) & 1;
}

static void put(winnow_type type, void *to, uint64_t i, int value) {
    switch ((int)type) {
    case WINNOW_FLOAT32:
        ((float *)to)[i] = (float)value;
        break;
    case WINNOW_FLOAT64:
        ((double *)to)[i] = value;
        break;
    case WINNOW_INT64:
    case WINNOW_UINT64:
        ((int64_t *)to)[i] = value;
        break;
    default:
        ((int32_t *)to)[i] = value;
    }
}

static int64_t get(winnow_type type, const void *from, uint64_t i) {
    switch ((int)type) {
    case WINNOW_FLOAT32:
        return (int64_t)((const float *)from)[i];
    case WINNOW_FLOAT64:
        return (int64_t)((const double *)from)[i];
    case WINNOW_INT64:
    case WINNOW_UINT64:
        return ((const int64_t *)from)[i];
    default:
        return ((const int32_t *)from)[i];
    }
}

/* Where component j of a key's sums is, in elements. */
static uint64_t place(const point *p, uint64_t key, unsigned j) {
    return p->run->options.columns ? j * p->keys + key
                                   : key * p->components + j;
}

static void fill_values(point *p) {
    const size_t size = winnow_type_size(p->type);
    void *column = bench_alloc(p->n * size);
    p->expected = 0;
    for (unsigned j = 0; j < p->components; j++) {
        for (uint64_t i = 0; i < p->n; i++) {
            const int value = is_negative(i, j) ? -1 : 1;
            put(p->type, column, i, value);
            p->expected += (uint64_t)(int64_t)value *
                           bench_random(9, place(p, p->host_keys[i], j));
        }
        p->run->platform.store((char *)p->d_values + j * p->n * size, column,
                               p->n * size);
    }
    free(column);
}

static uint64_t sums(const point *p) {
    return p->keys * p->components;
}

static void clear(const point *p) {
    const size_t size = winnow_type_size(p->type);
    void *zeros = bench_alloc(PIECE * size);
    memset(zeros, 0, PIECE * size);
    for (uint64_t i = 0; i < sums(p); i += PIECE) {
        const uint64_t left = sums(p) - i;
        p->run->platform.store((char *)p->d_out + i * size, zeros,
                               (left < PIECE ? left : PIECE) * size);
    }
    free(zeros);
}

static bool is_right(const point *p) {
    const size_t size = winnow_type_size(p->type);
    void *piece = bench_alloc(PIECE * size);
    uint64_t found = 0;
    for (uint64_t i = 0; i < sums(p); i += PIECE) {
        const uint64_t left = sums(p) - i;
        const uint64_t number = left < PIECE ? left : PIECE;
        p->run->platform.fetch(piece, (char *)p->d_out + i * size,
                               number * size);
        for (uint64_t k = 0; k < number; k++)
            found += (uint64_t)get(p->type, piece, k) * bench_random(9, i + k);
    }
    free(piece);
    return found == p->expected;
}

static void open_point(point *p) {
    const bench_platform *platform = &p->run->platform;
    const size_t size = winnow_type_size(p->type);
    if (p->keys > UINT64_C(1) << 32)
        bench_fail("--keys: more than 2^32");
    p->host_keys = bench_alloc(p->n * sizeof *p->host_keys);
    p->d_keys = platform->alloc(p->n * sizeof *p->host_keys);
    p->d_values = platform->alloc(p->n * p->components * size);
    p->d_out = platform->alloc(sums(p) * size);
    bench_fill_keys(p->pattern, p->keys, p->host_keys, p->n);
    platform->store(p->d_keys, p->host_keys, p->n * sizeof *p->host_keys);
    fill_values(p);
}

static void close_point(point *p) {
    const bench_platform *platform = &p->run->platform;
    platform->release(p->d_keys);
    platform->release(p->d_values);
    platform->release(p->d_out);
    free(p->host_keys);
}

/* ------------------------------------------------------------------- calls */

static winnow_status call(const void *state, const winnow_launch *launch) {
    const point *const p = state;
    const size_t size = winnow_type_size(p->type);
    const winnow_in keys = {.type = WINNOW_UINT32, .d_base = p->d_keys};
    winnow_in values[MOST_COMPONENTS];
    winnow_out out[MOST_COMPONENTS];
    for (unsigned j = 0; j < p->components; j++) {
        values[j] = (winnow_in){
            .type = p->type, .d_base = (char *)p->d_values + j * p->n * size};
        out[j] = (winnow_out){
            .type = p->type,
            .d_base = (char *)p->d_out + place(p, 0, j) * size,
            .stride_bytes =
                (int64_t)((place(p, 1, j) - place(p, 0, j)) * size)};
    }
    return winnow_accumulate_by_key(p->run->context, &keys, values,
                                    p->components, p->n, p->keys, out, NULL,
                                    launch);
}

static void run_point(void *state, winnow_stream stream) {
    const point *const p = state;
    winnow_launch launch = {.size = sizeof launch};
    if (!p->run->options.pool) {
        launch.d_workspace = p->run->d_workspace;
        launch.workspace_bytes = p->workspace_bytes;
    }
    bench_enqueue(call, "winnow_accumulate_by_key", p, launch, stream);
}

static void reserve_workspace(point *p) {
    winnow_plan plan;
    bench_check(bench_plan(call, p,
                           (winnow_launch){.size = sizeof(winnow_launch)},
                           &plan),
                "a plan of winnow_accumulate_by_key");
    p->workspace_bytes = plan.workspace_bytes;
    bench_run_reserve_workspace(p->run, p->workspace_bytes);
}

static void measure(point *p) {
    bench_run *const run = p->run;
    const size_t size = winnow_type_size(p->type);
    const bench_job job = {run_point, p, 1};
    const char *const name =
        run->platform.ordinal == WINNOW_DEVICE_HOST ? "host" : "auto";
    bench_times times;
    reserve_workspace(p);
    clear(p);
    run_point(p, run->platform.stream);
    run->platform.synchronize();
    const bool right = is_right(p);
    bench_measure(&run->platform, &job, 1, false, run->options.seconds,
                  BENCH_FEWEST_RUNS, &times);
    const bench_row row = {.op = "accumulate_by_key",
                           .strategy = name,
                           .chosen = name,
                           .type = p->type,
                           .n = p->n,
                           .selectivity = -1,
                           .pattern = p->pattern->name,
                           .kept = p->n,
                           .bytes =
                               p->n * (sizeof(uint32_t) + p->components * size),
                           .cache = "warm",
                           .launch = bench_launch_name(BENCH_PLAIN),
                           .workspace = run->options.pool ? "pool" : "caller",
                           .hint = -1,
                           .times = times,
                           .copy_s = -1,
                           .copy_fraction = -1,
                           .empty_s = -1,
                           .clock_s = -1,
                           .cub_s = -1,
                           .right = right,
                           .keys = p->keys,
                           .components = p->components};
    bench_report_row(&run->report, &row);
}

/* ------------------------------------------------------------------- grid */

static void visit_keys(point *p) {
    const bench_options *o = &p->run->options;
    for (unsigned d = 0; d < o->key_pattern_count; d++)
        for (unsigned k = 0; k < o->key_count; k++)
            for (unsigned c = 0; c < o->component_count; c++) {
                p->pattern = &o->key_patterns[d];
                p->keys = o->keys[k];
                p->components = o->components[c];
                bench_progress_step(p->type, p->n, p->pattern->name, -1);
                open_point(p);
                measure(p);
                close_point(p);
            }
}

void bench_run_accumulate(bench_run *run) {
    const bench_options *o = &run->options;
    if (o->launches != BENCH_PLAIN)
        bench_fail("accumulate_by_key: --launch plain alone");
    bench_progress_begin(o->type_count * o->size_count * o->key_pattern_count *
                         o->key_count * o->component_count);
    for (unsigned t = 0; t < o->type_count; t++)
        for (unsigned z = 0; z < o->size_count; z++) {
            point p = {.run = run, .type = o->types[t], .n = o->sizes[z]};
            if (o->sizes_in_bytes)
                p.n /= sizeof(uint32_t);
            if (p.n == 0)
                bench_fail("--bytes is less than one key");
            visit_keys(&p);
        }
    bench_progress_end();
}
