/*
 * Good arguments, by a seed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "rules.h"
#include "selected.h"

enum {
    AHEAD = 16,    /* elements before an array, at most */
    ARRIVALS = 600 /* at most */
};

/* A number below `below`; of what is plain it is 0. */
static uint64_t draw(struct call_memory *m, uint64_t below) {
    return m->seed == 0 ? 0 : data_random(m->seed, 900 + m->draws++) % below;
}

/* Memory on the backend, `skew` bytes off its alignment of 16. What is there is
 * known. */
static void *take(struct call_memory *m, size_t bytes, size_t skew) {
    const size_t at = (m->used + 15) / 16 * 16 + REGION_GUARD + skew;

    if (at + bytes + REGION_GUARD > m->region.bytes)
        abort();
    region_fill(m->before + m->used, at + bytes + REGION_GUARD - m->used);
    m->used = at + bytes;
    return m->region.base + at;
}

static void *host_of(const struct call_memory *m, const void *address) {
    return m->before + ((const unsigned char *)address - m->region.base);
}

static const struct pattern *draw_pattern(struct call_memory *m) {
    return &patterns[draw(m, PATTERNS)];
}

/* Which size an element has, and how far off its alignment it begins. */
struct shape {
    size_t bytes, skew;
};

static struct shape draw_shape(struct call_memory *m, const struct call *call) {
    static const size_t sizes[2][6] = {{4, 1, 2, 8, 16, 4},
                                       {3, 5, 6, 7, 12, 16}};
    const bool any = (call->takes & CALL_ROWS) != 0 && draw(m, 2) != 0;

    return (struct shape){.bytes = sizes[any][draw(m, 6)],
                          .skew = any ? draw(m, 16) : 0};
}

/* ------------------------------------------------------------------- inputs */

/* An array, and a predicate on its elements. */
static void draw_array(struct call_memory *m, const struct call *call,
                       struct arguments *a) {
    const bool sums = call->sink == calls_reduce_column; /* exact */
    const struct pattern *const pattern = draw_pattern(m);
    unsigned char *const d_in =
        take(m, (a->n + AHEAD + ARRIVALS) * AHEAD + 16, 0);
    struct rule rules[RULES_KINDS];

    a->type = m->seed == 0
                  ? WINNOW_UINT32
                  : (winnow_type)(WINNOW_INT8 + draw(m, sums ? 8 : 12));
    a->in = d_in + element_size(a->type) * draw(m, AHEAD);
    a->tested = (winnow_in){.type = a->type, .d_base = a->in};
    for (size_t i = 0; i < (a->n + AHEAD) * AHEAD; i += 8) {
        const uint64_t word = data_random(m->seed, i);

        memcpy((unsigned char *)host_of(m, d_in) + i, &word, 8);
    }
    rules_kinds(a->type, rules);
    a->rule = rules[draw(m, RULES_KINDS)];
    if (m->seed != 0)
        data_fill(&a->rule, pattern, m->seed, a->n, host_of(m, a->in));
    else
        a->rule = (struct rule){.type = a->type,
                                .kind = RULE_COMPARE,
                                .compare = WINNOW_LT,
                                .low = CALLS_BELOW};
    for (uint64_t i = 0; m->seed == 0 && i < a->n; i++)
        element_store(a->type, (unsigned char *)host_of(m, d_in) + 4 * i,
                      data_random(51, i) % CALLS_KEYS);
    winnow_predicate_destroy(m->predicate);
    if (rule_create(&a->rule, &m->predicate) != WINNOW_OK)
        abort();
    a->predicate = m->predicate;
    const struct shape shape = draw_shape(m, call);
    a->elements =
        (winnow_in){.d_base = d_in + shape.skew,
                    .type = m->seed == 0 ? WINNOW_UINT32 : WINNOW_OPAQUE,
                    .element_bytes = (uint32_t)shape.bytes};
    a->element_bytes = shape.bytes;
    a->values[1] = (winnow_in){.type = WINNOW_UINT32, .d_base = d_in};
}

/* Keys in runs, uint32 or, to compare alone, of any size. */
static void draw_keys(struct call_memory *m, const struct call *call,
                      struct arguments *a) {
    const bool any = call->source == calls_unique && draw(m, 2) != 0;
    const struct shape shape = any ? draw_shape(m, call) : (struct shape){4, 0};
    const uint64_t run = 1 + draw(m, 40);
    unsigned char *const d_keys = take(m, a->n * shape.bytes, shape.skew);
    unsigned char *const keys = host_of(m, d_keys);
    uint32_t key = 0;

    for (uint64_t i = 0; i < a->n; i++) {
        const uint64_t word = data_random(m->seed + 1, i);

        if (i == 0 || word % run == 0)
            key = (uint32_t)(word >> 32) % CALLS_KEYS;
        if (any) {
            memset(keys + i * shape.bytes, 7, shape.bytes);
            keys[i * shape.bytes + shape.bytes / 2] = (unsigned char)key;
        } else
            memcpy(keys + 4 * i, &key, 4);
    }
    a->keys = (winnow_in){.type = any ? WINNOW_OPAQUE : WINNOW_UINT32,
                          .element_bytes = any ? (uint32_t)shape.bytes : 0,
                          .d_base = d_keys};
    a->options = (winnow_unique_options){
        .size = sizeof(a->options),
        .keep = draw(m, 2) != 0 ? WINNOW_UNIQUE_LAST : WINNOW_UNIQUE_FIRST};
    a->key_bound = CALLS_KEYS - draw(m, 2) * 14;
    a->digit = (winnow_digit){.shift = (uint32_t)draw(m, 3),
                              .bits = 6 - (uint32_t)draw(m, 4)};
    a->digit.parts = (1u << a->digit.bits) - (uint32_t)draw(m, 2);
}

static void draw_column(struct call_memory *m, struct arguments *a) {
    unsigned char *const d_column = take(m, a->n * 4, 0);

    for (uint64_t i = 0; i < a->n; i++)
        element_store(WINNOW_UINT32,
                      (unsigned char *)host_of(m, d_column) + 4 * i,
                      data_random(m->seed + 2, i) % CALLS_KEYS);
    a->column = (winnow_in){.type = WINNOW_UINT32, .d_base = d_column};
    a->values[0] = a->column;
    a->components = 1 + (unsigned)draw(m, 2);
    a->condition = m->condition;
    a->expression = m->expression;
    a->wanted = WINNOW_REDUCE_SUM | WINNOW_REDUCE_MINIMUM |
                WINNOW_REDUCE_MAXIMUM | WINNOW_REDUCE_INDEX;
    a->aggregate_count = 1;
}

static void draw_mask(struct call_memory *m, struct arguments *a) {
    const bool bits = draw(m, 2) != 0;
    uint8_t *const d_flags = take(m, a->n + 64, draw(m, 16));

    a->mask = (winnow_mask){.kind = bits ? WINNOW_MASK_BITS : WINNOW_MASK_BYTES,
                            .d_flags = d_flags,
                            .offset = draw(m, bits ? 200 : 20)};
    selected_fill(draw_pattern(m), m->seed + 3, a->n + 64, host_of(m, d_flags));
    a->flags_kind = draw(m, 2) != 0 ? WINNOW_MASK_BITS : WINNOW_MASK_BYTES;
    a->flags_offset = draw(m, a->flags_kind == WINNOW_MASK_BITS ? 200 : 20);
}

/* Of 0 to 3 bytes, or items. */
static void draw_strings(struct call_memory *m, struct arguments *a) {
    const bool wide = draw(m, 2) != 0;
    const winnow_type type = wide ? WINNOW_UINT64 : WINNOW_UINT32;
    unsigned char *const d_ends = take(m, (a->n + 1) * (wide ? 8 : 4), 0);
    uint64_t end = 0;

    for (uint64_t i = 0; i <= a->n; i++) {
        element_store(type,
                      (unsigned char *)host_of(m, d_ends) + i * (wide ? 8 : 4),
                      end);
        if (i < a->n)
            end += data_random(m->seed + 4, i) % 4;
    }
    a->strings = (winnow_in){.type = wide ? WINNOW_STRING64 : WINNOW_STRING32,
                             .d_base = d_ends,
                             .d_data = take(m, 3 * a->n + 1, draw(m, 16)),
                             .data_size = end};
}

static void *take_selection(struct call_memory *m, uint64_t n, size_t *bytes) {
    if (winnow_selection_bytes(n, bytes) != WINNOW_OK)
        abort();
    return take(m, *bytes, 0);
}

static void draw_selections(struct call_memory *m, struct arguments *a) {
    const void **const both[] = {&a->selection, &a->other};

    for (unsigned i = 0; i < 2; i++) {
        size_t bytes;
        void *const d_selection = take_selection(m, a->n, &bytes);

        selected_fill(draw_pattern(m), m->seed + 5 + i, a->n, m->keep);
        calls_write_selection(host_of(m, d_selection), a->n, m->keep);
        *both[i] = d_selection;
    }
    a->combine = (winnow_combine)draw(m, 4);
}

static void draw_segments(struct call_memory *m, struct arguments *a) {
    a->segments.type = draw(m, 2) != 0 ? WINNOW_UINT32 : WINNOW_UINT64;
    const size_t bytes = element_size(a->segments.type);
    const uint64_t count = 7 + draw(m, 900);
    unsigned char *const d_offsets = take(m, (count + 1) * bytes, 0);
    uint64_t offset = draw(m, 9);

    a->segments.count = count;
    a->segments.d_offsets = d_offsets;
    a->segments.d_counts = take(m, count * bytes, 0);
    a->segments.d_out_offsets = take(m, (count + 1) * bytes, 0);
    for (uint64_t s = 0; s <= count; s++) {
        element_store(a->segments.type,
                      (unsigned char *)host_of(m, d_offsets) + s * bytes,
                      offset);
        offset += data_random(m->seed + 7, s) % (2 * a->n / count + 2);
    }
}

/* ------------------------------------------------------------------ outputs */

/* Each has room for the items and for arrivals; plain ones for the items twice. */
static uint64_t room_of(const struct call_memory *m,
                        const struct arguments *a) {
    return (m->seed == 0 ? 2 : 1) * a->n + ARRIVALS;
}

static void draw_moves(struct call_memory *m, const struct call *call,
                       struct arguments *a) {
    const unsigned char *const d_in = a->values[1].d_base;

    a->move_count = 1 + (unsigned)draw(m, 3);
    for (unsigned i = 0; i < a->move_count; i++) {
        winnow_move *const move = &a->moves[i];
        const struct shape shape = draw_shape(m, call);
        const bool bits = (call->takes & CALL_BITS) != 0 && draw(m, 5) == 1;
        const size_t skew = shape.skew != 0 ? draw(m, 16) : 0;

        *move = (winnow_move){
            .d_in = m->seed == 0 ? a->keys.d_base : d_in + shape.skew,
            .d_out = take(m, room_of(m, a) * shape.bytes, skew),
            .element_bytes = bits ? 0 : shape.bytes,
            .type = bits ? WINNOW_BIT : WINNOW_OPAQUE,
            .in_offset = bits ? draw(m, 70) : 0,
            .out_offset = bits ? draw(m, 70) : 0};
        if ((call->takes & CALL_IN_PLACE) != 0 && draw(m, 4) == 1) {
            move->d_in = move->d_out;
            move->out_offset = move->in_offset;
        }
    }
}

static void draw_outputs(struct call_memory *m, const struct call *call,
                         struct arguments *a) {
    const size_t size =
        a->elements.element_bytes < 8 ? 8 : a->elements.element_bytes;
    const bool cut = (call->takes & (CALL_POSITION | CALL_CUT)) != 0;
    const size_t skew =
        a->elements.d_base != a->values[1].d_base ? draw(m, 16) : 0;

    a->out = take(m, room_of(m, a) * size, skew);
    a->rest = take(m, room_of(m, a) * size, skew);
    a->capacity = room_of(m, a);
    if (cut && draw(m, 4) == 1)
        a->capacity = draw(m, a->n + 1);
    a->data_capacity = WINNOW_NO_LIMIT;
    a->count = take(m, 8, 0);
    a->numbers = take(m, (CALLS_KEYS + 1) * 8, 0);
    a->reduction = take(m, sizeof(*a->reduction), 0);
    a->selectivity = take(m, 8, 0);
    for (unsigned i = 0; i < 2; i++)
        a->sums[i] = (winnow_out){.type = WINNOW_UINT32,
                                  .d_base = take(m, CALLS_KEYS * 4, 0)};
    a->result = take_selection(m, 3 * a->n, &a->result_bytes);
    a->index_type = draw(m, 2) != 0 ? WINNOW_UINT64 : WINNOW_UINT32;
    a->packed_n = draw(m, 3) == 1 ? draw(m, a->n + 1) : a->n;
    a->fill = draw(m, 2) == 0 ? m->fill : NULL;
    memcpy(m->fill, "0123456789abcdef", CALLS_FILL);
    uint64_t *const filled = take(m, 8, 0);
    calls_set(m, filled, m->seed == 0 ? a->n / 4 : draw(m, a->n + 2));
    a->d_filled = filled;
    m->arrivals =
        (winnow_arrivals){.n = m->seed == 0 ? a->n / 4 : draw(m, ARRIVALS)};
    a->arrivals = &m->arrivals;
}

struct arguments calls_draw(struct call_memory *m, const struct call *call,
                            uint64_t n, uint64_t seed) {
    struct arguments a = {.context = m->backend->context, .n = n};

    m->seed = seed;
    m->draws = 0;
    m->used = 0;
    draw_array(m, call, &a);
    draw_keys(m, call, &a);
    draw_column(m, &a);
    draw_mask(m, &a);
    draw_strings(m, &a);
    draw_selections(m, &a);
    draw_segments(m, &a);
    draw_moves(m, call, &a);
    draw_outputs(m, call, &a);
    m->d_n = take(m, 8, 0);
    m->d_position = take(m, 8, 0);
    m->d_strategy = take(m, 4, 0);
    calls_set(m, m->d_position, 0);
    m->used += REGION_GUARD;
    return a;
}

struct arguments calls_without_arrays(const struct arguments *a) {
    struct arguments b = *a;

    b.in = b.tested.d_base = b.column.d_base = b.keys.d_base = NULL;
    b.values[0].d_base = b.values[1].d_base = b.elements.d_base = NULL;
    b.sums[0].d_base = b.sums[1].d_base = NULL;
    b.strings.d_base = b.strings.d_data = b.mask.d_flags = NULL;
    b.selection = b.other = b.segments.d_offsets = NULL;
    b.segments.d_counts = b.segments.d_out_offsets = NULL;
    for (unsigned i = 0; i < b.move_count; i++)
        if (b.moves[i].d_in != b.moves[i].d_out)
            b.moves[i].d_in = b.moves[i].d_out = NULL;
    b.out = b.rest = b.result = NULL;
    b.reduction = NULL;
    b.selectivity = NULL;
    b.count = b.numbers = NULL;
    b.d_filled = NULL;
    return b;
}
