/*
 * Calls of the functions that work on arrays, with arguments that may be wrong
 * in any way but one: where a pointer is not NULL there is memory behind it, as
 * much as the arguments say. A call is refused with a detail, or works; and
 * it writes nothing but its outputs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdbool.h>
#include <string.h>

#include <winnow.h>

#include "fuzz.h"

enum {
    N = 200,      /* items at most */
    ELEMENT = 16, /* bytes of one at most */
    READ = 3 * N * ELEMENT + 4096,
    WRITTEN = (WINNOW_PARTITION_MOST_PARTS + 100) * 8, /* offsets */
    SELECTION = 4096,
    MOST_CALLS = 20
};

static winnow_context *context;
static winnow_predicate *predicates[WINNOW_FLOAT64 + 1];
static winnow_condition *condition;
static winnow_expression *expression;

/* Inputs, which no call writes, and outputs with room for all. */
static _Alignas(64) uint8_t in[READ], before[READ];
static _Alignas(64) uint8_t out[8][WRITTEN];

/* Arguments, drawn once for each call. */
struct arguments {
    struct fuzz_bytes *bytes;
    uint64_t n, capacity;
    winnow_type type;
    const winnow_predicate *predicate;
    winnow_launch launch;
    winnow_plan plan;
    unsigned outputs; /* taken so far */
    winnow_in keys, values[2];
    winnow_out sums[2];
    winnow_move moves[3];
    unsigned move_count;
    winnow_mask mask;
    winnow_segments segments;
    size_t selection_bytes;
};

/* Inputs of any alignment, or none. */
static const void *source(struct arguments *a) {
    const unsigned byte = fuzz_byte(a->bytes);
    return byte < 5 ? NULL : byte < 60 ? in + byte % 16 : in;
}

static void *sink(struct arguments *a) {
    const unsigned byte = fuzz_byte(a->bytes);
    uint8_t *const place = out[a->outputs++ % 8];
    return byte < 5 ? NULL : byte < 30 ? place + byte % 16 : place;
}

static uint64_t *counter(struct arguments *a) {
    return sink(a);
}

static void draw_keys(struct arguments *a) {
    a->keys = (winnow_in){
        .type = a->type,
        .element_bytes =
            fuzz_byte(a->bytes) < 230 ? 0 : fuzz_byte(a->bytes) % 20,
        .d_base = source(a),
        .stride_bytes =
            fuzz_byte(a->bytes) < 200 ? 0 : fuzz_byte(a->bytes) % 17,
        .d_valid = fuzz_byte(a->bytes) < 252 ? NULL : in,
        .valid_offset = fuzz_byte(a->bytes) % 9};
    a->values[0] = a->values[1] = a->keys;
    if (fuzz_byte(a->bytes) < 60)
        a->values[0].type = a->values[1].type =
            (winnow_type)(fuzz_byte(a->bytes) % 19);
    for (int i = 0; i < 2; i++)
        a->sums[i] =
            (winnow_out){.type = fuzz_byte(a->bytes) < 200 ? a->values[0].type
                                                           : WINNOW_UINT64,
                         .d_base = sink(a)};
    a->mask = (winnow_mask){(winnow_mask_kind)(fuzz_byte(a->bytes) % 3),
                            source(a), fuzz_byte(a->bytes) % 20};
}

static void draw_moves(struct arguments *a) {
    a->move_count = fuzz_byte(a->bytes) % 4;
    for (int i = 0; i < 3; i++) {
        const bool bits = fuzz_byte(a->bytes) > 220;
        a->moves[i] = (winnow_move){
            .d_in = source(a),
            .d_out = sink(a),
            .element_bytes = bits ? 0
                             : a->type == WINNOW_UINT32
                                 ? 1u << i
                                 : fuzz_byte(a->bytes) % (ELEMENT + 1),
            .type = bits ? WINNOW_BIT : WINNOW_OPAQUE,
            .in_offset = bits ? fuzz_byte(a->bytes) % 70 : 0,
            .out_offset = bits ? fuzz_byte(a->bytes) % 70 : 0};
    }
}

static void draw_segments(struct arguments *a) {
    a->segments = (winnow_segments){
        .type = fuzz_byte(a->bytes) < 128 ? WINNOW_UINT32 : WINNOW_UINT64,
        .count = fuzz_byte(a->bytes) % 20,
        .d_offsets = source(a),
        .d_counts = sink(a),
        .d_out_offsets = sink(a)};
    if (fuzz_byte(a->bytes) > 250)
        a->segments.type = a->type;
}

static void draw_launch(struct arguments *a) {
    a->launch = (winnow_launch){.size = sizeof a->launch};
    const unsigned odd = fuzz_byte(a->bytes);
    a->launch.order = (winnow_order)(fuzz_byte(a->bytes) % 2);
    if (odd < 180)
        return;
    a->plan = (winnow_plan){.size = sizeof a->plan};
    a->launch.plan = odd % 4 == 0 ? &a->plan : NULL;
    a->launch.d_n = odd % 3 == 0 ? source(a) : NULL;
    a->launch.d_position = odd % 5 == 0 ? sink(a) : NULL;
    if (a->launch.d_position != NULL)
        memset(a->launch.d_position, 0, sizeof *a->launch.d_position);
    a->launch.strategy = (winnow_strategy)(fuzz_byte(a->bytes) % 12 - 1);
    a->launch.order = (winnow_order)(fuzz_byte(a->bytes) % 4);
    a->launch.size = odd > 250 ? fuzz_byte(a->bytes) : a->launch.size;
    a->launch.selectivity = odd > 240 ? (double)fuzz_byte(a->bytes) / 128 : 0;
    a->launch.reserved[0] = odd == 253;
}

static void draw_arguments(struct arguments *a, struct fuzz_bytes *bytes) {
    *a = (struct arguments){.bytes = bytes};
    const unsigned kind = fuzz_byte(bytes);
    a->n = kind < 250 ? fuzz_byte(bytes) % (N + 1) : 0;
    a->capacity =
        fuzz_byte(bytes) < 128 ? WINNOW_NO_LIMIT : fuzz_byte(bytes) % (N + 1);
    a->type =
        kind % 3 == 0 ? WINNOW_UINT32 : (winnow_type)(fuzz_byte(bytes) % 19);
    a->predicate =
        a->type >= WINNOW_INT8 && a->type <= WINNOW_FLOAT64 && kind > 3
            ? predicates[a->type]
            : NULL;
    draw_launch(a);
    draw_keys(a);
    draw_moves(a);
    draw_segments(a);
    a->selection_bytes = fuzz_byte(bytes) < 250 ? SELECTION : fuzz_byte(bytes);
}

/* A selection of n items, in memory of its own. */
static const void *selection(struct arguments *a) {
    static _Alignas(16) uint8_t made[SELECTION];
    const winnow_mask mask = {WINNOW_MASK_BITS, in, 0};
    FUZZ_MUST(winnow_select_flagged(context, &mask, a->n, made, sizeof made,
                                    NULL) == WINNOW_OK);
    return fuzz_byte(a->bytes) < 5 ? NULL : made;
}

/* Calls that take a selection. */
static winnow_status use(struct arguments *a, unsigned which,
                         const winnow_launch *launch) {
    const void *const selected = selection(a);
    const winnow_in strings = {
        .type = fuzz_byte(a->bytes) < 128 ? WINNOW_STRING32 : WINNOW_STRING64,
        .d_base = source(a),
        .d_data = in,
        .data_size = fuzz_byte(a->bytes)};
    const winnow_arrivals arrivals = {.n = fuzz_byte(a->bytes)};
    const winnow_out outs[2] = {{.type = a->keys.type,
                                 .element_bytes = a->keys.element_bytes,
                                 .d_base = sink(a)},
                                {.type = a->sums[0].type,
                                 .element_bytes = a->keys.element_bytes,
                                 .d_base = sink(a)}};
    const unsigned byte = fuzz_byte(a->bytes);
    switch (which) {
    case 0:
        return winnow_compact_columns(context, selected, a->n, a->moves,
                                      a->move_count, a->capacity, counter(a),
                                      launch);
    case 1:
        return winnow_compact_index(context, selected, a->n, a->type, sink(a),
                                    a->capacity, counter(a), launch);
    case 2:
        return winnow_selection_to_mask(context, selected, a->n,
                                        (winnow_mask_kind)(a->mask.kind),
                                        sink(a), byte % 90, launch);
    case 3:
        return winnow_selection_segments(context, selected, a->n, &a->segments,
                                         launch);
    case 4:
        return winnow_compact(context, selected, source(a), a->n,
                              byte % (ELEMENT + 1), sink(a), a->capacity,
                              counter(a), launch);
    case 5:
        return winnow_compact_strings(
            context, selected, &strings, a->n, sink(a), a->capacity, sink(a),
            byte < 128 ? WRITTEN / 2 : byte, counter(a), launch);
    case 6:
        return winnow_expand(context, selected, &a->keys, a->capacity, a->n,
                             byte < 128 ? NULL : in, &outs[0], launch);
    case 7:
        return winnow_fill_holes(
            context, selected, a->n, byte < 128 ? NULL : &arrivals, a->moves,
            a->move_count, a->capacity, counter(a), launch);
    case 8:
        return winnow_select_ranges(context, selected, &strings, a->n, sink(a),
                                    a->selection_bytes, launch);
    case 9:
        return winnow_selection_combine(context, (winnow_combine)(byte % 5),
                                        selected, selection(a), a->n, sink(a),
                                        a->selection_bytes, launch);
    case 10:
        return winnow_selection_not(context, selected, a->n, sink(a),
                                    a->selection_bytes, launch);
    case 11:
        return winnow_selection_count(context, selected, a->n, counter(a),
                                      launch);
    default:
        return winnow_split(context, selected, &a->keys, a->n, &outs[0],
                            a->capacity, &outs[byte % 2], a->capacity,
                            counter(a), launch);
    }
}

static winnow_status call(struct arguments *a, unsigned which) {
    const winnow_launch *const launch =
        fuzz_byte(a->bytes) < 100 ? NULL : &a->launch;
    const winnow_digit digit = {
        .shift = fuzz_byte(a->bytes) % 34,
        .bits = fuzz_byte(a->bytes) % 12,
        .parts = fuzz_byte(a->bytes) < 200 ? 0 : fuzz_byte(a->bytes) * 17};
    const winnow_aggregate aggregate = {
        .expression = fuzz_byte(a->bytes) < 50 ? NULL : expression,
        .wanted = fuzz_byte(a->bytes) % 40};
    const winnow_accumulation accumulation = {.keys = &a->keys,
                                              .values = a->values,
                                              .sums = a->sums,
                                              .components =
                                                  fuzz_byte(a->bytes) % 3,
                                              .key_bound = fuzz_byte(a->bytes)};
    const winnow_unique_options options = {
        .size = fuzz_byte(a->bytes) < 250 ? sizeof options : 3,
        .keep = (winnow_unique_keep)(fuzz_byte(a->bytes) % 3),
        .equality = (winnow_equality)(fuzz_byte(a->bytes) % 4)};
    const winnow_in column = {.type = WINNOW_INT32, .d_base = source(a)};
    const void *const d_in = source(a);
    switch (which % 31) {
    case 0:
        return winnow_copy_if(context, a->predicate, a->type, d_in, a->n,
                              sink(a), a->capacity, counter(a), launch);
    case 1:
        return winnow_copy_index_if(context, a->predicate, a->type, d_in, a->n,
                                    WINNOW_UINT32, sink(a), a->capacity,
                                    counter(a), launch);
    case 2:
        return winnow_count_if(context, a->predicate, a->type, d_in, a->n,
                               counter(a), launch);
    case 3:
        return winnow_estimate_selectivity(context, a->predicate, a->type, d_in,
                                           a->n, sink(a), launch);
    case 4:
        return winnow_reduce_if(context, a->predicate, a->type, d_in, a->n,
                                aggregate.wanted, sink(a), launch);
    case 5:
        return winnow_partition_by_key(context, &a->keys, a->n, &digit,
                                       a->moves, a->move_count, counter(a),
                                       launch);
    case 6:
        return winnow_accumulate_by_key(
            context, &a->keys, a->values, accumulation.components, a->n,
            accumulation.key_bound, a->sums, counter(a), launch);
    case 7:
        return winnow_accumulate_where(context, condition, &column, 1, a->n,
                                       &accumulation, counter(a), launch);
    case 8:
        return winnow_reduce_where(context, condition, &column, 1, a->n,
                                   &aggregate, fuzz_byte(a->bytes) % 2, sink(a),
                                   launch);
    case 9:
        return winnow_copy_where(context, condition, &column, 1, a->n, a->moves,
                                 a->move_count, a->capacity, counter(a),
                                 launch);
    case 10:
        return winnow_copy_columns_if(context, a->predicate, &a->keys, a->n,
                                      a->moves, a->move_count, a->capacity,
                                      counter(a), launch);
    case 11:
        return winnow_copy_flagged(context, &a->mask, a->n, a->moves,
                                   a->move_count, a->capacity, counter(a),
                                   launch);
    case 12:
        return winnow_unique(context, &a->keys, a->n, &options, a->moves,
                             a->move_count, a->capacity, counter(a), launch);
    case 13:
        return winnow_partition_if(context, a->predicate, a->type, d_in, a->n,
                                   sink(a), sink(a), counter(a), launch);
    case 14:
        return winnow_segmented_copy_if(context, a->predicate, a->type, d_in,
                                        a->n, &a->segments, sink(a),
                                        a->capacity, counter(a), launch);
    case 15:
        return winnow_select_if(context, a->predicate, a->type, d_in, a->n,
                                sink(a), a->selection_bytes, launch);
    case 16:
        return winnow_select_where(context, condition, &column, 1, a->n,
                                   sink(a), a->selection_bytes, launch);
    case 17:
        return winnow_select_unique(context, &a->keys, a->n, &options, sink(a),
                                    a->selection_bytes, launch);
    default:
        return use(a, which % 31 - 18, launch);
    }
}

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
    for (unsigned i = 0; i < READ; i++)
        in[i] = before[i] = (uint8_t)(i * 37 % 11 == 0 ? i : i % 5);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz_bytes bytes = {data, data + size};
    open_once();
    for (int i = 0; i < MOST_CALLS && bytes.at < bytes.end; i++) {
        struct arguments a;
        const unsigned which = fuzz_byte(&bytes);
        draw_arguments(&a, &bytes);
        const winnow_status status = call(&a, which);
        FUZZ_MUST(status >= WINNOW_OK && status <= WINNOW_ERR_WORKSPACE + 1);
        FUZZ_MUST(status == WINNOW_OK || winnow_last_error()[0] != '\0');
        FUZZ_MUST(memcmp(in, before, sizeof in) == 0);
    }
    return 0;
}
