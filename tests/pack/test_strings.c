/*
 * winnow_compact_strings: lengths, selections, capacities, offsets that mean
 * nothing, sums that no offset holds, capture in a graph, and what is refused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "reduced.h"
#include "packed_strings.h"
#include "suite.h"

#define MOST 40000
#define MOST_BYTES 700000

static void run(struct strings *strings, const struct string_call *call,
                const char *pattern) {
    uint8_t *const keep = must_alloc(call->n + 1);

    selected_fill(pattern_named(pattern), call->seed, call->n, keep);
    MUST(strings_run(strings, call, keep, report));
    free(keep);
}

/* Every kind of length, all kept, none, some, and few. */
BACKEND_TEST(strings, lengths) {
    static const char *const patterns_tried[] = {
        "all", "none", "uniform:0.5", "uniform:0.01", "runs:1024", "alternate"};
    struct strings strings;

    strings_open(&strings, backend, MOST, MOST_BYTES);
    for (int lengths = 0; lengths < STRINGS_LENGTHS; lengths++)
        for (size_t p = 0; p < 6; p++)
            for (int wide = 0; wide < 2; wide++) {
                const struct string_call call = {
                    .lengths = (enum string_lengths)lengths,
                    .wide = wide,
                    .n = 12345,
                    .there = UINT64_MAX,
                    .most_bytes = MOST_BYTES,
                    .first = p % 2 ? 0 : 77,
                    .in_skew = (unsigned)(p * 3 + (unsigned)wide) % 16,
                    .out_skew = (unsigned)(p * 7 + (unsigned)lengths) % 16,
                    .offsets_capacity = WINNOW_NO_LIMIT,
                    .data_capacity = WINNOW_NO_LIMIT,
                    .seed = (uint64_t)lengths * 100 + p};
                if (reduced_mode() && (lengths + (int)p + wide) % 4 != 0)
                    continue;
                run(&strings, &call, patterns_tried[p]);
            }
    strings_close(&strings);
}

/* Each capacity around what is needed: none, one less, all, one more. */
BACKEND_TEST(strings, capacities) {
    enum {
        N = 5000
    };
    struct strings strings;
    struct string_call call = {.lengths = STRINGS_EIGHT,
                               .n = N,
                               .there = UINT64_MAX,
                               .most_bytes = MOST_BYTES,
                               .out_skew = 3};

    strings_open(&strings, backend, MOST, MOST_BYTES);
    for (int wide = 0; wide < 2; wide++)
        for (int o = 0; o < 6; o++)
            for (int d = 0; d < 6; d++) {
                const uint64_t tried[] = {0, 1, N / 2, N / 2 + 1, N - 1, N};

                if (reduced_mode() && (o + d) % 3 != 0)
                    continue;
                call.wide = wide;
                call.offsets_capacity = tried[o];
                call.data_capacity = tried[d] * 8 + (uint64_t)(d % 2 * 3);
                call.seed = (uint64_t)(o * 6 + d);
                run(&strings, &call, d % 2 ? "all" : "uniform:0.99");
            }
    strings_close(&strings);
}

/* Anything, from seeds. */
BACKEND_TEST(strings, random) {
    const unsigned calls = reduced_mode() ? 20 : backend->gpu ? 120 : 300;
    uint8_t *const keep = must_alloc(MOST);
    struct strings strings;

    strings_open(&strings, backend, MOST, MOST_BYTES);
    for (unsigned seed = 5800; seed < 5800 + calls; seed++) {
        const struct string_call call =
            string_call_random(seed, MOST, MOST_BYTES);

        selected_fill(&patterns[data_random(seed, 30) % PATTERNS], seed, call.n,
                      keep);
        MUST(strings_run(&strings, &call, keep, report));
    }
    strings_close(&strings);
    free(keep);
}

#ifdef WINNOW_CUDA

/* Captured calls, of which some have strings so long that they are packed in
 * parts, and a number of items that the device knows. */
GPU_TEST(strings, captured) {
    struct strings strings;

    strings_open(&strings, backend, MOST, MOST_BYTES);
    for (int lengths = 0; lengths < STRINGS_LENGTHS; lengths++) {
        const struct string_call call = {
            .lengths = (enum string_lengths)lengths,
            .wide = lengths % 2,
            .n = lengths == STRINGS_HUGE ? 300 : 9000,
            .there = lengths % 3 == 0 ? 7000 : UINT64_MAX,
            .most_bytes = MOST_BYTES,
            .out_skew = (unsigned)lengths,
            .offsets_capacity = WINNOW_NO_LIMIT,
            .data_capacity = lengths % 4 == 1 ? 30000 : WINNOW_NO_LIMIT,
            .captured = true,
            .seed = 5900 + (uint64_t)lengths};

        run(&strings, &call, lengths % 2 ? "all" : "uniform:0.99");
    }
    strings_close(&strings);
}
#endif

/* So many tiles that threads share them. */
BACKEND_TEST(strings, many) {
    const uint64_t n = reduced_mode() ? 300007 : 1200007;
    struct strings strings;

    if (backend->gpu)
        cr_skip_test("the host's threads");
    strings_open(&strings, backend, n, 12 * n);
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        cr_assert_eq(winnow_context_set_threads(backend->context, threads),
                     WINNOW_OK);
        for (int lengths = STRINGS_SHORT; lengths <= STRINGS_WILD; lengths++) {
            const struct string_call call = {
                .lengths = (enum string_lengths)lengths,
                .wide = lengths % 2,
                .n = n,
                .there = lengths == STRINGS_EIGHT ? n - 5000 : UINT64_MAX,
                .most_bytes = 12 * n,
                .in_skew = 5,
                .out_skew = 1,
                .offsets_capacity =
                    lengths == STRINGS_MIXED ? n / 3 : WINNOW_NO_LIMIT,
                .data_capacity =
                    lengths == STRINGS_LINES ? 5 * n + 3 : WINNOW_NO_LIMIT,
                .seed = threads};

            run(&strings, &call,
                lengths == STRINGS_SHORT ? "all" : "uniform:0.5");
        }
    }
    strings_close(&strings);
}

/* Many items have the same bytes, whose sum 31 bits do not hold. Offsets end at
 * the largest one, and the bytes where there is no more room. */
BACKEND_TEST(strings, sums) {
    enum {
        N = 9000,
        BYTES = 1 << 20,
        ROOM = 5000
    };
    uint8_t keep[N];
    uint32_t offsets[N + 1], seen[N / 2 + 1];
    uint64_t counts[2];
    struct selected selected;
    unsigned char *const data = backend_alloc(backend, BYTES);
    void *const d_offsets = backend_alloc(backend, sizeof(offsets));
    void *const out_offsets = backend_alloc(backend, sizeof(offsets));
    unsigned char *const out = backend_alloc(backend, ROOM);
    uint64_t *const d_counts = backend_alloc(backend, sizeof(counts));
    const winnow_in described = {.type = WINNOW_STRING32,
                                 .d_base = d_offsets,
                                 .d_data = data,
                                 .data_size = BYTES};

    selected_open(&selected, backend, N);
    for (int i = 0; i <= N; i++)
        offsets[i] = i % 2 ? BYTES : 0;
    memset(keep, 1, sizeof(keep));
    MUST(selected_make(&selected, keep, N, report));
    backend_upload(backend, d_offsets, offsets, sizeof(offsets));
    for (int alone = 0; alone < 2; alone++) {
        /* All of 2^31 - 1 bytes and more, as far as offsets say. */
        const uint64_t room = alone ? UINT64_C(1) << 40 : ROOM;
        const uint64_t most = alone ? INT32_MAX : ROOM;

        cr_assert_eq(winnow_compact_strings(
                         backend->context, selected.d_selection, &described, N,
                         out_offsets, WINNOW_NO_LIMIT, alone ? NULL : out, room,
                         d_counts, WINNOW_LAUNCH(.stream = backend->stream)),
                     WINNOW_OK, "%s", winnow_last_error());
        cr_assert_null(backend_wait(backend));
        backend_download(backend, counts, d_counts, sizeof(counts));
        backend_download(backend, seen, out_offsets, sizeof(seen));
        cr_assert_eq(counts[0], N);
        cr_assert_eq(counts[1], (uint64_t)N / 2 * BYTES);
        for (uint64_t i = 0; i <= N / 2; i++) {
            const uint64_t all = (i + 1) / 2 * BYTES;

            cr_assert_eq(seen[i], all < most ? all : most, "%d: %u", (int)i,
                         seen[i]);
        }
    }
    selected_close(&selected);
    backend_free(backend, data);
    backend_free(backend, d_offsets);
    backend_free(backend, out_offsets);
    backend_free(backend, out);
    backend_free(backend, d_counts);
}

/* Sums that 64 bits do not hold are 2^63 - 1; so are offsets. */
BACKEND_TEST(strings, saturated) {
    enum {
        N = 80000
    };
    const uint64_t size = UINT64_C(1) << 48;
    uint8_t *const keep = must_alloc(N);
    uint64_t *const offsets = must_alloc((N + 1) * sizeof(uint64_t));
    uint64_t counts[2];
    struct selected selected;
    void *const d_offsets = backend_alloc(backend, (N + 1) * 8);
    void *const out_offsets = backend_alloc(backend, (N + 1) * 8);
    uint64_t *const d_counts = backend_alloc(backend, sizeof(counts));
    const winnow_in described = {
        .type = WINNOW_STRING64, .d_base = d_offsets, .data_size = size};

    selected_open(&selected, backend, N);
    for (int i = 0; i <= N; i++)
        offsets[i] = i % 2 ? size : 0;
    memset(keep, 1, N);
    MUST(selected_make(&selected, keep, N, report));
    backend_upload(backend, d_offsets, offsets, (N + 1) * 8);
    cr_assert_eq(winnow_compact_strings(
                     backend->context, selected.d_selection, &described, N,
                     out_offsets, WINNOW_NO_LIMIT, NULL, UINT64_MAX - 1,
                     d_counts, WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    backend_download(backend, counts, d_counts, sizeof(counts));
    backend_download(backend, offsets, out_offsets, (N + 1) * 8);
    cr_assert_eq(counts[0], N);
    cr_assert_eq(counts[1], INT64_MAX);
    for (uint64_t i = 0; i <= N; i++)
        cr_assert_eq(offsets[i],
                     (i + 1) / 2 < 32768 ? (i + 1) / 2 * size : INT64_MAX,
                     "%d: %llx", (int)i, (unsigned long long)offsets[i]);
    selected_close(&selected);
    backend_free(backend, d_offsets);
    backend_free(backend, out_offsets);
    backend_free(backend, d_counts);
    free(offsets);
    free(keep);
}

/* ------------------------------------------------------------------- errors */

struct spoiled {
    winnow_in strings;
    const void *selection;
    void *offsets, *data;
    uint64_t *counts;
    uint64_t n, offsets_capacity, data_capacity;
    winnow_launch launch;
};

BACKEND_TEST(strings, errors) {
    enum {
        N = 100,
        BYTES = 1000
    };
    struct selected selected;
    uint8_t keep[N] = {1};
    unsigned char *const memory = backend_alloc(backend, 8192);
    unsigned char text[8192];
    struct spoiled good = {
        .strings = {.type = WINNOW_STRING32,
                    .d_base = memory,
                    .d_data = memory + 1024,
                    .data_size = BYTES},
        .offsets = memory + 2048,
        .data = memory + 4096,
        .counts = (uint64_t *)(void *)(memory + 8000),
        .n = N,
        .offsets_capacity = WINNOW_NO_LIMIT,
        .data_capacity = WINNOW_NO_LIMIT,
        .launch = {.size = sizeof(winnow_launch), .stream = backend->stream}};
    struct spoiled s;

#define CALL()                                                                 \
    winnow_compact_strings(backend->context, s.selection, &s.strings, s.n,     \
                           s.offsets, s.offsets_capacity, s.data,              \
                           s.data_capacity, s.counts, &s.launch)
#define REFUSED(STATUS, DETAIL, CHANGE)                                        \
    do {                                                                       \
        s = good;                                                              \
        CHANGE;                                                                \
        cr_assert_eq(CALL(), WINNOW_ERR_##STATUS, "%s: %s", DETAIL,            \
                     winnow_last_error());                                     \
        cr_assert_not_null(strstr(winnow_last_error(), DETAIL), "%s: %s",      \
                           DETAIL, winnow_last_error());                       \
    } while (0)
#define TAKEN(CHANGE)                                                          \
    do {                                                                       \
        s = good;                                                              \
        CHANGE;                                                                \
        cr_assert_eq(CALL(), WINNOW_OK, "%s", winnow_last_error());            \
    } while (0)

    selected_open(&selected, backend, N);
    MUST(selected_make(&selected, keep, N, report));
    memset(text, 0, sizeof(text));
    backend_upload(backend, memory, text, sizeof(text));
    good.selection = selected.d_selection;

    REFUSED(ARGUMENT, "strings->type 3, int32, is neither",
            s.strings.type = WINNOW_INT32);
    REFUSED(ARGUMENT, "strings->type 13, bit, is neither",
            s.strings.type = WINNOW_BIT);
    REFUSED(UNSUPPORTED, "strings->type is view: views are moved",
            s.strings.type = WINNOW_VIEW);
    REFUSED(ARGUMENT, "strings->element_bytes is 4: wanted 0 for strings",
            s.strings.element_bytes = 4);
    REFUSED(ARGUMENT, "strings->stride_bytes is 4", s.strings.stride_bytes = 4);
    REFUSED(ARGUMENT, "strings->offset is 1", s.strings.offset = 1);
    REFUSED(UNSUPPORTED, "strings->dictionary is set",
            s.strings.dictionary = &good.strings);
    REFUSED(ARGUMENT, "strings->reserved is not 0", s.strings.reserved[1] = 1);
    REFUSED(UNSUPPORTED, "strings->data_size is 281474976710657",
            s.strings.data_size = (UINT64_C(1) << 48) + 1);
    REFUSED(UNSUPPORTED, "n is 4398046511105", s.n = (UINT64_C(1) << 42) + 1);
    REFUSED(ARGUMENT, "strings->d_base is NULL", s.strings.d_base = NULL);
    REFUSED(ARGUMENT, "strings->d_base (", s.strings.d_base = memory + 2);
    REFUSED(ARGUMENT, "strings->d_data is NULL", s.strings.d_data = NULL);
    REFUSED(ARGUMENT, "d_selection is NULL", s.selection = NULL);
    REFUSED(ARGUMENT, "d_offsets is NULL", s.offsets = NULL);
    REFUSED(ARGUMENT, "d_offsets (", s.offsets = memory + 2050);
    REFUSED(ARGUMENT, "d_counts (",
            s.counts = (uint64_t *)(void *)(memory + 8004));
    REFUSED(ARGUMENT, "strings->d_base and d_offsets overlap",
            s.offsets = memory + 4 * N);
    REFUSED(ARGUMENT, "strings->d_data and d_data overlap",
            s.data = memory + 1024 + BYTES - 1);
    REFUSED(ARGUMENT, "d_offsets and d_data overlap",
            s.data = memory + 2048 + 4 * N + 3);
    REFUSED(ARGUMENT, "d_data and d_counts overlap",
            s.data_capacity = 8000 - 4096 + 1);
    REFUSED(UNSUPPORTED, "launch->d_position is set",
            s.launch.d_position = s.counts);
    REFUSED(UNSUPPORTED, "launch->strategy is set",
            s.launch.strategy = WINNOW_TILE_SCAN);
    /* Ranges end where they say. */
    TAKEN(s.data = memory + 2048 + 4 * N + 4);
    TAKEN(s.data = memory + 1024 + BYTES; s.data_capacity = 24);
    TAKEN(s.data_capacity = 8000 - 4096);
    TAKEN(s.strings.d_data = NULL; s.data = NULL);
    TAKEN(s.strings.d_data = NULL; s.strings.data_size = 0);
    TAKEN(s.counts = NULL);
    TAKEN(s.offsets = memory + 4 * N + 4; s.offsets_capacity = 5);
    /* d_n may be the word that the counts begin with. */
    TAKEN(s.launch.d_n = s.counts);
    cr_assert_null(backend_wait(backend));
#undef CALL
#undef REFUSED
#undef TAKEN
    selected_close(&selected);
    backend_free(backend, memory);
}

/* A plan reads no array, and says what workspace is enough. */
BACKEND_TEST(strings, plans) {
    enum {
        N = 50000
    };
    winnow_plan plan = {.size = sizeof(plan)};
    const winnow_in described = {.type = WINNOW_STRING64, .data_size = 1000000};

    cr_assert_eq(winnow_compact_strings(
                     backend->context, NULL, &described, N, NULL,
                     WINNOW_NO_LIMIT, NULL, WINNOW_NO_LIMIT, NULL,
                     WINNOW_LAUNCH(.stream = backend->stream, .plan = &plan)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(plan.workspace_bytes % 16, 0);
    cr_assert_lt(plan.workspace_bytes, 2000);
}
