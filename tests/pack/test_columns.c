/*
 * Many columns packed by one selection, in place or apart; output that begins
 * at a place that device memory has; numbers of items that it has.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "out_like.h"
#include "reduced.h"
#include "selected.h"
#include "suite.h"

#ifdef WINNOW_SIMT
#include "simt/simt.h"
#endif

#define MOST_COLUMNS 64
#define NOWHERE UINT64_MAX /* no position */

/* A number in memory of the backend. */
static uint64_t *put_number(const struct backend *backend, uint64_t value) {
    uint64_t *const at = backend_alloc(backend, sizeof(value));

    backend_upload(backend, at, &value, sizeof(value));
    return at;
}

static uint64_t take_number(const struct backend *backend, uint64_t *at) {
    uint64_t value;

    backend_download(backend, &value, at, sizeof(value));
    backend_free(backend, at);
    return value;
}

/* A column, and what its output should hold. */
struct column {
    size_t bytes;
    bool in_place;
    struct region in, out;
    unsigned char *values;
    unsigned char *wanted; /* of the output */
    size_t in_at, out_at;  /* where they begin */
    size_t room;           /* of the output, in bytes */
};

struct table {
    const struct backend *backend;
    uint64_t n;
    unsigned number;
    struct column columns[MOST_COLUMNS];
    winnow_move list[MOST_COLUMNS];
};

static void column_open(struct column *column, const struct backend *backend,
                        uint64_t n, uint64_t room, uint64_t seed) {
    column->in_at = REGION_GUARD + data_random(seed, 1) % 16;
    column->out_at = REGION_GUARD + data_random(seed, 2) % 16;
    if (data_random(seed, 3) % 2 == 0) { /* as elements of 1 to 8 bytes are */
        column->in_at &= ~(size_t)7;
        column->out_at &= ~(size_t)7;
    }
    column->room = (column->in_place ? n : room) * column->bytes;
    column->values = must_alloc(n * column->bytes);
    column->wanted = must_alloc(column->room);
    for (uint64_t i = 0; i < n * column->bytes; i++)
        column->values[i] = (unsigned char)data_random(seed + 1, i);
    region_open(&column->in, backend,
                n * column->bytes + 2 * REGION_GUARD + 16);
    region_poison(&column->in, column->in.bytes);
    region_write(&column->in, column->in_at, column->values, n * column->bytes);
    region_open(&column->out, backend, column->room + 2 * REGION_GUARD + 16);
    region_poison(&column->out, column->out.bytes);
    memset(column->wanted, 0, column->room);
    if (column->in_place)
        memcpy(column->wanted, column->values, n * column->bytes);
}

static void table_open(struct table *table, const struct backend *backend,
                       uint64_t n, uint64_t room, uint64_t seed) {
    table->backend = backend;
    table->n = n;
    for (unsigned c = 0; c < table->number; c++) {
        struct column *const column = &table->columns[c];

        column_open(column, backend, n, room, seed + 10 * c);
        table->list[c] = (winnow_move){
            .d_in = column->in.base + column->in_at,
            .d_out = column->in_place ? column->in.base + column->in_at
                                      : column->out.base + column->out_at,
            .element_bytes = column->bytes};
    }
}

static void table_close(struct table *table) {
    for (unsigned c = 0; c < table->number; c++) {
        region_close(&table->columns[c].in);
        region_close(&table->columns[c].out);
        free(table->columns[c].values);
        free(table->columns[c].wanted);
    }
}

/* The oracle: what is kept, from an offset on, below the capacity. Returns how
 * many elements were written. */
static uint64_t expect(struct table *table, const uint8_t *keep, uint64_t start,
                       uint64_t capacity) {
    uint64_t rank = 0;

    for (uint64_t i = 0; i < table->n; i++) {
        if (!keep[i] || start >= capacity || rank >= capacity - start)
            continue;
        for (unsigned c = 0; c < table->number; c++) {
            struct column *const column = &table->columns[c];

            memcpy(column->wanted + (start + rank) * column->bytes,
                   column->values + i * column->bytes, column->bytes);
        }
        rank++;
    }
    return rank;
}

/* Of the output, what was written is as wanted, and the rest as it was. */
static bool check_column(struct column *column, uint64_t start,
                         uint64_t written, struct report *report) {
    struct region *const out = column->in_place ? &column->in : &column->out;
    const size_t at = column->in_place ? column->in_at : column->out_at;
    const size_t from = at + start * column->bytes;
    const size_t to = from + written * column->bytes;

    region_fetch(out, out->bytes);
    if (memcmp(out->seen + from, column->wanted + start * column->bytes,
               to - from) != 0)
        return report_fail(report, "a column of %zu bytes%s is wrong",
                           column->bytes, column->in_place ? ", in place" : "");
    return region_untouched(out, "column", at, 0, from, report) &&
           region_untouched(out, "column", at, to, out->bytes, report);
}

static bool check_table(struct table *table, uint64_t start, uint64_t written,
                        struct report *report) {
    for (unsigned c = 0; c < table->number; c++)
        if (!check_column(&table->columns[c], start, written, report))
            return false;
    return true;
}

struct run {
    uint64_t n, position, capacity;
    const char *density;
    uint64_t seed;
    bool own_workspace; /* the context's, not the caller's */
};

static void table_run(struct table *table, struct selected *selected,
                      uint8_t *keep, const struct run *run) {
    const struct backend *const backend = selected->backend;
    const bool placed = run->position != NOWHERE;
    const uint64_t start = placed ? run->position : 0;
    const uint64_t room =
        placed || run->capacity < run->n ? run->capacity : run->n;
    uint64_t *const d_count = put_number(backend, 77);
    uint64_t *const d_position = put_number(backend, start);
    uint64_t kept, written;
    void *d_workspace = NULL;
    winnow_plan plan = {.size = sizeof(plan)};
    winnow_launch launch = {.size = sizeof(launch),
                            .stream = backend->stream,
                            .d_position = placed ? d_position : NULL};

    selected_fill(pattern_named(run->density), run->seed, run->n, keep);
    kept = selected_number(keep, run->n);
    MUST(selected_make(selected, keep, run->n, report));
    table_open(table, backend, run->n, room, run->seed);
    written = expect(table, keep, start, room);
    launch.plan = &plan;
    cr_assert_eq(winnow_compact_columns(backend->context, NULL, run->n,
                                        table->list, table->number,
                                        run->capacity, NULL, &launch),
                 WINNOW_OK, "%s", winnow_last_error());
    launch.plan = NULL;
    if (!run->own_workspace) {
        launch.d_workspace = d_workspace =
            backend_alloc(backend, plan.workspace_bytes + 16);
        launch.workspace_bytes = plan.workspace_bytes;
    }
    cr_assert_eq(winnow_compact_columns(backend->context, selected->d_selection,
                                        run->n, table->list, table->number,
                                        run->capacity, d_count, &launch),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    MUST(check_table(table, start, written, report));
    cr_assert_eq(take_number(backend, d_count), kept);
    cr_assert_eq(take_number(backend, d_position),
                 placed ? start + written : start);
    if (d_workspace != NULL)
        backend_free(backend, d_workspace);
    table_close(table);
}

static const char *const densities[] = {"uniform:0.5",  "all",       "none",
                                        "uniform:0.01", "runs:1024", "prefix"};
#define DENSITIES (sizeof(densities) / sizeof(densities[0]))

static struct table *table_of(const size_t *sizes, unsigned number,
                              uint64_t in_place) {
    struct table *const table = must_alloc(sizeof(*table));

    table->number = number;
    for (unsigned c = 0; c < number; c++)
        table->columns[c] = (struct column){
            .bytes = sizes[c], .in_place = (in_place >> c & 1) != 0};
    return table;
}

static const uint64_t edges[] = {0, 1, 31, 4095, 4096, 4097, 8200, 16385};

/* Some of the columns in place, at every size. */
static void run_sizes(const struct backend *backend, uint64_t in_place) {
    static const size_t sizes[] = {4, 1, 8, 2, 12, 16, 3, 4};
    struct table *const table = table_of(sizes, 8, in_place);
    struct selected selected;
    uint8_t keep[16385];

    selected_open(&selected, backend, 16385);
    for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
        for (size_t d = i % 2; d < DENSITIES; d += reduced_mode() ? 3 : 1) {
            const struct run run = {.n = edges[i],
                                    .position = NOWHERE,
                                    .capacity = WINNOW_NO_LIMIT,
                                    .density = densities[d],
                                    .seed = 700 + 10 * i + d,
                                    .own_workspace = d % 2 == 0};
            table_run(table, &selected, keep, &run);
        }
    selected_close(&selected);
    free(table);
}

BACKEND_TEST(columns, apart) {
    run_sizes(backend, 0);
}

BACKEND_TEST(columns, in_place) {
    run_sizes(backend, 255);
}

BACKEND_TEST(columns, some_in_place) {
    run_sizes(backend, 0x5a);
}

#ifdef WINNOW_SIMT
/* A kernel cannot be loaded, or the first one not be launched: no column is
 * packed in place. A later one: the status says that some may be. */
GPU_TEST(columns, failures) {
    static const char *const functions[] = {"cudaFuncGetAttributes",
                                            "cudaLaunchKernelExC"};
    static const size_t sizes[] = {4, 1, 8, 2, 12, 16, 3, 4};
    const uint64_t n = 9000;
    struct table *const table = table_of(sizes, 8, 0x7b);
    unsigned late = 0, loads = 0;
    uint8_t keep[9000];

    (void)backend;
    for (unsigned f = 0; f < 2; f++)
        for (unsigned k = 0, failed = 1; failed; k++) {
            struct backend fresh;
            struct selected selected;

            backend_open_gpu(&fresh);
            selected_open(&selected, &fresh, n);
            selected_fill(pattern_named("uniform:0.5"), 5, n, keep);
            MUST(selected_make(&selected, keep, n, report));
            table_open(table, &fresh, n, n, 6);
            const unsigned before = simt_calls(functions[f]);
            simt_fail(functions[f], cudaErrorMemoryAllocation, k);
            const winnow_status status = winnow_compact_columns(
                fresh.context, selected.d_selection, n, table->list,
                table->number, WINNOW_NO_LIMIT, NULL,
                WINNOW_LAUNCH(.stream = fresh.stream));
            failed = simt_calls(functions[f]) > before + k;
            simt_fail(functions[f], cudaSuccess, 0);
            cr_assert_null(backend_wait(&fresh));
            if (status == WINNOW_ERR_CUDA) {
                cr_assert_neq(f, 0u);
                late++;
            } else {
                cr_assert_eq(status, failed ? WINNOW_ERR_MEMORY : WINNOW_OK);
                const uint64_t written = failed ? 0 : expect(table, keep, 0, n);
                MUST(check_table(table, 0, written, report));
                loads += failed && f == 0;
            }
            table_close(table);
            selected_close(&selected);
            backend_close(&fresh);
        }
    cr_assert_geq(late, 2u);
    cr_assert_geq(loads, 4u);
    free(table);
}
#endif

/* Large rows: pieces in place are of 8 of them, or more. */
BACKEND_TEST(columns, large_rows) {
    static const size_t sizes[] = {4096, 100, 4095, 1024};
    struct table *const table = table_of(sizes, 4, 11);
    struct selected selected;
    uint8_t keep[300];

    selected_open(&selected, backend, 300);
    for (size_t d = 0; d < DENSITIES; d++) {
        const struct run run = {.n = 200 + 13 * d,
                                .position = NOWHERE,
                                .capacity = WINNOW_NO_LIMIT,
                                .density = densities[d],
                                .seed = 800 + d};
        table_run(table, &selected, keep, &run);
    }
    selected_close(&selected);
    free(table);
}

/* As many as there may be, of every kind. */
BACKEND_TEST(columns, most) {
    size_t sizes[MOST_COLUMNS];
    struct selected selected;
    struct table *table;
    uint8_t keep[5000];

    for (unsigned c = 0; c < MOST_COLUMNS; c++)
        sizes[c] = c % 3 == 0 ? 4 : 1 + data_random(900, c) % 20;
    table = table_of(sizes, MOST_COLUMNS, 0x123456789abcdefULL);
    selected_open(&selected, backend, 5000);
    for (size_t d = 0; d < 2; d++) {
        const struct run run = {.n = 5000 - d,
                                .position = NOWHERE,
                                .capacity = WINNOW_NO_LIMIT,
                                .density = densities[d],
                                .seed = 900 + d};
        table_run(table, &selected, keep, &run);
    }
    selected_close(&selected);
    free(table);
}

/* Capacities, in place, too: what is behind is left as it was. */
BACKEND_TEST(columns, capacities) {
    static const size_t sizes[] = {4, 1, 24, 8};
    struct table *const table = table_of(sizes, 4, 9);
    struct selected selected;
    uint8_t keep[9000];

    selected_open(&selected, backend, 9000);
    for (size_t d = 0; d < DENSITIES; d++)
        for (uint64_t capacity = 0; capacity < 9000;
             capacity = 5 * capacity + 1 + d) {
            const struct run run = {.n = 9000,
                                    .position = NOWHERE,
                                    .capacity = capacity,
                                    .density = densities[d],
                                    .seed = 910 + d};
            table_run(table, &selected, keep, &run);
        }
    selected_close(&selected);
    free(table);
}

/* Output that begins somewhere; at the end, and behind it. */
BACKEND_TEST(columns, positions) {
    static const size_t sizes[] = {4, 1, 8, 2, 12};
    static const uint64_t positions[] = {0, 1, 3, 4000, 6000, 6001};
    struct table *const table = table_of(sizes, 5, 0);
    struct selected selected;
    uint8_t keep[5000];

    selected_open(&selected, backend, 5000);
    for (size_t d = 0; d < DENSITIES; d++)
        for (size_t p = 0; p < 6; p++) {
            const struct run run = {.n = 5000,
                                    .position = positions[p],
                                    .capacity = 6000,
                                    .density = densities[d],
                                    .seed = 920 + d};
            if (positions[p] <= 6000)
                table_run(table, &selected, keep, &run);
        }
    selected_close(&selected);
    free(table);
}

/* ------------------------------------------------- indices at a position */

static void run_indices(struct selected *selected, const uint8_t *keep,
                        uint64_t n, uint64_t position, uint64_t capacity) {
    const struct backend *const backend = selected->backend;
    uint32_t *const d_indices = backend_alloc(backend, capacity * 4 + 4);
    uint32_t *const seen = must_alloc(capacity * 4 + 4);
    uint64_t *const d_position = put_number(backend, position);
    uint64_t at = position;

    memset(seen, 0xee, capacity * 4 + 4);
    backend_upload(backend, d_indices, seen, capacity * 4 + 4);
    cr_assert_eq(winnow_compact_index(backend->context, selected->d_selection,
                                      n, WINNOW_UINT32, d_indices, capacity,
                                      NULL,
                                      WINNOW_LAUNCH(.stream = backend->stream,
                                                    .d_position = d_position)),
                 WINNOW_OK, "%s", winnow_last_error());
    backend_download(backend, seen, d_indices, capacity * 4 + 4);
    for (uint64_t i = 0; i < n; i++)
        if (keep[i] && at < capacity)
            cr_assert_eq(seen[at++], i);
    cr_assert_eq(take_number(backend, d_position), at);
    for (uint64_t i = 0; i <= capacity; i++)
        if (i < position || i >= at)
            cr_assert_eq(seen[i], 0xeeeeeeee);
    free(seen);
    backend_free(backend, d_indices);
}

BACKEND_TEST(columns, index_positions) {
    static const uint64_t capacities[] = {0, 1, 100, 4500, 9000};
    uint8_t keep[5000];
    struct selected selected;

    selected_open(&selected, backend, 5000);
    for (size_t d = 0; d < DENSITIES; d++) {
        selected_fill(pattern_named(densities[d]), 930 + d, 5000, keep);
        MUST(selected_make(&selected, keep, 5000, report));
        for (size_t c = 0; c < 5; c++)
            for (uint64_t position = 0; position < 9000;
                 position = 7 * position + 1)
                run_indices(&selected, keep, 5000, position, capacities[c]);
    }
    selected_close(&selected);
}

/* ------------------------------------------------------- numbers of items */

/* So many of n items are there; the column is of bytes of 1, in elements of
 * `size`, and so is the mask. */
/* What is not kept of the items that there are: no other is rejected. */
static void reject_number(struct selected *selected, uint8_t *keep, uint64_t n,
                          uint64_t there, const uint64_t *d_n) {
    const struct backend *const backend = selected->backend;
    uint8_t *const in = must_alloc(n), *const out = must_alloc(n);
    uint8_t *const d_in = backend_alloc(backend, n);
    uint8_t *const d_out = backend_alloc(backend, n);
    const winnow_in bytes = {.type = WINNOW_UINT8, .d_base = d_in};
    uint64_t rejected = 0;

    for (uint64_t i = 0; i < n; i++)
        in[i] = (uint8_t)(i % 251);
    memset(out, 0xee, n);
    backend_upload(backend, d_in, in, n);
    backend_upload(backend, d_out, out, n);
    cr_assert_eq(
        winnow_split(backend->context, selected->d_selection, &bytes, n,
                     OUT_LIKE(bytes, NULL), 0, OUT_LIKE(bytes, d_out), n, NULL,
                     WINNOW_LAUNCH(.stream = backend->stream, .d_n = d_n)),
        WINNOW_OK, "%s", winnow_last_error());
    backend_download(backend, out, d_out, n);
    for (uint64_t i = 0; i < n && i < there; i++)
        if (!keep[i])
            cr_assert_eq(out[rejected++], in[i]);
    for (uint64_t i = rejected; i < n; i++)
        cr_assert_eq(out[i], 0xee);
    cr_assert_eq(winnow_selection_not(
                     backend->context, selected->d_selection, n,
                     selected->d_selection, selected->bytes,
                     WINNOW_LAUNCH(.stream = backend->stream, .d_n = d_n)),
                 WINNOW_OK, "%s", winnow_last_error());
    for (uint64_t i = 0; i < n; i++)
        keep[i] = i < there && !keep[i];
    MUST(selected_check(selected, keep, report));
    backend_free(backend, d_in);
    backend_free(backend, d_out);
    free(in);
    free(out);
}

static void run_number(struct selected *selected, uint8_t *keep, uint64_t n,
                       uint64_t there, size_t size, unsigned offset) {
    const struct backend *const backend = selected->backend;
    static const winnow_type types[] = {[1] = WINNOW_UINT8,
                                        [2] = WINNOW_UINT16,
                                        [4] = WINNOW_UINT32,
                                        [8] = WINNOW_UINT64};
    const uint64_t zero = 0;
    unsigned char *const in = must_alloc(n * 8 + 64);
    unsigned char *const d_in = backend_alloc(backend, n * 8 + 64);
    uint64_t *const d_n = put_number(backend, there);
    winnow_predicate *not_zero;

    memset(in, 1, n * 8 + 64);
    backend_upload(backend, d_in, in, n * 8 + 64);
    for (uint64_t i = 0; i < n; i++)
        keep[i] = i < there;
    selected_prepare(selected, n);
    if (size == 0) { /* a mask of bits: 1 of 8 is set */
        for (uint64_t i = 0; i < n; i++)
            keep[i] = i < there && (offset + i) % 8 == 0;
        cr_assert_eq(winnow_select_flagged(
                         backend->context,
                         &(winnow_mask){.kind = WINNOW_MASK_BITS,
                                        .d_flags = d_in,
                                        .offset = offset},
                         n, selected->d_selection, selected->bytes,
                         WINNOW_LAUNCH(.stream = backend->stream, .d_n = d_n)),
                     WINNOW_OK, "%s", winnow_last_error());
    } else {
        cr_assert_eq(
            winnow_predicate_compare(&not_zero, types[size], WINNOW_NE, &zero),
            WINNOW_OK);
        cr_assert_eq(winnow_select_if(
                         backend->context, not_zero, types[size],
                         d_in + offset * size, n, selected->d_selection,
                         selected->bytes,
                         WINNOW_LAUNCH(.stream = backend->stream, .d_n = d_n)),
                     WINNOW_OK, "%s", winnow_last_error());
        winnow_predicate_destroy(not_zero);
    }
    MUST(selected_check(selected, keep, report));
    reject_number(selected, keep, n, there, d_n);
    cr_assert_eq(take_number(backend, d_n), there);
    backend_free(backend, d_in);
    free(in);
}

BACKEND_TEST(columns, LONG(numbers_of_items)) {
    static const uint64_t there[] = {0,    1,    5,    31,   32,    33,
                                     4095, 4096, 4097, 8999, 12288, UINT64_MAX};
    static const size_t sizes[] = {0, 1, 2, 4, 8};
    uint8_t keep[13000];
    struct selected selected;

    selected_open(&selected, backend, 13000);
    for (size_t i = 0; i < sizeof(there) / sizeof(there[0]); i++)
        for (size_t s = 0; s < 5; s++)
            run_number(&selected, keep, i % 2 == 0 ? 13000 : 9000, there[i],
                       sizes[s], (unsigned)((i + s) % 5));
    selected_close(&selected);
}

/* Two filters, one after the other, with no look of the host's in between: the
 * second one knows its input's number from the first one's count, and appends
 * to what is there. */
BACKEND_TEST(columns, chained_filters) {
    enum {
        N = 20000,
        BEFORE = 17
    };
    const uint32_t below = 600, above = 200;
    uint32_t *const x = must_alloc(N * 4), *const y = must_alloc(N * 4);
    uint32_t *const d_x = backend_alloc(backend, N * 4);
    uint32_t *const d_y = backend_alloc(backend, N * 4);
    uint32_t *const d_z = backend_alloc(backend, N * 4);
    uint64_t *const d_first = put_number(backend, 0);
    uint64_t *const d_position = put_number(backend, BEFORE);
    winnow_predicate *is_below, *is_above;
    struct selected selected;
    uint64_t first = 0, at = BEFORE;

    selected_open(&selected, backend, N);
    selected_prepare(&selected, N);
    for (unsigned i = 0; i < N; i++) {
        x[i] = (uint32_t)(data_random(940, i) % 1000);
        y[i] = 400; /* what the second filter must not take for items */
    }
    backend_upload(backend, d_x, x, N * 4);
    backend_upload(backend, d_y, y, N * 4);
    backend_upload(backend, d_z, y, N * 4);
    cr_assert_eq(
        winnow_predicate_compare(&is_below, WINNOW_UINT32, WINNOW_LT, &below),
        WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_compare(&is_above, WINNOW_UINT32, WINNOW_GT, &above),
        WINNOW_OK);
    cr_assert(
        winnow_select_if(backend->context, is_below, WINNOW_UINT32, d_x, N,
                         selected.d_selection, selected.bytes,
                         WINNOW_LAUNCH(.stream = backend->stream)) ==
                WINNOW_OK &&
            winnow_compact(backend->context, selected.d_selection, d_x, N, 4,
                           d_y, N, d_first,
                           WINNOW_LAUNCH(.stream = backend->stream)) ==
                WINNOW_OK &&
            winnow_select_if(backend->context, is_above, WINNOW_UINT32, d_y, N,
                             selected.d_selection, selected.bytes,
                             WINNOW_LAUNCH(.stream = backend->stream,
                                           .d_n = d_first)) == WINNOW_OK &&
            winnow_compact(
                backend->context, selected.d_selection, d_y, N, 4, d_z, N, NULL,
                WINNOW_LAUNCH(.stream = backend->stream,
                              .d_position = d_position)) == WINNOW_OK,
        "%s", winnow_last_error());
    backend_download(backend, y, d_z, N * 4);
    for (unsigned i = 0; i < N; i++) {
        first += x[i] < below;
        if (x[i] < below && x[i] > above)
            cr_assert_eq(y[at++], x[i], "item %u", i);
    }
    cr_assert_eq(take_number(backend, d_first), first);
    cr_assert_eq(take_number(backend, d_position), at);
    for (uint64_t i = 0; i < N; i++)
        if (i < BEFORE || i >= at)
            cr_assert_eq(y[i], 400u);
    winnow_predicate_destroy(is_below);
    winnow_predicate_destroy(is_above);
    selected_close(&selected);
    backend_free(backend, d_x);
    backend_free(backend, d_y);
    backend_free(backend, d_z);
    free(x);
    free(y);
}

#ifndef WINNOW_SIMT
/* So many items that the host's threads share them: masks of bits, of which two
 * tiles have flags in one byte, and back. */
Test(columns, host_threads) {
    enum {
        N = 700001,
        OFFSET = 5
    };
    uint8_t *const keep = must_alloc(N), *const mask = must_alloc(N);
    struct selected selected;
    struct backend backend;

    backend_open_host(&backend);
    cr_assert_eq(winnow_context_set_threads(backend.context, 4), WINNOW_OK);
    selected_open(&selected, &backend, N);
    for (int bits = 0; bits < 2; bits++) {
        const winnow_mask_kind kind =
            bits ? WINNOW_MASK_BITS : WINNOW_MASK_BYTES;

        selected_fill(pattern_named("uniform:0.5"), 950, N, keep);
        MUST(selected_make(&selected, keep, N, report));
        cr_assert_eq(winnow_selection_to_mask(backend.context,
                                              selected.d_selection, N - OFFSET,
                                              kind, mask, OFFSET, NULL),
                     WINNOW_OK, "%s", winnow_last_error());
        for (unsigned i = 0; i < N - OFFSET; i++)
            cr_assert_eq(bits ? mask[(OFFSET + i) / 8] >> (OFFSET + i) % 8 & 1
                              : mask[OFFSET + i],
                         keep[i] != 0, "item %u", i);
    }
    selected_close(&selected);
    backend_close(&backend);
    free(keep);
    free(mask);
}
#endif

/* ---------------------------------------------------------------- bad input */

#define WRONG(call, text)                                                      \
    do {                                                                       \
        cr_assert_eq((call), WINNOW_ERR_ARGUMENT);                             \
        cr_assert_str_eq(winnow_last_error(), text);                           \
    } while (0)

Test(columns, wrong_arguments) {
    static _Alignas(16) unsigned char selection[1024];
    uint32_t a[8] = {1, 2, 3, 4}, b[8] = {0}, c[8] = {0};
    uint64_t count = 77, position = 0;
    winnow_move moves[65] = {{.d_in = a, .d_out = b, .element_bytes = 4},
                             {.d_in = a, .d_out = c, .element_bytes = 4}};
    winnow_plan plan = {.size = sizeof(plan), .workspace_bytes = 5};
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
#define CALL(number, capacity, ...)                                            \
    winnow_compact_columns(context, selection, 4, moves, number, capacity,     \
                           &count, WINNOW_LAUNCH(__VA_ARGS__))
    WRONG(CALL(0, 4, .plan = NULL), "move_count is 0: wanted 1 to 64 columns");
    WRONG(CALL(65, 4, .plan = NULL),
          "move_count is 65: wanted 1 to 64 columns");
    WRONG(CALL(2, WINNOW_NO_LIMIT, .d_position = &position),
          "capacity is 18446744073709551615: with launch->d_position it has to "
          "be the number of elements that there is room for");
    moves[1].element_bytes = 0;
    WRONG(CALL(2, 4, .plan = NULL),
          "moves[1].element_bytes is 0: wanted 1 to 4096");
    moves[1].element_bytes = 4;
    moves[1].d_out = b + 3;
    WRONG(CALL(2, 4, .plan = NULL),
          "moves[0].d_out and moves[1].d_out overlap");
    moves[1].d_out = a;
    WRONG(CALL(2, 4, .plan = NULL), "moves[0].d_in and moves[1].d_out overlap");
    moves[0].d_in = c;
    WRONG(CALL(2, 4, .d_position = &position),
          "moves[1].d_out is moves[1].d_in: in place launch->d_position has to "
          "be NULL");
    moves[1].d_in = a + 1;
    WRONG(CALL(2, 4, .plan = NULL), "moves[1].d_in and moves[1].d_out overlap");
    moves[1].d_in = NULL;
    WRONG(CALL(2, 4, .plan = NULL), "moves[1].d_in is NULL");
    WRONG(CALL(1, 4, .d_position = &count),
          "d_count and launch->d_position overlap");
    WRONG(CALL(1, 4, .d_n = &position, .d_position = &position),
          "launch->d_position and launch->d_n overlap");
    cr_assert_eq(
        CALL(1, 4, .d_position = (uint64_t *)(void *)((char *)&position + 4)),
        WINNOW_ERR_ARGUMENT);
    cr_assert_not_null(strstr(winnow_last_error(), "misaligned"));
    WRONG(
        winnow_compact_columns(context, selection, 4, NULL, 1, 4, &count, NULL),
        "moves is NULL");
    cr_assert_eq(CALL(1, 4, .plan = &plan), WINNOW_OK);
    cr_assert_eq(plan.workspace_bytes, 0u);
#undef CALL
    cr_assert_eq(count, 77u);
    cr_assert_eq(position, 0u);
    cr_assert_eq(b[0], 0u);
    winnow_context_destroy(context);
}
