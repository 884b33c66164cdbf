/*
 * winnow_fill: elements of every size, at every alignment, behind counts below,
 * at and above the capacity; and behind the output of another call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#include "data.h"
#include "reduced.h"
#include "region.h"
#include "suite.h"

#define MUST_BE_OK(call)                                                       \
    cr_assert_eq((call), WINNOW_OK, "%s", winnow_last_error())

struct places {
    const struct backend *backend;
    struct region out;
    uint64_t *count; /* and launch.d_n behind it */
    unsigned char value[4096];
};

static void places_open(struct places *places, const struct backend *backend,
                        uint64_t most_bytes) {
    *places = (struct places){.backend = backend};
    region_open(&places->out, backend, most_bytes + 16 + 2 * REGION_GUARD);
    places->count = backend_alloc(backend, 2 * sizeof *places->count);
    for (size_t i = 0; i < sizeof places->value; i++)
        places->value[i] = (unsigned char)data_random(210, i);
}

static void places_close(struct places *places) {
    region_close(&places->out);
    backend_free(places->backend, places->count);
}

/* The value is in other memory by the time that the work is done. There are as
 * many places as `most`, WINNOW_NO_LIMIT: without a d_n. */
static void run(struct places *places, size_t bytes, unsigned offset,
                uint64_t room, uint64_t most, uint64_t count) {
    const struct backend *const backend = places->backend;
    const size_t start = REGION_GUARD + offset;
    const uint64_t capacity = room < most ? room : most;
    const uint64_t first = count < capacity ? count : capacity;
    const uint64_t words[] = {count, most};
    const winnow_out out = {.element_bytes = (uint32_t)bytes,
                            .d_base = places->out.base + start};
    unsigned char value[4097];
    struct report report = {{0}};
    uint64_t seen[2];

    memcpy(value + 1, places->value, bytes);
    region_poison(&places->out, places->out.bytes);
    backend_upload(backend, places->count, words, sizeof words);
    MUST_BE_OK(winnow_fill(
        backend->context, places->count, room, value + 1, &out,
        WINNOW_LAUNCH(.stream = backend->stream,
                      .d_n =
                          most == WINNOW_NO_LIMIT ? NULL : places->count + 1)));
    memset(value, 0, sizeof value);
    cr_assert_null(backend_wait(backend));
    region_fetch(&places->out, places->out.bytes);
    backend_download(backend, seen, places->count, sizeof seen);
    cr_assert_eq(memcmp(seen, words, sizeof seen), 0);
    for (uint64_t i = first; i < capacity; i++)
        cr_assert_eq(
            memcmp(places->out.seen + start + i * bytes, places->value, bytes),
            0, "place %llu of %llu behind %llu, of %zu bytes at %u",
            (unsigned long long)i, (unsigned long long)capacity,
            (unsigned long long)count, bytes, offset);
    cr_assert(region_untouched(&places->out, "out", start, 0,
                               start + first * bytes, &report) &&
                  region_untouched(&places->out, "out", start,
                                   start + capacity * bytes, places->out.bytes,
                                   &report),
              "%s -- %llu places behind %llu, of %zu bytes at %u", report.text,
              (unsigned long long)capacity, (unsigned long long)count, bytes,
              offset);
}

BACKEND_TEST(fill, counts) {
    static const size_t sizes[] = {1, 2, 4, 8, 12, 16};
    static const uint64_t edges[] = {0, 1, 15, 16, 33, 4095, 4096, 4097, 9001};
    const size_t number = sizeof edges / sizeof edges[0];
    struct places places;

    places_open(&places, backend, 9001 * 16);
    for (size_t c = 0; c < number; c++)
        for (size_t n = 0; n < number; n++)
            for (size_t s = (c + n) % 2; s < 6; s += reduced_mode() ? 4 : 2)
                run(&places, sizes[s],
                    (unsigned)(data_random(211, c * number + n) % 16), edges[n],
                    s == 2 ? edges[(c + 2 * n) % number] : WINNOW_NO_LIMIT,
                    edges[c]);
    run(&places, 4, 0, 100, WINNOW_NO_LIMIT, UINT64_MAX);
    run(&places, 12, 4, 100, 50, 20);
    places_close(&places);
}

/* Records, the largest too, whose value is given to the kernels in strips. */
BACKEND_TEST(fill, SLOW(records)) {
    static const size_t sizes[] = {1,    2,    3,    4,    5,   6,   8,
                                   12,   16,   24,   48,   100, 512, 2046,
                                   2048, 2049, 2064, 4095, 4096};
    struct places places;

    places_open(&places, backend, 4096 * 300);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (unsigned offset = 0; offset < 16; offset += reduced_mode() ? 5 : 1)
            run(&places, sizes[s], offset, 300, WINNOW_NO_LIMIT, 7 * s);
    places_close(&places);
}

/* ------------------------------------------------- behind another call's output
 */

enum {
    MOST = 9001,
    REST_FILL = -7
};

struct rest {
    const struct backend *backend;
    winnow_predicate *small;
    int32_t *in, *out;
    uint64_t *count;
};

static void rest_open(struct rest *rest, const struct backend *backend) {
    static const int32_t limit = 50;

    *rest = (struct rest){.backend = backend};
    MUST_BE_OK(winnow_predicate_compare(&rest->small, WINNOW_INT32, WINNOW_LT,
                                        &limit));
    rest->in = backend_alloc(backend, MOST * sizeof *rest->in);
    rest->out = backend_alloc(backend, (MOST + 1) * sizeof *rest->out);
    rest->count = backend_alloc(backend, sizeof *rest->count);
}

static void rest_close(struct rest *rest) {
    backend_free(rest->backend, rest->in);
    backend_free(rest->backend, rest->out);
    backend_free(rest->backend, rest->count);
    winnow_predicate_destroy(rest->small);
}

static void fill_rest(const struct rest *rest, uint64_t n, uint64_t capacity) {
    const struct backend *const backend = rest->backend;
    const int32_t value = REST_FILL;
    const winnow_out places = {.type = WINNOW_INT32, .d_base = rest->out};

    MUST_BE_OK(winnow_copy_if(
        backend->context, rest->small, WINNOW_INT32, rest->in, n, rest->out,
        capacity, rest->count,
        WINNOW_LAUNCH(.stream = backend->stream, .order = WINNOW_STABLE)));
    MUST_BE_OK(winnow_fill(backend->context, rest->count, capacity, &value,
                           &places, WINNOW_LAUNCH(.stream = backend->stream)));
    cr_assert_null(backend_wait(backend));
}

/* The survivors, the value, and nothing behind the capacity. */
static void check_rest(const struct rest *rest, const int32_t *in, uint64_t n,
                       uint64_t capacity) {
    static int32_t out[MOST + 1];
    uint64_t at = 0, count;

    backend_download(rest->backend, out, rest->out, sizeof out);
    backend_download(rest->backend, &count, rest->count, sizeof count);
    for (uint64_t i = 0; i < n; i++)
        if (in[i] < 50 && at++ < capacity)
            cr_assert_eq(out[at - 1], in[i], "survivor %llu",
                         (unsigned long long)at);
    cr_assert_eq(count, at);
    for (; at < capacity; at++)
        cr_assert_eq(out[at], REST_FILL, "place %llu of %llu",
                     (unsigned long long)at, (unsigned long long)capacity);
    cr_assert_eq(out[capacity], 99);
}

BACKEND_TEST(fill, behind_survivors) {
    static const uint64_t numbers[] = {0, 1, 70, 4097, MOST};
    static int32_t in[MOST], untouched[MOST + 1];
    struct rest rest;

    rest_open(&rest, backend);
    for (unsigned i = 0; i < MOST; i++)
        in[i] = (int32_t)(data_random(204, i) % 100);
    for (unsigned i = 0; i <= MOST; i++)
        untouched[i] = 99;
    backend_upload(backend, rest.in, in, sizeof in);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        for (size_t c = 0; c < sizeof numbers / sizeof numbers[0]; c++) {
            backend_upload(backend, rest.out, untouched, sizeof untouched);
            fill_rest(&rest, numbers[i], numbers[c]);
            check_rest(&rest, in, numbers[i], numbers[c]);
        }
    rest_close(&rest);
}

/* ---------------------------------------------------------------- bad input */

#define WRONG(call, status, text)                                              \
    do {                                                                       \
        cr_assert_eq((call), (status));                                        \
        cr_assert_str_eq(winnow_last_error(), text);                           \
    } while (0)
#define FILL(value, capacity, count)                                           \
    winnow_fill(context, count, capacity, value, &out, NULL)

Test(fill, wrong_arguments) {
    uint64_t places[4] = {1, 2, 3, 4}, count = 2;
    const uint64_t value = 7;
    winnow_out out = {.type = WINNOW_UINT64, .d_base = places};
    winnow_context *context = NULL;

    WRONG(FILL(&value, 4, &count), WINNOW_ERR_ARGUMENT, "context is NULL");
    MUST_BE_OK(winnow_context_create(&context, WINNOW_DEVICE_HOST));
    WRONG(FILL(NULL, 4, &count), WINNOW_ERR_ARGUMENT, "fill is NULL");
    WRONG(winnow_fill(context, &count, 4, &value, NULL, NULL),
          WINNOW_ERR_ARGUMENT, "out is NULL");
    WRONG(FILL(&value, 4, NULL), WINNOW_ERR_ARGUMENT, "d_count is NULL");
    WRONG(FILL(&value, 4, places + 3), WINNOW_ERR_ARGUMENT,
          "d_count and out->d_base overlap");
    WRONG(FILL(&value, UINT64_MAX / 2, &count), WINNOW_ERR_ARGUMENT,
          "n is 9223372036854775807: that many elements of 8 bytes do not fit "
          "in the address space");
    out.stride_bytes = 16;
    WRONG(FILL(&value, 4, &count), WINNOW_ERR_UNSUPPORTED,
          "out->stride_bytes is 16: wanted 0, for elements side by side");
    out = (winnow_out){.type = WINNOW_BIT, .d_base = places};
    WRONG(FILL(&value, 4, &count), WINNOW_ERR_UNSUPPORTED,
          "out is of bits: wanted elements of whole bytes");
    out = (winnow_out){.element_bytes = 4097, .d_base = places};
    WRONG(FILL(&value, 4, &count), WINNOW_ERR_ARGUMENT,
          "out->element_bytes is 4097: wanted 1 to 4096");
    out = (winnow_out){.element_bytes = 8};
    WRONG(FILL(&value, 4, &count), WINNOW_ERR_ARGUMENT, "out->d_base is NULL");
    MUST_BE_OK(FILL(&value, 0, &count));
    out.d_base = places;
    MUST_BE_OK(FILL(&value, 3, &count));
    cr_assert(places[1] == 2 && places[2] == 7 && places[3] == 4);
    winnow_context_destroy(context);
}
