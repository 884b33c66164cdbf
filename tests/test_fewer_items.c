/*
 * launch->d_n of what is made from a selection: the selection is of all n
 * items, and a sink looks at those before *d_n alone.
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

enum {
    N = 9001,
    BYTES = N * 16, /* of each array: two of N elements of 8 bytes, or others */
    WORDS = 4,
    SEGMENTS = 6
};

/* What a call is given; in a plan nothing. */
struct memory {
    const void *selection, *in, *offsets;
    unsigned char *out;
    uint64_t *counts;
};

struct work {
    const struct backend *backend;
    struct selected selected;
    uint8_t keep[N];
    uint64_t there; /* items: *d_n, or N if that is less */
    uint32_t offsets[SEGMENTS + 1];
    unsigned char in[BYTES], before[BYTES], wanted[BYTES], seen[BYTES];
    uint64_t counts[2];
    struct memory device;
    uint64_t *d_words; /* d_n and two counts */
};

static struct work *work_open(const struct backend *backend) {
    struct work *const w = must_alloc(sizeof(*w));
    void *d_in, *d_offsets;

    w->backend = backend;
    selected_open(&w->selected, backend, N);
    d_in = backend_alloc(backend, BYTES);
    d_offsets = backend_alloc(backend, sizeof(w->offsets));
    w->d_words = backend_alloc(backend, WORDS * sizeof(uint64_t));
    w->device = (struct memory){.selection = w->selected.d_selection,
                                .in = d_in,
                                .offsets = d_offsets,
                                .out = backend_alloc(backend, BYTES),
                                .counts = w->d_words + 1};
    for (size_t i = 0; i < BYTES; i++) {
        w->in[i] = (unsigned char)data_random(301, i);
        w->before[i] = (unsigned char)data_random(302, i);
    }
    backend_upload(backend, d_in, w->in, BYTES);
    return w;
}

static void work_close(struct work *w) {
    backend_free(w->backend, (void *)(uintptr_t)w->device.in);
    backend_free(w->backend, (void *)(uintptr_t)w->device.offsets);
    backend_free(w->backend, w->device.out);
    backend_free(w->backend, w->d_words);
    selected_close(&w->selected);
    free(w);
}

/* Is item i kept, of those that there are? */
static bool is_kept(const struct work *w, uint64_t i) {
    return i < w->there && w->keep[i] != 0;
}

/* ------------------------------------------------------------------- calls
 *
 * Each has an oracle, which writes to w->wanted and w->counts.
 */

struct call {
    const char *name;
    winnow_status (*run)(const struct work *w, const struct memory *m,
                         const winnow_launch *launch);
    void (*expect)(struct work *w);
    unsigned counts; /* that it writes */
    bool in_place;
};

static void expect_packed(struct work *w, size_t at, const unsigned char *from,
                          size_t bytes, bool rejected) {
    for (uint64_t i = 0; i < w->there; i++)
        if (is_kept(w, i) != rejected) {
            memcpy(w->wanted + at, from + i * bytes, bytes);
            at += bytes;
        }
}

static void expect_counts(struct work *w) {
    w->counts[0] = w->counts[1] = 0;
    for (uint64_t i = 0; i < w->there; i++)
        w->counts[!is_kept(w, i)]++;
}

static winnow_status run_count(const struct work *w, const struct memory *m,
                               const winnow_launch *launch) {
    return winnow_selection_count(w->backend->context, m->selection, N,
                                  m->counts, launch);
}

static winnow_status run_index(const struct work *w, const struct memory *m,
                               const winnow_launch *launch) {
    return winnow_compact_index(w->backend->context, m->selection, N,
                                WINNOW_UINT64, m->out, WINNOW_NO_LIMIT,
                                m->counts, launch);
}

static void expect_index(struct work *w) {
    uint64_t at = 0;

    expect_counts(w);
    for (uint64_t i = 0; i < N; i++)
        if (is_kept(w, i))
            memcpy(w->wanted + 8 * at++, &i, 8);
}

static winnow_status run_compact(const struct work *w, const struct memory *m,
                                 const winnow_launch *launch) {
    return winnow_compact(w->backend->context, m->selection, m->in, N, 4,
                          m->out, WINNOW_NO_LIMIT, m->counts, launch);
}

static void expect_compact(struct work *w) {
    expect_counts(w);
    expect_packed(w, 0, w->in, 4, false);
}

static winnow_status run_rows(const struct work *w, const struct memory *m,
                              const winnow_launch *launch) {
    return winnow_compact(w->backend->context, m->selection, m->in, N, 12,
                          m->out, 1000, m->counts, launch);
}

static void expect_rows(struct work *w) {
    uint64_t at = 0;

    expect_counts(w);
    for (uint64_t i = 0; i < N && at < 1000; i++)
        if (is_kept(w, i))
            memcpy(w->wanted + 12 * at++, w->in + 12 * i, 12);
}

/* One apart, and one in place. */
static winnow_status run_columns(const struct work *w, const struct memory *m,
                                 const winnow_launch *launch) {
    unsigned char *const second = m->out + 8 * N;
    const winnow_move moves[] = {
        {.d_in = m->in, .d_out = m->out, .element_bytes = 4},
        {.d_in = second, .d_out = second, .element_bytes = 4}};

    return winnow_compact_columns(w->backend->context, m->selection, N, moves,
                                  2, WINNOW_NO_LIMIT, m->counts, launch);
}

static void expect_columns(struct work *w) {
    expect_counts(w);
    expect_packed(w, 0, w->in, 4, false);
    expect_packed(w, 8 * N, w->before + 8 * N, 4, false);
}

static winnow_status run_split(const struct work *w, const struct memory *m,
                               const winnow_launch *launch) {
    const winnow_in in = {.type = WINNOW_FLOAT32, .d_base = m->in};

    return winnow_split(w->backend->context, m->selection, &in, N,
                        OUT_LIKE(in, m->out), WINNOW_NO_LIMIT,
                        OUT_LIKE(in, m->out != NULL ? m->out + 8 * N : NULL),
                        WINNOW_NO_LIMIT, m->counts, launch);
}

static void expect_split(struct work *w) {
    expect_counts(w);
    expect_packed(w, 0, w->in, 4, false);
    expect_packed(w, 8 * N, w->in, 4, true);
}

static winnow_status run_split_rows(const struct work *w,
                                    const struct memory *m,
                                    const winnow_launch *launch) {
    const winnow_in in = {.element_bytes = 6, .d_base = m->in};

    return winnow_split(w->backend->context, m->selection, &in, N,
                        OUT_LIKE(in, m->out), WINNOW_NO_LIMIT,
                        OUT_LIKE(in, m->out != NULL ? m->out + 8 * N : NULL),
                        WINNOW_NO_LIMIT, m->counts, launch);
}

static void expect_split_rows(struct work *w) {
    expect_counts(w);
    expect_packed(w, 0, w->in, 6, false);
    expect_packed(w, 8 * N, w->in, 6, true);
}

static const uint32_t fill_value = 0x12345678;

static winnow_status run_expand(const struct work *w, const struct memory *m,
                                const winnow_launch *launch) {
    const winnow_in packed = {.type = WINNOW_UINT32, .d_base = m->in};

    return winnow_expand(w->backend->context, m->selection, &packed,
                         WINNOW_NO_LIMIT, N, NULL, OUT_LIKE(packed, m->out),
                         launch);
}

static winnow_status run_fill(const struct work *w, const struct memory *m,
                              const winnow_launch *launch) {
    const winnow_in packed = {.type = WINNOW_UINT32, .d_base = m->in};

    return winnow_expand(w->backend->context, m->selection, &packed, 2000, N,
                         &fill_value, OUT_LIKE(packed, m->out), launch);
}

static void expect_places(struct work *w, uint64_t available, bool filled) {
    uint64_t rank = 0;

    for (uint64_t i = 0; i < w->there; i++) {
        if (is_kept(w, i) && rank++ < available)
            memcpy(w->wanted + 4 * i, w->in + 4 * (rank - 1), 4);
        else if (!is_kept(w, i) && filled)
            memcpy(w->wanted + 4 * i, &fill_value, 4);
    }
}

static void expect_expand(struct work *w) {
    expect_places(w, N, false);
}

static void expect_fill(struct work *w) {
    expect_places(w, 2000, true);
}

static winnow_status run_segments(const struct work *w, const struct memory *m,
                                  const winnow_launch *launch) {
    const winnow_segments segments = {.type = WINNOW_UINT32,
                                      .count = SEGMENTS,
                                      .d_offsets = m->offsets,
                                      .d_counts = m->out,
                                      .d_out_offsets =
                                          m->out != NULL ? m->out + 64 : NULL};

    return winnow_selection_segments(w->backend->context, m->selection, N,
                                     &segments, launch);
}

static void expect_segments(struct work *w) {
    uint32_t ranks[SEGMENTS + 1];

    for (unsigned s = 0; s <= SEGMENTS; s++) {
        ranks[s] = 0;
        for (uint64_t i = 0; i < w->offsets[s] && i < N; i++)
            ranks[s] += is_kept(w, i);
    }
    memcpy(w->wanted + 64, ranks, sizeof(ranks));
    for (unsigned s = 0; s < SEGMENTS; s++) {
        const uint32_t count = ranks[s + 1] - ranks[s];

        memcpy(w->wanted + 4 * s, &count, 4);
    }
}

static winnow_status run_bytes(const struct work *w, const struct memory *m,
                               const winnow_launch *launch) {
    return winnow_selection_to_mask(w->backend->context, m->selection, N,
                                    WINNOW_MASK_BYTES, m->out, 3, launch);
}

static void expect_bytes(struct work *w) {
    for (uint64_t i = 0; i < N; i++)
        w->wanted[3 + i] = is_kept(w, i);
}

static winnow_status run_bits(const struct work *w, const struct memory *m,
                              const winnow_launch *launch) {
    return winnow_selection_to_mask(w->backend->context, m->selection, N,
                                    WINNOW_MASK_BITS, m->out, 13, launch);
}

static void expect_bits(struct work *w) {
    for (uint64_t i = 0; i < N; i++) {
        unsigned char *const byte = &w->wanted[(13 + i) / 8];
        const unsigned char one = (unsigned char)(1u << (13 + i) % 8);

        *byte = (unsigned char)(is_kept(w, i) ? *byte | one : *byte & ~one);
    }
}

static const struct call calls[] = {
    {"selection_count", run_count, expect_counts, 1, false},
    {"compact_index", run_index, expect_index, 1, false},
    {"compact", run_compact, expect_compact, 1, false},
    {"compact of rows", run_rows, expect_rows, 1, false},
    {"compact_columns", run_columns, expect_columns, 1, true},
    {"split", run_split, expect_split, 2, false},
    {"split of rows", run_split_rows, expect_split_rows, 2, false},
    {"expand", run_expand, expect_expand, 0, false},
    {"expand with a value", run_fill, expect_fill, 0, false},
    {"selection_segments", run_segments, expect_segments, 0, false},
    {"selection_to_mask of bytes", run_bytes, expect_bytes, 0, false},
    {"selection_to_mask of bits", run_bits, expect_bits, 0, false},
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

/* ------------------------------------------------------------------- checks
 */

/* Before a call: *d_n, and what is in the output. */
static void prepare(struct work *w, uint64_t number) {
    const struct backend *const backend = w->backend;
    const uint64_t words[WORDS] = {number, 77, 78, 79};

    w->there = number < N ? number : N;
    memcpy(w->wanted, w->before, BYTES);
    backend_upload(backend, w->device.out, w->before, BYTES);
    backend_upload(backend, w->d_words, words, sizeof(words));
    for (unsigned s = 0; s <= SEGMENTS; s++) {
        const uint32_t offsets[SEGMENTS + 1] = {
            0, 100, 4096, (uint32_t)w->there, 5000, N, UINT32_MAX};

        w->offsets[s] = offsets[s];
    }
    for (unsigned s = 1; s <= SEGMENTS; s++) /* ascending */
        if (w->offsets[s] < w->offsets[s - 1])
            w->offsets[s] = w->offsets[s - 1];
    backend_upload(backend, (void *)(uintptr_t)w->device.offsets, w->offsets,
                   sizeof(w->offsets));
}

/* After it. `counts`: how many are where they should be, from word `at` on. */
static void check(struct work *w, const struct call *call, uint64_t number,
                  unsigned at) {
    uint64_t words[WORDS], wanted[WORDS] = {number, 77, 78, 79};

    cr_assert_null(backend_wait(w->backend));
    call->expect(w);
    memcpy(wanted + at, w->counts, call->counts * sizeof(uint64_t));
    backend_download(w->backend, w->seen, w->device.out, BYTES);
    backend_download(w->backend, words, w->d_words, sizeof(words));
    for (size_t i = 0; i < BYTES; i++)
        cr_assert_eq(w->seen[i], w->wanted[i],
                     "%s, *d_n %llu: byte %zu is %#x, wanted %#x", call->name,
                     (unsigned long long)number, i, w->seen[i], w->wanted[i]);
    for (unsigned i = 0; i < WORDS; i++)
        cr_assert_eq(
            words[i], wanted[i], "%s, *d_n %llu: word %u is %llu, wanted %llu",
            call->name, (unsigned long long)number, i,
            (unsigned long long)words[i], (unsigned long long)wanted[i]);
}

/* The bytes that a plan asks for, which has no pointers but those that are in
 * place. */
static size_t plan_of(const struct work *w, const struct call *call) {
    const struct memory none = {.out = call->in_place ? w->device.out : NULL};
    winnow_plan plan = {.size = sizeof(plan)};

    cr_assert_eq(
        call->run(w, &none, WINNOW_LAUNCH(.d_n = w->d_words, .plan = &plan)),
        WINNOW_OK, "%s: %s", call->name, winnow_last_error());
    return plan.workspace_bytes;
}

static void run(struct work *w, const struct call *call, uint64_t number) {
    const struct backend *const backend = w->backend;
    const size_t bytes = plan_of(w, call);
    unsigned char *const d_workspace = backend_alloc(backend, bytes);
    winnow_launch launch = {
        .size = sizeof(launch), .stream = backend->stream, .d_n = w->d_words};

    /* The context's own memory. */
    prepare(w, number);
    cr_assert_eq(call->run(w, &w->device, &launch), WINNOW_OK, "%s: %s",
                 call->name, winnow_last_error());
    check(w, call, number, 1);
    /* The caller's: as much as the plan says, and no less. */
    launch.d_workspace = d_workspace;
    launch.workspace_bytes = bytes - 1;
    cr_assert_eq(call->run(w, &w->device, &launch), WINNOW_ERR_WORKSPACE,
                 "%s: %zu bytes", call->name, bytes - 1);
    launch.workspace_bytes = bytes;
    prepare(w, number);
    cr_assert_eq(call->run(w, &w->device, &launch), WINNOW_OK, "%s: %s",
                 call->name, winnow_last_error());
    check(w, call, number, 1);
    /* The count takes the place of the number, or there is no count. */
    if (call->counts == 1) {
        struct memory same = w->device;

        same.counts = w->d_words;
        prepare(w, number);
        cr_assert_eq(call->run(w, &same, &launch), WINNOW_OK, "%s: %s",
                     call->name, winnow_last_error());
        check(w, call, number, 0);
    }
    backend_free(backend, d_workspace);
}

static const uint64_t numbers[] = {0,    1,    31,   32,   100,  4095,
                                   4096, 4097, 8192, 9000, 9001, UINT64_MAX};
#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

BACKEND_TEST(fewer_items, sinks) {
    static const char *const densities[] = {"uniform:0.5", "all", "runs:1024"};
    const size_t step = reduced_mode() ? 4 : 1;
    struct work *const w = work_open(backend);

    for (size_t d = 0; d < 3; d++) {
        selected_fill(pattern_named(densities[d]), 300 + d, N, w->keep);
        MUST(selected_make(&w->selected, w->keep, N, report));
        for (size_t i = d % step; i < NUMBERS; i += step)
            for (size_t c = (i / step + d) % step; c < CALLS; c += step)
                run(w, &calls[c], numbers[i]);
        /* It is as it was. */
        MUST(selected_check(&w->selected, w->keep, report));
    }
    work_close(w);
}

/* Selections of selections, and the result over one of them. */
BACKEND_TEST(fewer_items, combinations) {
    uint64_t *const d_n = backend_alloc(backend, sizeof(*d_n));
    uint8_t a[N], b[N], wanted[N];
    struct selected first, second;

    selected_open(&first, backend, N);
    selected_open(&second, backend, N);
    selected_fill(pattern_named("uniform:0.5"), 310, N, a);
    selected_fill(pattern_named("runs:32"), 311, N, b);
    for (size_t i = 0; i < NUMBERS; i++) {
        const winnow_launch launch = {
            .size = sizeof(launch), .stream = backend->stream, .d_n = d_n};

        backend_upload(backend, d_n, &numbers[i], sizeof(numbers[i]));
        MUST(selected_make(&first, a, N, report));
        MUST(selected_make(&second, b, N, report));
        cr_assert_eq(
            winnow_selection_combine(backend->context, WINNOW_XOR,
                                     first.d_selection, second.d_selection, N,
                                     second.d_selection, second.bytes, &launch),
            WINNOW_OK, "%s", winnow_last_error());
        for (uint64_t j = 0; j < N; j++)
            wanted[j] = j < numbers[i] && !a[j] != !b[j];
        MUST(selected_check(&second, wanted, report));
        cr_assert_eq(winnow_selection_not(backend->context, first.d_selection,
                                          N, first.d_selection, first.bytes,
                                          &launch),
                     WINNOW_OK, "%s", winnow_last_error());
        for (uint64_t j = 0; j < N; j++)
            wanted[j] = j < numbers[i] && !a[j];
        MUST(selected_check(&first, wanted, report));
    }
    selected_close(&first);
    selected_close(&second);
    backend_free(backend, d_n);
}
