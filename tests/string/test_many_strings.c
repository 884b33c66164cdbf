/*
 * Columns of so many strings that a device looks at all bytes of some blocks of
 * them at once: strings between offsets of every kind, next to others' bytes, at
 * every place of memory. What is right follows from the header's words about
 * offsets and from tests/string/texts.h.
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

/* How the offsets go. */
enum shape {
    SHORT,     /* 0 to 20 bytes */
    TINY,      /* 0 or 1: what a text spans is in no string */
    LONG_ONES, /* 40 to 300 */
    SAME,      /* all of them equal */
    JUMPING,   /* now and then back: strings overlap, and some are none */
    WILD,      /* any, also below 0 and behind the data */
    SHAPES
};

struct column {
    const struct backend *backend;
    const struct text *planted; /* NULL, or what the data has everywhere */
    uint64_t n, size;
    uint64_t *offsets; /* n + 1 */
    unsigned char *data;
    struct text *texts;
    uint8_t *valid;
    void *memory[4];
    winnow_in in;
};

/* At every place of 64, in strings and across their ends. One copy of four is whole;
 * in the others a byte differs. */
static void plant(struct column *c, uint64_t *seed) {
    const struct text *const text = c->planted;
    uint64_t at = 0;

    for (unsigned k = 0; at + text->length <= c->size; k++, at += 65) {
        memcpy(c->data + at, text->bytes, text->length);
        if (k % 4 != 0)
            c->data[at + draw_next(seed, text->length)] = 'u';
    }
}

/* Few letters, so that texts are often found, and across the ends of strings. */
static void fill_data(struct column *c, uint64_t *seed) {
    static const char letters[] = "aabbc%_\xc3\xa9";

    for (uint64_t i = 0; i < c->size; i++)
        c->data[i] = (unsigned char)letters[draw_next(seed, 9)];
    if (c->planted != NULL)
        plant(c, seed);
}

static uint64_t length_of(enum shape shape, uint64_t *seed) {
    switch (shape) {
    case TINY:
        return draw_next(seed, 2);
    case LONG_ONES:
        return 40 + draw_next(seed, 261);
    case SAME:
        return 0;
    default:
        return draw_next(seed, 21);
    }
}

/* Below 2^31 - 1 and not above the data's end, as offsets have to be; WILD ones are
 * numbers of 32 bits. */
static void fill_offsets(struct column *c, enum shape shape, uint64_t *seed) {
    uint64_t at = shape == SAME ? 7 : draw_next(seed, 40);

    for (uint64_t i = 0; i <= c->n; i++) {
        c->offsets[i] = at;
        at += length_of(shape, seed);
        if (shape == JUMPING && draw_next(seed, 500) == 0)
            at -= draw_next(seed, at < 200 ? at + 1 : 200);
        if (shape == WILD && draw_next(seed, 900) == 0)
            c->offsets[i] = draw_next(seed, 4) == 0
                                ? draw_next(seed, UINT64_C(1) << 32)
                                : UINT32_MAX - draw_next(seed, 99);
    }
    /* Some bytes behind the last string, or none. */
    c->size = at + draw_next(seed, 3) * 9;
}

/* As the header has it. */
static void cut_texts(struct column *c) {
    for (uint64_t i = 0; i < c->n; i++) {
        const uint64_t begin =
            c->offsets[i] < c->size ? c->offsets[i] : c->size;
        const uint64_t end =
            c->offsets[i + 1] < c->size ? c->offsets[i + 1] : c->size;
        struct text *const text = &c->texts[i];

        text->length = end > begin ? (size_t)(end - begin) : 0;
        if (text->length > TEXTS_MOST_BYTES) {
            /* More than a text may have: null. */
            c->valid[i / 8] &= (uint8_t) ~(1u << i % 8);
            text->length = 0;
        }
        memcpy(text->bytes, c->data + begin, text->length);
    }
}

static void *upload(struct column *c, unsigned slot, const void *from,
                    size_t bytes, size_t shift) {
    c->memory[slot] = backend_alloc(c->backend, bytes + shift + 1);
    backend_upload(c->backend, (char *)c->memory[slot] + shift, from, bytes);
    return (char *)c->memory[slot] + shift;
}

static void lay_offsets(struct column *c, unsigned shift) {
    const size_t width = c->in.type == WINNOW_STRING32 ? 4 : 8;
    unsigned char *const packed = must_alloc((c->n + 1) * width);

    for (uint64_t i = 0; i <= c->n; i++)
        memcpy(packed + i * width, &c->offsets[i], width);
    c->in.d_base = upload(c, 0, packed, (c->n + 1) * width, 0);
    c->in.d_data = upload(c, 1, c->data, c->size, shift);
    c->in.data_size = c->size;
    free(packed);
}

/* One buffer; a view in a thousand reaches beyond it, or names another. */
static void lay_views(struct column *c, unsigned shift, uint64_t *seed) {
    uint32_t(*const views)[4] = must_alloc((c->n + 1) * sizeof(*views));
    winnow_buffer buffer = {.bytes = c->size};

    buffer.d_bytes = upload(c, 1, c->data, c->size, shift);
    memset(views, 0, (c->n + 1) * sizeof(*views));
    for (uint64_t i = 0; i < c->n; i++) {
        struct text *const text = &c->texts[i];

        views[i][0] = (uint32_t)text->length;
        memcpy(&views[i][1], text->bytes,
               text->length <= 12 ? text->length : 4);
        if (text->length <= 12)
            continue;
        views[i][3] = (uint32_t)c->offsets[i];
        if (draw_next(seed, 1000) == 0) {
            views[i][draw_next(seed, 2) == 0 ? 2 : 3] = (uint32_t)c->size;
            text->length = 0;
        }
    }
    c->in.d_base = upload(c, 0, views, c->n * sizeof(*views), 0);
    c->in.d_data = upload(c, 2, &buffer, sizeof(buffer), 0);
    c->in.data_size = 1;
    free(views);
}

static void column_open(struct column *c, const struct backend *backend,
                        const struct text *planted, enum shape shape,
                        winnow_type type, unsigned shift, uint64_t n,
                        uint64_t *seed) {
    memset(c, 0, sizeof(*c));
    c->backend = backend;
    c->planted = planted;
    c->n = n;
    c->offsets = must_alloc((n + 1) * sizeof(c->offsets[0]));
    fill_offsets(c, shape, seed);
    c->data = must_alloc(c->size);
    c->texts = must_alloc(n * sizeof(c->texts[0]));
    c->valid = must_alloc(n / 8 + 1);
    fill_data(c, seed);
    for (uint64_t i = 0; i <= n / 8; i++)
        c->valid[i] = (uint8_t)(draw_next(seed, 256) | draw_next(seed, 256));
    cut_texts(c);
    c->in.type = type;
    if (type == WINNOW_VIEW)
        lay_views(c, shift, seed);
    else
        lay_offsets(c, shift);
    if (shape == WILD || draw_next(seed, 2) == 0)
        c->in.d_valid = upload(c, 3, c->valid, n / 8 + 1, 0);
}

static void column_close(struct column *c) {
    for (unsigned i = 0; i < 4; i++)
        backend_free(c->backend, c->memory[i]);
    free(c->valid);
    free(c->texts);
    free(c->data);
    free(c->offsets);
}

/* Bytes of the data, which may be those of several strings. */
static void draw_part(const struct column *c, struct text *part, size_t most,
                      uint64_t *seed) {
    part->length = 1 + (size_t)draw_next(seed, most);
    if (part->length > c->size)
        part->length = (size_t)c->size;
    memcpy(part->bytes, c->data + draw_next(seed, c->size - part->length + 1),
           part->length);
}

static void append(struct text *to, const char *bytes) {
    memcpy(to->bytes + to->length, bytes, strlen(bytes));
    to->length += strlen(bytes);
}

/* A pattern of parts, between % and _; now and then without either end. */
static void draw_pattern(const struct column *c, struct text *pattern,
                         uint64_t *seed) {
    static const char *const between[] = {"%", "_", "%_", "_%"};
    const unsigned parts = 1 + (unsigned)draw_next(seed, 3);

    pattern->length = 0;
    if (draw_next(seed, 4) != 0)
        append(pattern, "%");
    for (unsigned i = 0; i < parts; i++) {
        struct text part;

        draw_part(c, &part, draw_next(seed, 4) == 0 ? 20 : 3, seed);
        memcpy(pattern->bytes + pattern->length, part.bytes, part.length);
        pattern->length += part.length;
        if (i + 1 != parts)
            append(pattern, between[draw_next(seed, 4)]);
    }
    if (draw_next(seed, 4) != 0)
        append(pattern, "%");
}

/* About a string of the column, or about bytes of its data. */
static void draw_rule(const struct column *c, struct text_rule *rule,
                      uint64_t *seed) {
    static const unsigned numbers[] = {2, 5, 16, 17, 300};

    rule->test = (int)draw_next(seed, TEXT_IN + 1);
    rule->number = rule->test == TEXT_IN ? numbers[draw_next(seed, 5)] : 1;
    rule->texts = must_alloc(rule->number * sizeof(rule->texts[0]));
    for (unsigned i = 0; i < rule->number; i++) {
        struct text *const text = &rule->texts[i];

        if (rule->test == WINNOW_TEXT_LIKE)
            draw_pattern(c, text, seed);
        else if (rule->test == WINNOW_TEXT_CONTAINS || draw_next(seed, 3) == 0)
            draw_part(c, text, 40, seed);
        else
            *text = c->texts[draw_next(seed, c->n)];
        if (rule->test == WINNOW_TEXT_CONTAINS && draw_next(seed, 2) == 0 &&
            text->length > 4)
            text->length = 1 + text->length % 4;
        if (rule->test == WINNOW_TEXT_STARTS_WITH && text->length != 0)
            text->length = 1 + (size_t)draw_next(seed, text->length);
    }
}

static void check_rule(const struct column *c, const struct text_rule *rule,
                       struct selected *selected, uint8_t *keep) {
    const winnow_launch launch = {.size = sizeof(launch),
                                  .stream = c->backend->stream};
    winnow_condition *const condition = text_rule_create(rule, 0);

    for (uint64_t i = 0; i < c->n; i++)
        keep[i] = (c->in.d_valid == NULL || (c->valid[i / 8] >> i % 8 & 1)) &&
                  text_rule_keeps(rule, &c->texts[i]);
    selected_prepare(selected, c->n);
    cr_assert_eq(winnow_select_where(c->backend->context, condition, &c->in, 1,
                                     c->n, selected->d_selection,
                                     selected->bytes, &launch),
                 WINNOW_OK, "%s", winnow_last_error());
    winnow_condition_destroy(condition);
    MUST(selected_check(selected, keep, report));
}

static void trial(const struct backend *backend, enum shape shape,
                  winnow_type type, unsigned shift, unsigned rules) {
    const uint64_t n = shape == LONG_ONES ? 700 : 6500;
    uint64_t seed = 9000 + (uint64_t)shape * 100 + shift;
    uint8_t *const keep = must_alloc(n);
    struct selected selected;
    struct column c;

    column_open(&c, backend, NULL, shape, type, shift, n, &seed);
    selected_open(&selected, backend, n);
    for (unsigned r = 0; r < rules; r++) {
        struct text_rule rule;

        draw_rule(&c, &rule, &seed);
        check_rule(&c, &rule, &selected, keep);
        text_rule_free(&rule);
    }
    selected_close(&selected);
    column_close(&c);
    free(keep);
}

static const winnow_type types[] = {WINNOW_STRING32, WINNOW_STRING64,
                                    WINNOW_VIEW};

/* Every shape, at every place of 16, by one of the types in turn. Views have no
 * order of offsets. */
static void all_shapes(const struct backend *backend, unsigned rules,
                       unsigned step) {
    for (unsigned shift = 0; shift < 16; shift += step)
        for (unsigned shape = 0; shape < SHAPES; shape++)
            trial(backend, (enum shape)shape,
                  types[(shift / step + shape) % (shape == WILD ? 2 : 3)],
                  shift, rules);
}

BACKEND_TEST(many_strings, shapes) {
    all_shapes(backend, 4, 5);
}

/* A text of frequent letters, but for one word of 4, by which it is looked for. */
static void make_planted(struct text *text, size_t length, size_t word) {
    text->length = length;
    for (size_t i = 0; i < length; i++)
        text->bytes[i] = (unsigned char)"aetoin"[(i + i / 4) % 6];
    memcpy(text->bytes + word, "zqxj", 4);
}

static void check_planted(const struct backend *backend, enum shape shape,
                          winnow_type type, size_t length, size_t word) {
    const uint64_t n = 2100;
    uint64_t seed = 50 + 100 * length + word;
    struct text texts[2] = {{.length = 0}, {.length = 0}};
    struct text_rule rules[] = {
        {.test = WINNOW_TEXT_CONTAINS, .number = 1, .texts = &texts[0]},
        {.test = WINNOW_TEXT_LIKE, .number = 1, .texts = &texts[1]}};
    uint8_t *const keep = must_alloc(n);
    struct selected selected;
    struct column c;

    make_planted(&texts[0], length, word);
    append(&texts[1], "%");
    memcpy(texts[1].bytes + 1, texts[0].bytes, length);
    texts[1].length += length;
    append(&texts[1], "_%");
    column_open(&c, backend, &texts[0], shape, type, (unsigned)word % 16, n,
                &seed);
    selected_open(&selected, backend, n);
    for (unsigned r = 0; r < 2; r++)
        check_rule(&c, &rules[r], &selected, keep);
    selected_close(&selected);
    column_close(&c);
    free(keep);
}

/* The rare word at every place of a text, next to an end of it as well. */
BACKEND_TEST(many_strings, rare_words) {
    for (size_t word = 0; word <= 36; word += 4)
        check_planted(backend, word % 8 == 0 ? LONG_ONES : JUMPING,
                      types[word / 4 % 3], word < 16 ? 18 : word + 4 + word % 3,
                      word);
}

BACKEND_TEST(many_strings, LONG(all_shapes)) {
    all_shapes(backend, reduced_mode() ? 6 : 30, 1);
}
