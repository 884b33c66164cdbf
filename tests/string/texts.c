/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "data.h"

static void *must_alloc(size_t bytes) {
    void *const memory = calloc(1, bytes + 1);

    if (memory == NULL) {
        fprintf(stderr, "no memory\n");
        abort();
    }
    return memory;
}

/* ------------------------------------------------------------------ strings */

static void append(struct text *text, const char *bytes) {
    const size_t length = strlen(bytes);

    if (text->length + length <= TEXTS_MOST_BYTES) {
        memcpy(text->bytes + text->length, bytes, length);
        text->length += length;
    }
}

void text_random(struct text *text, uint64_t *seed) {
    static const char *const letters[] = {
        "a", "b", "a", "b", "c", "\xc3\xa9", "\xe2\x82\xac", "%", "_"};
    const uint64_t kind = draw_next(seed, 40);
    const uint64_t most = kind == 0 ? 300 : kind < 4 ? 40 : kind < 10 ? 14 : 6;
    const uint64_t characters = draw_next(seed, most + 1);
    const bool any = draw_next(seed, 12) == 0;

    text->length = 0;
    for (uint64_t i = 0; i < characters; i++) {
        if (!any)
            append(text, letters[draw_next(seed, kind % 2 == 0 ? 9 : 4)]);
        else if (text->length < TEXTS_MOST_BYTES)
            text->bytes[text->length++] = (unsigned char)draw_next(seed, 256);
    }
}

/* ------------------------------------------------------------------- tests */

static int order(const struct text *a, const struct text *b) {
    for (size_t i = 0; i < a->length && i < b->length; i++)
        if (a->bytes[i] != b->bytes[i])
            return a->bytes[i] < b->bytes[i] ? -1 : 1;
    return a->length < b->length ? -1 : a->length > b->length;
}

static bool stands_at(const struct text *text, const struct text *part,
                      size_t at) {
    for (size_t i = 0; i < part->length; i++)
        if (text->bytes[at + i] != part->bytes[i])
            return false;
    return true;
}

static bool contains(const struct text *text, const struct text *part) {
    for (size_t at = 0; at + part->length <= text->length; at++)
        if (stands_at(text, part, at))
            return true;
    return false;
}

/* Does a character begin at this byte, or end before it? */
static bool is_edge(const struct text *text, size_t i) {
    return i == 0 || i == text->length || (text->bytes[i] & 0xc0) != 0x80;
}

/* By the places of the string that a part of the pattern may end at. */
bool text_is_like(const struct text *text, const struct text *pattern,
                  unsigned char escape) {
    bool at[TEXTS_MOST_BYTES + 1] = {true};

    for (size_t p = 0; p < pattern->length; p++) {
        bool next[TEXTS_MOST_BYTES + 1] = {false};
        unsigned char byte = pattern->bytes[p];
        const bool literal = escape != 0 && byte == escape;

        if (literal)
            byte = pattern->bytes[++p];
        for (size_t i = 0; i <= text->length; i++) {
            if (!at[i])
                continue;
            if (!literal && byte == '%') {
                for (size_t k = i; k <= text->length; k++)
                    next[k] = true;
            } else if (i < text->length && !literal && byte == '_') {
                size_t k = i + 1;

                while (!is_edge(text, k))
                    k++;
                if (is_edge(text, i))
                    next[k] = true;
            } else if (i < text->length && text->bytes[i] == byte) {
                next[i + 1] = true;
            }
        }
        memcpy(at, next, sizeof(at));
    }
    return at[text->length];
}

bool text_rule_keeps(const struct text_rule *rule, const struct text *text) {
    const struct text *const with = rule->texts;

    switch (rule->test) {
    case WINNOW_TEXT_LT:
        return order(text, with) < 0;
    case WINNOW_TEXT_LE:
        return order(text, with) <= 0;
    case WINNOW_TEXT_EQ:
        return order(text, with) == 0;
    case WINNOW_TEXT_NE:
        return order(text, with) != 0;
    case WINNOW_TEXT_GE:
        return order(text, with) >= 0;
    case WINNOW_TEXT_GT:
        return order(text, with) > 0;
    case WINNOW_TEXT_STARTS_WITH:
        return text->length >= with->length && stands_at(text, with, 0);
    case WINNOW_TEXT_ENDS_WITH:
        return text->length >= with->length &&
               stands_at(text, with, text->length - with->length);
    case WINNOW_TEXT_CONTAINS:
        return contains(text, with);
    case WINNOW_TEXT_LIKE:
        return text_is_like(text, with, 0);
    default:
        for (unsigned i = 0; i < rule->number; i++)
            if (order(text, &with[i]) == 0)
                return true;
        return false;
    }
}

/* A part of a string, from its begin or end or neither. */
static void part_of(struct text *part, const struct text *text, int test,
                    uint64_t *seed) {
    const size_t most = test == WINNOW_TEXT_CONTAINS ? 4 : 6;
    const size_t length = (size_t)draw_next(seed, most + 1);
    const size_t least = length < text->length ? length : text->length;
    const size_t room = text->length - least;
    const size_t at = test == WINNOW_TEXT_STARTS_WITH ? 0
                      : test == WINNOW_TEXT_ENDS_WITH
                          ? room
                          : (size_t)draw_next(seed, room + 1);

    part->length = least;
    memcpy(part->bytes, text->bytes + at, least);
}

/* What a string is like: some of its characters are left out. */
static void pattern_of(struct text *pattern, const struct text *text,
                       uint64_t *seed) {
    pattern->length = 0;
    for (size_t i = 0; i < text->length; i++) {
        const uint64_t kind = draw_next(seed, 8);

        if (kind == 0 && pattern->length < TEXTS_MOST_BYTES)
            pattern->bytes[pattern->length++] = '%';
        if (kind == 1 && is_edge(text, i)) {
            while (!is_edge(text, i + 1))
                i++;
            append(pattern, "_");
        } else if (kind > 3 && pattern->length < TEXTS_MOST_BYTES) {
            pattern->bytes[pattern->length++] = text->bytes[i];
        } else if (kind <= 3) {
            append(pattern, "%");
        }
    }
    if (draw_next(seed, 3) == 0)
        append(pattern, "%");
}

void text_rule_random(struct text_rule *rule, const struct text *like,
                      uint64_t *seed) {
    rule->test = (int)draw_next(seed, TEXT_IN + 1);
    rule->number = 1;
    if (rule->test == TEXT_IN)
        rule->number = (unsigned)draw_next(seed, 4) == 0
                           ? (unsigned)draw_next(seed, 300)
                           : (unsigned)draw_next(seed, 5);
    rule->texts = must_alloc((rule->number + 1) * sizeof(rule->texts[0]));
    for (unsigned i = 0; i < rule->number; i++) {
        text_random(&rule->texts[i], seed);
        if (i == 0 && draw_next(seed, 4) != 0) {
            if (rule->test == WINNOW_TEXT_LIKE)
                pattern_of(&rule->texts[0], like, seed);
            else if (rule->test >= WINNOW_TEXT_STARTS_WITH &&
                     rule->test <= WINNOW_TEXT_CONTAINS)
                part_of(&rule->texts[0], like, rule->test, seed);
            else
                rule->texts[0] = *like;
        }
    }
}

void text_rule_free(struct text_rule *rule) {
    free(rule->texts);
}

winnow_condition *text_rule_create(const struct text_rule *rule,
                                   unsigned column) {
    winnow_condition *condition = NULL;
    winnow_buffer *const list =
        must_alloc((rule->number + 1) * sizeof(list[0]));
    winnow_status status;

    for (unsigned i = 0; i < rule->number; i++)
        list[i] = (winnow_buffer){rule->texts[i].bytes, rule->texts[i].length};
    status =
        rule->test == TEXT_IN
            ? winnow_condition_text_in(&condition, column, list, rule->number)
            : winnow_condition_text(
                  &condition, column, (winnow_text_test)rule->test,
                  (const char *)rule->texts[0].bytes, rule->texts[0].length);
    free(list);
    if (status != WINNOW_OK) {
        fprintf(stderr, "%s\n", winnow_last_error());
        abort();
    }
    return condition;
}

size_t text_quote(char *to, const struct text *text) {
    size_t length = 0;

    to[length++] = '\'';
    for (size_t i = 0; i < text->length; i++) {
        if (text->bytes[i] == '\'')
            to[length++] = '\'';
        to[length++] = (char)text->bytes[i];
    }
    to[length++] = '\'';
    return length;
}

char *text_rule_write(const struct text_rule *rule, const char *name) {
    static const char *const signs[] = {"<", "<=", "=", "<>", ">=", ">"};
    static const char *const functions[] = {"starts_with", "ends_with",
                                            "contains"};
    char *const text = must_alloc(100 + strlen(name) +
                                  rule->number * (2 * TEXTS_MOST_BYTES + 4));
    size_t length;

    if (rule->test == TEXT_IN)
        length = (size_t)sprintf(text, "%s in (", name);
    else if (rule->test == WINNOW_TEXT_LIKE)
        length = (size_t)sprintf(text, "%s like ", name);
    else if (rule->test >= WINNOW_TEXT_STARTS_WITH)
        length = (size_t)sprintf(
            text, "%s(%s, ", functions[rule->test - WINNOW_TEXT_STARTS_WITH],
            name);
    else
        length = (size_t)sprintf(text, "%s %s ", name, signs[rule->test]);
    for (unsigned i = 0; i < rule->number; i++) {
        if (i != 0)
            text[length++] = ',';
        length += text_quote(text + length, &rule->texts[i]);
    }
    if (rule->test == TEXT_IN || (rule->test >= WINNOW_TEXT_STARTS_WITH &&
                                  rule->test <= WINNOW_TEXT_CONTAINS))
        text[length++] = ')';
    return text;
}

/* ------------------------------------------------------------------ columns */

void text_form_random(struct text_form *form, uint64_t *seed) {
    static const winnow_type types[] = {WINNOW_STRING32, WINNOW_STRING64,
                                        WINNOW_VIEW};

    form->type = types[draw_next(seed, 3)];
    form->index = draw_next(seed, 3) == 0
                      ? (winnow_type)(WINNOW_INT8 + draw_next(seed, 8))
                      : WINNOW_OPAQUE;
    form->before = (unsigned)draw_next(seed, 5);
    form->buffers = 1 + (unsigned)draw_next(seed, 2);
    form->shift = (unsigned)draw_next(seed, 9);
    form->null_values = form->index != WINNOW_OPAQUE && draw_next(seed, 2) == 0;
}

static void *upload(struct text_column *column, unsigned slot, const void *from,
                    size_t bytes) {
    column->memory[slot] = backend_alloc(column->backend, bytes + 1);
    backend_upload(column->backend, column->memory[slot], from, bytes);
    return column->memory[slot];
}

/* Number strings from texts[0] on, of which the column begins behind the first
 * `before`. */
static winnow_in lay_offsets(struct text_column *column,
                             const struct text_form *form,
                             const struct text *texts, uint64_t number) {
    const size_t width = form->type == WINNOW_STRING32 ? 4 : 8;
    unsigned char *const offsets = must_alloc((number + 1) * width);
    unsigned char *data;
    uint64_t at = 0;
    winnow_in in = {.type = form->type};

    for (uint64_t i = 0; i < number; i++)
        at += texts[i].length;
    data = must_alloc(form->shift + at);
    in.data_size = at;
    at = 0;
    for (uint64_t i = 0; i <= number; i++) {
        memcpy(offsets + i * width, &at, width);
        if (i == number)
            break;
        memcpy(data + form->shift + at, texts[i].bytes, texts[i].length);
        at += texts[i].length;
    }
    in.d_base =
        (unsigned char *)upload(column, 0, offsets, (number + 1) * width) +
        form->before * width;
    in.d_data = (unsigned char *)upload(column, 1, data, form->shift + at) +
                form->shift;
    free(offsets);
    free(data);
    return in;
}

enum {
    LEFT_OUT = 9 /* bytes */
};

static winnow_in lay_views(struct text_column *column,
                           const struct text_form *form,
                           const struct text *texts, uint64_t number,
                           uint64_t *seed) {
    struct view {
        uint32_t bytes;
        unsigned char inside[4];
        uint32_t buffer, offset;
    } *const views = must_alloc(number * sizeof(views[0]));
    uint32_t at[2] = {0, 0};
    unsigned char *data[2];
    winnow_buffer buffers[2];
    uint64_t bytes = 0;

    for (uint64_t i = 0; i < number; i++)
        bytes += texts[i].length;
    const uint64_t room = bytes + LEFT_OUT * number;
    for (unsigned b = 0; b < 2; b++)
        data[b] = must_alloc(form->shift + room);
    for (uint64_t i = 0; i < number; i++) {
        const unsigned b = (unsigned)draw_next(seed, form->buffers);

        views[i].bytes = (uint32_t)texts[i].length;
        if (texts[i].length <= 12) {
            memcpy(views[i].inside, texts[i].bytes, texts[i].length);
            continue;
        }
        memcpy(views[i].inside, texts[i].bytes, 4);
        views[i].buffer = b;
        views[i].offset = at[b];
        memcpy(data[b] + form->shift + at[b], texts[i].bytes, texts[i].length);
        at[b] += (uint32_t)texts[i].length;
        /* Now and then bytes are left out. */
        if (draw_next(seed, 16) == 0) {
            memcpy(data[b] + form->shift + at[b], texts[i].bytes, LEFT_OUT);
            at[b] += LEFT_OUT;
        }
    }
    for (unsigned b = 0; b < 2; b++) {
        buffers[b].d_bytes = (unsigned char *)upload(column, 1 + b, data[b],
                                                     form->shift + at[b]) +
                             form->shift;
        buffers[b].bytes = at[b];
        free(data[b]);
    }
    const winnow_in in = {
        .type = WINNOW_VIEW,
        .d_base = (unsigned char *)upload(column, 0, views,
                                          number * sizeof(views[0])) +
                  form->before * sizeof(views[0]),
        .d_data = upload(column, 3, buffers, sizeof(buffers)),
        .data_size = 2};
    free(views);
    return in;
}

/* A third of the values are null, or all. */
static bool *lay_nulls(struct text_column *column, uint64_t values,
                       uint64_t *seed) {
    const uint64_t offset = draw_next(seed, 70);
    const uint64_t share = draw_next(seed, 4) == 0 ? 3 : 1;
    const size_t bytes = (size_t)(offset + values) / 8 + 1;
    unsigned char *const valid = must_alloc(bytes);
    bool *const is_null = must_alloc(values);

    memset(valid, 0xff, bytes);
    for (uint64_t v = 0; v < values; v++) {
        is_null[v] = draw_next(seed, 3) < share;
        if (is_null[v])
            valid[(offset + v) / 8] &= (unsigned char)~(1 << (offset + v) % 8);
    }
    column->has_null_values = true;
    column->values.d_valid = upload(column, 5, valid, bytes);
    column->values.valid_offset = offset;
    free(valid);
    return is_null;
}

/* Indices, of which some name no value. */
static void lay_indices(struct text_column *column,
                        const struct text_form *form, uint64_t n,
                        uint64_t values, uint64_t *seed) {
    const size_t size = winnow_type_size(form->index);
    unsigned char *const indices = must_alloc(n * size);
    bool *const is_null =
        form->null_values ? lay_nulls(column, values, seed) : NULL;

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t kind = draw_next(seed, 20);
        uint64_t index = values == 0 ? 7 : draw_next(seed, values);

        if (kind == 0)
            index = values + draw_next(seed, 3);
        if (kind == 1)
            index = UINT64_MAX - draw_next(seed, 3);
        memcpy(indices + i * size, &index, size);
        /* As the type holds it. */
        index &= UINT64_MAX >> (64 - 8 * size);
        if (form->index <= WINNOW_INT64 && (index >> (8 * size - 1) & 1) != 0)
            index = UINT64_MAX;
        column->texts[i] =
            index < values && (is_null == NULL || !is_null[index])
                ? &column->owned[form->before + index]
                : NULL;
    }
    column->in = (winnow_in){.type = form->index,
                             .d_base = upload(column, 4, indices, n * size),
                             .dictionary = &column->values,
                             .dictionary_n = values};
    free(indices);
    free(is_null);
}

void text_column_open(struct text_column *column, const struct backend *backend,
                      const struct text_form *form, uint64_t n,
                      uint64_t *seed) {
    const bool is_dictionary = form->index != WINNOW_OPAQUE;
    const uint64_t most = winnow_type_size(form->index) == 1 ? 127 : 400;
    const uint64_t values = is_dictionary ? draw_next(seed, most) : n;
    const uint64_t number = form->before + values;

    memset(column, 0, sizeof(*column));
    column->backend = backend;
    column->texts = must_alloc((n + 1) * sizeof(column->texts[0]));
    column->owned = must_alloc((number + 1) * sizeof(column->owned[0]));
    for (uint64_t i = 0; i < number; i++)
        text_random(&column->owned[i], seed);
    column->values = form->type == WINNOW_VIEW
                         ? lay_views(column, form, column->owned, number, seed)
                         : lay_offsets(column, form, column->owned, number);
    if (is_dictionary) {
        lay_indices(column, form, n, values, seed);
        return;
    }
    column->in = column->values;
    for (uint64_t i = 0; i < n; i++)
        column->texts[i] = &column->owned[form->before + i];
}

void text_column_close(struct text_column *column) {
    for (unsigned i = 0; i < 6; i++)
        if (column->memory[i] != NULL)
            backend_free(column->backend, column->memory[i]);
    free(column->texts);
    free(column->owned);
}
