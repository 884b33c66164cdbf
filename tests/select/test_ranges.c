/*
 * winnow_select_ranges: ranges of every length, gaps and overlaps, offsets that
 * mean nothing, capture in a graph, and what is refused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "reduced.h"
#include "selected.h"
#include "suite.h"

#define MOST 30000
#define MOST_ITEMS 60000

struct ranges {
    struct selected from, to;
    void *d_offsets;
    uint64_t *d_there;
    uint64_t offsets[MOST + 1];
    uint8_t keep[MOST], wanted[MOST_ITEMS];
};

static uint64_t draw(uint64_t seed, uint64_t which, uint64_t below) {
    return data_random(seed, which) % below;
}

/* Ascending, from `first` on; or anything. */
static void make_offsets(struct ranges *r, uint64_t seed, uint64_t n,
                         uint64_t items, bool wild, bool wide) {
    const uint64_t longest = 1 + draw(seed, 1, 3) * draw(seed, 2, 3000);
    uint64_t at = draw(seed, 3, 2) * draw(seed, 4, 100);

    for (uint64_t i = 0; i <= n; i++) {
        r->offsets[i] = at < items ? at : items;
        if (wild)
            r->offsets[i] = draw(seed, 9 + i, 20)
                                ? draw(seed, 10 + i, items + 50)
                                : UINT64_MAX - draw(seed, 11 + i, 9);
        if (!wide)
            r->offsets[i] = (uint32_t)r->offsets[i];
        at += draw(seed, 5, 4) && draw(seed, 40 + i, 30)
                  ? draw(seed, 41 + i, 4)
                  : draw(seed, 42 + i, longest + 1);
    }
}

static void upload(struct ranges *r, uint64_t n, bool wide) {
    uint32_t *const narrow = must_alloc((n + 1) * 4);

    for (uint64_t i = 0; i <= n; i++)
        narrow[i] = (uint32_t)r->offsets[i];
    backend_upload(r->from.backend, r->d_offsets,
                   wide ? (const void *)r->offsets : narrow,
                   (n + 1) * (wide ? 8 : 4));
    free(narrow);
}

/* An item after the other. */
static void expect(struct ranges *r, uint64_t n, uint64_t there,
                   uint64_t items) {
    memset(r->wanted, 0, items);
    for (uint64_t i = 0; i < n && i < there; i++)
        for (uint64_t item = r->offsets[i];
             r->keep[i] && item < r->offsets[i + 1] && item < items; item++)
            r->wanted[item] ^= 1;
}

static void run(struct ranges *r, uint64_t seed) {
    const struct backend *const backend = r->from.backend;
    const uint64_t n =
        draw(seed, 20, 5) ? draw(seed, 21, MOST) : draw(seed, 22, 70);
    const uint64_t items =
        draw(seed, 23, 5) ? draw(seed, 24, MOST_ITEMS) : draw(seed, 25, 70);
    const bool wide = draw(seed, 26, 2), wild = draw(seed, 27, 4) == 0;
    const uint64_t there =
        draw(seed, 28, 3) ? UINT64_MAX : draw(seed, 29, n + 9);
    const winnow_in described = {.type =
                                     wide ? WINNOW_STRING64 : WINNOW_STRING32,
                                 .d_base = r->d_offsets,
                                 .data_size = items};
    winnow_launch launch = {.size = sizeof(launch), .stream = backend->stream};

    make_offsets(r, seed, n, items, wild, wide);
    upload(r, n, wide);
    selected_fill(&patterns[draw(seed, 30, PATTERNS)], seed, n, r->keep);
    MUST(selected_make(&r->from, r->keep, n, report));
    selected_prepare(&r->to, items);
    if (there != UINT64_MAX) {
        backend_upload(backend, r->d_there, &there, sizeof(there));
        launch.d_n = r->d_there;
    }
    cr_assert_eq(winnow_select_ranges(backend->context, r->from.d_selection,
                                      &described, n, r->to.d_selection,
                                      r->to.bytes, &launch),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    expect(r, n, there, items);
    struct report report = {{0}};
    cr_assert(selected_check(&r->to, r->wanted, &report) &&
                  selected_apart(&r->from, &report),
              "%s -- seed %llu, n %llu, %llu items", report.text,
              (unsigned long long)seed, (unsigned long long)n,
              (unsigned long long)items);
}

BACKEND_TEST(ranges, random) {
    const unsigned calls = reduced_mode() ? 20 : backend->gpu ? 100 : 300;
    struct ranges *const r = must_alloc(sizeof(*r));

    memset(r, 0, sizeof(*r));
    selected_open(&r->from, backend, MOST);
    selected_open(&r->to, backend, MOST_ITEMS);
    r->d_offsets = backend_alloc(backend, (MOST + 1) * 8);
    r->d_there = backend_alloc(backend, 8);
    for (unsigned seed = 6000; seed < 6000 + calls; seed++)
        run(r, seed);
    selected_close(&r->from);
    selected_close(&r->to);
    backend_free(backend, r->d_offsets);
    backend_free(backend, r->d_there);
    free(r);
}

/* -------------------------------------------------------------------- edges */

/* Ranges kept and items wanted, a digit each. An offset of UINT64_MAX is -1. */
static const struct {
    const char *name;
    uint64_t offsets[7];
    const char *keep, *wanted;
} edges[] = {
    {"side by side", {0, 2, 3, 6}, "101", "110111"},
    {"neighbours", {0, 2, 3, 6}, "110", "111000"},
    {"empty lists", {0, 0, 2, 2, 2, 3}, "10111", "001"},
    {"nothing but empty lists", {3, 3, 3}, "11", "0000"},
    {"a slice", {2, 4, 5}, "11", "0011100"},
    {"no ranges", {4}, "", "000"},
    {"no items", {0, 0, 9}, "11", ""},
    {"none kept", {0, 1, 3}, "00", "000"},
    {"behind the items", {1, 3, 77}, "01", "00011"},
    {"wholly behind the items", {5, 9, 77}, "11", "00000"},
    {"an end below 0", {1, 3, UINT64_MAX}, "01", "00011"},
    {"a beginning below 0", {UINT64_MAX, 2, 4}, "11", "00110"},
    {"an end before its beginning", {4, 1, 3}, "11", "01100"},
    {"an item in two ranges", {0, 4, 2, 6}, "101", "110011"},
    {"an item in three ranges", {0, 4, 1, 4, 2, 4}, "10101", "1011"},
};

static void run_edge(const struct backend *backend, size_t e, bool wide,
                     size_t skip) {
    const uint64_t n = strlen(edges[e].keep), items = strlen(edges[e].wanted);
    const size_t size = wide ? 8 : 4;
    unsigned char *const offsets = must_alloc((skip + n + 1) * size);
    unsigned char *const d_offsets =
        backend_alloc(backend, (skip + n + 1) * size);
    uint8_t keep[8] = {0}, wanted[8] = {0};
    const winnow_in described = {.type =
                                     wide ? WINNOW_STRING64 : WINNOW_STRING32,
                                 .d_base = d_offsets + skip * size,
                                 .data_size = items};
    struct selected from, to;

    /* What lies before a slice of parents is nothing to it. */
    memset(offsets, 1, skip * size);
    for (uint64_t i = 0; i <= n; i++) {
        const uint32_t narrow = (uint32_t)edges[e].offsets[i];

        memcpy(offsets + (skip + i) * size,
               wide ? (const void *)&edges[e].offsets[i] : &narrow, size);
        if (i < n)
            keep[i] = edges[e].keep[i] == '1';
    }
    for (uint64_t i = 0; i < items; i++)
        wanted[i] = edges[e].wanted[i] == '1';
    backend_upload(backend, d_offsets, offsets, (skip + n + 1) * size);
    selected_open(&from, backend, n);
    selected_open(&to, backend, items);
    MUST(selected_make(&from, keep, n, report));
    selected_prepare(&to, items);
    cr_assert_eq(winnow_select_ranges(backend->context, from.d_selection,
                                      &described, n, to.d_selection, to.bytes,
                                      WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s: %s", edges[e].name, winnow_last_error());
    cr_assert_null(backend_wait(backend));
    struct report report = {{0}};
    cr_assert(selected_check(&to, wanted, &report), "%s: %s", edges[e].name,
              report.text);
    selected_close(&from);
    selected_close(&to);
    backend_free(backend, d_offsets);
    free(offsets);
}

BACKEND_TEST(ranges, edges) {
    for (size_t e = 0; e < sizeof(edges) / sizeof(edges[0]); e++)
        for (size_t skip = 0; skip < 4; skip += 3)
            for (int wide = 0; wide < 2; wide++)
                run_edge(backend, e, wide, skip);
}

#ifdef WINNOW_CUDA

/* The same call replayed: what it reads is what is there by then. */
GPU_TEST(ranges, capture) {
    enum {
        ITEMS = 20000
    };
    struct ranges *const r = must_alloc(sizeof(*r));
    const uint64_t n = 3000;
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    memset(r, 0, sizeof(*r));
    selected_open(&r->from, backend, n);
    selected_open(&r->to, backend, ITEMS);
    selected_prepare(&r->to, ITEMS);
    r->d_offsets = backend_alloc(backend, (n + 1) * 8);
    r->d_there = backend_alloc(backend, 8);
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    cr_assert_eq(winnow_select_ranges(backend->context, r->from.d_selection,
                                      &(winnow_in){.type = WINNOW_STRING64,
                                                   .d_base = r->d_offsets,
                                                   .data_size = ITEMS},
                                      n, r->to.d_selection, r->to.bytes,
                                      WINNOW_LAUNCH(.stream = backend->stream,
                                                    .d_n = r->d_there)),
                 WINNOW_OK, "%s", winnow_last_error());
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (uint64_t seed = 6500; seed < 6504; seed++) {
        const uint64_t there = draw(seed, 29, n + 9);

        make_offsets(r, seed, n, ITEMS, seed % 4 == 3, true);
        upload(r, n, true);
        selected_fill(pattern_named("uniform:0.5"), seed, n, r->keep);
        MUST(selected_make(&r->from, r->keep, n, report));
        backend_upload(backend, r->d_there, &there, sizeof(there));
        GPU_MUST(cudaGraphLaunch(exec, backend->stream));
        cr_assert_null(backend_wait(backend));
        expect(r, n, there, ITEMS);
        MUST(selected_check(&r->to, r->wanted, report));
    }
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
    selected_close(&r->from);
    selected_close(&r->to);
    backend_free(backend, r->d_offsets);
    backend_free(backend, r->d_there);
    free(r);
}
#endif

/* ------------------------------------------------------------------- errors */

BACKEND_TEST(ranges, errors) {
    enum {
        N = 100,
        ITEMS = 5000
    };
    struct selected from, to;
    uint8_t keep[N] = {1};
    uint32_t offsets[N + 1] = {0};
    void *const d_offsets = backend_alloc(backend, sizeof(offsets));
    const winnow_in good = {
        .type = WINNOW_STRING32, .d_base = d_offsets, .data_size = ITEMS};
    winnow_in in;

#define REFUSED(STATUS, DETAIL, IN, SELECTION, RESULT, BYTES)                  \
    do {                                                                       \
        cr_assert_eq(winnow_select_ranges(                                     \
                         backend->context, SELECTION, IN, N, RESULT, BYTES,    \
                         WINNOW_LAUNCH(.stream = backend->stream)),            \
                     WINNOW_ERR_##STATUS, "%s: %s", DETAIL,                    \
                     winnow_last_error());                                     \
        cr_assert_not_null(strstr(winnow_last_error(), DETAIL), "%s: %s",      \
                           DETAIL, winnow_last_error());                       \
    } while (0)
#define REFUSED_IN(STATUS, DETAIL, CHANGE)                                     \
    do {                                                                       \
        in = good;                                                             \
        CHANGE;                                                                \
        REFUSED(STATUS, DETAIL, &in, from.d_selection, to.d_selection,         \
                to.bytes);                                                     \
    } while (0)

    selected_open(&from, backend, N);
    selected_open(&to, backend, ITEMS);
    MUST(selected_make(&from, keep, N, report));
    selected_prepare(&to, ITEMS);
    backend_upload(backend, d_offsets, offsets, sizeof(offsets));
    REFUSED(ARGUMENT, "ranges is NULL", NULL, from.d_selection, to.d_selection,
            to.bytes);
    REFUSED(ARGUMENT, "d_selection is NULL", &good, NULL, to.d_selection,
            to.bytes);
    REFUSED(ARGUMENT, "d_result is NULL", &good, from.d_selection, NULL,
            to.bytes);
    REFUSED(ARGUMENT, "are needed", &good, from.d_selection, to.d_selection,
            to.bytes - 1);
    REFUSED(ARGUMENT, "d_selection and d_result overlap", &good, to.d_selection,
            to.d_selection, to.bytes);
    REFUSED_IN(ARGUMENT, "ranges->type 3, int32, is neither",
               in.type = WINNOW_INT32);
    REFUSED_IN(ARGUMENT, "ranges->d_base is NULL", in.d_base = NULL);
    REFUSED_IN(ARGUMENT, "ranges->d_base (",
               in.d_base = (const char *)d_offsets + 2);
    REFUSED_IN(UNSUPPORTED, "ranges->type is view", in.type = WINNOW_VIEW);
    REFUSED_IN(UNSUPPORTED, "ranges->d_valid is set", in.d_valid = d_offsets);
    REFUSED_IN(UNSUPPORTED, "ranges->dictionary is set", in.dictionary = &good);
    REFUSED_IN(UNSUPPORTED, "ranges->data_size is 4398046511105",
               in.data_size = (UINT64_C(1) << 42) + 1);
    cr_assert_eq(winnow_select_ranges(backend->context, from.d_selection, &good,
                                      N, to.d_selection, to.bytes,
                                      WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
#undef REFUSED
#undef REFUSED_IN
    selected_close(&from);
    selected_close(&to);
    backend_free(backend, d_offsets);
}
