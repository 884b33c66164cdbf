/*
 * Calls of all functions of the table of calls, with arguments that may be wrong in
 * any way but one: where a pointer is not NULL there is memory behind it, as
 * much as the arguments say. A call is refused with a detail, or works; and
 * it writes nothing but its outputs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdbool.h>
#include <string.h>

#include <winnow.h>

#include "calls/calls.h"
#include "fuzz.h"

enum {
    N = 200,      /* items at most */
    ELEMENT = 16, /* bytes of one at most */
    READ = 3 * N * ELEMENT + 4096,
    WRITTEN = (WINNOW_PARTITION_MOST_PARTS + 100) * 8, /* offsets */
    SELECTION = 4096,
    OUTPUTS = 16, /* of a draw, and more */
    MOST_CALLS = 20
};

static winnow_context *context;
static winnow_predicate *predicates[WINNOW_FLOAT64 + 1];
static winnow_condition *condition;
static winnow_expression *expression;

/* Inputs, which no call writes, and outputs with room for all. */
static _Alignas(64) uint8_t in[READ], before[READ];
static _Alignas(64) uint8_t out[OUTPUTS][WRITTEN];

/* Arguments, drawn once for each call. */
struct drawn {
    struct fuzz_bytes *bytes;
    struct arguments a;
    winnow_launch launch;
    winnow_plan plan;
    winnow_arrivals arrivals;
    unsigned outputs; /* taken so far */
};

/* Inputs of any alignment, or none. */
static const void *source(struct drawn *d) {
    const unsigned byte = fuzz_byte(d->bytes);
    return byte < 5 ? NULL : byte < 60 ? in + byte % 16 : in;
}

static void *sink(struct drawn *d) {
    const unsigned byte = fuzz_byte(d->bytes);
    uint8_t *const place = out[d->outputs++ % OUTPUTS];
    return byte < 5 ? NULL : byte < 30 ? place + byte % 16 : place;
}

static winnow_type draw_type(struct drawn *d) {
    return (winnow_type)(fuzz_byte(d->bytes) % 19);
}

static void draw_keys(struct drawn *d, struct arguments *a) {
    a->keys = (winnow_in){
        .type = a->type,
        .element_bytes =
            fuzz_byte(d->bytes) < 230 ? 0 : fuzz_byte(d->bytes) % 20,
        .d_base = source(d),
        .stride_bytes =
            fuzz_byte(d->bytes) < 200 ? 0 : fuzz_byte(d->bytes) % 17,
        .d_valid = fuzz_byte(d->bytes) < 252 ? NULL : in,
        .valid_offset = fuzz_byte(d->bytes) % 9};
    a->tested = a->elements = a->values[0] = a->values[1] = a->keys;
    if (fuzz_byte(d->bytes) < 60)
        a->values[0].type = a->values[1].type = draw_type(d);
    for (int i = 0; i < 2; i++)
        a->sums[i] =
            (winnow_out){.type = fuzz_byte(d->bytes) < 200 ? a->values[0].type
                                                           : WINNOW_UINT64,
                         .d_base = sink(d)};
    a->components = fuzz_byte(d->bytes) % 3;
    a->key_bound = fuzz_byte(d->bytes);
    a->mask = (winnow_mask){(winnow_mask_kind)(fuzz_byte(d->bytes) % 3),
                            source(d), fuzz_byte(d->bytes) % 20};
    a->digit = (winnow_digit){
        .shift = fuzz_byte(d->bytes) % 34,
        .bits = fuzz_byte(d->bytes) % 12,
        .parts = fuzz_byte(d->bytes) < 200 ? 0 : fuzz_byte(d->bytes) * 17};
    a->options = (winnow_unique_options){
        .size = fuzz_byte(d->bytes) < 250 ? sizeof a->options : 3,
        .keep = (winnow_unique_keep)(fuzz_byte(d->bytes) % 3),
        .equality = (winnow_equality)(fuzz_byte(d->bytes) % 4)};
}

static void draw_moves(struct drawn *d, struct arguments *a) {
    a->move_count = fuzz_byte(d->bytes) % 4;
    for (int i = 0; i < 3; i++) {
        const bool bits = fuzz_byte(d->bytes) > 220;
        a->moves[i] = (winnow_move){
            .d_in = source(d),
            .d_out = sink(d),
            .element_bytes = bits ? 0
                             : a->type == WINNOW_UINT32
                                 ? 1u << i
                                 : fuzz_byte(d->bytes) % (ELEMENT + 1),
            .type = bits ? WINNOW_BIT : WINNOW_OPAQUE,
            .in_offset = bits ? fuzz_byte(d->bytes) % 70 : 0,
            .out_offset = bits ? fuzz_byte(d->bytes) % 70 : 0};
    }
}

static void draw_segments(struct drawn *d, struct arguments *a) {
    a->segments = (winnow_segments){
        .type = fuzz_byte(d->bytes) < 128 ? WINNOW_UINT32 : WINNOW_UINT64,
        .count = fuzz_byte(d->bytes) % 20,
        .d_offsets = source(d),
        .d_counts = sink(d),
        .d_out_offsets = sink(d)};
    if (fuzz_byte(d->bytes) > 250)
        a->segments.type = a->type;
}

/* A selection of n items, in memory of its own. */
static const void *selection(struct drawn *d, uint8_t *made) {
    const winnow_mask mask = {WINNOW_MASK_BITS, in, fuzz_byte(d->bytes) % 8};
    FUZZ_MUST(winnow_select_flagged(context, &mask, d->a.n, made, SELECTION,
                                    NULL) == WINNOW_OK);
    return fuzz_byte(d->bytes) < 5 ? NULL : made;
}

static void draw_selected(struct drawn *d, struct arguments *a) {
    static _Alignas(16) uint8_t some[SELECTION], others[SELECTION];
    a->selection = selection(d, some);
    a->other = fuzz_byte(d->bytes) < 128 ? a->selection : selection(d, others);
    a->combine = (winnow_combine)(fuzz_byte(d->bytes) % 5);
    a->strings = (winnow_in){
        .type = fuzz_byte(d->bytes) < 128 ? WINNOW_STRING32 : WINNOW_STRING64,
        .d_base = source(d),
        .d_data = in,
        .data_size = fuzz_byte(d->bytes)};
    d->arrivals = (winnow_arrivals){.n = fuzz_byte(d->bytes)};
    a->arrivals = fuzz_byte(d->bytes) < 128 ? NULL : &d->arrivals;
    a->fill = fuzz_byte(d->bytes) < 128 ? NULL : in;
    a->packed_n = a->capacity;
    a->d_filled = source(d);
    a->flags_kind = a->mask.kind;
    a->flags_offset = fuzz_byte(d->bytes) % 90;
    a->index_type = fuzz_byte(d->bytes) < 128 ? WINNOW_UINT32 : a->type;
}

static void draw_outputs(struct drawn *d, struct arguments *a) {
    a->out = sink(d);
    a->rest = sink(d);
    a->count = sink(d);
    a->numbers = sink(d);
    a->reduction = sink(d);
    a->selectivity = sink(d);
    a->result = sink(d);
    a->result_bytes =
        fuzz_byte(d->bytes) < 250 ? SELECTION : fuzz_byte(d->bytes);
    a->data_capacity =
        fuzz_byte(d->bytes) < 128 ? WRITTEN / 2 : fuzz_byte(d->bytes);
    a->wanted = fuzz_byte(d->bytes) % 40;
    a->aggregate_count = fuzz_byte(d->bytes) % 2;
}

static void draw_launch(struct drawn *d) {
    d->launch = (winnow_launch){.size = sizeof d->launch};
    const unsigned odd = fuzz_byte(d->bytes);
    d->launch.order = (winnow_order)(fuzz_byte(d->bytes) % 2);
    if (odd < 180)
        return;
    d->plan = (winnow_plan){.size = sizeof d->plan};
    d->launch.plan = odd % 4 == 0 ? &d->plan : NULL;
    d->launch.d_n = odd % 3 == 0 ? source(d) : NULL;
    d->launch.d_position = odd % 5 == 0 ? sink(d) : NULL;
    if (d->launch.d_position != NULL)
        memset(d->launch.d_position, 0, sizeof *d->launch.d_position);
    d->launch.strategy = (winnow_strategy)(fuzz_byte(d->bytes) % 12 - 1);
    d->launch.order = (winnow_order)(fuzz_byte(d->bytes) % 4);
    d->launch.size = odd > 250 ? fuzz_byte(d->bytes) : d->launch.size;
    d->launch.selectivity = odd > 240 ? (double)fuzz_byte(d->bytes) / 128 : 0;
    d->launch.reserved[0] = odd == 253;
}

static void draw_arguments(struct drawn *d, struct fuzz_bytes *bytes) {
    *d = (struct drawn){.bytes = bytes};
    struct arguments *const a = &d->a;
    const unsigned kind = fuzz_byte(bytes);
    *a = (struct arguments){
        .context = context, .condition = condition, .expression = expression};
    a->n = kind < 250 ? fuzz_byte(bytes) % (N + 1) : 0;
    a->capacity =
        fuzz_byte(bytes) < 128 ? WINNOW_NO_LIMIT : fuzz_byte(bytes) % (N + 1);
    a->type = kind % 3 == 0 ? WINNOW_UINT32 : draw_type(d);
    a->predicate =
        a->type >= WINNOW_INT8 && a->type <= WINNOW_FLOAT64 && kind > 3
            ? predicates[a->type]
            : NULL;
    if (fuzz_byte(bytes) < 50)
        a->expression = NULL;
    a->in = source(d);
    a->element_bytes = fuzz_byte(bytes) % (ELEMENT + 1);
    a->column = (winnow_in){.type = WINNOW_INT32, .d_base = source(d)};
    draw_launch(d);
    draw_keys(d, a);
    draw_moves(d, a);
    draw_segments(d, a);
    draw_selected(d, a);
    draw_outputs(d, a);
}

static unsigned number; /* of calls */

static void open_once(void) {
    const winnow_field field = {.name = "x", .type = WINNOW_INT32};
    static const uint8_t zero[ELEMENT];
    if (context != NULL)
        return;
    FUZZ_MUST(winnow_context_create(&context, WINNOW_DEVICE_HOST) == WINNOW_OK);
    for (int type = WINNOW_INT8; type <= WINNOW_FLOAT64; type++)
        FUZZ_MUST(winnow_predicate_compare(&predicates[type], (winnow_type)type,
                                           WINNOW_GE, zero) == WINNOW_OK);
    FUZZ_MUST(winnow_condition_parse(&condition, &field, 1, "x > 3") ==
              WINNOW_OK);
    FUZZ_MUST(winnow_expression_parse(&expression, &field, 1, "x + 1") ==
              WINNOW_OK);
    while (call_number(number) != NULL)
        number++;
    for (unsigned i = 0; i < READ; i++)
        in[i] = before[i] = (uint8_t)(i * 37 % 11 == 0 ? i : i % 5);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz_bytes bytes = {data, data + size};
    open_once();
    for (int i = 0; i < MOST_CALLS && bytes.at < bytes.end; i++) {
        struct drawn d;
        const unsigned which = fuzz_byte(&bytes);
        const bool launched = fuzz_byte(&bytes) >= 100;
        draw_arguments(&d, &bytes);
        const winnow_status status =
            call_number(which % number)->run(&d.a, launched ? &d.launch : NULL);
        FUZZ_MUST(status >= WINNOW_OK && status <= WINNOW_ERR_WORKSPACE + 1);
        FUZZ_MUST(status == WINNOW_OK || winnow_last_error()[0] != '\0');
        FUZZ_MUST(memcmp(in, before, sizeof in) == 0);
    }
    return 0;
}
