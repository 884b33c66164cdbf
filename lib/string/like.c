/*
 * Patterns of LIKE: the characters between two % become a segment. A pattern that
 * only asks how a string begins or ends, or what it contains or equals, becomes the
 * simpler test for that.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test.h"

#include "core/status.h"

#include <stdlib.h>
#include <string.h>

typedef enum element {
    LITERAL, /* a byte */
    ONE,     /* a character */
    ANY,     /* any bytes */
    WRONG    /* an escape that nothing follows */
} element;

typedef struct reader {
    winnow__bytes left, escape;
    char byte;    /* of a LITERAL */
    bool escaped; /* the next byte stands for itself */
} reader;

static void skip(reader *r, size_t bytes) {
    r->left.bytes += bytes;
    r->left.number -= bytes;
}

/* The next element of the rest of the pattern, which is not empty. */
static element next(reader *r) {
    const winnow__bytes escape = r->escape;
    if (escape.number != 0 && r->left.number >= escape.number &&
        memcmp(r->left.bytes, escape.bytes, escape.number) == 0) {
        skip(r, escape.number);
        if (r->left.number == 0)
            return WRONG;
        r->byte = *r->left.bytes;
        skip(r, 1);
        return LITERAL;
    }
    r->byte = *r->left.bytes;
    skip(r, 1);
    return r->byte == '%' ? ANY : r->byte == '_' ? ONE : LITERAL;
}

/* The sizes that a pattern needs, and whether a simpler test is equivalent. */
typedef struct summary {
    uint64_t literals, ones, segments, steps, text_room;
    uint64_t anys;
    bool front, back; /* does it begin, or end, with ANY? */
    bool inside;      /* is there an ANY between two others? */
    bool wrong;
} summary;

static summary summarise(winnow__bytes pattern, winnow__bytes escape) {
    summary s = {0};
    reader r = {.left = pattern, .escape = escape};
    element last = ANY;
    uint64_t run = 0; /* bytes of the current literal */
    for (bool first = true; r.left.number != 0; first = false) {
        const element e = next(&r);
        s.wrong |= e == WRONG;
        s.anys += e == ANY;
        s.literals += e == LITERAL;
        s.ones += e == ONE;
        if (first)
            s.front = e == ANY;
        if (e != ANY && last == ANY) {
            s.inside |= s.segments != 0;
            s.segments++;
        }
        /* A step begins at a character, or at the first byte of a segment. */
        if ((e == ONE && last != ONE) || (e == LITERAL && last == ANY))
            s.steps++;
        if (e == LITERAL)
            run++;
        if (e != LITERAL || r.left.number == 0) {
            s.text_room += winnow__text_room(run);
            run = 0;
        }
        last = e;
        s.back = e == ANY;
    }
    return s;
}

/* The test of a pattern without ONE whose literals are one text. */
static winnow_status make_plain(winnow__string_test **test_p,
                                winnow__bytes pattern, winnow__bytes escape,
                                const summary *s) {
    const winnow__pattern_kind kind =
        s->literals == 0
            ? (s->anys != 0 ? WINNOW__PATTERN_STARTS : WINNOW__PATTERN_EQUAL)
        : s->front ? (s->back ? WINNOW__PATTERN_CONTAINS : WINNOW__PATTERN_ENDS)
                   : (s->back ? WINNOW__PATTERN_STARTS : WINNOW__PATTERN_EQUAL);
    char *const text = malloc(s->literals + 1);
    reader r = {.left = pattern, .escape = escape};
    size_t length = 0;
    if (text == NULL)
        return winnow__no_memory("a test of strings");
    while (r.left.number != 0)
        if (next(&r) == LITERAL)
            text[length++] = r.byte;
    winnow_status status =
        winnow__string_test_create(test_p, kind, (winnow__bytes){text, length});
    free(text);
    return status;
}

typedef struct writer {
    winnow__pattern *pattern;
    winnow__pattern_segment *segment; /* the last */
    winnow__pattern_step *step;       /* the last */
    uint64_t place;                   /* of the next text, in bytes */
} writer;

static void begin_step(writer *w, uint32_t *steps) {
    if (w->step->text.bytes != 0)
        w->place += winnow__text_room(w->step->text.bytes);
    w->step++;
    w->step->text.place = (uint32_t)(w->place / 8);
    w->segment->steps++;
    (*steps)++;
}

static void write_pattern(winnow__pattern *pattern, winnow__bytes from,
                          winnow__bytes escape, uint64_t texts) {
    unsigned char *const block = (unsigned char *)pattern;
    /* One before the first: both are advanced before they are written. */
    winnow__pattern_step before = {0};
    winnow__pattern_segment none = {0};
    writer w = {
        .pattern = pattern, .segment = &none, .step = &before, .place = texts};
    reader r = {.left = from, .escape = escape};
    element last = ANY;
    uint32_t steps = 0;
    while (r.left.number != 0) {
        const element e = next(&r);
        if (e != ANY && last == ANY) {
            w.segment = w.segment == &none
                            ? winnow__pattern_part(pattern, pattern->table)
                            : w.segment + 1;
            w.segment->first = steps;
        }
        if ((e == ONE && last != ONE) || (e == LITERAL && last == ANY)) {
            if (w.step == &before)
                w.step = (winnow__pattern_step *)(block + pattern->others) - 1;
            begin_step(&w, &steps);
        }
        if (e == ONE)
            w.step->skip++;
        if (e == LITERAL)
            block[w.place + w.step->text.bytes++] = (unsigned char)r.byte;
        last = e;
    }
}

static winnow_status need(winnow__string_test *test, unsigned i,
                          winnow__pattern_kind kind,
                          const winnow__pattern_text *text) {
    winnow__pattern *const p = test->pattern;
    WINNOW__TRY(winnow__string_test_create(
        &test->need[i], kind,
        (winnow__bytes){(const char *)winnow__pattern_bytes(p, text),
                        text->bytes}));
    p->need = kind;
    p->text = *text;
    p->rare = test->need[i]->pattern->rare;
    return WINNOW_OK;
}

/* Find the texts with which a string has to begin and to end. If the pattern has
 * neither: the longest text that a string has to contain. A device tests one of
 * them. */
static winnow_status find_needs(winnow__string_test *test) {
    winnow__pattern *const p = test->pattern;
    const winnow__pattern_segment *const segment =
        winnow__pattern_part(p, p->table);
    const winnow__pattern_segment *const last = &segment[p->number - 1];
    const winnow__pattern_step *const step = winnow__pattern_part(p, p->others);
    const uint32_t steps = last->first + last->steps;
    const winnow__pattern_step *const back = &step[steps - 1], *longest = step;
    winnow_status status = WINNOW_OK;
    const bool starts =
        !p->open_front && step->skip == 0 && step->text.bytes != 0;
    const bool ends = !p->open_back && back->text.bytes != 0;
    p->need = WINNOW__PATTERN_STARTS; /* no bytes: every string has it */
    if (ends)
        status = need(test, 1, WINNOW__PATTERN_ENDS, &back->text);
    if (starts && status == WINNOW_OK)
        status = need(test, 0, WINNOW__PATTERN_STARTS, &step->text);
    for (uint32_t i = 1; i < steps; i++)
        if (step[i].text.bytes > longest->text.bytes)
            longest = &step[i];
    if (!starts && !ends && longest->text.bytes != 0)
        status = need(test, 0, WINNOW__PATTERN_CONTAINS, &longest->text);
    return status;
}

/* Segments at the beginning or the end of a string are not searched for. */
static uint64_t slow_of(const winnow__pattern *p) {
    const winnow__pattern_segment *const segment =
        winnow__pattern_part(p, p->table);
    const winnow__pattern_step *const step = winnow__pattern_part(p, p->others);
    const uint32_t end = p->number - (p->open_back == 0);
    uint64_t longest = 0;
    for (uint32_t i = p->open_front == 0; i < end; i++) {
        uint64_t size = 0;
        for (uint32_t k = 0; k < segment[i].steps; k++)
            size += (uint64_t)step[segment[i].first + k].skip +
                    step[segment[i].first + k].text.bytes;
        if (segment[i].steps > 1 && size > longest)
            longest = size;
    }
    return longest;
}

winnow_status winnow__string_test_like(winnow__string_test **test_p,
                                       winnow__bytes pattern,
                                       winnow__bytes escape) {
    if (pattern.number > UINT32_MAX)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "a pattern of %llu bytes: at most %u are possible",
                            (unsigned long long)pattern.number, UINT32_MAX);
    const summary s = summarise(pattern, escape);
    if (s.wrong)
        return WINNOW_ERR_ARGUMENT;
    if (s.ones == 0 && !s.inside)
        return make_plain(test_p, pattern, escape, &s);
    const uint64_t table = sizeof(winnow__pattern);
    const uint64_t others =
        table + s.segments * sizeof(winnow__pattern_segment);
    const uint64_t texts =
        winnow__text_room(others + s.steps * sizeof(winnow__pattern_step));
    winnow__string_test *const test = winnow__string_test_new(
        WINNOW__PATTERN_LIKE, texts + s.text_room - sizeof(winnow__pattern));
    if (test == NULL)
        return WINNOW_ERR_MEMORY;
    winnow__pattern *const made = test->pattern;
    made->least = (uint32_t)(s.literals + s.ones);
    made->number = (uint32_t)s.segments;
    made->table = table;
    made->others = others;
    made->open_front = s.front;
    made->open_back = s.back;
    write_pattern(made, pattern, escape, texts);
    test->slow = slow_of(made);
    const winnow_status status = find_needs(test);
    if (status != WINNOW_OK) {
        winnow__string_test_release(test);
        return status;
    }
    *test_p = test;
    return WINNOW_OK;
}
