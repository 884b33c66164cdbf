/*
 * winnow_fill_holes: places that a selection gives up, filled with arrivals and
 * from the end; elements of every size, at every alignment, in columns that go
 * together and apart; numbers on the device; a capacity that cuts. On the CPU
 * device each case has a schedule of its own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "reduced.h"
#include "selected.h"
#include "suite.h"
#ifdef WINNOW_SIMT
#include "cut.h"
#include "simt/simt.h"
#endif

enum {
    COLUMNS = 3,
#ifdef WINNOW_SIMT
    LARGE = 40009,
#else
    LARGE = 300007, /* for more than one thread of the host's */
#endif
    SLACK = 64 /* bytes of a region beside its elements */
};

struct shape {
    uint64_t n, there;      /* items of the selection, and those there are */
    uint64_t most, arrived; /* arrivals that there may be, and are */
    uint64_t capacity;      /* of each column */
    bool d_n, d_arrived, alias; /* of d_n and d_count */
    bool limited, counted;      /* a capacity, a count */
    unsigned number;            /* of columns */
    size_t bytes[COLUMNS];      /* of an element */
    size_t skew[COLUMNS];       /* of addresses */
};

/* The elements of a column: before, and as they have to be. */
struct column {
    struct region data, arrivals;
    unsigned char *wanted;
};

static uint64_t draw(uint64_t seed, uint64_t which, uint64_t below) {
    return data_random(seed, which) % below;
}

static struct shape draw_shape(uint64_t seed, uint64_t most) {
    static const uint64_t edges[] = {0, 1, 31, 4095, 4096, 4097, 8193, 12289};
    static const size_t sizes[] = {1, 2, 4, 8, 12, 16, 64, 100};
    struct shape s = {.number = 1 + (unsigned)draw(seed, 1, COLUMNS)};

    s.n = draw(seed, 2, 3) == 0 ? edges[draw(seed, 3, 8)] : draw(seed, 4, most);
    if (s.n > most)
        s.n = most;
    s.d_n = draw(seed, 5, 3) == 0;
    s.there = s.d_n ? draw(seed, 6, s.n + 1) : s.n;
    s.most = draw(seed, 7, 4) == 0   ? 0
             : draw(seed, 7, 4) == 1 ? draw(seed, 8, s.n / 50 + 2)
                                     : draw(seed, 9, s.n + 300);
    s.d_arrived = s.most != 0 && draw(seed, 10, 3) == 0;
    s.arrived = s.d_arrived ? draw(seed, 11, s.most + 1) : s.most;
    s.limited = draw(seed, 12, 3) == 0;
    s.capacity =
        s.limited ? s.n + draw(seed, 13, s.most / 2 + 3) : s.n + s.most;
    s.counted = draw(seed, 14, 4) != 0;
    s.alias = s.counted && s.d_n && draw(seed, 15, 2) == 0;
    for (unsigned c = 0; c < s.number; c++) {
        s.bytes[c] = sizes[draw(seed, 16 + c, 8)];
        s.skew[c] = draw(seed, 20 + c, 2) == 0 ? 0 : draw(seed, 24 + c, 16);
    }
    return s;
}

static const unsigned char *element(const struct column *column,
                                    const struct shape *s, unsigned c,
                                    uint64_t i) {
    return column->data.shadow + REGION_GUARD + s->skew[c] + i * s->bytes[c];
}

/* The rule of the manual, place by place. */
static void expect(const struct shape *s, const uint8_t *keep,
                   const unsigned char *arrivals, unsigned c,
                   struct column *column) {
    const size_t bytes = s->bytes[c];
    unsigned char *const wanted = column->wanted + REGION_GUARD + s->skew[c];
    const uint64_t m = selected_number(keep, s->there) + s->arrived;
    uint64_t next_arrival = 0, next_survivor = m;

    memcpy(column->wanted, column->data.shadow, column->data.bytes);
    for (uint64_t place = 0; place < m && place < s->capacity; place++) {
        if (place < s->there && keep[place])
            continue;
        if (next_arrival < s->arrived) {
            memcpy(wanted + place * bytes, arrivals + next_arrival++ * bytes,
                   bytes);
            continue;
        }
        while (!keep[next_survivor])
            next_survivor++;
        memcpy(wanted + place * bytes, element(column, s, c, next_survivor++),
               bytes);
    }
}

static void fill_region(struct region *region, uint64_t seed, size_t skew,
                        size_t bytes) {
    unsigned char *const data = must_alloc(bytes + 1);

    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)data_random(seed, i);
    region_poison(region, region->bytes);
    region_write(region, REGION_GUARD + skew, data, bytes);
    free(data);
}

static void open_column(struct column *column, const struct backend *backend,
                        const struct shape *s, unsigned c, uint64_t seed,
                        winnow_move *move) {
    const size_t around = 2 * REGION_GUARD + SLACK;

    region_open(&column->data, backend, s->capacity * s->bytes[c] + around);
    region_open(&column->arrivals, backend, s->most * s->bytes[c] + around);
    fill_region(&column->data, seed + 40 + c, s->skew[c], s->n * s->bytes[c]);
    fill_region(&column->arrivals, seed + 50 + c, s->skew[c],
                s->most * s->bytes[c]);
    column->wanted = must_alloc(column->data.bytes);
    *move =
        (winnow_move){.d_in = s->most == 0 ? NULL
                                           : column->arrivals.base +
                                                 REGION_GUARD + s->skew[c],
                      .d_out = column->data.base + REGION_GUARD + s->skew[c],
                      .element_bytes = s->bytes[c]};
}

static bool check_column(struct column *column, const struct shape *s,
                         unsigned c, const uint8_t *keep,
                         struct report *report) {
    const unsigned char *const arrivals =
        column->arrivals.shadow + REGION_GUARD + s->skew[c];

    expect(s, keep, arrivals, c, column);
    region_fetch(&column->data, column->data.bytes);
    region_fetch(&column->arrivals, column->arrivals.bytes);
    for (size_t i = 0; i < column->data.bytes; i++)
        if (column->data.seen[i] != column->wanted[i])
            return report_fail(
                report, "column %u of %zu bytes: byte %lld is wrong", c,
                s->bytes[c],
                (long long)i - (long long)(REGION_GUARD + s->skew[c]));
    if (memcmp(column->arrivals.seen, column->arrivals.shadow,
               column->arrivals.bytes) != 0)
        return report_fail(report, "the arrivals of column %u changed", c);
    return true;
}

static bool run_shape(struct selected *selected, const struct shape *s,
                      uint8_t *keep, uint64_t seed, struct report *report) {
    const struct backend *const backend = selected->backend;
    uint64_t words[4] = {s->there, s->arrived, 77, 77};
    uint64_t *const d_words = backend_alloc(backend, sizeof(words));
    uint64_t *const d_count = s->alias ? d_words : d_words + 2;
    const winnow_arrivals arrivals = {.n = s->most,
                                      .d_n = s->d_arrived ? d_words + 1 : NULL};
    const uint64_t m = selected_number(keep, s->there) + s->arrived;
    struct column columns[COLUMNS];
    winnow_move moves[COLUMNS] = {{0}};
    bool ok = selected_make(selected, keep, s->n, report);

    backend_upload(backend, d_words, words, sizeof(words));
    for (unsigned c = 0; c < s->number; c++)
        open_column(&columns[c], backend, s, c, seed, &moves[c]);
    if (winnow_fill_holes(
            backend->context, selected->d_selection, s->n,
            s->most == 0 && seed % 2 == 0 ? NULL : &arrivals, moves, s->number,
            s->limited ? s->capacity : WINNOW_NO_LIMIT,
            s->counted ? d_count : NULL,
            WINNOW_LAUNCH(.stream = backend->stream,
                          .d_n = s->d_n ? d_words : NULL)) != WINNOW_OK)
        ok = report_fail(report, "%s", winnow_last_error());
    for (unsigned c = 0; c < s->number; c++) {
        ok = ok && check_column(&columns[c], s, c, keep, report);
        region_close(&columns[c].data);
        region_close(&columns[c].arrivals);
        free(columns[c].wanted);
    }
    backend_download(backend, words, d_words, sizeof(words));
    if (ok && (words[s->alias ? 0 : 2] != (s->counted ? m : 77) ||
               (!s->alias && words[0] != s->there) || words[1] != s->arrived ||
               words[3] != 77))
        ok = report_fail(report, "the count is %llu, wanted %llu",
                         (unsigned long long)words[s->alias ? 0 : 2],
                         (unsigned long long)m);
    backend_free(backend, d_words);
    return ok && selected_apart(selected, report);
}

static void run_seeds(const struct backend *backend, uint64_t first,
                      unsigned seeds, uint64_t most) {
    uint8_t *const keep = must_alloc(most + 1);
    struct selected selected;

    selected_open(&selected, backend, most);
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        const struct shape s = draw_shape(seed, most);
        struct report report = {{0}};

#ifdef WINNOW_SIMT
        simt_seed(seed);
        simt_pattern(~seed);
        cut_sink_blocks(backend, seed % 3 == 0 ? 40 : 2);
#endif
        selected_fill(&patterns[draw(seed, 30, PATTERNS)], seed, s.n, keep);
        cr_assert(run_shape(&selected, &s, keep, seed, &report),
                  "%s -- seed %llu, n %llu of %llu, arrivals %llu of %llu, "
                  "capacity %llu, columns %u",
                  report.text, (unsigned long long)seed,
                  (unsigned long long)s.there, (unsigned long long)s.n,
                  (unsigned long long)s.arrived, (unsigned long long)s.most,
                  (unsigned long long)s.capacity, s.number);
    }
    selected_close(&selected);
    free(keep);
}

BACKEND_TEST(fill_holes, random) {
#ifdef WINNOW_SIMT
    run_seeds(backend, simt_first_seed(8100), simt_trials(60), 13000);
#else
    run_seeds(backend, 8100, reduced_mode() ? 60 : 300, 40000);
#endif
}

/* Few survivors far behind, few holes far in front, and many of both: by one
 * thread and by several. */
static void run_large(const struct backend *backend, uint64_t holes_to,
                      uint64_t kept_from, uint64_t step) {
    struct shape s = {.n = LARGE,
                      .there = LARGE,
                      .capacity = LARGE,
                      .counted = true,
                      .number = 2,
                      .bytes = {16, 4}};
    struct selected selected;
    struct report report = {{0}};
    uint8_t *const keep = must_alloc(LARGE);

    selected_open(&selected, backend, LARGE);
    for (uint64_t i = 0; i < LARGE; i++)
        keep[i] =
            i < kept_from ? i >= holes_to || i % step != 0 : i % step == 0;
    cr_assert(run_shape(&selected, &s, keep, step, &report), "%s -- step %llu",
              report.text, (unsigned long long)step);
    selected_close(&selected);
    free(keep);
}

BACKEND_TEST(fill_holes, large) {
    run_large(backend, LARGE, LARGE, 7);
    run_large(backend, LARGE, LARGE, LARGE / 6);
    if (reduced_mode())
        return;
    run_large(backend, LARGE / 2, LARGE / 2, 2);
    run_large(backend, 5, 1000, LARGE / 4);
    run_large(backend, 1, LARGE, 1);
}

/* ------------------------------------------------------------------ errors */

static void refused(winnow_status status, winnow_status wanted,
                    const char *part) {
    cr_assert_eq(status, wanted);
    cr_assert(strstr(winnow_last_error(), part) != NULL, "%s",
              winnow_last_error());
}

BACKEND_TEST(fill_holes, errors) {
    enum {
        N = 100
    };
    unsigned char *const d = backend_alloc(backend, 16 * N);
    uint64_t *const d_words = backend_alloc(backend, 16);
    winnow_arrivals arrivals = {.n = 10};
    winnow_move move = {.d_in = d + 8 * N, .d_out = d, .element_bytes = 4};
    winnow_plan plan = {.size = sizeof(plan)};
    struct selected selected;
    uint8_t keep[N] = {0};

    selected_open(&selected, backend, N);
    MUST(selected_make(&selected, keep, N, report));
#define FILL(N, CAPACITY, COUNT, ...)                                          \
    winnow_fill_holes(backend->context, selected.d_selection, N, &arrivals,    \
                      &move, 1, CAPACITY, COUNT,                               \
                      WINNOW_LAUNCH(.stream = backend->stream, __VA_ARGS__))
    refused(FILL(N, N - 1, NULL, ), WINNOW_ERR_ARGUMENT,
            "capacity is 99, less than n, which is 100");
    refused(FILL(N, UINT64_MAX - 1, NULL, ), WINNOW_ERR_ARGUMENT,
            "capacity is 18446744073709551614");
    arrivals.n = UINT64_MAX - 50;
    refused(FILL(N, WINNOW_NO_LIMIT, NULL, ), WINNOW_ERR_ARGUMENT,
            "arrivals->n is");
    arrivals.n = UINT64_MAX / 8;
    move.element_bytes = 16;
    refused(FILL(N, N, NULL, ), WINNOW_ERR_ARGUMENT, "arrivals->n is");
    move.element_bytes = 4;
    arrivals.n = 10;
    move.d_in = d + 4 * N;
    refused(FILL(N, WINNOW_NO_LIMIT, NULL, ), WINNOW_ERR_ARGUMENT,
            "moves[0].d_in and moves[0].d_out overlap");
    move.d_in = NULL;
    refused(FILL(N, N, NULL, ), WINNOW_ERR_ARGUMENT, "moves[0].d_in is NULL");
    move.d_in = d + 8 * N;
    move.type = WINNOW_BIT;
    refused(FILL(N, N, NULL, ), WINNOW_ERR_UNSUPPORTED,
            "moves[0].type is bit: winnow_fill_holes moves no columns of bits");
    move.type = WINNOW_OPAQUE;
    refused(FILL(N, N, NULL, .d_position = d_words), WINNOW_ERR_UNSUPPORTED,
            "d_position");
    arrivals.d_n = d_words;
    refused(FILL(N, N, d_words, ), WINNOW_ERR_ARGUMENT,
            "arrivals->d_n and d_count overlap");
    arrivals.d_n = NULL;
    refused(winnow_fill_holes(backend->context, selected.d_selection, N, NULL,
                              NULL, 1, N, NULL, NULL),
            WINNOW_ERR_ARGUMENT, "moves is NULL");
    cr_assert_eq(FILL(N, N, NULL, .plan = &plan), WINNOW_OK);
    cr_assert(backend->gpu
                  ? plan.workspace_bytes > 0 && plan.workspace_bytes <= 4096
                  : plan.workspace_bytes == 0);
#undef FILL
    selected_close(&selected);
    backend_free(backend, d_words);
    backend_free(backend, d);
}
