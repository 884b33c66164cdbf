/*
 * Tests of strings in columns that are wrong: offsets that descend or reach beyond
 * the bytes, views that name no buffer or bytes that it does not have. What
 * winnow_in(3) says such strings are is written down here once more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "reduced.h"
#include "selected.h"
#include "suite.h"
#include "texts.h"

enum {
    N = 300,
    DATA = 200, /* bytes */
    INSIDE = 12 /* bytes of a string that stand in a view */
};

struct view {
    uint32_t bytes;
    unsigned char first[4]; /* all, of a short one */
    uint32_t buffer, offset;
};

struct wrong {
    unsigned char data[DATA];
    uint64_t size;      /* of them, that the column has */
    uint64_t at[N + 1]; /* offsets */
    struct view views[N];
    struct text texts[N];
    uint8_t keep[N];
    void *memory[4];
};

static uint64_t draw(uint64_t *seed, uint64_t below) {
    return draw_next(seed, below);
}

static void set_text(struct text *text, const unsigned char *from,
                     uint64_t bytes) {
    cr_assert_leq(bytes, TEXTS_MOST_BYTES);
    text->length = bytes;
    if (bytes != 0)
        memcpy(text->bytes, from, bytes);
}

/* ----------------------------------------------------------------- offsets */

static uint64_t wrong_offset(uint64_t at, uint64_t most, uint64_t *seed) {
    switch (draw(seed, 5)) {
    case 0:
        return most - draw(seed, 9);
    case 1:
        return most / 2 + draw(seed, 3);
    case 2:
        return DATA + draw(seed, 12);
    case 3:
        return draw(seed, DATA);
    default:
        return at - draw(seed, 4);
    }
}

/* In every `every` offsets one is wrong. */
static winnow_in lay_offsets(struct wrong *w, const struct backend *backend,
                             winnow_type type, unsigned every, uint64_t *seed) {
    const size_t width = type == WINNOW_STRING32 ? 4 : 8;
    const uint64_t most = width == 4 ? UINT32_MAX : UINT64_MAX;
    unsigned char offsets[(N + 1) * 8];
    uint64_t at = 0;

    for (unsigned i = 0; i <= N; i++) {
        w->at[i] = at;
        if (draw(seed, every) == 0)
            w->at[i] = wrong_offset(at, most, seed) & most;
        if (at < DATA)
            at += draw(seed, 20) == 0 ? draw(seed, 20) : draw(seed, 2);
        memcpy(offsets + i * width, &w->at[i], width);
    }
    for (unsigned i = 0; i < N; i++) {
        const uint64_t begin = w->at[i] < w->size ? w->at[i] : w->size;
        const uint64_t end = w->at[i + 1] < w->size ? w->at[i + 1] : w->size;

        set_text(&w->texts[i], w->data + begin, end > begin ? end - begin : 0);
    }
    backend_upload(backend, w->memory[0], offsets, (N + 1) * width);
    return (winnow_in){.type = type,
                       .d_base = w->memory[0],
                       .d_data = w->size != 0 ? w->memory[1] : NULL,
                       .data_size = w->size};
}

/* ------------------------------------------------------------------- views */

/* The first bytes stay: where they are not those of the buffer, either may count. */
static void wrong_view(struct view *view, uint64_t size, uint64_t *seed) {
    switch (draw(seed, 5)) {
    case 0:
        view->buffer = 1 + (uint32_t)draw(seed, 3);
        break;
    case 1:
        view->buffer = UINT32_MAX - (uint32_t)draw(seed, 2);
        break;
    case 2:
        view->offset = UINT32_MAX - (uint32_t)draw(seed, 20);
        break;
    case 3:
        view->bytes = UINT32_MAX - (uint32_t)draw(seed, 20);
        break;
    default:
        view->offset = (uint32_t)(size + 1 - view->bytes + draw(seed, 5));
    }
}

/* Buffer 0 has all bytes, buffer 1 is NULL and has none, others are not there; of
 * a column without bytes there is none. */
static winnow_in lay_views(struct wrong *w, const struct backend *backend,
                           unsigned every, uint64_t *seed) {
    const winnow_buffer buffers[2] = {{w->memory[1], w->size}, {NULL, 0}};
    const uint64_t number = w->size != 0 ? 2 : 0;
    uint32_t at = 0;

    for (unsigned i = 0; i < N; i++) {
        struct view *const view = &w->views[i];

        memset(view, (int)draw(seed, 256), sizeof(*view));
        view->bytes = (uint32_t)draw(seed, draw(seed, 2) ? 14 : 30);
        if (view->bytes > DATA - at)
            at = 0; /* from the front again */
        if (view->bytes <= INSIDE) {
            memcpy((unsigned char *)view + 4, w->data + at, view->bytes);
            set_text(&w->texts[i], w->data + at, view->bytes);
            continue;
        }
        memcpy(view->first, w->data + at, 4);
        view->buffer = 0;
        view->offset = at;
        at += view->bytes;
        if (draw(seed, every) == 0)
            wrong_view(view, w->size, seed);
        const bool right = view->buffer == 0 && number != 0 &&
                           (uint64_t)view->offset + view->bytes <= w->size;
        set_text(&w->texts[i], w->data + view->offset * right,
                 right ? view->bytes : 0);
    }
    backend_upload(backend, w->memory[0], w->views, sizeof(w->views));
    backend_upload(backend, w->memory[2], buffers, sizeof(buffers));
    return (winnow_in){.type = WINNOW_VIEW,
                       .d_base = w->memory[0],
                       .d_data = number != 0 ? w->memory[2] : NULL,
                       .data_size = number};
}

/* ------------------------------------------------------------------- trials */

/* What begins as a wrong view says that it begins. */
static void draw_like(const struct wrong *w, struct text *like,
                      uint64_t *seed) {
    const unsigned i = (unsigned)draw(seed, N);

    *like = w->texts[i];
    if (like->length == 0 && draw(seed, 2) != 0)
        set_text(like, w->views[i].first, 1 + draw(seed, 4));
}

/* Does the host see that a column without bytes names some? */
static bool is_refused(const struct backend *backend, const winnow_in *in,
                       const struct wrong *w) {
    bool names = false;

    for (unsigned i = 0; i < N; i++)
        names |= in->type == WINNOW_VIEW ? w->views[i].bytes > INSIDE
                                         : w->at[i + 1] > w->at[i];
    return names && !backend->gpu && in->d_data == NULL;
}

static void check_rule(const struct backend *backend, const winnow_in *in,
                       const struct text_rule *rule, struct wrong *w,
                       struct selected *selected) {
    const bool refused = is_refused(backend, in, w);
    winnow_condition *const condition = text_rule_create(rule, 0);
    const winnow_launch launch = {.size = sizeof(launch),
                                  .stream = backend->stream};

    selected_prepare(selected, N);
    cr_assert_eq(
        winnow_select_where(backend->context, condition, in, 1, N,
                            selected->d_selection, selected->bytes, &launch),
        refused ? WINNOW_ERR_ARGUMENT : WINNOW_OK, "%s", winnow_last_error());
    winnow_condition_destroy(condition);
    if (refused) {
        cr_assert_not_null(strstr(winnow_last_error(), "d_data is NULL, and"));
        return;
    }
    for (unsigned i = 0; i < N; i++)
        w->keep[i] = text_rule_keeps(rule, &w->texts[i]);
    MUST(selected_check(selected, w->keep, report));
}

static void trial(const struct backend *backend, winnow_type type,
                  uint64_t seed, struct wrong *w, struct selected *selected) {
    const unsigned every = draw(&seed, 2) ? 3 : 100;
    winnow_in in;

    w->size = draw(&seed, 8) == 0 ? 0 : DATA - draw(&seed, 20);
    for (unsigned i = 0; i < DATA; i++)
        w->data[i] = "aab%"[draw(&seed, 4)];
    /* No more bytes than these: whatever is read behind them is noticed. */
    w->memory[1] = backend_alloc(backend, w->size);
    backend_upload(backend, w->memory[1], w->data, w->size);
    in = type == WINNOW_VIEW ? lay_views(w, backend, every, &seed)
                             : lay_offsets(w, backend, type, every, &seed);
    for (unsigned r = 0; r < 12; r++) {
        struct text_rule rule;
        struct text like;

        draw_like(w, &like, &seed);
        text_rule_random(&rule, &like, &seed);
        check_rule(backend, &in, &rule, w, selected);
        text_rule_free(&rule);
    }
    backend_free(backend, w->memory[1]);
}

BACKEND_TEST(wrong_strings, random) {
    static const winnow_type types[] = {WINNOW_STRING32, WINNOW_STRING64,
                                        WINNOW_VIEW};
    const unsigned trials = reduced_mode() ? 15 : 300;
    static struct wrong w;
    struct selected selected;

    selected_open(&selected, backend, N);
    w.memory[0] = backend_alloc(backend, sizeof(w.views));
    w.memory[2] = backend_alloc(backend, 2 * sizeof(winnow_buffer));
    for (unsigned t = 0; t < trials; t++)
        trial(backend, types[t % 3], 5100 + t, &w, &selected);
    backend_free(backend, w.memory[2]);
    backend_free(backend, w.memory[0]);
    selected_close(&selected);
}

/* ------------------------------------------------- bytes that are not there */

/* A condition of a column that has no bytes: what the host says, or OK. */
static void expect_lack(const winnow_context *context, winnow_in column,
                        const uint64_t *d_n, const char *text,
                        const char *detail) {
    static const winnow_field fields[] = {
        {.name = "s", .type = WINNOW_STRING32},
        {.name = "t", .type = WINNOW_VIEW}};
    const winnow_in columns[] = {column, column};
    winnow_condition *condition;
    unsigned char mask[8];
    uint64_t count;
    winnow_launch launch = {.size = sizeof(launch), .d_n = d_n};

    cr_assert_eq(winnow_condition_parse(&condition, fields, 2, text), WINNOW_OK,
                 "%s", winnow_last_error());
    const winnow_status status = winnow_copy_where(
        (winnow_context *)(uintptr_t)context, condition, columns, 2, 3,
        &(winnow_move){.element_bytes = 1, .d_in = "abc", .d_out = mask}, 1,
        WINNOW_NO_LIMIT, &count, &launch);
    cr_assert_eq(status, detail != NULL ? WINNOW_ERR_ARGUMENT : WINNOW_OK,
                 "%s: %s", text, winnow_last_error());
    cr_assert(detail == NULL ||
                  strncmp(winnow_last_error(), detail, strlen(detail)) == 0,
              "%s: %s", text, winnow_last_error());
    winnow_condition_destroy(condition);
}

Test(wrong_strings, bytes_that_are_not_there) {
    static const uint32_t offsets[] = {5, 5, 5, 20}, flat[] = {7, 7, 7, 7};
    static const struct view views[3] = {{.bytes = 12}, {.bytes = 13}};
    static const uint8_t indices[3] = {0}, valid = 5;
    static const uint64_t two = 2;
    const winnow_in strings = {.type = WINNOW_STRING32, .d_base = offsets};
    const winnow_in empty = {.type = WINNOW_STRING32, .d_base = flat};
    winnow_in of_views = {.type = WINNOW_VIEW, .d_base = views};
    const winnow_in values = {.type = WINNOW_UINT8,
                              .d_base = indices,
                              .dictionary = &strings,
                              .dictionary_n = 3};
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    expect_lack(context, strings, NULL, "s = 'a'",
                "columns[0].d_data is NULL, and string 2 has 15 bytes");
    expect_lack(context, strings, NULL, "length(s) = 3",
                "columns[0].d_data is NULL, and string 2 has 15 bytes");
    expect_lack(context, strings, &two, "s = 'a'", NULL);
    expect_lack(context, strings, NULL, "s is null", NULL);
    expect_lack(context, empty, NULL, "s = 'a'", NULL);
    expect_lack(context, values, NULL, "s = 'a'",
                "columns[0].dictionary->d_data is NULL, and string 2 has 15");
    expect_lack(context, of_views, NULL, "t = 'a'",
                "columns[1].d_data is NULL, and string 1 has 13 bytes");
    of_views.d_valid = &valid;
    expect_lack(context, of_views, NULL, "t = 'a'", NULL);
    uint32_t out[4];
    unsigned char selection[1024];
    cr_assert_eq(winnow_select_flagged(
                     context, &(winnow_mask){WINNOW_MASK_BYTES, "\1\1\1", 0}, 3,
                     selection, sizeof(selection), NULL),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(winnow_compact_strings(context, selection, &strings, 3, out,
                                        WINNOW_NO_LIMIT, NULL, 0, NULL, NULL),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_str_eq(winnow_last_error(),
                     "strings->d_data is NULL, and string 2 has 15 bytes");
    winnow_context_destroy(context);
}
