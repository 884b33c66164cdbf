/*
 * Calls that read a selection, and what they write of the items that it keeps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "calls.h"

#include <string.h>

#include "element.h"

size_t calls_element(winnow_type type, size_t element_bytes) {
    return element_bytes != 0 ? element_bytes : element_size(type);
}

void calls_selected(struct outcome *o) {
    const void *const selection = call_from(o, o->a->selection);

    for (uint64_t i = 0; i < o->items; i++)
        o->keep[i] = calls_keeps(selection, i);
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t number(const struct outcome *o) {
    uint64_t kept = 0;

    for (uint64_t i = 0; i < o->items; i++)
        kept += o->keep[i];
    return kept;
}

static void write_count(const struct outcome *o, uint64_t count) {
    if (o->a->count != NULL)
        memcpy(call_to(o, o->a->count), &count, 8);
}

void calls_count(struct outcome *o) {
    write_count(o, number(o));
}

/* ------------------------------------------------------------------- packed */

/* Where a packed output begins, and how many elements it has room for from there:
 * the call appends at *launch->d_position. */
static uint64_t room_of(const struct outcome *o, uint64_t *at) {
    const uint64_t capacity =
        o->a->capacity == WINNOW_NO_LIMIT ? o->a->n : o->a->capacity;

    *at = o->position != NULL ? *o->position : 0;
    return capacity > *at ? capacity - *at : 0;
}

static void finish(struct outcome *o) {
    uint64_t at;
    const uint64_t room = room_of(o, &at), kept = number(o);

    if (o->position != NULL)
        *o->position += least(kept, room);
    write_count(o, kept);
}

/* The elements whose keep[] is `kept`, from place `at` on. */
static void pack(const struct outcome *o, const void *d_in, void *d_out,
                 size_t bytes, bool kept, uint64_t at, uint64_t room) {
    const unsigned char *const from = call_from(o, d_in);
    unsigned char *const to = call_to(o, d_out);
    uint64_t rank = 0;

    for (uint64_t i = 0; i < o->items && rank < room; i++)
        if ((o->keep[i] != 0) == kept)
            memcpy(to + (at + rank++) * bytes, from + i * bytes, bytes);
}

static void write_bit(unsigned char *to, uint64_t at, bool bit) {
    const unsigned one = 1u << at % 8;

    to[at / 8] = (unsigned char)((to[at / 8] & ~one) | (bit ? one : 0));
}

static void pack_bits(const struct outcome *o, const winnow_move *move,
                      uint64_t at, uint64_t room) {
    const unsigned char *const from = call_from(o, move->d_in);
    uint64_t rank = 0;

    for (uint64_t i = 0; i < o->items && rank < room; i++) {
        const uint64_t bit = move->in_offset + i;

        if (o->keep[i])
            write_bit(call_to(o, move->d_out), move->out_offset + at + rank++,
                      from[bit / 8] >> bit % 8 & 1);
    }
}

void calls_array(struct outcome *o) {
    uint64_t at;
    const uint64_t room = room_of(o, &at);

    pack(o, o->a->in, o->a->out, element_size(o->a->type), true, at, room);
    finish(o);
}

void calls_columns(struct outcome *o) {
    uint64_t at;
    const uint64_t room = room_of(o, &at);

    for (unsigned m = 0; m < o->a->move_count; m++) {
        const winnow_move *const move = &o->a->moves[m];

        if (move->type == WINNOW_BIT)
            pack_bits(o, move, at, room);
        else
            pack(o, move->d_in, move->d_out, move->element_bytes, true, at,
                 room);
    }
    finish(o);
}

void calls_indices(struct outcome *o) {
    const size_t bytes = element_size(o->a->index_type);
    unsigned char *const to = call_to(o, o->a->out);
    uint64_t at, rank = 0;
    const uint64_t room = room_of(o, &at);

    for (uint64_t i = 0; i < o->items && rank < room; i++)
        if (o->keep[i])
            element_store(o->a->index_type, to + (at + rank++) * bytes, i);
    finish(o);
}

static winnow_status compact(const struct arguments *a,
                             const winnow_launch *launch) {
    return winnow_compact(a->context, a->selection, a->elements.d_base, a->n,
                          a->element_bytes, a->out, a->capacity, a->count,
                          launch);
}

static void pack_elements(struct outcome *o) {
    const winnow_in *const in = &o->a->elements;
    uint64_t at;
    const uint64_t room = room_of(o, &at);

    pack(o, in->d_base, o->a->out, calls_element(in->type, in->element_bytes),
         true, at, room);
    finish(o);
}

static winnow_status compact_columns(const struct arguments *a,
                                     const winnow_launch *launch) {
    return winnow_compact_columns(a->context, a->selection, a->n, a->moves,
                                  a->move_count, a->capacity, a->count, launch);
}

static winnow_status compact_index(const struct arguments *a,
                                   const winnow_launch *launch) {
    return winnow_compact_index(a->context, a->selection, a->n, a->index_type,
                                a->out, a->capacity, a->count, launch);
}

/* ------------------------------------------------------------------ strings */

static winnow_status compact_strings(const struct arguments *a,
                                     const winnow_launch *launch) {
    return winnow_compact_strings(a->context, a->selection, &a->strings, a->n,
                                  a->out, a->capacity, a->rest,
                                  a->data_capacity, a->numbers, launch);
}

static uint64_t offset_at(bool wide, const unsigned char *offsets, uint64_t i) {
    return element_load(wide ? WINNOW_UINT64 : WINNOW_UINT32,
                        offsets + i * (wide ? 8 : 4));
}

/* The first strings that there is room for, the last one cut where the bytes end. */
static void pack_strings(struct outcome *o) {
    const winnow_in *const in = &o->a->strings;
    const bool wide = in->type == WINNOW_STRING64;
    const winnow_type type = wide ? WINNOW_UINT64 : WINNOW_UINT32;
    const unsigned char *const ends = call_from(o, in->d_base);
    const unsigned char *const data = call_from(o, in->d_data);
    unsigned char *const offsets = call_to(o, o->a->out);
    unsigned char *const to = call_to(o, o->a->rest);
    const uint64_t room = least(o->a->data_capacity, in->data_size);
    uint64_t counts[2] = {0, 0}, written = 0;

    element_store(type, offsets, 0);
    for (uint64_t i = 0; i < o->items; i++) {
        const uint64_t begin = offset_at(wide, ends, i),
                       bytes = offset_at(wide, ends, i + 1) - begin;

        if (!o->keep[i])
            continue;
        if (counts[0] < least(o->a->capacity, o->a->n)) {
            const uint64_t part = least(bytes, room - written);

            memcpy(to + written, data + begin, part);
            written += part;
            element_store(type, offsets + (counts[0] + 1) * (wide ? 8 : 4),
                          written);
        }
        counts[0]++;
        counts[1] += bytes;
    }
    memcpy(call_to(o, o->a->numbers), counts, sizeof(counts));
}

/* ------------------------------------------------------------ split, expand */

static winnow_out out_of(const struct arguments *a, void *d_out) {
    return (winnow_out){.type = a->elements.type,
                        .element_bytes = a->elements.element_bytes,
                        .d_base = d_out};
}

static winnow_status split(const struct arguments *a,
                           const winnow_launch *launch) {
    const winnow_out kept = out_of(a, a->out), rejected = out_of(a, a->rest);

    return winnow_split(a->context, a->selection, &a->elements, a->n, &kept,
                        a->capacity, &rejected, WINNOW_NO_LIMIT, a->numbers,
                        launch);
}

static void split_elements(struct outcome *o, const void *d_in, size_t bytes,
                           uint64_t capacity) {
    const uint64_t kept = number(o), counts[2] = {kept, o->items - kept};

    pack(o, d_in, o->a->out, bytes, true, 0, capacity);
    pack(o, d_in, o->a->rest, bytes, false, 0, WINNOW_NO_LIMIT);
    memcpy(call_to(o, o->a->numbers), counts, sizeof(counts));
}

static void split_selected(struct outcome *o) {
    const winnow_in *const in = &o->a->elements;

    split_elements(o, in->d_base, calls_element(in->type, in->element_bytes),
                   o->a->capacity);
}

void calls_split(struct outcome *o) {
    split_elements(o, o->a->in, element_size(o->a->type), WINNOW_NO_LIMIT);
}

static winnow_status expand(const struct arguments *a,
                            const winnow_launch *launch) {
    const winnow_out out = out_of(a, a->out);

    return winnow_expand(a->context, a->selection, &a->elements, a->packed_n,
                         a->n, a->fill, &out, launch);
}

static void bring_back(struct outcome *o) {
    const winnow_in *const in = &o->a->elements;
    const size_t bytes = calls_element(in->type, in->element_bytes);
    const unsigned char *const from = call_from(o, in->d_base);
    unsigned char *const to = call_to(o, o->a->out);
    uint64_t rank = 0;

    for (uint64_t i = 0; i < o->items; i++) {
        if (o->keep[i] && rank < o->a->packed_n)
            memcpy(to + i * bytes, from + rank * bytes, bytes);
        else if (!o->keep[i] && o->a->fill != NULL)
            memcpy(to + i * bytes, o->a->fill, bytes);
        rank += o->keep[i];
    }
}

static const unsigned char filling[CALLS_FILL] = "fedcba987654321";

static winnow_status fill(const struct arguments *a,
                          const winnow_launch *launch) {
    const winnow_out out = out_of(a, a->out);

    return winnow_fill(a->context, a->d_filled, a->n, filling, &out, launch);
}

static void fill_rest(struct outcome *o) {
    const winnow_in *const in = &o->a->elements;
    const size_t bytes = calls_element(in->type, in->element_bytes);
    unsigned char *const to = call_to(o, o->a->out);
    uint64_t i;

    memcpy(&i, call_from(o, o->a->d_filled), sizeof i);
    for (; i < o->items; i++)
        memcpy(to + i * bytes, filling, bytes);
}

/* Arrivals into the free places, and then those from the end. */
static winnow_status fill_holes(const struct arguments *a,
                                const winnow_launch *launch) {
    return winnow_fill_holes(a->context, a->selection, a->n, a->arrivals,
                             a->moves, a->move_count, a->capacity, a->count,
                             launch);
}

static void fill_column(const struct outcome *o, const winnow_move *move,
                        uint64_t all, uint64_t arrived) {
    const size_t bytes = move->element_bytes;
    const unsigned char *const before = call_from(o, move->d_out);
    const unsigned char *const arrivals = call_from(o, move->d_in);
    unsigned char *const to = call_to(o, move->d_out);
    uint64_t next = 0, last = all;

    for (uint64_t place = 0; place < all; place++) {
        if (place < o->items && o->keep[place])
            continue;
        if (next < arrived) {
            memcpy(to + place * bytes, arrivals + next++ * bytes, bytes);
            continue;
        }
        while (!o->keep[last])
            last++;
        memcpy(to + place * bytes, before + last++ * bytes, bytes);
    }
}

static void fill_places(struct outcome *o) {
    const uint64_t arrived = o->a->arrivals->n, all = number(o) + arrived;

    for (unsigned m = 0; m < o->a->move_count; m++)
        fill_column(o, &o->a->moves[m], all, arrived);
    write_count(o, all);
}

/* ---------------------------------------------- what has no elements, numbers */

static winnow_status selection_count(const struct arguments *a,
                                     const winnow_launch *launch) {
    return winnow_selection_count(a->context, a->selection, a->n, a->count,
                                  launch);
}

static winnow_status selection_segments(const struct arguments *a,
                                        const winnow_launch *launch) {
    return winnow_selection_segments(a->context, a->selection, a->n,
                                     &a->segments, launch);
}

/* Offsets ascend. */
void calls_segments(struct outcome *o) {
    const winnow_segments *const s = &o->a->segments;
    const size_t bytes = element_size(s->type);
    const unsigned char *const offsets = call_from(o, s->d_offsets);
    unsigned char *const counts = call_to(o, s->d_counts);
    unsigned char *const ranks = call_to(o, s->d_out_offsets);
    uint64_t before = 0, rank = 0, item = 0;

    for (uint64_t i = 0; i <= s->count; i++) {
        const uint64_t end = element_load(s->type, offsets + i * bytes);

        while (item < end && item < o->items)
            rank += o->keep[item++];
        element_store(s->type, ranks + i * bytes, rank);
        if (i != 0)
            element_store(s->type, counts + (i - 1) * bytes, rank - before);
        before = rank;
    }
}

static winnow_status selection_to_mask(const struct arguments *a,
                                       const winnow_launch *launch) {
    return winnow_selection_to_mask(a->context, a->selection, a->n,
                                    a->flags_kind, a->out, a->flags_offset,
                                    launch);
}

static void write_flags(struct outcome *o) {
    unsigned char *const to = call_to(o, o->a->out);

    for (uint64_t i = 0; i < o->a->n; i++)
        if (o->a->flags_kind == WINNOW_MASK_BYTES)
            to[o->a->flags_offset + i] = o->keep[i];
        else
            write_bit(to, o->a->flags_offset + i, o->keep[i]);
}

const struct call calls_sinks[] = {
    {"selection_count", selection_count, calls_selected, calls_count, 0},
    {"selection_segments", selection_segments, calls_selected, calls_segments,
     0},
    {"selection_to_mask", selection_to_mask, calls_selected, write_flags, 0},
    {"compact", compact, calls_selected, pack_elements,
     CALL_COUNTS | CALL_POSITION | CALL_ROWS},
    {"compact_columns", compact_columns, calls_selected, calls_columns,
     CALL_COUNTS | CALL_POSITION | CALL_ROWS | CALL_BITS | CALL_IN_PLACE},
    {"compact_strings", compact_strings, calls_selected, pack_strings,
     CALL_CUT},
    {"split", split, calls_selected, split_selected, CALL_CUT | CALL_ROWS},
    {"expand", expand, calls_selected, bring_back, CALL_ROWS},
    {"fill", fill, NULL, fill_rest, CALL_ROWS},
    {"compact_index", compact_index, calls_selected, calls_indices,
     CALL_COUNTS | CALL_POSITION},
    {"fill_holes", fill_holes, calls_selected, fill_places,
     CALL_COUNTS | CALL_ROWS},
    {0}};
