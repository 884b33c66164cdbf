/*
 * Strings in which a text is looked for in vain at each place: the time is that of
 * any strings with as many bytes, by some factor, and not by the text's length.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conditions.h"
#include "data.h"
#include "suite.h"

enum {
    BYTES = 1 << 17, /* of a string */
    TEXT = BYTES / 2,
    TRIES = 3,
    /* Twice that, and more, where each place takes the length of the text: on the
     * host 20000. */
    MOST_RATIO = 300
};

struct column {
    const struct backend *backend;
    uint32_t *offsets;
    char *data, *out;
    uint64_t *count;
    char *plain, *hostile; /* what the string may be */
};

static void column_open(struct column *c, const struct backend *backend) {
    const uint32_t offsets[2] = {0, BYTES};

    c->backend = backend;
    c->offsets = backend_alloc(backend, sizeof(offsets));
    c->data = backend_alloc(backend, BYTES);
    c->out = backend_alloc(backend, 1);
    c->count = backend_alloc(backend, sizeof(uint64_t));
    c->plain = must_alloc(BYTES);
    c->hostile = must_alloc(BYTES);
    backend_upload(backend, c->offsets, offsets, sizeof(offsets));
    memset(c->plain, 'x', BYTES);
    memset(c->hostile, 'a', BYTES);
    c->hostile[0] = c->plain[0] = 'b';
}

static void column_close(struct column *c) {
    free(c->hostile);
    free(c->plain);
    backend_free(c->backend, c->count);
    backend_free(c->backend, c->out);
    backend_free(c->backend, c->data);
    backend_free(c->backend, c->offsets);
}

/* *kept_p: does the string pass? */
static winnow_status copy(const struct column *c,
                          const winnow_condition *condition, uint64_t *kept_p) {
    const winnow_in in = {.type = WINNOW_STRING32,
                          .d_base = c->offsets,
                          .d_data = c->data,
                          .data_size = BYTES};
    const winnow_launch launch = {.size = sizeof(launch),
                                  .stream = c->backend->stream};
    const winnow_move move = {
        .element_bytes = 1, .d_in = c->data, .d_out = c->out};
    const winnow_status status =
        winnow_copy_where(c->backend->context, condition, &in, 1, 1, &move, 1,
                          WINNOW_NO_LIMIT, c->count, &launch);

    cr_assert_null(backend_wait(c->backend));
    if (status == WINNOW_OK)
        backend_download(c->backend, kept_p, c->count, sizeof(*kept_p));
    return status;
}

/* Seconds of the processor. The string does not pass. */
static double time_of(const struct column *c, const winnow_condition *condition,
                      const char *string) {
    double least = 1e9;

    backend_upload(c->backend, c->data, string, BYTES);
    for (unsigned i = 0; i < TRIES; i++) {
        const clock_t begin = clock();
        uint64_t kept = 1;

        cr_assert_eq(copy(c, condition, &kept), WINNOW_OK, "%s",
                     winnow_last_error());
        const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        least = seconds < least ? seconds : least;
        cr_assert_eq(kept, 0);
    }
    return least;
}

static void expect_in_time(const struct column *c, winnow_text_test test,
                           const char *text, size_t bytes) {
    winnow_condition *condition;

    cr_assert_eq(winnow_condition_text(&condition, 0, test, text, bytes),
                 WINNOW_OK, "%s", winnow_last_error());
    const double plain = time_of(c, condition, c->plain);
    const double hostile = time_of(c, condition, c->hostile);
    cr_assert_leq(hostile, MOST_RATIO * (plain + 1e-5), "%g s, and %g s",
                  hostile, plain);
    winnow_condition_destroy(condition);
}

BACKEND_TEST(hostile_strings, in_time) {
    struct column c;
    char *const text = must_alloc(TEXT + 4);

    column_open(&c, backend);
    /* a...ab, a...ab...a */
    memset(text, 'a', TEXT);
    text[TEXT - 1] = 'b';
    expect_in_time(&c, WINNOW_TEXT_CONTAINS, text, TEXT);
    text[TEXT - 1] = 'a';
    text[TEXT / 3] = 'b';
    expect_in_time(&c, WINNOW_TEXT_CONTAINS, text, TEXT);
    /* Two such parts, between any bytes. */
    text[TEXT / 2] = text[0] = text[TEXT - 1] = '%';
    expect_in_time(&c, WINNOW_TEXT_LIKE, text, TEXT);
    /* As many characters, and a byte. */
    memset(text, '_', TEXT);
    memcpy(text + TEXT - 2, "b%", 2);
    text[0] = '%';
    expect_in_time(&c, WINNOW_TEXT_LIKE, text, TEXT);
    column_close(&c);
    free(text);
}

/* What a device may be asked: a part with _ behind a text has 1024 bytes and
 * characters. */
static void expect_bound(const struct column *c, const char *pattern,
                         size_t bytes, bool is_within) {
    const bool takes = is_within || !c->backend->gpu;
    const char *const strings[] = {c->plain, c->hostile};
    winnow_condition *condition;

    cr_assert_eq(
        winnow_condition_text(&condition, 0, WINNOW_TEXT_LIKE, pattern, bytes),
        WINNOW_OK, "%s", winnow_last_error());
    for (unsigned i = 0; i < 2; i++) {
        uint64_t kept = 2;

        backend_upload(c->backend, c->data, strings[i], BYTES);
        cr_assert_eq(copy(c, condition, &kept),
                     takes ? WINNOW_OK : WINNOW_ERR_UNSUPPORTED, "%s",
                     winnow_last_error());
        cr_assert_eq(kept, takes ? i : 2);
        if (!takes)
            cr_assert_not_null(
                strstr(winnow_last_error(), "context of WINNOW_DEVICE_HOST"));
    }
    cr_assert_eq(winnow_condition_prepare(c->backend->context, condition),
                 takes ? WINNOW_OK : WINNOW_ERR_UNSUPPORTED);
    winnow_condition_destroy(condition);
}

BACKEND_TEST(hostile_strings, bound) {
    enum {
        MOST = 1024
    };
    struct column c;
    char text[MOST + 4];

    column_open(&c, backend);
    for (unsigned more = 0; more < 2; more++) {
        const size_t bytes = MOST + more;

        memset(text, 'a', sizeof(text));
        text[0] = text[bytes + 1] = '%';
        text[bytes / 2] = '_';
        expect_bound(&c, text, bytes + 2, more == 0);
        /* Most of it characters, so that the pattern is small. */
        memset(text + 2, '_', bytes - 1);
        expect_bound(&c, text, bytes + 2, more == 0);
        /* Characters before a text are passed once. */
        text[1] = '_';
        text[bytes] = 'a';
        expect_bound(&c, text, bytes + 2, true);
        /* At the end of a string there is one place. */
        text[1] = 'a';
        expect_bound(&c, text, bytes + 1, true);
    }
    column_close(&c);
}
